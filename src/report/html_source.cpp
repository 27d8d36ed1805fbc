#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/words.hpp"
#include "report/escape.hpp"
#include "report/html_parts.hpp"
#include "report/wording.hpp"

namespace lanebank::report {
namespace {

constexpr std::uint32_t lines_around = 5;
constexpr std::size_t most_files = 4, most_source_rows = 400;

/// What the instructions of a source line cost together.
struct LineCost {
  std::uint64_t executed = 0, wavefronts = 0, ideal = 0, excess = 0;
  std::size_t first = 0;  ///< index of its line digest with most excess
  std::string told;       ///< titles of the rules that a check found broken there
};

using LineCosts = std::map<std::uint32_t, LineCost>;

class SourceView {
 public:
  SourceView(const KernelDigest& kernel, Sources& sources, const std::string& id, std::size_t accesses)
      : kernel_(kernel), sources_(sources), id_(id), accesses_(accesses) {}

  std::string write() {
    for (std::size_t i = 0; i < kernel_.lines.size(); i++) {
      const LineDigest& line = kernel_.lines[i];
      if (line.row->line == 0) continue;
      const findings::SourcePlace place = place_at(*line.row, telling_place(*line.row));
      const auto [at, is_new] = costs_[place.file].try_emplace(place.line);
      LineCost& cost = at->second;
      if (is_new) cost.first = i;
      cost.executed += line.executed;
      cost.wavefronts += line.wavefronts;
      cost.ideal += line.ideal;
      cost.excess += line.excess;
      most_ = std::max(most_, cost.wavefronts);
    }
    for (const findings::CheckReport* check : kernel_.checks) {
      tell(check->access, *check);
      if (check->earlier) tell(*check->earlier, *check);
    }
    std::string html;
    std::size_t files = 0;
    for (const auto& [file, costs] : ordered()) {
      if (files++ == most_files) {
        html += "<p>Further files are left out.</p>\n";
        break;
      }
      html += table(*file, *costs);
    }
    return html;
  }

 private:
  void tell(const findings::AccessPlace& place, const findings::CheckReport& check) {
    if (place.line == 0) return;
    std::string& told = costs_[place.file][place.line].told;
    const std::string title(findings::info(check.rule).title);
    if (told.find(title) == std::string::npos) told += (told.empty() ? "" : ", ") + title;
  }

  /// Files with most excess first.
  std::vector<std::pair<const std::string*, const LineCosts*>> ordered() const {
    std::vector<std::pair<const std::string*, const LineCosts*>> files;
    for (const auto& [file, costs] : costs_) files.emplace_back(&file, &costs);
    const auto excess = [](const LineCosts& costs) {
      std::uint64_t sum = 0;
      for (const auto& [line, cost] : costs) sum += cost.excess;
      return sum;
    };
    std::stable_sort(files.begin(), files.end(),
                     [&](const auto& a, const auto& b) { return excess(*a.second) > excess(*b.second); });
    return files;
  }

  std::string table(const std::string& file, const LineCosts& costs) {
    const SourceText* text = sources_.file(file);
    // A line behind the file's end: it is not the file that was compiled.
    if (text && costs.rbegin()->first > text->lines.size()) text = nullptr;
    std::string html = fmt::format(
        "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Source {0}\"><table class=\"source\">\n"
        "<caption>{0}{1}</caption>\n<thead><tr><th scope=\"col\" class=\"number\">Line</th><th scope=\"col\">Bar</th>"
        "<th scope=\"col\" class=\"number\">Wavefronts</th><th scope=\"col\" class=\"number\">Excess</th>"
        "<th scope=\"col\">Source</th></tr></thead>\n<tbody>\n",
        xml(cut(clean(shown_file(file)), 300)),
        text ? "" : ": the source is not at hand as it was compiled; only its lines are named");
    std::uint32_t last = 0;
    std::size_t rows = 0;
    for (auto at = costs.begin(); at != costs.end(); ++at) {
      if (rows > most_source_rows) {
        html += gap_row("further lines are left out");
        break;
      }
      const std::uint32_t line = at->first;
      if (text) {
        const std::uint32_t begin = std::max(last + 1, line > lines_around ? line - lines_around : 1);
        if (last != 0 && begin > last + 1) html += gap_row(counted(begin - last - 1, "line", "lines"));
        for (std::uint32_t n = begin; n < line; n++, rows++) html += row(n, nullptr, text);
      }
      html += row(line, &at->second, text);
      rows++;
      last = line;
      if (!text) continue;
      const auto next = std::next(at);
      std::uint32_t end = std::min<std::uint32_t>(line + lines_around, static_cast<std::uint32_t>(text->lines.size()));
      if (next != costs.end()) end = std::min(end, next->first - 1);
      for (std::uint32_t n = line + 1; n <= end; n++, rows++) html += row(n, nullptr, text);
      last = end;
    }
    return html + "</tbody></table></div>\n";
  }

  static std::string gap_row(const std::string& text) {
    return "<tr class=\"gap\"><th></th><td colspan=\"4\">" + text + "</td></tr>\n";
  }

  std::string row(std::uint32_t number, const LineCost* cost, const SourceText* text) const {
    std::string code = text ? "<code>" + xml(text->lines[number - 1]) + "</code>" : "";
    if (!cost)
      return fmt::format("<tr><th scope=\"row\">{}</th><td></td><td></td><td></td><td>{}</td></tr>\n", number, code);
    if (!cost->told.empty()) code += " <strong class=\"bad\">" + xml(cost->told) + "</strong>";
    const std::string excess = cost->excess == 0          ? "0"
                               : cost->first >= accesses_ ? grouped(cost->excess)
                                                          : fmt::format("<a class=\"bad\" href=\"#{}a{}\">{}</a>", id_,
                                                                        cost->first, grouped(cost->excess));
    return fmt::format(
        "<tr{}><th scope=\"row\">{}</th><td>{}</td><td class=\"number\">{}</td><td "
        "class=\"number\">{}</td><td>{}</td></tr>\n",
        cost->excess > 0 || !cost->told.empty() ? " class=\"row-excess\"" : "", number,
        html_bar(cost->wavefronts, cost->ideal, most_), grouped(cost->wavefronts), excess, code);
  }

  const KernelDigest& kernel_;
  Sources& sources_;
  const std::string& id_;
  std::size_t accesses_;
  std::map<std::string, LineCosts> costs_;
  std::uint64_t most_ = 0;
};

}  // namespace

std::string html_bar(std::uint64_t wavefronts, std::uint64_t ideal, std::uint64_t most) {
  constexpr double width = 160;
  if (wavefronts == 0 || most == 0) return "";
  const auto pixels = [&](std::uint64_t figure) {
    return std::max(1.0, width * static_cast<double>(figure) / static_cast<double>(most));
  };
  const double all = pixels(wavefronts), kept = ideal >= wavefronts ? all : pixels(ideal);
  return fmt::format(
      "<svg class=\"bar\" width=\"{0:.0f}\" height=\"12\" aria-hidden=\"true\"><rect class=\"bar-ideal\" "
      "width=\"{1:.1f}\" "
      "height=\"12\"/><rect class=\"bar-excess\" x=\"{1:.1f}\" width=\"{2:.1f}\" height=\"12\"/></svg>",
      width, kept, std::max(0.0, all - kept));
}

std::string html_source(const KernelDigest& kernel, Sources& sources, const std::string& id, std::size_t accesses) {
  return SourceView(kernel, sources, id, accesses).write();
}

}  // namespace lanebank::report
