// Short questions to other programs, which may hang.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"

namespace lanebank::tools {

struct ProbeAnswer {
  bool ended = false;  ///< else it was stopped at the limit
  int exit_code = 0;   ///< 128 + n after signal n
  std::string output;  ///< standard output and error together, their first 64 KiB
};

/// Runs `command` (its first word a path) with `changes` to the environment ("NAME=value") and no input. At `limit` it is killed with its
/// children, and left alone if it does not die of that. Failing: it cannot be started.
Result<ProbeAnswer> ask_program(const std::vector<std::string>& command, const std::vector<std::string>& changes,
                                std::chrono::milliseconds limit);

}  // namespace lanebank::tools
