// Atomics, fences and locks. Lines with "finds" are expected findings when the program is built with -DFAULT.
#include <cstdio>

#ifdef FAULT
#define BARRIER
#define FENCE
#else
#define BARRIER __syncthreads()
#define FENCE __threadfence_block()
#endif

__global__ void histogram(unsigned* out) {
  __shared__ unsigned bins[64];
  if (threadIdx.x < 64) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[threadIdx.x * 7 % 64], 1u);
  BARRIER;
  if (threadIdx.x < 64) out[threadIdx.x] = bins[63 - threadIdx.x];  // finds race read-after-write
}

// Right: floats are added by a loop around a compare-and-swap, whose first read is a plain one.
__global__ void float_sum(float* out) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, 1.0f);
  __syncthreads();
  *out = sum;
}

// The last of the block to arrive reads what all have written.
__global__ void last_one_reads(unsigned* out) {
  __shared__ unsigned values[256], arrived;
  if (threadIdx.x == 0) arrived = 0;
  __syncthreads();
  values[threadIdx.x] = threadIdx.x;
  FENCE;
  const bool last = atomicAdd(&arrived, 1u) == 255;
  FENCE;
  if (last) {
    unsigned sum = 0;
    for (int n = 0; n < 256; ++n) sum += values[n];  // finds race read-after-write
    *out = sum;
  }
}

int main() {
  unsigned* out;
  cudaMalloc(&out, 1024);
  histogram<<<2, 256>>>(out);
  float_sum<<<2, 256>>>(reinterpret_cast<float*>(out));
  last_one_reads<<<2, 256>>>(out);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
