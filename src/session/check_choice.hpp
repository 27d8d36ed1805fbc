// Which checks run: the value of --checks.
#pragma once

#include <string>

#include "base/diagnostic.hpp"
#include "checks/memory_checker.hpp"

namespace lanebank::session {

/// From "all", "none" or a list of rules ("race,uninitialised"; "all,uninitialised=influence"). Rules whose faults the machine reports by itself
/// (misaligned) may be named and change nothing. Error: a word that is no rule.
Result<checks::MemoryCheckOptions> read_checks(const std::string& text);

}  // namespace lanebank::session
