#include "report/json.hpp"

#include "report/codec.hpp"

namespace lanebank::report {

using codec::Json;
using codec::Node;

namespace {

constexpr const char* schema = "lanebank.report/1";

/// The rows of a launch, those that a remap reaches with the figures that they would have.
Json write_rows(const findings::LaunchReport& launch, bool all_kinds) {
  Json json = Json::array();
  auto remapped = launch.remapped_rows.begin();
  for (std::size_t i = 0; i < launch.instructions->size(); i++) {
    const findings::InstructionReport& row = (*launch.instructions)[i];
    while (remapped != launch.remapped_rows.end() && remapped->row < i) ++remapped;
    if (!all_kinds && row.kind == findings::Kind::other) continue;
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
  return report;
}

}  // namespace

std::string write_json(const findings::ProgramReport& report, const JsonOptions& options) {
  Json launches = Json::array(), timing = Json::array(), problems = Json::array(), list = Json::array();
  for (const findings::LaunchReport& launch : report.launches) {
    findings::check_totals(launch);
    Json json = codec::write_head(launch, codec::Detail::report);
    json["instructions"] = write_rows(launch, options.all_instructions);
    launches.push_back(std::move(json));
    timing.push_back({{"id", launch.id}, {"seconds", launch.seconds}});
  }
  for (const Diagnostic& problem : report.problems) problems.push_back(codec::write(problem));
  for (const findings::Finding& finding : report.findings) list.push_back(codec::write(finding));
  Json json{{"schema", schema},
            {"program", {{"command", report.command}, {"exit_code", report.exit_code}}},
            {"launches", std::move(launches)}};
  if (options.timing) json["timing"] = std::move(timing);
  if (report.accepted.suppressed + report.accepted.in_baseline > 0)
    json["accepted"] = {{"suppressed", report.accepted.suppressed},
                        {"baseline", report.accepted.in_baseline},
                        {"excess", report.accepted.excess}};
  json["problems"] = std::move(problems);
  json["findings"] = std::move(list);
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
