// Options of the commands that run a program: which launches count, how they are executed, and the program itself.
#pragma once

#include <string>
#include <vector>

#include "commands.hpp"
#include "session/engine.hpp"

namespace lanebank::tools {

/// --arch, -j.
void add_device_options(CLI::App& command, session::EngineOptions& engine);
/// -k, --kernel-name-base, -s, -c, --arch, -j.
void add_engine_options(CLI::App& command, session::EngineOptions& engine);
/// --blocks.
void add_blocks_option(CLI::App& command, session::EngineOptions& engine);

/// For CLI11's `check`: numbers below 0 are read as large ones otherwise.
std::string not_negative(const std::string& text);

/// The words that no option took, the program first; without "--" the first word that is no option begins it. Throws
/// CLI::Error where there is none.
std::vector<std::string> program_of(const CLI::App& command, const Invocation& invocation);

}  // namespace lanebank::tools
