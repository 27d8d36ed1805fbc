// The bulk copy engine: boxes of a tensor to and from shared memory.
#pragma once

#include <cstdint>

#include "machine/warp.hpp"

namespace lanebank::machine {

/// What goes from shared to global memory: the elements, or what an operation (lanes/combine.hpp) makes of them and those
/// that stand there.
inline constexpr unsigned no_reduction = ~0u;

/// Bit of Operation::detail[1] of a tensor copy: the map describes image columns (im2col). Operation::immediate[0]: the
/// uniform register with the offsets of a load.
inline constexpr std::uint8_t image_columns = 8;

/// UTMALDG, UTMASTG and UTMAREDG (`reduction`) of `rank` dimensions by one lane. Uniform registers from Operation::uniform: shared
/// address, (loads) mbarrier, coordinates; Operation::modifiers: the pair with the tensor map's address.
/// `blocks`, for loads: see for_each_block. False after raising a fault.
bool copy_tensor(Warp& w, const Operation* op, unsigned lane, bool to_global, unsigned rank, std::uint32_t blocks,
                 unsigned reduction = no_reduction);

/// Counts `bytes` as arrived on the mbarrier at a shared window address. False after raising a fault.
bool complete_bytes(Warp& w, const Operation* op, unsigned lane, std::uint32_t window_address, std::uint32_t bytes);

/// Calls `copy(window, barrier)` with both shared window addresses once for each block that a copy goes to: with bit r of
/// `blocks` to the block of rank r of the cluster, at the same offsets there; with none to the block that the addresses
/// name. Ends at the first false, and gives it.
template <class Copy>
bool for_each_block(std::uint32_t blocks, std::uint32_t window, std::uint32_t barrier, Copy copy) {
  if (blocks == 0) return copy(window, barrier);
  for (unsigned rank = 0; rank < 16; ++rank) {
    if ((blocks >> rank & 1) == 0) continue;
    if (!copy((window & 0xffffff) | rank << 24, (barrier & 0xffffff) | rank << 24)) return false;
  }
  return true;
}

}  // namespace lanebank::machine
