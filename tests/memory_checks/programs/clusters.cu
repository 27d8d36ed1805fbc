// Shared memory of other blocks of a cluster. Lines with "finds" are expected findings when the program is built with -DFAULT.
#include <cooperative_groups.h>

#include <cstdio>

namespace cg = cooperative_groups;

#ifdef FAULT
constexpr bool waits = false;
#else
constexpr bool waits = true;
#endif

// The neighbour may not have begun.
__global__ void __cluster_dims__(2) no_entry(int* out) {
  __shared__ int inbox[32];
  cg::cluster_group cluster = cg::this_cluster();
  if (waits) cluster.sync();
  cluster.map_shared_rank(inbox, cluster.block_rank() ^ 1)[threadIdx.x] = static_cast<int>(threadIdx.x);  // finds race block-not-begun
  cluster.sync();
  out[32 * blockIdx.x + threadIdx.x] = inbox[threadIdx.x];
}

// The neighbour may have ended.
__global__ void __cluster_dims__(2) no_exit(int* out) {
  __shared__ int mine[32];
  cg::cluster_group cluster = cg::this_cluster();
  mine[threadIdx.x] = static_cast<int>(threadIdx.x);
  cluster.sync();
  out[32 * blockIdx.x + threadIdx.x] = cluster.map_shared_rank(mine, cluster.block_rank() ^ 1)[threadIdx.x];  // finds race block-ended
  if (waits) cluster.sync();
}

// An atomic, and a warp that arrives early and waits late.
__global__ void __cluster_dims__(4) counts(int* out) {
  __shared__ int count;
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) count = 0;
  cluster.sync();
  if (threadIdx.x < 32) atomicAdd(cluster.map_shared_rank(&count, 0), 1);  // finds race block-ended
  if (waits) {
    cluster.barrier_arrive();
    cluster.barrier_wait();
  }
  if (cluster.block_rank() == 0 && threadIdx.x == 0) *out = count;
}

int main() {
  int* out = nullptr;
  cudaMalloc(&out, 4 * 64 * sizeof(int));
  no_entry<<<4, 32>>>(out);
  no_exit<<<4, 32>>>(out);
  counts<<<4, 64>>>(out);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
