// Calls a function that lanebank does not implement, twice.
#include <cuda_runtime.h>

#include <cstdio>

int main() {
  int* p = nullptr;
  cudaMalloc(&p, 16);
  cudaIpcMemHandle_t handle;
  const cudaError_t first = cudaIpcGetMemHandle(&handle, p);
  const cudaError_t second = cudaIpcGetMemHandle(&handle, p);
  std::printf("%s %s %s\n", cudaGetErrorName(first), cudaGetErrorName(second), cudaGetErrorName(cudaGetLastError()));
}
