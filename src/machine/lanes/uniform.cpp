// The uniform datapath: one value for the whole warp, whatever lanes are active. The guard and all
// predicates are uniform ones, kept as masks of all lanes or none.
#include "machine/lanes/uniform.hpp"
#include "machine/lanes/alu.hpp"

namespace lanebank::machine::LANEBANK_SIMD {
namespace {

using nm::Word;

constexpr Word all_ones = ~Word{0};

/// Operand form, kept in detail[1].
enum Form : std::uint8_t { all_uniform, b_literal, c_literal };

struct Words3 {
  Word a, b, c;
};

LANEBANK_INLINE Words3 operands(const Warp& w, const Operation* op) {
  const Word literal = op->immediate[0];
  return {w.uniform[op->a], op->detail[1] == b_literal ? literal : w.uniform[op->b],
          op->detail[1] == c_literal ? literal : w.uniform[op->c]};
}

LANEBANK_INLINE bool flag_in(const Warp& w, const Operation* op, unsigned which) {
  return predicate_in(w, op, which) != 0;
}
LANEBANK_INLINE void set_flag(Warp& w, const Operation* op, unsigned which, bool value) {
  w.predicates[op->predicate_out[which]] = value ? all_lanes : 0;
}

/// Fills d, a, b, c and the form.
void uniform_operands(Lowering& l) {
  l.op.d = static_cast<std::uint16_t>(l.bits(16, 22));
  l.op.a = static_cast<std::uint16_t>(l.bits(24, 30));
  const auto slot_b = static_cast<std::uint16_t>(l.bits(32, 38)), slot_c = static_cast<std::uint16_t>(l.bits(64, 70));
  l.op.b = slot_b;
  l.op.c = slot_c;
  l.op.detail[1] = all_uniform;
  switch (l.bits(9, 12)) {
    case 1:
    case 6:
      break;
    case 2:
      l.op.b = slot_c;
      l.op.immediate[0] = std::uint32_t(l.bits(32, 64));
      l.op.detail[1] = c_literal;
      break;
    case 4:
      l.op.immediate[0] = std::uint32_t(l.bits(32, 64));
      l.op.detail[1] = b_literal;
      break;
    default:
      l.unsupported = "an operand form that the uniform datapath does not have";
  }
}

bool slot_is_literal(const Lowering& l) { return l.op.detail[1] != all_uniform; }

void uniform_predicate_destination(Lowering& l, unsigned which, unsigned first_bit) {
  l.op.predicate_out[which] = Lowering::uniform_predicate_destination(unsigned(l.bits(first_bit, first_bit + 3)));
}

// ------------------------------------------------------------------------------------------------ sums

/// Modifiers: 1, 2, 4 a, b, c complemented; 8 both predicate sources added (.X). `detail[0]` is added.
const Operation* uniform_add3(Warp& w, const Operation* op) {
  if (begin(w, op) == 0) return op + 1;
  const Words3 x = operands(w, op);
  const Word plus = op->detail[0] + (op->modifiers & 8 ? Word{flag_in(w, op, 0)} + Word{flag_in(w, op, 1)} : 0);
  const nm::Sum sum = nm::add3<Word>(x.a ^ (op->modifiers & 1 ? all_ones : 0), x.b ^ (op->modifiers & 2 ? all_ones : 0),
                                     x.c ^ (op->modifiers & 4 ? all_ones : 0), plus);
  set_uniform(w, op->d, sum.value);
  set_flag(w, op, 0, sum.carries >= 1);
  set_flag(w, op, 1, sum.carries >= 2);
  return op + 1;
}

/// UIADD3.64: sums of pairs; a literal is extended by its sign. Modifiers and `detail[0]` as above.
const Operation* uniform_add3_wide(Warp& w, const Operation* op) {
  using Wide = std::uint64_t;
  if (begin(w, op) == 0) return op + 1;
  const auto pair = [&w](unsigned number) { return w.uniform[number] | Wide{w.uniform[number + 1]} << 32; };
  const Wide literal = static_cast<Wide>(std::int64_t{nm::as_signed(op->immediate[0])});
  const Wide a = pair(op->a), b = op->detail[1] == b_literal ? literal : pair(op->b), c = pair(op->c);
  const Wide plus = op->detail[0] + (op->modifiers & 8 ? Wide{flag_in(w, op, 0)} + Wide{flag_in(w, op, 1)} : 0);
  const auto complement = [op](unsigned bit) { return op->modifiers & bit ? ~Wide{0} : 0; };
  const auto sum = nm::add3<Wide>(a ^ complement(1), b ^ complement(2), c ^ complement(4), plus);
  set_uniform_pair(w, op->d, sum.value);
  set_flag(w, op, 0, sum.carries >= 1);
  set_flag(w, op, 1, sum.carries >= 2);
  return op + 1;
}

/// Modifiers: 1 the shifted a complemented, 2 b complemented, 4 .X, 8 .SX32, 16 .HI, bits 8:13 the shift.
const Operation* uniform_scaled_add(Warp& w, const Operation* op) {
  if (begin(w, op) == 0) return op + 1;
  const Words3 x = operands(w, op);
  const Word shift = op->modifiers >> 8;
  const Word top = op->modifiers & 8 ? nm::arithmetic_right(x.a, 31) : x.c;
  const Word shifted = op->modifiers & 16 ? nm::lea_high(x.a, top, shift) : x.a << shift;
  const Word plus = op->detail[0] + (op->modifiers & 4 ? Word{flag_in(w, op, 0)} : 0);
  const nm::Sum sum =
      nm::add3<Word>(shifted ^ (op->modifiers & 1 ? all_ones : 0), x.b ^ (op->modifiers & 2 ? all_ones : 0), 0, plus);
  set_uniform(w, op->d, sum.value);
  set_flag(w, op, 0, sum.carries >= 1);
  return op + 1;
}

// -------------------------------------------------------------------------------------------- products

/// UIMAD. Modifiers: 1 c complemented, 8 the predicate source added (.X); `detail[0]` is added.
const Operation* uniform_multiply_add(Warp& w, const Operation* op) {
  if (begin(w, op) == 0) return op + 1;
  const Words3 x = operands(w, op);
  const Word plus = op->detail[0] + (op->modifiers & 8 ? Word{flag_in(w, op, 0)} : 0);
  set_uniform(w, op->d, x.a * x.b + (x.c ^ (op->modifiers & 1 ? all_ones : 0)) + plus);
  return op + 1;
}

/// UIMAD.WIDE: c is a pair. Modifiers as above, and 2 signed.
const Operation* uniform_multiply_add_wide(Warp& w, const Operation* op) {
  if (begin(w, op) == 0) return op + 1;
  const Words3 x = operands(w, op);
  const Word c_high = op->detail[1] == c_literal ? 0 : w.uniform[op->c + 1];
  const std::uint64_t product = op->modifiers & 2 ? nm::signed_product(x.a, x.b) : nm::product(x.a, x.b);
  const std::uint64_t c = (x.c | std::uint64_t{c_high} << 32) ^ (op->modifiers & 1 ? ~std::uint64_t{0} : 0);
  const Word plus = op->detail[0] + (op->modifiers & 8 ? Word{flag_in(w, op, 0)} : 0);
  const std::uint64_t sum = product + c, result = sum + plus;
  set_uniform_pair(w, op->d, result);
  set_flag(w, op, 0, sum < c || result < plus);
  return op + 1;
}

void lower_product(Lowering& l, Execute execute, unsigned modifiers) {
  uniform_operands(l);
  const bool extended = l.bit(74), negated = l.op.detail[1] != c_literal && l.bit(75);
  l.predicate_source(0, 87, true);
  uniform_predicate_destination(l, 0, 81);
  l.op.modifiers = modifiers | (negated ? 1u : 0u) | (extended ? 8u : 0u);
  l.op.detail[0] = negated && !extended;
  l.op.execute = execute;
}

// ------------------------------------------------------------------------------------------------ bits

const Operation* uniform_lop3(Warp& w, const Operation* op) {
  if (begin(w, op) == 0) return op + 1;
  const Words3 x = operands(w, op);
  const Word result = nm::lop3(x.a, x.b, x.c, op->modifiers);
  const bool source = flag_in(w, op, 0), nonzero = result != 0;
  set_uniform(w, op->d, result);
  set_flag(w, op, 0, op->detail[0] != 0 ? nonzero && source : nonzero || source);
  return op + 1;
}

/// Modifiers: 32 or 64 the width, 1 .W, 2 signed, 4 right, 8 high.
const Operation* uniform_shift(Warp& w, const Operation* op) {
  if (begin(w, op) == 0) return op + 1;
  const Words3 x = operands(w, op);
  const unsigned m = op->modifiers;
  const Word n = nm::shift_amount(x.b, m & 0x60, m & 1);
  Word result = 0;
  if ((m & 4) == 0) {
    result = m & 8 ? nm::funnel_left(x.a, x.c, n) : nm::left(x.a, n);
  } else if (m & 8) {
    result = m & 2 ? nm::signed_right(x.c, n) : nm::right(x.c, n);
  } else {
    result = m & 2 ? nm::signed_funnel_right(x.a, x.c, n) : nm::funnel_right(x.a, x.c, n);
  }
  set_uniform(w, op->d, result);
  return op + 1;
}

const Operation* uniform_permute(Warp& w, const Operation* op) {
  if (begin(w, op) == 0) return op + 1;
  const Words3 x = operands(w, op);
  set_uniform(w, op->d, nm::permute(x.a, x.c, nm::permute_selector(x.b, static_cast<nm::Permute>(op->modifiers))));
  return op + 1;
}

const Operation* uniform_select(Warp& w, const Operation* op) {
  if (begin(w, op) == 0) return op + 1;
  const Words3 x = operands(w, op);
  set_uniform(w, op->d, flag_in(w, op, 0) ? x.a : x.b);
  return op + 1;
}

/// A function of slot b (and a), with the modifiers of its vector form.
enum class Unary { extend, bit_mask, find_leading, population, reverse, move };

template <Unary kind>
const Operation* uniform_unary(Warp& w, const Operation* op) {
  if (begin(w, op) == 0) return op + 1;
  const Words3 x = operands(w, op);
  const bool first = op->modifiers & 1, second = op->modifiers & 2;
  const Word b = x.b ^ (op->modifiers & 4 ? all_ones : 0);
  Word result = b;
  if constexpr (kind == Unary::extend) result = nm::extend(x.a, x.b, first, second);
  if constexpr (kind == Unary::bit_mask) result = nm::bit_mask(x.a, x.b, second);
  if constexpr (kind == Unary::find_leading) result = nm::find_leading(b, first, second);
  if constexpr (kind == Unary::population) result = nm::population(b);
  if constexpr (kind == Unary::reverse) result = nm::reverse(b);
  set_uniform(w, op->d, result);
  return op + 1;
}

unsigned complement_modifier(const Lowering& l) { return !slot_is_literal(l) && l.bit(63) ? 4 : 0; }

// --------------------------------------------------------------------------------------- predicates

/// Modifiers: bits 0:3 the comparison, 8 signed, 16 .EX; detail[0] how it meets the predicate source.
const Operation* uniform_compare(Warp& w, const Operation* op) {
  if (begin(w, op) == 0) return op + 1;
  const Words3 x = operands(w, op);
  const bool less = op->modifiers & 8 ? nm::as_signed(x.a) < nm::as_signed(x.b) : x.a < x.b, equal = x.a == x.b;
  const unsigned compare = op->modifiers & 7;  // F, LT, EQ, LE, GT, NE, GE, T: bits less, equal, greater
  bool result =
      ((compare & 1) != 0 && less) || ((compare & 2) != 0 && equal) || ((compare & 4) != 0 && !less && !equal);
  if ((op->modifiers & 16) != 0 && equal) result = flag_in(w, op, 1);
  const bool source = flag_in(w, op, 0);
  const auto combine = [&](bool value) {
    return op->detail[0] == 0 ? value && source : op->detail[0] == 1 ? value || source : value != source;
  };
  set_flag(w, op, 0, combine(result));
  set_flag(w, op, 1, combine(!result));
  return op + 1;
}

const Operation* uniform_predicate_logic(Warp& w, const Operation* op) {
  if (begin(w, op) == 0) return op + 1;
  const std::uint32_t a = predicate_in(w, op, 0), b = predicate_in(w, op, 1);
  const std::uint32_t c = w.predicates[op->modifiers & 0x1f] ^ (op->modifiers & 0x100 ? all_lanes : 0);
  const Word first = nm::lop3(a, b, c, op->detail[0]), second = nm::lop3(a, b, c, op->detail[1]);
  set_flag(w, op, 0, first != 0);
  set_flag(w, op, 1, second != 0);
  return op + 1;
}

/// UP2UR: the predicates UP0..UP6 as bits of a byte, those that the mask names; the others from a. modifiers: where it is.
const Operation* uniform_pack(Warp& w, const Operation* op) {
  if (begin(w, op) == 0) return op + 1;
  const Words3 x = operands(w, op);
  Word bits = 0;
  for (unsigned i = 0; i < 7; ++i) bits |= (w.predicates[8 + i] & 1u) << i;
  const Word mask = (x.b & 0xff) << op->modifiers;
  set_uniform(w, op->d, (x.a & ~mask) | (bits << op->modifiers & mask));
  return op + 1;
}

/// UR2UP: sets the predicates that the mask names from a byte. modifiers: where it is.
const Operation* uniform_unpack(Warp& w, const Operation* op) {
  if (begin(w, op) == 0) return op + 1;
  const Words3 x = operands(w, op);
  for (unsigned i = 0; i < 7; ++i)
    if (x.b >> i & 1u) w.predicates[8 + i] = x.a >> (op->modifiers + i) & 1u ? all_lanes : 0;
  return op + 1;
}

template <Unary kind>
void lower_unary(Lowering& l, unsigned modifiers) {
  uniform_operands(l);
  l.op.modifiers = modifiers | complement_modifier(l);
  l.op.execute = &uniform_unary<kind>;
}

}  // namespace

namespace {

void lower_sum(Lowering& l, Execute execute) {
  uniform_operands(l);
  const bool extended = l.bit(74);
  const unsigned negated = (l.bit(72) ? 1u : 0u) | (!slot_is_literal(l) && l.bit(63) ? 2u : 0u) | (l.bit(75) ? 4u : 0u);
  uniform_predicate_destination(l, 0, 81);
  uniform_predicate_destination(l, 1, 84);
  l.predicate_source(0, 87, true);
  l.predicate_source(1, 77, true);
  l.op.detail[0] = static_cast<std::uint8_t>(extended ? 0 : nm::population(negated));
  l.op.modifiers = negated | (extended ? 8u : 0u);
  l.op.execute = execute;
}

}  // namespace

void lower_UIADD3(Lowering& l) {
  lower_sum(l, &uniform_add3);
  if ((l.op.modifiers & 8) == 0 && !has_predicate_out(l, 0) && !has_predicate_out(l, 1))
    l.fuse(FusedKind::uniform_sum, From::row);
}
void lower_UIADD3_64(Lowering& l) {
  lower_sum(l, &uniform_add3_wide);
  require(l, l.op.detail[1] != c_literal, "an operand form that UIADD3.64 does not have");
}

void lower_ULEA(Lowering& l) {
  uniform_operands(l);
  const bool high = l.bit(80), sign = l.bit(73), extended = l.bit(74), a_negated = l.bit(72);
  const bool b_negated = !slot_is_literal(l) && l.bit(63);
  require(l, high || !sign, "ULEA.SX32 without HI");
  uniform_predicate_destination(l, 0, 81);
  l.predicate_source(0, 87, true);
  l.op.detail[0] = static_cast<std::uint8_t>(extended ? 0 : unsigned{a_negated} + unsigned{b_negated});
  l.op.modifiers = (a_negated ? 1u : 0u) | (b_negated ? 2u : 0u) | (extended ? 4u : 0u) | (sign ? 8u : 0u) |
                   (high ? 16u : 0u) | std::uint32_t(l.bits(75, 80)) << 8;
  l.op.execute = &uniform_scaled_add;
  if (!extended && !high && !has_predicate_out(l, 0)) l.fuse(FusedKind::uniform_scaled, From::row);
}

void lower_UIMAD(Lowering& l) {
  lower_product(l, &uniform_multiply_add, 0);
  l.op.predicate_out[0] = sink_predicate;
  if ((l.op.modifiers & 8) == 0) l.fuse(FusedKind::uniform_product, From::row);
}
void lower_UIMAD_WIDE(Lowering& l) { lower_product(l, &uniform_multiply_add_wide, l.bit(73) ? 2 : 0); }

void lower_ULOP3(Lowering& l) {
  uniform_operands(l);
  uniform_predicate_destination(l, 0, 81);
  l.predicate_source(0, 87, true);
  l.op.modifiers = std::uint32_t(l.bits(72, 80));
  l.op.detail[0] = l.bit(80);
  l.op.execute = &uniform_lop3;
  const unsigned table = l.op.modifiers;
  if ((table == 0xc0 || table == 0xfc || table == 0x3c) && !has_predicate_out(l, 0))
    l.fuse(FusedKind::uniform_logic, From::row, From::row, table);
}

void lower_USHF(Lowering& l) {
  uniform_operands(l);
  l.op.modifiers = (l.bit(74) ? 32u : 64u) | (l.bit(75) ? 1u : 0u) | (l.bit(73) ? 0u : 2u) | (l.bit(76) ? 4u : 0u) |
                   (l.bit(80) ? 8u : 0u);
  l.op.execute = &uniform_shift;
  const bool one_word = (l.op.modifiers & 12) == 0 || (l.op.modifiers & 12) == 12;
  if (one_word && l.op.detail[1] == b_literal && l.op.immediate[0] < 32) l.fuse(FusedKind::uniform_shift, From::row);
}

void lower_UPRMT(Lowering& l) {
  uniform_operands(l);
  l.op.modifiers = std::uint32_t(l.bits(72, 75));
  require(l, l.op.modifiers <= unsigned(nm::Permute::replicate16), "a mode of UPRMT that is not known");
  l.op.execute = &uniform_permute;
}

void lower_USEL(Lowering& l) {
  uniform_operands(l);
  l.predicate_source(0, 87, true);
  l.op.execute = &uniform_select;
}

void lower_UISETP(Lowering& l) {
  uniform_operands(l);
  const bool extended = l.bit(72);
  const unsigned how = unsigned(l.bits(74, 76)), compare = unsigned(l.bits(76, 79));
  require(l, how <= 2, "a UISETP that combines in an unknown way");
  require(l, !extended || (compare != 0 && compare != 7), "UISETP.EX with a constant comparison");
  uniform_predicate_destination(l, 0, 81);
  uniform_predicate_destination(l, 1, 84);
  l.predicate_source(0, 87, true);
  l.predicate_source(1, 68, true);
  l.op.detail[0] = static_cast<std::uint8_t>(how);
  l.op.modifiers = compare | (l.bit(73) ? 8u : 0u) | (extended ? 16u : 0u);
  l.op.execute = &uniform_compare;
}

void lower_UPLOP3(Lowering& l) {
  l.op.detail[0] = static_cast<std::uint8_t>(l.bits(64, 67) | l.bits(72, 77) << 3);
  l.op.detail[1] = static_cast<std::uint8_t>(l.bits(16, 24));
  uniform_predicate_destination(l, 0, 81);
  uniform_predicate_destination(l, 1, 84);
  l.predicate_source(0, 87, true);
  l.predicate_source(1, 77, true);
  l.op.modifiers = std::uint32_t(l.bits(68, 71) + 8) | (l.bit(71) ? 0x100u : 0u);
  l.op.execute = &uniform_predicate_logic;
}

void lower_USGXT(Lowering& l) { lower_unary<Unary::extend>(l, (l.bit(73) ? 1u : 0u) | (l.bit(75) ? 2u : 0u)); }
void lower_UBMSK(Lowering& l) { lower_unary<Unary::bit_mask>(l, l.bit(75) ? 2 : 0); }
void lower_UPOPC(Lowering& l) { lower_unary<Unary::population>(l, 0); }
void lower_UBREV(Lowering& l) { lower_unary<Unary::reverse>(l, 0); }
void lower_UMOV(Lowering& l) {
  lower_unary<Unary::move>(l, 0);
  if ((l.op.modifiers & 4) == 0) l.fuse(FusedKind::uniform_move, From::row);
}

void lower_UFLO(Lowering& l) {
  lower_unary<Unary::find_leading>(l, (l.bit(73) ? 1u : 0u) | (l.bit(74) ? 2u : 0u));
  require(l, l.bits(81, 84) == 7, "UFLO with a predicate result");
}

void lower_UP2UR(Lowering& l) {
  uniform_operands(l);
  l.op.modifiers = 8 * static_cast<std::uint32_t>(l.bits(76, 78));
  l.op.execute = &uniform_pack;
}

void lower_UR2UP(Lowering& l) {
  uniform_operands(l);
  l.op.modifiers = 8 * static_cast<std::uint32_t>(l.bits(76, 78));
  l.op.execute = &uniform_unpack;
}

}  // namespace lanebank::machine::LANEBANK_SIMD
