// From the access records of a launch to its log.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "checks/conflicts.hpp"
#include "findings/access_log.hpp"
#include "machine/device.hpp"

namespace lanebank::session {

/// How much of a process's accesses is logged. An entry is about 10 bytes of the channel.
struct LogLimits {
  std::uint32_t entries_of_launch = 1u << 20;
  std::uint64_t entries_of_process = std::uint64_t{1} << 22;
};

/// What the observer keeps for a log within the limits.
checks::ConflictLimits limits_for_log(const LogLimits& limits);

/// Lanes and bases that a log holds.
std::uint64_t entry_count(const findings::AccessLog& log);

/// `row_of_instruction`: index of LaunchReport::instructions, by instruction. Where the log would have more than `entry_limit`
/// entries, the arrays with most entries are left out of it.
findings::AccessLog make_access_log(const machine::LaunchRequest& request, const checks::ConflictReport& conflicts,
                                    const std::vector<std::uint32_t>& row_of_instruction,
                                    const findings::BlockRoom& room, std::uint64_t entry_limit);

}  // namespace lanebank::session
