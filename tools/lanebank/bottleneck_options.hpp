// --bottleneck and --gpu of the commands that run a program.
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

/// Adds --gpu, which sets `gpu` and `engine.work`; an unknown GPU is an error of use.
void add_gpu_option(CLI::App& command, session::EngineOptions& engine, const advise::Gpu*& gpu,
                    const std::string& group);

/// Adds --bottleneck, which sets `engine.work`, and --gpu.
void add_bottleneck_options(CLI::App& command, session::EngineOptions& engine, const advise::Gpu*& gpu,
                            const std::string& group);

}  // namespace lanebank::tools
