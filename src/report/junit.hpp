// JUnit XML, as CI servers read it: one test suite for the program, one test case for each kernel and rule.
#pragma once

#include <functional>
#include <string>

#include "findings/report.hpp"

namespace lanebank::report {

struct JUnitOptions {
  /// Does this finding make the run fail (session::failing)? Others are told in the case's output. None: all but notes fail.
  std::function<bool(const findings::Finding&)> fails;
  bool timing = false;             ///< with seconds; without, the same report gives the same bytes
  std::size_t most_findings = 20;  ///< told of one test case; the others are counted
  std::size_t most_cases = 10'000;
  std::size_t most_bytes = 9'000'000;
};

/// Cases: "launches" of the program itself (an error for what could not be analysed, a failure where the program failed);
/// for each kernel "bank-conflict", and every other rule that has a finding in it. Kernels in the order of the program.
std::string write_junit(const findings::ProgramReport& report, const JUnitOptions& options = {});

}  // namespace lanebank::report
