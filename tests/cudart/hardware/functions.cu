// Function attributes and occupancy for kernels of various sizes.
#include <cuda_fp16.h>

#include "say.hpp"

__constant__ float table[100];
__global__ void empty() {}
__global__ void shared_6k(float* p) {
  __shared__ float v[1536];
  v[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = v[threadIdx.x ^ 1] + table[threadIdx.x % 100];
}
template <int N>
__global__ void values(float* p) {
  float v[N];
#pragma unroll
  for (int i = 0; i < N; ++i) v[i] = p[i * 7];
  for (int k = 0; k < 3; ++k)
#pragma unroll
    for (int i = 0; i < N; ++i) v[i] = v[i] * v[(i + 37) % N] + v[(i + 59) % N];
#pragma unroll
  for (int i = 0; i < N; ++i) p[i * 11] = v[i];
}
template <int N>
__global__ void __launch_bounds__(256, 2) bounded_values(float* p) {
  float v[N];
#pragma unroll
  for (int i = 0; i < N; ++i) v[i] = p[i * 7];
#pragma unroll
  for (int i = 0; i < N; ++i) p[i * 11] = v[i] * v[(i + 37) % N];
}
__global__ void local_array(int* p, int i) {
  int v[64];
  for (int k = 0; k < 64; ++k) v[k] = p[k];
  for (int k = 0; k < 64; ++k) v[(k * i) % 64] += p[k];
  p[0] = v[i % 64];
}
__global__ void __cluster_dims__(2, 1, 1) clustered(int* p) { if (p) *p = 1; }
struct Big { int x[10]; };
__global__ void parameters(char a, double b, Big c, short d) {}

template <class Kernel>
void describe(const char* title, Kernel kernel) {
  cudaFuncAttributes a{};
  std::printf("%s: %s\n", title, cudaGetErrorName(cudaFuncGetAttributes(&a, kernel)));
  std::printf("  shared %zu constant %zu local %zu threads %d registers %d ptx %d binary %d ca %d dynamic %d carveout %d\n",
              a.sharedSizeBytes, a.constSizeBytes, a.localSizeBytes, a.maxThreadsPerBlock, a.numRegs, a.ptxVersion,
              a.binaryVersion, a.cacheModeCA, a.maxDynamicSharedSizeBytes, a.preferredShmemCarveout);
  std::printf("  cluster must be set %d required %d %d %d policy %d non-portable %d\n", a.clusterDimMustBeSet,
              a.requiredClusterWidth, a.requiredClusterHeight, a.requiredClusterDepth, a.clusterSchedulingPolicyPreference,
              a.nonPortableClusterSizeAllowed);
  const int optin = 232448 - static_cast<int>(a.sharedSizeBytes);
  if (cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, optin) != cudaSuccess) std::printf("  no opt-in\n");
  for (int threads : {1, 32, 33, 64, 96, 128, 192, 256, 384, 512, 640, 768, 1024, 1025}) {
    std::printf("  threads %4d:", threads);
    for (size_t shared : {0, 1, 1024, 5000, 16384, 32768, 49152, 65536, 100000, 116000, 200000, 226304}) {
      int blocks = -1;
      const cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared);
      if (error == cudaSuccess) std::printf(" %d", blocks);
      else std::printf(" %s", cudaGetErrorName(error));
    }
    size_t available = 0;
    const cudaError_t error = cudaOccupancyAvailableDynamicSMemPerBlock(&available, kernel, 2, threads);
    std::printf("  two blocks: %s %zu\n", cudaGetErrorName(error), available);
  }
  for (int blocks : {0, 1, 2, 3, 8, 16, 32, 33}) {
    size_t available = 99;
    const cudaError_t error = cudaOccupancyAvailableDynamicSMemPerBlock(&available, kernel, blocks, 32);
    std::printf("  shared for %d blocks: %s %zu\n", blocks, cudaGetErrorName(error), available);
  }
  int grid = 0, block = 0;
  const cudaError_t error = cudaOccupancyMaxPotentialBlockSize(&grid, &block, kernel);
  std::printf("  best: %s %d x %d\n", cudaGetErrorName(error), grid, block);
  for (unsigned size : {1u, 2u, 4u, 8u, 16u}) {
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(size);
    config.blockDim = dim3(128);
    config.dynamicSmemBytes = 1024;
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {size, 1, 1};
    config.attrs = &attribute;
    config.numAttrs = 1;
    int clusters = -1, potential = -1;
    const cudaError_t e1 = cudaOccupancyMaxActiveClusters(&clusters, kernel, &config);
    const cudaError_t e2 = cudaOccupancyMaxPotentialClusterSize(&potential, kernel, &config);
    std::printf("  clusters of %u: %s %s %s, largest %d\n", size, cudaGetErrorName(e1),
                clusters > 0 ? "some" : "none", cudaGetErrorName(e2), potential);
    if (e1 == cudaSuccess) std::fprintf(stderr, "clusters of %u: %d\n", size, clusters);
  }
}

int main() {
  describe("empty", empty);
  describe("shared_6k", shared_6k);
  describe("values<8>", values<8>);
  describe("values<30>", values<30>);
  describe("values<45>", values<45>);
  describe("values<60>", values<60>);
  describe("values<100>", values<100>);
  describe("values<200>", values<200>);
  describe("bounded_values<90>", bounded_values<90>);
  describe("local_array", local_array);
  describe("clustered", clustered);
  const char* name = nullptr;
  SAY(cudaFuncGetName(&name, reinterpret_cast<const void*>(empty)));
  std::printf("  %s\n", name);
  for (size_t i = 0; i < 6; ++i) {
    size_t offset = 99, bytes = 99;
    const cudaError_t error = cudaFuncGetParamInfo(reinterpret_cast<const void*>(parameters), i, &offset, &bytes);
    std::printf("  parameter %zu: %s %zu %zu\n", i, cudaGetErrorName(error), offset, bytes);
  }
  int blocks = 0;
  SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, empty, 0, 0));
  SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, empty, -5, 0));
  SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, empty, 32, 0));
  SAY(cudaGetLastError());
}
