// Hardware counters of a kernel beside its source page, and why they differ.
//
// The source page counts from the addresses of each access; the counters of the data stage (l1tex__data_…) count what the
// hardware did, which is more: a pass that finds the stage taken by something else is a bank conflict to them too. So
//
//   counter of conflicts  = excess of the same instructions      + N
//   counter of wavefronts = wavefronts of the same instructions  + N
//
// with the same N of lost passes. Where both counters are there, that N is the same is a check of the explanation.
#pragma once

#include <vector>

#include "verify/compare.hpp"

namespace lanebank::verify {

/// Of each counter of counters.def that was measured; `rows` are those of the source page. Nothing without rows.
std::vector<CounterComparison> compare_counters(const findings::LaunchReport& launch, const MeasuredLaunch& measured,
                                                const std::vector<RowComparison>& rows);

}  // namespace lanebank::verify
