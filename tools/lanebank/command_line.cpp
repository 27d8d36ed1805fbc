// argv to subcommand.
#include <CLI/CLI.hpp>
#include <cstring>
#include <iostream>

#include "commands.hpp"
#include "session/gate.hpp"

namespace lanebank::tools {
namespace {

constexpr const char* description =
    "lanebank sees shared-memory bank conflicts of CUDA programs, without a GPU: it executes the machine code\n"
    "that your compiler made, on the CPU, and counts what Nsight Compute counts.";

constexpr const char* examples =
    "Examples:\n"
    "  nvcc -arch=sm_90 -lineinfo app.cu -o app\n"
    "  lanebank run -- ./app                          a report on stderr, exit code 120 if there are conflicts\n"
    "  lanebank run -k regex:gemm -c 1 -- ./app       only the first launch of kernels with gemm in their name\n"
    "  lanebank run --json report.json -- ./app       the same figures for a program to read\n"
    "  lanebank kernel t.cu -k transpose -g 32,32 -b 32,32 -a 'f32[1024*1024]=iota' -a 'f32[1024*1024]' -a i32=1024\n"
    "  lanebank fix -- ./app                          layouts without its conflicts, as edits of the source\n"
    "  lanebank verify -- ./app                       with a GPU: prediction and ncu side by side\n"
    "  lanebank wavefronts patterns.csv               what these access patterns cost\n"
    "  lanebank show 'tile[tx][ty]' -t 32x32xf32      why this access conflicts, and what cures it\n"
    "  lanebank solve tile.json                       the best layout for these access patterns, as code\n"
    "  lanebank checklist -- ./app                    ten questions, answered from the run\n"
    "  lanebank choose --tile 32x32xf32               padding, another layout or vectors, and what each costs\n"
    "  lanebank doctor                                what of CUDA and a GPU is there, and what that enables\n"
    "\n"
    "`lanebank COMMAND --help` says more.";

/// Index of the "--" that separates lanebank's words from the program's; argc if there is none.
int separator(int argc, char** argv) {
  for (int i = 1; i < argc; i++)
    if (std::strcmp(argv[i], "--") == 0) return i;
  return argc;
}

}  // namespace

void add_commands(CLI::App& app, Invocation& invocation) {
  app.description(description);
  app.set_version_flag("--version", "lanebank " LANEBANK_VERSION);
  app.footer(examples);
  app.require_subcommand(1);
  add_run(app, invocation);
  add_kernel(app, invocation);
  add_wavefronts(app, invocation);
  add_show(app, invocation);
  add_solve(app, invocation);
  add_checklist(app, invocation);
  add_choose(app, invocation);
  add_fix(app, invocation);
  add_verify(app, invocation);
  add_doctor(app, invocation);
  add_completion(app, invocation);
  add_manual(app, invocation);
}

int run_command_line(int argc, char** argv) {
  Invocation invocation;
  const int end = separator(argc, argv);
  for (int i = end + 1; i < argc; i++) invocation.program.emplace_back(argv[i]);
  CLI::App app("", "lanebank");
  add_commands(app, invocation);
  try {
    app.parse(end, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    std::cerr << "lanebank: " << error.what() << "\n";
    if (argc <= 1)
      std::cerr << "\n" << app.help();
    else
      std::cerr << "  `lanebank --help` shows the commands and examples.\n";
    return session::exit_failure;
  } catch (const std::exception& error) {  // a broken invariant of lanebank itself
    std::cerr << "lanebank: internal error: " << error.what() << "\n  Please report it, with the command.\n";
    return session::exit_failure;
  }
  return invocation.exit_code;
}

}  // namespace lanebank::tools
