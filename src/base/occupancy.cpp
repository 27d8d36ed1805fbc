#include "base/occupancy.hpp"

#include <algorithm>

namespace lanebank {
namespace {

constexpr std::uint64_t warp_threads = 32;

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

std::uint64_t warps_by_registers(const MultiprocessorLimits& limits, std::uint64_t registers_per_thread) {
  const std::uint64_t of_a_warp =
      round_up(warp_threads * std::max<std::uint64_t>(registers_per_thread, 1), limits.register_unit);
  return limits.registers / of_a_warp / limits.warp_unit * limits.warp_unit;
}

std::uint64_t blocks_beside_shared(const MultiprocessorLimits& limits, const BlockNeeds& needs) {
  if (needs.threads == 0 || needs.threads > limits.threads_of_a_block) return 0;
  const std::uint64_t warps = (needs.threads + warp_threads - 1) / warp_threads;
  return std::min({limits.blocks, limits.threads / warp_threads / warps,
                   warps_by_registers(limits, needs.registers_per_thread) / warps});
}

std::uint64_t resident_blocks(const MultiprocessorLimits& limits, const BlockNeeds& needs) {
  const std::uint64_t shared = round_up(needs.shared_bytes + limits.reserved_shared_bytes, limits.shared_unit_bytes);
  const std::uint64_t blocks = blocks_beside_shared(limits, needs);
  return shared == 0 ? blocks : std::min(blocks, limits.shared_bytes / shared);
}

}  // namespace lanebank
