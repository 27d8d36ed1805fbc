// Runs the user's program: its input and output untouched, signals passed on.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.hpp"

namespace lanebank::tools {

struct ChildEnd {
  int exit_code = 0;   ///< 128 + n after signal n
  double seconds = 0;  ///< from start to end
};

/// Executes `path` with `arguments` (argv[0] first) and `environment` ("NAME=value") and waits for it. SIGINT, SIGTERM,
/// SIGHUP, SIGQUIT, SIGUSR1 and SIGUSR2 that reach lanebank alone go to the program. Failing: it cannot be started.
Result<ChildEnd> run_child(const std::string& path, const std::vector<std::string>& arguments,
                           const std::vector<std::string>& environment);

/// `base` with the variables of `changes` set, each once.
std::vector<std::string> changed_environment(char** base, const std::vector<std::string>& changes);

}  // namespace lanebank::tools
