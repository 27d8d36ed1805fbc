// Barriers of grids and blocks: cooperative_groups' grid barrier, and shuffles in warps that a branch has split: behind
// __syncthreads(), and in the branch.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdio>

__global__ void sum_of_blocks(int* parts, int* sums) {
  if (threadIdx.x == 0) parts[blockIdx.x] = blockIdx.x + 1;
  cooperative_groups::this_grid().sync();
  int sum = 0;
  for (int i = 0; i < gridDim.x; ++i) sum += parts[i];
  cooperative_groups::this_grid().sync();
  if (threadIdx.x == 0) parts[blockIdx.x] = sum;
  cooperative_groups::this_grid().sync();
  if (threadIdx.x == 0) sums[blockIdx.x] = parts[(blockIdx.x + 1) % gridDim.x];
}

/// Lanes below `count` write the table, then every lane of the warp takes part in a sum.
__global__ void sum_behind_barrier(const int* in, int* out, int count) {
  __shared__ int table[64];
  table[threadIdx.x] = 1;
  __syncthreads();
  for (int i = threadIdx.x; i < count; i += blockDim.x) table[i] = in[i];
  __syncthreads();
  int value = table[threadIdx.x];
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffff, value, step);
  out[threadIdx.x] = value;
}

/// A shuffle that names the whole warp in a branch that only some of its lanes take.
__global__ void shuffle_in_branch(int* out, int count) {
  int value = threadIdx.x;
  if (threadIdx.x < count) {
    for (int i = 0; i < count - 20; ++i) value += __shfl_down_sync(0xffffffff, value, 1);
    out[32] = value;
  }
  out[threadIdx.x] = value;
}

int main() {
  constexpr int blocks = 40;
  int *parts = nullptr, *sums = nullptr, host[64];
  cudaMalloc(&parts, sizeof host);
  cudaMalloc(&sums, sizeof host);
  void* arguments[] = {&parts, &sums};
  cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(sum_of_blocks), dim3(blocks), dim3(64), arguments, 0, nullptr);
  std::printf("%s", cudaGetErrorName(cudaMemcpy(host, sums, sizeof host, cudaMemcpyDeviceToHost)));
  std::printf(" %d %d\n", host[0], host[blocks - 1]);
  for (int i = 0; i < 64; ++i) host[i] = i;
  cudaMemcpy(parts, host, sizeof host, cudaMemcpyHostToDevice);
  sum_behind_barrier<<<1, 64>>>(parts, sums, 15);
  cudaMemcpy(host, sums, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%d %d %d\n", host[0], host[31], host[63]);
  sum_of_blocks<<<blocks, 64>>>(parts, sums);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  shuffle_in_branch<<<1, 32>>>(sums, 24);
  std::printf("%s", cudaGetErrorName(cudaMemcpy(host, sums, sizeof host, cudaMemcpyDeviceToHost)));
  std::printf(" %d %d %d\n", host[0], host[10], host[31]);
}
