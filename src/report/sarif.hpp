// SARIF 2.1.0, for code scanning and editors: one run, a result for each finding, the worst 5,000 of them.
//
// Paths are relative to the uriBaseId SRCROOT, which is the folder that `findings::make_files_relative` was given. A result
// keeps its fingerprint when lines move: it is made of rule, kernel, function, array, and the text of the source line (the
// instruction's name where the source is not at hand), counted through where several are alike.
#pragma once

#include <string>

#include "findings/report.hpp"
#include "report/sources.hpp"

namespace lanebank::report {

struct SarifOptions {
  std::string version;                 ///< lanebank's own; empty: left out
  std::size_t most_results = 5000;     ///< what code scanning shows
  std::size_t most_bytes = 9'000'000;  ///< of the results; further ones are left out and counted
};

/// The log, ending in a line feed. What could not be analysed, and how many results were left out, are notifications.
std::string write_sarif(const findings::ProgramReport& report, Sources& sources, const SarifOptions& options = {});

}  // namespace lanebank::report
