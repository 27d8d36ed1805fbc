// Reads of shared memory that nobody wrote, with --checks uninitialised=influence: only those count that change what the kernel does.
#include <cstdio>

// Right: the last elements are read with their vector, and not used.
__global__ void unused(float* out) {
  __shared__ alignas(16) float row[256];
  if (threadIdx.x < 250) row[threadIdx.x] = 1;
  __syncthreads();
  const float4 v = reinterpret_cast<const volatile float4*>(row)->x > 0 ? *reinterpret_cast<const float4*>(&row[threadIdx.x / 4 * 4]) : float4{};
  if (threadIdx.x < 248) out[threadIdx.x] = v.x + v.y + v.z + v.w;
}

__global__ void stored(float* out) {
  __shared__ float row[256];
#ifdef FAULT
  if (threadIdx.x < 250) row[threadIdx.x] = 1;
#else
  row[threadIdx.x] = 1;
#endif
  __syncthreads();
  out[threadIdx.x] = row[255 - threadIdx.x];  // finds uninitialised uninitialised-read
}

__global__ void branched(int* out) {
  __shared__ int flags[64];
#ifndef FAULT
  flags[threadIdx.x] = 0;
#endif
  __syncthreads();
  if (flags[63 - threadIdx.x] > 100) printf("never with zeros\n");  // finds uninitialised uninitialised-read
  if (flags[63 - threadIdx.x] < -100) out[threadIdx.x] = 0;
}

int main() {
  float* out;
  cudaMalloc(&out, 65536);
  cudaMemset(out, 0, 65536);
  unused<<<2, 256>>>(out);
  stored<<<2, 256>>>(out);
  branched<<<1, 64>>>(reinterpret_cast<int*>(out));
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
