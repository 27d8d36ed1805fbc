// Allocations, and what is known of an address.
#include <cstring>

#include "cudart/calls.hpp"
#include "cudart/driver/context.hpp"

namespace lanebank::cudart::driver {
namespace {

using abi::cudaErrorInvalidValue;
using machine::MemoryKind;

std::optional<machine::Allocation> allocation_of(Address address) { return Process::get().memory().find(address); }

/// The older calls name the host as device -1.
abi::MemLocation location_of(int device) {
  return device == -1 ? abi::MemLocation{abi::cudaMemLocationTypeHost, 0}
                      : abi::MemLocation{abi::cudaMemLocationTypeDevice, device};
}

template <class T>
void put(void* data, T value) {
  std::memcpy(data, &value, sizeof value);
}

Result attribute_of(void* data, PointerAttribute attribute, Address address, const machine::Allocation& allocation) {
  const bool host = allocation.kind == MemoryKind::host_pinned, managed = allocation.kind == MemoryKind::managed;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: {
      Context context = nullptr;
      const Result result = cuCtxGetCurrent(&context);
      put(data, reinterpret_cast<Address>(context));
      return result;
    }
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      put(data, host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
      return cudaSuccess;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      put(data, address);
      return cudaSuccess;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      if (!host && !managed) return cudaErrorInvalidValue;
      put(data, address);
      return cudaSuccess;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      put<unsigned long long>(data, allocation.address);
      return cudaSuccess;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      put<bool>(data, managed);
      return cudaSuccess;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      put<int>(data, 0);
      return cudaSuccess;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      put(data, allocation.address);
      return cudaSuccess;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      put<size_t>(data, allocation.bytes);
      return cudaSuccess;
    case CU_POINTER_ATTRIBUTE_MAPPED:
      put<bool>(data, true);
      return cudaSuccess;
  }
  return abi::cudaErrorNotSupported;
}

/// What a list of attributes holds of an address that the driver does not know: no error.
void set_unknown(void* data, PointerAttribute attribute) {
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return put<int>(data, 0);
    case CU_POINTER_ATTRIBUTE_CONTEXT:
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      return put<std::uint64_t>(data, 0);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      return put<bool>(data, false);
    default:
      return;
  }
}

}  // namespace

Result cuMemAlloc_v2(Address* address, size_t bytes) {
  return when(Needs::waits, [&]() -> Error {
    return bytes == 0 ? cudaErrorInvalidValue : calls::cudaMalloc(reinterpret_cast<void**>(address), bytes);
  });
}

Result cuMemAllocPitch_v2(Address* address, size_t* pitch, size_t width, size_t height, unsigned element_bytes) {
  return when(Needs::waits, [&]() -> Error {
    if (element_bytes != 4 && element_bytes != 8 && element_bytes != 16) return cudaErrorInvalidValue;
    if (width == 0 || height == 0) return cudaErrorInvalidValue;
    return calls::cudaMallocPitch(reinterpret_cast<void**>(address), pitch, width, height);
  });
}

Result cuMemAllocManaged(Address* address, size_t bytes, unsigned flags) {
  return when(Needs::waits, [&]() -> Error {
    return bytes == 0 ? cudaErrorInvalidValue
                      : calls::cudaMallocManaged(reinterpret_cast<void**>(address), bytes, flags);
  });
}

Result cuMemAllocHost_v2(void** address, size_t bytes) { return cuMemHostAlloc(address, bytes, 0); }

Result cuMemHostAlloc(void** address, size_t bytes, unsigned flags) {
  return when(Needs::waits, [&] { return calls::cudaHostAlloc(address, bytes, flags); });
}

Result cuMemFree_v2(Address address) {
  return when(Needs::waits, [&] { return calls::cudaFree(pointer(address)); });
}

Result cuMemGetAddressRange_v2(Address* start, size_t* bytes, Address address) {
  return when(Needs::queued, [&]() -> Error {
    const auto allocation = allocation_of(address);
    if (!allocation) return abi::cudaErrorSymbolNotFound;
    if (start != nullptr) *start = allocation->address;
    if (bytes != nullptr) *bytes = allocation->bytes;
    return cudaSuccess;
  });
}

Result cuPointerGetAttribute(void* data, PointerAttribute attribute, Address address) {
  return when(Needs::device, [&]() -> Error {
    const auto allocation = allocation_of(address);
    if (data == nullptr || !allocation) return cudaErrorInvalidValue;
    return static_cast<Error>(attribute_of(data, attribute, address, *allocation));
  });
}

Result cuPointerGetAttributes(unsigned count, PointerAttribute* attributes, void** data, Address address) {
  return when(Needs::device, [&]() -> Error {
    if (count == 0 || attributes == nullptr || data == nullptr) return cudaErrorInvalidValue;
    const auto allocation = allocation_of(address);
    for (unsigned i = 0; i < count; ++i) {
      Result result = allocation ? attribute_of(data[i], attributes[i], address, *allocation) : cudaErrorInvalidValue;
      if (result == abi::cudaErrorNotSupported) return abi::cudaErrorNotSupported;
      if (result != cudaSuccess) set_unknown(data[i], attributes[i]);
    }
    return cudaSuccess;
  });
}

Result cuMemAdvise(Address address, size_t bytes, abi::MemAdvise advice, int device) {
  return when(Needs::queued,
              [&] { return calls::cudaMemAdvise(pointer(address), bytes, advice, location_of(device)); });
}

Result cuMemPrefetchAsync(Address address, size_t bytes, int device, abi::Stream stream) {
  return when(Needs::queued,
              [&] { return calls::cudaMemPrefetchAsync(pointer(address), bytes, location_of(device), 0, stream); });
}

}  // namespace lanebank::cudart::driver
