// Loads and stores: shared, global, local and generic.
#include "machine/lanes/access.hpp"
#include "machine/lanes/even_lanes.hpp"

namespace lanebank::machine::LANEBANK_SIMD {
namespace {

// ---------------------------------------------------------------------------------------------- shared

LANEBANK_INLINE std::uint32_t shared_base(const Warp& w, const Operation* op) {
  return static_cast<std::uint32_t>(op->offset) + w.uniform[op->uniform] - w.shared_window;
}

/// Where a load of some bytes must end. ptxas reads the last 12 bytes of a block's memory as 16: no GPU faults there, for
/// what it gives a block is a multiple of 128.
template <unsigned bytes>
LANEBANK_INLINE std::uint32_t readable_end(const Warp& w) {
  return (w.shared_bytes + bytes - 1) & ~(bytes - 1);
}

/// The first lane whose shared access is out of bounds or misaligned.
template <unsigned bytes>
const Operation* shared_access_fault(Warp& w, const Operation* op, const Addresses32& addresses, std::uint32_t mask,
                                     std::uint32_t end) {
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const unsigned i = first_lane(left);
    const std::uint32_t window = addresses.at[i] + w.shared_window;
    if (addresses.at[i] % bytes != 0) return misaligned_fault(w, op, i, window, bytes);
    if (addresses.at[i] > end || end - addresses.at[i] < bytes) return shared_fault(w, op, i, window, bytes);
  }
  return op + 1;
}

/// A kernel of a cluster may name its own shared memory without its rank.
LANEBANK_INLINE bool drop_rank(const Warp& w, Addresses32& addresses) {
  if (w.launch->facts->shared_window_base == 0 || w.block->cluster.empty()) return false;
  for (unsigned i = 0; i < 32; ++i) addresses.at[i] &= 0xffffff;
  return true;
}

#if defined(__AVX512F__)
/// The words at sixteen byte offsets.
LANEBANK_INLINE __m512i gather16(const std::uint8_t* base, const std::uint32_t* offsets) {
  return _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), 0xffff, _mm512_load_si512(offsets), base, 1);
}
#endif

template <unsigned type>
const Operation* load_shared(Warp& w, const Operation* op) {
  constexpr unsigned bytes = type_bytes<type>;
  const std::uint32_t mask = begin(w, op);
  if (mask == 0) {
    publish_shared(w, {.instruction = op->instruction, .kind = SharedKind::load, .lane_bytes = bytes});
    return op + 1;
  }
  Addresses32 addresses(w.row(op->a), shared_base(w, op), op->detail[0], mask);
  const std::uint32_t end = readable_end<bytes>(w);
  if (!addresses.inside<bytes>(end)) [[unlikely]] {
    if (!drop_rank(w, addresses) || !addresses.inside<bytes>(end))
      return shared_access_fault<bytes>(w, op, addresses, mask, end);
  }
  publish_shared(w, {.instruction = op->instruction,
                     .kind = SharedKind::load,
                     .lane_bytes = bytes,
                     .mask = mask,
                     .addresses = addresses.at});
  const std::uint8_t* shared = w.shared;
  std::uint32_t* d = w.row(op->d);
  if (mask == all_lanes) {
    if (type == b32 && addresses.consecutive(4)) {
      copy_row(d, shared + addresses.at[0]);
    } else {
#if defined(__AVX512F__)
      if constexpr (type == b32) {
        _mm512_storeu_si512(d, gather16(shared, addresses.at));
        _mm512_storeu_si512(d + 16, gather16(shared, addresses.at + 16));
        return op + 1;
      }
#endif
      load_lanes<type>([&](unsigned i) { return shared + addresses.at[i]; }, d);
    }
  } else {
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
      const unsigned i = first_lane(left);
      load_lane<type>(shared + addresses.at[i], d, i);
    }
  }
  return op + 1;
}

template <unsigned type>
const Operation* store_shared(Warp& w, const Operation* op) {
  constexpr unsigned bytes = type_bytes<type>;
  const std::uint32_t mask = begin(w, op);
  if (mask == 0) {
    publish_shared(w, {.instruction = op->instruction, .kind = SharedKind::store, .lane_bytes = bytes});
    return op + 1;
  }
  Addresses32 addresses(w.row(op->a), shared_base(w, op), op->detail[0], mask);
  if (!addresses.inside<bytes>(w.shared_bytes)) [[unlikely]] {
    if (!drop_rank(w, addresses) || !addresses.inside<bytes>(w.shared_bytes))
      return shared_access_fault<bytes>(w, op, addresses, mask, w.shared_bytes);
  }
  publish_shared(w, {.instruction = op->instruction,
                     .kind = SharedKind::store,
                     .lane_bytes = bytes,
                     .mask = mask,
                     .addresses = addresses.at,
                     .values = w.row(op->b),
                     .memory = w.shared});
  ++w.stores;
  std::uint8_t* shared = w.shared;
  const std::uint32_t* s = w.row(op->b);
  if (mask == all_lanes) {
    if (type == b32 && addresses.consecutive(4)) {
      copy_row(shared + addresses.at[0], s);
    } else {
      store_lanes<type>([&](unsigned i) { return shared + addresses.at[i]; }, s);
    }
  } else {
    each_store<bytes>(mask, [&](unsigned i) { store_lane<type>(shared + addresses.at[i], s, i); });
  }
  return op + 1;
}

// ---------------------------------------------------------------------------------------------- global

template <unsigned type>
LANEBANK_INLINE void gather(const Addresses64& addresses, std::uint32_t mask, std::uint32_t* d) {
  constexpr unsigned bytes = type_bytes<type>;
  if (mask == all_lanes) {
    if (addresses.consecutive(bytes)) {
      load_even<type>({addresses.at[0], bytes}, d);
    } else {
      load_lanes<type>([&](unsigned i) { return reinterpret_cast<const std::uint8_t*>(addresses.at[i]); }, d);
    }
    return;
  }
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const unsigned i = first_lane(left);
    load_lane<type>(reinterpret_cast<const std::uint8_t*>(addresses.at[i]), d, i);
  }
}

template <unsigned type>
LANEBANK_INLINE void scatter(const Addresses64& addresses, std::uint32_t mask, const std::uint32_t* s) {
  constexpr unsigned bytes = type_bytes<type>;
  if (mask == all_lanes) {
    if (addresses.consecutive(bytes)) {
      store_even<type>({addresses.at[0], bytes}, s);
    } else {
      store_lanes<type>([&](unsigned i) { return reinterpret_cast<std::uint8_t*>(addresses.at[i]); }, s);
    }
    return;
  }
  each_store<bytes>(mask,
                    [&](unsigned i) { store_lane<type>(reinterpret_cast<std::uint8_t*>(addresses.at[i]), s, i); });
}

/// Brings a line near, to be read or written.
template <bool is_store>
LANEBANK_INLINE void prefetch(std::uint64_t address) {
#if defined(__x86_64__)
  // Compilers write this instruction only for processors that they were told of; others ignore it.
  if constexpr (is_store) {
    asm volatile("prefetchw (%0)" : : "r"(address));
    return;
  }
#endif
  __builtin_prefetch(reinterpret_cast<const char*>(address), is_store);
}

/// Warps mostly access memory at steps of one width: a guess where a later warp will, which hides most of the latency of the
/// host's memory.
template <unsigned bytes, bool is_store, class Address>
LANEBANK_INLINE void prefetch_ahead(Warp& w, const Operation* op, Address address) {
  constexpr std::uint64_t warps_ahead = 4;
  std::uint64_t& last = w.worker->last_access[op->instruction & 63];
  const std::uint64_t ahead = (address(0) - last) * warps_ahead;
  last = address(0);
  constexpr unsigned lanes_of_a_line = 64 / (bytes < 4 ? 4 : bytes);
  for (unsigned i = 0; i < 32; i += lanes_of_a_line) prefetch<is_store>(address(i) + ahead);
}

template <unsigned type>
const Operation* load_global(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  if (mask == 0) return op + 1;
  if (EvenLanes lanes;
      mask == all_lanes && w.worker->global_listeners.empty() && even_lanes<type_bytes<type>>(w, op, lanes)) {
    prefetch_ahead<type_bytes<type>, false>(w, op, [&](unsigned i) { return lanes.at(i); });
    load_even<type>(lanes, w.row(op->d));
    return op + 1;
  }
  Addresses64 addresses;
  global_addresses(w, op, addresses);
  addresses.fill_inactive(mask);
  if (!check_global<type_bytes<type>>(w, op, addresses, mask, false)) return nullptr;
  publish_global(w, {op->instruction, GlobalKind::load, type_bytes<type>, mask, addresses.at});
  prefetch_ahead<type_bytes<type>, false>(w, op, [&](unsigned i) { return addresses.at[i]; });
  gather<type>(addresses, mask, w.row(op->d));
  return op + 1;
}

template <unsigned type>
const Operation* store_global(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  if (mask == 0) return op + 1;
  if (EvenLanes lanes;
      mask == all_lanes && w.worker->global_listeners.empty() && even_lanes<type_bytes<type>>(w, op, lanes)) {
    ++w.stores;
    prefetch_ahead<type_bytes<type>, true>(w, op, [&](unsigned i) { return lanes.at(i); });
    store_even<type>(lanes, w.row(op->b));
    return op + 1;
  }
  Addresses64 addresses;
  global_addresses(w, op, addresses);
  addresses.fill_inactive(mask);
  if (!check_global<type_bytes<type>>(w, op, addresses, mask, true)) return nullptr;
  publish_global(w, {op->instruction, GlobalKind::store, type_bytes<type>, mask, addresses.at});
  ++w.stores;
  prefetch_ahead<type_bytes<type>, true>(w, op, [&](unsigned i) { return addresses.at[i]; });
  scatter<type>(addresses, mask, w.row(op->b));
  return op + 1;
}

// ----------------------------------------------------------------------------------------------- local

template <unsigned type, bool is_store>
const Operation* local_lanes(Warp& w, const Operation* op, const std::uint32_t* at, std::uint32_t mask) {
  constexpr unsigned bytes = type_bytes<type>, registers = type_registers<type>;
  std::uint32_t* rows = w.row(is_store ? op->b : op->d);
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const unsigned i = first_lane(left);
    if (at[i] % bytes != 0) return misaligned_fault(w, op, i, at[i], bytes);
    if (at[i] > w.local_bytes || w.local_bytes - at[i] < bytes) return local_fault(w, op, i, at[i], bytes);
    if constexpr (bytes < 4) {
      std::uint8_t* place = local_word(w, at[i], i);
      if constexpr (is_store)
        store_lane<type>(place, rows, i);
      else
        load_lane<type>(place, rows, i);
    } else {
      for (unsigned r = 0; r < registers; ++r) {
        std::uint8_t* place = local_word(w, at[i] + 4 * r, i);
        if constexpr (is_store)
          std::memcpy(place, &rows[32 * r + i], 4);
        else
          std::memcpy(&rows[32 * r + i], place, 4);
      }
    }
  }
  if (is_store) ++w.stores;
  return op + 1;
}

template <unsigned type, bool is_store>
const Operation* access_local(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  if (mask == 0) return op + 1;
  const Addresses32 addresses(w.row(op->a), static_cast<std::uint32_t>(op->offset) + w.uniform[op->uniform], 0, mask);
  constexpr unsigned bytes = type_bytes<type>, registers = type_registers<type>;
  if constexpr (bytes >= 4) {
    if (mask == all_lanes && addresses.consecutive(0) && addresses.inside<bytes>(w.local_bytes)) {
      std::uint8_t* rows = reinterpret_cast<std::uint8_t*>(w.row(is_store ? op->b : op->d));
      std::uint8_t* place = local_word(w, addresses.at[0], 0);
      if constexpr (is_store) {
        for (unsigned r = 0; r < registers; ++r) copy_row(place + 128 * r, rows + 128 * r);
        ++w.stores;
      } else {
        for (unsigned r = 0; r < registers; ++r) copy_row(rows + 128 * r, place + 128 * r);
      }
      return op + 1;
    }
  }
  return local_lanes<type, is_store>(w, op, addresses.at, mask);
}

// --------------------------------------------------------------------------------------------- generic

template <unsigned type, bool is_store>
const Operation* access_generic(Warp& w, const Operation* op) {
  constexpr unsigned bytes = type_bytes<type>;
  const std::uint32_t mask = begin(w, op);
  if (mask == 0) return op + 1;
  Addresses64 addresses;
  global_addresses(w, op, addresses);
  addresses.fill_inactive(mask);
  std::uint32_t shared_lanes = 0, local_lanes_mask = 0;
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const unsigned i = first_lane(left);
    const Window window = window_of(addresses.at[i]);
    shared_lanes |= window == Window::shared ? 1u << i : 0;
    local_lanes_mask |= window == Window::local ? 1u << i : 0;
  }
  std::uint32_t* rows = w.row(is_store ? op->b : op->d);
  const std::uint32_t global_lanes = mask & ~shared_lanes & ~local_lanes_mask;
  if (is_store) ++w.stores;
  if (shared_lanes != 0) {
    SharedLanes shared;
    if (!shared.find(w, op, addresses, shared_lanes, bytes)) return nullptr;
    SharedAccess access = shared.access(op, is_store ? SharedKind::store : SharedKind::load, bytes);
    access.values = is_store ? rows : nullptr;
    access.memory = w.shared;
    publish_shared(w, access);
    each_store<bytes>(shared_lanes, [&](unsigned i) {
      std::uint8_t* place = shared_pointer(w, static_cast<std::uint32_t>(addresses.at[i]), bytes);
      if constexpr (is_store)
        store_lane<type>(place, rows, i);
      else
        load_lane<type>(place, rows, i);
    });
  }
  if (local_lanes_mask != 0) {
    alignas(64) std::uint32_t at[32] = {};
    for (unsigned i = 0; i < 32; ++i) at[i] = static_cast<std::uint32_t>(addresses.at[i]);
    if (local_lanes<type, is_store>(w, op, at, local_lanes_mask) == nullptr) return nullptr;
  }
  if (global_lanes != 0) {
    addresses.fill_inactive(global_lanes);
    if (!check_global<bytes>(w, op, addresses, global_lanes, is_store)) return nullptr;
    publish_global(
        w, {op->instruction, is_store ? GlobalKind::store : GlobalKind::load, bytes, global_lanes, addresses.at});
    if constexpr (is_store)
      scatter<type>(addresses, global_lanes, rows);
    else
      gather<type>(addresses, global_lanes, rows);
  }
  return op + 1;
}

template <template <unsigned> class Choice>
Execute by_type(unsigned type) {
  switch (type) {
    case u8:
      return Choice<u8>::run;
    case s8:
      return Choice<s8>::run;
    case u16:
      return Choice<u16>::run;
    case s16:
      return Choice<s16>::run;
    case b32:
      return Choice<b32>::run;
    case b64:
      return Choice<b64>::run;
    case b128:
      return Choice<b128>::run;
    default:
      return nullptr;
  }
}

template <unsigned type>
struct LoadShared {
  static constexpr Execute run = &load_shared<type>;
};
template <unsigned type>
struct StoreShared {
  static constexpr Execute run = &store_shared<type>;
};
template <unsigned type>
struct LoadGlobal {
  static constexpr Execute run = &load_global<type>;
};
template <unsigned type>
struct StoreGlobal {
  static constexpr Execute run = &store_global<type>;
};
template <unsigned type>
struct LoadLocal {
  static constexpr Execute run = &access_local<type, false>;
};
template <unsigned type>
struct StoreLocal {
  static constexpr Execute run = &access_local<type, true>;
};
template <unsigned type>
struct LoadGeneric {
  static constexpr Execute run = &access_generic<type, false>;
};
template <unsigned type>
struct StoreGeneric {
  static constexpr Execute run = &access_generic<type, true>;
};

unsigned registers_of(unsigned type) { return type == b64 ? 2 : type == b128 ? 4 : 1; }

template <template <unsigned> class Choice>
void choose(Lowering& l) {
  l.op.execute = by_type<Choice>(unsigned(l.bits(73, 76)));
  if (l.op.execute == nullptr) l.unsupported = "an access of this size";
}

/// Address of LDS, STS, LDL, STL: register + uniform register + offset, the register scaled.
void lower_window_address(Lowering& l, unsigned uniform_field) {
  l.op.a = l.a();
  l.op.offset = static_cast<std::int32_t>(l.word.signed_bits(40, 64));
  if (l.bit(91)) l.op.uniform = static_cast<std::uint8_t>(l.bits(uniform_field, uniform_field + 6));
  const unsigned scale = unsigned(l.bits(78, 80));  // 1, 2, 3: .X4, .X8, .X16
  l.op.detail[0] = static_cast<std::uint8_t>(scale == 0 ? 0 : scale + 1);
}

}  // namespace

void lower_LDS(Lowering& l) {
  lower_window_address(l, 32);
  l.op.d = l.d(registers_of(unsigned(l.bits(73, 76))));
  choose<LoadShared>(l);
}

void lower_STS(Lowering& l) {
  lower_window_address(l, 64);
  l.op.b = l.source(unsigned(l.bits(32, 40)), registers_of(unsigned(l.bits(73, 76))));
  choose<StoreShared>(l);
}

void lower_LDL(Lowering& l) {
  lower_window_address(l, 32);
  l.op.detail[0] = 0;
  l.op.d = l.d(registers_of(unsigned(l.bits(73, 76))));
  choose<LoadLocal>(l);
}

void lower_STL(Lowering& l) {
  lower_window_address(l, 64);
  l.op.detail[0] = 0;
  l.op.b = l.source(unsigned(l.bits(32, 40)), registers_of(unsigned(l.bits(73, 76))));
  choose<StoreLocal>(l);
}

namespace {

void lower_load(Lowering& l) {
  lower_global_address(l, 32, l.bit(76), l.bit(90));
  if (l.bits(64, 68) != 0) l.unsupported = "a load with a predicate operand";
  if (l.bits(81, 84) != 7 && l.bits(81, 84) != 0) l.unsupported = "a load with a predicate result";
  l.op.d = l.d(registers_of(unsigned(l.bits(73, 76))));
}

/// Stores keep the data register at 32:40, or at 64:72 where that is free (sm_75 generic stores).
void lower_store(Lowering& l, unsigned data_field) {
  lower_global_address(l, 64, l.bit(76), l.bit(90));
  if (data_field == 64) l.op.offset = static_cast<std::int32_t>(l.word.signed_bits(40, 64));
  l.op.b = l.source(unsigned(l.bits(data_field, data_field + 8)), registers_of(unsigned(l.bits(73, 76))));
}

}  // namespace

void lower_LDG(Lowering& l) {
  lower_load(l);
  choose<LoadGlobal>(l);
}

void lower_STG(Lowering& l) {
  lower_store(l, 32);
  choose<StoreGlobal>(l);
}

void lower_LD(Lowering& l) {
  if (l.bit(91)) {
    lower_load(l);
  } else {
    // Without a uniform register the offset is in 32:64.
    lower_global_address(l, 32, false, true);
    l.op.offset = static_cast<std::int32_t>(l.word.signed_bits(32, 64));
    l.op.d = l.d(registers_of(unsigned(l.bits(73, 76))));
  }
  choose<LoadGeneric>(l);
}

void lower_ST(Lowering& l) {
  if (l.bit(91)) {
    lower_store(l, 32);
  } else {
    lower_global_address(l, 64, false, true);
    l.op.offset = static_cast<std::int32_t>(l.word.signed_bits(32, 64));
    l.op.b = l.source(unsigned(l.bits(64, 72)), registers_of(unsigned(l.bits(73, 76))));
  }
  choose<StoreGeneric>(l);
}

}  // namespace lanebank::machine::LANEBANK_SIMD
