// What kernels of clusters that use mbarriers share: addresses of shared memory, here and in another block, and the wait.
#pragma once

#include <cstdint>

namespace {

__device__ std::uint32_t shared_address(const void* place) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(place));
}

/// The place of `address` in the block of this rank of the cluster.
__device__ std::uint32_t in_other_block(std::uint32_t address, unsigned rank) {
  std::uint32_t mapped;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(address), "r"(rank));
  return mapped;
}

/// Until the mbarrier's first phase is complete.
__device__ void wait(std::uint32_t barrier) {
  std::uint32_t done = 0;
  while (done == 0)
    asm volatile("{\n .reg .pred p;\n mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n selp.u32 %0, 1, 0, p;\n}"
                 : "=r"(done)
                 : "r"(barrier)
                 : "memory");
}

}  // namespace
