#include <nlohmann/json.hpp>

#include "advise/fix_formats.hpp"
#include "solve/layout.hpp"

namespace lanebank::advise {
namespace {

using Json = nlohmann::ordered_json;

Json figures(const Figures& figures) {
  return {{"wavefronts", figures.wavefronts}, {"ideal", figures.ideal}, {"worst_degree", figures.worst_degree}};
}

Json lines(const std::vector<LineFigures>& lines) {
  Json all = Json::array();
  for (const LineFigures& line : lines)
    all.push_back({{"file", line.file},
                   {"line", line.line},
                   {"instruction", line.opcode},
                   {"executed", line.executions},
                   {"before", figures(line.before)},
                   {"after", figures(line.after)}});
  return all;
}

Json proposal(const FixProposal& fix) {
  const Proposal& proposal = fix.proposal;
  Json json = {{"layout", proposal.text},
               {"family", solve::name_of(proposal.layout.family())},
               {"after", figures(proposal.after)},
               {"more_bytes", proposal.more_bytes},
               {"index_instructions", proposal.index_instructions},
               {"blocks_before", proposal.occupancy.before},
               {"blocks_after", proposal.occupancy.after},
               {"lines", lines(proposal.lines)}};
  if (fix.edit) {
    json["edit"] = {{"declaration", fix.edit->declaration}, {"definition", fix.edit->definition}};
  } else {
    json["edit"] = nullptr;
    json["no_edit"] = fix.no_edit;
    json["code"] = fix.code;
    json["accesses"] = Json::array();
    for (const AccessLine& access : fix.accesses)
      json["accesses"].push_back({{"line", access.line}, {"text", access.text}});
  }
  json["trial"] = {{"state", name_of(fix.trial.state)}};
  if (!fix.trial.reason.empty()) json["trial"]["reason"] = fix.trial.reason;
  if (fix.trial.wavefronts) json["trial"]["wavefronts"] = *fix.trial.wavefronts;
  return json;
}

Json array(const ArrayFix& fix) {
  const ArrayRuns& runs = fix.array;
  Json json = {{"array", runs.name},
               {"kernels", runs.kernels},
               {"file", runs.file},
               {"line", fix.line},
               {"bytes", runs.size_bytes},
               {"shape",
                {{"sizes", fix.shape.declared.sizes},
                 {"element_bytes", fix.shape.declared.element_bytes},
                 {"element", fix.shape.declared.element},
                 {"source", name_of(fix.shape.source)}}},
               {"verdict", name_of(fix.verdict)},
               {"message", fix.message},
               {"before", figures(fix.before)},
               {"lines", lines(fix.lines)},
               {"proposals", Json::array()},
               {"ways_out", fix.ways_out}};
  if (fix.worth)
    json["worth"] = {{"gpu", fix.worth->gpu},
                     {"seconds", fix.worth->seconds},
                     {"after_seconds", fix.worth->after_seconds},
                     {"at_most_saved_seconds", fix.worth->at_most_seconds},
                     {"binds", findings::name_of(fix.worth->binds).spelled}};
  for (const FixProposal& one : fix.proposals) json["proposals"].push_back(proposal(one));
  return json;
}

}  // namespace

std::string fix_json(const FixReport& report) {
  Json json = {{"schema", "lanebank.fix/1"},
               {"program", {{"command", report.command}}},
               {"wavefronts", report.wavefronts_before},
               {"wavefronts_rebuilt", nullptr},
               {"built", report.built},
               {"applied", report.applied},
               {"arrays", Json::array()},
               {"diff", report.diff}};
  if (report.wavefronts_after) json["wavefronts_rebuilt"] = *report.wavefronts_after;
  for (const ArrayFix& one : report.arrays) json["arrays"].push_back(array(one));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lanebank::advise
