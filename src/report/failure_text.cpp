#include "report/failure_text.hpp"

#include <cstdint>
#include <optional>

#include "picture/terminal.hpp"
#include "report/access_picture.hpp"
#include "report/digest.hpp"
#include "report/paint.hpp"
#include "report/text_kernel.hpp"
#include "report/wording.hpp"

namespace lanebank::report {
namespace {

constexpr std::size_t width = 110;
constexpr unsigned most_lines = 5, most_rows = 8;  // of a kernel; of a grid
constexpr std::size_t most_findings = 10;
constexpr std::uint32_t bank_line_bytes = 128;

/// The worst phase of the line's costliest access, in its array where the rows are known and in the banks.
std::string drawn(const LineDigest& line) {
  const findings::InstructionReport& row = *line.row;
  if (!row.worst) return {};
  std::optional<findings::RowLayout> declared;
  if (row.suggestion && row.suggestion->layout)
    declared = findings::RowLayout{row.suggestion->layout->row_bytes, 0, 0, 1};
  const std::string where =
      row.line == 0 ? instruction_text(row.address) : place_text(place_at(row, telling_place(row)));
  const picture::Picture picture =
      access_picture(*row.worst, row.kind, declared ? &*declared : nullptr, where + " " + line.mnemonic, 1);
  std::string text;
  picture::TerminalOptions options;
  options.width = width + 60;  // 32 banks
  options.max_rows = most_rows;
  options.indent = 4;
  for (const picture::Grid& grid : picture.grids) {
    text += (text.empty() ? "" : "\n") + picture::draw_text(grid, options);
    if (declared && declared->row_bytes == bank_line_bytes) break;  // the banks look the same
  }
  return text + "\n";
}

}  // namespace

FailureText failure_text(const findings::ProgramReport& report) {
  FailureText text;
  for (const KernelDigest& kernel : digest(report)) {
    if (kernel.all_excess == 0) continue;
    text.conflicts += kernel_text(kernel, Paint(false), {width, most_lines});
    if (!kernel.lines.empty()) text.conflicts += drawn(kernel.lines.front());
  }
  std::size_t shown = 0;
  for (const findings::Finding& finding : report.findings) {
    if (finding.rule == findings::Rule::bank_conflict || finding.severity == Severity::note) continue;
    if (shown++ < most_findings)
      text.checks += "  " + where_text(finding) + ": " + std::string(findings::info(finding.rule).spelled) + ": " +
                     printable(finding.message) + "\n";
  }
  if (shown > most_findings) text.checks += "  and " + std::to_string(shown - most_findings) + " more\n";
  for (const Diagnostic& problem : report.problems) {
    text.problems +=
        "  " + (problem.where.empty() ? "" : printable(problem.where) + ": ") + printable(problem.what) + "\n";
    if (!problem.remedy.empty()) text.problems += "    " + printable(problem.remedy) + "\n";
  }
  return text;
}

}  // namespace lanebank::report
