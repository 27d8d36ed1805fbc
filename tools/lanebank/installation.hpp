// Where lanebank's own libraries lie, seen from its executable.
#pragma once

#include <string>

#include "base/diagnostic.hpp"

namespace lanebank::tools {

struct Installation {
  std::string shim;         ///< the library to preload
  std::string stub_folder;  ///< libraries of CUDA that programs name in order to start; may be empty
};

/// Looks beside the executable (a link is followed), as built (bin/../lib) and as installed (bin/../lib[64]/lanebank).
/// Failing: it is not there.
Result<Installation> find_installation(const std::string& executable = "/proc/self/exe");

}  // namespace lanebank::tools
