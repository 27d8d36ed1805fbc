// The bulk copy engine: boxes of a tensor to and from shared memory.
#pragma once

#include <cstdint>

#include "machine/warp.hpp"

namespace lanebank::machine {

/// UTMALDG and UTMASTG of `rank` dimensions by one lane. Uniform registers from Operation::uniform: shared
/// address, (loads) mbarrier, coordinates; Operation::modifiers: the pair with the tensor map's address.
/// False after raising a fault.
bool copy_tensor(Warp& w, const Operation* op, unsigned lane, bool to_global, unsigned rank);

/// Counts `bytes` as arrived on the mbarrier at a shared window address. False after raising a fault.
bool complete_bytes(Warp& w, const Operation* op, unsigned lane, std::uint32_t window_address, std::uint32_t bytes);

}  // namespace lanebank::machine
