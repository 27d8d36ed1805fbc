// --arch, as all commands take it.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace lanebank::tools {

/// Adds --arch: "sm_90", "sm_90a" or "90" into `architecture`; anything that lanebank does not know is an error of use.
void add_architecture(CLI::App& command, unsigned& architecture, const std::string& meaning);

}  // namespace lanebank::tools
