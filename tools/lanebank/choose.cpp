#include "choose.hpp"

#include <istream>
#include <ostream>

#include "output.hpp"
#include "questions.hpp"
#include "session/gate.hpp"
#include "show/array.hpp"
#include "solve/presets.hpp"

namespace lanebank::tools {
namespace {

Result<solve::Tile> tile_of(const std::string& text) {
  const auto scope = show::Scope::make({}, {});
  if (!scope) return tl::unexpected(scope.error());
  const auto array = show::parse_array(text, *scope);
  if (!array) return tl::unexpected(array.error());
  if (array->sizes.size() != 2 || array->sizes[0] == 0 || array->bytes() > solve::tile_limit_bytes)
    return fail("choose.tile", "--tile " + text, "needs rows, columns and a type, of at most 256 KiB",
                "Write 32x32xf32, for instance.");
  return solve::Tile{array->sizes[0], array->sizes[1], array->element_bytes()};
}

Result<solve::Tile> asked_tile(Questions& questions) {
  solve::Tile tile;
  Result<void> asked =
      questions.ask("Tile, rows x columns (32x32): ", [&](const std::string& line) { return read_shape(line, tile); });
  if (asked)
    asked = questions.ask("Element, bytes or a type (2, half, float): ",
                          [&](const std::string& line) { return read_element(line, tile); });
  if (!asked) return tl::unexpected(asked.error());
  return tile;
}

Result<std::string> asked_pattern(Questions& questions, const std::string& question, const solve::Tile& tile,
                                  bool store) {
  std::string words;
  const Result<void> asked = questions.ask(question, [&](const std::string& line) {
    words = line;
    const auto pattern = solve::preset_pattern(tile, line, store);
    return pattern ? std::string() : to_string(pattern.error());
  });
  if (!asked) return tl::unexpected(asked.error());
  return words;
}

/// From the flags, and with --ask from answers to the questions that no flag has answered.
Result<advise::ChooseInput> input_of(const ChooseArguments& arguments, Questions& questions) {
  advise::ChooseInput input;
  input.architecture = arguments.architecture;
  if (arguments.tile.empty() && !arguments.ask)
    return fail("choose.arguments", "", "no tile is named", "Give --tile 32x32xf32, or --ask.");
  auto tile = arguments.tile.empty() ? asked_tile(questions) : tile_of(arguments.tile);
  if (!tile) return tl::unexpected(tile.error());
  input.tile = *tile;
  for (const bool store : {true, false}) {
    std::string& words = store ? input.write : input.read;
    const std::string& given = store ? arguments.write : arguments.read;
    if (!given.empty()) words = given;
    if (!given.empty() || !arguments.ask) continue;
    auto answer = asked_pattern(
        questions, (store ? "Who writes it? " : "Who reads it? ") + solve::preset_names() + ": ", input.tile, store);
    if (!answer) return tl::unexpected(answer.error());
    words = *answer;
  }
  const struct {
    const char* question;
    const std::optional<bool>& given;
    bool& answer;
  } rest[] = {{"Does TMA or wgmma reach the tile?", arguments.tma, input.tma},
              {"Is shared memory tight, so that nothing may be added?", arguments.memory_tight, input.memory_tight},
              {"Is the greatest speed wanted?", arguments.maximum_speed, input.maximum_speed},
              {"Are the tile's sizes fixed?", arguments.fixed_block, input.fixed_block},
              {"Do lanes move 16 bytes along rows?", arguments.vectors, input.vectors}};
  for (const auto& [question, given, answer] : rest) {
    answer = given.value_or(false);
    if (given || !arguments.ask) continue;
    const Result<bool> yes = questions.ask_whether(question);
    if (!yes) return tl::unexpected(yes.error());
    answer = *yes;
  }
  return input;
}

Result<void> answer(const ChooseArguments& arguments, std::istream& input, std::ostream& out, std::ostream& err) {
  Questions questions(input, err);
  const auto wanted = input_of(arguments, questions);
  if (!wanted) return tl::unexpected(wanted.error());
  const auto choice = advise::choose(*wanted);
  if (!choice) return tl::unexpected(choice.error());
  if (arguments.json == "-") {
    out << advise::choice_json(*choice);
  } else {
    if (!arguments.json.empty()) {
      auto file = Output::open(arguments.json);
      if (!file) return tl::unexpected(file.error());
      if (auto written = file->write(advise::choice_json(*choice)); !written) return written;
    }
    out << advise::choice_text(*choice);
  }
  out.flush();
  if (!out) return fail("choose.unwritable", "standard output", "cannot be written", "Is the disk full?");
  return {};
}

}  // namespace

int run_choose(const ChooseArguments& arguments, std::istream& input, std::ostream& out, std::ostream& err) {
  const Result<void> done = answer(arguments, input, out, err);
  if (done) return session::exit_success;
  err << "lanebank choose: " << to_string(done.error()) << '\n';
  return session::exit_failure;
}

}  // namespace lanebank::tools
