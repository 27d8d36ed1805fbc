// Atomics, fences and locks. Lines with "finds" are expected findings when the program is built with -DFAULT.
#include <cstdio>

#ifdef FAULT
#define BARRIER
#define FENCE
#define ORDER "relaxed"
#else
#define BARRIER __syncthreads()
#define FENCE __threadfence_block()
#define ORDER "release"
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

/// A flag of C++ atomics, whose addresses are generic: the second warp gives what it has stored, the first looks for it.
__global__ void flag_gives(unsigned* out) {
  __shared__ unsigned values[32], ready;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  if (threadIdx.x >= 32) {
    values[threadIdx.x - 32] = threadIdx.x;
    __syncwarp();
    if (threadIdx.x == 32) asm volatile("st." ORDER ".cta.u32 [%0], 1;" ::"l"(&ready) : "memory");
  } else {
    unsigned seen = 0;
    while (seen == 0) asm volatile("ld.acquire.cta.u32 %0, [%1];" : "=r"(seen) : "l"(&ready) : "memory");
    out[threadIdx.x] = values[31 - threadIdx.x];  // finds race read-after-write
  }
}

int main() {
  unsigned* out;
  cudaMalloc(&out, 1024);
  histogram<<<2, 256>>>(out);
  float_sum<<<2, 256>>>(reinterpret_cast<float*>(out));
  last_one_reads<<<2, 256>>>(out);
  flag_gives<<<2, 64>>>(out);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
