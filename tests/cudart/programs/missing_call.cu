// Calls a function that lanebank does not implement, twice.
#include <cuda_runtime.h>

#include <cstdio>

int main() {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t array = nullptr;
  const cudaError_t first = cudaMallocMipmappedArray(&array, &format, make_cudaExtent(16, 16, 0), 2);
  const cudaError_t second = cudaMallocMipmappedArray(&array, &format, make_cudaExtent(16, 16, 0), 2);
  std::printf("%s %s %s\n", cudaGetErrorName(first), cudaGetErrorName(second), cudaGetErrorName(cudaGetLastError()));
}
