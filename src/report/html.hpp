// The report as one HTML file that needs nothing else: kernels with excess first, the source with a bar of wavefronts for
// each line, and for each access with excess the picture of its lanes, before and after the cure.
//
// No script and nothing from outside: the page's own policy forbids both (Content-Security-Policy, with the hash of its
// one style sheet). What a picture shows also stands in a table.
#pragma once

#include <string>

#include "findings/report.hpp"
#include "report/sources.hpp"

namespace lanebank::report {

struct HtmlOptions {
  int exit_code = 0;               ///< what `lanebank run` will return
  std::size_t most_kernels = 500;  ///< rows of the table
  std::size_t most_sections = 40;  ///< kernels shown with source and accesses
  std::size_t most_accesses = 8;   ///< of a kernel, with picture
  std::size_t most_bytes = 7'000'000;
};

/// What is left out is counted in the page.
std::string write_html(const findings::ProgramReport& report, Sources& sources, const HtmlOptions& options = {});

}  // namespace lanebank::report
