// The rows of an array, told from the distances between lanes: who reads down a column steps from row to row.
#pragma once

#include <cstdint>
#include <vector>

#include "findings/access_log.hpp"

namespace lanebank::advise {

struct SeenRow {
  std::uint32_t row_bytes = 0;
  std::uint64_t weight = 0;  ///< excess wavefronts of the accesses that step so; where none has any: how often they ran
};

/// Lengths of rows that divide the array and hold its widest access whole, most weight first, then the shortest.
std::vector<SeenRow> seen_rows(const findings::AccessLog& log, std::size_t array);

}  // namespace lanebank::advise
