// The report of `lanebank fix`, for people and for programs.
#pragma once

#include <string>

#include "advise/fix.hpp"

namespace lanebank::advise {

struct FixTextOptions {
  int exit_code = 0;
  std::size_t lines = 8;  ///< of each proposal's figures by source line
};

std::string fix_text(const FixReport& report, const FixTextOptions& options);

/// lanebank.fix/1, docs/fix.md.
std::string fix_json(const FixReport& report);

}  // namespace lanebank::advise
