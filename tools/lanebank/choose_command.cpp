#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "architecture_option.hpp"
#include "choose.hpp"
#include "commands.hpp"

namespace lanebank::tools {

void add_choose(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand("choose", "which remedy for a tile: padding, another layout, or vectors");
  auto arguments = std::make_shared<ChooseArguments>();
  command->add_option("-t,--tile", arguments->tile, "rows x columns x type: 32x33xf32")->type_name("TILE");
  command->add_option("--write", arguments->write, "who writes it: row, column, vector N, stmatrix x4, ... (row)")
      ->type_name("WORDS");
  command->add_option("--read", arguments->read, "who reads it: column, ldmatrix x4, ... (column)")->type_name("WORDS");
  const auto flag = [&command](const char* name, std::optional<bool>& value, const char* help) {
    command->add_flag_callback(
        name, [&value] { value = true; }, help);
  };
  flag("--memory-tight", arguments->memory_tight, "nothing may be added to the tile's bytes");
  flag("--fastest", arguments->maximum_speed, "the greatest speed is wanted");
  flag("--fixed", arguments->fixed_block, "the tile's sizes cannot change");
  flag("--vectors", arguments->vectors, "lanes move 16 bytes along rows");
  flag("--tma", arguments->tma, "TMA or wgmma reach the tile");
  command->add_flag("--ask", arguments->ask, "ask for what no option says");
  command->add_option("--json", arguments->json, "lanebank.choose/1 to FILE; - is standard output")->type_name("FILE");
  add_architecture(*command, arguments->architecture, "whose rules apply");
  command->footer(
      "Examples:\n"
      "  lanebank choose --tile 32x32xf32                      written along rows, read down columns\n"
      "  lanebank choose --tile 32x32xf32 --memory-tight\n"
      "  lanebank choose --tile 64x64xhalf --write 'vector 8' --read 'ldmatrix x4' --vectors\n"
      "  lanebank choose --ask                                 short questions\n"
      "Exit code: 0, or 125 when the tile or an answer cannot be used.");
  command->callback(
      [arguments, &invocation] { invocation.exit_code = run_choose(*arguments, std::cin, std::cout, std::cerr); });
}

}  // namespace lanebank::tools
