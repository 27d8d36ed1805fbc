// The copy engine (TMA) and the barriers of shared memory that count what it brings, one function per instruction, named as
// PTX names them.
//
//   mbarrier_...                                       barriers that count threads and bytes
//   tensor_load, tensor_load_multicast, tensor_store   boxes of a tensor map between global and shared memory
//   bulk_commit, bulk_wait, bulk_wait_read             the stores of a thread, in groups
//
//   if (threadIdx.x == 0) {
//     mbarrier_init(barrier, 1);
//     mbarrier_fence_init();
//     mbarrier_arrive_expect(barrier, bytes_of_the_box);
//     tensor_load(shared_address(tile), map, column, row, barrier);
//   }
//   __syncthreads();
//   mbarrier_wait(barrier, 0);
//
// Shared memory is named by 32-bit addresses (`shared_address`); barriers are 8 bytes at multiples of 8, boxes lie at multiples
// of 128. One thread calls; all that want the box wait. sm_90. Maps: tensor_map.cuh.
// What it does not do: check anything. C++17, device code; nothing but CUDA headers.
// Source: PTX ISA 8.7.
#pragma once

#include <cuda.h>

#include <cstdint>

namespace lanebank::kernels {

__device__ __forceinline__ std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

// Barriers of shared memory. A phase ends when all arrivals and all announced bytes are there; phases have parity 0, 1, 0...

__device__ __forceinline__ void mbarrier_init(std::uint32_t barrier, std::uint32_t arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}
/// Makes initialised barriers known to the copy engine and the cluster.
__device__ __forceinline__ void mbarrier_fence_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ __forceinline__ void mbarrier_arrive_expect(std::uint32_t barrier, std::uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
/// Arrives at the barrier that lies at the same place in block `rank` of the cluster. It says only that tensor cores have
/// read: no ordinary store is to be seen by the other block, which would take release.cluster (a fence of the whole device).
__device__ __forceinline__ void mbarrier_arrive_cluster(std::uint32_t barrier, std::uint32_t rank) {
  asm volatile(
      "{\n.reg .b32 remote;\n"
      "mapa.shared::cluster.u32 remote, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [remote];\n}" ::"r"(barrier),
      "r"(rank)
      : "memory");
}
__device__ __forceinline__ void mbarrier_arrive(std::uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
/// Waits until the phase of this parity has ended.
__device__ __forceinline__ void mbarrier_wait(std::uint32_t barrier, std::uint32_t parity) {
  std::uint32_t done = 0;
  do {
    asm volatile(
        "{\n.reg .pred p;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
        "selp.u32 %0, 1, 0, p;\n}"
        : "=r"(done)
        : "r"(barrier), "r"(parity)
        : "memory");
  } while (done == 0);
}

// The copy engine. Coordinates in elements, fastest first.

__device__ __forceinline__ void prefetch_tensor_map(const CUtensorMap& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}
__device__ __forceinline__ void tensor_load(std::uint32_t target, const CUtensorMap& map, std::uint32_t x,
                                            std::uint32_t y, std::uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
          target),
      "l"(&map), "r"(x), "r"(y), "r"(barrier)
      : "memory");
}
/// The same of a map of three dimensions; what lies outside, before the first element too, comes as zero.
__device__ __forceinline__ void tensor_load(std::uint32_t target, const CUtensorMap& map, std::int32_t x,
                                            std::int32_t y, std::int32_t z, std::uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];" ::
          "r"(target),
      "l"(&map), "r"(x), "r"(y), "r"(z), "r"(barrier)
      : "memory");
}
/// A box of two dimensions into every block of the cluster that has a bit in `blocks`, at the same place, with its own barrier.
__device__ __forceinline__ void tensor_load_multicast(std::uint32_t target, const CUtensorMap& map, std::uint32_t x,
                                                      std::uint32_t y, std::uint32_t barrier, std::uint16_t blocks) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, "
      "%3}], [%4], %5;" ::"r"(target),
      "l"(&map), "r"(x), "r"(y), "r"(barrier), "h"(blocks)
      : "memory");
}
__device__ __forceinline__ void tensor_store(const CUtensorMap& map, std::uint32_t x, std::uint32_t y,
                                             std::uint32_t source) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map), "r"(x),
               "r"(y), "r"(source)
               : "memory");
}
__device__ __forceinline__ void bulk_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
/// Waits until at most `Groups` of the thread's stores still read shared memory.
template <unsigned Groups>
__device__ __forceinline__ void bulk_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Groups) : "memory");
}
template <unsigned Groups>
__device__ __forceinline__ void bulk_wait() {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(Groups) : "memory");
}
/// Makes the thread's stores to shared memory visible to the copy engine and to wgmma.
__device__ __forceinline__ void fence_async_proxy() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

}  // namespace lanebank::kernels
