// MOV and the loads from constant banks. A constant at a fixed offset is part of the operation: it is
// filled in when the launch begins (Lowering::constant).
#include <type_traits>

#include "machine/lanes/alu.hpp"
#include "machine/lanes/uniform.hpp"
#include "machine/launch_state.hpp"

namespace lanebank::machine::LANEBANK_SIMD {
namespace {

using nm::Word;

/// Memory type field, bits 73:76.
enum Type : unsigned { u8, s8, u16, s16, b32, b64 };

constexpr unsigned type_bytes(unsigned type) { return type <= s8 ? 1 : type <= s16 ? 2 : type == b32 ? 4 : 8; }

/// The value of a narrow type in the low bits of `word`.
LANEBANK_INLINE Word narrow(unsigned type, Word word) {
  switch (type) {
    case u8:
      return word & 0xff;
    case s8:
      return static_cast<Word>(static_cast<std::int32_t>(static_cast<std::int8_t>(word)));
    case u16:
      return word & 0xffff;
    case s16:
      return static_cast<Word>(static_cast<std::int32_t>(static_cast<std::int16_t>(word)));
    default:
      return word;
  }
}

struct Move {
  explicit Move(const Operation&) {}
  LANEBANK_INLINE Word operator()(Word, Word b, Word) const { return b; }
};

LANEBANK_INLINE void store_splat(std::uint32_t mask, Word* row, Word value) {
  for (unsigned v = 0; v < vector_count; ++v) store_lanes(mask, row, v, splat(value));
}

// ------------------------------------------------------------------------------- at a fixed offset

const Operation* load_constant(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  if (mask != 0) store_splat(mask, w.row(op->d), op->immediate[0]);
  return op + 1;
}

const Operation* load_constant_pair(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  if (mask == 0) return op + 1;
  store_splat(mask, w.row(op->d), op->immediate[0]);
  store_splat(mask, w.row(op->d) + 32, op->immediate[1]);
  return op + 1;
}

/// `detail[0]` the type, `detail[1]` the bits below it in the word.
const Operation* load_constant_narrow(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  if (mask != 0) store_splat(mask, w.row(op->d), narrow(op->detail[0], op->immediate[0] >> op->detail[1]));
  return op + 1;
}

const Operation* load_constant_uniform(Warp& w, const Operation* op) {
  if (begin(w, op) != 0) set_uniform(w, op->d, narrow(op->detail[0], op->immediate[0] >> op->detail[1]));
  return op + 1;
}

const Operation* load_constant_uniform_pair(Warp& w, const Operation* op) {
  if (begin(w, op) != 0) set_uniform_pair(w, op->d, op->immediate[0] | std::uint64_t{op->immediate[1]} << 32);
  return op + 1;
}

// ----------------------------------------------------------------------------- at an index register

/// `bytes` bytes at offset `index + offset` of a bank; zeros beyond its end, as the hardware reads them.
/// The sum wraps at 2^32 (measured: a negative index reaches what lies below the offset); offsets with bit 15 set stand
/// for negative ones where the sum leaves the bank.
LANEBANK_INLINE std::uint64_t read_bank(const LaunchState::Bank& bank, Word index, Word offset, unsigned bytes) {
  Word at = index + offset;
  if (at >= 0x10000 && offset >= 0x8000) at -= 0x10000;
  std::uint64_t value = 0;
  if (at < bank.bytes)
    std::memcpy(&value, bank.data + at, at + bytes <= bank.bytes ? bytes : static_cast<unsigned>(bank.bytes - at));
  return value;
}

/// `immediate[0]` the offset, `detail[0]` the type, `detail[1]` the bank.
const Operation* load_constant_indexed(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  const LaunchState::Bank& bank = w.launch->banks[op->detail[1]];
  const unsigned type = op->detail[0], bytes = type_bytes(type);
  const Word* index = w.row(op->a);
  Word* d = w.row(op->d);
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const unsigned lane = first_lane(left);
    const std::uint64_t value = read_bank(bank, index[lane], op->immediate[0], bytes);
    d[lane] = narrow(type, static_cast<Word>(value));
    if (type == b64) d[lane + 32] = static_cast<Word>(value >> 32);
  }
  return op + 1;
}

const Operation* load_constant_indexed_uniform(Warp& w, const Operation* op) {
  if (begin(w, op) == 0) return op + 1;
  const unsigned type = op->detail[0];
  const std::uint64_t value =
      read_bank(w.launch->banks[op->detail[1]], w.uniform[op->a], op->immediate[0], type_bytes(type));
  if (type == b64) {
    set_uniform_pair(w, op->d, value);
  } else {
    set_uniform(w, op->d, narrow(type, static_cast<Word>(value)));
  }
  return op + 1;
}

// ------------------------------------------------------------------------------------------ lowering

struct ConstantFields {
  unsigned type, bank, offset;
};

/// Fields common to LDC and ULDC.
ConstantFields constant_fields(Lowering& l) {
  const ConstantFields f{unsigned(l.bits(73, 76)), unsigned(l.bits(54, 59)), unsigned(l.bits(38, 54))};
  require(l, f.type <= b64, "a constant load of an unknown width");
  require(l, f.bank < std::extent_v<decltype(LaunchState::banks)>, "a constant bank that lanebank does not have");
  l.op.detail[0] = static_cast<std::uint8_t>(f.type);
  return f;
}

/// Takes the words of a constant at a fixed offset.
void take_constant(Lowering& l, const ConstantFields& f) {
  if (l.unsupported != nullptr) return;
  l.op.detail[1] = static_cast<std::uint8_t>(8 * (f.offset & 3));
  l.constant(0, f.bank, f.offset & ~3u);
  if (f.type == b64) l.constant(1, f.bank, (f.offset & ~3u) + 4);
}

void take_index(Lowering& l, const ConstantFields& f) {
  l.op.detail[1] = static_cast<std::uint8_t>(l.unsupported != nullptr ? 0 : f.bank);
  l.op.immediate[0] = f.offset;
}

}  // namespace

void lower_MOV(Lowering& l) {
  const From b = second_operand(l);
  require(l, l.bits(72, 76) == 0xf, "MOV of some bytes only");
  l.op.execute = b == From::immediate ? &load_constant : select_alu2<Move>(b);
  l.fuse(FusedKind::move, b);
}

void lower_LDC(Lowering& l) {
  const ConstantFields f = constant_fields(l);
  l.op.d = l.d(f.type == b64 ? 2 : 1);
  l.op.a = l.a();
  require(l, l.bits(78, 80) == 0, "LDC with an index that names the bank");
  if (is_zero_row(l, l.op.a)) {
    take_constant(l, f);
    l.op.execute = f.type == b64 ? &load_constant_pair : f.type == b32 ? &load_constant : &load_constant_narrow;
    if (f.type >= b32) l.fuse(f.type == b64 ? FusedKind::move_pair : FusedKind::move, From::immediate);
  } else {
    take_index(l, f);
    l.op.execute = &load_constant_indexed;
  }
}

void lower_ULDC(Lowering& l) {
  const ConstantFields f = constant_fields(l);
  l.op.d = static_cast<std::uint16_t>(l.bits(16, 22));
  l.op.a = static_cast<std::uint16_t>(l.bits(24, 30));
  if (l.bits(0, 12) == 0xabb) {
    take_index(l, f);
    l.op.execute = &load_constant_indexed_uniform;
  } else {
    require(l, !l.bit(91), "ULDC from a bindless constant bank");
    take_constant(l, f);
    l.op.execute = f.type == b64 ? &load_constant_uniform_pair : &load_constant_uniform;
    if (f.type >= b32) l.fuse(FusedKind::uniform_constant, From::immediate, From::row, f.type == b64);
  }
}

}  // namespace lanebank::machine::LANEBANK_SIMD
