// The answer of `lanebank choose` for people and for programs.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "advise/choose.hpp"
#include "base/words.hpp"
#include "solve/notation.hpp"

namespace lanebank::advise {
namespace {

using Json = nlohmann::ordered_json;

std::string indented(const std::string& text) {
  std::string result = "    ";
  for (std::size_t i = 0; i < text.size(); ++i) {
    result += text[i];
    if (text[i] == '\n' && i + 1 < text.size()) result += "    ";
  }
  return result;
}

}  // namespace

std::string choice_text(const Choice& choice) {
  const solve::Tile& tile = choice.input.tile;
  std::string text =
      fmt::format("lanebank choose  {} x {} elements of {}, written by {}, read by {}\n\n", tile.rows, tile.columns,
                  counted(tile.element_bytes, "byte", "bytes"), choice.input.write, choice.input.read);
  text += fmt::format("  {}", name_of(choice.remedy));
  if (choice.chosen().layout && choice.remedy != Remedy::none) text += ": " + solve::describe(*choice.chosen().layout);
  text += "\n";
  for (const std::string& reason : choice.reasons) text += "    " + reason + "\n";
  text += fmt::format("\n  {:<18} {:>8} {:>10} {:>7} {:>7} {:>12}  {}\n", "what it costs", "requests", "wavefronts",
                      "ideal", "bytes", "instructions", "layout");
  for (const RemedyCost& cost : choice.costs) {
    if (!cost.layout) {
      text += fmt::format("  {:<18} {}\n", name_of(cost.remedy), cost.missing);
      continue;
    }
    text += fmt::format("  {:<18} {:>8} {:>10} {:>7} {:>7} {:>12}  {}{}\n", name_of(cost.remedy),
                        grouped(cost.requests), grouped(cost.wavefronts), grouped(cost.ideal),
                        fmt::format("{:+}", cost.more_bytes), fmt::format("+{}", cost.index_instructions),
                        solve::describe(*cost.layout), cost.remedy == choice.remedy ? "   <-" : "");
  }
  if (choice.chosen().layout && choice.remedy != Remedy::none)
    text += "\n" + indented(solve::notation(*choice.chosen().layout).cuda) + "\n";
  return text;
}

std::string choice_json(const Choice& choice) {
  const ChooseInput& input = choice.input;
  Json costs = Json::array();
  for (const RemedyCost& cost : choice.costs) {
    Json json{{"remedy", name_of(cost.remedy)}};
    if (cost.layout)
      json.update({{"layout", solve::describe(*cost.layout)},
                   {"family", solve::name_of(cost.layout->family())},
                   {"requests", cost.requests},
                   {"wavefronts", cost.wavefronts},
                   {"ideal", cost.ideal},
                   {"more_bytes", cost.more_bytes},
                   {"index_instructions", cost.index_instructions}});
    else
      json["missing"] = cost.missing;
    costs.push_back(std::move(json));
  }
  const Json json{
      {"schema", "lanebank.choose/1"},
      {"tile",
       {{"rows", input.tile.rows}, {"columns", input.tile.columns}, {"element_bytes", input.tile.element_bytes}}},
      {"write", input.write},
      {"read", input.read},
      {"by_tree", name_of(choice.by_tree)},
      {"remedy", name_of(choice.remedy)},
      {"reasons", choice.reasons},
      {"costs", std::move(costs)},
      {"code", choice.chosen().layout ? Json(solve::notation(*choice.chosen().layout).cuda) : Json(nullptr)}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lanebank::advise
