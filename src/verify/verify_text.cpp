#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/words.hpp"
#include "report/paint.hpp"
#include "report/wording.hpp"
#include "verify/formats.hpp"

namespace lanebank::verify {
namespace {

using findings::LaunchReport;
using report::printable;
using report::Table;

std::string figure(const std::optional<std::uint64_t>& number) { return number ? grouped(*number) : "-"; }

/// The row that stands for all instructions of a kernel.
bool is_whole_kernel(const RowComparison& row) {
  return row.instruction->address == 0 && row.instruction->kind == findings::Kind::other;
}

std::string place_of(const RowComparison& row) {
  constexpr std::size_t widest = 36;
  const findings::InstructionReport& instruction = *row.instruction;
  if (is_whole_kernel(row)) return "kernel";
  if (instruction.line == 0) return report::instruction_text(instruction.address);
  return report::shortened_front(report::place_text(report::place_at(instruction, report::telling_place(instruction))),
                                 widest);
}

std::string mnemonic(const RowComparison& row) {
  return is_whole_kernel(row) ? "all of them" : report::mnemonic_of(printable(row.instruction->sass));
}

std::string signed_text(std::int64_t number) {
  return number == 0 ? "0"
                     : (number < 0 ? "-" : "+") + grouped(static_cast<std::uint64_t>(number < 0 ? -number : number));
}

/// Launches of one kernel and shape whose rows all read the same; counters are sums over them.
struct Group {
  const LaunchComparison* first = nullptr;
  std::uint64_t launches = 0;
  std::vector<CounterComparison> counters;
};

bool same_rows(const LaunchComparison& a, const LaunchComparison& b) {
  const auto same = [](const RowComparison& x, const RowComparison& y) {
    return x.instruction->address == y.instruction->address && x.instruction->function == y.instruction->function &&
           x.predicted == y.predicted && x.measured == y.measured && x.cause == y.cause;
  };
  return a.launch->symbol == b.launch->symbol && a.launch->grid == b.launch->grid &&
         a.launch->block == b.launch->block &&
         std::equal(a.rows.begin(), a.rows.end(), b.rows.begin(), b.rows.end(), same);
}

void add(std::vector<CounterComparison>& sums, const std::vector<CounterComparison>& counters) {
  for (const CounterComparison& counter : counters) {
    const auto at = std::find_if(sums.begin(), sums.end(),
                                 [&](const CounterComparison& sum) { return sum.metric == counter.metric; });
    if (at == sums.end()) {
      sums.push_back(counter);
      continue;
    }
    at->value += counter.value;
    at->source_page += counter.source_page;
    if (counter.cause == Cause::none) continue;
    at->cause = counter.cause;
    at->explanation = info(counter.cause).meaning;
  }
}

std::vector<Group> groups_of(const Comparison& comparison) {
  std::vector<Group> groups;
  std::multimap<std::string_view, std::size_t> by_symbol;
  for (const LaunchComparison& launch : comparison.launches) {
    if (launch.problem) continue;
    const auto [begin, end] = by_symbol.equal_range(launch.launch->symbol);
    const auto known =
        std::find_if(begin, end, [&](const auto& entry) { return same_rows(*groups[entry.second].first, launch); });
    if (known == end) {
      by_symbol.emplace(launch.launch->symbol, groups.size());
      groups.push_back({&launch, 1, launch.counters});
    } else {
      groups[known->second].launches++;
      add(groups[known->second].counters, launch.counters);
    }
  }
  return groups;
}

class Writer {
 public:
  Writer(const findings::ProgramReport& predicted, const Comparison& comparison, const TextOptions& options)
      : predicted_(predicted),
        comparison_(comparison),
        options_(options),
        paint_(options.color),
        width_(std::max(options.width, 60u)) {}

  std::string write() {
    header();
    const std::vector<Group> groups = groups_of(comparison_);
    std::uint64_t without = 0, further = 0;
    std::map<std::string_view, std::size_t> shown;  // by symbol
    for (const Group& group : groups) {
      const bool is_equal = std::all_of(group.first->rows.begin(), group.first->rows.end(),
                                        [](const RowComparison& row) { return row.verdict() == Verdict::equal; });
      if (group.first->rows.empty())
        without += group.launches;
      else if (is_equal && ++shown[group.first->launch->symbol] > most_shapes)
        further += group.launches;
      else
        kernel(group);
    }
    if (further > 0)
      line("  " + counted(further, "launch", "launches") +
           " of other shapes of these kernels, all rows equal; --json has them all\n");
    if (without > 0) line("  " + counted(without, "launch", "launches") + " without shared memory\n");
    footnotes();
    reading(groups);
    for (const Diagnostic& problem : predicted_.problems) said("cannot analyse: ", problem);
    for (const Diagnostic& problem : comparison_.problems) said("cannot compare: ", problem);
    if (comparison_.not_measured > 0 && comparison_.problems.empty())
      line("  " + counted(comparison_.not_measured, "launch", "launches") + " of the program not in the measurement");
    verdict();
    return std::move(text_);
  }

 private:
  static constexpr std::size_t most_shapes = 3;  ///< of a kernel without differences
  void line(const std::string& text = {}) { text_ += text + "\n"; }

  void said(const char* what, const Diagnostic& problem) {
    const std::string where = problem.where.empty() ? "" : printable(problem.where) + ": ";
    text_ += paint_.red(report::wrapped(what + where + printable(problem.what), 2, width_));
    if (!problem.remedy.empty()) text_ += report::wrapped(printable(problem.remedy), 4, width_);
  }

  void header() {
    std::string command;
    for (const std::string& word : predicted_.command) command += "  " + printable(word);
    std::map<std::string_view, int> archs;
    for (const LaunchReport& launch : predicted_.launches) archs[launch.arch]++;
    std::string facts;
    for (const auto& [arch, count] : archs) facts += "   " + std::string(arch);
    if (!comparison_.capabilities.empty())
      facts += "   measured on compute capability " + printable(comparison_.capabilities);
    const std::size_t room = width_ > facts.size() + 20 ? width_ - facts.size() - 16 : 10;
    line(paint_.bold("lanebank verify") + report::shortened(command, room) + paint_.dim(facts));
    line();
  }

  void kernel(const Group& group) {
    const LaunchReport& launch = *group.first->launch;
    const std::string facts = "   grid " + report::extent(launch.grid) + "   block " + report::extent(launch.block) +
                              (group.launches > 1 ? "   x " + grouped(group.launches) : "");
    const std::size_t room = width_ > facts.size() + 26 ? width_ - facts.size() - 2 : 24;
    line("  " + paint_.bold(report::shortened(report::shown_name(launch.kernel), room)) + paint_.dim(facts));
    rows(*group.first);
    causes(*group.first);
    counters(group);
    line();
  }

  /// Neighbouring instructions of one source line whose figures are the same stand in one line of the table.
  struct Line {
    std::vector<std::string> cells;
    Verdict verdict;
    std::uint64_t rows;
  };

  static std::vector<std::string> cells_of(const RowComparison& row, bool threads) {
    const Figures measured = row.measured.value_or(Figures{});
    std::vector<std::string> cells{place_of(row), mnemonic(row), figure(row.predicted.executed),
                                   figure(measured.executed)};
    if (threads) cells.insert(cells.end(), {figure(row.predicted.threads), figure(measured.threads)});
    const std::string cause(info(row.cause).spelled);
    cells.insert(cells.end(),
                 {figure(row.predicted.wavefronts), figure(measured.wavefronts), figure(row.predicted.ideal),
                  figure(measured.ideal),
                  row.cause == Cause::none ? "equal" : std::string(spelled(row.verdict())) + ": " + cause});
    return cells;
  }

  /// Columns: prediction, then what ncu counted. Threads only where they differ though it ran as often.
  void rows(const LaunchComparison& launch) {
    const auto threads_differ = [](const RowComparison& row) {
      return row.measured && row.measured->threads && row.predicted.executed == row.measured->executed &&
             row.predicted.threads != row.measured->threads;
    };
    const bool threads = std::any_of(launch.rows.begin(), launch.rows.end(), threads_differ);
    using Align = Table::Align;
    std::vector<Align> align{Align::left, Align::left};
    align.insert(align.end(), threads ? 8 : 6, Align::right);
    align.push_back(Align::left);
    Table table(align);
    std::vector<std::string> head{"line", "instruction", "executed", "ncu"};
    if (threads) head.insert(head.end(), {"threads", "ncu"});
    head.insert(head.end(), {"wavefronts", "ncu", "ideal", "ncu", "verdict"});
    table.row(head);
    std::vector<Line> shown;
    std::size_t equal = 0, left = 0;
    for (const RowComparison& row : launch.rows) {
      std::vector<std::string> cells = cells_of(row, threads);
      if (!shown.empty() && shown.back().cells == cells)
        shown.back().rows++;
      else if (row.verdict() != Verdict::equal || ++equal <= options_.rows)
        shown.push_back({std::move(cells), row.verdict(), 1});
      else
        left++;
    }
    for (const Line& one : shown) {
      std::vector<std::string> cells = one.cells;
      if (one.rows > 1) cells[1] += " x " + grouped(one.rows);
      table.row(std::move(cells));
    }
    const std::vector<std::string> lines = table.lines();
    line("    " + paint_.dim(lines[0]));
    for (std::size_t i = 1; i < lines.size(); i++)
      line("    " + (shown[i - 1].verdict == Verdict::unexplained ? paint_.red(lines[i])
                     : shown[i - 1].verdict == Verdict::explained ? paint_.yellow(lines[i])
                                                                  : lines[i]));
    if (left > 0) line(paint_.dim("    and " + counted(left, "row", "rows") + " more, equal; --json has them all"));
  }

  /// Each reason once.
  void causes(const LaunchComparison& launch) {
    std::vector<std::pair<std::string, std::pair<Cause, std::uint64_t>>> reasons;
    for (const RowComparison& row : launch.rows) {
      if (row.cause == Cause::none) continue;
      const auto known = std::find_if(reasons.begin(), reasons.end(),
                                      [&](const auto& reason) { return reason.first == row.explanation; });
      if (known == reasons.end())
        reasons.push_back({row.explanation, {row.cause, 1}});
      else
        known->second.second++;
    }
    for (const auto& [text, reason] : reasons) {
      const std::string lines = report::wrapped(std::string(info(reason.first).spelled) + " (" +
                                                    counted(reason.second, "row", "rows") + "): " + printable(text),
                                                6, width_);
      text_ += info(reason.first).explained ? paint_.dim(lines) : paint_.red(lines);
    }
  }

  /// Those of conflicts by loads and by stores, and others that differ from the source page.
  void counters(const Group& group) {
    using Align = Table::Align;
    Table table({Align::left, Align::right, Align::right, Align::right, Align::left});
    table.row({"hardware counter", "ncu", group.first->whole_kernel ? "predicted" : "source page", "more", "why"});
    bool any = false;
    for (const CounterComparison& counter : group.counters) {
      const bool is_common = counter.metric.ends_with("conflicts_pipe_lsu_mem_shared_op_ld.sum") ||
                             counter.metric.ends_with("conflicts_pipe_lsu_mem_shared_op_st.sum");
      if (!is_common && counter.cause == Cause::none) continue;
      any = true;
      std::string why =
          counter.cause == Cause::none ? "equal: " + counter.explanation : std::string(info(counter.cause).spelled);
      if (counter.confirmed) why += ", as in wavefronts";
      table.row({counter.metric, grouped(counter.value), grouped(counter.source_page),
                 signed_text(counter.difference()), std::move(why)});
      if (counter.cause != Cause::none) footnotes_.insert(counter.cause);
    }
    if (!any) return;
    for (const std::string& text : table.lines()) line(paint_.dim("    " + text));
  }

  /// Why counters differ, each reason once.
  void footnotes() {
    if (footnotes_.empty()) return;
    line("  Why hardware counters differ from the source page:");
    for (const Cause cause : footnotes_)
      text_ += report::wrapped(std::string(info(cause).spelled) + ": " + std::string(info(cause).meaning), 4, width_);
    line();
  }

  /// ncu's numbers, by the instruction with the most excess, else with the most wavefronts.
  void reading(const std::vector<Group>& groups) {
    const RowComparison* most = nullptr;
    const Group* of = nullptr;
    const auto weight = [](const RowComparison& row) {
      const std::uint64_t wavefronts = *row.measured->wavefronts, ideal = *row.measured->ideal;
      return std::pair(wavefronts - std::min(wavefronts, ideal), wavefronts);
    };
    for (const Group& group : groups)
      for (const RowComparison& row : group.first->rows) {
        const bool is_whole =
            row.measured && row.measured->wavefronts && row.measured->ideal && row.measured->executed.value_or(0) > 0;
        if (!is_whole || row.instruction->kind == findings::Kind::other) continue;
        if (most == nullptr || weight(row) > weight(*most)) most = &row, of = &group;
      }
    if (most == nullptr || *most->measured->wavefronts == 0) return;
    const std::uint64_t executed = *most->measured->executed, wavefronts = *most->measured->wavefronts,
                        ideal = *most->measured->ideal;
    const auto each = [&](std::uint64_t number) {
      return number % executed == 0
                 ? grouped(number / executed)
                 : fmt::format("{:.2f}", static_cast<double>(number) / static_cast<double>(executed));
    };
    line("  How to read them, by " + mnemonic(*most) + " at " + place_of(*most) + " of " +
         report::short_name(of->first->launch->kernel) + ":");
    const auto item = [&](const std::string& text) { text_ += report::wrapped(text, 4, width_); };
    item("executed " + grouped(executed) + ": warps that executed it (inst_executed)");
    item("wavefronts " + grouped(wavefronts) + ": passes through shared memory, " + each(wavefronts) +
         " for each execution (memory_l1_wavefronts_shared)");
    item("ideal " + grouped(ideal) + ": passes that the bytes of its lanes need, " + each(ideal) +
         " for each execution (memory_l1_wavefronts_shared_ideal)");
    item("excess " + grouped(wavefronts - std::min(ideal, wavefronts)) +
         " = wavefronts - ideal (L1 Wavefronts Shared Excessive): the conflicts, and what another layout can save");
    item("N-way" + (most->nway ? fmt::format(" {:.0f}", *most->nway) : "") +
         ": wavefronts for each execution, rounded down (L1 Conflicts Shared N-Way); alone it says nothing, since a "
         "clean access of 16 bytes a lane is 4-way");
    item(
        "l1tex__data_bank_conflicts...: passes that the hardware repeated, for conflicts or because other traffic came "
        "first; kernels without conflicts have some too");
    line();
  }

  void verdict() {
    const Totals& total = comparison_.total;
    const std::string text = grouped(total.equal) + " of " + counted(total.rows, "row", "rows") + " equal, " +
                             grouped(total.explained) + " explained, " + grouped(total.unexplained) +
                             " unexplained; wavefronts " + figure(total.predicted.wavefronts) + " predicted, " +
                             figure(total.measured.wavefronts) + " measured; " + grouped(comparison_.compared()) +
                             " of " + counted(predicted_.launches.size(), "launch", "launches") + " compared (exit " +
                             std::to_string(options_.exit_code) + ")";
    const std::string lines = report::wrapped(text, 2, width_);
    text_ += options_.exit_code == 0 ? paint_.green(lines) : paint_.red(lines);
  }

  const findings::ProgramReport& predicted_;
  const Comparison& comparison_;
  const TextOptions& options_;
  report::Paint paint_;
  std::size_t width_;
  std::set<Cause> footnotes_;
  std::string text_;
};

}  // namespace

std::string verify_text(const findings::ProgramReport& predicted, const Comparison& comparison,
                        const TextOptions& options) {
  return Writer(predicted, comparison, options).write();
}

}  // namespace lanebank::verify
