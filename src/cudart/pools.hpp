// What the plain memory calls need to know of the pools.
#pragma once

#include "machine/memory.hpp"

namespace lanebank::cudart::calls {

inline constexpr int pinned_type = 1;  ///< cudaMemAllocationTypePinned

/// Before memory that a pool may have given is freed by cudaFree.
void forget_pool_allocation(const machine::Allocation& allocation);

}  // namespace lanebank::cudart::calls
