// Launches that cannot begin, and what the calls after them return.
#include "say.hpp"

__global__ void empty() {}
__global__ void number(int* p) { if (p) *p = 1; }
__global__ void static_1k(int* p) {
  __shared__ int words[256];
  words[threadIdx.x % 256] = threadIdx.x;
  __syncthreads();
  if (p) *p = words[255 - threadIdx.x % 256];
}
extern __shared__ int dynamic_words[];
__global__ void dynamic(int* p) {
  dynamic_words[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (p) *p = dynamic_words[0];
}
__global__ void __launch_bounds__(128) bounded(int* p) { if (p) *p = 1; }
__global__ void __cluster_dims__(2, 1, 1) clustered(int* p) { if (p) *p = 1; }

// Keeps many values alive: more than 64 registers per thread.
__global__ void hungry(float* p) {
  float v[120];
  for (int i = 0; i < 120; ++i) v[i] = p[i * 7];
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 120; ++i) v[i] = v[i] * v[(i + 37) % 120] + v[(i + 59) % 120];
  for (int i = 0; i < 120; ++i) p[i * 11] = v[i];
}

void after() {
  SAY(cudaPeekAtLastError());
  SAY(cudaGetLastError());
  SAY(cudaGetLastError());
  SAY(cudaDeviceSynchronize());
}

#define LAUNCH(kernel, grid, block, shared, ...) \
  (std::printf("  %s<<<%s, %s, %s>>>\n", #kernel, #grid, #block, #shared), kernel<<<grid, block, shared>>>(__VA_ARGS__), after())

int main() {
  std::printf("dimensions\n");
  LAUNCH(empty, 0, 1, 0);
  LAUNCH(empty, 1, 0, 0);
  LAUNCH(empty, dim3(1, 0, 1), 1, 0);
  LAUNCH(empty, 1, 1024, 0);
  LAUNCH(empty, 1, 1025, 0);
  LAUNCH(empty, 1, dim3(32, 33), 0);
  LAUNCH(empty, 1, dim3(1, 1, 64), 0);
  LAUNCH(empty, 1, dim3(1, 1, 65), 0);
  LAUNCH(empty, dim3(1, 65535), 1, 0);
  LAUNCH(empty, dim3(1, 65536), 1, 0);
  LAUNCH(empty, dim3(1, 1, 65536), 1, 0);
  LAUNCH(empty, 0x80000000u, 1, 0);
  std::printf("shared memory\n");
  LAUNCH(dynamic, 1, 32, 48 * 1024, nullptr);
  LAUNCH(dynamic, 1, 32, 48 * 1024 + 1, nullptr);
  LAUNCH(static_1k, 1, 32, 47 * 1024, nullptr);
  LAUNCH(static_1k, 1, 32, 47 * 1024 + 1, nullptr);
  SAY(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 * 1024));
  LAUNCH(dynamic, 1, 32, 64 * 1024, nullptr);
  LAUNCH(dynamic, 1, 32, 64 * 1024 + 1, nullptr);
  SAY(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
  LAUNCH(dynamic, 1, 32, 227 * 1024, nullptr);
  SAY(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024 + 1));
  SAY(cudaGetLastError());
  SAY(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 0));
  SAY(cudaGetLastError());
  LAUNCH(dynamic, 1, 32, 1024, nullptr);
  SAY(cudaFuncSetAttribute(static_1k, cudaFuncAttributeMaxDynamicSharedMemorySize, 226 * 1024));
  SAY(cudaFuncSetAttribute(static_1k, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
  SAY(cudaFuncSetAttribute(static_1k, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
  SAY(cudaFuncSetAttribute(static_1k, cudaFuncAttributePreferredSharedMemoryCarveout, 101));
  SAY(cudaFuncSetAttribute(static_1k, cudaFuncAttributePreferredSharedMemoryCarveout, -1));
  SAY(cudaFuncSetAttribute(static_1k, static_cast<cudaFuncAttribute>(3), 1));
  SAY(cudaFuncSetAttribute(static_1k, static_cast<cudaFuncAttribute>(99), 1));
  SAY(cudaGetLastError());
  std::printf("threads\n");
  LAUNCH(bounded, 1, 128, 0, nullptr);
  LAUNCH(bounded, 1, 129, 0, nullptr);
  LAUNCH(hungry, 1, 1024, 0, nullptr);
  std::printf("clusters\n");
  LAUNCH(clustered, 2, 32, 0, nullptr);
  LAUNCH(clustered, 3, 32, 0, nullptr);
  for (unsigned size : {1u, 2u, 4u, 8u, 16u, 3u, 9u, 0u}) {
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(48);
    config.blockDim = dim3(32);
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {size, 1, 1};
    config.attrs = &attribute;
    config.numAttrs = 1;
    std::printf("  cluster of %u\n", size);
    SAY(cudaLaunchKernelEx(&config, number, static_cast<int*>(nullptr)));
    after();
  }
  std::printf("cooperative\n");
  int* null = nullptr;
  void* arguments[] = {&null};
  SAY(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(number), dim3(132), dim3(1024), arguments, 0, 0));
  SAY(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(number), dim3(132 * 2), dim3(1024), arguments, 0, 0));
  SAY(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(number), dim3(132 * 2 + 1), dim3(1024), arguments, 0, 0));
  after();
  std::printf("functions\n");
  static int not_a_kernel;
  SAY(cudaLaunchKernel(&not_a_kernel, dim3(1), dim3(1), arguments, 0, 0));
  after();
  SAY(cudaLaunchKernel(nullptr, dim3(1), dim3(1), arguments, 0, 0));
  after();
  cudaFuncAttributes attributes;
  SAY(cudaFuncGetAttributes(&attributes, static_cast<void*>(&not_a_kernel)));
  SAY(cudaFuncGetAttributes(&attributes, static_cast<void*>(nullptr)));
  SAY(cudaFuncGetAttributes(nullptr, number));
  SAY(cudaFuncSetAttribute(static_cast<void*>(&not_a_kernel), cudaFuncAttributeMaxDynamicSharedMemorySize, 1024));
  after();
  cudaKernel_t kernel = nullptr;
  SAY(cudaGetKernel(&kernel, reinterpret_cast<const void*>(empty)));
  SAY(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(1), dim3(1), nullptr, 0, 0));
  SAY(cudaGetKernel(&kernel, static_cast<const void*>(&not_a_kernel)));
  SAY(cudaGetKernel(&kernel, nullptr));
  cudaFunction_t function = nullptr;
  SAY(cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(empty)));
  SAY(cudaLaunchKernel(reinterpret_cast<const void*>(function), dim3(1), dim3(1), nullptr, 0, 0));
  SAY(cudaGetFuncBySymbol(&function, static_cast<const void*>(&not_a_kernel)));
  after();
}
