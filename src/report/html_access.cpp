#include <fmt/format.h>

#include "base/words.hpp"
#include "picture/svg.hpp"
#include "picture/words.hpp"
#include "report/access_picture.hpp"
#include "report/escape.hpp"
#include "report/html_parts.hpp"
#include "report/wording.hpp"

namespace lanebank::report {

using findings::InstructionReport;
using findings::WorstAccess;

namespace {

constexpr std::size_t html_sentence_bytes = 1500;

std::string sentence(const std::string& text) { return xml(cut(clean(text), html_sentence_bytes)); }

std::string figure(const WorstAccess& access, const InstructionReport& row, const findings::RowLayout* layout,
                   const std::string& caption, const std::string& id) {
  const picture::Picture picture = access_picture(access, row.kind, layout, caption);
  if (picture.grids.empty()) return "";
  picture::SvgOptions options;
  options.max_rows = options.max_columns = 32;  // still legible at half of a page's width
  options.width = 1000;
  options.part_of_page = id;
  return fmt::format(
      "<figure><figcaption>{}: {}</figcaption><div class=\"scroll\" role=\"region\" tabindex=\"0\" "
      "aria-label=\"Picture: "
      "{}\">\n{}</div></figure>\n",
      xml(caption), xml(picture.description), xml(caption), picture::draw_svg(picture, options));
}

std::string lanes_table(const WorstAccess& access) {
  std::string html =
      "<div class=\"scroll\"><table><caption>Lanes of this access</caption><thead><tr><th scope=\"col\" "
      "class=\"number\">Lane</th><th scope=\"col\" class=\"number\">Byte address</th><th scope=\"col\" "
      "class=\"number\">Bank</th><th scope=\"col\" class=\"number\">Phase</th><th scope=\"col\">Meets "
      "others</th></tr></thead>"
      "<tbody>\n";
  for (const LaneOfAccess& lane : lanes_of(access))
    html += fmt::format(
        "<tr><th scope=\"row\" class=\"number\">{}</th><td class=\"number\">{}</td><td class=\"number\">{}</td><td "
        "class=\"number\">{}</td><td>{}</td></tr>\n",
        lane.lane, grouped(lane.byte), lane.bank, lane.phase == 0 ? "" : std::to_string(lane.phase),
        lane.meets ? "yes" : "");
  return html + "</tbody></table></div>\n";
}

std::string phases_table(const WorstAccess& access) {
  std::string html =
      "<div class=\"scroll\"><table><caption>Phases: lanes that are served together</caption><thead><tr><th "
      "scope=\"col\" "
      "class=\"number\">Phase</th><th scope=\"col\">Lanes</th><th scope=\"col\" class=\"number\">Wavefronts</th><th "
      "scope=\"col\" class=\"number\">Fullest bank</th><th scope=\"col\">Lanes that meet "
      "there</th></tr></thead><tbody>\n";
  for (std::size_t i = 0; i < access.phases.size(); i++) {
    const findings::Phase& phase = access.phases[i];
    html += fmt::format(
        "<tr><th scope=\"row\" class=\"number\">{}</th><td>{}</td><td class=\"number\">{}</td><td "
        "class=\"number\">{}</td>"
        "<td>{}</td></tr>\n",
        i + 1, picture::lanes_text(phase.lanes), phase.degree, phase.bank,
        phase.colliding_lanes == 0 ? "none" : picture::lanes_text(phase.colliding_lanes));
  }
  return html + "</tbody></table></div>\n";
}

std::string chain(const InstructionReport& row) {
  const std::size_t shown = telling_place(row);
  std::string html;
  for (std::size_t i = 0; i <= row.inlined_at.size(); i++)
    if (i != shown)
      html += fmt::format("<p class=\"facts\">{} {}</p>\n", i < shown ? "in" : "inlined at",
                          sentence(place_text(place_at(row, i))));
  return html;
}

/// The rows of the array as declared: those of the cure without it.
std::optional<findings::RowLayout> declared_rows(const InstructionReport& row) {
  if (!row.suggestion || !row.suggestion->layout) return std::nullopt;
  return findings::RowLayout{row.suggestion->layout->row_bytes, 0, 0, 1};
}

}  // namespace

std::string html_access(const LineDigest& line, const std::string& id) {
  const InstructionReport& row = *line.row;
  const std::string where =
      row.line == 0 ? instruction_text(row.address) : place_text(place_at(row, telling_place(row)));
  std::string html = fmt::format(
      "<article id=\"{0}\" aria-labelledby=\"{0}h\"><h3 id=\"{0}h\"><code>{1}</code> {2}{3}</h3>\n<p "
      "class=\"facts\"><span>{4} "
      "executed</span> <span>{5} wavefronts</span> <span>{6} ideal</span> <span class=\"bad\">{7} excess</span> "
      "<span>worst "
      "degree {8}</span></p>\n",
      id, sentence(where), sentence(line.mnemonic),
      (line.instructions > 1 ? " &#215; " + grouped(line.instructions) : "") +
          (row.array.empty() ? "" : " on <code>" + sentence(row.array) + "</code>"),
      grouped(line.executed), grouped(line.wavefronts), grouped(line.ideal), grouped(line.excess), line.worst_degree);
  if (!row.why.empty()) html += "<p>" + sentence(row.why) + "</p>\n";
  if (row.suggestion) html += "<p class=\"cure\">Cure: " + sentence(row.suggestion->text) + "</p>\n";
  html += chain(row);
  if (line.timing_dependent)
    html +=
        "<p>Timing-dependent: how often this loop turns depends on how warps race; shown is the count of this "
        "run.</p>\n";
  if (row.worst) {
    const auto declared = declared_rows(row);
    html += "<div class=\"pictures\">" + figure(*row.worst, row, declared ? &*declared : nullptr, "As it is", id + "b");
    if (row.suggestion && row.suggestion->after)
      html += figure(*row.suggestion->after, row, &*row.suggestion->layout, "Under the cure", id + "c");
    html += "</div>\n";
    html += "<details><summary>Lanes and phases as tables</summary><div class=\"tables\"><div>" +
            lanes_table(*row.worst) + "</div><div>" + phases_table(*row.worst) + "</div></div></details>\n";
  }
  return html + "</article>\n";
}

}  // namespace lanebank::report
