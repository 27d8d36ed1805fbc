#include "report/codec_access.hpp"

namespace lanebank::report::codec {

using namespace findings;

namespace {

Json write(const SourcePlace& place) {
  Json json{{"file", place.file}, {"line", place.line}};
  if (!place.function.empty()) json["function"] = place.function;
  return json;
}

SourcePlace read_place(const Node& node) {
  SourcePlace place{node.at("file").text(), node.at("line").as<std::uint32_t>(), {}};
  if (node.has("function")) place.function = node.at("function").text();
  return place;
}

}  // namespace

Json write(const std::vector<SourcePlace>& places) {
  Json json = Json::array();
  for (const SourcePlace& place : places) json.push_back(write(place));
  return json;
}

std::vector<SourcePlace> read_places(const Node& node) {
  std::vector<SourcePlace> places;
  for (std::size_t i = 0; i < node.size(); i++) places.push_back(read_place(node.at(i)));
  return places;
}

Json write(const WorstAccess& worst) {
  Json addresses = Json::array();
  for (unsigned lane = 0; lane < 32; lane++)
    addresses.push_back(worst.mask >> lane & 1 ? Json(worst.addresses[lane]) : Json(nullptr));
  Json lanes = Json::array();
  for (std::uint8_t lane : worst.lanes) lanes.push_back(lane);
  Json phases = Json::array();
  for (const Phase& phase : worst.phases)
    phases.push_back({{"lane_mask", phase.lanes},
                      {"degree", phase.degree},
                      {"bank", phase.bank},
                      {"colliding_mask", phase.colliding_lanes}});
  return {{"block", worst.block},
          {"warp", worst.warp},
          {"lane_bytes", worst.lane_bytes},
          {"addresses", addresses},
          {"bank", worst.bank},
          {"lanes", lanes},
          {"wavefronts", worst.wavefronts},
          {"ideal", worst.ideal},
          {"phases", phases},
          {"counts_lanes", worst.counts_lanes},
          {"array_byte", worst.array_byte},
          {"array_bytes", worst.array_bytes}};
}

WorstAccess read_worst(const Node& node) {
  WorstAccess worst;
  worst.block = node.at("block").whole();
  worst.warp = node.at("warp").as<std::uint32_t>();
  worst.lane_bytes = node.at("lane_bytes").as<std::uint32_t>();
  const Node addresses = node.at("addresses");
  if (addresses.size() != 32) addresses.mismatch("32 addresses");
  for (unsigned lane = 0; lane < 32; lane++) {
    const Node address = addresses.at(lane);
    if (address.is_null()) continue;
    worst.mask |= 1u << lane;
    worst.addresses[lane] = address.as<std::uint32_t>();
  }
  worst.bank = node.at("bank").as<std::uint32_t>();
  const Node lanes = node.at("lanes");
  for (std::size_t i = 0; i < lanes.size(); i++)
    worst.lanes.push_back(static_cast<std::uint8_t>(lanes.at(i).whole(31)));
  worst.wavefronts = node.at("wavefronts").as<std::uint32_t>();
  worst.ideal = node.at("ideal").as<std::uint32_t>();
  if (!node.has("phases")) return worst;  // as it was written before these keys came
  const Node phases = node.at("phases");
  for (std::size_t i = 0; i < phases.size(); i++) {
    const Node phase = phases.at(i);
    worst.phases.push_back({phase.at("lane_mask").as<std::uint32_t>(), phase.at("degree").as<std::uint32_t>(),
                            phase.at("bank").as<std::uint32_t>(), phase.at("colliding_mask").as<std::uint32_t>()});
  }
  worst.counts_lanes = node.at("counts_lanes").boolean();
  worst.array_byte = node.at("array_byte").as<std::uint32_t>();
  worst.array_bytes = node.at("array_bytes").as<std::uint32_t>();
  return worst;
}

Json write(const Suggestion& suggestion) {
  Json json = Json::object();
  json["text"] = suggestion.text;
  if (suggestion.layout)
    json["layout"] = {{"row_bytes", suggestion.layout->row_bytes},
                      {"pad_bytes", suggestion.layout->pad_bytes},
                      {"unit_bytes", suggestion.layout->unit_bytes},
                      {"rows_per_step", suggestion.layout->rows_per_step}};
  if (suggestion.after) json["after"] = write(*suggestion.after);
  return json;
}

Suggestion read_suggestion(const Node& node) {
  Suggestion suggestion{node.at("text").text()};
  if (node.has("layout")) {
    const Node at = node.at("layout");
    const RowLayout layout{at.at("row_bytes").as<std::uint32_t>(), at.at("pad_bytes").as<std::uint32_t>(),
                           at.at("unit_bytes").as<std::uint32_t>(), at.at("rows_per_step").as<std::uint32_t>()};
    if (!layout.is_sound()) at.mismatch("a layout");
    suggestion.layout = layout;
  }
  if (node.has("after")) suggestion.after = read_worst(node.at("after"));
  return suggestion;
}

}  // namespace lanebank::report::codec
