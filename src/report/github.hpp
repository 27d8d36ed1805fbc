// Workflow commands of GitHub Actions: an annotation beside the line for each of the worst findings, and a total.
#pragma once

#include <string>

#include "findings/report.hpp"

namespace lanebank::report {

/// One command a line: ::error, ::warning or ::notice with file and line, at most `most` of them (GitHub shows ten of a
/// step), then a ::notice with the total. What could not be analysed comes first, as ::error.
std::string write_github(const findings::ProgramReport& report, std::size_t most = 10);

}  // namespace lanebank::report
