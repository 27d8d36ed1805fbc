// The driver interface: one function for each DRIVER row of driver_calls.def, with the signature of the C function,
// and the table of all rows. A device is its ordinal, a module a library of the runtime's, a function the handle of
// its kernel. driver/ holds the functions by topic.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cudart/abi.hpp"
#include "cudart/driver_abi.hpp"

namespace lanebank::cudart::driver {

using std::size_t;

// driver/contexts.cpp
Result cuInit(unsigned flags);
Result cuDevicePrimaryCtxRetain(Context* context, int device);
Result cuDevicePrimaryCtxRelease_v2(int device);
Result cuDevicePrimaryCtxReset_v2(int device);
Result cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags);
Result cuDevicePrimaryCtxGetState(int device, unsigned* flags, int* active);
Result cuCtxCreate_v2(Context* context, unsigned flags, int device);
Result cuCtxCreate_v4(Context* context, const void* parameters, unsigned flags, int device);
Result cuCtxDestroy_v2(Context context);
Result cuCtxPushCurrent_v2(Context context);
Result cuCtxPopCurrent_v2(Context* context);
Result cuCtxSetCurrent(Context context);
Result cuCtxGetCurrent(Context* context);
Result cuCtxGetDevice(int* device);
Result cuCtxGetFlags(unsigned* flags);
Result cuCtxGetId(Context context, unsigned long long* id);
Result cuCtxGetApiVersion(Context context, unsigned* version);
Result cuCtxAttach(Context* context, unsigned flags);
Result cuCtxDetach(Context context);
Result cuStreamGetCtx(abi::Stream stream, Context* context);

// driver/devices.cpp
Result cuDriverGetVersion(int* version);
Result cuDeviceGet(int* device, int ordinal);
Result cuDeviceGetName(char* name, int room, int device);
Result cuDeviceTotalMem_v2(size_t* bytes, int device);
Result cuDeviceComputeCapability(int* major, int* minor, int device);
Result cuDeviceGetUuid(abi::Uuid* uuid, int device);
Result cuDeviceGetUuid_v2(abi::Uuid* uuid, int device);
Result cuDeviceGetLuid(char* luid, unsigned* node_mask, int device);
Result cuGetErrorName(int error, const char** name);
Result cuGetErrorString(int error, const char** text);
Result cuGetProcAddress(const char* symbol, void** function, int version, std::uint64_t flags);
Result cuGetProcAddress_v2(const char* symbol, void** function, int version, std::uint64_t flags, int* status);
Result cuGetExportTable(const void** table, const abi::Uuid* id);
Result cuTensorMapEncodeTiled(void* map, int data_type, std::uint32_t rank, void* address, const std::uint64_t* extents,
                              const std::uint64_t* stride_bytes, const std::uint32_t* box,
                              const std::uint32_t* element_strides, int interleave, int swizzle, int l2_promotion,
                              int fill);
Result cuTensorMapEncodeIm2col(void* map, int data_type, std::uint32_t rank, void* address,
                               const std::uint64_t* extents, const std::uint64_t* stride_bytes, const int* lower_corner,
                               const int* upper_corner, std::uint32_t channels, std::uint32_t pixels,
                               const std::uint32_t* element_strides, int interleave, int swizzle, int l2_promotion,
                               int fill);

// driver/memory.cpp
Result cuMemAlloc_v2(Address* address, size_t bytes);
Result cuMemAllocPitch_v2(Address* address, size_t* pitch, size_t width, size_t height, unsigned element_bytes);
Result cuMemAllocManaged(Address* address, size_t bytes, unsigned flags);
Result cuMemAllocHost_v2(void** address, size_t bytes);
Result cuMemHostAlloc(void** address, size_t bytes, unsigned flags);
Result cuMemFree_v2(Address address);
Result cuMemGetAddressRange_v2(Address* start, size_t* bytes, Address address);
Result cuPointerGetAttribute(void* data, PointerAttribute attribute, Address address);
Result cuPointerGetAttributes(unsigned count, PointerAttribute* attributes, void** data, Address address);
Result cuMemAdvise(Address address, size_t bytes, abi::MemAdvise advice, int device);
Result cuMemPrefetchAsync(Address address, size_t bytes, int device, abi::Stream stream);

// driver/virtual_memory.cpp
Result cuMemGetAllocationGranularity(size_t* bytes, const AllocationProp* properties, int option);
Result cuMemAddressReserve(Address* address, size_t bytes, size_t alignment, Address wish, unsigned long long flags);
Result cuMemAddressFree(Address address, size_t bytes);
Result cuMemCreate(unsigned long long* handle, size_t bytes, const AllocationProp* properties,
                   unsigned long long flags);
Result cuMemGetAllocationPropertiesFromHandle(AllocationProp* properties, unsigned long long handle);
Result cuMemRelease(unsigned long long handle);
Result cuMemMap(Address address, size_t bytes, size_t offset, unsigned long long handle, unsigned long long flags);
Result cuMemUnmap(Address address, size_t bytes);
Result cuMemSetAccess(Address address, size_t bytes, const abi::MemAccessDesc* list, size_t count);

// driver/textures.cpp
Result cuArray3DCreate_v2(abi::ArrayHandle* array, const ArrayDescriptor3D* descriptor);
Result cuArrayCreate_v2(abi::ArrayHandle* array, const ArrayDescriptor* descriptor);
Result cuArrayDestroy(abi::ArrayHandle array);
Result cuMipmappedArrayCreate(abi::MipmapHandle* handle, const ArrayDescriptor3D* descriptor, unsigned levels);
Result cuArray3DGetDescriptor_v2(ArrayDescriptor3D* descriptor, abi::ArrayHandle handle);
Result cuArrayGetDescriptor_v2(ArrayDescriptor* descriptor, abi::ArrayHandle array);
Result cuTexObjectCreate(abi::TextureHandle* handle, const ResourceDesc* resource, const TextureDesc* texture,
                         const abi::ResourceViewDesc* view);
Result cuTexObjectGetResourceDesc(ResourceDesc* resource, abi::TextureHandle handle);
Result cuTexObjectGetTextureDesc(TextureDesc* texture, abi::TextureHandle handle);
Result cuSurfObjectCreate(abi::SurfaceHandle* handle, const ResourceDesc* resource);
Result cuSurfObjectGetResourceDesc(ResourceDesc* resource, abi::SurfaceHandle handle);
Result cuMemcpyHtoA_v2(abi::ArrayHandle to, size_t x, const void* from, size_t bytes);
Result cuMemcpyAtoH_v2(void* to, abi::ArrayHandle from, size_t x, size_t bytes);
Result cuMemcpyDtoA_v2(abi::ArrayHandle to, size_t x, Address from, size_t bytes);
Result cuMemcpyAtoD_v2(Address to, abi::ArrayHandle from, size_t x, size_t bytes);
Result cuMemcpyAtoA_v2(abi::ArrayHandle to, size_t to_x, abi::ArrayHandle from, size_t from_x, size_t bytes);
Result cuMemcpyHtoAAsync_v2(abi::ArrayHandle to, size_t x, const void* from, size_t bytes, abi::Stream stream);
Result cuMemcpyAtoHAsync_v2(void* to, abi::ArrayHandle from, size_t x, size_t bytes, abi::Stream stream);

// driver/copies.cpp
Result cuMemcpy(Address to, Address from, size_t bytes);
Result cuMemcpyAsync(Address to, Address from, size_t bytes, abi::Stream stream);
Result cuMemcpyHtoD_v2(Address to, const void* from, size_t bytes);
Result cuMemcpyDtoH_v2(void* to, Address from, size_t bytes);
Result cuMemcpyDtoD_v2(Address to, Address from, size_t bytes);
Result cuMemcpyHtoDAsync_v2(Address to, const void* from, size_t bytes, abi::Stream stream);
Result cuMemcpyDtoHAsync_v2(void* to, Address from, size_t bytes, abi::Stream stream);
Result cuMemcpyDtoDAsync_v2(Address to, Address from, size_t bytes, abi::Stream stream);
Result cuMemcpyPeer(Address to, Context to_context, Address from, Context from_context, size_t bytes);
Result cuMemcpyPeerAsync(Address to, Context to_context, Address from, Context from_context, size_t bytes,
                         abi::Stream stream);
Result cuMemcpy2D_v2(const Memcpy2D* copy);
Result cuMemcpy2DUnaligned_v2(const Memcpy2D* copy);
Result cuMemcpy2DAsync_v2(const Memcpy2D* copy, abi::Stream stream);
Result cuMemcpy3D_v2(const Memcpy3D* copy);
Result cuMemcpy3DAsync_v2(const Memcpy3D* copy, abi::Stream stream);
Result cuMemsetD8_v2(Address to, unsigned char value, size_t count);
Result cuMemsetD16_v2(Address to, unsigned short value, size_t count);
Result cuMemsetD32_v2(Address to, unsigned value, size_t count);
Result cuMemsetD8Async(Address to, unsigned char value, size_t count, abi::Stream stream);
Result cuMemsetD16Async(Address to, unsigned short value, size_t count, abi::Stream stream);
Result cuMemsetD32Async(Address to, unsigned value, size_t count, abi::Stream stream);
Result cuMemsetD2D8_v2(Address to, size_t pitch, unsigned char value, size_t width, size_t height);
Result cuMemsetD2D16_v2(Address to, size_t pitch, unsigned short value, size_t width, size_t height);
Result cuMemsetD2D32_v2(Address to, size_t pitch, unsigned value, size_t width, size_t height);
Result cuMemsetD2D8Async(Address to, size_t pitch, unsigned char value, size_t width, size_t height,
                         abi::Stream stream);
Result cuMemsetD2D16Async(Address to, size_t pitch, unsigned short value, size_t width, size_t height,
                          abi::Stream stream);
Result cuMemsetD2D32Async(Address to, size_t pitch, unsigned value, size_t width, size_t height, abi::Stream stream);

// driver/modules.cpp
Result cuModuleLoad(Module* module, const char* path);
Result cuModuleLoadData(Module* module, const void* code);
Result cuModuleLoadDataEx(Module* module, const void* code, unsigned count, JitOption* options, void** values);
Result cuModuleLoadFatBinary(Module* module, const void* code);
Result cuModuleUnload(Module module);
Result cuModuleGetFunction(Function* function, Module module, const char* name);
Result cuModuleGetGlobal_v2(Address* address, size_t* bytes, Module module, const char* name);
Result cuModuleGetFunctionCount(unsigned* count, Module module);
Result cuModuleEnumerateFunctions(Function* functions, unsigned room, Module module);
Result cuModuleGetLoadingMode(int* mode);
Result cuFuncGetModule(Module* module, Function function);
Result cuFuncGetAttribute(int* value, FunctionAttribute attribute, Function function);
Result cuFuncSetAttribute(Function function, FunctionAttribute attribute, int value);
Result cuFuncIsLoaded(int* state, Function function);
Result cuFuncLoad(Function function);
Result cuKernelGetAttribute(int* value, FunctionAttribute attribute, Function kernel, int device);
Result cuKernelSetAttribute(FunctionAttribute attribute, int value, Function kernel, int device);
Result cuKernelSetCacheConfig(Function kernel, int preference, int device);
Result cuKernelGetFunction(Function* function, Function kernel);
Result cuKernelGetLibrary(Module* library, Function kernel);
Result cuLibraryGetModule(Module* module, Module library);
Result cuLinkCreate_v2(unsigned count, JitOption* options, void** values, LinkState* state);
Result cuLinkAddData_v2(LinkState state, int kind, void* data, size_t bytes, const char* name, unsigned count,
                        JitOption* options, void** values);
Result cuLinkAddFile_v2(LinkState state, int kind, const char* path, unsigned count, JitOption* options, void** values);
Result cuLinkComplete(LinkState state, void** cubin, size_t* bytes);
Result cuLinkDestroy(LinkState state);

// driver/launches.cpp
Result cuLaunchKernel(Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                      unsigned block_y, unsigned block_z, unsigned shared_bytes, abi::Stream stream, void** arguments,
                      void** extra);
Result cuLaunchCooperativeKernel(Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                                 unsigned block_y, unsigned block_z, unsigned shared_bytes, abi::Stream stream,
                                 void** arguments);
Result cuLaunchKernelEx(const LaunchConfig* config, Function function, void** arguments, void** extra);
Result cuOccupancyMaxPotentialBlockSize(int* grid, int* block, Function function, size_t (*shared_of)(int threads),
                                        size_t shared_bytes, int limit);
Result cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, Function function,
                                                 size_t (*shared_of)(int threads), size_t shared_bytes, int limit,
                                                 unsigned flags);
Result cuOccupancyMaxActiveClusters(int* clusters, Function function, const LaunchConfig* config);
Result cuOccupancyMaxPotentialClusterSize(int* size, Function function, const LaunchConfig* config);

// driver/graphs.cpp
Result cuGraphAddDependencies(abi::Graph graph, const abi::GraphNode* from, const abi::GraphNode* to, size_t count);
Result cuGraphGetEdges(abi::Graph graph, abi::GraphNode* from, abi::GraphNode* to, size_t* count);
Result cuGraphAddKernelNode_v2(abi::GraphNode* node, abi::Graph graph, const abi::GraphNode* after, size_t count,
                               const KernelNodeParams* params);
Result cuGraphAddMemcpyNode(abi::GraphNode* node, abi::Graph graph, const abi::GraphNode* after, size_t count,
                            const Memcpy3D* params, Context context);
Result cuGraphAddMemsetNode(abi::GraphNode* node, abi::Graph graph, const abi::GraphNode* after, size_t count,
                            const abi::MemsetParams* params, Context context);
Result cuGraphInstantiate_v2(abi::GraphExec* exec, abi::Graph graph, abi::GraphNode* culprit, char* log, size_t room);
Result cuGraphKernelNodeGetParams_v2(abi::GraphNode node, KernelNodeParams* params);
Result cuGraphKernelNodeSetParams_v2(abi::GraphNode node, const KernelNodeParams* params);
Result cuGraphExecKernelNodeSetParams_v2(abi::GraphExec exec, abi::GraphNode node, const KernelNodeParams* params);
Result cuGraphRemoveDependencies(abi::Graph graph, const abi::GraphNode* from, const abi::GraphNode* to, size_t count);
Result cuGraphNodeGetDependencies(abi::GraphNode node, abi::GraphNode* nodes, size_t* count);
Result cuGraphNodeGetDependentNodes(abi::GraphNode node, abi::GraphNode* nodes, size_t* count);
Result cuGraphConditionalHandleCreate(std::uint64_t* handle, abi::Graph graph, Context context, unsigned value,
                                      unsigned flags);
Result cuGraphAddNode(abi::GraphNode* node, abi::Graph graph, const abi::GraphNode* after, size_t count,
                      GraphNodeParams* params);
Result cuGraphAddNode_v2(abi::GraphNode* node, abi::Graph graph, const abi::GraphNode* after,
                         const abi::GraphEdgeData* edges, size_t count, GraphNodeParams* params);
Result cuGraphNodeSetParams(abi::GraphNode node, GraphNodeParams* params);
Result cuGraphExecNodeSetParams(abi::GraphExec exec, abi::GraphNode node, GraphNodeParams* params);
Result cuGraphMemcpyNodeSetParams(abi::GraphNode node, const Memcpy3D* params);
Result cuGraphExecMemcpyNodeSetParams(abi::GraphExec exec, abi::GraphNode node, const Memcpy3D* params,
                                      Context context);
Result cuGraphExecMemsetNodeSetParams(abi::GraphExec exec, abi::GraphNode node, const abi::MemsetParams* params,
                                      Context context);
Result cuGraphExecUpdate(abi::GraphExec exec, abi::Graph graph, abi::GraphNode* culprit, int* result);

/// How a search for a driver function by name ended.
struct Lookup {
  abi::DriverEntryPointQueryResult status = abi::cudaDriverEntryPointSymbolNotFound;
  void* function = nullptr;
};
/// The newest form of a function ("cuMemAlloc" finds cuMemAlloc_v2) that `version` has. A function that the
/// driver has and we do not is told once and counts as not found.
Lookup find(const char* symbol, unsigned version);

/// By row of driver_calls.def: the function, never null.
extern void* const table[];
inline constexpr unsigned table_rows = 0
#define DRIVER(name, since) +1
#define AS(name, since, call, fault) +1
#define SAME(name, since, as) +1
#define NO_DRIVER(name) +1
#include "cudart/driver_calls.def"
#undef DRIVER
#undef AS
#undef SAME
#undef NO_DRIVER
    ;

}  // namespace lanebank::cudart::driver
