// Addresses and single-lane accesses, shared by the memory, atomic and copy operations.
#pragma once

#include "machine/lanes/fault.hpp"
#include "machine/lanes/lane.hpp"
#include "machine/lanes/turn.hpp"
#include "machine/launch_state.hpp"

namespace lanebank::machine {

/// Looks `count` bytes at `address` up in device memory; on success remembers the allocation in `hit`.
bool find_allocation(const LaunchState& launch, std::uint64_t address, std::uint64_t count, Worker::Hit& hit);

/// Raises the fault for a global access outside every allocation.
const Operation* global_fault(Warp& w, const Operation* op, unsigned lane, std::uint64_t address, unsigned bytes,
                              bool is_store);
const Operation* misaligned_fault(Warp& w, const Operation* op, unsigned lane, std::uint64_t address, unsigned bytes);
const Operation* shared_fault(Warp& w, const Operation* op, unsigned lane, std::uint32_t window_address,
                              unsigned bytes);
const Operation* local_fault(Warp& w, const Operation* op, unsigned lane, std::uint32_t address, unsigned bytes);

namespace LANEBANK_SIMD {
namespace {

/// The memory type field (bits 73:76).
enum Type : unsigned { u8, s8, u16, s16, b32, b64, b128 };

template <unsigned type>
inline constexpr unsigned type_bytes = type <= s8    ? 1
                                       : type <= s16 ? 2
                                       : type == b32 ? 4
                                       : type == b64 ? 8
                                                     : 16;
template <unsigned type>
inline constexpr unsigned type_registers = type <= b32   ? 1
                                           : type == b64 ? 2
                                                         : 4;

/// Lane `i` of the rows at `d` from memory. Eight bytes are read and written whole, as the GPU does: other workers may
/// write a flag and its value together.
template <unsigned type>
LANEBANK_INLINE void load_lane(const std::uint8_t* from, std::uint32_t* d, unsigned i) {
  if constexpr (type == u8) {
    d[i] = *from;
  } else if constexpr (type == s8) {
    d[i] = static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<std::int8_t>(*from)));
  } else if constexpr (type == u16) {
    std::uint16_t value;
    std::memcpy(&value, from, 2);
    d[i] = value;
  } else if constexpr (type == s16) {
    std::int16_t value;
    std::memcpy(&value, from, 2);
    d[i] = static_cast<std::uint32_t>(static_cast<std::int32_t>(value));
  } else if constexpr (type == b32) {
    std::memcpy(&d[i], from, 4);
  } else {
    std::uint64_t values[type_registers<type> / 2];
    std::memcpy(values, from, sizeof values);
    for (unsigned r = 0; r < type_registers<type>; ++r)
      d[32 * r + i] = static_cast<std::uint32_t>(values[r / 2] >> (r % 2 * 32));
  }
}

template <unsigned type>
LANEBANK_INLINE void store_lane(std::uint8_t* to, const std::uint32_t* s, unsigned i) {
  if constexpr (type <= s8) {
    *to = static_cast<std::uint8_t>(s[i]);
  } else if constexpr (type <= s16) {
    const std::uint16_t value = static_cast<std::uint16_t>(s[i]);
    std::memcpy(to, &value, 2);
  } else if constexpr (type == b32) {
    std::memcpy(to, &s[i], 4);
  } else {
    std::uint64_t values[type_registers<type> / 2];
    for (unsigned r = 0; r < type_registers<type>; r += 2)
      values[r / 2] = s[32 * r + i] | std::uint64_t{s[32 * (r + 1) + i]} << 32;
    std::memcpy(to, values, sizeof values);
  }
}

/// The 32 words of a row. Not memcpy: where gcc believes that it is rare it makes a slow string instruction of that.
LANEBANK_INLINE void copy_row(void* to, const void* from) {
  using Words8 [[gnu::vector_size(32)]] = std::uint32_t;
  Words8 words[4];
  for (unsigned i = 0; i < 4; ++i) __builtin_memcpy(&words[i], static_cast<const char*>(from) + 32 * i, 32);
  for (unsigned i = 0; i < 4; ++i) __builtin_memcpy(static_cast<char*>(to) + 32 * i, &words[i], 32);
}

/// Calls `f` with each lane of the mask, the lowest first; whole warps take a loop of known length.
template <class F>
LANEBANK_INLINE void each_lane(std::uint32_t mask, F f) {
  if (mask == all_lanes) {
    for (unsigned i = 0; i < 32; ++i) f(i);
  } else {
    for (std::uint32_t left = mask; left != 0; left &= left - 1) f(first_lane(left));
  }
}

/// All lanes of the rows at `d` from memory, lane `i` from place(i).
template <unsigned type, class Place>
LANEBANK_INLINE void load_lanes(Place place, std::uint32_t* d) {
  if constexpr (type == b64) {
    for (unsigned i = 0; i < 32; i += 4) {
      const Words4 first = two_longs(place(i), place(i + 1)), second = two_longs(place(i + 2), place(i + 3));
      const Words4 low = __builtin_shufflevector(first, second, 0, 2, 4, 6),
                   high = __builtin_shufflevector(first, second, 1, 3, 5, 7);
      std::memcpy(d + i, &low, sizeof low);
      std::memcpy(d + 32 + i, &high, sizeof high);
    }
  } else if constexpr (type == b128) {
    for (unsigned i = 0; i < 32; i += 4) {
      Words4 lanes[4];
      for (unsigned k = 0; k < 4; ++k) std::memcpy(&lanes[k], place(i + k), sizeof lanes[k]);
      turn_words(lanes);
      for (unsigned r = 0; r < 4; ++r) std::memcpy(d + 32 * r + i, &lanes[r], sizeof lanes[r]);
    }
  } else {
    LANEBANK_UNROLL for (unsigned i = 0; i < 32; ++i) load_lane<type>(place(i), d, i);
  }
}

/// Lanes whose stores of `bytes` each a device carries out together. Of those that meet in a place the lowest lane's value
/// stays there; a later group's replaces it. Source: tests/cudart/hardware/store_order.cu.
template <unsigned bytes>
inline constexpr unsigned store_group = bytes <= 4   ? 32
                                        : bytes == 8 ? 16
                                                     : 8;

/// Calls `store` with each lane of the mask, in the order in which stores that meet leave what a device's leave.
template <unsigned bytes, class Store>
LANEBANK_INLINE void each_store(std::uint32_t mask, Store store) {
  constexpr unsigned lanes = store_group<bytes>;
  for (unsigned first = 0; first < 32; first += lanes)
    for (std::uint32_t left = mask & (all_lanes >> (32 - lanes)) << first; left != 0;) {
      const auto i = 31u - static_cast<unsigned>(std::countl_zero(left));
      left ^= 1u << i;
      store(i);
    }
}

/// All lanes of the rows at `s` to memory, lane `i` to place(i).
template <unsigned type, class Place>
LANEBANK_INLINE void store_lanes(Place place, const std::uint32_t* s) {
  if constexpr (type == b64) {
    for (unsigned n = 0; n < 8; ++n) {
      const unsigned i = n < 4 ? 12 - 4 * n : 44 - 4 * n;
      Words4 low, high;
      std::memcpy(&low, s + i, sizeof low);
      std::memcpy(&high, s + 32 + i, sizeof high);
      const Words4 second = __builtin_shufflevector(low, high, 2, 6, 3, 7),
                   first = __builtin_shufflevector(low, high, 0, 4, 1, 5);
      store_two_longs(second, place(i + 2), place(i + 3));
      store_two_longs(first, place(i), place(i + 1));
    }
  } else if constexpr (type == b128) {
    for (unsigned n = 0; n < 8; ++n) {
      const unsigned i = n % 2 == 0 ? 4 * n + 4 : 4 * n - 4;
      Words4 lanes[4];
      for (unsigned r = 0; r < 4; ++r) std::memcpy(&lanes[r], s + 32 * r + i, sizeof lanes[r]);
      turn_words(lanes);
      for (unsigned k = 4; k-- > 0;) std::memcpy(place(i + k), &lanes[k], sizeof lanes[k]);
    }
  } else {
    LANEBANK_UNROLL for (unsigned n = 0; n < 32; ++n) store_lane<type>(place(31 - n), s, 31 - n);
  }
}

/// Per-lane 32-bit addresses relative to `origin`; lanes that are off get the first active lane's, so
/// that whole-row checks and loads need no mask. `mask` is not 0.
struct Addresses32 {
  alignas(64) std::uint32_t at[32];

  LANEBANK_INLINE Addresses32(const std::uint32_t* a, std::uint32_t base, unsigned scale_log2, std::uint32_t mask) {
    if (scale_log2 == 0) {
      LANEBANK_LANES for (unsigned i = 0; i < 32; ++i) at[i] = a[i] + base;
    } else {
      LANEBANK_LANES for (unsigned i = 0; i < 32; ++i) at[i] = (a[i] << scale_log2) + base;
    }
    if (mask != all_lanes) {
      const std::uint32_t first = at[first_lane(mask)];
      LANEBANK_LANES for (unsigned i = 0; i < 32; ++i) at[i] = (mask >> i) & 1u ? at[i] : first;
    }
  }
  /// True when every lane is aligned and ends within `size_bytes`.
  template <unsigned bytes>
  LANEBANK_INLINE bool inside(std::uint32_t size_bytes) const {
    if (size_bytes < bytes) return false;
    const std::uint32_t limit = size_bytes - bytes;
    std::uint32_t bad = 0;
    for (unsigned i = 0; i < 32; ++i) bad |= (at[i] > limit ? ~0u : 0u) | (at[i] & (bytes - 1));
    return bad == 0;
  }
  /// True when lane i is at lane 0 plus i times `stride`.
  LANEBANK_INLINE bool consecutive(std::uint32_t stride) const {
    std::uint32_t differs = 0;
    for (unsigned i = 0; i < 32; ++i) differs |= at[i] - at[0] - stride * i;
    return differs == 0;
  }
};

struct Addresses64 {
  alignas(64) std::uint64_t at[32];

  LANEBANK_INLINE bool consecutive(std::uint64_t stride) const {
    std::uint64_t differs = 0;
    for (unsigned i = 0; i < 32; ++i) differs |= at[i] - at[0] - stride * i;
    return differs == 0;
  }
  LANEBANK_INLINE void fill_inactive(std::uint32_t mask) {
    if (mask == all_lanes) return;
    const std::uint64_t first = at[first_lane(mask)];
    for (unsigned i = 0; i < 32; ++i) at[i] = (mask >> i) & 1u ? at[i] : first;
  }
};

/// Flags in Operation::detail[0] of a global or generic access.
enum AddressMode : std::uint8_t {
  address_is_64 = 1,  ///< Ra is a register pair; else a 32-bit offset
  adds_uniform = 2,   ///< plus the 64-bit uniform pair Operation::uniform (a descriptor does not count)
};

LANEBANK_INLINE void global_addresses(Warp& w, const Operation* op, Addresses64& addresses) {
  const std::uint32_t* low = w.row(op->a);
  std::uint64_t base = static_cast<std::uint64_t>(static_cast<std::int64_t>(op->offset));
  if (op->detail[0] & adds_uniform) base += w.uniform[op->uniform] | std::uint64_t{w.uniform[op->uniform + 1]} << 32;
  if (op->detail[0] & address_is_64) {
    const std::uint32_t* high = low + 32;
    LANEBANK_LANES for (unsigned i = 0; i < 32; ++i) addresses.at[i] = (low[i] | std::uint64_t{high[i]} << 32) + base;
  } else {
    LANEBANK_LANES for (unsigned i = 0; i < 32; ++i) addresses.at[i] = low[i] + base;
  }
}

/// Checks alignment and bounds of the active lanes; nullptr when all is well (and *fault_result is not
/// touched), else false with the fault raised.
template <unsigned bytes>
LANEBANK_INLINE bool check_global(Warp& w, const Operation* op, const Addresses64& addresses, std::uint32_t mask,
                                  bool is_store) {
  Worker::Hit& hit = w.worker->hits[op->instruction & 63];
  std::uint64_t bad = 0;
  const std::uint64_t first = hit.first, limit = hit.end - bytes;
  for (unsigned i = 0; i < 32; ++i)
    bad |= (addresses.at[i] < first ? ~std::uint64_t{0} : 0) | (addresses.at[i] > limit ? ~std::uint64_t{0} : 0) |
           (addresses.at[i] & (bytes - 1));
  if (bad == 0 && hit.end >= bytes) [[likely]]
    return true;
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const unsigned i = first_lane(left);
    if (addresses.at[i] % bytes != 0) {
      misaligned_fault(w, op, i, addresses.at[i], bytes);
      return false;
    }
    const bool inside = addresses.at[i] >= hit.first && addresses.at[i] < hit.end && hit.end - addresses.at[i] >= bytes;
    if (!inside && !find_allocation(*w.launch, addresses.at[i], bytes, hit)) {
      global_fault(w, op, i, addresses.at[i], bytes, is_store);
      return false;
    }
  }
  return true;
}

/// Reads the address fields that LD, LDG, LDGSTS and, with `uniform_field` 64, stores share.
/// Bit 91: a uniform register is there; bit 76: it is only a descriptor; bit 90: Ra is a pair.
inline void lower_global_address(Lowering& l, unsigned uniform_field, bool descriptor, bool is_64) {
  const bool has_uniform = l.bit(91);
  l.op.detail[0] = 0;
  const bool pair = !has_uniform || descriptor || is_64;
  if (pair) l.op.detail[0] |= address_is_64;
  if (has_uniform && !descriptor) {
    l.op.detail[0] |= adds_uniform;
    l.op.uniform = static_cast<std::uint8_t>(l.bits(uniform_field, uniform_field + 6));
  }
  if (!l.bit(72) && !l.bit(91)) l.op.detail[0] &= static_cast<std::uint8_t>(~address_is_64);  // no .E: 32-bit address
  l.op.a = l.a((l.op.detail[0] & address_is_64) ? 2 : 1);
  l.op.offset = static_cast<std::int32_t>(l.word.signed_bits(40, 64));
}

inline std::uint8_t* local_word(const Warp& w, std::uint32_t address, unsigned lane) {
  return w.local + std::size_t{address / 4} * 128 + 4 * lane + address % 4;
}

/// What a generic address means.
enum class Window : std::uint8_t { global, shared, local };
LANEBANK_INLINE Window window_of(std::uint64_t address) {
  const std::uint32_t high = static_cast<std::uint32_t>(address >> 32);
  return high == shared_window_high ? Window::shared : high == local_window_high ? Window::local : Window::global;
}

/// The blocks that generic accesses of a kernel with clusters reach, for observers.
struct TargetBlocks {
  std::uint64_t at[32];
  bool others = false;  ///< some lane reaches another block than its own

  LANEBANK_INLINE void set(const Warp& w, unsigned lane, std::uint32_t window_address) {
    if (w.block->cluster.empty()) return;
    const std::uint32_t rank = window_address >> 24;
    at[lane] = rank < w.block->cluster.size() ? w.block->cluster[rank]->linear : w.place.block;
    others |= at[lane] != w.place.block;
  }
  LANEBANK_INLINE const std::uint64_t* get() const { return others ? at : nullptr; }
};

/// Host pointer of a shared window address (own block, or another of the cluster); nullptr outside.
inline std::uint8_t* shared_pointer(const Warp& w, std::uint32_t window_address, unsigned bytes) {
  std::uint32_t offset = window_address - w.shared_window;
  if (offset <= w.shared_bytes && w.shared_bytes - offset >= bytes) return w.shared + offset;
  const std::uint32_t base = w.launch->facts->shared_window_base;
  if (base == 0) return nullptr;
  const std::uint32_t rank = window_address >> 24;
  offset = (window_address & 0xffffff) - base;
  if (offset > w.shared_bytes || w.shared_bytes - offset < bytes) return nullptr;
  const std::vector<Block*>& cluster = w.block->cluster;
  if (rank == 0 && cluster.empty()) return w.shared + offset;
  return rank < cluster.size() ? cluster[rank]->shared + offset : nullptr;
}
/// Whether a place that shared_pointer gave is in the block's own memory. Accesses to other blocks cost no wavefronts
/// (Nsight Compute's source page; tests/hardware/README.md).
inline bool is_own_shared(const Warp& w, const std::uint8_t* place) {
  return place >= w.shared && place < w.shared + w.shared_bytes;
}

/// The lanes of a generic access that reach shared memory: where, and whose it is.
struct SharedLanes {
  alignas(64) std::uint32_t at[32] = {};  ///< from the block's first shared byte
  std::uint32_t lanes = 0, own = 0;       ///< all of them; those that reach their own block's
  TargetBlocks blocks;

  /// False after raising the fault of the first lane that is misaligned or out of bounds.
  bool find(Warp& w, const Operation* op, const Addresses64& addresses, std::uint32_t mask, unsigned bytes) {
    lanes = mask;
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
      const unsigned i = first_lane(left);
      const auto window_address = static_cast<std::uint32_t>(addresses.at[i]);
      if (window_address % bytes != 0) return misaligned_fault(w, op, i, window_address, bytes), false;
      const std::uint8_t* place = shared_pointer(w, window_address, bytes);
      if (place == nullptr) return shared_fault(w, op, i, window_address, bytes), false;
      at[i] = (window_address & 0xffffff) - w.launch->facts->shared_window_base;
      own |= is_own_shared(w, place) ? 1u << i : 0;
      blocks.set(w, i, window_address);
    }
    return true;
  }
  /// What observers are told.
  SharedAccess access(const Operation* op, SharedKind kind, unsigned bytes) const {
    return {.instruction = op->instruction,
            .kind = kind,
            .lane_bytes = static_cast<std::uint8_t>(bytes),
            .generic = true,
            .mask = own,
            .other_lanes = lanes & ~own,
            .addresses = at,
            .blocks = blocks.get()};
  }
};

}  // namespace
}  // namespace LANEBANK_SIMD
}  // namespace lanebank::machine
