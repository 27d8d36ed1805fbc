// PTX to machine code with the user's own ptxas.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"

namespace lanebank::session {

struct Assembler {
  std::string search_path;       ///< folders with ':' between, as PATH
  std::string temporary_folder;  ///< holds two files while ptxas runs
};

/// Assembles `ptx` for "sm_90" or "sm_90a". Failing: no ptxas found ("ptx.no_assembler"), or its own complaint.
Result<std::vector<std::byte>> assemble(std::string_view ptx, const std::string& target, const Assembler& with);

}  // namespace lanebank::session
