// From the accesses of a run to a problem of the solver.
#pragma once

#include <cstdint>
#include <vector>

#include "advise/array_runs.hpp"
#include "base/diagnostic.hpp"
#include "solve/problem.hpp"

namespace lanebank::advise {

/// Units that no layout may take apart, and what rows the accesses suggest.
struct ArrayGrain {
  std::uint32_t part_bytes = 4;  ///< a power of two that divides every access's place and width, and the element
  std::uint32_t element_bytes = 4;
  std::uint32_t unit_bytes = 4;  ///< the widest access or the element: stays together
  bool is_power_of_two() const { return (unit_bytes & (unit_bytes - 1)) == 0 && unit_bytes <= 16; }
};

ArrayGrain grain_of(const ArrayRuns& array, std::uint32_t element_bytes);

/// Row lengths in bytes that divide the array: those seen (seen_rows.hpp), then usual ones. At most `limit`.
std::vector<std::uint32_t> row_lengths(const ArrayRuns& array, const ArrayGrain& grain, std::size_t limit);

/// Does some instruction reach the array by many lane patterns that follow no rule? Then its index comes from data.
bool depends_on_data(const ArrayRuns& array);

/// The array as rows of `row_bytes` with all its accesses, weighted by how often they ran; where these are more than the
/// solver takes quickly, those that ran most. Errors "fix.problem": an access lies across the end of a row, or the solver has
/// no name for it.
Result<solve::Problem> problem_of(const ArrayRuns& array, const ArrayGrain& grain, std::uint32_t row_bytes);

}  // namespace lanebank::advise
