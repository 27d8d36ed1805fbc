// What the plain memory calls need to know of the pools.
#pragma once

#include "machine/memory.hpp"

namespace lanebank::cudart::calls {

/// Before memory that a pool may have given is freed by cudaFree.
void forget_pool_allocation(const machine::Allocation& allocation);

}  // namespace lanebank::cudart::calls
