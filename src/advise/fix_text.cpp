#include <fmt/format.h>

#include <algorithm>

#include "advise/fix_formats.hpp"
#include "base/words.hpp"

namespace lanebank::advise {
namespace {

std::string wavefronts(const Figures& figures) {
  const std::string count = counted(figures.wavefronts, "wavefront", "wavefronts");
  if (figures.excess() == 0) return count + ", ideal";
  return count + ", ideal " + grouped(figures.ideal);
}

std::string place(const std::string& file, std::uint32_t line) {
  const std::string name = file.substr(file.find_last_of('/') + 1);
  if (name.empty()) return "unknown";
  return line == 0 ? name : name + ":" + std::to_string(line);
}

std::string sizes(const ArrayFix& array) {
  const DeclaredShape& shape = array.shape.declared;
  std::string text =
      shape.element.empty() ? "elements of " + counted(shape.element_bytes, "byte", "bytes") + ": " : shape.element;
  for (const std::uint32_t size : shape.sizes) text += "[" + std::to_string(size) + "]";
  return text + " (" + std::string(name_of(array.shape.source)) + ")";
}

/// Where all parts of the GPU work at once, and at most.
std::string worth_text(const Worth& worth) {
  const double saved = worth.seconds - worth.after_seconds;
  return fmt::format("    on {}, at least {} by {}: without the excess {} less ({}), at most {}\n", worth.gpu,
                     time_text(worth.seconds), findings::name_of(worth.binds).words, time_text(saved),
                     share_text(saved / worth.seconds), time_text(worth.at_most_seconds));
}

std::string indented(const std::string& text, const std::string& by) {
  std::string result = by;
  for (std::size_t i = 0; i < text.size(); ++i) {
    result += text[i];
    if (text[i] == '\n' && i + 1 < text.size()) result += by;
  }
  if (!result.ends_with('\n')) result += '\n';
  return result;
}

std::string line_table(const std::vector<LineFigures>& lines, bool with_after, std::size_t limit) {
  std::vector<const LineFigures*> rows;
  for (const LineFigures& line : lines)
    if (line.before.excess() != 0 || line.after.wavefronts != line.before.wavefronts) rows.push_back(&line);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const LineFigures* a, const LineFigures* b) { return a->before.excess() > b->before.excess(); });
  std::size_t width = 4;
  for (std::size_t i = 0; i < std::min(rows.size(), limit); ++i)
    width = std::max(width, place(rows[i]->file, rows[i]->line).size());
  std::string text;
  for (std::size_t i = 0; i < std::min(rows.size(), limit); ++i) {
    const LineFigures& row = *rows[i];
    const std::string after = with_after ? fmt::format(" -> {:>11}", grouped(row.after.wavefronts)) : "";
    text +=
        fmt::format("      {:<{}}  {:<10} {:>11}{}   ideal {:>11}\n", place(row.file, row.line), width, row.opcode,
                    grouped(row.before.wavefronts), after, grouped(with_after ? row.after.ideal : row.before.ideal));
  }
  if (rows.size() > limit) text += fmt::format("      and {} more lines\n", rows.size() - limit);
  return text;
}

std::string costs(const Proposal& proposal) {
  const std::string sign = proposal.more_bytes < 0 ? "-" : "+";
  const auto bytes = static_cast<std::uint64_t>(proposal.more_bytes < 0 ? -proposal.more_bytes : proposal.more_bytes);
  std::string text =
      fmt::format("bytes {}{}   index instructions +{}", sign, grouped(bytes), proposal.index_instructions);
  const Occupancy& occupancy = proposal.occupancy;
  if (occupancy.before != 0)
    text += fmt::format("   blocks per multiprocessor {}{}", occupancy.before,
                        occupancy.after == occupancy.before ? "" : fmt::format(" -> {}", occupancy.after));
  return text;
}

std::string trial_text(const Trial& trial) {
  if (trial.state == Trial::State::verified)
    return fmt::format("      verified: rebuilt, same output, {}\n",
                       counted(trial.wavefronts.value_or(0), "wavefront", "wavefronts"));
  if (trial.state == Trial::State::withdrawn) return "      withdrawn: " + trial.reason + "\n";
  return "";
}

/// How an array with one size is addressed by the function of rows and columns.
std::string flat_index(const ArrayFix& array, const Proposal& proposal) {
  const DeclaredShape& shape = array.shape.declared;
  if (shape.sizes.size() != 1) return "";
  const std::uint32_t columns = proposal.layout.tile().row_bytes() / shape.element_bytes;
  return fmt::format(", [i] at row i / {0} and column i % {0}", columns);
}

std::string proposal_text(const ArrayFix& array, const FixProposal& fix, std::size_t number, std::size_t lines) {
  const Proposal& proposal = fix.proposal;
  std::string text =
      fmt::format("    {}  {}\n      {}   {}\n", number, proposal.text, wavefronts(proposal.after), costs(proposal));
  text += line_table(proposal.lines, true, lines);
  if (fix.edit) {
    text +=
        fix.edit->definition.empty() ? "" : "      above the kernel:\n" + indented(fix.edit->definition, "        ");
    text += "      declaration:  " + fix.edit->declaration + "   (accesses stay as they are)\n";
  } else {
    text += "      no edit of the declaration: " + fix.no_edit + "\n" + indented(fix.code, "        ");
    if (!fix.accesses.empty())
      text += "      accesses whose index goes through that function" + flat_index(array, proposal) + ":\n";
    for (const AccessLine& access : fix.accesses) text += fmt::format("        {:>5}  {}\n", access.line, access.text);
  }
  return text + trial_text(fix.trial);
}

std::string array_text(const ArrayFix& fix, std::size_t lines) {
  const ArrayRuns& array = fix.array;
  std::string text = fmt::format("  {}  in {}", array.name, array.kernels.front());
  if (array.kernels.size() > 1) text += fmt::format(" and {}", counted(array.kernels.size() - 1, "other", "others"));
  if (!array.file.empty()) text += "   " + place(array.file, static_cast<std::uint32_t>(fix.line));
  text += fmt::format("\n    {}   {} bytes\n", sizes(fix), grouped(array.size_bytes));
  if (fix.verdict != Verdict::clean) text += "    now: " + wavefronts(fix.before) + "\n";
  if (fix.worth) text += worth_text(*fix.worth);
  if (!fix.message.empty()) text += "    " + fix.message + "\n";
  if (fix.proposals.empty() && fix.verdict != Verdict::clean) text += line_table(fix.lines, false, lines);
  for (std::size_t i = 0; i < fix.proposals.size(); ++i) text += proposal_text(fix, fix.proposals[i], i + 1, lines);
  for (const std::string& way : fix.ways_out) text += "    way out: " + way + "\n";
  return text + "\n";
}

}  // namespace

std::string fix_text(const FixReport& report, const FixTextOptions& options) {
  std::string command;
  for (const std::string& word : report.command) command += (command.empty() ? "" : " ") + word;
  std::string text = "lanebank fix  " + command + "\n\n";
  for (const ArrayFix& array : report.arrays) text += array_text(array, options.lines);
  if (report.arrays.empty()) text += "  no shared array was accessed\n\n";
  for (const Diagnostic& note : report.notes) text += "  " + to_string(note) + "\n";
  const auto count = [&](Verdict verdict) {
    return std::count_if(report.arrays.begin(), report.arrays.end(),
                         [&](const ArrayFix& array) { return array.verdict == verdict; });
  };
  const auto sum = static_cast<std::uint64_t>(count(Verdict::fixable));
  text += fmt::format("  {} of {} can be fixed by a layout", sum, counted(report.arrays.size(), "array", "arrays"));
  if (report.wavefronts_after)
    text += fmt::format("; the whole program: {} wavefronts, rebuilt {}", grouped(report.wavefronts_before),
                        grouped(*report.wavefronts_after));
  if (report.applied) text += "; the edits are in the source";
  return text + fmt::format(" (exit {})\n", options.exit_code);
}

}  // namespace lanebank::advise
