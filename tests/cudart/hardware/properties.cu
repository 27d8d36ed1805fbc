// Device properties, attributes and limits, all of them.
#include "say.hpp"

#define FIELD(name) std::printf("  %-40s %lld\n", #name, static_cast<long long>(p.name))
#define FIELD2(name) std::printf("  %-40s %d %d\n", #name, p.name[0], p.name[1])
#define FIELD3(name) std::printf("  %-40s %d %d %d\n", #name, p.name[0], p.name[1], p.name[2])

int main() {
  int count = 0, device = -1;
  SAY(cudaGetDeviceCount(&count));
  SHOW(count);
  SAY(cudaGetDevice(&device));
  SHOW(device);
  cudaDeviceProp p{};
  SAY(cudaGetDeviceProperties(&p, 0));
  std::printf("  %s\n", p.name);
  FIELD(totalGlobalMem); FIELD(sharedMemPerBlock); FIELD(regsPerBlock); FIELD(warpSize); FIELD(memPitch);
  FIELD(maxThreadsPerBlock); FIELD3(maxThreadsDim); FIELD3(maxGridSize); FIELD(totalConstMem); FIELD(major);
  FIELD(minor); FIELD(textureAlignment); FIELD(texturePitchAlignment); FIELD(multiProcessorCount);
  FIELD(integrated); FIELD(canMapHostMemory); FIELD(maxTexture1D); FIELD(maxTexture1DMipmap);
  FIELD2(maxTexture2D); FIELD2(maxTexture2DMipmap); FIELD3(maxTexture2DLinear); FIELD2(maxTexture2DGather);
  FIELD3(maxTexture3D); FIELD3(maxTexture3DAlt); FIELD(maxTextureCubemap); FIELD2(maxTexture1DLayered);
  FIELD3(maxTexture2DLayered); FIELD2(maxTextureCubemapLayered); FIELD(maxSurface1D); FIELD2(maxSurface2D);
  FIELD3(maxSurface3D); FIELD2(maxSurface1DLayered); FIELD3(maxSurface2DLayered); FIELD(maxSurfaceCubemap);
  FIELD2(maxSurfaceCubemapLayered); FIELD(surfaceAlignment); FIELD(concurrentKernels); FIELD(ECCEnabled);
  FIELD(tccDriver); FIELD(asyncEngineCount); FIELD(unifiedAddressing); FIELD(memoryBusWidth); FIELD(l2CacheSize);
  FIELD(persistingL2CacheMaxSize); FIELD(maxThreadsPerMultiProcessor); FIELD(streamPrioritiesSupported);
  FIELD(globalL1CacheSupported); FIELD(localL1CacheSupported); FIELD(sharedMemPerMultiprocessor);
  FIELD(regsPerMultiprocessor); FIELD(managedMemory); FIELD(isMultiGpuBoard); FIELD(multiGpuBoardGroupID);
  FIELD(hostNativeAtomicSupported); FIELD(pageableMemoryAccess); FIELD(concurrentManagedAccess);
  FIELD(computePreemptionSupported); FIELD(canUseHostPointerForRegisteredMem); FIELD(cooperativeLaunch);
  FIELD(sharedMemPerBlockOptin); FIELD(pageableMemoryAccessUsesHostPageTables);
  FIELD(directManagedMemAccessFromHost); FIELD(maxBlocksPerMultiProcessor); FIELD(accessPolicyMaxWindowSize);
  FIELD(reservedSharedMemPerBlock); FIELD(hostRegisterSupported); FIELD(sparseCudaArraySupported);
  FIELD(hostRegisterReadOnlySupported); FIELD(timelineSemaphoreInteropSupported); FIELD(memoryPoolsSupported);
  FIELD(gpuDirectRDMASupported); FIELD(gpuDirectRDMAFlushWritesOptions); FIELD(gpuDirectRDMAWritesOrdering);
  FIELD(memoryPoolSupportedHandleTypes); FIELD(deferredMappingCudaArraySupported); FIELD(ipcEventSupported);
  FIELD(clusterLaunch); FIELD(unifiedFunctionPointers); FIELD(deviceNumaConfig); FIELD(mpsEnabled);
  FIELD(gpuPciDeviceID); FIELD(gpuPciSubsystemID); FIELD(hostNumaMultinodeIpcSupported);
  for (int attribute = 0; attribute <= 150; ++attribute) {
    int value = -12345;
    const cudaError_t error = cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(attribute), 0);
    if (error == cudaSuccess) std::printf("  attribute %-3d %d\n", attribute, value);
    else std::printf("  attribute %-3d %s\n", attribute, cudaGetErrorName(error));
  }
  for (int limit = 0; limit <= 7; ++limit) {
    size_t value = 0;
    const cudaError_t error = cudaDeviceGetLimit(&value, static_cast<cudaLimit>(limit));
    std::printf("  limit %d %s %zu\n", limit, cudaGetErrorName(error), value);
  }
  int least = 0, greatest = 0, version = 0;
  SAY(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  SHOW(least); SHOW(greatest);
  SAY(cudaRuntimeGetVersion(&version));
  SHOW(version);
  size_t free_bytes = 0, total_bytes = 0;
  SAY(cudaMemGetInfo(&free_bytes, &total_bytes));
  SHOW(total_bytes);
  unsigned flags = 77;
  SAY(cudaGetDeviceFlags(&flags));
  SHOW(flags);
  cudaFuncCache cache;
  SAY(cudaDeviceGetCacheConfig(&cache));
  SHOW(cache);
  SAY(cudaGetLastError());
}
