#include "machine/memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <stdexcept>

namespace lanebank::machine {

namespace {

constexpr std::uint64_t preferred_base = 0x300000000000;  ///< free in every usual layout, also under AddressSanitizer
constexpr std::uint64_t page = 4096;
constexpr std::uint64_t guard = 256;  ///< between neighbours, so that one past the end is nobody's

std::uint64_t round_up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

}  // namespace

Memory::Memory(std::uint64_t capacity_bytes) : capacity_(capacity_bytes) {
  reserved_ = round_up(capacity_bytes, page) * 2;
  for (std::uint64_t base = preferred_base; base_ == 0; base += std::uint64_t{1} << 41) {
    void* place = mmap(reinterpret_cast<void*>(base), reserved_, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (place != MAP_FAILED) {
      base_ = reinterpret_cast<std::uint64_t>(place);
    } else if (base >= std::uint64_t{0x500000000000}) {
      throw std::runtime_error("no room in the address space for the emulated device memory");
    }
  }
  // Rows of a matrix lie on as many small pages as they have; large pages keep the host's TLB out of it.
  madvise(reinterpret_cast<void*>(base_), reserved_, MADV_HUGEPAGE);
  next_ = committed_ = base_;
}

Memory::~Memory() { munmap(reinterpret_cast<void*>(base_), reserved_); }

std::uint64_t Memory::allocate(std::uint64_t bytes, MemoryKind kind, std::uint64_t alignment) {
  std::lock_guard lock(mutex_);
  if (bytes > capacity_ || used_ + bytes > capacity_) return 0;
  alignment = std::max<std::uint64_t>(alignment, 256);
  const std::uint64_t span = round_up(std::max<std::uint64_t>(bytes, 1) + guard, 256);
  std::uint64_t address = 0;
  for (auto piece = free_.lower_bound(span); piece != free_.end(); ++piece) {
    const std::uint64_t start = round_up(piece->second, alignment), end = piece->second + piece->first;
    if (start + span > end) continue;
    const auto [whole, begin] = *piece;
    free_.erase(piece);
    if (start > begin) free_.emplace(start - begin, begin);
    if (start + span < begin + whole) free_.emplace(begin + whole - start - span, start + span);
    address = start;
    break;
  }
  if (address == 0) {
    address = round_up(next_, alignment);
    if (address + span > base_ + reserved_) return 0;
    if (address > next_) free_.emplace(address - next_, next_);
    next_ = address + span;
    if (next_ > committed_) {
      const std::uint64_t end = std::min(round_up(next_, std::uint64_t{1} << 21), base_ + reserved_);
      if (mprotect(reinterpret_cast<void*>(committed_), end - committed_, PROT_READ | PROT_WRITE) != 0) {
        next_ = address;
        return 0;
      }
      committed_ = end;
    }
  }
  live_[address] = {address, bytes, kind};
  used_ += bytes;
  return address;
}

bool Memory::free(std::uint64_t address) {
  std::lock_guard lock(mutex_);
  auto found = live_.find(address);
  if (found == live_.end() || !in_arena(address)) return false;
  const std::uint64_t bytes = found->second.bytes;
  std::uint64_t start = address, span = round_up(std::max<std::uint64_t>(bytes, 1) + guard, 256);
  live_.erase(found);
  used_ -= bytes;
  ++generation_;
  // Whole pages go back to the system and read as zero again.
  const std::uint64_t first = round_up(start, page), last = (start + span) / page * page;
  if (last > first) madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
  for (bool joined = true; joined;) {
    joined = false;
    for (auto piece = free_.begin(); piece != free_.end(); ++piece) {
      if (piece->second + piece->first != start && start + span != piece->second) continue;
      start = std::min(start, piece->second);
      span += piece->first;
      free_.erase(piece);
      joined = true;
      break;
    }
  }
  if (start + span == next_)
    next_ = start;
  else
    free_.emplace(span, start);
  return true;
}

bool Memory::adopt(std::uint64_t address, std::uint64_t bytes, MemoryKind kind) {
  std::lock_guard lock(mutex_);
  if (bytes == 0 || in_arena(address) || in_arena(address + bytes - 1) || address + bytes < address) return false;
  auto after = live_.lower_bound(address + bytes);
  if (after != live_.begin() && std::prev(after)->second.address + std::prev(after)->second.bytes > address)
    return false;
  live_[address] = {address, bytes, kind};
  return true;
}

bool Memory::release(std::uint64_t address) {
  std::lock_guard lock(mutex_);
  if (in_arena(address) || live_.erase(address) == 0) return false;
  ++generation_;
  return true;
}

std::optional<Allocation> Memory::find(std::uint64_t address) const {
  std::lock_guard lock(mutex_);
  auto after = live_.upper_bound(address);
  if (after == live_.begin()) return std::nullopt;
  const Allocation& allocation = std::prev(after)->second;
  if (!allocation.contains(address, 0) || (address - allocation.address >= allocation.bytes && allocation.bytes != 0))
    return std::nullopt;
  return allocation;
}

std::vector<Allocation> Memory::live() const {
  std::lock_guard lock(mutex_);
  std::vector<Allocation> all;
  for (const auto& [address, allocation] : live_) all.push_back(allocation);
  return all;
}

std::optional<Allocation> Memory::nearest(std::uint64_t address) const {
  std::lock_guard lock(mutex_);
  std::optional<Allocation> nearest;
  std::uint64_t distance = ~std::uint64_t{0};
  auto consider = [&](const Allocation& allocation) {
    const std::uint64_t end = allocation.address + allocation.bytes;
    const std::uint64_t away = address >= end                 ? address - end
                               : address < allocation.address ? allocation.address - address
                                                              : 0;
    if (away <= distance) nearest = allocation, distance = away;
  };
  // What a module or launch keeps for itself is nothing that a program could have meant.
  const auto after = live_.upper_bound(address);
  for (auto below = after; below != live_.begin();) {
    if ((--below)->second.kind == MemoryKind::module) continue;
    consider(below->second);
    break;
  }
  for (auto above = after; above != live_.end(); ++above) {
    if (above->second.kind == MemoryKind::module) continue;
    consider(above->second);
    break;
  }
  return nearest;
}

std::uint64_t Memory::used_bytes() const {
  std::lock_guard lock(mutex_);
  return used_;
}

}  // namespace lanebank::machine
