// The instructions that the matrix products are made of, one function each, named as PTX names them.
//
//   cp_async, cp_async_commit, cp_async_wait<N>        16 bytes from global to shared memory, the rest of them zeros
//   ldmatrix_x4<Transposed>, stmatrix_x4               four 8x8 matrices of 16-bit elements
//   mma_m16n8k16<In>                                   D += A * B, half or bfloat16 in, float sums
//   wgmma_fence, wgmma_commit, wgmma_wait<N>, wgmma    the same by a warpgroup, operands in shared memory (sm_90a)
//   cluster_...                                        the blocks of a cluster
//
// Barriers that count bytes and the copies they count: copy_engine.cuh.
//
// Shared memory is named by 32-bit addresses (`shared_address`). Who calls: "warp" functions all lanes of a warp together;
// "warpgroup" functions four warps from a multiple of four on; the others one thread.
// What it does not do: check anything. C++17, device code; nothing but CUDA headers.
// Source: PTX ISA 8.7.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "lanebank/kernels/copy_engine.cuh"

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define LANEBANK_HAS_WGMMA 1
#endif

namespace lanebank::kernels {

/// Copies `bytes` <= 16 bytes and fills up to 16 with zeros. Both addresses are multiples of 16.
__device__ __forceinline__ void cp_async(std::uint32_t target, const void* source, std::uint32_t bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(target), "l"(__cvta_generic_to_global(source)),
               "r"(bytes)
               : "memory");
}
__device__ __forceinline__ void cp_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
/// Waits until at most `Groups` of the thread's latest groups are under way.
template <unsigned Groups>
__device__ __forceinline__ void cp_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Groups) : "memory");
}

/// Warp. Lane l gives the address of row l % 8 of matrix l / 8.
template <bool Transposed = false>
__device__ __forceinline__ void ldmatrix_x4(std::uint32_t (&r)[4], std::uint32_t address) {
  if constexpr (Transposed)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address)
                 : "memory");
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address)
                 : "memory");
}

/// Warp. The reverse of ldmatrix_x4. sm_90.
__device__ __forceinline__ void stmatrix_x4(std::uint32_t address, std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                            std::uint32_t d) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(address), "r"(a), "r"(b), "r"(c),
               "r"(d)
               : "memory");
}

/// Warp. d += a * b, fragments of m16n8k16 as the PTX ISA draws them.
template <class In>
__device__ __forceinline__ void mma_m16n8k16(float (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                             std::uint32_t b1);
template <>
__device__ __forceinline__ void mma_m16n8k16<__half>(float (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                                     std::uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
template <>
__device__ __forceinline__ void mma_m16n8k16<__nv_bfloat16>(float (&d)[4], const std::uint32_t (&a)[4],
                                                            std::uint32_t b0, std::uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/// `threads` threads meet at one of the block's barriers 1..15.
__device__ __forceinline__ void named_barrier(std::uint32_t number, std::uint32_t threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
}

__device__ __forceinline__ std::uint32_t cluster_rank() {
  std::uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
/// All threads of all blocks of the cluster.
__device__ __forceinline__ void cluster_sync() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

}  // namespace lanebank::kernels
