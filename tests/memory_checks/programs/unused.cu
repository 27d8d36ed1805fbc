// Bytes that nobody accesses. Lines with "finds" are expected findings when the program is built with -DFAULT. They stand where
// the kernel begins: no instruction is at fault.
#include <cstdio>

#ifdef FAULT
constexpr int columns = 33, extra = 256;
#else
constexpr int columns = 32, extra = 0;
#endif

// A column of padding that the index does not use.
__global__ void padding(float* out) {  // finds shared-size unused-bytes
  __shared__ float tile[16 * columns];
  tile[threadIdx.y * 32 + threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[(15 - threadIdx.y) * 32 + threadIdx.x];
}

// Twice the memory that it needs.
__global__ void dynamic(float* out) {  // finds shared-size unused-bytes
  extern __shared__ float numbers[];
  numbers[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = numbers[63 - threadIdx.x];
}

int main() {
  float* out = nullptr;
  cudaMalloc(&out, 4096);
  padding<<<2, dim3(32, 16)>>>(out);
  dynamic<<<2, 64, 256 + extra>>>(out);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
