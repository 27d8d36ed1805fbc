// Asynchronous copies and their barriers. Copies are carried out when they are issued, which every
// program that waits for them allows; a wait therefore only ever waits for other threads.
#include "machine/lanes/access.hpp"
#include "machine/mbarrier.hpp"
#include "machine/scheduler.hpp"
#include "machine/tensor_copy.hpp"

namespace lanebank::machine::LANEBANK_SIMD {
namespace {

// ---------------------------------------------------------------------------------------------- LDGSTS

/// Copies `bytes` for each lane of `mask`.
template <unsigned bytes>
LANEBANK_INLINE void copy_lanes(std::uint8_t* shared, const Addresses32& places, const Addresses64& sources,
                                std::uint32_t mask) {
  each_lane(mask, [&](unsigned i) {
    std::memcpy(shared + places.at[i], reinterpret_cast<const void*>(sources.at[i]), bytes);
  });
}

/// detail[1]: bit 0 BYPASS (.cg), bit 1 ZFILL, bit 2 a uniform register is part of the shared address. modifiers: bytes.
/// Where the predicate is false the source is not read and zeros are written. With ZFILL the low bits of a source address
/// say how many bytes at the end are not copied but zeroed (measured: src-size n arrives as address + (bytes - n) % bytes).
const Operation* copy_to_shared(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  const std::uint32_t bytes = op->modifiers;
  const bool bypass = (op->detail[1] & 1) != 0, zero_fills = (op->detail[1] & 2) != 0;
  const std::uint32_t reads = predicate_in(w, op, 0);
  const SharedKind kind = bypass ? SharedKind::async_copy_cg : SharedKind::async_copy_ca;
  if (mask == 0) {
    publish_shared(w, {.instruction = op->instruction, .kind = kind, .lane_bytes = static_cast<std::uint8_t>(bytes)});
    return op + 1;
  }
  Addresses64 sources;
  global_addresses(w, op, sources);
  const std::uint32_t copied = mask & reads;
  std::uint8_t copied_bytes[32];
  std::memset(copied_bytes, static_cast<int>(bytes), sizeof copied_bytes);
  std::uint64_t left_out = mask & ~reads;
  if (zero_fills) {
    for (unsigned i = 0; i < 32; ++i) {
      const std::uint64_t zeros = sources.at[i] & (bytes - 1);
      copied_bytes[i] = static_cast<std::uint8_t>(bytes - zeros);
      left_out |= zeros;
      sources.at[i] -= zeros;
    }
  }
  if (copied != 0) {
    sources.fill_inactive(copied);
    const bool fine = bytes == 4   ? check_global<4>(w, op, sources, copied, false)
                      : bytes == 8 ? check_global<8>(w, op, sources, copied, false)
                                   : check_global<16>(w, op, sources, copied, false);
    if (!fine) return nullptr;
  }
  const std::uint32_t base = op->immediate[0] + ((op->detail[1] & 4) != 0 ? w.uniform[op->uniform] : 0);
  const Addresses32 places(w.row(op->d), base - w.shared_window, 0, mask);
  const bool inside = bytes == 4   ? places.inside<4>(w.shared_bytes)
                      : bytes == 8 ? places.inside<8>(w.shared_bytes)
                                   : places.inside<16>(w.shared_bytes);
  for (std::uint32_t left = inside ? 0 : mask; left != 0; left &= left - 1) {
    const unsigned i = first_lane(left);
    const std::uint32_t window = places.at[i] + w.shared_window;
    if (places.at[i] % bytes != 0) return misaligned_fault(w, op, i, window, bytes);
    if (places.at[i] > w.shared_bytes || w.shared_bytes - places.at[i] < bytes)
      return shared_fault(w, op, i, window, bytes);
  }
  publish_shared(w, {.instruction = op->instruction,
                     .kind = kind,
                     .lane_bytes = static_cast<std::uint8_t>(bytes),
                     .mask = mask,
                     .addresses = places.at,
                     .global_addresses = sources.at,
                     .reading_lanes = copied,
                     .zero_fills = zero_fills});
  ++w.stores;
  if (left_out == 0) {  // every byte is copied
    if (bytes == 4)
      copy_lanes<4>(w.shared, places, sources, mask);
    else if (bytes == 8)
      copy_lanes<8>(w.shared, places, sources, mask);
    else
      copy_lanes<16>(w.shared, places, sources, mask);
    return op + 1;
  }
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const unsigned i = first_lane(left);
    const std::uint32_t count = (copied >> i & 1u) != 0 ? copied_bytes[i] : 0;
    std::memcpy(w.shared + places.at[i], reinterpret_cast<const void*>(sources.at[i]), count);
    std::memset(w.shared + places.at[i] + count, 0, bytes - count);
  }
  return op + 1;
}

// ------------------------------------------------------------------------------------------- mbarriers

/// The 64-bit word of the mbarrier at a window address; nullptr after raising the fault.
std::uint64_t* mbarrier_at(Warp& w, const Operation* op, unsigned lane, std::uint32_t window_address) {
  if (window_address % 8 != 0) {
    misaligned_fault(w, op, lane, window_address, 8);
    return nullptr;
  }
  std::uint8_t* place = shared_pointer(w, window_address, 8);
  if (place == nullptr) shared_fault(w, op, lane, window_address, 8);
  return reinterpret_cast<std::uint64_t*>(place);
}

std::uint32_t mbarrier_address(const Warp& w, const Operation* op, const std::uint32_t* a, unsigned lane) {
  return a[lane] + w.uniform[op->uniform] + static_cast<std::uint32_t>(op->offset);
}

void publish_mbarrier(const Warp& w, const Operation* op, SyncEvent::Kind kind, std::uint32_t mask,
                      std::uint32_t window) {
  if (w.worker->sync_listeners.empty()) return;
  const WindowPlace place = window_place(w, window);
  publish_sync(w, {op->instruction, kind, mask, place.byte, false, place.block != w.block});
}

/// SYNCS.EXCH.64: writes the word, as mbarrier.init does. Uniform.
const Operation* syncs_exchange(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  publish_shared(w, {.instruction = op->instruction, .kind = SharedKind::bulk_copy, .lane_bytes = 8});
  if (mask == 0) return op + 1;
  const unsigned lane = first_lane(mask);
  const std::uint32_t window = w.uniform[op->uniform] + static_cast<std::uint32_t>(op->offset);
  std::uint64_t* word = mbarrier_at(w, op, lane, window);
  if (word == nullptr) return nullptr;
  publish_mbarrier(w, op, SyncEvent::Kind::mbarrier_init, mask, window);
  const std::uint64_t old = *word;
  *word = w.uniform[op->detail[0]] | std::uint64_t{w.uniform[op->detail[0] + 1]} << 32;
  if (op->detail[1] != 63) {
    w.uniform[op->detail[1]] = static_cast<std::uint32_t>(old);
    w.uniform[op->detail[1] + 1] = static_cast<std::uint32_t>(old >> 32);
  }
  ++w.stores;
  return op + 1;
}

/// SYNCS.ARRIVE.TRANS64: arrivals (modifiers bits 0:2: none, one, register) and expected bytes (bit 2: from the register;
/// bit 4: one; bit 6: the bytes of the register have come). With .TMASK (bit 5) the lower register gets the lanes that
/// arrive at the same mbarrier.
const Operation* syncs_arrive(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  publish_shared(w, {.instruction = op->instruction, .kind = SharedKind::bulk_copy, .lane_bytes = 8});
  const std::uint32_t* a = w.row(op->a);
  const std::uint32_t* operand = w.row(op->b);
  // The state that is given is the upper word of what was there before all lanes' arrivals; the lower register stays.
  alignas(64) std::uint32_t state[32];
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const unsigned i = first_lane(left);
    const std::uint64_t* word = mbarrier_at(w, op, i, mbarrier_address(w, op, a, i));
    if (word == nullptr) return nullptr;
    state[i] = static_cast<std::uint32_t>(*word >> 32);
  }
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const unsigned i = first_lane(left);
    std::uint64_t* word = mbarrier_at(w, op, i, mbarrier_address(w, op, a, i));
    if (word == nullptr) return nullptr;
    const unsigned how = op->modifiers & 3;
    const std::uint32_t arrivals = how == 0 ? 0 : how == 1 ? 1 : operand[i];
    const std::int64_t bytes = (op->modifiers & 4) != 0    ? static_cast<std::int32_t>(operand[i])
                               : (op->modifiers & 64) != 0 ? -std::int64_t{operand[i]}
                               : (op->modifiers & 16) != 0 ? 1
                                                           : 0;
    const std::uint64_t old = *word;
    *word = mbarrier::arrive(old, arrivals, bytes, (op->modifiers & 8) != 0);
    if (mbarrier::phase(old) != mbarrier::phase(*word)) ++w.block->progress;
    publish_mbarrier(w, op, SyncEvent::Kind::mbarrier_arrive, 1u << i, mbarrier_address(w, op, a, i));
  }
  blend(mask, state, w.row(op->d) + 32);
  if ((op->modifiers & 32) != 0) {
    alignas(64) std::uint32_t together[32] = {};
    for (unsigned i = 0; i < 32; ++i)
      for (unsigned j = 0; j < 32; ++j) together[i] |= a[i] == a[j] ? mask & (1u << j) : 0;
    blend(mask, together, w.row(op->d));
  }
  if (mask != 0) ++w.stores;
  return op + 1;
}

/// SYNCS.PHASECHK: true where the phase of parity (register >> 31) is over. TRYWAIT waits for it: the
/// instruction is issued once and suspends.
const Operation* syncs_phase_check(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  const std::uint32_t* a = w.row(op->a);
  const std::uint32_t* parity = w.row(op->b);
  std::uint32_t over = 0;
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const unsigned i = first_lane(left);
    const std::uint64_t* word = mbarrier_at(w, op, i, mbarrier_address(w, op, a, i));
    if (word == nullptr) return nullptr;
    over |= mbarrier::phase(*word) != (parity[i] >> 31) ? 1u << i : 0;
  }
  if (over != mask && op->detail[0] != 0) {
    Count& count = w.counts[op->instruction];
    --count.executed;
    count.threads -= static_cast<unsigned>(std::popcount(mask));
    return park(w, op, Split::Wait::mbarrier, mbarrier_address(w, op, a, first_lane(mask & ~over)));
  }
  publish_shared(w, {.instruction = op->instruction, .kind = SharedKind::bulk_copy, .lane_bytes = 8});
  for (std::uint32_t left = w.worker->sync_listeners.empty() ? 0 : over; left != 0; left &= left - 1) {
    const unsigned i = first_lane(left);
    publish_mbarrier(w, op, SyncEvent::Kind::mbarrier_wait, 1u << i, mbarrier_address(w, op, a, i));
  }
  set_predicate(w, op, 0, mask, over);
  return op + 1;
}

/// ARRIVES.LDGSTSBAR: arrives once the lane's copies are done, which they are. Of sm_90 only .ARVCNT (.noinc) is an arrival:
/// .TRANSCNT takes off the byte that SYNCS.ARRIVE.A0T1 has added before it.
const Operation* arrive_after_copies(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  publish_shared(w, {.instruction = op->instruction, .kind = SharedKind::bulk_copy, .lane_bytes = 8});
  const std::uint32_t* a = w.row(op->a);
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const unsigned i = first_lane(left);
    std::uint64_t* word = mbarrier_at(w, op, i, mbarrier_address(w, op, a, i));
    if (word == nullptr) return nullptr;
    const std::uint64_t old = *word;
    *word = w.launch->facts->architecture < 90 ? mbarrier::arrive_80(old)
            : op->detail[0] != 0               ? mbarrier::arrive(old, 1, 0, false)
                                               : mbarrier::arrive(old, 0, -1, false);
    if (mbarrier::phase(old) != mbarrier::phase(*word)) ++w.block->progress;
    publish_mbarrier(w, op, SyncEvent::Kind::copies_arrive, 1u << i, mbarrier_address(w, op, a, i));
  }
  if (mask != 0) ++w.stores;
  return op + 1;
}

// ------------------------------------------------------------------------------------------ bulk copies

/// Forms of a bulk copy in Operation::detail[1]: the bits of the instruction.
enum BulkForm : std::uint8_t { shared_target = 1, shared_source = 2, to_several_blocks = 4 };

const Operation* tensor_copy(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  publish_shared(w, {.instruction = op->instruction, .kind = SharedKind::bulk_copy, .lane_bytes = 16});
  if (mask == 0) return op + 1;
  const bool to_global = (op->detail[1] & shared_source) != 0;
  const std::uint32_t blocks = op->detail[1] & to_several_blocks ? w.uniform[op->immediate[0]] >> 16 : 0;
  return copy_tensor(w, op, first_lane(mask), to_global, op->detail[0], blocks) ? op + 1 : nullptr;
}

/// UTMAREDG. immediate[0]: the operation.
const Operation* tensor_reduction(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  publish_shared(w, {.instruction = op->instruction, .kind = SharedKind::bulk_copy, .lane_bytes = 16});
  if (mask == 0) return op + 1;
  return copy_tensor(w, op, first_lane(mask), true, op->detail[0], 0, op->immediate[0]) ? op + 1 : nullptr;
}

/// UBLKCP: whole units of 16 bytes. Operation::modifiers: the uniform register with their number in its low half and the
/// blocks of a multicast in its upper half.
const Operation* bulk_copy(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  publish_shared(w, {.instruction = op->instruction, .kind = SharedKind::bulk_copy, .lane_bytes = 16});
  if (mask == 0) return op + 1;
  const unsigned lane = first_lane(mask), form = op->detail[1];
  const auto pair = [&w](unsigned number) { return w.uniform[number] | std::uint64_t{w.uniform[number + 1]} << 32; };
  const std::uint64_t target = form & shared_target ? w.uniform[op->uniform] : pair(op->uniform);
  const std::uint64_t source = form & shared_source ? w.uniform[op->detail[0]] : pair(op->detail[0]);
  const std::uint32_t size = w.uniform[op->modifiers], bytes = (size & 0xffff) * 16;
  for (const std::uint64_t address : {target, source})
    if (address % 16 != 0) return misaligned_fault(w, op, lane, address, 16);

  std::uint8_t* from = reinterpret_cast<std::uint8_t*>(source);
  Worker::Hit hit;
  if (form & shared_source) {
    from = shared_pointer(w, static_cast<std::uint32_t>(source), bytes);
    if (from == nullptr) return shared_fault(w, op, lane, static_cast<std::uint32_t>(source), bytes);
  } else if (bytes != 0 && !find_allocation(*w.launch, source, bytes, hit)) {
    return global_fault(w, op, lane, source, bytes, false);
  }
  ++w.stores;
  if ((form & shared_target) == 0) {
    if (bytes != 0 && !find_allocation(*w.launch, target, bytes, hit))
      return global_fault(w, op, lane, target, bytes, true);
    publish_bulk_copy(w, op, false, static_cast<std::uint32_t>(source), bytes, 0);
    publish_range(w, {op->instruction, true, target, bytes});
    std::memcpy(reinterpret_cast<void*>(target), from, bytes);
    return op + 1;
  }
  if (form & shared_source)
    publish_bulk_copy(w, op, false, static_cast<std::uint32_t>(source), bytes, 0);
  else
    publish_range(w, {op->instruction, false, source, bytes});
  const bool completed = for_each_block(form & to_several_blocks ? size >> 16 : 0, static_cast<std::uint32_t>(target),
                                        w.uniform[op->uniform + 1], [&](std::uint32_t window, std::uint32_t barrier) {
                                          std::uint8_t* to = shared_pointer(w, window, bytes);
                                          if (to == nullptr) {
                                            shared_fault(w, op, lane, window, bytes);
                                            return false;
                                          }
                                          std::memmove(to, from, bytes);
                                          publish_bulk_copy(w, op, true, window, bytes, barrier);
                                          return complete_bytes(w, op, lane, barrier, bytes);
                                        });
  return completed ? op + 1 : nullptr;
}

/// STAS: a store to shared memory of the cluster that completes bytes on a barrier there.
const Operation* store_async(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  const unsigned bytes = op->modifiers;
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const unsigned i = first_lane(left);
    const std::uint32_t window = w.row(op->a)[i], barrier = w.row(op->a)[i + 32];
    if (window % bytes != 0) return misaligned_fault(w, op, i, window, bytes);
    std::uint8_t* place = shared_pointer(w, window, bytes);
    if (place == nullptr) return shared_fault(w, op, i, window, bytes);
    for (unsigned r = 0; r < bytes / 4; ++r) std::memcpy(place + 4 * r, &w.row(op->b)[32 * r + i], 4);
    publish_bulk_copy(w, op, true, window, bytes, barrier);
    if (!complete_bytes(w, op, i, barrier, bytes)) return nullptr;
  }
  if (mask != 0) ++w.stores;
  return op + 1;
}

// -------------------------------------------------------------------------------------- cluster barrier

const Operation* cluster_arrive(Warp& w, const Operation* op) {
  publish_sync(w, {op->instruction, SyncEvent::Kind::cluster_arrive, begin(w, op)});
  Block& leader = w.block->cluster.empty() ? *w.block : *w.block->cluster[0];
  w.cluster_ticket = leader.cluster_phase;
  ++leader.cluster_arrived;
  return op + 1;
}

const Operation* cluster_wait(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  Block& leader = w.block->cluster.empty() ? *w.block : *w.block->cluster[0];
  std::uint32_t live = 0;
  if (w.block->cluster.empty()) live = w.block->live_warps;
  for (const Block* block : w.block->cluster) live += block->live_warps;
  if (leader.cluster_phase == w.cluster_ticket && leader.cluster_arrived >= live) {
    leader.cluster_arrived = 0;
    ++leader.cluster_phase;
    for (Block* block : w.block->cluster) ++block->progress;
    ++leader.progress;
  }
  if (leader.cluster_phase != w.cluster_ticket) {
    publish_sync(w, {op->instruction, SyncEvent::Kind::cluster_wait, mask});
    return op + 1;
  }
  Count& count = w.counts[op->instruction];
  --count.executed;
  count.threads -= static_cast<unsigned>(std::popcount(mask));
  return park(w, op, Split::Wait::mbarrier, 0);
}

/// Prefetches and flushes: counted, no effect.
const Operation* hint(Warp& w, const Operation* op) {
  begin(w, op);
  return op + 1;
}

void window_operand(Lowering& l) {
  l.op.a = l.a();
  l.op.uniform = static_cast<std::uint8_t>(l.bits(64, 70));
  l.op.offset = static_cast<std::int32_t>(l.word.signed_bits(40, 64));
}

}  // namespace

void lower_LDGSTS(Lowering& l) {
  const bool uniform_target = l.bits(0, 12) == 0xdae;  // then the uniform register belongs to the shared address
  lower_global_address(l, 64, uniform_target || l.bit(76), l.bit(70));
  if (uniform_target) l.op.uniform = static_cast<std::uint8_t>(l.bits(64, 70));
  l.op.offset = static_cast<std::int32_t>(l.word.signed_bits(32, 44));
  l.op.d = l.source(unsigned(l.bits(16, 24)));
  l.op.immediate[0] = static_cast<std::uint32_t>(l.word.signed_bits(44, 64));
  const unsigned type = unsigned(l.bits(73, 76));
  l.op.modifiers = type == b32 ? 4 : type == b64 ? 8 : 16;
  if (type < b32 || type > b128) l.unsupported = "an asynchronous copy of this size";
  l.op.detail[1] = static_cast<std::uint8_t>((l.bit(81) ? 0 : 1) | (l.bit(82) ? 2 : 0) | (uniform_target ? 4 : 0));
  l.predicate_source(0, 87);
  l.op.execute = &copy_to_shared;
}

void lower_ARRIVES(Lowering& l) {
  window_operand(l);
  l.op.detail[0] = l.facts->architecture < 90 || l.bits(70, 72) == 1 ? 1 : 0;
  l.op.execute = &arrive_after_copies;
}

void lower_SYNCS(Lowering& l) {
  switch (l.bits(0, 12)) {
    case 0x5b2:
      l.op.uniform = static_cast<std::uint8_t>(l.bits(24, 30));
      l.op.offset = static_cast<std::int32_t>(l.word.signed_bits(40, 64));
      l.op.detail[0] = static_cast<std::uint8_t>(l.bits(32, 38));
      l.op.detail[1] = static_cast<std::uint8_t>(l.bits(16, 22));
      if (!l.bit(72)) l.unsupported = "SYNCS.EXCH of 32 bits";
      l.op.execute = &syncs_exchange;
      break;
    case 0x9a7: {
      window_operand(l);
      l.op.b = l.source(unsigned(l.bits(32, 40)));
      l.op.d = l.d(2);
      // 84:87: 0 one arrival and bytes from the register, 1 .A1T0, 2 .A0T1, 3 .A0TR, 4 .A0TX, 5 .ART0; 73:75 .TMASK; 75 .OPTOUT.
      const unsigned form = unsigned(l.bits(84, 87));
      switch (form) {
        case 0:
          l.op.modifiers = 1 | 4;
          break;
        case 1:
          l.op.modifiers = 1;
          break;
        case 2:
          l.op.modifiers = 16;
          break;
        case 3:
          l.op.modifiers = 4;
          break;
        case 4:
          l.op.modifiers = 64;
          break;
        case 5:
          l.op.modifiers = 2;
          break;
        default:
          l.unsupported = "an arrival of this form";
      }
      if (l.bit(75)) l.op.modifiers |= 8;
      if (l.bits(73, 75) == 1) l.op.modifiers |= 32;
      l.op.execute = &syncs_arrive;
      break;
    }
    case 0x5a7:
      window_operand(l);
      l.op.b = l.source(unsigned(l.bits(32, 40)));
      l.op.predicate_out[0] = Lowering::predicate_destination(unsigned(l.bits(81, 84)));
      l.op.detail[0] = l.bit(72) ? 1 : 0;
      l.op.execute = &syncs_phase_check;
      break;
    case 0x9b1:  // .CCTL.IV: the barrier is given up
      l.op.execute = &hint;
      break;
    default:
      l.unsupported = "SYNCS of this form";
  }
}

/// The fields that tensor copies share. Bit 76 (a cache policy from a descriptor) is a hint.
static void lower_tensor_copy(Lowering& l, std::uint8_t form) {
  l.op.uniform = static_cast<std::uint8_t>(l.bits(32, 38));
  l.op.modifiers = unsigned(l.bits(24, 30));
  l.op.detail[0] = static_cast<std::uint8_t>(l.bits(79, 82) + 1);
  l.op.detail[1] = form;
  if (l.bit(82)) {
    l.op.detail[1] |= image_columns;
    if (l.op.detail[0] < 3) l.unsupported = "a copy of image columns of fewer than 3 dimensions";
  }
  if ((l.bits(72, 79) & ~std::uint64_t{0b11000}) != 0 || l.bits(83, 91) != 0)
    l.unsupported = "a tensor copy of this form";
  l.op.execute = &tensor_copy;
}

void lower_UTMALDG(Lowering& l) {
  const bool several = l.bit(75);
  lower_tensor_copy(l, shared_target | (several ? to_several_blocks : 0));
  l.op.immediate[0] = unsigned(l.bits(64, 70));
}

void lower_UTMASTG(Lowering& l) {
  lower_tensor_copy(l, shared_source);
  if (l.bit(75)) l.unsupported = "a tensor copy of this form";
}

void lower_UTMAREDG(Lowering& l) {
  const unsigned operation = unsigned(l.bits(87, 90));
  l.word.high &= ~(std::uint64_t{7} << (87 - 64));
  lower_tensor_copy(l, shared_source);
  if (l.bit(75)) l.unsupported = "a tensor reduction of this form";
  l.op.immediate[0] = operation;
  l.op.execute = &tensor_reduction;
}

void lower_UBLKCP(Lowering& l) {
  l.op.uniform = static_cast<std::uint8_t>(l.bits(32, 38));
  l.op.detail[0] = static_cast<std::uint8_t>(l.bits(24, 30));
  l.op.modifiers = unsigned(l.bits(64, 70));
  l.op.detail[1] = static_cast<std::uint8_t>(l.bits(73, 76));
  const unsigned form = l.op.detail[1];
  const bool known = form == shared_target || form == shared_source || form == (shared_target | shared_source) ||
                     form == (shared_target | to_several_blocks);
  // Bits 76 and 81 to 83 are hints to caches.
  if (!known || l.bit(72) || l.bits(77, 81) != 0) l.unsupported = "a bulk copy of this form";
  l.op.execute = &bulk_copy;
}

void lower_STAS(Lowering& l) {
  const unsigned type = unsigned(l.bits(73, 76));
  l.op.modifiers = type == b32 ? 4 : type == b64 ? 8 : 16;
  if (type < b32 || type > b128) l.unsupported = "an asynchronous store of this size";
  l.op.a = l.a(2);
  l.op.b = l.source(unsigned(l.bits(32, 40)), l.op.modifiers / 4);
  if (l.bits(40, 64) != 0) l.unsupported = "an asynchronous store with an offset";
  l.op.execute = &store_async;
}

void lower_UCGABAR_ARV(Lowering& l) { l.op.execute = &cluster_arrive; }
void lower_UCGABAR_WAIT(Lowering& l) { l.op.execute = &cluster_wait; }
void lower_UTMAPF(Lowering& l) { l.op.execute = &hint; }
void lower_UTMACCTL(Lowering& l) { l.op.execute = &hint; }
void lower_UTMACMDFLUSH(Lowering& l) { l.op.execute = &hint; }
void lower_UBLKPF(Lowering& l) { l.op.execute = &hint; }
void lower_CGAERRBAR(Lowering& l) { l.op.execute = &hint; }

}  // namespace lanebank::machine::LANEBANK_SIMD
