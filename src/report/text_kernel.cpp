#include "report/text_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/words.hpp"
#include "report/wording.hpp"

namespace lanebank::report {

using findings::InstructionReport;
using findings::LaunchReport;

namespace {

std::string place(const InstructionReport& row) {
  if (row.line != 0) return place_text(place_at(row, telling_place(row)));
  return instruction_text(row.address);
}

class KernelWriter {
 public:
  KernelWriter(const Paint& paint, const KernelTextOptions& options) : paint_(paint), options_(options) {}

  std::string write(const KernelDigest& kernel) {
    line(title(kernel));
    if (kernel.launches > 1)
      line("    " + paint_.dim(kernel.summed
                                   ? "sums of " + grouped(kernel.launches) + " launches with differing figures"
                                   : "figures of one of " + grouped(kernel.launches) + " equal launches"));
    const findings::SharedTotals& sum = kernel.shared;
    items({grouped(sum.executed) + " shared requests", grouped(sum.wavefronts) + " wavefronts",
           grouped(sum.ideal) + " ideal", grouped(sum.excess) + " excess",
           "conflict rate " + percent(sum.excess, sum.wavefronts)},
          4, sum.excess > 0 ? 3 : 5);
    for (const findings::FaultReport* fault : kernel.faults) stopped(*fault);
    checks(kernel);
    lines_with_excess(kernel);
    unmodelled_lines(kernel);
    clean_lines(kernel);
    remaps(kernel);
    line();
    return std::move(text_);
  }

 private:
  void line(const std::string& text = {}) { text_ += text + "\n"; }

  /// Items with three blanks between, as many to a line as fit; the one numbered `marked` stands out.
  void items(const std::vector<std::string>& list, std::size_t indent, std::size_t marked) {
    std::string text;
    std::size_t taken = 0;
    for (std::size_t i = 0; i < list.size(); i++) {
      const bool fits = taken > 0 && taken + 3 + columns(list[i]) <= options_.width;
      if (taken > 0 && !fits) text += "\n";
      text += fits ? "   " : std::string(indent, ' ');
      taken = (fits ? taken + 3 : indent) + columns(list[i]);
      text += i == marked ? paint_.red(list[i]) : list[i];
    }
    line(text);
  }

  /// "   x 20" behind the name, and the shape of the launch.
  std::string title(const KernelDigest& kernel) {
    const LaunchReport& launch = *kernel.launch;
    std::string facts = "   grid " + extent(launch.grid) + "   block " + extent(launch.block);
    if (launch.static_shared_bytes + launch.dynamic_shared_bytes > 0)
      facts += "   shared " + grouped(std::uint64_t{launch.static_shared_bytes} + launch.dynamic_shared_bytes) + " B";
    if (launch.sampled_blocks != 0)
      facts += "   " + grouped(launch.sampled_blocks) + " of " +
               grouped(std::uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2]) + " blocks, scaled";
    const std::string times = kernel.launches > 1 ? "   x " + grouped(kernel.launches) : "";
    const std::size_t room =
        options_.width - std::min<std::size_t>(options_.width - 24, facts.size() + times.size() + 2);
    const std::string name = options_.names != nullptr ? options_.names->fitted(launch.kernel, room)
                                                       : shortened(shown_name(launch.kernel), room);
    return "  " + paint_.bold(name) + times + paint_.dim(facts);
  }

  /// "race at a.cu:14: thread 1 reads ..."
  void checks(const KernelDigest& kernel) {
    constexpr std::size_t most = 8;
    for (std::size_t i = 0; i < std::min(most, kernel.checks.size()); i++) {
      const findings::CheckReport& check = *kernel.checks[i];
      const std::string where = check.access.line != 0
                                    ? shown_file(check.access.file) + ":" + std::to_string(check.access.line)
                                    : instruction_text(check.access.address);
      const std::string text = std::string(findings::info(check.rule).spelled) + " at " + where + ": " +
                               printable(check.message) +
                               (check.count > 1 ? " (" + grouped(check.count) + " times)" : "");
      const std::string lines = wrapped(text, 4, options_.width);
      text_ += check.severity == Severity::error     ? paint_.red(lines)
               : check.severity == Severity::warning ? paint_.yellow(lines)
                                                     : paint_.dim(lines);
      if (check.suggestion)
        text_ += paint_.green(wrapped("cure: " + printable(check.suggestion->text), 6, options_.width));
    }
    if (kernel.checks.size() > most)
      text_ += paint_.dim(
          wrapped("and " + grouped(kernel.checks.size() - most) + " more; --json has them all", 4, options_.width));
  }

  void stopped(const findings::FaultReport& fault) {
    std::string where = fault.file.empty() ? "address " + fmt::format("0x{:04x}", fault.address)
                                           : shown_file(fault.file) + ":" + std::to_string(fault.line);
    text_ += paint_.red(wrapped("stopped at " + where + ", block " + grouped(fault.block) + ", thread " +
                                    grouped(fault.thread) + ": " + printable(fault.message) +
                                    (fault.message.ends_with('.') ? "" : ".") + " The figures hold what ran before.",
                                4, options_.width));
  }

  void lines_with_excess(const KernelDigest& kernel) {
    std::vector<const LineDigest*> shown;
    std::size_t left = 0;
    std::uint64_t left_excess = 0;
    for (const LineDigest& digest : kernel.lines) {
      if (digest.excess == 0) continue;
      if (options_.rows == 0 || shown.size() < options_.rows) {
        shown.push_back(&digest);
      } else {
        left++;
        left_excess += digest.excess;
      }
    }
    if (shown.empty()) return;
    const std::vector<std::string> rows = table(kernel, shown);
    line("    " + paint_.dim(rows[0]));
    std::string last_why;
    for (std::size_t i = 0; i < shown.size(); i++) {
      line("    " + rows[i + 1]);
      explain(*shown[i], last_why);
    }
    if (left > 0)
      line(paint_.dim("    and " + counted(left, "line", "lines") + " more with " + grouped(left_excess) +
                      " excess; --json has them all"));
  }

  /// Columns of a table of lines beside those that all have.
  enum class Figures { with_excess, without_excess, remapped };

  /// The table of `lines`, its header first, made to fit: without the excess (wavefronts - ideal), then with
  /// shorter places.
  std::vector<std::string> table(const KernelDigest& kernel, const std::vector<const LineDigest*>& lines,
                                 bool remapped = false) {
    std::size_t place_width = 60;
    const Figures least = remapped ? Figures::remapped : Figures::without_excess;
    for (const Figures figures : {remapped ? least : Figures::with_excess, least, least}) {
      std::vector<std::string> rows = table(kernel, lines, figures, place_width);
      std::size_t widest = 0;
      for (const std::string& row : rows) widest = std::max(widest, columns(row) + 4);
      if (widest <= options_.width) return rows;
      if (figures == Figures::with_excess) continue;
      std::size_t longest = 0;
      for (const LineDigest* digest : lines) longest = std::max(longest, columns(place(*digest->row)));
      const std::size_t over = widest - options_.width;
      place_width = longest > over + 10 ? longest - over : 10;
    }
    return table(kernel, lines, least, place_width);
  }

  static std::vector<std::string> table(const KernelDigest& kernel, const std::vector<const LineDigest*>& lines,
                                        Figures figures, std::size_t place_width) {
    constexpr auto left = Table::Align::left, right = Table::Align::right;
    Table table({left, left, left, right, right, right, right, right});
    std::vector<std::string> header{kernel.launch->has_lines ? "line" : "address", any_array(lines) ? "array" : "",
                                    "instruction", "executed", "wavefronts"};
    if (figures == Figures::remapped)
      header.insert(header.end(), {"remapped", "ideal"});
    else
      header.insert(header.end(), {"ideal", figures == Figures::with_excess ? "excess" : "", "worst"});
    table.row(std::move(header));
    for (const LineDigest* digest : lines) {
      std::vector<std::string> cells{
          shortened_front(place(*digest->row), place_width), shortened(printable(digest->row->array), 24),
          digest->mnemonic + (digest->instructions > 1 ? " x " + grouped(digest->instructions) : ""),
          grouped(digest->executed), grouped(digest->wavefronts)};
      if (figures == Figures::remapped)
        cells.insert(cells.end(), {grouped(digest->remapped_wavefronts), grouped(digest->remapped_ideal)});
      else
        cells.insert(cells.end(),
                     {grouped(digest->ideal), figures == Figures::with_excess ? grouped(digest->excess) : "",
                      std::to_string(digest->worst_degree)});
      table.row(std::move(cells));
    }
    return table.lines();
  }

  static bool any_array(const std::vector<const LineDigest*>& lines) {
    return std::any_of(lines.begin(), lines.end(),
                       [](const LineDigest* digest) { return !digest->row->array.empty(); });
  }

  void explain(const LineDigest& digest, std::string& last_why) {
    const InstructionReport& row = *digest.row;
    std::string why = printable(row.why);
    if (why != last_why && !why.empty()) text_ += wrapped(why, 6, options_.width);
    last_why = why;
    if (row.suggestion) {
      std::string cure = "cure: ";
      if (digest.instructions > 1)
        cure =
            digest.same_cure ? "cure, for each of the " + grouped(digest.instructions) + ": " : "cure, for the worst: ";
      text_ += paint_.green(wrapped(cure + printable(row.suggestion->text), 6, options_.width));
    }
    const std::size_t shown = telling_place(row);
    for (std::size_t i = 0; i <= row.inlined_at.size(); i++)
      if (i != shown)
        text_ +=
            paint_.dim(wrapped((i < shown ? "in " : "inlined at ") + place_text(place_at(row, i)), 6, options_.width));
    if (digest.timing_dependent)
      text_ +=
          paint_.yellow(wrapped("timing-dependent: how often this loop turns depends on how warps race; shown is the "
                                "count of this run, without contention between warps",
                                6, options_.width));
  }

  void unmodelled_lines(const KernelDigest& kernel) {
    for (const LineDigest& digest : kernel.lines) {
      if (digest.modelled) continue;
      text_ += paint_.yellow(wrapped("not modelled: " + place(*digest.row) + " " + digest.mnemonic + ", executed " +
                                         grouped(digest.executed) + ": " + printable(digest.row->why),
                                     4, options_.width));
    }
  }

  void clean_lines(const KernelDigest& kernel) {
    std::vector<std::string> places;
    std::uint64_t idle = 0;
    std::string last_file;
    for (const LineDigest& digest : kernel.lines) {
      if (!digest.modelled || digest.excess > 0) continue;
      if (digest.executed == 0) {
        idle += digest.instructions;
        continue;
      }
      const InstructionReport& row = *digest.row;
      std::string text = place(row);
      const std::string file = text.substr(0, text.rfind(':'));
      if (row.line != 0 && file == last_file) text.erase(0, file.size() + 1);
      last_file = row.line != 0 ? file : std::string();
      if (std::find(places.begin(), places.end(), text) == places.end()) places.push_back(text);
    }
    // Without lines a kernel of a template library has hundreds of addresses, and they say little.
    constexpr std::size_t most_addresses = 12;
    const std::size_t shown = !kernel.launch->has_lines ? std::min(places.size(), most_addresses) : places.size();
    std::string text;
    for (std::size_t i = 0; i < shown; i++) text += (text.empty() ? "clean: " : ", ") + places[i];
    if (shown < places.size()) text += " and " + grouped(places.size() - shown) + " more";
    if (idle > 0)
      text += (text.empty() ? "" : "; ") + counted(idle, "shared-memory instruction", "shared-memory instructions") +
              " not reached";
    if (!text.empty()) text_ += paint_.dim(wrapped(text, 4, options_.width));
  }

  /// What other layouts would make of it.
  void remaps(const KernelDigest& kernel) {
    for (const RemapDigest& remap : kernel.remaps) {
      const findings::RemapReport& sum = remap.sum;
      if (remap.refusals != 0) {
        text_ += paint_.yellow(wrapped("remap " + printable(sum.array) + "=" + printable(sum.layout) +
                                           " refused: " + printable(sum.refused) + ". " + printable(sum.remedy),
                                       4, options_.width));
        continue;
      }
      const std::string more =
          sum.bytes == sum.bytes_before ? "0 bytes more" : grouped(sum.bytes - sum.bytes_before) + " bytes more";
      items({"remap " + printable(sum.array) + ": " + printable(sum.description),
             grouped(sum.wavefronts_before) + " -> " + grouped(sum.wavefronts) + " wavefronts",
             grouped(sum.ideal) + " ideal", more},
            4, 5);
    }
    std::vector<const LineDigest*> lines;
    std::size_t left = 0;
    for (const LineDigest& line : kernel.lines) {
      if (!line.remapped) continue;
      if (options_.rows == 0 || lines.size() < options_.rows)
        lines.push_back(&line);
      else
        left++;
    }
    if (lines.empty()) return;
    const std::vector<std::string> rows = table(kernel, lines, true);
    line("      " + paint_.dim(rows[0]));
    for (std::size_t i = 1; i < rows.size(); i++) line("      " + rows[i]);
    if (left > 0) line(paint_.dim("      and " + counted(left, "line", "lines") + " more; --json has them all"));
  }

  const Paint& paint_;
  const KernelTextOptions& options_;
  std::string text_;
};

}  // namespace

std::string kernel_text(const KernelDigest& kernel, const Paint& paint, const KernelTextOptions& options) {
  return KernelWriter(paint, options).write(kernel);
}

}  // namespace lanebank::report
