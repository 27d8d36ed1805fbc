// What warpgroups of sm_90a do together (tests/machine/control_test.cpp).
#include <cstdint>
#include <cuda_fp16.h>

__device__ unsigned window(const void* shared) { return static_cast<unsigned>(__cvta_generic_to_shared(shared)); }

/// K-major, without swizzle: 8 rows of 16 bytes, then `leading` to the next 16 bytes along k, `stride` to the next 8 rows.
__device__ std::uint64_t descriptor(const void* shared, unsigned leading, unsigned stride) {
  return std::uint64_t{(window(shared) & 0x3ffff) >> 4} | std::uint64_t{leading >> 4} << 16 | std::uint64_t{stride >> 4} << 32;
}

/// 64 x 16 by 16 x 8, both filled by the four warps together without a barrier. The products
/// begin when all warps of the group have arrived, so each sees what the others wrote before.
extern "C" __global__ void without_barrier(float* sums) {
  __shared__ alignas(128) __half a[64 * 16], b[8 * 16];
  const unsigned t = threadIdx.x;
  for (unsigned i = t; i < 64 * 16; i += 128) a[i] = __float2half(1);
  b[t] = __float2half(static_cast<float>(t / 32 + 1));  // 8 k of 8 columns, then 8 more k
  asm volatile("fence.proxy.async;" ::: "memory");
  float d[4] = {};
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 0, 1, 1, 0, 0;"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "l"(descriptor(a, 128, 256)), "l"(descriptor(b, 128, 256)));
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  // Thread t of warp w has columns 2 (t % 4) and the next of rows 16 w + t / 4 and 8 below.
  const unsigned row = 16 * (t / 32) + t % 32 / 4;
  for (unsigned i = 0; i < 4; ++i) sums[8 * (row + i / 2 * 8) + 2 * (t % 4) + i % 2] = d[i];
}

/// Three warpgroups of 168 registers each; two ask for 240, and need them.
extern "C" __global__ void __launch_bounds__(384, 1) more_registers(const float* in, float* out) {
  if (threadIdx.x < 128) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
  constexpr int many = 216;
  float held[many];
  const int t = static_cast<int>(threadIdx.x) - 128;
#pragma unroll
  for (int i = 0; i < many; ++i) held[i] = in[256 * i + t];
  asm volatile("bar.sync 1, 256;" ::: "memory");
#pragma unroll
  for (int i = 0; i < many; ++i) out[256 * i + t] = held[i] * held[many - 1 - i];
}
