// A program under the engine: its shim preloaded, its launches gathered into a report.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "findings/report.hpp"
#include "installation.hpp"
#include "output.hpp"
#include "program_file.hpp"
#include "session/engine.hpp"

namespace lanebank::tools {

/// Of the environment; nullptr if it is not set.
const char* variable(const char* name);
std::string variable_or_empty(const char* name);

/// Says that only some blocks ran, where that is so.
void note_sampling(findings::ProgramReport& report, const session::EngineOptions& engine);

/// What can be wrong before a program runs: there is none, no engine, no room for the channel.
struct Observation {
  ProgramFile program;
  Installation installation;
  ChannelFile channel;
  static Result<Observation> of(const std::string& program);
};

/// Runs the program with `command` (argv[0] first) and returns all but the findings. `engine.channel` and `engine.progress`
/// are set here. Source files below `source_root`, an absolute path (empty: the working directory), are named from there.
Result<findings::ProgramReport> observe(const Observation& observation, const std::vector<std::string>& command,
                                        session::EngineOptions engine, const std::string& source_root = {});

}  // namespace lanebank::tools
