// The subcommands of `lanebank`, one file each.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace lanebank::tools {

/// What stands behind "--" on the command line, and where a subcommand leaves its exit code.
struct Invocation {
  std::vector<std::string> program;
  int exit_code = 0;
};

/// Each adds its subcommand to `app`; its callback runs it.
void add_run(CLI::App& app, Invocation& invocation);
void add_kernel(CLI::App& app, Invocation& invocation);
void add_wavefronts(CLI::App& app, Invocation& invocation);
void add_show(CLI::App& app, Invocation& invocation);
void add_choose(CLI::App& app, Invocation& invocation);
void add_checklist(CLI::App& app, Invocation& invocation);
void add_solve(CLI::App& app, Invocation& invocation);
void add_fix(CLI::App& app, Invocation& invocation);
void add_verify(CLI::App& app, Invocation& invocation);
void add_doctor(CLI::App& app, Invocation& invocation);
void add_completion(CLI::App& app, Invocation& invocation);
void add_manual(CLI::App& app, Invocation& invocation);

/// `app`, just made, with all of them.
void add_commands(CLI::App& app, Invocation& invocation);

/// The whole command line, from argv to exit code.
int run_command_line(int argc, char** argv);

}  // namespace lanebank::tools
