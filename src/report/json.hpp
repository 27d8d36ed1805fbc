// lanebank.report/1: the report as JSON, for programs. Keys and units are those of docs/report-format.md; the text
// is the same byte for byte for the same report (`timing` aside, which is written only when asked for).
#pragma once

#include <string>
#include <string_view>

#include "findings/report.hpp"

namespace lanebank::report {

struct JsonOptions {
  bool timing = false;            ///< with `timing`: seconds of every launch
  bool all_instructions = false;  ///< with rows of kind "other"
  bool all_findings = false;      ///< however many; else those of a report with more than `most_findings` are cut
  std::size_t most_findings = 5000;
  std::size_t most_bytes = 5'000'000;  ///< of what a cut report holds, about
};

/// The report as text, ending in a line feed. Cut, it holds the worst findings, their launches, and of these the rows that
/// the findings speak of; `left_out` says how much is missing. Totals are those of all rows. Throws InternalError where a total is not the sum of its parts.
std::string write_json(const findings::ProgramReport& report, const JsonOptions& options = {});

/// Reads what `write_json` wrote. Anything else is a Diagnostic that names the place ("launches[3].grid").
/// Explanations of clean rows are not part of the format and come back empty.
Result<findings::ProgramReport> read_json(std::string_view text);

}  // namespace lanebank::report
