// Reads of shared memory that nobody wrote. Lines with "finds" are expected findings when the program is built with -DFAULT.
#include <cstdio>

#ifdef FAULT
constexpr int filled = 200;
#else
constexpr int filled = 256;
#endif

__global__ void part_filled(float* out) {
  __shared__ float tile[256];
  if (threadIdx.x < filled) tile[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = tile[255 - threadIdx.x];  // finds uninitialised uninitialised-read
}

// What an earlier block left is not this block's.
__global__ void vectors(float4* out) {
  __shared__ alignas(16) float row[1024];
  for (int n = static_cast<int>(threadIdx.x); n < 4 * filled; n += 256) row[n] = 2;
  __syncthreads();
  out[threadIdx.x] = reinterpret_cast<const float4*>(row)[255 - threadIdx.x];  // finds uninitialised uninitialised-read
}

__global__ void counter(unsigned* out) {
  __shared__ unsigned count;
#ifndef FAULT
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
#endif
  atomicAdd(&count, 1u);  // finds uninitialised uninitialised-read
  __syncthreads();
  *out = count;
}

__global__ void bytes(unsigned* out) {
  __shared__ unsigned char text[256];
#ifdef FAULT
  if (threadIdx.x % 4 != 3) text[threadIdx.x] = 1;
#else
  text[threadIdx.x] = 1;
#endif
  __syncthreads();
  if (threadIdx.x < 64) out[threadIdx.x] = reinterpret_cast<const unsigned*>(text)[63 - threadIdx.x];  // finds uninitialised uninitialised-read
}

// Right: ptxas reads the three words as four, past the end of the block's memory.
__global__ void three_words(float* out) {
  __shared__ float words[3];
  if (threadIdx.x == 0) {
    words[0] = out[0];
    words[1] = out[1];
    words[2] = out[2];
  }
  __syncthreads();
  out[threadIdx.x] = words[0] * words[1] + words[2];
}

int main() {
  float* out;
  cudaMalloc(&out, 65536);
  part_filled<<<2, 256>>>(out);
  vectors<<<2, 256>>>(reinterpret_cast<float4*>(out));
  counter<<<2, 256>>>(reinterpret_cast<unsigned*>(out));
  bytes<<<2, 256>>>(reinterpret_cast<unsigned*>(out));
  three_words<<<2, 64>>>(reinterpret_cast<float*>(out));
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
