// Which findings a report of bounded size shows: the worst ones, and what is left out is counted.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "findings/report.hpp"

namespace lanebank::report {

/// Errors before warnings before notes; then most excess wavefronts of all launches that showed it; then the order of the
/// report.
std::vector<const findings::Finding*> worst_findings(const findings::ProgramReport& report, std::size_t limit);

/// Findings of one rule, kernel, place and array: unrolled code shows one conflict many times.
struct FindingGroup {
  const findings::Finding* first = nullptr;
  std::uint64_t findings = 0, excess = 0;
};

/// The worst groups in the same order; only the worst `reach` findings are grouped.
std::vector<FindingGroup> worst_groups(const findings::ProgramReport& report, std::size_t limit,
                                       std::size_t reach = 10'000);

/// Numbers of findings by severity, and their excess wavefronts.
struct Tally {
  std::array<std::uint64_t, 3> of_severity{};  ///< note, warning, error
  std::uint64_t excess = 0;

  void add(const findings::Finding& finding);
  std::uint64_t all() const { return of_severity[0] + of_severity[1] + of_severity[2]; }
};
Tally tally_of(const findings::ProgramReport& report);

/// "2 errors, 1 warning"; empty for none.
std::string tally_text(const Tally& tally);

/// "4 of 9 kernels have excess wavefronts": what a report says in one sentence, without its end.
std::string excess_text(const findings::ProgramReport& report);

}  // namespace lanebank::report
