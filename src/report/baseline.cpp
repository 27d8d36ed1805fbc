#include "report/baseline.hpp"

#include <map>
#include <tuple>

#include "base/words.hpp"
#include "report/codec.hpp"
#include "report/fingerprint.hpp"
#include "report/json.hpp"
#include "report/wording.hpp"

namespace lanebank::report {

using codec::Json;
using findings::Finding;

namespace {

constexpr const char* baseline_schema = "lanebank.baseline/1";

Result<findings::Baseline> of_report(std::string_view text, const std::string& name) {
  const auto report = read_json(text);
  if (!report) return tl::unexpected(report.error());
  if (report->left_out_findings > 0)
    return fail("baseline.cut", name, "leaves " + counted(report->left_out_findings, "finding", "findings") + " out",
                "Write it with --write-baseline, or with --json and --all-findings.");
  return findings::baseline_of(report->findings);
}

}  // namespace

std::string write_baseline(const std::vector<Finding>& findings, Sources& sources) {
  std::map<std::tuple<std::string, std::string, std::string>, Json> entries;
  for (const Finding& finding : findings) {
    const findings::SourcePlace place = place_at(finding, telling_place(finding));
    const std::string mark = hex(fingerprint(finding, sources));
    Json& entry = entries[{place.file, finding.kernel, mark}];
    if (entry.is_null()) {
      entry = {{"fingerprint", mark},
               {"rule", findings::info(finding.rule).spelled},
               {"kernel", finding.kernel},
               {"file", place.file},
               {"array", finding.evidence.array}};
      if (const std::string* line = place.line == 0 ? nullptr : sources.line(place.file, place.line))
        entry["text"] = line->substr(std::min(line->size(), line->find_first_not_of(' ')));
      entry["excess"] = std::uint64_t{0};
    }
    entry["excess"] = entry["excess"].get<std::uint64_t>() + finding.excess() * finding.evidence.launches;
  }
  std::string text = "{\"schema\":\"" + std::string(baseline_schema) + "\",\"findings\":[";
  const char* between = "\n";
  for (const auto& [key, entry] : entries) {
    text += between + codec::dump(entry);
    between = ",\n";
  }
  return text + "\n]}\n";
}

Result<findings::Baseline> read_baseline(std::string_view text, const std::string& name,
                                         std::shared_ptr<Sources> sources) {
  try {
    const Json json = codec::parse(text);
    const codec::Node root(json, "");
    if (!root.has("schema") || root.at("schema").text() != baseline_schema) return of_report(text, name);
    findings::Baseline baseline;
    baseline.identity = [sources](const Finding& finding) { return hex(fingerprint(finding, *sources)); };
    const codec::Node entries = root.at("findings");
    for (std::size_t i = 0; i < entries.size(); ++i)
      baseline.excess[entries.at(i).at("fingerprint").text()] += entries.at(i).at("excess").whole(1ull << 62);
    return baseline;
  } catch (const codec::Mismatch& mismatch) {
    return fail("baseline.shape", name + (mismatch.where.empty() ? "" : ", " + mismatch.where), mismatch.what,
                "The file is neither a baseline nor a report of this version of lanebank.");
  }
}

}  // namespace lanebank::report
