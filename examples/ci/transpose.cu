// The program of the workflow beside it: a transpose by 32 x 32 tiles of shared memory. Built with -DLAYOUT_xor the column
// is XORed by the row, and a column of the tile lies in 32 banks; without, in one.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int tile_size = 32;

__device__ int column_of(int row, int column) {
#ifdef LAYOUT_xor
  return column ^ row;
#else
  return column;
#endif
}

__global__ void transpose(const float* in, float* out, int size) {
  __shared__ float tile[tile_size][tile_size];
  const int x = threadIdx.x, y = threadIdx.y;
  tile[y][column_of(y, x)] = in[(blockIdx.y * tile_size + y) * size + blockIdx.x * tile_size + x];
  __syncthreads();
  out[(blockIdx.x * tile_size + y) * size + blockIdx.y * tile_size + x] = tile[x][column_of(x, y)];
}

int main() {
  constexpr int size = 256;
  std::vector<float> in(size * size), out(size * size);
  for (int i = 0; i < size * size; ++i) in[i] = static_cast<float>(i);
  float *from = nullptr, *to = nullptr;
  cudaMalloc(&from, in.size() * sizeof(float));
  cudaMalloc(&to, out.size() * sizeof(float));
  cudaMemcpy(from, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice);
  transpose<<<dim3(size / tile_size, size / tile_size), dim3(tile_size, tile_size)>>>(from, to, size);
  cudaMemcpy(out.data(), to, out.size() * sizeof(float), cudaMemcpyDeviceToHost);
  for (int row = 0; row < size; ++row)
    for (int column = 0; column < size; ++column)
      if (out[row * size + column] != in[column * size + row]) {
        std::printf("wrong at %d, %d\n", row, column);
        return 1;
      }
  std::printf("right\n");
  return 0;
}
