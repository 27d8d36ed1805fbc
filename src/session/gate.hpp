// How a run ends: the exit codes of `lanebank run` (docs/cli.md).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>

#include "findings/report.hpp"

namespace lanebank::session {

/// After the program's own code, which comes before all of these when it is not 0.
enum ExitCode : int {
  exit_success = 0,
  exit_findings = 120,        ///< errors, or more excess wavefronts than allowed
  exit_nothing = 121,         ///< no launch was analysed
  exit_cannot_analyse = 122,  ///< no usable machine code, unsupported instruction or call
  exit_failure = 125,         ///< lanebank failed or was used wrongly
};

/// What counts as a failed run.
struct Gate {
  std::uint64_t max_excess = 0;                   ///< excess wavefronts of all launches together that are let through
  bool never = false;                             ///< findings never fail the run
  bool no_launch = false;                         ///< nor does it fail where no kernel was launched
  std::optional<std::set<findings::Rule>> rules;  ///< only these; none given: every error, and bank conflicts
};

/// Which findings of the report make the run fail (unless the program or the analysis failed).
std::function<bool(const findings::Finding&)> failing(const findings::ProgramReport& report, const Gate& gate);

int exit_code(const findings::ProgramReport& report, const Gate& gate);

/// Reads the argument of --fail-on: "never", or names of rules with commas between.
Result<Gate> read_gate(const std::string& fail_on, std::uint64_t max_excess);

}  // namespace lanebank::session
