// The worst access of a row as pictures: the lanes in the cells of the array's tile and in the banks, phase by phase.
#pragma once

#include <string>

#include "findings/report.hpp"
#include "picture/picture.hpp"

namespace lanebank::report {

/// `layout`: of the array's rows; nullptr: not known, and only the banks are drawn. `title` begins the picture's. The tile
/// shows the worst phase, the banks it and the next ones up to `most_phases`.
picture::Picture access_picture(const findings::WorstAccess& access, findings::Kind kind,
                                const findings::RowLayout* layout, const std::string& title,
                                std::size_t most_phases = 2);

/// One lane of an access, for tables.
struct LaneOfAccess {
  unsigned lane = 0;
  std::uint32_t byte = 0;  ///< from the block's first shared byte
  unsigned bank = 0;       ///< of its first byte
  unsigned phase = 0;      ///< from 1; 0: not known
  bool meets = false;      ///< in the fullest bank of its phase
};
std::vector<LaneOfAccess> lanes_of(const findings::WorstAccess& access);

}  // namespace lanebank::report
