#include "session/device_limits.hpp"

namespace lanebank::session {
namespace {

const DeviceLimits devices[] = {
#define LANEBANK_DEVICE(sm, threads_, blocks_, shared, block_shared, reserved, unit) \
  {.architecture = sm,                                                               \
   .multiprocessor = {.threads = threads_,                                           \
                      .blocks = blocks_,                                             \
                      .shared_bytes = shared,                                        \
                      .reserved_shared_bytes = reserved,                             \
                      .shared_unit_bytes = unit},                                    \
   .block_shared_bytes = block_shared},
#include "session/device_limits.def"
#undef LANEBANK_DEVICE
};

}  // namespace

DeviceLimits device_limits(unsigned architecture) {
  const DeviceLimits* best = &devices[0];
  for (const DeviceLimits& device : devices)
    if (device.architecture <= architecture) best = &device;
  return *best;
}

findings::BlockRoom block_room(const DeviceLimits& limits, std::uint64_t threads, std::uint64_t registers_per_thread) {
  if (threads == 0) return {};
  const MultiprocessorLimits& has = limits.multiprocessor;
  return {.block_bytes = limits.block_shared_bytes,
          .multiprocessor_bytes = static_cast<std::uint32_t>(has.shared_bytes),
          .reserved_bytes = static_cast<std::uint32_t>(has.reserved_shared_bytes),
          .unit_bytes = static_cast<std::uint32_t>(has.shared_unit_bytes),
          .other_blocks = static_cast<std::uint32_t>(
              blocks_beside_shared(has, {.threads = threads, .registers_per_thread = registers_per_thread}))};
}

}  // namespace lanebank::session
