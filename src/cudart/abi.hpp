// The C types of the CUDA 13 runtime interface, as far as the implemented calls need them. Layouts and
// numbers equal those of the vendor's headers (tests/cudart/abi_test.cpp compares them where the headers
// are installed); names are the vendor's without `cuda`, or enumerators in the vendor's spelling.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lanebank::cudart::abi {

/// cudaError_t. All values stand in errors.def.
enum Error : int {
#define ERROR(name, value, text) name = value,
#include "cudart/errors.def"
#undef ERROR
};

struct Dim3 {
  unsigned x = 1, y = 1, z = 1;
};

struct Pos {
  std::size_t x = 0, y = 0, z = 0;
};

struct Extent {
  std::size_t width = 0, height = 0, depth = 0;
};

struct PitchedPtr {
  void* ptr = nullptr;
  std::size_t pitch = 0, xsize = 0, ysize = 0;
};

struct ChannelFormatDesc {
  int x, y, z, w, kind;
};

/// cudaChannelFormatKind, as far as arrays hold it; 5 to 16 are the normalised integers.
enum ChannelFormatKind : int {
  cudaChannelFormatKindSigned = 0,
  cudaChannelFormatKindUnsigned = 1,
  cudaChannelFormatKindFloat = 2,
  cudaChannelFormatKindNone = 3,
};

using ArrayHandle = struct ArrayTag*;
using MipmapHandle = struct MipmapTag*;
using TextureHandle = unsigned long long;
using SurfaceHandle = unsigned long long;
/// Flags of arrays; the vendor's names are macros.
inline constexpr unsigned array_layered = 0x01, array_surface_load_store = 0x02, array_cubemap = 0x04,
                          array_texture_gather = 0x08, array_color_attachment = 0x20, array_sparse = 0x40,
                          array_deferred_mapping = 0x80;

enum ResourceType : int {
  cudaResourceTypeArray = 0,
  cudaResourceTypeMipmappedArray = 1,
  cudaResourceTypeLinear = 2,
  cudaResourceTypePitch2D = 3,
};

/// CUDA 12 has neither `reserved` nor `flags`: neither is ever written.
struct ResourceDesc {
  ResourceType resType;
  union {
    struct {
      ArrayHandle array;
    } array;
    struct {
      MipmapHandle mipmap;
    } mipmap;
    struct {
      void* devPtr;
      ChannelFormatDesc desc;
      std::size_t sizeInBytes;
    } linear;
    struct {
      void* devPtr;
      ChannelFormatDesc desc;
      std::size_t width, height, pitchInBytes;
    } pitch2D;
    int reserved[32];
  } res;
  unsigned flags;
};

struct TextureDesc {
  int addressMode[3];
  int filterMode;  ///< 1: linear
  int readMode;    ///< 1: integers as normalised numbers
  int sRGB;
  float borderColor[4];
  int normalizedCoords;
  unsigned maxAnisotropy;
  int mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  int disableTrilinearOptimization;
  int seamlessCubemap;
};

struct ResourceViewDesc {
  int format;
  std::size_t width, height, depth;
  unsigned firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer;
  unsigned reserved[16];
};

enum MemcpyKind : int {
  cudaMemcpyHostToHost = 0,
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3,
  cudaMemcpyDefault = 4,
};

struct Memcpy3DParms {
  void* srcArray = nullptr;
  Pos srcPos;
  PitchedPtr srcPtr;
  void* dstArray = nullptr;
  Pos dstPos;
  PitchedPtr dstPtr;
  Extent extent;
  MemcpyKind kind = cudaMemcpyHostToHost;
};

struct Memcpy3DPeerParms {
  void* srcArray = nullptr;
  Pos srcPos;
  PitchedPtr srcPtr;
  int srcDevice = 0;
  void* dstArray = nullptr;
  Pos dstPos;
  PitchedPtr dstPtr;
  int dstDevice = 0;
  Extent extent;
};

struct MemsetParams {
  void* dst = nullptr;
  std::size_t pitch = 0;
  unsigned value = 0;
  unsigned elementSize = 1;
  std::size_t width = 0;
  std::size_t height = 0;
};

using HostFunction = void (*)(void* user_data);
using Stream = struct StreamTag*;
using Event = struct EventTag*;
using Graph = struct GraphTag*;
using GraphNode = struct GraphNodeTag*;
using GraphExec = struct GraphExecTag*;
using UserObjectHandle = struct UserObjectTag*;
using MemPool = struct MemPoolTag*;
using KernelHandle = const void*;  ///< a registered host stub, or the address of a library's kernel
using Library = struct LibraryTag*;
using StreamCallback = void (*)(Stream stream, Error status, void* user_data);

inline StreamTag* const stream_legacy = reinterpret_cast<Stream>(1);
inline StreamTag* const stream_per_thread = reinterpret_cast<Stream>(2);

struct HostNodeParams {
  HostFunction fn = nullptr;
  void* userData = nullptr;
};

struct KernelNodeParams {
  void* func = nullptr;
  Dim3 gridDim, blockDim;
  unsigned sharedMemBytes = 0;
  void** kernelParams = nullptr;
  void** extra = nullptr;
};

enum MemoryType : int {
  cudaMemoryTypeUnregistered = 0,
  cudaMemoryTypeHost = 1,
  cudaMemoryTypeDevice = 2,
  cudaMemoryTypeManaged = 3,
};

struct PointerAttributes {
  MemoryType type = cudaMemoryTypeUnregistered;
  int device = 0;
  void* devicePointer = nullptr;
  void* hostPointer = nullptr;
  long reserved[8] = {};
};

enum Limit : int {
  cudaLimitStackSize = 0,
  cudaLimitPrintfFifoSize = 1,
  cudaLimitMallocHeapSize = 2,
  cudaLimitDevRuntimeSyncDepth = 3,
  cudaLimitDevRuntimePendingLaunchCount = 4,
  cudaLimitMaxL2FetchGranularity = 5,
  cudaLimitPersistingL2CacheSize = 6,
};

enum FuncAttribute : int {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9,
  cudaFuncAttributeClusterDimMustBeSet = 10,
  cudaFuncAttributeRequiredClusterWidth = 11,
  cudaFuncAttributeRequiredClusterHeight = 12,
  cudaFuncAttributeRequiredClusterDepth = 13,
  cudaFuncAttributeNonPortableClusterSizeAllowed = 14,
  cudaFuncAttributeClusterSchedulingPolicyPreference = 15,
};

struct FuncAttributes {
  std::size_t sharedSizeBytes = 0, constSizeBytes = 0, localSizeBytes = 0;
  int maxThreadsPerBlock = 0, numRegs = 0, ptxVersion = 0, binaryVersion = 0, cacheModeCA = 0;
  int maxDynamicSharedSizeBytes = 0, preferredShmemCarveout = 0, clusterDimMustBeSet = 0;
  int requiredClusterWidth = 0, requiredClusterHeight = 0, requiredClusterDepth = 0;
  int clusterSchedulingPolicyPreference = 0, nonPortableClusterSizeAllowed = 0;
  int reserved[16] = {};
};

enum LaunchAttributeId : int {
  cudaLaunchAttributeIgnore = 0,
  cudaLaunchAttributeAccessPolicyWindow = 1,
  cudaLaunchAttributeCooperative = 2,
  cudaLaunchAttributeSynchronizationPolicy = 3,
  cudaLaunchAttributeClusterDimension = 4,
  cudaLaunchAttributeClusterSchedulingPolicyPreference = 5,
  cudaLaunchAttributeProgrammaticStreamSerialization = 6,
  cudaLaunchAttributeProgrammaticEvent = 7,
  cudaLaunchAttributePriority = 8,
  cudaLaunchAttributeMemSyncDomainMap = 9,
  cudaLaunchAttributeMemSyncDomain = 10,
  cudaLaunchAttributePreferredClusterDimension = 11,
  cudaLaunchAttributeLaunchCompletionEvent = 12,
  cudaLaunchAttributeDeviceUpdatableKernelNode = 13,
  cudaLaunchAttributePreferredSharedMemoryCarveout = 14,
};

union LaunchAttributeValue {
  char pad[64];
  int cooperative;
  int syncPolicy;
  struct {
    unsigned x, y, z;
  } clusterDim;
  struct {
    Event event;
    int flags;
    int triggerAtBlockStart;
  } programmaticEvent;
  int priority;
  struct {
    Event event;
    int flags;
  } launchCompletionEvent;
  unsigned sharedMemCarveout;
};

struct LaunchAttribute {
  LaunchAttributeId id;
  char pad[4];
  LaunchAttributeValue val;
};

struct LaunchConfig {
  Dim3 gridDim, blockDim;
  std::size_t dynamicSmemBytes;
  Stream stream;
  LaunchAttribute* attrs;
  unsigned numAttrs;
};

enum MemLocationType : int {
  cudaMemLocationTypeNone = 0,
  cudaMemLocationTypeDevice = 1,
  cudaMemLocationTypeHost = 2,
  cudaMemLocationTypeHostNuma = 3,
  cudaMemLocationTypeHostNumaCurrent = 4,
};

struct MemLocation {
  MemLocationType type;
  int id;
};

struct MemcpyAttributes {
  int srcAccessOrder;
  MemLocation srcLocHint, dstLocHint;
  unsigned flags;
};

enum MemAdvise : int {
  cudaMemAdviseSetReadMostly = 1,
  cudaMemAdviseUnsetReadMostly = 2,
  cudaMemAdviseSetPreferredLocation = 3,
  cudaMemAdviseUnsetPreferredLocation = 4,
  cudaMemAdviseSetAccessedBy = 5,
  cudaMemAdviseUnsetAccessedBy = 6,
};

struct MemPoolProps {
  int allocType = 0;
  int handleTypes = 0;
  MemLocation location{};
  void* win32SecurityAttributes = nullptr;
  std::size_t maxSize = 0;
  unsigned short usage = 0;
  unsigned char reserved[54] = {};
};

struct MemAccessDesc {
  MemLocation location;
  int flags;
};

struct MemAllocNodeParams {
  MemPoolProps poolProps;
  const MemAccessDesc* accessDescs = nullptr;
  std::size_t accessDescCount = 0;
  std::size_t bytesize = 0;
  void* dptr = nullptr;
};

enum MemPoolAttr : int {
  cudaMemPoolReuseFollowEventDependencies = 1,
  cudaMemPoolReuseAllowOpportunistic = 2,
  cudaMemPoolReuseAllowInternalDependencies = 3,
  cudaMemPoolAttrReleaseThreshold = 4,
  cudaMemPoolAttrReservedMemCurrent = 5,
  cudaMemPoolAttrReservedMemHigh = 6,
  cudaMemPoolAttrUsedMemCurrent = 7,
  cudaMemPoolAttrUsedMemHigh = 8,
};

enum StreamCaptureStatus : int {
  cudaStreamCaptureStatusNone = 0,
  cudaStreamCaptureStatusActive = 1,
  cudaStreamCaptureStatusInvalidated = 2,
};

enum StreamCaptureMode : int {
  cudaStreamCaptureModeGlobal = 0,
  cudaStreamCaptureModeThreadLocal = 1,
  cudaStreamCaptureModeRelaxed = 2,
};

enum DriverEntryPointQueryResult : int {
  cudaDriverEntryPointSuccess = 0,
  cudaDriverEntryPointSymbolNotFound = 1,
  cudaDriverEntryPointVersionNotSufficent = 2,
};

struct Uuid {
  unsigned char bytes[16];
};

/// cudaDeviceProp of CUDA 13.
struct DeviceProp {
  char name[256];
  Uuid uuid;
  char luid[8];
  unsigned luidDeviceNodeMask;
  std::size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize;
  std::size_t memPitch;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
  std::size_t totalConstMem;
  int major, minor;
  std::size_t textureAlignment, texturePitchAlignment;
  int multiProcessorCount, integrated, canMapHostMemory;
  int maxTexture1D, maxTexture1DMipmap, maxTexture2D[2], maxTexture2DMipmap[2], maxTexture2DLinear[3];
  int maxTexture2DGather[2], maxTexture3D[3], maxTexture3DAlt[3], maxTextureCubemap, maxTexture1DLayered[2];
  int maxTexture2DLayered[3], maxTextureCubemapLayered[2];
  int maxSurface1D, maxSurface2D[2], maxSurface3D[3], maxSurface1DLayered[2], maxSurface2DLayered[3];
  int maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
  std::size_t surfaceAlignment;
  int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount;
  int unifiedAddressing, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize, maxThreadsPerMultiProcessor;
  int streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
  std::size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported;
  int pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported, canUseHostPointerForRegisteredMem;
  int cooperativeLaunch;
  std::size_t sharedMemPerBlockOptin;
  int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor;
  int accessPolicyMaxWindowSize;
  std::size_t reservedSharedMemPerBlock;
  int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported;
  int timelineSemaphoreInteropSupported, memoryPoolsSupported, gpuDirectRDMASupported;
  unsigned gpuDirectRDMAFlushWritesOptions;
  int gpuDirectRDMAWritesOrdering;
  unsigned memoryPoolSupportedHandleTypes;
  int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch, unifiedFunctionPointers;
  int deviceNumaConfig, deviceNumaId, mpsEnabled, hostNumaId;
  unsigned gpuPciDeviceID, gpuPciSubsystemID;
  int hostNumaMultinodeIpcSupported;
  int reserved[56];
};

/// cudaDeviceProp of CUDA 12. Beside the fields below it has those of CUDA 13 under the same names.
struct DeviceProp12 {
  char name[256];
  Uuid uuid;
  char luid[8];
  unsigned luidDeviceNodeMask;
  std::size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize;
  std::size_t memPitch;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
  std::size_t totalConstMem;
  int major, minor;
  std::size_t textureAlignment, texturePitchAlignment;
  int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory, computeMode;
  int maxTexture1D, maxTexture1DMipmap, maxTexture1DLinear, maxTexture2D[2], maxTexture2DMipmap[2];
  int maxTexture2DLinear[3], maxTexture2DGather[2], maxTexture3D[3], maxTexture3DAlt[3], maxTextureCubemap;
  int maxTexture1DLayered[2], maxTexture2DLayered[3], maxTextureCubemapLayered[2];
  int maxSurface1D, maxSurface2D[2], maxSurface3D[3], maxSurface1DLayered[2], maxSurface2DLayered[3];
  int maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
  std::size_t surfaceAlignment;
  int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount;
  int unifiedAddressing, memoryClockRate, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize;
  int maxThreadsPerMultiProcessor, streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
  std::size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported;
  int singleToDoublePrecisionPerfRatio, pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported;
  int canUseHostPointerForRegisteredMem, cooperativeLaunch, cooperativeMultiDeviceLaunch;
  std::size_t sharedMemPerBlockOptin;
  int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor;
  int accessPolicyMaxWindowSize;
  std::size_t reservedSharedMemPerBlock;
  int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported;
  int timelineSemaphoreInteropSupported, memoryPoolsSupported, gpuDirectRDMASupported;
  unsigned gpuDirectRDMAFlushWritesOptions;
  int gpuDirectRDMAWritesOrdering;
  unsigned memoryPoolSupportedHandleTypes;
  int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch, unifiedFunctionPointers;
  int reserved[63];
};

/// cudaPointerAttributes of CUDA 12: the beginning of CUDA 13's.
struct PointerAttributes12 {
  MemoryType type;
  int device;
  void* devicePointer;
  void* hostPointer;
};

}  // namespace lanebank::cudart::abi
