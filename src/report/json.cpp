#include "report/json.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "report/codec.hpp"
#include "report/ranking.hpp"

namespace lanebank::report {

using codec::Json;
using codec::Node;
using findings::Finding;
using findings::LaunchReport;

namespace {

constexpr const char* schema = "lanebank.report/1";

/// The rows of a launch that are wanted, those that a remap reaches with the figures that they would have.
template <class Wanted>
Json write_rows(const LaunchReport& launch, Wanted wanted) {
  Json json = Json::array();
  auto remapped = launch.remapped_rows.begin();
  for (std::size_t i = 0; i < launch.instructions->size(); i++) {
    const findings::InstructionReport& row = (*launch.instructions)[i];
    while (remapped != launch.remapped_rows.end() && remapped->row < i) ++remapped;
    if (!wanted(row)) continue;
    json.push_back(codec::write(row, codec::Detail::report));
    if (remapped == launch.remapped_rows.end() || remapped->row != i) continue;
    json.back()["remapped_wavefronts"] = remapped->wavefronts;
    json.back()["remapped_ideal"] = remapped->ideal;
    json.back()["remapped_worst_degree"] = remapped->worst_degree;
  }
  return json;
}

void read_remapped(const Node& rows, findings::LaunchReport& launch) {
  for (std::size_t i = 0; i < rows.size(); i++) {
    const Node row = rows.at(i);
    if (row.has("remapped_wavefronts"))
      launch.remapped_rows.push_back({static_cast<std::uint32_t>(i), row.at("remapped_wavefronts").whole(),
                                      row.at("remapped_ideal").whole(),
                                      row.at("remapped_worst_degree").as<std::uint32_t>()});
  }
}

findings::ProgramReport read(const Json& json) {
  const Node root(json, "");
  if (root.at("schema").text() != schema) root.at("schema").mismatch(schema);
  findings::ProgramReport report;
  const Node command = root.at("program").at("command");
  for (std::size_t i = 0; i < command.size(); i++) report.command.push_back(command.at(i).text());
  report.exit_code = static_cast<int>(root.at("program").at("exit_code").whole(255));
  const Node launches = root.at("launches");
  for (std::size_t i = 0; i < launches.size(); i++) {
    findings::LaunchReport launch = codec::read_head(launches.at(i));
    launch.instructions = std::make_shared<findings::Instructions>(codec::read_rows(launches.at(i).at("instructions")));
    read_remapped(launches.at(i).at("instructions"), launch);
    report.launches.push_back(std::move(launch));
  }
  if (root.has("timing")) {
    const Node timing = root.at("timing");
    for (std::size_t i = 0; i < timing.size(); i++) {
      const std::uint64_t id = timing.at(i).at("id").whole();
      for (findings::LaunchReport& launch : report.launches)
        if (launch.id == id) launch.seconds = timing.at(i).at("seconds").number();
    }
  }
  if (root.has("accepted")) {
    const Node accepted = root.at("accepted");
    report.accepted = {accepted.at("suppressed").whole(), accepted.at("baseline").whole(),
                       accepted.at("excess").whole()};
  }
  const Node problems = root.at("problems");
  for (std::size_t i = 0; i < problems.size(); i++) report.problems.push_back(codec::read_diagnostic(problems.at(i)));
  const Node list = root.at("findings");
  for (std::size_t i = 0; i < list.size(); i++) report.findings.push_back(codec::read_finding(list.at(i)));
  if (root.has("left_out")) report.left_out_findings = root.at("left_out").at("findings").whole();
  return report;
}

struct Parts {
  Json launches = Json::array(), timing = Json::array(), findings = Json::array();

  void add(const LaunchReport& launch, Json rows) {
    Json json = codec::write_head(launch, codec::Detail::report);
    json["instructions"] = std::move(rows);
    launches.push_back(std::move(json));
    timing.push_back({{"id", launch.id}, {"seconds", launch.seconds}});
  }
};

Parts all_parts(const findings::ProgramReport& report, const JsonOptions& options) {
  Parts parts;
  const auto wanted = [&](const findings::InstructionReport& row) {
    return options.all_instructions || row.kind != findings::Kind::other;
  };
  for (const LaunchReport& launch : report.launches) parts.add(launch, write_rows(launch, wanted));
  for (const Finding& finding : report.findings) parts.findings.push_back(codec::write(finding));
  return parts;
}

/// The worst findings that `most_bytes` has room for, what they speak of, and nothing else.
Parts worst_parts(const findings::ProgramReport& report, const JsonOptions& options) {
  const auto bytes_of = [](const Json& json) { return codec::dump(json, 1).size(); };
  std::map<std::uint64_t, const LaunchReport*> launch_of;
  for (const LaunchReport& launch : report.launches) launch_of[launch.id] = &launch;
  std::map<const Finding*, Json> chosen;  // in the order of the report
  std::map<std::uint64_t, std::set<std::pair<std::string_view, std::uint32_t>>>
      rows_of;  // by launch: what is spoken of
  std::size_t bytes = 0;
  for (const Finding* finding : worst_findings(report, options.most_findings)) {
    Json json = codec::write(*finding);
    bytes += bytes_of(json);
    const auto [rows, is_new] = rows_of.try_emplace(finding->launch);
    if (is_new)
      if (const auto at = launch_of.find(finding->launch); at != launch_of.end())
        bytes += bytes_of(codec::write_head(*at->second, codec::Detail::report));
    rows->second.emplace(finding->function, finding->address);
    chosen.emplace(finding, std::move(json));
    if (bytes > options.most_bytes) break;
  }
  Parts parts;
  for (const LaunchReport& launch : report.launches) {
    const auto rows = rows_of.find(launch.id);
    if (rows == rows_of.end()) continue;
    parts.add(launch, write_rows(launch, [&](const findings::InstructionReport& row) {
                return rows->second.contains({row.function, row.address});
              }));
  }
  for (auto& [finding, json] : chosen) parts.findings.push_back(std::move(json));
  return parts;
}

}  // namespace

std::string write_json(const findings::ProgramReport& report, const JsonOptions& options) {
  for (const LaunchReport& launch : report.launches) findings::check_totals(launch);
  const bool is_cut = !options.all_findings && report.findings.size() > options.most_findings;
  Parts parts = is_cut ? worst_parts(report, options) : all_parts(report, options);
  Json problems = Json::array();
  for (const Diagnostic& problem : report.problems) problems.push_back(codec::write(problem));
  Json json{{"schema", schema},
            {"program", {{"command", report.command}, {"exit_code", report.exit_code}}},
            {"launches", std::move(parts.launches)}};
  if (options.timing) json["timing"] = std::move(parts.timing);
  if (report.accepted.suppressed + report.accepted.in_baseline > 0)
    json["accepted"] = {{"suppressed", report.accepted.suppressed},
                        {"baseline", report.accepted.in_baseline},
                        {"excess", report.accepted.excess}};
  json["problems"] = std::move(problems);
  if (is_cut)
    json["left_out"] = {{"findings", report.findings.size() - parts.findings.size()},
                        {"launches", report.launches.size() - json["launches"].size()}};
  json["findings"] = std::move(parts.findings);
  return codec::dump(json, 1) + "\n";
}

Result<findings::ProgramReport> read_json(std::string_view text) {
  try {
    return read(codec::parse(text));
  } catch (const codec::Mismatch& mismatch) {
    return fail("report.shape", mismatch.where, mismatch.what, "The file is no report of this version of lanebank.");
  }
}

}  // namespace lanebank::report
