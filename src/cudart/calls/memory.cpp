// Allocations, host memory that the device reaches, and what is known of an address.
#include <cstring>
#include <map>

#include "cudart/calls.hpp"
#include "cudart/pools.hpp"
#include "cudart/process.hpp"
#include "cudart/transfers.hpp"

namespace lanebank::cudart::calls {
namespace {

using machine::MemoryKind;

constexpr unsigned host_portable = 1, host_mapped = 2, host_write_combined = 4;
constexpr unsigned register_mask = 1 | 2 | 4 | 8;
constexpr unsigned attach_global = 1, attach_host = 2, attach_single = 4;
constexpr size_t alignment_bytes = 512;  // textures may begin wherever an allocation does
constexpr size_t pitch_bytes = 512;      // of cudaMallocPitch on every supported card

/// What the runtime keeps per allocation beside the machine's own record.
struct Notes {
  std::mutex mutex;
  std::map<const void*, unsigned> host_flags;  ///< pinned and registered memory, by address
  std::map<const void*, size_t> registered;    ///< memory of the program's own, by address
  std::map<const void*, MemAdvise> read_mostly;
  size_t pinned_bytes = 0;  ///< of the emulated memory, but the host's on a real machine
};
Notes& notes() {
  static Notes* const all = new Notes;
  return *all;
}

/// Bytes of the device's own memory that are taken.
size_t used_bytes() {
  GraphMemory& graphs = GraphMemory::get();
  const size_t of_graphs = graphs.figure(cudaGraphMemAttrReservedMemCurrent);
  std::lock_guard lock(notes().mutex);
  return Process::get().memory().used_bytes() - notes().pinned_bytes - graphs.address_bytes() + of_graphs;
}

Error allocate(void** address, size_t bytes, MemoryKind kind) {
  if (address == nullptr) return cudaErrorInvalidValue;
  Process& process = Process::get();
  if (const Error error = process.streams().forbid_during_capture(); error != cudaSuccess) return error;
  *address = nullptr;
  if (bytes == 0) return cudaSuccess;
  if (kind == MemoryKind::device || kind == MemoryKind::managed) {
    const size_t total = process.model().memory_bytes;
    if (bytes > total || used_bytes() > total - bytes) return cudaErrorMemoryAllocation;
  }
  const std::uint64_t found = process.memory().allocate(bytes, kind, alignment_bytes);
  if (found == 0) return cudaErrorMemoryAllocation;
  *address = reinterpret_cast<void*>(found);
  return cudaSuccess;
}

std::optional<machine::Allocation> allocation_of(const void* address) {
  return Process::get().memory().find(reinterpret_cast<std::uint64_t>(address));
}

Error release(void* address, bool host) {
  if (address == nullptr) return cudaSuccess;
  Process& process = Process::get();
  if (const Error error = process.streams().forbid_during_capture(); error != cudaSuccess) return error;
  const auto first = reinterpret_cast<std::uint64_t>(address);
  if (GraphMemory::get().find(first))
    return !host && GraphMemory::get().release(first, std::nullopt) ? cudaSuccess : cudaErrorInvalidValue;
  const auto allocation = allocation_of(address);
  if (!allocation || allocation->address != first) return cudaErrorInvalidValue;
  const bool is_host = allocation->kind == MemoryKind::host_pinned;
  const bool is_device = allocation->kind == MemoryKind::device || allocation->kind == MemoryKind::managed;
  if (host ? !is_host : !is_device) return cudaErrorInvalidValue;
  {
    std::lock_guard lock(notes().mutex);
    if (notes().registered.contains(address)) return cudaErrorInvalidValue;
    notes().host_flags.erase(address);
    notes().read_mostly.erase(address);
    if (is_host) notes().pinned_bytes -= allocation->bytes;
  }
  forget_pool_allocation(*allocation);
  process.memory().free(allocation->address);
  return cudaSuccess;
}

bool is_managed(const void* address, size_t bytes) {
  Process& process = Process::get();
  if (process.registry().is_managed(address)) return true;
  const auto allocation = allocation_of(address);
  return allocation && allocation->kind == MemoryKind::managed &&
         allocation->contains(reinterpret_cast<std::uint64_t>(address), bytes);
}

Error check_location(const MemLocation& location) {
  if (location.type == cudaMemLocationTypeDevice && location.id != 0) return cudaErrorInvalidDevice;
  if (location.type < cudaMemLocationTypeDevice || location.type > cudaMemLocationTypeHostNumaCurrent)
    return cudaErrorInvalidValue;
  return cudaSuccess;
}

}  // namespace

Error cudaMalloc(void** address, size_t bytes) { return allocate(address, bytes, MemoryKind::device); }
Error cudaFree(void* address) { return release(address, false); }
Error cudaFreeHost(void* address) { return release(address, true); }
Error cudaMallocHost(void** address, size_t bytes) { return cudaHostAlloc(address, bytes, 0); }

Error cudaHostAlloc(void** address, size_t bytes, unsigned flags) {
  if ((flags & ~(host_portable | host_mapped | host_write_combined)) != 0) return cudaErrorInvalidValue;
  const Error error = allocate(address, bytes, MemoryKind::host_pinned);
  if (error != cudaSuccess || *address == nullptr) return error;
  std::lock_guard lock(notes().mutex);
  notes().host_flags[*address] = flags | host_mapped;  // all is mapped under unified addressing
  notes().pinned_bytes += bytes;
  return cudaSuccess;
}

Error cudaMallocManaged(void** address, size_t bytes, unsigned flags) {
  if (flags != attach_global && flags != attach_host) return cudaErrorInvalidValue;
  return allocate(address, bytes, MemoryKind::managed);
}

Error cudaMallocPitch(void** address, size_t* pitch, size_t width, size_t height) {
  if (address == nullptr || pitch == nullptr) return cudaErrorInvalidValue;
  size_t row = 0, bytes = 0;
  if (__builtin_add_overflow(width, pitch_bytes - 1, &row)) return cudaErrorMemoryAllocation;
  row = row / pitch_bytes * pitch_bytes;
  if (__builtin_mul_overflow(row, height, &bytes)) return cudaErrorMemoryAllocation;
  const Error error = cudaMalloc(address, bytes);
  if (error == cudaSuccess) *pitch = row;
  return error;
}

Error cudaMalloc3D(PitchedPtr* pitched, Extent extent) {
  if (pitched == nullptr) return cudaErrorInvalidValue;
  size_t rows = 0, pitch = 0;
  void* address = nullptr;
  if (__builtin_mul_overflow(extent.height, extent.depth, &rows)) return cudaErrorMemoryAllocation;
  const Error error = cudaMallocPitch(&address, &pitch, extent.width, rows);
  if (error == cudaSuccess) *pitched = {address, pitch, extent.width, extent.height};
  return error;
}

Error cudaHostRegister(void* address, size_t bytes, unsigned flags) {
  if (address == nullptr || bytes == 0 || (flags & ~register_mask) != 0) return cudaErrorInvalidValue;
  machine::Memory& memory = Process::get().memory();
  const auto first = reinterpret_cast<std::uint64_t>(address);
  if (memory.in_arena(first)) return memory.find(first) ? cudaErrorHostMemoryAlreadyRegistered : cudaErrorInvalidValue;
  if (!memory.adopt(first, bytes, MemoryKind::host_pinned)) return cudaErrorHostMemoryAlreadyRegistered;
  std::lock_guard lock(notes().mutex);
  notes().registered[address] = bytes;
  notes().host_flags[address] = flags | host_mapped;
  return cudaSuccess;
}

Error cudaHostUnregister(void* address) {
  if (address == nullptr) return cudaErrorInvalidValue;
  {
    std::lock_guard lock(notes().mutex);
    if (notes().registered.erase(address) == 0) return cudaErrorHostMemoryNotRegistered;
    notes().host_flags.erase(address);
  }
  Process::get().memory().release(reinterpret_cast<std::uint64_t>(address));
  return cudaSuccess;
}

Error cudaHostGetDevicePointer(void** device, void* host, unsigned flags) {
  if (device == nullptr || host == nullptr || flags != 0) return cudaErrorInvalidValue;
  const auto allocation = allocation_of(host);
  if (!allocation || allocation->kind != MemoryKind::host_pinned) return cudaErrorInvalidValue;
  *device = host;
  return cudaSuccess;
}

Error cudaHostGetFlags(unsigned* flags, void* host) {
  const auto allocation = allocation_of(host);
  if (flags == nullptr || !allocation || allocation->kind != MemoryKind::host_pinned) return cudaErrorInvalidValue;
  std::lock_guard lock(notes().mutex);
  *flags = notes().host_flags[reinterpret_cast<void*>(allocation->address)];
  return cudaSuccess;
}

Error cudaPointerGetAttributes(PointerAttributes* attributes, const void* address) {
  if (attributes == nullptr) return cudaErrorInvalidValue;
  void* const pointer = const_cast<void*>(address);
  const auto allocation = allocation_of(address);
  *attributes = {};
  if (!allocation) {
    constexpr int no_device = -2;
    *attributes = {.type = cudaMemoryTypeUnregistered, .device = no_device, .hostPointer = pointer};
    return cudaSuccess;
  }
  const bool managed = is_managed(address, 1), pinned = allocation->kind == MemoryKind::host_pinned;
  attributes->type = managed ? cudaMemoryTypeManaged : pinned ? cudaMemoryTypeHost : cudaMemoryTypeDevice;
  attributes->devicePointer = pointer;
  attributes->hostPointer = managed || pinned ? pointer : nullptr;
  return cudaSuccess;
}

Error cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  if (free_bytes == nullptr || total_bytes == nullptr) return cudaErrorInvalidValue;
  constexpr size_t context_bytes = size_t{512} << 20;  // what a context takes on a real card, about
  const size_t total = Process::get().model().memory_bytes;
  const size_t taken = std::min(total, used_bytes() + context_bytes);
  *total_bytes = total;
  *free_bytes = total - taken;
  return cudaSuccess;
}

Error cudaMemAdvise(const void* address, size_t bytes, MemAdvise advice, MemLocation location) {
  if (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy) return cudaErrorInvalidValue;
  if (!is_managed(address, bytes)) return cudaErrorInvalidValue;
  const bool read_mostly = advice == cudaMemAdviseSetReadMostly || advice == cudaMemAdviseUnsetReadMostly;
  if (!read_mostly)
    if (const Error error = check_location(location); error != cudaSuccess) return error;
  std::lock_guard lock(notes().mutex);
  if (advice == cudaMemAdviseSetReadMostly) notes().read_mostly[address] = advice;
  if (advice == cudaMemAdviseUnsetReadMostly) notes().read_mostly.erase(address);
  return cudaSuccess;
}

Error cudaMemPrefetchAsync(const void* address, size_t bytes, MemLocation location, unsigned flags, Stream stream) {
  if (flags != 0) return cudaErrorInvalidValue;
  if (const Error error = check_location(location); error != cudaSuccess) return error;
  if (!is_managed(address, bytes)) return cudaErrorInvalidValue;
  return Process::get().streams().find(stream) == nullptr ? cudaErrorInvalidResourceHandle : cudaSuccess;
}

Error cudaMemRangeGetAttribute(void* data, size_t data_bytes, int attribute, const void* address, size_t bytes) {
  constexpr int read_mostly = 1, preferred = 2, accessed_by = 3, last_prefetch = 4, none = -2;
  if (data == nullptr || data_bytes == 0 || data_bytes % 4 != 0 || !is_managed(address, bytes))
    return cudaErrorInvalidValue;
  int value = none;
  if (attribute == read_mostly) {
    std::lock_guard lock(notes().mutex);
    value = notes().read_mostly.contains(address) ? 1 : 0;
  } else if (attribute != preferred && attribute != accessed_by && attribute != last_prefetch) {
    return cudaErrorNotSupported;
  }
  for (size_t i = 0; i < data_bytes / sizeof value; ++i) std::memcpy(static_cast<int*>(data) + i, &value, sizeof value);
  return cudaSuccess;
}

Error cudaMemRangeGetAttributes(void** data, size_t* data_bytes, int* attributes, size_t count, const void* address,
                                size_t bytes) {
  if (data == nullptr || data_bytes == nullptr || attributes == nullptr || count == 0) return cudaErrorInvalidValue;
  for (size_t i = 0; i < count; ++i)
    if (const Error error = cudaMemRangeGetAttribute(data[i], data_bytes[i], attributes[i], address, bytes);
        error != cudaSuccess)
      return error;
  return cudaSuccess;
}

Error cudaStreamAttachMemAsync(Stream stream, void* address, size_t bytes, unsigned flags) {
  if (flags != attach_global && flags != attach_host && flags != attach_single) return cudaErrorInvalidValue;
  if (Process::get().streams().find(stream) == nullptr) return cudaErrorInvalidResourceHandle;
  return is_managed(address, bytes) ? cudaSuccess : cudaErrorInvalidValue;
}

}  // namespace lanebank::cudart::calls
