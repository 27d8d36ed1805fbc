#include "report/github.hpp"

#include "base/words.hpp"
#include "report/escape.hpp"
#include "report/ranking.hpp"
#include "report/wording.hpp"

namespace lanebank::report {

using findings::Finding;

namespace {

constexpr std::size_t annotation_bytes = 1000;

/// After "::", or as a property in front of it.
std::string command_text(const std::string& text, bool is_property) {
  std::string result;
  for (const char c : cut(clean(text), annotation_bytes)) {
    if (c == '%')
      result += "%25";
    else if (is_property && (c == ':' || c == ','))
      result += c == ':' ? "%3A" : "%2C";
    else
      result += c;
  }
  return result;
}

std::string command(Severity severity, const findings::SourcePlace& place, const std::string& title,
                    const std::string& text) {
  std::string result = severity == Severity::error     ? "::error "
                       : severity == Severity::warning ? "::warning "
                                                       : "::notice ";
  if (is_own(place.file) && place.line != 0)
    result += "file=" + command_text(place.file, true) + ",line=" + std::to_string(place.line) + ",";
  return result + "title=" + command_text("lanebank: " + title, true) + "::" + command_text(text, false) + "\n";
}

std::string annotation(const FindingGroup& group) {
  const Finding& finding = *group.first;
  const findings::SourcePlace place = place_at(finding, telling_place(finding));
  std::string text = short_name(finding.kernel) + ": " + finding.message;
  if (!is_own(place.file) || place.line == 0) text = where_text(finding) + ": " + text;
  if (group.findings > 1) text += " (" + grouped(group.findings) + " findings like this in the line)";
  if (finding.suggestion) text += ". Cure: " + finding.suggestion->text;
  return command(finding.severity, place, std::string(findings::info(finding.rule).title), text);
}

}  // namespace

std::string write_github(const findings::ProgramReport& report, std::size_t most) {
  std::string text;
  std::size_t room = most;
  for (const Diagnostic& problem : report.problems) {
    if (room == 0) break;
    room--;
    text += command(problem.severity, {}, "cannot analyse",
                    (problem.where.empty() ? "" : problem.where + ": ") + problem.what + ". " + problem.remedy);
  }
  std::uint64_t annotated = 0;
  for (const FindingGroup& group : worst_groups(report, room)) {
    text += annotation(group);
    annotated += group.findings;
  }
  const Tally all = tally_of(report);
  std::string total = excess_text(report);
  if (all.all() > 0) total += "; " + tally_text(all) + ", " + grouped(all.excess) + " excess wavefronts";
  if (all.all() > annotated) total += "; the worst " + grouped(annotated) + " are annotated";
  return text + command(Severity::note, {}, "total", total);
}

}  // namespace lanebank::report
