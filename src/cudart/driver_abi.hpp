// The C types of the driver interface of CUDA 13, where they are not the runtime's (abi.hpp). Layouts equal those
// of the vendor's header (tests/cudart/abi_test.cpp).
#pragma once

#include "cudart/abi_graph.hpp"

namespace lanebank::cudart::driver {

/// A CUresult. Its numbers are those of cudaError_t; driver_errors.def has the names.
using Result = int;
using Address = std::uint64_t;  ///< CUdeviceptr
using Context = struct ContextTag*;
using Function = abi::KernelHandle;  ///< CUfunction and CUkernel
using Module = abi::Library;         ///< CUmodule and CUlibrary
using LinkState = struct LinkStateTag*;

enum MemoryType : int {
  CU_MEMORYTYPE_HOST = 1,
  CU_MEMORYTYPE_DEVICE = 2,
  CU_MEMORYTYPE_ARRAY = 3,
  CU_MEMORYTYPE_UNIFIED = 4,
};

enum PointerAttribute : int {
  CU_POINTER_ATTRIBUTE_CONTEXT = 1,
  CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
  CU_POINTER_ATTRIBUTE_DEVICE_POINTER = 3,
  CU_POINTER_ATTRIBUTE_HOST_POINTER = 4,
  CU_POINTER_ATTRIBUTE_BUFFER_ID = 7,
  CU_POINTER_ATTRIBUTE_IS_MANAGED = 8,
  CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9,
  CU_POINTER_ATTRIBUTE_RANGE_START_ADDR = 11,
  CU_POINTER_ATTRIBUTE_RANGE_SIZE = 12,
  CU_POINTER_ATTRIBUTE_MAPPED = 13,
};

enum FunctionAttribute : int {
  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
  CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2,
  CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
  CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
  CU_FUNC_ATTRIBUTE_PTX_VERSION = 5,
  CU_FUNC_ATTRIBUTE_BINARY_VERSION = 6,
  CU_FUNC_ATTRIBUTE_CACHE_MODE_CA = 7,
};

enum JitOption : int {
  CU_JIT_INFO_LOG_BUFFER = 3,
  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES = 4,
  CU_JIT_ERROR_LOG_BUFFER = 5,
  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
};

struct Memcpy2D {
  std::size_t srcXInBytes, srcY;
  MemoryType srcMemoryType;
  const void* srcHost;
  Address srcDevice;
  void* srcArray;
  std::size_t srcPitch;
  std::size_t dstXInBytes, dstY;
  MemoryType dstMemoryType;
  void* dstHost;
  Address dstDevice;
  void* dstArray;
  std::size_t dstPitch;
  std::size_t WidthInBytes, Height;
};

struct Memcpy3D {
  std::size_t srcXInBytes, srcY, srcZ, srcLOD;
  MemoryType srcMemoryType;
  const void* srcHost;
  Address srcDevice;
  void* srcArray;
  void* reserved0;
  std::size_t srcPitch, srcHeight;
  std::size_t dstXInBytes, dstY, dstZ, dstLOD;
  MemoryType dstMemoryType;
  void* dstHost;
  Address dstDevice;
  void* dstArray;
  void* reserved1;
  std::size_t dstPitch, dstHeight;
  std::size_t WidthInBytes, Height, Depth;
};

enum ArrayFormat : int {
  CU_AD_FORMAT_UNSIGNED_INT8 = 0x01,
  CU_AD_FORMAT_UNSIGNED_INT16 = 0x02,
  CU_AD_FORMAT_UNSIGNED_INT32 = 0x03,
  CU_AD_FORMAT_SIGNED_INT8 = 0x08,
  CU_AD_FORMAT_SIGNED_INT16 = 0x09,
  CU_AD_FORMAT_SIGNED_INT32 = 0x0a,
  CU_AD_FORMAT_HALF = 0x10,
  CU_AD_FORMAT_FLOAT = 0x20,
};

struct ArrayDescriptor {
  std::size_t Width, Height;
  ArrayFormat Format;
  unsigned NumChannels;
};

struct ArrayDescriptor3D {
  std::size_t Width, Height, Depth;
  ArrayFormat Format;
  unsigned NumChannels, Flags;
};

struct ResourceDesc {
  abi::ResourceType resType;
  union {
    struct {
      abi::ArrayHandle hArray;
    } array;
    struct {
      Address devPtr;
      ArrayFormat format;
      unsigned numChannels;
      std::size_t sizeInBytes;
    } linear;
    struct {
      Address devPtr;
      ArrayFormat format;
      unsigned numChannels;
      std::size_t width, height, pitchInBytes;
    } pitch2D;
    int reserved[32];
  } res;
  unsigned flags;
};

struct TextureDesc {
  int addressMode[3];
  int filterMode;
  unsigned flags, maxAnisotropy;
  int mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  float borderColor[4];
  int reserved[12];
};

struct AllocationProp {
  int type;
  int requestedHandleTypes;
  abi::MemLocation location;
  void* win32HandleMetaData;
  unsigned char allocFlags[8];
};

struct LaunchConfig {
  unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
  abi::Stream hStream;
  abi::LaunchAttribute* attrs;
  unsigned numAttrs;
};

struct KernelNodeParams {
  Function func;
  unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
  void** kernelParams;
  void** extra;
  Function kern;
  Context ctx;
};

struct MemcpyNodeParams {
  int flags, reserved;
  Context copyCtx;
  Memcpy3D copyParams;
};

struct MemsetNodeParams {
  abi::MemsetParams set;
  Context ctx;
};

struct ConditionalNodeParams {
  abi::ConditionalNodeParams node;
  Context ctx;
};

struct GraphNodeParams {
  abi::GraphNodeType type;
  int reserved0[3];
  union {
    long long reserved1[29];
    KernelNodeParams kernel;
    MemcpyNodeParams memcpy;
    MemsetNodeParams memset;
    abi::MemAllocNodeParams alloc;
    ConditionalNodeParams conditional;
  };
  long long reserved2;
};

}  // namespace lanebank::cudart::driver
