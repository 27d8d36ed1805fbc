// Relocatable device code: this half has the kernel, separate_part.cu the function and the variable.
#include <cuda_runtime.h>

#include <cstdio>

extern __device__ int part(int value);
extern __device__ int shift;
__global__ void whole(int* p) { p[threadIdx.x] = part(p[threadIdx.x]) + shift; }
void set_shift(int value);

int main() {
  int host[4] = {1, 2, 3, 4}, *p;
  cudaMalloc(&p, sizeof host);
  cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice);
  set_shift(1000);
  whole<<<1, 4>>>(p);
  cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%d %d %d %d, %s\n", host[0], host[1], host[2], host[3], cudaGetErrorString(cudaGetLastError()));
}
