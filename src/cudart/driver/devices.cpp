// The device, names of errors, functions by name, tensor maps.
#include <cstdio>
#include <cstring>

#include "cudart/calls.hpp"
#include "cudart/driver/context.hpp"
#include "cudart/tensor_map.hpp"

namespace lanebank::cudart::driver {
namespace {

using abi::cudaErrorInvalidDevice;
using abi::cudaErrorInvalidValue;

/// What a call about a device finds wrong: not initialised, a null pointer, another device.
Result check(const void* to, int device) {
  if (const Result result = ready(Needs::device); result != cudaSuccess) return result;
  if (to == nullptr) return cudaErrorInvalidValue;
  return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

}  // namespace

Result cuDriverGetVersion(int* version) { return calls::cudaDriverGetVersion(version); }

Result cuDeviceGet(int* device, int ordinal) {
  const Result result = check(device, ordinal);
  if (result == cudaSuccess) *device = ordinal;
  return result;
}

Result cuDeviceGetName(char* name, int room, int device) {
  if (const Result result = check(name, device); result != cudaSuccess) return result;
  if (room <= 0) return cudaErrorInvalidValue;  // a real driver crashes
  std::snprintf(name, static_cast<size_t>(room), "%s", Process::get().model().name);
  return cudaSuccess;
}

Result cuDeviceTotalMem_v2(size_t* bytes, int device) {
  const Result result = check(bytes, device);
  if (result == cudaSuccess) *bytes = Process::get().model().memory_bytes;
  return result;
}

Result cuDeviceComputeCapability(int* major, int* minor, int device) {
  if (const Result result = check(major, device); result != cudaSuccess) return result;
  if (minor == nullptr) return cudaErrorInvalidValue;
  constexpr int attribute_major = 75, attribute_minor = 76;
  *major = Process::get().model().attribute(attribute_major);
  *minor = Process::get().model().attribute(attribute_minor);
  return cudaSuccess;
}

Result cuDeviceGetUuid(abi::Uuid* uuid, int device) { return cuDeviceGetUuid_v2(uuid, device); }

Result cuDeviceGetUuid_v2(abi::Uuid* uuid, int device) {
  const Result result = check(uuid, device);
  if (result == cudaSuccess) *uuid = Process::get().model().properties().uuid;
  return result;
}

Result cuDeviceGetLuid(char* luid, unsigned* node_mask, int device) {
  if (const Result result = check(luid, device); result != cudaSuccess) return result;
  return node_mask == nullptr ? cudaErrorInvalidValue : abi::cudaErrorNotSupported;  // Windows only
}

Result cuGetErrorName(int error, const char** name) {
  if (name == nullptr) return cudaErrorInvalidValue;
  switch (error) {
#define DRIVER_ERROR(name_, value) \
  case value:                      \
    *name = #name_;                \
    return cudaSuccess;
#include "cudart/driver_errors.def"
#undef DRIVER_ERROR
  }
  *name = nullptr;
  return cudaErrorInvalidValue;
}

Result cuGetErrorString(int error, const char** text) {
  const Result result = cuGetErrorName(error, text);
  if (result == cudaSuccess) *text = calls::cudaGetErrorString(static_cast<Error>(error));
  return result;
}

Result cuGetProcAddress(const char* symbol, void** function, int version, std::uint64_t flags) {
  return cuGetProcAddress_v2(symbol, function, version, flags, nullptr);
}

Result cuGetProcAddress_v2(const char* symbol, void** function, int version, std::uint64_t flags, int* status) {
  if (symbol == nullptr || function == nullptr || flags > 2) return cudaErrorInvalidValue;
  const Lookup found = find(symbol, static_cast<unsigned>(version));
  *function = found.function;
  if (status == nullptr) return found.function != nullptr ? cudaSuccess : abi::cudaErrorSymbolNotFound;
  *status = found.status;
  return cudaSuccess;
}

/// Private tables of NVIDIA's own libraries: there are none. NVRTC asks for one and does without.
Result cuGetExportTable(const void** table, const abi::Uuid* id) {
  if (table == nullptr || id == nullptr) return cudaErrorInvalidValue;
  *table = nullptr;
  return abi::cudaErrorNotSupported;
}

Result cuTensorMapEncodeTiled(void* map, int data_type, std::uint32_t rank, void* address, const std::uint64_t* extents,
                              const std::uint64_t* stride_bytes, const std::uint32_t* box,
                              const std::uint32_t* element_strides, int interleave, int swizzle, int l2_promotion,
                              int fill) {
  const bool done = encode_tensor_map(map, {data_type, rank, address, extents, stride_bytes, box, element_strides,
                                            interleave, swizzle, l2_promotion, fill});
  return done ? cudaSuccess : cudaErrorInvalidValue;
}

Result cuTensorMapEncodeIm2col(void* map, int data_type, std::uint32_t rank, void* address,
                               const std::uint64_t* extents, const std::uint64_t* stride_bytes, const int* lower_corner,
                               const int* upper_corner, std::uint32_t channels, std::uint32_t pixels,
                               const std::uint32_t* element_strides, int interleave, int swizzle, int l2_promotion,
                               int fill) {
  const TensorMapRequest tensor{data_type,       rank,       address, extents,      stride_bytes, nullptr,
                                element_strides, interleave, swizzle, l2_promotion, fill};
  const bool done = encode_im2col_map(map, {tensor, lower_corner, upper_corner, channels, pixels});
  return done ? cudaSuccess : cudaErrorInvalidValue;
}

}  // namespace lanebank::cudart::driver
