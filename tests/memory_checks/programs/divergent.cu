// Barriers in branches. Lines with "finds" are expected findings when the program is built with -DFAULT.
#include <cstdio>

__global__ void two_branches(int* out, int limit) {
  __shared__ int values[64];
  values[threadIdx.x] = 1;
#ifdef FAULT
  if (static_cast<int>(threadIdx.x) < limit) {
    out[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] += values[0];
  } else {
    out[threadIdx.x] = 2;
    __syncthreads();  // finds barrier-divergence divergent-barrier
    out[threadIdx.x] += values[1];
  }
#else
  out[threadIdx.x] = static_cast<int>(threadIdx.x) < limit ? 1 : 2;
  __syncthreads();
  out[threadIdx.x] += values[1];
#endif
}

// Right: whole warps may leave early.
__global__ void early_exit(int* out) {
  __shared__ int values[64];
  if (threadIdx.x >= 64) return;
  values[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = values[63 - threadIdx.x];
}

int main() {
  int* out;
  cudaMalloc(&out, 1024);
  two_branches<<<1, 64>>>(out, 16);
  early_exit<<<1, 128>>>(out);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
