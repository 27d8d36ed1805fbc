// Calls a function that lanebank does not implement, twice.
#include <cuda_runtime.h>

#include <cstdio>

int main() {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array = nullptr;
  const cudaError_t first = cudaMallocArray(&array, &format, 16, 16);
  const cudaError_t second = cudaMallocArray(&array, &format, 16, 16);
  std::printf("%s %s %s\n", cudaGetErrorName(first), cudaGetErrorName(second), cudaGetErrorName(cudaGetLastError()));
}
