#include <CLI/CLI.hpp>
#include <iostream>

#include "architecture_option.hpp"
#include "commands.hpp"
#include "offered_values.hpp"
#include "wavefronts.hpp"

namespace lanebank::tools {

void add_wavefronts(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand("wavefronts", "what access patterns cost, from a CSV file");
  struct Arguments {
    std::string file;
    unsigned architecture = 90;
    bool source_page = false;
  };
  auto arguments = std::make_shared<Arguments>();
  command->add_option("FILE", arguments->file, "rows of access patterns; - for standard input")
      ->required()
      ->check(offers_files());
  add_architecture(*command, arguments->architecture, "whose rules apply");
  command->add_flag("--source-page", arguments->source_page,
                    "figures as Nsight Compute's source page shows them (and lanebank run), not its hardware counters");
  command->footer(
      "FILE has the columns instruction, access_bytes, active_mask, byte_addresses; others pass through:\n"
      "  instruction,access_bytes,active_mask,byte_addresses\n"
      "  ld,4,0xffffffff,0 128 256 ... 3968\n"
      "The rows come back on stdout with predicted_wavefronts and predicted_ideal appended.\n"
      "Examples:\n"
      "  lanebank wavefronts patterns.csv\n"
      "  lanebank wavefronts --source-page patterns.csv > costs.csv\n"
      "  generate | lanebank wavefronts --arch sm_80 -\n"
      "Exit code: 0, or 125 when the file cannot be read or a row is wrong.");
  command->callback([arguments, &invocation] {
    invocation.exit_code = run_wavefronts(arguments->file, std::cin, std::cout, std::cerr, arguments->architecture,
                                          arguments->source_page);
  });
}

}  // namespace lanebank::tools
