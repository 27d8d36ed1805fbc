// Prints which blocks of a grid of 100, and which of a grid of 4 clusters of 2, ran.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void mark(int* out) {
  __shared__ int table[64];
  table[2 * (threadIdx.x % 32)] = 1;
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = table[0];
}
__global__ void __cluster_dims__(2, 1, 1) mark_clusters(int* out) {
  if (threadIdx.x == 0) out[blockIdx.x] = 1;
}

static void show(const int* device, int count) {
  int host[100] = {};
  cudaMemcpy(host, device, sizeof(int) * count, cudaMemcpyDeviceToHost);
  for (int i = 0; i < count; ++i)
    if (host[i] != 0) std::printf(" %d", i);
  std::printf("\n");
}

int main() {
  int* out = nullptr;
  cudaMalloc(&out, 100 * sizeof(int));
  cudaMemset(out, 0, 100 * sizeof(int));
  mark<<<100, 64>>>(out);
  show(out, 100);
  cudaMemset(out, 0, 100 * sizeof(int));
  mark_clusters<<<8, 64>>>(out);
  show(out, 8);
}
