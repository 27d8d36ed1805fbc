#include <algorithm>
#include <cstdio>

#include "base/words.hpp"
#include "solve/proof_code.hpp"
#include "solve/solution_json.hpp"

namespace lanebank::solve {
namespace {

/// Names come from files: one line, printable, short.
std::string printable(const std::string& text, std::size_t most = 40) {
  std::string result;
  for (const char c : text.substr(0, most)) result += static_cast<unsigned char>(c) >= ' ' && c != 127 ? c : '?';
  return result + (text.size() > most ? ".." : "");
}

/// Rows of cells under a head; the first column is flush left, and so are those named in `left`.
class Table {
 public:
  Table(std::vector<std::string> head, std::vector<std::size_t> left) : left_(std::move(left)) {
    rows_.push_back(std::move(head));
  }
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  std::string text() const {
    std::vector<std::size_t> widths(rows_[0].size(), 0);
    for (const auto& row : rows_)
      for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    std::string result;
    for (const auto& row : rows_) {
      std::string line = "    ";
      for (std::size_t i = 0; i < row.size(); ++i) {
        const std::string blank(widths[i] - row[i].size(), ' ');
        const bool flush_left = i == 0 || std::find(left_.begin(), left_.end(), i) != left_.end();
        line += (i == 0 ? "" : "  ") + (flush_left ? row[i] + blank : blank + row[i]);
      }
      result += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return result;
  }

 private:
  std::vector<std::size_t> left_;
  std::vector<std::vector<std::string>> rows_;
};

std::string indented(const std::string& code) {
  std::string result;
  for (std::size_t at = 0; at < code.size();) {
    const std::size_t end = std::min(code.find('\n', at), code.size());
    if (end > at) result += "    " + code.substr(at, end - at);
    result += "\n";
    at = end + 1;
  }
  return result;
}

std::string extra(const Tile& tile, std::uint32_t bytes) { return "+" + grouped(bytes - tile.size_bytes()); }

class TextWriter {
 public:
  TextWriter(const Problem& problem, const Solution& solution, const Writing& writing)
      : problem_(problem), solution_(solution), writing_(writing) {}

  std::string run(const std::string& title) const {
    const Tile& tile = problem_.tile;
    std::string text = "lanebank solve  " + title + "   " + std::to_string(tile.rows) + " x " +
                       std::to_string(tile.columns) + " elements of " + std::to_string(tile.element_bytes) +
                       (tile.element_bytes == 1 ? " byte" : " bytes") + "\n\n";
    text += "  best: " + words(solution_.best.layout) + "\n";
    text += "    " + grouped(solution_.best.bytes) + " bytes (" + extra(tile, solution_.best.bytes) + "), " +
            std::to_string(solution_.best.index_instructions) + " index instructions (estimate), base aligned to " +
            std::to_string(solution_.best.layout.alignment_bytes()) + "\n\n";
    text += patterns() + "\n" + proof() + alternatives() + code();
    return text;
  }

 private:
  std::string words(const Layout& layout) const { return describe(layout, writing_.order, writing_.unit_bytes); }

  std::string plain(std::uint64_t wavefronts) const { return solution_.plain_counts ? grouped(wavefronts) : "-"; }

  std::string patterns() const {
    Table table({"pattern", "instruction", "executed", "plain", "best", "ideal", "bound", "worst"}, {1});
    for (std::size_t i = 0; i < solution_.patterns.size(); ++i) {
      const PatternFigures& row = solution_.patterns[i];
      const Pattern& pattern = problem_.patterns[i];
      table.add(
          {printable(row.name), std::string(pattern.instruction->name) + " " + std::to_string(pattern.access_bytes),
           grouped(pattern.repeat * pattern.accesses.size()), plain(row.plain_wavefronts), grouped(row.wavefronts),
           grouped(row.ideal), grouped(row.lower_bound), std::to_string(row.worst_degree)});
    }
    table.add({"total wavefronts", "", "", plain(solution_.plain_total), grouped(solution_.best.total_wavefronts),
               grouped(solution_.ideal_total), grouped(solution_.lower_bound), ""});
    return table.text() +
           (solution_.plain_counts ? "" : "    plain: row-major cannot serve these accesses (alignment)\n");
  }

  std::string proof() const {
    std::string text = solution_.optimal
                           ? "  optimal over " + solution_.optimal_over + ": " + solution_.certificate + "\n"
                           : "  " + solution_.certificate + "\n";
    if (!solution_.bound.empty()) text += "    not ideal: " + printable(solution_.bound, 600) + "\n";
    for (const WayOut& way : solution_.ways_out)
      text += "    way out: " + printable(way.what, 200) + ": " + grouped(way.total_wavefronts) + " instead of " +
              grouped(solution_.best.total_wavefronts) + " (" + words(way.layout) + ")\n";
    return text + "\n";
  }

  std::string alternatives() const {
    Table table({"family", "wavefronts", "of patterns", "bytes", "instructions", "layout"}, {2, 5});
    const auto add = [&](const std::string& name, const Candidate& candidate) {
      std::string each;
      for (const std::uint64_t wavefronts : candidate.wavefronts)
        each += (each.empty() ? "" : " + ") + grouped(wavefronts);
      if (each.size() > 40) each = "(" + std::to_string(candidate.wavefronts.size()) + " patterns)";
      table.add({name, grouped(candidate.total_wavefronts), each, extra(problem_.tile, candidate.bytes),
                 std::to_string(candidate.index_instructions), words(candidate.layout)});
    };
    add(std::string(name_of(solution_.best.layout.family())), solution_.best);
    for (const Candidate& candidate : solution_.alternatives)
      add(std::string(name_of(candidate.layout.family())), candidate);
    if (writing_.given) add("as given", *writing_.given);
    return "  the best of each family\n" + table.text() + "\n";
  }

  std::string code() const {
    const Notation code = code_of(problem_, solution_.best);
    std::string text = "  CUDA C++\n" + indented(code.cuda) + "\n  CuTe\n" + indented(code.cute + "\n") +
                       "\n  lanebank\n" + indented(code.lanebank);
    if (writing_.map) {
      text += "\n  map: byte address of each element, a line per row\n";
      const Layout& layout = solution_.best.layout;
      for (std::uint32_t row = 0; row < layout.tile().rows; ++row) {
        text += "   ";
        for (std::uint32_t column = 0; column < layout.tile().columns; ++column)
          text += " " + std::to_string(layout.offset(row, column));
        text += "\n";
      }
    }
    return text;
  }

  const Problem& problem_;
  const Solution& solution_;
  const Writing& writing_;
};

}  // namespace

std::string to_text(const Problem& problem, const Solution& solution, const std::string& title,
                    const Writing& writing) {
  return TextWriter(problem, solution, writing).run(title);
}

}  // namespace lanebank::solve
