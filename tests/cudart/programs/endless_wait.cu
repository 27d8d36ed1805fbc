// Waits that never end, each a kernel of its own: for bytes that nobody copies, for an arrival of the other block of the cluster,
// and, with the argument `right`, for what comes.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

#include "../hardware/cluster.hpp"

/// The mbarrier expects two arrivals; thread 0 makes `arrivals` of them and expects `bytes` with each, of which threads of the
/// second warp bring `brought` each.
__global__ void in_block(unsigned arrivals, unsigned bytes, unsigned brought) {
  __shared__ alignas(8) std::uint64_t word;
  const auto barrier = static_cast<std::uint32_t>(__cvta_generic_to_shared(&word));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 2;" ::"r"(barrier) : "memory");
    for (unsigned n = 0; n < arrivals; ++n)
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
  }
  __syncthreads();
  if (threadIdx.x >= 32 && brought != 0)
    asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(brought) : "memory");
  wait(barrier);
}

/// Block 0 waits for block 1, which comes or does not.
__global__ void __cluster_dims__(2, 1, 1) in_cluster(bool comes) {
  __shared__ alignas(8) std::uint64_t word;
  const auto barrier = static_cast<std::uint32_t>(__cvta_generic_to_shared(&word));
  const auto cluster = cooperative_groups::this_cluster();
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
  cluster.sync();
  if (cluster.block_rank() == 1 && comes && threadIdx.x == 0)
    asm volatile(
        "{\n .reg .b32 remote;\n mapa.shared::cluster.u32 remote, %0, 0;\n"
        " mbarrier.arrive.release.cluster.shared::cluster.b64 _, [remote];\n}" ::"r"(barrier)
        : "memory");
  if (cluster.block_rank() == 0) wait(barrier);
}

/// A millisecond, in sleeps of a microsecond.
__global__ void for_a_time(unsigned* turns) {
  const auto now = [] {
    unsigned long long time;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
    return time;
  };
  unsigned n = 0;
  for (const unsigned long long end = now() + 1000000; now() < end; ++n) __nanosleep(n % 2 == 0 ? 1000 : *turns);
  *turns = n;
}

int main(int count, char** arguments) {
  const char* what = count > 1 ? arguments[1] : "bytes";
  const bool right = std::strcmp(what, "right") == 0;
  if (right || std::strcmp(what, "bytes") == 0) in_block<<<3, 64>>>(right ? 2 : 1, 480, right ? 30 : 0);
  if (right || std::strcmp(what, "cluster") == 0) in_cluster<<<4, 32>>>(right);
  if (right) {
    unsigned *turns = nullptr, seen = 1000;
    cudaMalloc(&turns, sizeof seen);
    cudaMemcpy(turns, &seen, sizeof seen, cudaMemcpyHostToDevice);
    for_a_time<<<1, 1>>>(turns);
    cudaMemcpy(&seen, turns, sizeof seen, cudaMemcpyDeviceToHost);
    if (seen > 1000) std::printf("sleeps pass no time: %u turns\n", seen);
  }
  std::puts(cudaGetErrorName(cudaDeviceSynchronize()));
}
