// `lanebank show` alone, for its tests: builds without the machine that runs programs.
#include <CLI/CLI.hpp>
#include <iostream>

#include "lanebank/commands.hpp"

int main(int argc, char** argv) {
  CLI::App app("lanebank, the command show alone", "lanebank");
  lanebank::tools::Invocation invocation;
  lanebank::tools::add_show(app, invocation);
  app.require_subcommand(1);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    std::cerr << "lanebank: " << error.what() << "\n";
    return 125;
  }
  return invocation.exit_code;
}
