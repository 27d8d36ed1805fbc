#include <CLI/CLI.hpp>
#include <iostream>

#include "architecture_option.hpp"
#include "commands.hpp"
#include "offered_values.hpp"
#include "solve.hpp"

namespace lanebank::tools {

void add_solve(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand("solve", "the best layout for given access patterns, with a proof, as code");
  auto arguments = std::make_shared<SolveArguments>();
  CLI::Option* problem = command->add_option("PROBLEM", arguments->problem, "a problem file; - for standard input");
  problem->check(offers_files());
  CLI::Option* ask = command->add_flag("--ask", arguments->ask, "build the problem by short questions instead");
  ask->excludes(problem);
  command->add_option("--save", arguments->save, "where the problem built by --ask goes")
      ->type_name("FILE")
      ->needs(ask);
  command->add_option("--json", arguments->json, "the answer for programs; - for standard output, instead of the text")
      ->type_name("FILE");
  command->add_flag("--map", arguments->map, "also the byte address of every element");
  command
      ->add_option(
          "--order", arguments->order,
          "order of a swizzle's numbers: bbs (bits, base, shift, as CuTe) or sbm (swizzle<S,B,M>, as articles)")
      ->check(CLI::IsMember({"bbs", "sbm"}));
  command->add_option("--unit", arguments->unit_bytes, "bytes of the indices that a swizzle works on")
      ->check(CLI::IsMember({1, 2, 4, 8, 16}));
  command->add_option("--swizzle", arguments->swizzle, "also count this swizzle, in --order and --unit: 3,1,3");
  command->add_option("--work", arguments->work, "limit of the search over linear layouts, in steps")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 50));
  add_architecture(*command, arguments->architecture, "whose rules apply");
  command->footer(
      "Examples:\n"
      "  lanebank solve tile.json                                   the answer in words, with code\n"
      "  lanebank solve tile.json --json -                          for a program to read\n"
      "  lanebank solve tile.json --swizzle 3,1,3 --order sbm --unit 2   what an article's swizzle would cost\n"
      "  lanebank solve --ask --save tile.json                      no file yet\n"
      "The file's format, the families and what the certificates mean: docs/solver.md.\n"
      "Exit code: 0, or 125 when the problem cannot be read or solved.");
  command->callback([arguments, &invocation] {
    if (arguments->problem.empty() && !arguments->ask) throw CLI::RequiredError("PROBLEM or --ask");
    invocation.exit_code = run_solve(*arguments, std::cin, std::cout, std::cerr);
  });
}

}  // namespace lanebank::tools
