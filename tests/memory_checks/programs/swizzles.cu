// Tiles that are written through a swizzle. Lines with "finds" are expected findings (notes) when the program is built with -DFAULT.
#include <cstdio>

__global__ void columns(float* out, const float* in) {
  __shared__ float tile[32][32];
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  tile[y][x ^ y] = in[32 * y + x];
  __syncthreads();
#ifdef FAULT
  out[32 * y + x] = tile[x][y];  // finds swizzle-mismatch reads-do-not-follow
#else
  out[32 * y + x] = tile[x][y ^ x];
#endif
}

// Only the start of each row goes through the map.
__device__ int place(int row, int column) { return row * 64 + ((column / 8 ^ row % 8) * 8 | column % 8); }

__global__ void row_sums(int* out, const int* in) {
  __shared__ int rows[32 * 64];
  const int t = static_cast<int>(threadIdx.x);
  for (int i = t; i < 32 * 64; i += 32) rows[place(i / 64, i % 64)] = in[i];
  __syncwarp();
  int sum = 0;
  for (int c = 0; c < 24; ++c) {
#ifdef FAULT
    sum += rows[(place(t, 0) + c) % (32 * 64)];  // finds swizzle-mismatch reads-do-not-follow
#else
    sum += rows[place(t, c)];
#endif
  }
  out[t] = sum;
}

// Right: a butterfly reads another lane's element on purpose, of a tile that is written as it is.
__global__ void butterfly(float* out) {
  __shared__ float row[128];
  const int t = static_cast<int>(threadIdx.x);
  row[t] = static_cast<float>(t);
  for (int step = 1; step < 128; step *= 2) {
    __syncthreads();
    const float sum = row[t] + row[t ^ step];
    __syncthreads();
    row[t] = sum;
  }
  out[t] = row[t];
}

int main() {
  float* memory;
  cudaMalloc(&memory, 65536);
  cudaMemset(memory, 0, 65536);
  columns<<<2, dim3(32, 32)>>>(memory, memory + 4096);
  row_sums<<<1, 32>>>(reinterpret_cast<int*>(memory), reinterpret_cast<int*>(memory) + 4096);
  butterfly<<<2, 128>>>(memory);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
