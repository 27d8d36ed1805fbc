// What the file of a program says about how it can be run, before it runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"

namespace lanebank::tools {

struct ProgramFile {
  std::string path;                 ///< to be executed
  bool is_elf = false;              ///< else a script
  bool is_static = false;           ///< no dynamic loader: nothing can be preloaded
  bool changes_user = false;        ///< set-user-id or set-group-id: the loader drops preloads
  std::vector<std::string> needed;  ///< libraries it names itself
  bool needs(const std::string& library) const;
};

/// Finds `name` as a shell would, along `search_path` when it holds no '/', and reads its headers. Failing: there is
/// no such program or it cannot be executed here.
Result<ProgramFile> find_program(const std::string& name, const std::string& search_path);

}  // namespace lanebank::tools
