// What a failed test says of the launches that it looked at: each kernel with its lines, reasons and cures as in the text report, then
// the costliest access drawn.
#pragma once

#include <string>

#include "findings/report.hpp"

namespace lanebank::report {

struct FailureText {
  std::string conflicts;  ///< kernels with excess wavefronts; empty: there are none
  std::string checks;     ///< what stopped kernels and what checks found, one sentence with its place each
  std::string problems;   ///< what could not be analysed
};

/// `report.findings` must be filled. Lines end in '\n'.
FailureText failure_text(const findings::ProgramReport& report);

}  // namespace lanebank::report
