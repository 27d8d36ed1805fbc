// How many blocks of a kernel a multiprocessor holds at once: the rules of the vendor's occupancy calculator, checked against
// an H200 (tests/cudart/hardware/functions.h200.txt).
//
//   registers of a warp  = round up(32 x registers per thread, register unit)
//   warps by registers   = round down(registers of the multiprocessor / registers of a warp, warp unit)
//   shared of a block    = round up(static + dynamic + reserved, shared unit)
//   blocks               = min(limit, warps / warps of a block, warps by registers / warps of a block,
//                              shared of the multiprocessor / shared of a block)
#pragma once

#include <cstdint>

namespace lanebank {

/// What a multiprocessor has and hands out.
struct MultiprocessorLimits {
  std::uint64_t threads = 2048, threads_of_a_block = 1024, blocks = 32, registers = 65536;
  std::uint64_t shared_bytes = 0, reserved_shared_bytes = 1024;  ///< the latter of each block
  std::uint64_t shared_unit_bytes = 128, register_unit = 256, warp_unit = 4;
};

/// What one block of a kernel takes.
struct BlockNeeds {
  std::uint64_t threads = 0, registers_per_thread = 0, shared_bytes = 0;  ///< shared: static and dynamic
};

/// Warps whose registers fit.
std::uint64_t warps_by_registers(const MultiprocessorLimits& limits, std::uint64_t registers_per_thread);

/// As far as threads and registers go.
std::uint64_t blocks_beside_shared(const MultiprocessorLimits& limits, const BlockNeeds& needs);

/// 0 where not even one block fits.
std::uint64_t resident_blocks(const MultiprocessorLimits& limits, const BlockNeeds& needs);

}  // namespace lanebank
