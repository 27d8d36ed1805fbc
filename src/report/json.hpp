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
};

/// The report as text, ending in a line feed. Throws InternalError where a total is not the sum of its parts.
std::string write_json(const findings::ProgramReport& report, const JsonOptions& options = {});

/// Reads what `write_json` wrote. Anything else is a Diagnostic that names the place ("launches[3].grid").
/// Explanations of clean rows are not part of the format and come back empty.
Result<findings::ProgramReport> read_json(std::string_view text);

}  // namespace lanebank::report
