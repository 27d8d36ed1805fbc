// The files that `lanebank run` writes its report to, one for each format.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "findings/report.hpp"
#include "output.hpp"
#include "report/sources.hpp"

namespace CLI {
class App;
}

namespace lanebank::tools {

/// As on the command line: empty where a format is not wanted, "-" for standard output. The text goes to standard error
/// unless `text` names a file.
struct ReportPaths {
  std::string text, json, sarif, junit, github, markdown, html;
};

/// `group`: the heading of the options in the help.
void add_report_options(CLI::App& command, ReportPaths& paths, const char* group);

/// What the formats need beside the report.
struct ReportContext {
  int exit_code = 0;
  std::string source_root;  ///< absolute; relative names of source files begin there
  bool timing = false, all_instructions = false, all_findings = false;
  std::function<bool(const findings::Finding&)> fails;  ///< session::failing
};

class ReportFiles {
 public:
  /// Opens all; a path that cannot be written is an error.
  static Result<ReportFiles> open(const ReportPaths& paths);

  Result<void> write(const findings::ProgramReport& report, const ReportContext& context);

 private:
  std::optional<Output> json_, sarif_, junit_, github_, markdown_, html_;
  Output text_ = Output::standard_error();
};

/// Reads source files below `root`, and those with an absolute path: regular files of at most SourceText::largest_file.
report::Sources::Reader reader_below(const std::string& root);

}  // namespace lanebank::tools
