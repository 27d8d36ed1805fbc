#include <nlohmann/json.hpp>

#include "verify/formats.hpp"

namespace lanebank::verify {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const std::optional<std::uint64_t>& figure) { return figure ? Json(*figure) : Json(nullptr); }

Json json_of(const Figures& figures) {
  return {{"executed", json_of(figures.executed)},
          {"threads", json_of(figures.threads)},
          {"wavefronts", json_of(figures.wavefronts)},
          {"ideal", json_of(figures.ideal)}};
}

Json json_of(const RowComparison& row) {
  Json json{{"address", row.instruction->address}};
  if (!row.instruction->function.empty()) json["function"] = row.instruction->function;
  json["sass"] = row.instruction->sass;
  json["kind"] = findings::spelled(row.instruction->kind);
  json["file"] = row.instruction->file;
  json["line"] = row.instruction->line;
  json["array"] = row.instruction->array;
  json["predicted"] = json_of(row.predicted);
  json["measured"] = row.measured ? json_of(*row.measured) : Json(nullptr);
  if (row.nway) json["n_way"] = *row.nway;
  json["verdict"] = spelled(row.verdict());
  json["cause"] = info(row.cause).spelled;
  json["explanation"] = row.explanation;
  return json;
}

Json json_of(const CounterComparison& counter) {
  return {{"metric", counter.metric},
          {"value", counter.value},
          {"source_page", counter.source_page},
          {"difference", counter.difference()},
          {"cause", info(counter.cause).spelled},
          {"explanation", counter.explanation}};
}

Json json_of(const Totals& totals) {
  return {{"rows", totals.rows},
          {"equal", totals.equal},
          {"explained", totals.explained},
          {"unexplained", totals.unexplained},
          {"predicted", json_of(totals.predicted)},
          {"measured", json_of(totals.measured)}};
}

Json json_of(const Diagnostic& problem) {
  return {{"id", problem.id}, {"where", problem.where}, {"what", problem.what}, {"remedy", problem.remedy}};
}

Json json_of(const LaunchComparison& launch) {
  Json rows = Json::array(), counters = Json::array();
  for (const RowComparison& row : launch.rows) rows.push_back(json_of(row));
  for (const CounterComparison& counter : launch.counters) counters.push_back(json_of(counter));
  Json json{
      {"id", launch.launch->id},           {"kernel", launch.launch->kernel},     {"symbol", launch.launch->symbol},
      {"arch", launch.launch->arch},       {"grid", launch.launch->grid},         {"block", launch.launch->block},
      {"compared", !launch.problem},       {"whole_kernel", launch.whole_kernel}, {"rows", std::move(rows)},
      {"totals", json_of(totals(launch))}, {"counters", std::move(counters)}};
  return json;
}

}  // namespace

std::string verify_json(const findings::ProgramReport& predicted, const Comparison& comparison) {
  Json launches = Json::array(), problems = Json::array();
  for (const LaunchComparison& launch : comparison.launches) launches.push_back(json_of(launch));
  for (const Diagnostic& problem : predicted.problems) problems.push_back(json_of(problem));
  for (const Diagnostic& problem : comparison.problems) problems.push_back(json_of(problem));
  const Json json{{"schema", "lanebank.verify/1"},
                  {"program", {{"command", predicted.command}, {"exit_code", predicted.exit_code}}},
                  {"compute_capability", comparison.capabilities},
                  {"launches", std::move(launches)},
                  {"not_measured", comparison.not_measured},
                  {"problems", std::move(problems)},
                  {"totals", json_of(comparison.total)}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lanebank::verify
