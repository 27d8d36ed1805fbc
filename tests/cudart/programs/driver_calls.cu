// Linked with -lcuda: driver functions beside the runtime, and one that lanebank does not have.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

__global__ void add(int* p, int n) { p[threadIdx.x] += n; }

int main() {
  int count = 0, major = 0;
  CUdevice device = -1;
  CUcontext context = nullptr;
  char name[64] = "";
  const char* text = nullptr;
  CUdeviceptr p = 0;
  int host[4] = {1, 2, 3, 4};
  const bool begun = cuInit(0) == CUDA_SUCCESS && cuDeviceGetCount(&count) == CUDA_SUCCESS && count == 1 &&
                     cuDeviceGet(&device, 0) == CUDA_SUCCESS && cuDeviceGetName(name, sizeof name, device) == CUDA_SUCCESS &&
                     cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device) == CUDA_SUCCESS &&
                     cuCtxGetCurrent(&context) == CUDA_SUCCESS && context != nullptr;
  std::printf("begun %d, %s, %d\n", begun, name, major);
  const bool moved = cuMemAlloc(&p, sizeof host) == CUDA_SUCCESS && cuMemcpyHtoD(p, host, sizeof host) == CUDA_SUCCESS;
  add<<<1, 4>>>(reinterpret_cast<int*>(p), 10);
  std::memset(host, 0, sizeof host);
  const bool back = cuMemcpyDtoH(host, p, sizeof host) == CUDA_SUCCESS && host[0] == 11 && host[3] == 14;
  const bool set = cuMemsetD32(p, 0x01020304, 4) == CUDA_SUCCESS && cuCtxSynchronize() == CUDA_SUCCESS;
  cudaMemcpy(host, reinterpret_cast<void*>(p), sizeof host, cudaMemcpyDeviceToHost);
  std::printf("moved %d %d %d %d\n", moved, back, set, host[3] == 0x01020304);
  std::printf("errors %d %d\n", cuMemFree(p + 4) == CUDA_ERROR_INVALID_VALUE, cuMemFree(p) == CUDA_SUCCESS);
  cuGetErrorName(CUDA_ERROR_OUT_OF_MEMORY, &text);
  std::printf("%s\n", text);
  CUmodule module;
  std::printf("missing %d\n", cuModuleLoadData(&module, "") == CUDA_ERROR_NOT_SUPPORTED);
}
