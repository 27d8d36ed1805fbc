#include "bottleneck_options.hpp"

#include <CLI/CLI.hpp>

#include "advise/gpu.hpp"
#include "offered_values.hpp"
#include "session/engine.hpp"

namespace lanebank::tools {

void add_gpu_option(CLI::App& command, session::EngineOptions& engine, const advise::Gpu*& gpu,
                    const std::string& group) {
  std::string names;
  std::vector<std::string> ids;
  for (const advise::Gpu& known : advise::all_gpus()) {
    ids.emplace_back(known.id);
    names += (names.empty() ? "" : ", ") + ids.back();
  }
  command
      .add_option_function<std::string>(
          "--gpu",
          [&engine, &gpu](const std::string& name) {
            const auto found = advise::gpu_named(name);
            if (!found) throw CLI::ValidationError("--gpu", found.error().what + ". " + found.error().remedy);
            gpu = *found;
            engine.work = true;
          },
          "the estimate's GPU; by default that of --arch: " + names)
      ->type_name("NAME")
      ->check(offers(ids))
      ->group(group);
}

void add_bottleneck_options(CLI::App& command, session::EngineOptions& engine, const advise::Gpu*& gpu,
                            const std::string& group) {
  command
      .add_flag("--bottleneck", engine.work,
                "with an estimate of what bounds each kernel's time, and what its excess costs (docs/bottleneck.md)")
      ->group(group);
  add_gpu_option(command, engine, gpu, group);
}

}  // namespace lanebank::tools
