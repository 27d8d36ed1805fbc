// What the device of an architecture has for a launch.
#pragma once

#include <cstdint>

#include "base/occupancy.hpp"
#include "findings/access_log.hpp"

namespace lanebank::session {

struct DeviceLimits {
  unsigned architecture = 90;
  MultiprocessorLimits multiprocessor;
  std::uint32_t block_shared_bytes = 0;  ///< static and dynamic together, opted in
};

/// Of an architecture of code_choice.hpp, or of the newest older one.
DeviceLimits device_limits(unsigned architecture);

/// What a block of so many threads and registers finds, for the log of accesses.
findings::BlockRoom block_room(const DeviceLimits& limits, std::uint64_t threads, std::uint64_t registers_per_thread);

}  // namespace lanebank::session
