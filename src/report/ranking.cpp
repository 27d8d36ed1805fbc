#include "report/ranking.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_set>

#include "base/words.hpp"
#include "report/wording.hpp"

namespace lanebank::report {

using findings::Finding;

std::vector<const Finding*> worst_findings(const findings::ProgramReport& report, std::size_t limit) {
  struct Weighed {
    Severity severity;
    std::uint64_t excess;
    const Finding* finding;
  };
  std::vector<Weighed> all;
  all.reserve(report.findings.size());
  for (const Finding& finding : report.findings)
    all.push_back({finding.severity, finding.excess() * finding.evidence.launches, &finding});
  const auto end = all.begin() + static_cast<std::ptrdiff_t>(std::min(limit, all.size()));
  std::partial_sort(all.begin(), end, all.end(), [](const Weighed& a, const Weighed& b) {
    if (a.severity != b.severity) return a.severity > b.severity;
    return a.excess != b.excess ? a.excess > b.excess : a.finding < b.finding;
  });
  std::vector<const Finding*> worst;
  for (auto at = all.begin(); at != end; ++at) worst.push_back(at->finding);
  return worst;
}

std::vector<FindingGroup> worst_groups(const findings::ProgramReport& report, std::size_t limit, std::size_t reach) {
  std::vector<FindingGroup> groups;
  std::map<std::tuple<Severity, findings::Rule, std::string_view, std::string, std::string_view>, std::size_t> index;
  for (const Finding* finding : worst_findings(report, reach)) {
    const auto [at, is_new] = index.try_emplace(
        {finding->severity, finding->rule, finding->kernel, where_text(*finding), finding->evidence.array},
        groups.size());
    if (is_new) groups.push_back({finding, 0, 0});
    groups[at->second].findings++;
    groups[at->second].excess += finding->excess() * finding->evidence.launches;
  }
  std::stable_sort(groups.begin(), groups.end(), [](const FindingGroup& a, const FindingGroup& b) {
    return std::pair(a.first->severity, a.excess) > std::pair(b.first->severity, b.excess);
  });
  if (groups.size() > limit) groups.resize(limit);
  return groups;
}

void Tally::add(const Finding& finding) {
  of_severity[static_cast<std::size_t>(finding.severity)]++;
  excess += finding.excess() * finding.evidence.launches;
}

Tally tally_of(const findings::ProgramReport& report) {
  Tally tally;
  for (const Finding& finding : report.findings) tally.add(finding);
  return tally;
}

std::string tally_text(const Tally& tally) {
  const auto& [notes, warnings, errors] = tally.of_severity;
  std::string text;
  if (errors > 0) text += counted(errors, "error", "errors");
  if (warnings > 0) text += (text.empty() ? "" : ", ") + counted(warnings, "warning", "warnings");
  if (notes > 0) text += (text.empty() ? "" : ", ") + counted(notes, "note", "notes");
  return text;
}

std::string excess_text(const findings::ProgramReport& report) {
  if (report.launches.empty())
    return report.filtered_launches > 0 ? "nothing was analysed: the filters left every launch out"
                                        : "nothing was analysed: no kernel was launched";
  std::unordered_set<std::string_view> all, in_excess;
  for (const findings::LaunchReport& launch : report.launches) {
    all.insert(launch.symbol);
    if (launch.shared.excess > 0) in_excess.insert(launch.symbol);
  }
  if (in_excess.empty()) return counted(all.size(), "kernel", "kernels") + ", no excess wavefronts";
  return grouped(in_excess.size()) + " of " + counted(all.size(), "kernel", "kernels") +
         (in_excess.size() == 1 ? " has" : " have") + " excess wavefronts";
}

}  // namespace lanebank::report
