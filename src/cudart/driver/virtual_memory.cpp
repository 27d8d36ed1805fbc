// Virtual memory management: address ranges, physical memory and the maps between them. A range is memory of the
// process without access, physical memory a file that exists in memory only, so that two maps of it are one memory.
#include <sys/mman.h>
#include <unistd.h>

#include <map>
#include <mutex>

#include "cudart/driver/context.hpp"

namespace lanebank::cudart::driver {
namespace {

using abi::cudaErrorInvalidDevice;
using abi::cudaErrorInvalidValue;
using machine::MemoryKind;

constexpr size_t granularity_bytes = size_t{2} << 20;  // of every supported card
constexpr int pinned_type = 1;

struct Physical {
  int file = -1;
  size_t bytes = 0;
  AllocationProp properties{};
  unsigned maps = 0;
  bool released = false;
};

struct Mapping {
  size_t bytes = 0;
  unsigned long long handle = 0;
};

struct Space {
  std::mutex mutex;
  unsigned long long next_handle = 1;
  std::map<unsigned long long, Physical> physical;
  std::map<Address, size_t> ranges;
  std::map<Address, Mapping> mappings;

  /// Whether [first, first + bytes) lies in one range.
  bool reserved(Address first, size_t bytes) const {
    auto after = ranges.upper_bound(first);
    if (after == ranges.begin()) return false;
    const auto& [start, size] = *std::prev(after);
    return first - start <= size && bytes <= size - (first - start);
  }
  /// Whether a map touches [first, first + bytes).
  bool mapped(Address first, size_t bytes) const {
    auto after = mappings.lower_bound(first + bytes);
    return after != mappings.begin() && std::prev(after)->first + std::prev(after)->second.bytes > first;
  }
  /// Whether maps cover [first, first + bytes) without a gap.
  bool covered(Address first, size_t bytes) const {
    for (const Address end = first + bytes; first < end;) {
      auto found = mappings.upper_bound(first);
      if (found == mappings.begin()) return false;
      const auto& [start, mapping] = *std::prev(found);
      if (start + mapping.bytes <= first) return false;
      first = start + mapping.bytes;
    }
    return true;
  }
  void drop(unsigned long long handle) {
    auto found = physical.find(handle);
    if (found == physical.end() || !found->second.released || found->second.maps != 0) return;
    ::close(found->second.file);
    physical.erase(found);
  }
};
Space& space() {
  static Space* const all = new Space;
  return *all;
}

bool whole(size_t bytes) { return bytes != 0 && bytes % granularity_bytes == 0; }

Error check(const AllocationProp* properties) {
  if (properties == nullptr || properties->type != pinned_type) return cudaErrorInvalidValue;
  if (properties->location.type != abi::cudaMemLocationTypeDevice) return cudaErrorInvalidValue;
  return properties->location.id == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

}  // namespace

Result cuMemGetAllocationGranularity(size_t* bytes, const AllocationProp* properties, int option) {
  return when(Needs::device, [&]() -> Error {
    if (bytes == nullptr || option < 0 || option > 1) return cudaErrorInvalidValue;
    const Error error = check(properties);
    if (error == cudaSuccess) *bytes = granularity_bytes;
    return error;
  });
}

Result cuMemAddressReserve(Address* address, size_t bytes, size_t alignment, Address, unsigned long long flags) {
  return when(Needs::device, [&]() -> Error {
    if (address == nullptr || !whole(bytes) || flags != 0 || (alignment & (alignment - 1)) != 0)
      return cudaErrorInvalidValue;
    const size_t step = std::max(alignment, granularity_bytes);
    void* found = ::mmap(nullptr, bytes + step, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (found == MAP_FAILED) return abi::cudaErrorMemoryAllocation;
    // What lies before and behind the aligned range goes back.
    const auto first = reinterpret_cast<Address>(found), start = (first + step - 1) / step * step;
    if (start > first) ::munmap(found, start - first);
    ::munmap(pointer(start + bytes), first + step - start);
    std::lock_guard lock(space().mutex);
    space().ranges[start] = bytes;
    *address = start;
    return cudaSuccess;
  });
}

Result cuMemAddressFree(Address address, size_t bytes) {
  return when(Needs::device, [&]() -> Error {
    std::lock_guard lock(space().mutex);
    auto found = space().ranges.find(address);
    if (found == space().ranges.end() || found->second != bytes || space().mapped(address, bytes))
      return cudaErrorInvalidValue;
    ::munmap(pointer(address), bytes);
    space().ranges.erase(found);
    return cudaSuccess;
  });
}

Result cuMemCreate(unsigned long long* handle, size_t bytes, const AllocationProp* properties,
                   unsigned long long flags) {
  return when(Needs::device, [&]() -> Error {
    if (handle == nullptr || !whole(bytes) || flags != 0) return cudaErrorInvalidValue;
    if (const Error error = check(properties); error != cudaSuccess) return error;
    if (bytes > Process::get().model().memory_bytes) return abi::cudaErrorMemoryAllocation;
    const int file = ::memfd_create("lanebank", MFD_CLOEXEC);
    if (file < 0 || ::ftruncate(file, static_cast<off_t>(bytes)) != 0) {
      if (file >= 0) ::close(file);
      return abi::cudaErrorMemoryAllocation;
    }
    std::lock_guard lock(space().mutex);
    *handle = space().next_handle++;
    space().physical[*handle] = {.file = file, .bytes = bytes, .properties = *properties};
    return cudaSuccess;
  });
}

Result cuMemRelease(unsigned long long handle) {
  return when(Needs::device, [&]() -> Error {
    std::lock_guard lock(space().mutex);
    auto found = space().physical.find(handle);
    if (found == space().physical.end() || found->second.released) return cudaErrorInvalidValue;
    found->second.released = true;  // it lives as long as it is mapped
    space().drop(handle);
    return cudaSuccess;
  });
}

Result cuMemGetAllocationPropertiesFromHandle(AllocationProp* properties, unsigned long long handle) {
  return when(Needs::device, [&]() -> Error {
    std::lock_guard lock(space().mutex);
    auto found = space().physical.find(handle);
    if (properties == nullptr || found == space().physical.end()) return cudaErrorInvalidValue;
    *properties = found->second.properties;
    return cudaSuccess;
  });
}

Result cuMemMap(Address address, size_t bytes, size_t offset, unsigned long long handle, unsigned long long flags) {
  return when(Needs::device, [&]() -> Error {
    std::lock_guard lock(space().mutex);
    auto found = space().physical.find(handle);
    if (found == space().physical.end() || found->second.released || offset != 0 || flags != 0)
      return cudaErrorInvalidValue;
    if (!whole(bytes) || bytes > found->second.bytes || address % granularity_bytes != 0) return cudaErrorInvalidValue;
    if (!space().reserved(address, bytes) || space().mapped(address, bytes)) return cudaErrorInvalidValue;
    if (::mmap(pointer(address), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, found->second.file, 0) ==
        MAP_FAILED)
      return abi::cudaErrorMemoryAllocation;
    space().mappings[address] = {bytes, handle};
    ++found->second.maps;
    return cudaSuccess;
  });
}

Result cuMemUnmap(Address address, size_t bytes) {
  return when(Needs::waits, [&]() -> Error {
    std::lock_guard lock(space().mutex);
    if (!whole(bytes) || !space().covered(address, bytes)) return cudaErrorInvalidValue;
    for (auto found = space().mappings.find(address);
         found != space().mappings.end() && found->first < address + bytes;) {
      Process::get().memory().release(found->first);
      if (::mmap(pointer(found->first), found->second.bytes, PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
        return abi::cudaErrorMemoryAllocation;
      const unsigned long long handle = found->second.handle;
      --space().physical.at(handle).maps;
      space().drop(handle);
      found = space().mappings.erase(found);
    }
    return cudaSuccess;
  });
}

Result cuMemSetAccess(Address address, size_t bytes, const abi::MemAccessDesc* list, size_t count) {
  constexpr int none = 0, read_only = 1, read_write = 3;
  return when(Needs::device, [&]() -> Error {
    if (list == nullptr || count == 0) return cudaErrorInvalidValue;
    std::lock_guard lock(space().mutex);
    if (!whole(bytes) || !space().covered(address, bytes)) return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; ++i) {
      if (list[i].location.type != abi::cudaMemLocationTypeDevice) return abi::cudaErrorNotSupported;
      if (list[i].location.id != 0) return cudaErrorInvalidDevice;
      if (list[i].flags == read_only) return abi::cudaErrorNotSupported;
      if (list[i].flags != none && list[i].flags != read_write) return cudaErrorInvalidValue;
      machine::Memory& memory = Process::get().memory();
      for (auto found = space().mappings.find(address);
           found != space().mappings.end() && found->first < address + bytes; ++found) {
        memory.release(found->first);
        if (list[i].flags == read_write) memory.adopt(found->first, found->second.bytes, MemoryKind::device);
      }
    }
    return cudaSuccess;
  });
}

}  // namespace lanebank::cudart::driver
