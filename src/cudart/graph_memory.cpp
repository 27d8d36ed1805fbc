#include "cudart/graph_memory.hpp"

#include <algorithm>

#include "cudart/process.hpp"

namespace lanebank::cudart {
namespace {

constexpr std::uint64_t unit_bytes = std::uint64_t{32} << 20;

std::uint64_t memory_of(const GraphRegion& region) { return (region.bytes + unit_bytes - 1) / unit_bytes * unit_bytes; }

}  // namespace

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
  const auto found = regions_.find(address);
  return found == regions_.end() ? nullptr : found->second.lock();
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
    if (region->is_live && !launch.frees_first) return abi::cudaErrorInvalidValue;
    needed += memory_of(*region);
  }
  for (const auto& region : launch.freed)
    if (!region->is_live) return abi::cudaErrorInvalidValue;
  std::uint64_t& own = returned_[launch.stream];
  for (const auto& region : launch.allocated) {
    if (!region->is_live) continue;
    leave(*region, own);
    live_.erase(region);
  }
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
  std::lock_guard lock(mutex_);
  std::uint64_t& own = returned_[launch.stream];
  for (const auto& region : launch.allocated) {
    running_ -= memory_of(*region);
    if (region->holder_end != nullptr) {
      own += memory_of(*region);
      continue;
    }
    region->is_live = true;
    held_ += memory_of(*region);
    live_.insert(region);
  }
  for (const auto& region : launch.freed) {
    leave(*region, own);
    live_.erase(region);
  }
}

/// The end of a region's use; its memory goes to `to`.
void GraphMemory::leave(const GraphRegion& region, std::uint64_t& to) {
  const_cast<GraphRegion&>(region).is_live = false;
  held_ -= memory_of(region);
  to += memory_of(region);
}

bool GraphMemory::release(GraphRegion& region, std::optional<abi::Stream> stream) {
  std::shared_ptr<GraphRegion> ended;
  std::lock_guard lock(mutex_);
  if (!region.is_live) return false;
  leave(region, stream ? returned_[*stream] : idle_);
  const auto found = std::find_if(live_.begin(), live_.end(), [&](const auto& live) { return live.get() == &region; });
  ended = *found;
  live_.erase(found);
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
