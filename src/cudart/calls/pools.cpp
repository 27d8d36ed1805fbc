// Stream-ordered allocation. Streams run in order with their host thread, so memory is allocated and
// freed at once; pools keep the figures that programs ask for.
#include <algorithm>
#include <map>
#include <set>

#include "cudart/calls.hpp"
#include "cudart/pools.hpp"
#include "cudart/process.hpp"

namespace lanebank::cudart::abi {

struct MemPoolTag {
  std::uint64_t values[9] = {0, 1, 1, 1, 0, 0, 0, 0, 0};  ///< by attribute number
  std::set<std::uint64_t> live;
  bool is_default = false;
  int access_flags = 3;
};

}  // namespace lanebank::cudart::abi

namespace lanebank::cudart::calls {
namespace {

struct Pools {
  Pools() { standard.is_default = true; }
  std::mutex mutex;
  MemPoolTag standard;
  MemPool current = &standard;
  std::set<MemPool> made;
  std::map<std::uint64_t, MemPool> owner;  ///< of each live allocation

  bool holds(MemPool pool) const { return pool == &standard || made.contains(pool); }
};

Pools& pools() {
  static Pools* const all = new Pools;
  return *all;
}

constexpr std::uint64_t reserve_unit = std::uint64_t{32} << 20;

void count(MemPoolTag& pool, std::uint64_t bytes, bool more) {
  std::uint64_t& used = pool.values[cudaMemPoolAttrUsedMemCurrent];
  used = more ? used + bytes : used - bytes;
  pool.values[cudaMemPoolAttrUsedMemHigh] = std::max(pool.values[cudaMemPoolAttrUsedMemHigh], used);
  std::uint64_t& reserved = pool.values[cudaMemPoolAttrReservedMemCurrent];
  reserved = std::max(reserved, (used + reserve_unit - 1) / reserve_unit * reserve_unit);
  pool.values[cudaMemPoolAttrReservedMemHigh] = std::max(pool.values[cudaMemPoolAttrReservedMemHigh], reserved);
}

/// An allocation in a capture is the graph's, of no pool.
Error allocate_captured(void** address, size_t bytes, StreamTag& stream) {
  GraphBody& body = *stream.capture->graph->body;
  const GraphPlace place = body.place_for(bytes, stream.capture->tips[&stream]);
  if (!place.region) return cudaErrorMemoryAllocation;
  *address = reinterpret_cast<void*>(place.address);
  GraphNode node = nullptr;
  const Error error =
      Process::get().streams().submit(&stream, EmptyWork{cudaGraphNodeTypeMemAlloc, *address, bytes}, &node);
  if (error == cudaSuccess) body.begin_use(place, bytes, node);
  return error;
}

Error free_captured(std::uint64_t address, StreamTag& stream) {
  GraphBody& body = *stream.capture->graph->body;
  if (!body.may_free(address)) return cudaErrorInvalidValue;
  GraphNode node = nullptr;
  const EmptyWork work{cudaGraphNodeTypeMemFree, reinterpret_cast<void*>(address), 0};
  const Error error = Process::get().streams().submit(&stream, work, &node);
  if (error == cudaSuccess) body.end_use(address, node);
  return error;
}

}  // namespace

void forget_pool_allocation(const machine::Allocation& allocation) {
  std::lock_guard lock(pools().mutex);
  auto owner = pools().owner.find(allocation.address);
  if (owner == pools().owner.end()) return;
  owner->second->live.erase(allocation.address);
  count(*owner->second, allocation.bytes, false);
  pools().owner.erase(owner);
}

Error cudaMallocAsync(void** address, size_t bytes, Stream stream) {
  return cudaMallocFromPoolAsync(address, bytes, pools().current, stream);
}

Error cudaMallocFromPoolAsync(void** address, size_t bytes, MemPool pool, Stream stream) {
  if (address == nullptr) return cudaErrorInvalidValue;
  Process& process = Process::get();
  StreamTag* state = process.streams().find(stream);
  if (state == nullptr) return cudaErrorInvalidResourceHandle;
  std::lock_guard lock(pools().mutex);
  if (!pools().holds(pool)) return cudaErrorInvalidValue;
  *address = nullptr;
  if (bytes == 0) return cudaSuccess;
  if (state->capture) return allocate_captured(address, bytes, *state);
  const size_t total = process.model().memory_bytes, used = process.memory().used_bytes();
  if (bytes > total || used > total - bytes) return cudaErrorMemoryAllocation;
  const std::uint64_t found = process.memory().allocate(bytes, machine::MemoryKind::device);
  if (found == 0) return cudaErrorMemoryAllocation;
  pools().owner[found] = pool;
  pool->live.insert(found);
  count(*pool, bytes, true);
  *address = reinterpret_cast<void*>(found);
  return cudaSuccess;
}

Error cudaFreeAsync(void* address, Stream stream) {
  if (address == nullptr) return cudaSuccess;
  Process& process = Process::get();
  StreamTag* state = process.streams().find(stream);
  if (state == nullptr) return cudaErrorInvalidResourceHandle;
  const auto first = reinterpret_cast<std::uint64_t>(address);
  if (state->capture) return free_captured(first, *state);
  if (GraphMemory::get().find(first))
    return GraphMemory::get().release(first, state) ? cudaSuccess : cudaErrorInvalidValue;
  const auto allocation = process.memory().find(first);
  if (!allocation || allocation->address != first || allocation->kind != machine::MemoryKind::device)
    return cudaErrorInvalidValue;
  forget_pool_allocation(*allocation);
  process.memory().free(first);
  return cudaSuccess;
}

Error cudaMemPoolCreate(MemPool* pool, const MemPoolProps* properties) {
  if (pool == nullptr || properties == nullptr || properties->allocType != pinned_type) return cudaErrorInvalidValue;
  if (properties->location.type != cudaMemLocationTypeDevice) return cudaErrorNotSupported;
  if (properties->location.id != 0) return cudaErrorInvalidDevice;
  std::lock_guard lock(pools().mutex);
  *pool = new MemPoolTag;
  pools().made.insert(*pool);
  return cudaSuccess;
}

Error cudaMemPoolDestroy(MemPool pool) {
  std::lock_guard lock(pools().mutex);
  if (!pools().made.contains(pool)) return cudaErrorInvalidValue;
  // Its allocations stay until they are freed.
  for (const std::uint64_t address : pool->live) pools().owner.erase(address);
  if (pools().current == pool) pools().current = &pools().standard;
  pools().made.erase(pool);
  delete pool;
  return cudaSuccess;
}

Error cudaMemPoolGetAttribute(MemPool pool, MemPoolAttr attribute, void* value) {
  std::lock_guard lock(pools().mutex);
  if (value == nullptr || !pools().holds(pool)) return cudaErrorInvalidValue;
  if (attribute < cudaMemPoolReuseFollowEventDependencies || attribute > cudaMemPoolAttrUsedMemHigh)
    return cudaErrorInvalidValue;
  if (attribute < cudaMemPoolAttrReleaseThreshold)
    *static_cast<int*>(value) = static_cast<int>(pool->values[attribute]);
  else
    *static_cast<std::uint64_t*>(value) = pool->values[attribute];
  return cudaSuccess;
}

Error cudaMemPoolSetAttribute(MemPool pool, MemPoolAttr attribute, void* value) {
  std::lock_guard lock(pools().mutex);
  if (value == nullptr || !pools().holds(pool)) return cudaErrorInvalidValue;
  switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
      pool->values[attribute] = *static_cast<int*>(value) != 0;
      return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold:
      pool->values[attribute] = *static_cast<std::uint64_t*>(value);
      return cudaSuccess;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh:  // may be set back to what is current
      if (*static_cast<std::uint64_t*>(value) != 0) return cudaErrorInvalidValue;
      pool->values[attribute] = pool->values[attribute - 1];
      return cudaSuccess;
    default:
      return cudaErrorInvalidValue;
  }
}

Error cudaMemPoolGetAccess(int* flags, MemPool pool, MemLocation* location) {
  std::lock_guard lock(pools().mutex);
  if (flags == nullptr || location == nullptr || !pools().holds(pool)) return cudaErrorInvalidValue;
  *flags = location->type == cudaMemLocationTypeDevice && location->id == 0 ? pool->access_flags : 0;
  return cudaSuccess;
}

Error cudaMemPoolSetAccess(MemPool pool, const MemAccessDesc* list, size_t count) {
  std::lock_guard lock(pools().mutex);
  if (!pools().holds(pool) || (list == nullptr && count != 0)) return cudaErrorInvalidValue;
  for (size_t i = 0; i < count; ++i)
    if (list[i].location.type != cudaMemLocationTypeDevice || list[i].location.id != 0) return cudaErrorInvalidDevice;
  return cudaSuccess;
}

Error cudaMemPoolTrimTo(MemPool pool, size_t bytes) {
  std::lock_guard lock(pools().mutex);
  if (!pools().holds(pool)) return cudaErrorInvalidValue;
  std::uint64_t& reserved = pool->values[cudaMemPoolAttrReservedMemCurrent];
  const std::uint64_t needed = std::max<std::uint64_t>(bytes, pool->values[cudaMemPoolAttrUsedMemCurrent]);
  reserved = std::min(reserved, (needed + reserve_unit - 1) / reserve_unit * reserve_unit);
  return cudaSuccess;
}

Error cudaDeviceGetDefaultMemPool(MemPool* pool, int device) {
  if (pool == nullptr) return cudaErrorInvalidValue;
  if (device != 0) return cudaErrorInvalidDevice;
  *pool = &pools().standard;
  return cudaSuccess;
}

Error cudaDeviceGetMemPool(MemPool* pool, int device) {
  if (pool == nullptr) return cudaErrorInvalidValue;
  if (device != 0) return cudaErrorInvalidDevice;
  *pool = pools().current;
  return cudaSuccess;
}

Error cudaDeviceSetMemPool(int device, MemPool pool) {
  if (device != 0) return cudaErrorInvalidDevice;
  std::lock_guard lock(pools().mutex);
  if (!pools().holds(pool)) return cudaErrorInvalidValue;
  pools().current = pool;
  return cudaSuccess;
}

Error cudaMemGetDefaultMemPool(MemPool* pool, MemLocation* location, int type) {
  if (location == nullptr || type != pinned_type) return cudaErrorInvalidValue;
  return location->type == cudaMemLocationTypeDevice ? cudaDeviceGetDefaultMemPool(pool, location->id)
                                                     : cudaErrorNotSupported;
}

Error cudaMemGetMemPool(MemPool* pool, MemLocation* location, int type) {
  if (location == nullptr || type != pinned_type) return cudaErrorInvalidValue;
  return location->type == cudaMemLocationTypeDevice ? cudaDeviceGetMemPool(pool, location->id) : cudaErrorNotSupported;
}

Error cudaMemSetMemPool(MemLocation* location, int type, MemPool pool) {
  if (location == nullptr || type != pinned_type) return cudaErrorInvalidValue;
  return location->type == cudaMemLocationTypeDevice ? cudaDeviceSetMemPool(location->id, pool) : cudaErrorNotSupported;
}

}  // namespace lanebank::cudart::calls
