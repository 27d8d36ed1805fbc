// A shared object with device code and a CUDA runtime of its own. Its constructor registers the kernel.
#include <cuda_runtime.h>

__device__ int offset = 100;
__global__ void triple(int* p) { p[threadIdx.x] = 3 * p[threadIdx.x] + offset; }

// A constructor that already computes: the runtime must be redirected before it runs.
static int at_start = [] {
  int *p, host[2] = {1, 2};
  if (cudaMalloc(&p, sizeof host) != cudaSuccess) return -1;
  cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice);
  triple<<<1, 2>>>(p);
  cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(p);
  return host[0] + host[1];
}();

extern "C" int plugin_at_start() { return at_start; }
extern "C" int plugin_triple(int value) {
  int* p;
  if (cudaMalloc(&p, 4) != cudaSuccess) return -1;
  cudaMemcpy(p, &value, 4, cudaMemcpyHostToDevice);
  triple<<<1, 1>>>(p);
  cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost);
  cudaFree(p);
  return value;
}
