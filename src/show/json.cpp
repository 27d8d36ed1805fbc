#include "show/json.hpp"

#include <nlohmann/json.hpp>

namespace lanebank::show {
namespace {

using Json = nlohmann::ordered_json;

Json lanes_json(std::uint32_t lanes) {
  Json list = Json::array();
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane)
    if ((lanes >> lane & 1) != 0) list.push_back(lane);
  return list;
}

Json bits_json(std::uint32_t bits) { return lanes_json(bits); }

Json phase_json(const Phase& phase) {
  Json words = Json::array();
  for (unsigned i = 0; i < phase.meeting.word_count; ++i)
    words.push_back(
        {{"byte", phase.meeting.words[i].address_bytes}, {"lanes", lanes_json(phase.meeting.words[i].lanes)}});
  return {{"lanes", lanes_json(phase.group.lanes)},
          {"degree", phase.group.degree},
          {"varying_bits", bits_json(phase.varying_bits)},
          {"bits_missing_the_bank_field", bits_json(phase.varying_bits & ~(bank_row_bytes - 1))},
          {"words", phase.words},
          {"banks", phase.banks},
          {"worst_bank", phase.meeting.bank},
          {"words_of_worst_bank", std::move(words)}};
}

Json figures_json(const Figures& figures) {
  if (!figures.served || !figures.modelled)
    return {{"served", figures.served},
            {"modelled", figures.modelled},
            {"why", figures.why},
            {"wavefronts", nullptr},
            {"ideal", nullptr}};
  return {{"served", true},
          {"modelled", true},
          {"wavefronts", figures.wavefronts},
          {"ideal", figures.ideal},
          {"excess", figures.wavefronts - figures.ideal},
          {"worst_degree", figures.worst_degree}};
}

Json worst_json(const Answer& answer, const AccessAnswer& access) {
  const Figures& figures = answer.shown_figures(access);
  if (!figures.modelled || !figures.served) return nullptr;
  const Analysis analysis =
      worst_of(access, answer.array_of(access), answer.shown_arrangement(access), figures, answer.architecture);
  const WarpPlaces& places = access.accesses.instances[figures.worst];
  Json lanes = Json::array(), phases = Json::array();
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane)
    if ((places.active >> lane & 1) != 0)
      lanes.push_back({{"lane", lane},
                       {"byte", analysis.access.addresses[lane]},
                       {"bank", bank_of(analysis.access.addresses[lane])}});
  for (const Phase& phase : analysis.phases) phases.push_back(phase_json(phase));
  Json result = {{"warp", places.warp},          {"wavefronts", analysis.cost.wavefronts},
                 {"ideal", analysis.cost.ideal}, {"paired", analysis.cost.paired},
                 {"why", why_text(analysis)},    {"lanes", std::move(lanes)},
                 {"phases", std::move(phases)}};
  if (const std::string turn = answer.scope.turn_text(places.turn); !turn.empty()) result["loops"] = turn;
  return result;
}

Json access_json(const Answer& answer, const AccessAnswer& access) {
  const Accesses& accesses = access.accesses;
  Json result = {{"name", accesses.name},
                 {"text", accesses.text},
                 {"array", answer.array_of(access).array.name},
                 {"instruction", std::string(accesses.instruction->name)},
                 {"lane_bytes", accesses.lane_bytes},
                 {"instances", accesses.instances.size()},
                 {"repeat", accesses.repeat},
                 {"as_written", figures_json(access.written)}};
  if (access.given) result["with_the_layout"] = figures_json(*access.given);
  result["worst"] = worst_json(answer, access);
  return result;
}

Json array_json(const Answer& answer, const ArrayAnswer& array) {
  Json cures = Json::array();
  for (const Cure& cure : array.cures) {
    Json accesses = Json::array();
    for (std::size_t i = 0; i < array.accesses.size(); ++i)
      accesses.push_back({{"name", answer.accesses[array.accesses[i]].accesses.name},
                          {"wavefronts", cure.figures[i].wavefronts},
                          {"ideal", cure.figures[i].ideal}});
    cures.push_back({{"family", cure.family},
                     {"layout", cure.text},
                     {"wavefronts", cure.wavefronts},
                     {"bytes", cure.arrangement.bytes},
                     {"more_bytes", cure.more_bytes},
                     {"accesses", std::move(accesses)}});
  }
  Json result = {{"name", array.array.name},
                 {"type", std::string(array.array.type->name)},
                 {"element_bytes", array.array.element_bytes()},
                 {"rows", array.tile.rows},
                 {"columns", array.tile.columns},
                 {"base_bytes", array.array.base_bytes},
                 {"declared", array.array.given}};
  if (array.given) {
    result["layout"] = {{"text", array.given->text},
                        {"bytes", array.given->bytes},
                        {"widest_whole_vector_bytes", array.given->fault ? 0 : widest_vector_bytes(*array.given)}};
    if (array.given->fault) result["layout"]["fault"] = *array.given->fault;
  }
  result["cures"] = std::move(cures);
  if (!array.cure_note.empty()) result["note"] = array.cure_note;
  return result;
}

}  // namespace

std::string write_json(const Answer& answer) {
  Json arrays = Json::array(), accesses = Json::array();
  for (const ArrayAnswer& array : answer.arrays) arrays.push_back(array_json(answer, array));
  for (const AccessAnswer& access : answer.accesses) accesses.push_back(access_json(answer, access));
  const Json result = {{"schema", "lanebank.show/1"},
                       {"architecture", "sm_" + std::to_string(answer.architecture)},
                       {"block", {answer.block.x, answer.block.y, answer.block.z}},
                       {"loops", answer.turns},
                       {"accesses", std::move(accesses)},
                       {"arrays", std::move(arrays)},
                       {"notes", answer.notes}};
  return result.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace lanebank::show
