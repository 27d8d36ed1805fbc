// Which instructions run as often as the race between warps decides: loops that retry a compare-and-swap
// until it succeeds, or poll memory that others write. Their counts on hardware vary from run to run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lanebank::session {

/// One instruction of a function, in address order.
struct SassLine {
  std::uint32_t address = 0;
  std::string text;  ///< "@!P0 BRA 0x110"; targets are byte offsets from the start of the function
};

struct TimingDependence {
  bool in_block = false;  ///< the race is in shared memory: real when a block has several warps
  bool in_grid = false;   ///< the race is in global memory: real when the grid has several warps
};

/// By instruction. An instruction is marked when it lies in the innermost loop around such an access and an
/// exit of the loop depends on the access's result; with the loop goes the BSYNC that its lanes leave through,
/// since each group of leaving lanes executes it once.
std::vector<TimingDependence> timing_dependence(const std::vector<SassLine>& code);

}  // namespace lanebank::session
