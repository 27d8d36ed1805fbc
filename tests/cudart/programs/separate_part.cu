#include <cuda_runtime.h>

__device__ int shift = 7;
__device__ __noinline__ int part(int value) { return value * value; }
void set_shift(int value) { cudaMemcpyToSymbol(shift, &value, sizeof value); }
