// The implemented calls of the CUDA runtime, one function for each CALL row of runtime_calls.def, with the
// signature of the C function. They run behind the guard of entry.hpp; calls/ holds them by topic.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cudart/abi_graph.hpp"

namespace lanebank::cudart::calls {

using namespace abi;
using std::size_t;

// NOLINTBEGIN(bugprone-reserved-identifier): the names are CUDA's.
// calls/registrations.cpp
Error __cudaGetKernel(KernelHandle* kernel, const void* host);
void* __cudaGetProcAddress(const char* symbol);
char __cudaInitModule(void** fatbin);
unsigned __cudaPushCallConfiguration(Dim3 grid, Dim3 block, size_t shared_bytes, Stream stream);
Error __cudaPopCallConfiguration(Dim3* grid, Dim3* block, size_t* shared_bytes, void* stream);

// calls/launches.cpp
Error __cudaLaunchKernel(KernelHandle kernel, Dim3 grid, Dim3 block, void** arguments, size_t shared_bytes,
                         Stream stream);
// NOLINTEND(bugprone-reserved-identifier)
Error cudaLaunchKernel(const void* function, Dim3 grid, Dim3 block, void** arguments, size_t shared_bytes,
                       Stream stream);
Error cudaLaunchKernelExC(const LaunchConfig* config, const void* function, void** arguments);
Error cudaLaunchCooperativeKernel(const void* function, Dim3 grid, Dim3 block, void** arguments, size_t shared_bytes,
                                  Stream stream);
Error cudaLaunchHostFunc(Stream stream, HostFunction function, void* data);
Error cudaStreamAddCallback(Stream stream, StreamCallback callback, void* data, unsigned flags);

// calls/functions.cpp
Error cudaGetKernel(KernelHandle* kernel, const void* host);
Error cudaGetFuncBySymbol(const void** function, const void* host);
Error cudaFuncGetName(const char** name, const void* function);
Error cudaFuncGetParamInfo(const void* function, size_t index, size_t* offset, size_t* bytes);
Error cudaFuncGetAttributes(FuncAttributes* attributes, const void* function);
Error cudaFuncSetAttribute(const void* function, FuncAttribute attribute, int value);
Error cudaKernelSetAttributeForDevice(KernelHandle kernel, FuncAttribute attribute, int value, int device);
Error cudaFuncSetCacheConfig(const void* function, int preference);
Error cudaFuncSetSharedMemConfig(const void* function, int config);
Error cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* function, int blocks, int threads);
Error cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int threads,
                                                    size_t shared_bytes);
Error cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function, int threads,
                                                             size_t shared_bytes, unsigned flags);
Error cudaOccupancyMaxActiveClusters(int* clusters, const void* function, const LaunchConfig* config);
Error cudaOccupancyMaxPotentialClusterSize(int* size, const void* function, const LaunchConfig* config);

// calls/libraries.cpp
Error cudaLibraryLoadData(Library* library, const void* code, int* jit_options, void** jit_values, unsigned jit_count,
                          int* options, void** values, unsigned count);
Error cudaLibraryLoadFromFile(Library* library, const char* path, int* jit_options, void** jit_values,
                              unsigned jit_count, int* options, void** values, unsigned count);
Error cudaLibraryUnload(Library library);
Error cudaLibraryGetKernel(KernelHandle* kernel, Library library, const char* name);
Error cudaLibraryGetKernelCount(unsigned* count, Library library);
Error cudaLibraryEnumerateKernels(KernelHandle* kernels, unsigned room, Library library);
Error cudaLibraryGetGlobal(void** address, size_t* bytes, Library library, const char* name);

// calls/errors.cpp
const char* cudaGetErrorName(Error error);
const char* cudaGetErrorString(Error error);
int cudaGetLastError();
int cudaPeekAtLastError();
ChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, int kind);

// calls/devices.cpp
Error cudaGetDeviceCount(int* count);
Error cudaGetDevice(int* device);
Error cudaSetDevice(int device);
Error cudaInitDevice(int device, unsigned device_flags, unsigned flags);
Error cudaSetValidDevices(int* devices, int count);
Error cudaChooseDevice(int* device, const DeviceProp* properties);
Error cudaGetDeviceProperties(DeviceProp* properties, int device);
Error cudaDeviceGetAttribute(int* value, int attribute, int device);
Error cudaDeviceGetPCIBusId(char* text, int room, int device);
Error cudaDeviceGetByPCIBusId(int* device, const char* text);
Error cudaSetDeviceFlags(unsigned flags);
Error cudaGetDeviceFlags(unsigned* flags);
Error cudaDeviceSynchronize();
Error cudaDeviceReset();
Error cudaDeviceGetLimit(size_t* value, Limit limit);
Error cudaDeviceSetLimit(Limit limit, size_t value);
Error cudaDeviceGetCacheConfig(int* preference);
Error cudaDeviceSetCacheConfig(int preference);
Error cudaDeviceGetSharedMemConfig(int* config);
Error cudaDeviceSetSharedMemConfig(int config);
Error cudaDeviceGetStreamPriorityRange(int* least, int* greatest);
Error cudaDeviceCanAccessPeer(int* can, int device, int peer);
Error cudaDeviceEnablePeerAccess(int peer, unsigned flags);
Error cudaDeviceDisablePeerAccess(int peer);
Error cudaDeviceGetP2PAttribute(int* value, int attribute, int from, int to);
Error cudaDeviceFlushGPUDirectRDMAWrites(int target, int scope);
Error cudaCtxResetPersistingL2Cache();
Error cudaProfilerStart();
Error cudaProfilerStop();
Error cudaDriverGetVersion(int* version);
Error cudaRuntimeGetVersion(int* version);

// calls/memory.cpp
Error cudaMalloc(void** address, size_t bytes);
Error cudaFree(void* address);
Error cudaMallocHost(void** address, size_t bytes);
Error cudaHostAlloc(void** address, size_t bytes, unsigned flags);
Error cudaFreeHost(void* address);
Error cudaMallocManaged(void** address, size_t bytes, unsigned flags);
Error cudaMallocPitch(void** address, size_t* pitch, size_t width, size_t height);
Error cudaMalloc3D(PitchedPtr* pitched, Extent extent);
Error cudaHostRegister(void* address, size_t bytes, unsigned flags);
Error cudaHostUnregister(void* address);
Error cudaHostGetDevicePointer(void** device, void* host, unsigned flags);
Error cudaHostGetFlags(unsigned* flags, void* host);
Error cudaPointerGetAttributes(PointerAttributes* attributes, const void* address);
Error cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes);
Error cudaMemAdvise(const void* address, size_t bytes, MemAdvise advice, MemLocation location);
Error cudaMemPrefetchAsync(const void* address, size_t bytes, MemLocation location, unsigned flags, Stream stream);
Error cudaMemRangeGetAttribute(void* data, size_t data_bytes, int attribute, const void* address, size_t bytes);
Error cudaMemRangeGetAttributes(void** data, size_t* data_bytes, int* attributes, size_t count, const void* address,
                                size_t bytes);
Error cudaStreamAttachMemAsync(Stream stream, void* address, size_t bytes, unsigned flags);

// calls/pools.cpp
Error cudaMallocAsync(void** address, size_t bytes, Stream stream);
Error cudaMallocFromPoolAsync(void** address, size_t bytes, MemPool pool, Stream stream);
Error cudaFreeAsync(void* address, Stream stream);
Error cudaMemPoolCreate(MemPool* pool, const MemPoolProps* properties);
Error cudaMemPoolDestroy(MemPool pool);
Error cudaMemPoolGetAttribute(MemPool pool, MemPoolAttr attribute, void* value);
Error cudaMemPoolSetAttribute(MemPool pool, MemPoolAttr attribute, void* value);
Error cudaMemPoolGetAccess(int* flags, MemPool pool, MemLocation* location);
Error cudaMemPoolSetAccess(MemPool pool, const MemAccessDesc* list, size_t count);
Error cudaMemPoolTrimTo(MemPool pool, size_t bytes);
Error cudaDeviceGetDefaultMemPool(MemPool* pool, int device);
Error cudaDeviceGetMemPool(MemPool* pool, int device);
Error cudaDeviceSetMemPool(int device, MemPool pool);
Error cudaMemGetDefaultMemPool(MemPool* pool, MemLocation* location, int type);
Error cudaMemGetMemPool(MemPool* pool, MemLocation* location, int type);
Error cudaMemSetMemPool(MemLocation* location, int type, MemPool pool);

// calls/copies.cpp
Error cudaMemcpy(void* to, const void* from, size_t bytes, MemcpyKind kind);
Error cudaMemcpyAsync(void* to, const void* from, size_t bytes, MemcpyKind kind, Stream stream);
Error cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t bytes);
Error cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t bytes, Stream stream);
Error cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                   MemcpyKind kind);
Error cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                        MemcpyKind kind, Stream stream);
Error cudaMemcpy3D(const Memcpy3DParms* parms);
Error cudaMemcpy3DAsync(const Memcpy3DParms* parms, Stream stream);
Error cudaMemcpy3DPeer(const Memcpy3DPeerParms* parms);
Error cudaMemcpy3DPeerAsync(const Memcpy3DPeerParms* parms, Stream stream);
Error cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset, MemcpyKind kind);
Error cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes, size_t offset, MemcpyKind kind,
                              Stream stream);
Error cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset, MemcpyKind kind);
Error cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset, MemcpyKind kind,
                                Stream stream);
Error cudaGetSymbolAddress(void** address, const void* symbol);
Error cudaGetSymbolSize(size_t* bytes, const void* symbol);
Error cudaMemset(void* to, int value, size_t bytes);
Error cudaMemsetAsync(void* to, int value, size_t bytes, Stream stream);
Error cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height);
Error cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height, Stream stream);
Error cudaMemset3D(PitchedPtr to, int value, Extent extent);
Error cudaMemset3DAsync(PitchedPtr to, int value, Extent extent, Stream stream);

// calls/batches.cpp
Error cudaMemcpyBatchAsync(void* const* to, const void* const* from, const size_t* bytes, size_t count,
                           const MemcpyAttributes* attributes, const size_t* first, size_t groups, Stream stream);
Error cudaMemPrefetchBatchAsync(void** addresses, size_t* bytes, size_t count, MemLocation* locations, size_t* first,
                                size_t groups, unsigned long long flags, Stream stream);
Error cudaMemDiscardBatchAsync(void** addresses, size_t* bytes, size_t count, unsigned long long flags, Stream stream);
Error cudaMemDiscardAndPrefetchBatchAsync(void** addresses, size_t* bytes, size_t count, MemLocation* locations,
                                          size_t* first, size_t groups, unsigned long long flags, Stream stream);

// calls/streams.cpp
Error cudaStreamCreate(Stream* stream);
Error cudaStreamCreateWithFlags(Stream* stream, unsigned flags);
Error cudaStreamCreateWithPriority(Stream* stream, unsigned flags, int priority);
Error cudaStreamDestroy(Stream stream);
Error cudaStreamSynchronize(Stream stream);
Error cudaStreamQuery(Stream stream);
Error cudaStreamWaitEvent(Stream stream, Event event, unsigned flags);
Error cudaStreamGetFlags(Stream stream, unsigned* flags);
Error cudaStreamGetId(Stream stream, unsigned long long* id);
Error cudaStreamGetPriority(Stream stream, int* priority);
Error cudaStreamGetDevice(Stream stream, int* device);
Error cudaStreamGetAttribute(Stream stream, LaunchAttributeId attribute, LaunchAttributeValue* value);
Error cudaStreamSetAttribute(Stream stream, LaunchAttributeId attribute, const LaunchAttributeValue* value);
Error cudaStreamCopyAttributes(Stream to, Stream from);
Error cudaStreamBeginCapture(Stream stream, StreamCaptureMode mode);
Error cudaStreamBeginCaptureToGraph(Stream stream, Graph graph, const GraphNode* after, const GraphEdgeData* edges,
                                    size_t count, StreamCaptureMode mode);
Error cudaStreamEndCapture(Stream stream, Graph* graph);
Error cudaStreamIsCapturing(Stream stream, StreamCaptureStatus* status);
Error cudaStreamGetCaptureInfo(Stream stream, StreamCaptureStatus* status, unsigned long long* id, Graph* graph,
                               const GraphNode** after, const GraphEdgeData** edges, size_t* count);
Error cudaStreamUpdateCaptureDependencies(Stream stream, GraphNode* nodes, const GraphEdgeData* edges, size_t count,
                                          unsigned flags);
Error cudaThreadExchangeStreamCaptureMode(StreamCaptureMode* mode);

// calls/events.cpp
Error cudaEventCreate(Event* event);
Error cudaEventCreateWithFlags(Event* event, unsigned flags);
Error cudaEventDestroy(Event event);
Error cudaEventRecord(Event event, Stream stream);
Error cudaEventRecordWithFlags(Event event, Stream stream, unsigned flags);
Error cudaEventSynchronize(Event event);
Error cudaEventQuery(Event event);
Error cudaEventElapsedTime(float* milliseconds, Event start, Event end);

// calls/graph_nodes.cpp
Error cudaGraphAddMemAllocNode(GraphNode* node, Graph graph, const GraphNode* after, size_t count,
                               MemAllocNodeParams* params);
Error cudaGraphAddMemFreeNode(GraphNode* node, Graph graph, const GraphNode* after, size_t count, void* address);
Error cudaGraphMemAllocNodeGetParams(GraphNode node, MemAllocNodeParams* params);
Error cudaGraphMemFreeNodeGetParams(GraphNode node, void* address);
Error cudaGraphAddEventRecordNode(GraphNode* node, Graph graph, const GraphNode* after, size_t count, Event event);
Error cudaGraphAddEventWaitNode(GraphNode* node, Graph graph, const GraphNode* after, size_t count, Event event);
Error cudaGraphHostNodeGetParams(GraphNode node, HostNodeParams* params);
Error cudaGraphHostNodeSetParams(GraphNode node, const HostNodeParams* params);
Error cudaGraphMemsetNodeGetParams(GraphNode node, MemsetParams* params);
Error cudaGraphMemsetNodeSetParams(GraphNode node, const MemsetParams* params);
Error cudaGraphMemcpyNodeSetParams1D(GraphNode node, void* to, const void* from, size_t bytes, MemcpyKind kind);
Error cudaGraphExecMemcpyNodeSetParams1D(GraphExec exec, GraphNode node, void* to, const void* from, size_t bytes,
                                         MemcpyKind kind);
Error cudaGraphExecMemsetNodeSetParams(GraphExec exec, GraphNode node, const MemsetParams* params);
Error cudaGraphExecHostNodeSetParams(GraphExec exec, GraphNode node, const HostNodeParams* params);
Error cudaGraphEventRecordNodeGetEvent(GraphNode node, Event* event);
Error cudaGraphEventRecordNodeSetEvent(GraphNode node, Event event);
Error cudaGraphEventWaitNodeGetEvent(GraphNode node, Event* event);
Error cudaGraphEventWaitNodeSetEvent(GraphNode node, Event event);
Error cudaGraphExecEventRecordNodeSetEvent(GraphExec exec, GraphNode node, Event event);
Error cudaGraphExecEventWaitNodeSetEvent(GraphExec exec, GraphNode node, Event event);
Error cudaGraphMemcpyNodeGetParams(GraphNode node, Memcpy3DParms* params);
Error cudaGraphMemcpyNodeSetParams(GraphNode node, const Memcpy3DParms* params);
Error cudaGraphExecMemcpyNodeSetParams(GraphExec exec, GraphNode node, const Memcpy3DParms* params);
Error cudaGraphAddMemcpyNodeToSymbol(GraphNode* node, Graph graph, const GraphNode* after, size_t count,
                                     const void* symbol, const void* from, size_t bytes, size_t offset,
                                     MemcpyKind kind);
Error cudaGraphAddMemcpyNodeFromSymbol(GraphNode* node, Graph graph, const GraphNode* after, size_t count, void* to,
                                       const void* symbol, size_t bytes, size_t offset, MemcpyKind kind);
Error cudaGraphMemcpyNodeSetParamsToSymbol(GraphNode node, const void* symbol, const void* from, size_t bytes,
                                           size_t offset, MemcpyKind kind);
Error cudaGraphMemcpyNodeSetParamsFromSymbol(GraphNode node, void* to, const void* symbol, size_t bytes, size_t offset,
                                             MemcpyKind kind);
Error cudaGraphExecMemcpyNodeSetParamsToSymbol(GraphExec exec, GraphNode node, const void* symbol, const void* from,
                                               size_t bytes, size_t offset, MemcpyKind kind);
Error cudaGraphExecMemcpyNodeSetParamsFromSymbol(GraphExec exec, GraphNode node, void* to, const void* symbol,
                                                 size_t bytes, size_t offset, MemcpyKind kind);

// calls/any_node.cpp
Error cudaGraphConditionalHandleCreate(std::uint64_t* handle, Graph graph, unsigned value, unsigned flags);
Error cudaGraphAddNode(GraphNode* node, Graph graph, const GraphNode* after, const GraphEdgeData* edges, size_t count,
                       GraphNodeParams* params);
Error cudaGraphNodeSetParams(GraphNode node, GraphNodeParams* params);
Error cudaGraphExecNodeSetParams(GraphExec exec, GraphNode node, GraphNodeParams* params);

// calls/graph_edges.cpp
Error cudaGraphGetNodes(Graph graph, GraphNode* nodes, size_t* count);
Error cudaGraphGetRootNodes(Graph graph, GraphNode* nodes, size_t* count);
Error cudaGraphGetEdges(Graph graph, GraphNode* from, GraphNode* to, GraphEdgeData* edges, size_t* count);
Error cudaGraphAddDependencies(Graph graph, const GraphNode* from, const GraphNode* to, const GraphEdgeData* edges,
                               size_t count);
Error cudaGraphRemoveDependencies(Graph graph, const GraphNode* from, const GraphNode* to, const GraphEdgeData* edges,
                                  size_t count);
Error cudaGraphNodeGetDependencies(GraphNode node, GraphNode* nodes, GraphEdgeData* edges, size_t* count);
Error cudaGraphNodeGetDependentNodes(GraphNode node, GraphNode* nodes, GraphEdgeData* edges, size_t* count);
Error cudaGraphDestroyNode(GraphNode node);
Error cudaGraphNodeFindInClone(GraphNode* twin, GraphNode original, Graph clone);
Error cudaGraphChildGraphNodeGetGraph(GraphNode node, Graph* graph);

// calls/graph_attributes.cpp
Error cudaGraphKernelNodeGetAttribute(GraphNode node, LaunchAttributeId attribute, LaunchAttributeValue* value);
Error cudaGraphKernelNodeSetAttribute(GraphNode node, LaunchAttributeId attribute, const LaunchAttributeValue* value);
Error cudaGraphKernelNodeCopyAttributes(GraphNode to, GraphNode from);
Error cudaGraphNodeGetEnabled(GraphExec exec, GraphNode node, unsigned* is_enabled);
Error cudaGraphNodeSetEnabled(GraphExec exec, GraphNode node, unsigned is_enabled);
Error cudaDeviceGetGraphMemAttribute(int device, GraphMemAttribute attribute, void* value);
Error cudaDeviceSetGraphMemAttribute(int device, GraphMemAttribute attribute, void* value);
Error cudaDeviceGraphMemTrim(int device);

// calls/graph_dot.cpp
Error cudaGraphDebugDotPrint(Graph graph, const char* path, unsigned flags);

// calls/user_objects.cpp
Error cudaUserObjectCreate(UserObjectHandle* handle, void* object, HostFunction destroy, unsigned count,
                           unsigned flags);
Error cudaUserObjectRetain(UserObjectHandle handle, unsigned count);
Error cudaUserObjectRelease(UserObjectHandle handle, unsigned count);
Error cudaGraphRetainUserObject(Graph graph, UserObjectHandle handle, unsigned count, unsigned flags);
Error cudaGraphReleaseUserObject(Graph graph, UserObjectHandle handle, unsigned count);

// arrays.cpp
Error cudaMalloc3DArray(ArrayHandle* handle, const ChannelFormatDesc* channels, Extent extent, unsigned flags);
Error cudaMallocArray(ArrayHandle* handle, const ChannelFormatDesc* channels, size_t width, size_t height,
                      unsigned flags);
Error cudaFreeArray(ArrayHandle handle);
Error cudaMallocMipmappedArray(MipmapHandle* handle, const ChannelFormatDesc* channels, Extent extent, unsigned count,
                               unsigned flags);
Error cudaGetMipmappedArrayLevel(ArrayHandle* level, MipmapHandle handle, unsigned number);
Error cudaFreeMipmappedArray(MipmapHandle handle);
Error cudaArrayGetInfo(ChannelFormatDesc* channels, Extent* extent, unsigned* flags, ArrayHandle handle);
Error cudaGetChannelDesc(ChannelFormatDesc* channels, ArrayHandle handle);

// calls/array_copies.cpp
Error cudaMemcpy2DToArray(ArrayHandle to, size_t x_bytes, size_t y, const void* from, size_t pitch, size_t width,
                          size_t height, MemcpyKind kind);
Error cudaMemcpy2DToArrayAsync(ArrayHandle to, size_t x_bytes, size_t y, const void* from, size_t pitch, size_t width,
                               size_t height, MemcpyKind kind, Stream stream);
Error cudaMemcpy2DFromArray(void* to, size_t pitch, ArrayHandle from, size_t x_bytes, size_t y, size_t width,
                            size_t height, MemcpyKind kind);
Error cudaMemcpy2DFromArrayAsync(void* to, size_t pitch, ArrayHandle from, size_t x_bytes, size_t y, size_t width,
                                 size_t height, MemcpyKind kind, Stream stream);
Error cudaMemcpy2DArrayToArray(ArrayHandle to, size_t to_x_bytes, size_t to_y, ArrayHandle from, size_t from_x_bytes,
                               size_t from_y, size_t width, size_t height, MemcpyKind kind);
Error cudaMemcpyToArray(ArrayHandle to, size_t x_bytes, size_t y, const void* from, size_t bytes, MemcpyKind kind);
Error cudaMemcpyToArrayAsync(ArrayHandle to, size_t x_bytes, size_t y, const void* from, size_t bytes, MemcpyKind kind,
                             Stream stream);
Error cudaMemcpyFromArray(void* to, ArrayHandle from, size_t x_bytes, size_t y, size_t bytes, MemcpyKind kind);
Error cudaMemcpyFromArrayAsync(void* to, ArrayHandle from, size_t x_bytes, size_t y, size_t bytes, MemcpyKind kind,
                               Stream stream);
Error cudaMemcpyArrayToArray(ArrayHandle to, size_t to_x_bytes, size_t to_y, ArrayHandle from, size_t from_x_bytes,
                             size_t from_y, size_t bytes, MemcpyKind kind);

// calls/textures.cpp
Error cudaCreateTextureObject(TextureHandle* handle, const ResourceDesc* resource, const TextureDesc* texture,
                              const ResourceViewDesc* view);
Error cudaCreateSurfaceObject(SurfaceHandle* handle, const ResourceDesc* resource);
Error cudaDestroyTextureObject(TextureHandle handle);
Error cudaDestroySurfaceObject(SurfaceHandle handle);
Error cudaGetTextureObjectResourceDesc(ResourceDesc* resource, TextureHandle handle);
Error cudaGetSurfaceObjectResourceDesc(ResourceDesc* resource, SurfaceHandle handle);
Error cudaGetTextureObjectTextureDesc(TextureDesc* texture, TextureHandle handle);
Error cudaGetTextureObjectResourceViewDesc(ResourceViewDesc* view, TextureHandle handle);
Error cudaDeviceGetTexture1DLinearMaxWidth(size_t* elements, const ChannelFormatDesc* channels, int device);

// calls/graphs.cpp
Error cudaGraphCreate(Graph* graph, unsigned flags);
Error cudaGraphDestroy(Graph graph);
Error cudaGraphClone(Graph* copy, Graph graph);
Error cudaGraphAddKernelNode(GraphNode* node, Graph graph, const GraphNode* after, size_t count,
                             const KernelNodeParams* params);
Error cudaGraphAddMemcpyNode(GraphNode* node, Graph graph, const GraphNode* after, size_t count,
                             const Memcpy3DParms* params);
Error cudaGraphAddMemcpyNode1D(GraphNode* node, Graph graph, const GraphNode* after, size_t count, void* to,
                               const void* from, size_t bytes, MemcpyKind kind);
Error cudaGraphAddMemsetNode(GraphNode* node, Graph graph, const GraphNode* after, size_t count,
                             const MemsetParams* params);
Error cudaGraphAddHostNode(GraphNode* node, Graph graph, const GraphNode* after, size_t count,
                           const HostNodeParams* params);
Error cudaGraphAddEmptyNode(GraphNode* node, Graph graph, const GraphNode* after, size_t count);
Error cudaGraphAddChildGraphNode(GraphNode* node, Graph graph, const GraphNode* after, size_t count, Graph child);
Error cudaGraphNodeGetType(GraphNode node, GraphNodeType* type);
Error cudaGraphKernelNodeGetParams(GraphNode node, KernelNodeParams* params);
Error cudaGraphKernelNodeSetParams(GraphNode node, const KernelNodeParams* params);
Error cudaGraphInstantiate(GraphExec* exec, Graph graph, unsigned long long flags);
Error cudaGraphInstantiateWithFlags(GraphExec* exec, Graph graph, unsigned long long flags);
Error cudaGraphInstantiateWithParams(GraphExec* exec, Graph graph, GraphInstantiateParams* params);
Error cudaGraphExecDestroy(GraphExec exec);
Error cudaGraphExecGetFlags(GraphExec exec, unsigned long long* flags);
Error cudaGraphExecUpdate(GraphExec exec, Graph graph, GraphExecUpdateResultInfo* info);
Error cudaGraphExecKernelNodeSetParams(GraphExec exec, GraphNode node, const KernelNodeParams* params);
Error cudaGraphExecChildGraphNodeSetParams(GraphExec exec, GraphNode node, Graph child);
Error cudaGraphLaunch(GraphExec exec, Stream stream);
Error cudaGraphUpload(GraphExec exec, Stream stream);

// calls/cuda12.cpp
Error cudaGetDeviceProperties_v2(DeviceProp12* properties, int device);
Error cudaStreamGetCaptureInfo_v2(Stream stream, StreamCaptureStatus* status, unsigned long long* id, Graph* graph,
                                  const GraphNode** after, size_t* count);

// calls/driver.cpp
Error cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags,
                              DriverEntryPointQueryResult* status);
Error cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned version, unsigned long long flags,
                                       DriverEntryPointQueryResult* status);

}  // namespace lanebank::cudart::calls
