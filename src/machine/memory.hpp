// Device memory: one reserved range of host addresses at a fixed place, so that device pointers are
// host pointers and every run sees the same ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace lanebank::machine {

enum class MemoryKind : std::uint8_t { device, managed, host_pinned, module, heap, array };

struct Allocation {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  MemoryKind kind = MemoryKind::device;
  bool contains(std::uint64_t first, std::uint64_t count) const {
    return first >= address && count <= bytes && first - address <= bytes - count;
  }
};

class Memory {
 public:
  explicit Memory(std::uint64_t capacity_bytes);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// Address of `bytes` fresh bytes, 256-byte aligned or better; 0 when `capacity_bytes` is exhausted.
  /// Zero bytes take an address of their own. Content is zero (real devices: undefined).
  std::uint64_t allocate(std::uint64_t bytes, MemoryKind kind, std::uint64_t alignment = 256);
  /// False when `address` is not the start of a live allocation.
  bool free(std::uint64_t address);
  /// Makes memory of the program's own (outside the arena) known as an allocation, so that device code reaches it
  /// (cudaHostRegister). False when it overlaps a live allocation. Not counted as used.
  bool adopt(std::uint64_t address, std::uint64_t bytes, MemoryKind kind);
  /// The end of `adopt`; false when `address` is not the start of an adopted allocation.
  bool release(std::uint64_t address);
  /// The live allocation that holds `address`.
  std::optional<Allocation> find(std::uint64_t address) const;
  /// All live allocations, by address.
  std::vector<Allocation> live() const;
  /// For messages: the live allocation that ends nearest below or begins nearest above `address`.
  std::optional<Allocation> nearest(std::uint64_t address) const;

  std::uint64_t capacity_bytes() const { return capacity_; }
  std::uint64_t used_bytes() const;
  /// Grows with every free: cached bounds of an older generation are stale.
  std::uint64_t generation() const { return generation_; }
  bool in_arena(std::uint64_t address) const { return address - base_ < reserved_; }

 private:
  mutable std::mutex mutex_;
  std::uint64_t base_ = 0, reserved_ = 0, capacity_ = 0, used_ = 0;
  std::uint64_t next_ = 0, committed_ = 0;
  std::uint64_t generation_ = 1;
  std::map<std::uint64_t, Allocation> live_;
  std::multimap<std::uint64_t, std::uint64_t> free_;  ///< size -> address
};

}  // namespace lanebank::machine
