#include "cudart/graph_memory.hpp"

#include <algorithm>
#include <iterator>

#include "cudart/process.hpp"

namespace lanebank::cudart {
namespace {

constexpr std::uint64_t unit_bytes = std::uint64_t{32} << 20;

std::uint64_t memory_of(const GraphRegion& region) { return (region.bytes + unit_bytes - 1) / unit_bytes * unit_bytes; }

}  // namespace

std::uint64_t GraphRegion::place_for(std::size_t size, const std::set<const abi::GraphNodeTag*>& before) const {
  constexpr std::uint64_t alignment = 512;
  std::vector<std::uint64_t> starts = {address};
  for (const Use& use : uses) starts.push_back((use.address + use.bytes + alignment - 1) / alignment * alignment);
  std::sort(starts.begin(), starts.end());
  for (const std::uint64_t start : starts) {
    if (start - address > bytes || size > bytes - (start - address)) continue;
    const bool is_free = std::all_of(uses.begin(), uses.end(), [&](const Use& use) {
      return use.address + use.bytes <= start || start + size <= use.address || before.contains(use.end);
    });
    if (is_free) return start;
  }
  return 0;
}

GraphRegion::Use* GraphRegion::open_use(std::uint64_t at) {
  const auto found =
      std::find_if(uses.begin(), uses.end(), [&](const Use& use) { return use.address == at && use.end == nullptr; });
  return found == uses.end() ? nullptr : &*found;
}

GraphMemory& GraphMemory::get() {
  static GraphMemory* const one = new GraphMemory;
  return *one;
}

GraphRegion::~GraphRegion() {
  GraphMemory& memory = GraphMemory::get();
  {
    std::lock_guard lock(memory.mutex_);
    memory.regions_.erase(address);
    memory.address_bytes_ -= bytes;
  }
  Process::get().memory().free(address);
}

std::shared_ptr<GraphRegion> GraphMemory::reserve(std::size_t bytes) {
  Process& process = Process::get();
  if (bytes > process.model().memory_bytes) return nullptr;
  const std::uint64_t address = process.memory().allocate(bytes, machine::MemoryKind::device);
  if (address == 0) return nullptr;
  auto region = std::make_shared<GraphRegion>(address, bytes);
  std::lock_guard lock(mutex_);
  regions_[address] = region;
  address_bytes_ += bytes;
  return region;
}

std::shared_ptr<GraphRegion> GraphMemory::find(std::uint64_t address) {
  std::lock_guard lock(mutex_);
  return find_locked(address);
}

std::shared_ptr<GraphRegion> GraphMemory::find_locked(std::uint64_t address) const {
  const auto after = regions_.upper_bound(address);
  if (after == regions_.begin()) return nullptr;
  const auto region = std::prev(after)->second.lock();
  return region && region->contains(address) ? region : nullptr;
}

std::uint64_t GraphMemory::in_use() const {
  std::uint64_t sum = idle_ + running_ + held_;
  for (const auto& [stream, bytes] : returned_) sum += bytes;
  return sum;
}

abi::Error GraphMemory::begin(const Launch& launch) {
  Process& process = Process::get();
  std::lock_guard lock(mutex_);
  std::uint64_t needed = 0;
  for (const auto& region : launch.allocated) {
    if (!region->live.empty() && !launch.frees_first) return abi::cudaErrorInvalidValue;
    needed += memory_of(*region);
  }
  for (const std::uint64_t address : launch.freed) {
    const auto region = find_locked(address);
    if (!region || !region->live.contains(address)) return abi::cudaErrorInvalidValue;
  }
  std::uint64_t& own = returned_[launch.stream];
  for (const auto& region : launch.allocated)
    while (!region->live.empty()) leave(region, *region->live.begin(), own);
  const std::uint64_t from_own = std::min(own, needed), from_idle = std::min(idle_, needed - from_own);
  const std::uint64_t fresh = needed - from_own - from_idle, total = process.model().memory_bytes;
  const std::uint64_t taken = process.memory().used_bytes() - address_bytes_ + in_use();
  if (fresh > total || taken > total - fresh) return abi::cudaErrorMemoryAllocation;
  own -= from_own;
  idle_ -= from_idle;
  running_ += needed;
  used_high_ = std::max(used_high_, in_use());
  reserved_high_ = std::max(reserved_high_, in_use());
  return abi::cudaSuccess;
}

void GraphMemory::end(const Launch& launch) {
  GraphRegions ended;  // let go of without the lock
  std::lock_guard lock(mutex_);
  std::uint64_t& own = returned_[launch.stream];
  for (const auto& region : launch.allocated) {
    running_ -= memory_of(*region);
    for (const GraphRegion::Use& use : region->uses)
      if (use.end == nullptr) region->live.insert(use.address);
    (region->live.empty() ? own : held_) += memory_of(*region);
    if (!region->live.empty()) live_.insert(region);
  }
  for (const std::uint64_t address : launch.freed) {
    const auto region = find_locked(address);
    if (!region || !region->live.contains(address)) continue;
    ended.insert(region);
    leave(region, address, own);
  }
}

/// The end of an allocation; with the last one of a region its memory goes to `to`. The caller keeps the region.
void GraphMemory::leave(const std::shared_ptr<GraphRegion>& region, std::uint64_t address, std::uint64_t& to) {
  region->live.erase(address);
  if (!region->live.empty()) return;
  held_ -= memory_of(*region);
  to += memory_of(*region);
  live_.erase(region);
}

bool GraphMemory::release(std::uint64_t address, std::optional<abi::Stream> stream) {
  std::shared_ptr<GraphRegion> region;  // let go of without the lock
  std::lock_guard lock(mutex_);
  region = find_locked(address);
  if (!region || !region->live.contains(address)) return false;
  leave(region, address, stream ? returned_[*stream] : idle_);
  return true;
}

void GraphMemory::settle(std::optional<abi::Stream> stream) {
  std::lock_guard lock(mutex_);
  for (auto& [owner, bytes] : returned_) {
    if (stream && owner != *stream) continue;
    idle_ += bytes;
    bytes = 0;
  }
}

void GraphMemory::trim() {
  std::lock_guard lock(mutex_);
  idle_ = 0;
}

std::uint64_t GraphMemory::figure(abi::GraphMemAttribute attribute) {
  std::lock_guard lock(mutex_);
  switch (attribute) {
    case abi::cudaGraphMemAttrUsedMemCurrent:
    case abi::cudaGraphMemAttrReservedMemCurrent:
      return in_use();
    case abi::cudaGraphMemAttrUsedMemHigh:
      return used_high_;
    case abi::cudaGraphMemAttrReservedMemHigh:
      return reserved_high_;
  }
  return 0;
}

void GraphMemory::forget_high(abi::GraphMemAttribute attribute) {
  std::lock_guard lock(mutex_);
  (attribute == abi::cudaGraphMemAttrUsedMemHigh ? used_high_ : reserved_high_) = in_use();
}

std::uint64_t GraphMemory::address_bytes() {
  std::lock_guard lock(mutex_);
  return address_bytes_;
}

}  // namespace lanebank::cudart
