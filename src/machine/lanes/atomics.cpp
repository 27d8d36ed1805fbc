// Atomic operations on shared, global and generic addresses.
#include "machine/lanes/access.hpp"
#include "machine/lanes/atomics_wide.hpp"
#include "machine/lanes/combine.hpp"
#include "machine/mbarrier.hpp"
#include "machine/tensor_copy.hpp"

namespace lanebank::machine::LANEBANK_SIMD {
namespace {

std::uint64_t operand_of(const std::uint32_t* row, unsigned lane, unsigned bytes) {
  return bytes == 8 ? row[lane] | std::uint64_t{row[lane + 32]} << 32 : row[lane];
}

void put_result(std::uint32_t* row, unsigned lane, unsigned bytes, std::uint64_t value) {
  row[lane] = static_cast<std::uint32_t>(value);
  if (bytes == 8) row[lane + 32] = static_cast<std::uint32_t>(value >> 32);
}

/// Reads, changes and writes a word that nobody else sees (shared memory of a block).
template <class Change>
std::uint64_t change_private(std::uint8_t* place, unsigned bytes, Change change) {
  std::uint64_t old = 0;
  std::memcpy(&old, place, bytes);
  const std::uint64_t now = change(old);
  std::memcpy(place, &now, bytes);
  return old;
}

// Operation::modifiers of an atomic: its operation, value type, and whether a compare operand is there.
struct Atomic {
  unsigned op;
  Value value;
  bool flush, compares, spins;
  unsigned bytes;  ///< of an element
  unsigned words;  ///< elements of a vector

  explicit Atomic(std::uint32_t modifiers)
      : op(modifiers & 15),
        value(static_cast<Value>(modifiers >> 4 & 15)),
        flush((modifiers >> 8 & 1) != 0),
        compares((modifiers >> 9 & 1) != 0),
        spins((modifiers >> 10 & 1) != 0),
        bytes(bytes_of(value)),
        words(1u << (modifiers >> 11 & 3)) {}
  static std::uint32_t pack(unsigned op, Value value, bool flush, bool compares, bool spins, unsigned words_log2 = 0) {
    return op | static_cast<unsigned>(value) << 4 | (flush ? 1u << 8 : 0) | (compares ? 1u << 9 : 0) |
           (spins ? 1u << 10 : 0) | words_log2 << 11;
  }
};

/// One lane's operation on a word reached through `apply(change)`; gives what the destination gets.
template <class Apply>
std::uint64_t run_lane(const Atomic& atomic, Warp& w, const Operation* op, unsigned lane, Apply apply) {
  const std::uint64_t operand = operand_of(w.row(op->b), lane, atomic.bytes);
  if (!atomic.compares) {
    ++w.stores;
    return apply([&](std::uint64_t old) { return combine(atomic.op, atomic.value, atomic.flush, old, operand); });
  }
  const std::uint64_t replacement = operand_of(w.row(op->c), lane, atomic.bytes);
  const std::uint64_t old = apply([&](std::uint64_t value) { return value == operand ? replacement : value; });
  if (old == operand && replacement != operand) ++w.stores;
  return old;
}

SharedKind shared_kind(const Atomic& atomic) {
  if (atomic.spins) return SharedKind::atomic_spin;
  if (atomic.compares) return SharedKind::atomic_cas;
  return atomic.op == popc_inc ? SharedKind::atomic_merged : SharedKind::atomic;
}

/// CAST.SPIN: like a compare-and-swap that reports success, but only the lowest lane of each bank tries. Of 8 bytes: of
/// each pair of banks, in each half-warp, the upper one after the lower. Source: tests/data/truth/h200/atom_add_*.csv.
template <class Place>
void cast_spin(const Atomic& atomic, Warp& w, const Operation* op, std::uint32_t mask, const std::uint32_t* at,
               Place place) {
  std::uint32_t banks_taken = 0;
  bool upper_half = false;
  std::uint32_t* d = w.row(op->d);
  alignas(64) std::uint32_t result[32] = {};
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const unsigned i = first_lane(left);
    if (atomic.bytes == 8 && i >= 16 && !upper_half) upper_half = true, banks_taken = 0;
    const std::uint32_t bank = 1u << (at[i] / 4 % 32);
    if ((banks_taken & bank) != 0) continue;
    banks_taken |= bank;
    const std::uint64_t compare = operand_of(w.row(op->b), i, atomic.bytes),
                        replacement = operand_of(w.row(op->c), i, atomic.bytes);
    std::uint64_t old = 0;
    std::uint8_t* word = place(i);
    std::memcpy(&old, word, atomic.bytes);
    if (old != compare) continue;
    std::memcpy(word, &replacement, atomic.bytes);
    result[i] = 1;
    ++w.stores;
  }
  blend(mask, result, d);
  if (atomic.bytes == 8) {  // the result is as wide as the operands
    alignas(64) static constexpr std::uint32_t zeros[32] = {};
    blend(mask, zeros, d + 32);
  }
}

/// Integer operations on four bytes of shared memory, lane after lane; false for all other operations.
bool change_words(const Atomic& atomic, Warp& w, const Operation* op, std::uint32_t mask, const std::uint32_t* at) {
  if (atomic.compares || atomic.bytes != 4 || atomic.value > Value::s32) return false;
  const std::uint32_t* operand = w.row(op->b);
  alignas(64) std::uint32_t olds[32];
  const auto each = [&](auto change) {
    each_lane(mask, [&](unsigned i) {
      std::memcpy(&olds[i], w.shared + at[i], 4);
      const std::uint32_t now = change(olds[i], operand[i]);
      std::memcpy(w.shared + at[i], &now, 4);
    });
  };
  using Word = std::uint32_t;
  const Word flip = atomic.value == Value::s32 ? 0x80000000u : 0;  // orders signed numbers as unsigned ones
  switch (atomic.op) {
    case add:
      each([](Word old, Word x) { return old + x; });
      break;
    case popc_inc:
      each([](Word old, Word) { return old + 1; });
      break;
    case min_:
      each([flip](Word old, Word x) { return (x ^ flip) < (old ^ flip) ? x : old; });
      break;
    case max_:
      each([flip](Word old, Word x) { return (x ^ flip) > (old ^ flip) ? x : old; });
      break;
    case and_:
      each([](Word old, Word x) { return old & x; });
      break;
    case or_:
      each([](Word old, Word x) { return old | x; });
      break;
    case exch:
      each([](Word, Word x) { return x; });
      break;
    default:
      return false;
  }
  w.stores += static_cast<unsigned>(std::popcount(mask));
  blend(mask, olds, w.row(op->d));
  return true;
}

const Operation* atomic_shared(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  const Atomic atomic(op->modifiers);
  const std::uint8_t bytes = static_cast<std::uint8_t>(atomic.bytes);
  if (mask == 0) {
    publish_shared(w, {.instruction = op->instruction, .kind = shared_kind(atomic), .lane_bytes = bytes});
    return op + 1;
  }
  const std::uint32_t base = static_cast<std::uint32_t>(op->offset) + w.uniform[op->uniform] - w.shared_window;
  const Addresses32 addresses(w.row(op->a), base, op->detail[0], mask);
  const bool inside = bytes == 8 ? addresses.inside<8>(w.shared_bytes) : addresses.inside<4>(w.shared_bytes);
  for (std::uint32_t left = inside ? 0 : mask; left != 0; left &= left - 1) {
    const unsigned i = first_lane(left);
    const std::uint32_t window = addresses.at[i] + w.shared_window;
    if (addresses.at[i] % bytes != 0) return misaligned_fault(w, op, i, window, bytes);
    if (addresses.at[i] > w.shared_bytes || w.shared_bytes - addresses.at[i] < bytes)
      return shared_fault(w, op, i, window, bytes);
  }
  publish_shared(w, {.instruction = op->instruction,
                     .kind = shared_kind(atomic),
                     .lane_bytes = bytes,
                     .mask = mask,
                     .addresses = addresses.at});
  if (atomic.spins) {
    cast_spin(atomic, w, op, mask, addresses.at, [&](unsigned i) { return w.shared + addresses.at[i]; });
    return op + 1;
  }
  if (change_words(atomic, w, op, mask, addresses.at)) return op + 1;
  std::uint32_t* d = w.row(op->d);
  std::uint64_t results[32];
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const unsigned i = first_lane(left);
    results[i] = run_lane(atomic, w, op, i,
                          [&](auto change) { return change_private(w.shared + addresses.at[i], bytes, change); });
  }
  for (std::uint32_t left = mask; left != 0; left &= left - 1)
    put_result(d, first_lane(left), bytes, results[first_lane(left)]);
  return op + 1;
}

const Operation* atomic_global(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  if (mask == 0) return op + 1;
  const Atomic atomic(op->modifiers);
  Addresses64 addresses;
  global_addresses(w, op, addresses);
  addresses.fill_inactive(mask);
  const bool fine =
      atomic.bytes == 8 ? check_global<8>(w, op, addresses, mask, true) : check_global<4>(w, op, addresses, mask, true);
  if (!fine) return nullptr;
  publish_global(w, {op->instruction, GlobalKind::atomic, static_cast<std::uint8_t>(atomic.bytes), mask, addresses.at});
  std::uint64_t results[32];
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const unsigned i = first_lane(left);
    results[i] =
        run_lane(atomic, w, op, i, [&](auto change) { return change_global(addresses.at[i], atomic.bytes, change); });
  }
  std::uint32_t* d = w.row(op->d);
  for (std::uint32_t left = mask; left != 0; left &= left - 1)
    put_result(d, first_lane(left), atomic.bytes, results[first_lane(left)]);
  set_predicate(w, op, 0, mask, 0);  // only generic ones report success
  return op + 1;
}

/// Atomics on vectors of 2 or 4 words (halves in pairs, single precision) in global memory, word by word. As generic
/// ones they do not work on shared memory: the predicate result tells.
template <bool generic>
const Operation* atomic_vector(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  if (mask == 0) return op + 1;
  const Atomic atomic(op->modifiers);
  const unsigned words = atomic.words;
  Addresses64 addresses;
  global_addresses(w, op, addresses);
  std::uint32_t global_lanes = mask;
  if (generic)
    for (unsigned i = 0; i < 32; ++i)
      if (window_of(addresses.at[i]) == Window::shared) global_lanes &= ~(1u << i);
  set_predicate(w, op, 0, mask, generic ? global_lanes : 0);
  if (global_lanes == 0) return op + 1;
  addresses.fill_inactive(global_lanes);
  const bool fine = words == 2 ? check_global<8>(w, op, addresses, global_lanes, true)
                               : check_global<16>(w, op, addresses, global_lanes, true);
  if (!fine) return nullptr;
  publish_global(
      w, {op->instruction, GlobalKind::atomic, static_cast<std::uint8_t>(4 * words), global_lanes, addresses.at});
  alignas(64) std::uint32_t results[4][32];
  for (std::uint32_t left = global_lanes; left != 0; left &= left - 1) {
    const unsigned i = first_lane(left);
    for (unsigned k = 0; k < words; ++k) {
      const std::uint32_t operand = w.row(op->b)[32 * k + i];
      results[k][i] = static_cast<std::uint32_t>(change_global(addresses.at[i] + 4 * k, 4, [&](std::uint64_t old) {
        return combine(atomic.op, atomic.value, atomic.flush, old, operand);
      }));
    }
  }
  ++w.stores;
  for (unsigned k = 0; k < words; ++k) blend(global_lanes, results[k], w.row(op->d) + 32 * k);
  return op + 1;
}

/// Generic atomics. On shared memory neither floats work nor 64 bits other than sums and exchanges, on global memory not
/// CAST.SPIN: the predicate result tells, and the code goes on with QSPC and a loop.
const Operation* atomic_generic(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  if (mask == 0) return op + 1;
  const Atomic atomic(op->modifiers);
  const unsigned bytes = atomic.bytes;
  Addresses64 addresses;
  global_addresses(w, op, addresses);
  addresses.fill_inactive(mask);
  std::uint32_t shared_lanes = 0;
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const unsigned i = first_lane(left);
    const Window window = window_of(addresses.at[i]);
    if (window == Window::local)
      return raise_fault(w, op, Fault::Kind::illegal_address, i, addresses.at[i],
                         "an atomic operation on local memory");
    if (window == Window::shared) shared_lanes |= 1u << i;
  }
  std::uint32_t global_lanes = mask & ~shared_lanes;
  const bool is_float = atomic.value >= Value::f32;
  const bool works_on_shared = !is_float && (bytes == 4 || atomic.op == add || atomic.op == exch);
  if (!works_on_shared) shared_lanes = 0;
  const std::uint32_t working_lanes = shared_lanes | (atomic.spins ? 0 : global_lanes);
  set_predicate(w, op, 0, mask, working_lanes);
  std::uint32_t* d = w.row(op->d);
  std::uint64_t results[32];
  if (atomic.spins) global_lanes = 0;
  if (shared_lanes != 0) {
    SharedLanes shared;
    if (!shared.find(w, op, addresses, shared_lanes, bytes)) return nullptr;
    publish_shared(w, shared.access(op, shared_kind(atomic), bytes));
    auto place = [&](unsigned i) { return shared_pointer(w, static_cast<std::uint32_t>(addresses.at[i]), bytes); };
    if (atomic.spins) {
      cast_spin(atomic, w, op, shared_lanes, shared.at, place);
    } else {
      for (std::uint32_t left = shared_lanes; left != 0; left &= left - 1) {
        const unsigned i = first_lane(left);
        results[i] = run_lane(atomic, w, op, i, [&](auto change) { return change_private(place(i), bytes, change); });
      }
    }
  }
  if (global_lanes != 0) {
    addresses.fill_inactive(global_lanes);
    const bool fine = bytes == 8 ? check_global<8>(w, op, addresses, global_lanes, true)
                                 : check_global<4>(w, op, addresses, global_lanes, true);
    if (!fine) return nullptr;
    publish_global(w,
                   {op->instruction, GlobalKind::atomic, static_cast<std::uint8_t>(bytes), global_lanes, addresses.at});
    for (std::uint32_t left = global_lanes; left != 0; left &= left - 1) {
      const unsigned i = first_lane(left);
      results[i] =
          run_lane(atomic, w, op, i, [&](auto change) { return change_global(addresses.at[i], bytes, change); });
    }
  }
  const std::uint32_t gives = atomic.spins ? 0 : working_lanes;  // CAST.SPIN has written its own
  for (std::uint32_t left = gives; left != 0; left &= left - 1)
    put_result(d, first_lane(left), bytes, results[first_lane(left)]);
  return op + 1;
}

/// ATOMS.ARRIVE and ATOM.ARRIVE of sm_80 to sm_89: each lane arrives once at an mbarrier and gets its word of before.
template <bool generic>
const Operation* arrive_at_mbarrier(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  publish_shared(w, {.instruction = op->instruction, .kind = SharedKind::bulk_copy, .lane_bytes = 8});
  if (mask == 0) return op + 1;
  std::uint32_t window[32];
  if constexpr (generic) {
    Addresses64 addresses;
    global_addresses(w, op, addresses);
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
      const unsigned i = first_lane(left);
      if (window_of(addresses.at[i]) != Window::shared)
        return raise_fault(w, op, Fault::Kind::illegal_address, i, addresses.at[i],
                           "an arrival at an mbarrier that is not in shared memory");
      window[i] = static_cast<std::uint32_t>(addresses.at[i]);
    }
  } else {
    const std::uint32_t base = static_cast<std::uint32_t>(op->offset) + w.uniform[op->uniform];
    const Addresses32 addresses(w.row(op->a), base, op->detail[0], mask);
    std::memcpy(window, addresses.at, sizeof window);
  }
  std::uint64_t before[32];
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const unsigned i = first_lane(left);
    if (window[i] % 8 != 0) return misaligned_fault(w, op, i, window[i], 8);
    std::uint8_t* place = shared_pointer(w, window[i], 8);
    if (place == nullptr) return shared_fault(w, op, i, window[i], 8);
    before[i] = change_private(place, 8, [](std::uint64_t word) { return mbarrier::arrive_80(word); });
    if (!w.worker->sync_listeners.empty())
      publish_sync(w, {op->instruction, SyncEvent::Kind::mbarrier_arrive, 1u << i, window_place(w, window[i]).byte});
  }
  ++w.stores;
  ++w.block->progress;
  for (std::uint32_t left = mask; left != 0; left &= left - 1)
    put_result(w.row(op->d), first_lane(left), 8, before[first_lane(left)]);
  set_predicate(w, op, 0, mask, mask);
  return op + 1;
}

/// QSPC: whether a generic address is in the space asked for (2 own block's shared, 3 the cluster's). The register
/// gets the spaces that it is in: 1 global, 2 own block's shared, 4 local, 8 the cluster's shared.
const Operation* query_space(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  Addresses64 addresses;
  global_addresses(w, op, addresses);
  std::uint32_t answer = 0;
  alignas(64) std::uint32_t row[32];
  for (unsigned i = 0; i < 32; ++i) {
    const Window window = window_of(addresses.at[i]);
    const std::uint32_t low = static_cast<std::uint32_t>(addresses.at[i]);
    const bool own = (low >> 24) == w.block->cluster_rank || w.block->cluster.empty();
    bool yes = false;
    switch (op->detail[1]) {
      case 1:
        yes = window == Window::local;
        break;
      case 2:
        yes = window == Window::shared && own;
        break;
      case 3:
        yes = window == Window::shared;
        break;
      default:
        yes = window == Window::global;
        break;
    }
    answer |= yes ? 1u << i : 0;
    row[i] = window == Window::global ? 1u : window == Window::local ? 4u : own ? 10u : 8u;
  }
  set_predicate(w, op, 0, mask, answer);
  blend(mask, row, w.row(op->d));
  return op + 1;
}

bool integer_value(unsigned field, Value& value) {
  constexpr Value values[4] = {Value::u32, Value::s32, Value::u64, Value::s64};
  if (field > 3) return false;
  value = values[field];
  return true;
}

/// Value type of sm_75 to sm_89 global atomics, which hold floats in the same field.
bool older_value(unsigned field, Value& value, bool& flush) {
  constexpr Value values[7] = {Value::u32, Value::s32, Value::u64, Value::f32, Value::f16x2, Value::s64, Value::f64};
  if (field > 6) return false;
  value = values[field];
  flush = value == Value::f32;
  return true;
}

/// Value type of the float atomics of sm_90 (73:77), and log2 of the elements of a vector.
bool float_value(unsigned field, Value& value, bool& flush, unsigned& words_log2) {
  flush = field >= 9 && field <= 11;
  words_log2 = field == 15 ? 0 : field % 3;
  if (field <= 2) {
    value = Value::f16x2;
  } else if (field <= 5) {
    value = Value::bf16x2;
  } else if (field >= 9 && field <= 14) {
    value = Value::f32;
  } else {
    value = Value::f64;
  }
  return field <= 5 || field >= 9;
}

void set_atomic(Lowering& l, unsigned operation, Value value, bool flush, bool compares, bool spins,
                unsigned words_log2 = 0) {
  const unsigned registers = (bytes_of(value) / 4) << words_log2;
  l.op.modifiers = Atomic::pack(operation, value, flush, compares, spins, words_log2);
  l.op.b = l.source(unsigned(l.bits(32, 40)), registers);
  if (compares) l.op.c = l.source(unsigned(l.bits(64, 72)), registers);
  const bool known = operation <= exch || operation == popc_inc;
  if (!known) l.unsupported = "an atomic operation of this kind";
}

/// Address of a shared atomic: register, its scale (78:80) and offset.
void shared_address(Lowering& l) {
  l.op.a = l.a();
  l.op.offset = static_cast<std::int32_t>(l.word.signed_bits(40, 64));
  const unsigned scale = unsigned(l.bits(78, 80));
  l.op.detail[0] = static_cast<std::uint8_t>(scale == 0 ? 0 : scale + 1);
}

/// Whether the value type (73:76) of sm_90 is 16 bytes; then the operands and what executes them.
bool lower_wide(Lowering& l, unsigned operation, bool compares, Execute execute) {
  if (l.facts->architecture < 90 || l.bits(73, 76) != 4) return false;
  l.op.b = l.source(unsigned(l.bits(32, 40)), 4);
  if (compares) l.op.c = l.source(unsigned(l.bits(64, 72)), 4);
  l.op.d = l.d(4);
  l.op.detail[1] = compares ? wide_compares : 0;
  if (operation != (compares ? 0u : unsigned(exch))) l.unsupported = "an atomic operation of this kind on 16 bytes";
  l.op.execute = execute;
  return true;
}

/// Address of a global or generic atomic: uniform register at 64:70, bit 70 register pair, bit 71 descriptor;
/// compare-and-swap has no uniform register.
void atomic_address(Lowering& l, bool compares) {
  if (compares) {
    lower_global_address(l, 64, false, true);
    l.op.detail[0] = address_is_64;
    l.op.a = l.a(2);
    return;
  }
  const bool has_uniform = l.bit(91), descriptor = l.bit(71);
  l.op.detail[0] = 0;
  if (!has_uniform || descriptor || l.bit(70)) l.op.detail[0] |= address_is_64;
  if (has_uniform && !descriptor) {
    l.op.detail[0] |= adds_uniform;
    l.op.uniform = static_cast<std::uint8_t>(l.bits(64, 70));
  }
  l.op.a = l.a((l.op.detail[0] & address_is_64) ? 2 : 1);
  l.op.offset = static_cast<std::int32_t>(l.word.signed_bits(40, 64));
}

void lower_global_atomic(Lowering& l, bool is_float_opcode, bool compares, unsigned operation, Execute execute,
                         bool has_result) {
  if (has_result && !is_float_opcode &&
      lower_wide(l, operation, compares, execute == &atomic_generic ? &atomic_wide_generic : &atomic_wide_global)) {
    atomic_address(l, compares);
    l.op.predicate_out[0] = Lowering::predicate_destination(unsigned(l.bits(81, 84)));
    return;
  }
  Value value = Value::u32;
  bool flush = false;
  bool known;
  unsigned words_log2 = 0;
  if (is_float_opcode)
    known = float_value(unsigned(l.bits(73, 77)), value, flush, words_log2);
  else if (l.facts->architecture >= 90)
    known = integer_value(unsigned(l.bits(73, 76)), value);
  else
    known = older_value(unsigned(l.bits(73, 76)), value, flush);
  const bool spins = compares && operation == 3;
  if (compares && operation != 0 && operation != 3) l.unsupported = "a compare-and-swap of this kind";
  set_atomic(l, compares ? unsigned(exch) : operation, value, flush, compares, spins, words_log2);
  if (value >= Value::f32 && operation > max_) l.unsupported = "an atomic operation of this kind";
  if ((value == Value::f32 || value == Value::f64) && operation != add)
    l.unsupported = "an atomic minimum or maximum of this type";
  atomic_address(l, compares);
  if (has_result) {
    l.op.d = l.d((bytes_of(value) / 4) << words_log2);
    l.op.predicate_out[0] = Lowering::predicate_destination(unsigned(l.bits(81, 84)));
  } else {
    l.op.d = l.destination(255);
  }
  if (!known) l.unsupported = "an atomic operation on values of this type";
  l.op.execute = words_log2 == 0 ? execute : execute == &atomic_generic ? &atomic_vector<true> : &atomic_vector<false>;
}

bool float_opcode(const Lowering& l) {
  const unsigned opcode = unsigned(l.bits(0, 9));
  return opcode == 0x1a2 || opcode == 0x1a3 || opcode == 0x1a6;
}

/// The operation of ATOM, ATOMG (up to bit 91) and RED (up to bit 90).
unsigned operation_of(const Lowering& l, unsigned end) {
  return unsigned(float_opcode(l) ? l.bits(88, 90) : l.bits(87, end));
}

/// The operation of an atomic without operand, from field 87:91.
constexpr unsigned arrive = 9;
unsigned operation_without_operand(const Lowering& l) {
  const auto field = unsigned(l.bits(87, 91));
  if (l.facts->architecture >= 90) return field == popc_inc ? unsigned(popc_inc) : unsigned(exch);
  return field == arrive ? arrive : field == 10 ? unsigned(popc_inc) : unsigned(exch);
}
void lower_arrival(Lowering& l, Execute execute) {
  l.op.d = l.d(2);
  l.op.execute = execute;
  if (l.bits(73, 76) != 2) l.unsupported = "an arrival at an mbarrier of another size than 64 bits";
}

}  // namespace

void lower_ATOMS(Lowering& l) {
  shared_address(l);
  if (l.bit(91)) l.op.uniform = static_cast<std::uint8_t>(l.bits(64, 70));
  Value value = Value::u32;
  const bool operand = l.bits(0, 12) != 0xf8c;
  const unsigned operation = operand ? unsigned(l.bits(87, 91)) : operation_without_operand(l);
  if (operation == arrive) return lower_arrival(l, &arrive_at_mbarrier<false>);
  if (operand && lower_wide(l, operation, false, &atomic_wide_shared)) return;
  if (!integer_value(unsigned(l.bits(73, 76)), value) || (bytes_of(value) == 8 && operation != exch))
    l.unsupported = "a shared atomic on values of this type, which hardware has not";
  set_atomic(l, operation, value, false, false, false);
  if (!operand) {
    l.op.b = l.register_count;
    if (operation != popc_inc) l.unsupported = "a shared atomic of this kind";
  }
  l.op.d = l.d(bytes_of(value) / 4);
  l.op.execute = &atomic_shared;
}

void lower_ATOMS_CAS(Lowering& l) {
  shared_address(l);
  Value value = Value::u32;
  const unsigned operation = unsigned(l.bits(87, 91));
  if (lower_wide(l, operation, true, &atomic_wide_shared)) return;
  if (!integer_value(unsigned(l.bits(73, 76)), value))
    l.unsupported = "a shared compare-and-swap on values of this type";
  if (operation != 0 && operation != 3) l.unsupported = "a shared compare-and-swap of this kind";
  set_atomic(l, exch, value, false, true, operation == 3);
  l.op.d = l.d(operation == 3 ? 1 : bytes_of(value) / 4);
  l.op.execute = &atomic_shared;
}

void lower_ATOMG(Lowering& l) {
  lower_global_atomic(l, float_opcode(l), false, operation_of(l, 91), &atomic_global, true);
}
void lower_ATOMG_CAS(Lowering& l) {
  lower_global_atomic(l, false, true, unsigned(l.bits(87, 91)), &atomic_global, true);
}
void lower_ATOM(Lowering& l) {
  const bool operand = l.bits(0, 12) != 0xf8a;
  const unsigned operation = operand ? operation_of(l, 91) : operation_without_operand(l);
  lower_global_atomic(l, float_opcode(l), false, operation == arrive ? unsigned(exch) : operation, &atomic_generic,
                      true);
  if (operation == arrive) return lower_arrival(l, &arrive_at_mbarrier<true>);
  if (!operand) {
    l.op.b = l.register_count;
    if (operation != popc_inc) l.unsupported = "an atomic operation of this kind";
  }
}
void lower_ATOM_CAS(Lowering& l) {
  lower_global_atomic(l, false, true, unsigned(l.bits(87, 91)), &atomic_generic, true);
}

void lower_RED(Lowering& l) {
  lower_global_atomic(l, float_opcode(l), false, operation_of(l, 90), &atomic_global, false);
  // RED has its register-pair bit where loads have it.
  if (l.bit(91) && !l.bit(71)) {
    l.op.detail[0] = static_cast<std::uint8_t>(adds_uniform | (l.bit(90) ? address_is_64 : 0));
    l.op.a = l.a(l.bit(90) ? 2 : 1);
  }
}

void lower_QSPC(Lowering& l) {
  // Without .E an address is 32 bits; 9aa adds a uniform pair.
  const bool wide = l.bit(72) && (l.bits(0, 12) == 0x3aa || l.bit(90));
  l.op.detail[0] = wide ? address_is_64 : 0;
  if (l.bits(0, 12) == 0x9aa) {
    l.op.detail[0] |= adds_uniform;
    l.op.uniform = static_cast<std::uint8_t>(l.bits(32, 38));
  }
  l.op.a = l.a(wide ? 2 : 1);
  l.op.offset = static_cast<std::int32_t>(l.word.signed_bits(40, 64));
  l.op.detail[1] = static_cast<std::uint8_t>(l.bits(73, 75));
  l.op.d = l.d();
  l.op.predicate_out[0] = Lowering::predicate_destination(unsigned(l.bits(81, 84)));
  l.op.execute = &query_space;
}

}  // namespace lanebank::machine::LANEBANK_SIMD
