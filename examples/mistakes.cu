// Mistakes with shared memory, each with its cure. docs/mistakes.md and docs/claims.md show what lanebank says of them.
// Usage: mistakes NAME [cured]
#include <cuda_pipeline.h>

#include <cstdio>
#include <cstring>

// A column of a tile whose rows are 32 words: one bank.
template <bool Cured>
__global__ void column(const float* in, float* out) {
  __shared__ float tile[32][Cured ? 33 : 32];
  const int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = in[32 * y + x];
  __syncthreads();
  out[32 * y + x] = tile[x][y];
}

// Only the write is swizzled.
template <bool Cured>
__global__ void one_side(const float* in, float* out) {
  __shared__ float tile[32][32];
  const int x = threadIdx.x, y = threadIdx.y;
  tile[y][x ^ y] = in[32 * y + x];
  __syncthreads();
  out[32 * y + x] = Cured ? tile[x][y ^ x] : tile[x][y];
}

// Nothing orders the read after the write of another warp.
template <bool Cured>
__global__ void barrier(const float* in, float* out) {
  __shared__ float tile[32][33];
  const int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = in[32 * y + x];
  if (Cured) __syncthreads();
  out[32 * y + x] = tile[x][y];
}

// The copy is submitted, and nobody waits for it.
template <bool Cured>
__global__ void copy(const float* in, float* out) {
  __shared__ float4 tile[32][8];
  const int x = threadIdx.x % 8, y = threadIdx.x / 8;
  __pipeline_memcpy_async(&tile[y][x], &reinterpret_cast<const float4*>(in)[8 * y + x], sizeof(float4));
  __pipeline_commit();
  if (Cured) __pipeline_wait_prior(0);
  __syncthreads();
  for (int row = threadIdx.x / 32; row < 32; row += 8)
    out[32 * (threadIdx.x % 32) + row] = reinterpret_cast<const float*>(tile[row])[threadIdx.x % 32];
}

// The third argument of the launch counts bytes.
template <bool Cured>
__global__ void dynamic(const float* in, float* out) {
  extern __shared__ float tile[];
  const int x = threadIdx.x, y = threadIdx.y;
  tile[33 * y + x] = in[32 * y + x];
  __syncthreads();
  out[32 * y + x] = tile[33 * x + y];
}

// A row is written as it is, a diagonal is read.
template <bool Cured>
__global__ void diagonal(const float* in, float* out) {
  __shared__ float tile[32][32];
  const int x = threadIdx.x, y = threadIdx.y;
  tile[y][Cured ? (x + y) % 32 : x] = in[32 * y + x];
  __syncthreads();
  out[32 * y + x] = tile[x][(x + y) % 32];
}

// The second read is as expensive as the first.
template <bool Cured>
__global__ void twice(const float* in, float* out) {
  __shared__ volatile float tile[32][Cured ? 33 : 32];
  const int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = in[32 * y + x];
  __syncthreads();
  const float first = tile[x][y];
  const float second = tile[x][y];
  out[32 * y + x] = (first + second) / 2;
}

using Kernel = void (*)(const float*, float*);
struct Mistake {
  const char* name;
  Kernel kernels[2];  // as it is, cured
  dim3 block;
  size_t dynamic_bytes[2];
};
constexpr size_t tile_elements = 32 * 33;
const Mistake mistakes[] = {
    {"column", {column<false>, column<true>}, dim3(32, 32), {0, 0}},
    {"one_side", {one_side<false>, one_side<true>}, dim3(32, 32), {0, 0}},
    {"barrier", {barrier<false>, barrier<true>}, dim3(32, 32), {0, 0}},
    {"copy", {copy<false>, copy<true>}, dim3(256), {0, 0}},
    {"dynamic", {dynamic<false>, dynamic<true>}, dim3(32, 32), {tile_elements, tile_elements * sizeof(float)}},
    {"diagonal", {diagonal<false>, diagonal<true>}, dim3(32, 32), {0, 0}},
    {"twice", {twice<false>, twice<true>}, dim3(32, 32), {0, 0}},
};

int main(int argc, char** argv) {
  const bool cured = argc > 2 && std::strcmp(argv[2], "cured") == 0;
  static float host[1024], result[1024];
  for (int i = 0; i < 1024; ++i) host[i] = static_cast<float>(i);
  float *in = nullptr, *out = nullptr;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof host);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  for (const Mistake& mistake : mistakes) {
    if (argc < 2 || std::strcmp(argv[1], mistake.name) != 0) continue;
    mistake.kernels[cured]<<<1, mistake.block, mistake.dynamic_bytes[cured]>>>(in, out);
    const cudaError_t error = cudaMemcpy(result, out, sizeof host, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int y = 0; y < 32; ++y)
      for (int x = 0; x < 32; ++x) wrong += result[32 * y + x] != host[32 * x + y];
    if (error != cudaSuccess)
      std::printf("%s: %s\n", mistake.name, cudaGetErrorString(error));
    else
      std::printf("%s: %d of 1024 elements wrong\n", mistake.name, wrong);
    return 0;
  }
  std::printf("usage: mistakes NAME [cured]\n");
  return 2;
}
