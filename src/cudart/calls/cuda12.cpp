// Calls of programs built with CUDA 12, where their arguments differ.
#include <cstring>

#include "cudart/calls.hpp"
#include "cudart/calls_12.hpp"
#include "cudart/process.hpp"

namespace lanebank::cudart {
namespace {

/// CUDA 12 names the host as device -1.
abi::MemLocation location_of(int device) {
  return device == -1 ? abi::MemLocation{abi::cudaMemLocationTypeHost, 0}
                      : abi::MemLocation{abi::cudaMemLocationTypeDevice, device};
}

}  // namespace

Error calls::cudaGetDeviceProperties_v2(DeviceProp12* properties, int device) {
  DeviceProp all;
  if (properties == nullptr) return cudaErrorInvalidValue;
  if (const Error error = cudaGetDeviceProperties(&all, device); error != cudaSuccess) return error;
  *properties = {};
#define COPY(field) std::memcpy(&properties->field, &all.field, sizeof all.field);
  // clang-format off
  COPY(name) COPY(uuid) COPY(luid) COPY(luidDeviceNodeMask) COPY(totalGlobalMem) COPY(sharedMemPerBlock)
  COPY(regsPerBlock) COPY(warpSize) COPY(memPitch) COPY(maxThreadsPerBlock) COPY(maxThreadsDim) COPY(maxGridSize)
  COPY(totalConstMem) COPY(major) COPY(minor) COPY(textureAlignment) COPY(texturePitchAlignment)
  COPY(multiProcessorCount) COPY(integrated) COPY(canMapHostMemory) COPY(maxTexture1D) COPY(maxTexture1DMipmap)
  COPY(maxTexture2D) COPY(maxTexture2DMipmap) COPY(maxTexture2DLinear) COPY(maxTexture2DGather) COPY(maxTexture3D)
  COPY(maxTexture3DAlt) COPY(maxTextureCubemap) COPY(maxTexture1DLayered) COPY(maxTexture2DLayered)
  COPY(maxTextureCubemapLayered) COPY(maxSurface1D) COPY(maxSurface2D) COPY(maxSurface3D) COPY(maxSurface1DLayered)
  COPY(maxSurface2DLayered) COPY(maxSurfaceCubemap) COPY(maxSurfaceCubemapLayered) COPY(surfaceAlignment)
  COPY(concurrentKernels) COPY(ECCEnabled) COPY(pciBusID) COPY(pciDeviceID) COPY(pciDomainID) COPY(tccDriver)
  COPY(asyncEngineCount) COPY(unifiedAddressing) COPY(memoryBusWidth) COPY(l2CacheSize)
  COPY(persistingL2CacheMaxSize) COPY(maxThreadsPerMultiProcessor) COPY(streamPrioritiesSupported)
  COPY(globalL1CacheSupported) COPY(localL1CacheSupported) COPY(sharedMemPerMultiprocessor)
  COPY(regsPerMultiprocessor) COPY(managedMemory) COPY(isMultiGpuBoard) COPY(multiGpuBoardGroupID)
  COPY(hostNativeAtomicSupported) COPY(pageableMemoryAccess) COPY(concurrentManagedAccess)
  COPY(computePreemptionSupported) COPY(canUseHostPointerForRegisteredMem) COPY(cooperativeLaunch)
  COPY(sharedMemPerBlockOptin) COPY(pageableMemoryAccessUsesHostPageTables) COPY(directManagedMemAccessFromHost)
  COPY(maxBlocksPerMultiProcessor) COPY(accessPolicyMaxWindowSize) COPY(reservedSharedMemPerBlock)
  COPY(hostRegisterSupported) COPY(sparseCudaArraySupported) COPY(hostRegisterReadOnlySupported)
  COPY(timelineSemaphoreInteropSupported) COPY(memoryPoolsSupported) COPY(gpuDirectRDMASupported)
  COPY(gpuDirectRDMAFlushWritesOptions) COPY(gpuDirectRDMAWritesOrdering) COPY(memoryPoolSupportedHandleTypes)
  COPY(deferredMappingCudaArraySupported) COPY(ipcEventSupported) COPY(clusterLaunch) COPY(unifiedFunctionPointers)
  // clang-format on
#undef COPY
                                                                                          const DeviceModel& model =
                                                                                              Process::get().model();
  properties->clockRate = model.attribute(13);
  properties->deviceOverlap = model.attribute(15);
  properties->kernelExecTimeoutEnabled = model.attribute(17);
  properties->computeMode = model.attribute(20);
  properties->maxTexture1DLinear = model.attribute(69);
  properties->memoryClockRate = model.attribute(36);
  properties->singleToDoublePrecisionPerfRatio = model.attribute(87);
  properties->cooperativeMultiDeviceLaunch = model.attribute(96);
  return cudaSuccess;
}

Error calls::cudaStreamGetCaptureInfo_v2(Stream stream, StreamCaptureStatus* status, unsigned long long* id,
                                         Graph* graph, const GraphNode** after, size_t* count) {
  return cudaStreamGetCaptureInfo(stream, status, id, graph, after, nullptr, count);
}

namespace calls12 {

Error cudaGraphAddDependencies(Graph graph, const GraphNode* from, const GraphNode* to, size_t count) {
  return calls::cudaGraphAddDependencies(graph, from, to, nullptr, count);
}

Error cudaGraphGetEdges(Graph graph, GraphNode* from, GraphNode* to, size_t* count) {
  return calls::cudaGraphGetEdges(graph, from, to, nullptr, count);
}

Error cudaGraphAddNode(GraphNode* node, Graph graph, const GraphNode* after, size_t count, GraphNodeParams* params) {
  return calls::cudaGraphAddNode(node, graph, after, nullptr, count, params);
}

Error cudaGraphNodeGetDependencies(GraphNode node, GraphNode* nodes, size_t* count) {
  return calls::cudaGraphNodeGetDependencies(node, nodes, nullptr, count);
}

Error cudaGraphNodeGetDependentNodes(GraphNode node, GraphNode* nodes, size_t* count) {
  return calls::cudaGraphNodeGetDependentNodes(node, nodes, nullptr, count);
}

Error cudaGraphRemoveDependencies(Graph graph, const GraphNode* from, const GraphNode* to, size_t count) {
  return calls::cudaGraphRemoveDependencies(graph, from, to, nullptr, count);
}

Error cudaMemAdvise(const void* address, size_t bytes, MemAdvise advice, int device) {
  return calls::cudaMemAdvise(address, bytes, advice, location_of(device));
}

Error cudaMemcpyBatchAsync(void** to, void** from, size_t* bytes, size_t count, MemcpyAttributes* attributes,
                           size_t* first, size_t groups, size_t* failed, Stream stream) {
  constexpr size_t no_one_copy = ~size_t{0};
  const Error error = calls::cudaMemcpyBatchAsync(to, from, bytes, count, attributes, first, groups, stream);
  if (error != cudaSuccess && failed != nullptr) *failed = no_one_copy;
  return error;
}

Error cudaMemPrefetchAsync(const void* address, size_t bytes, int device, Stream stream) {
  return calls::cudaMemPrefetchAsync(address, bytes, location_of(device), 0, stream);
}

Error cudaPointerGetAttributes(PointerAttributes12* attributes, const void* address) {
  if (attributes == nullptr) return cudaErrorInvalidValue;
  PointerAttributes all;
  const Error error = calls::cudaPointerGetAttributes(&all, address);
  if (error == cudaSuccess) *attributes = {all.type, all.device, all.devicePointer, all.hostPointer};
  return error;
}

Error cudaRuntimeGetVersion(int* version) {
  constexpr int last_of_12 = 12090;
  if (version == nullptr) return cudaErrorInvalidValue;
  *version = last_of_12;
  return cudaSuccess;
}

Error cudaStreamGetCaptureInfo(Stream stream, StreamCaptureStatus* status, unsigned long long* id) {
  return calls::cudaStreamGetCaptureInfo(stream, status, id, nullptr, nullptr, nullptr, nullptr);
}

Error cudaStreamUpdateCaptureDependencies(Stream stream, GraphNode* nodes, size_t count, unsigned flags) {
  return calls::cudaStreamUpdateCaptureDependencies(stream, nodes, nullptr, count, flags);
}

}  // namespace calls12
}  // namespace lanebank::cudart
