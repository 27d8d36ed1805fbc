#include "report_files.hpp"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "report/github.hpp"
#include "report/html.hpp"
#include "report/json.hpp"
#include "report/junit.hpp"
#include "report/markdown.hpp"
#include "report/sarif.hpp"
#include "report/text.hpp"
#include "terminal.hpp"

namespace lanebank::tools {

void add_report_options(CLI::App& command, ReportPaths& paths, const char* group) {
  const auto file = [&](const char* name, std::string& path, const char* meaning) {
    command.add_option(name, path, meaning)->type_name("FILE")->group(group);
  };
  file("--report", paths.text, "text report to FILE instead of stderr");
  file("--json", paths.json, "lanebank.report/1 to FILE; - is standard output");
  file("--html", paths.html, "one page for a browser: source, wavefronts by line, pictures of the accesses");
  file("--sarif", paths.sarif, "SARIF 2.1.0, for code scanning");
  file("--junit", paths.junit, "JUnit XML: a test case for each kernel and rule");
  file("--markdown", paths.markdown, "Markdown, for a pull request or $GITHUB_STEP_SUMMARY");
  command.add_flag("--github{-}", paths.github, "annotations of GitHub Actions to stdout, or to FILE (--github=FILE)")
      ->group(group);
}

Result<ReportFiles> ReportFiles::open(const ReportPaths& paths) {
  ReportFiles files;
  for (const auto& [path, output] :
       {std::pair(&paths.json, &files.json_), std::pair(&paths.sarif, &files.sarif_),
        std::pair(&paths.junit, &files.junit_), std::pair(&paths.github, &files.github_),
        std::pair(&paths.markdown, &files.markdown_), std::pair(&paths.html, &files.html_)}) {
    if (path->empty()) continue;
    auto opened = Output::open(*path);
    if (!opened) return tl::unexpected(opened.error());
    *output = std::move(*opened);
  }
  if (paths.text.empty()) return files;
  auto opened = Output::open(paths.text);
  if (!opened) return tl::unexpected(opened.error());
  files.text_ = std::move(*opened);
  return files;
}

Result<void> ReportFiles::write(const findings::ProgramReport& report, const ReportContext& context) {
  report::Sources sources(reader_below(context.source_root));
  const auto to = [](std::optional<Output>& output, auto&& text) -> Result<void> {
    return output ? output->write(text()) : Result<void>{};
  };
  return to(json_,
            [&] {
              return report::write_json(report, {context.timing, context.all_instructions, context.all_findings});
            })
      .and_then([&] { return to(sarif_, [&] { return report::write_sarif(report, sources, {LANEBANK_VERSION}); }); })
      .and_then([&] {
        return to(junit_, [&] { return report::write_junit(report, {context.fails, context.timing}); });
      })
      .and_then([&] { return to(github_, [&] { return report::write_github(report); }); })
      .and_then([&] { return to(markdown_, [&] { return report::write_markdown(report, {context.exit_code}); }); })
      .and_then([&] { return to(html_, [&] { return report::write_html(report, sources, {context.exit_code}); }); })
      .and_then([&] {
        const Terminal terminal = terminal_of(text_.descriptor(), std::getenv);
        return text_.write(report::write_text(report, {terminal.width, terminal.color, context.exit_code}));
      });
}

report::Sources::Reader reader_below(const std::string& root) {
  return [root](const std::string& file) -> std::optional<std::string> {
    const std::filesystem::path path = std::filesystem::path(root) / file;
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error) ||
        std::filesystem::file_size(path, error) > report::SourceText::largest_file)
      return std::nullopt;
    auto content = content_of(path.string());
    return content ? std::optional(std::move(*content)) : std::nullopt;
  };
}

}  // namespace lanebank::tools
