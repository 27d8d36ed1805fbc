// --bottleneck and --gpu, as all commands take them that run a program.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace lanebank::advise {
struct Gpu;
}
namespace lanebank::session {
struct EngineOptions;
}

namespace lanebank::tools {

/// Adds both. --bottleneck sets `engine.work`; --gpu does too and sets `gpu`, and an unknown GPU is an error of use.
void add_bottleneck_options(CLI::App& command, session::EngineOptions& engine, const advise::Gpu*& gpu,
                            const std::string& group);

}  // namespace lanebank::tools
