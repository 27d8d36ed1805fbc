// Asynchronous copies. Lines with "finds" are expected findings when the program is built with -DFAULT.
#include <cstdint>
#include <cstdio>

__device__ unsigned window(const void* shared) { return static_cast<unsigned>(__cvta_generic_to_shared(shared)); }

__device__ void copy(void* to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(window(to)), "l"(from) : "memory");
}
__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int open>
__device__ void wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(open) : "memory");
}

#ifdef FAULT
constexpr int left_open = 1;
#else
constexpr int left_open = 0;
#endif

__global__ void not_awaited(float4* out, const float4* in) {
  __shared__ float4 tile[64];
  copy(&tile[threadIdx.x], &in[threadIdx.x]);
  commit();
  wait<left_open>();
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];  // finds race copy-not-awaited
}

__global__ void no_barrier(float4* out, const float4* in) {
  __shared__ float4 tile[64];
  copy(&tile[threadIdx.x], &in[threadIdx.x]);
  commit();
#ifdef FAULT
  __syncthreads();
  wait<0>();
#else
  wait<0>();
  __syncthreads();
#endif
  out[threadIdx.x] = tile[63 - threadIdx.x];  // finds race copy-not-awaited
}

// Three stages, as pipelines have them.
__global__ void pipeline(float* out, const float4* in, int steps) {
  __shared__ float4 stage[3][64];
  const int t = static_cast<int>(threadIdx.x);
  for (int n = 0; n < 2; ++n) {
    copy(&stage[n][t], &in[64 * n + t]);
    commit();
  }
  float sum = 0;
  for (int n = 0; n < steps; ++n) {
    wait<1>();
    __syncthreads();
#ifdef FAULT
    const int filled = n % 3;
#else
    const int filled = (n + 2) % 3;
#endif
    if (n + 2 < steps) copy(&stage[filled][t], &in[64 * (n + 2) + t]);
    commit();
    sum += stage[n % 3][63 - t].x;  // finds race copy-not-awaited
  }
  out[t] = sum;
}

__device__ void arrive_expect(std::uint64_t* barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(window(barrier)), "r"(bytes) : "memory");
}
__device__ void wait_phase(std::uint64_t* barrier, unsigned parity) {
  asm volatile(
      "{ .reg .pred p;\n again: mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n @!p bra again; }" ::"r"(window(barrier)),
      "r"(parity)
      : "memory");
}

// A warp that copies ahead for the others, with full and empty barriers.
__global__ void bulk(float* out, const float* in, int steps) {
  __shared__ alignas(16) float stage[2][128];
  __shared__ std::uint64_t full[2], empty[2];
  const int t = static_cast<int>(threadIdx.x);
  if (t == 0) {
    for (int n = 0; n < 2; ++n) {
      asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(window(&full[n])) : "memory");
      asm volatile("mbarrier.init.shared.b64 [%0], 128;" ::"r"(window(&empty[n])) : "memory");
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (t >= 128) {
    if (t == 128)
      for (int n = 0; n < steps; ++n) {
        if (n >= 2) wait_phase(&empty[n % 2], (n / 2 - 1) & 1);
        arrive_expect(&full[n % 2], 512);
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 512, [%2];" ::"r"(
                window(stage[n % 2])),
            "l"(in + 128 * n), "r"(window(&full[n % 2]))
            : "memory");
      }
    return;
  }
  float sum = 0;
  for (int n = 0; n < steps; ++n) {
#ifndef FAULT
    wait_phase(&full[n % 2], n / 2 & 1);
#endif
    sum += stage[n % 2][127 - t];  // finds race copy-not-awaited
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(window(&empty[n % 2])) : "memory");
  }
  out[t] = sum;
}

// K-major, no swizzle: 8 rows of 16 bytes; 128 bytes on the next 16 bytes along k, 256 bytes on the next 8 rows.
__device__ std::uint64_t descriptor(const void* shared) {
  return std::uint64_t{(window(shared) & 0x3ffff) >> 4} | std::uint64_t{8} << 16 | std::uint64_t{16} << 32;
}

#define PRODUCT         \
  "wgmma.fence.sync.aligned;" \
  "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 0, 1, 1, 0, 0;"

// A warpgroup's product of what its four warps copied.
__global__ void warpgroup_product(float* out, const float4* in) {
  __shared__ alignas(128) float4 a[128], b[16];
  const int t = static_cast<int>(threadIdx.x);
  copy(&a[t], &in[t]);
  if (t < 16) copy(&b[t], &in[t]);
  commit();
  wait<0>();
#ifndef FAULT
  __syncthreads();
#endif
  asm volatile("fence.proxy.async;" ::: "memory");
  float d[4] = {};
  const std::uint64_t a_at = descriptor(a), b_at = descriptor(b);
  asm volatile(PRODUCT : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a_at), "l"(b_at));  // finds race copy-not-awaited
  asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");
  out[t] = d[0] + d[1] + d[2] + d[3];
}

int main() {
  float* in;
  float* out;
  cudaMalloc(&in, 65536);
  cudaMemset(in, 0, 65536);
  cudaMalloc(&out, 65536);
  not_awaited<<<2, 64>>>(reinterpret_cast<float4*>(out), reinterpret_cast<const float4*>(in));
  no_barrier<<<2, 64>>>(reinterpret_cast<float4*>(out), reinterpret_cast<const float4*>(in));
  pipeline<<<2, 64>>>(out, reinterpret_cast<const float4*>(in), 8);
#ifdef FAULT
  bulk<<<2, 160>>>(out, in, 2);
#else
  bulk<<<2, 160>>>(out, in, 8);
#endif
  warpgroup_product<<<2, 128>>>(out, reinterpret_cast<const float4*>(in));
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
