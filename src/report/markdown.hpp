// Markdown for a pull request's comment or a job's summary on GitHub: a table of kernels, the worst lines, reasons and
// cures folded away.
#pragma once

#include <string>

#include "findings/report.hpp"

namespace lanebank::report {

struct MarkdownOptions {
  int exit_code = 0;                     ///< what `lanebank run` will return
  std::size_t most_characters = 65'536;  ///< what a comment holds
  std::size_t most_kernels = 50;
  std::size_t most_lines = 30;
};

/// Never longer than `most_characters` bytes, and whole: parts that do not fit are left out and counted.
std::string write_markdown(const findings::ProgramReport& report, const MarkdownOptions& options = {});

}  // namespace lanebank::report
