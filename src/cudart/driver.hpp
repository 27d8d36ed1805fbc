// The few functions of the driver interface that programs of the runtime use (driver_calls.def), with the
// signatures of the C functions. A CUresult is an int with the numbers of cudaError_t, a device address an
// integer, a device its ordinal; the one context is an address of ours.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cudart/abi.hpp"

namespace lanebank::cudart::driver {

using Result = int;
using Address = std::uint64_t;
using Context = void*;

Result cuInit(unsigned flags);
Result cuDriverGetVersion(int* version);
Result cuDeviceGetCount(int* count);
Result cuDeviceGet(int* device, int ordinal);
Result cuDeviceGetName(char* name, int room, int device);
Result cuDeviceGetAttribute(int* value, int attribute, int device);
Result cuDeviceTotalMem_v2(std::size_t* bytes, int device);
Result cuDevicePrimaryCtxRetain(Context* context, int device);
Result cuDevicePrimaryCtxRelease_v2(int device);
Result cuCtxGetCurrent(Context* context);
Result cuCtxSetCurrent(Context context);
Result cuCtxGetDevice(int* device);
Result cuCtxSynchronize();
Result cuGetErrorName(int error, const char** name);
Result cuGetErrorString(int error, const char** text);
Result cuGetProcAddress_v2(const char* symbol, void** function, int version, std::uint64_t flags, int* status);
Result cuMemGetInfo_v2(std::size_t* free_bytes, std::size_t* total_bytes);
Result cuMemAlloc_v2(Address* address, std::size_t bytes);
Result cuMemFree_v2(Address address);
Result cuMemcpyHtoD_v2(Address to, const void* from, std::size_t bytes);
Result cuMemcpyDtoH_v2(void* to, Address from, std::size_t bytes);
Result cuMemcpyDtoD_v2(Address to, Address from, std::size_t bytes);
Result cuMemcpyHtoDAsync_v2(Address to, const void* from, std::size_t bytes, abi::Stream stream);
Result cuMemcpyDtoHAsync_v2(void* to, Address from, std::size_t bytes, abi::Stream stream);
Result cuMemcpyDtoDAsync_v2(Address to, Address from, std::size_t bytes, abi::Stream stream);
Result cuMemsetD8_v2(Address to, unsigned char value, std::size_t count);
Result cuMemsetD16_v2(Address to, unsigned short value, std::size_t count);
Result cuMemsetD32_v2(Address to, unsigned value, std::size_t count);
Result cuStreamCreate(abi::Stream* stream, unsigned flags);
Result cuStreamDestroy_v2(abi::Stream stream);
Result cuStreamSynchronize(abi::Stream stream);
Result cuTensorMapEncodeTiled(void* map, int data_type, std::uint32_t rank, void* address, const std::uint64_t* extents,
                              const std::uint64_t* stride_bytes, const std::uint32_t* box,
                              const std::uint32_t* element_strides, int interleave, int swizzle, int l2_promotion,
                              int fill);

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
#define NO_DRIVER(name) +1
#include "cudart/driver_calls.def"
#undef DRIVER
#undef NO_DRIVER
    ;

}  // namespace lanebank::cudart::driver
