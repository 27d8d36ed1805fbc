// Comparisons of integers and logic on predicates: ISETP, PLOP3.
#include "machine/lanes/alu.hpp"

namespace lanebank::machine::LANEBANK_SIMD {
namespace {

// ----------------------------------------------------------------------------------------------- ISETP

/// How the result meets the predicate source; bits 74:76.
enum class Combine : std::uint8_t { conjunction, disjunction, exclusive };

LANEBANK_INLINE std::uint32_t combine(Combine how, std::uint32_t x, std::uint32_t y) {
  if (how == Combine::conjunction) return x & y;
  return how == Combine::disjunction ? x | y : x ^ y;
}

/// One predicate, no other one read; `modifiers` is all ones to negate the comparison.
template <Compare compare, From B>
const Operation* compare_plain(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  const Row a{w.row(op->a)};
  const Operand32<B> b(w, op, op->b);
  set_predicate(w, op, 0, mask, compare_lanes<compare>(a, b) ^ op->modifiers);
  return op + 1;
}

/// Two predicates, each combined with the predicate source. `detail[1]` (.EX): where the words are equal the
/// second predicate source, the comparison of the low words, decides. `detail[0]`: the Combine.
template <Compare compare, From B>
const Operation* compare_combined(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  const Row a{w.row(op->a)};
  const Operand32<B> b(w, op, op->b);
  std::uint32_t result = compare_lanes<compare>(a, b) ^ op->modifiers;
  if (op->detail[1] != 0) {
    const std::uint32_t equal = compare_lanes<Compare::equal>(a, b);
    result = (result & ~equal) | (predicate_in(w, op, 1) & equal);
  }
  const std::uint32_t source = predicate_in(w, op, 0);
  const Combine how = static_cast<Combine>(op->detail[0]);
  set_wanted_predicate(w, op, 0, mask, combine(how, result, source));
  set_wanted_predicate(w, op, 1, mask, combine(how, ~result, source));
  return op + 1;
}

/// Comparisons F and T.
const Operation* compare_constant(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  const std::uint32_t result = op->modifiers, source = predicate_in(w, op, 0);
  const Combine how = static_cast<Combine>(op->detail[0]);
  set_wanted_predicate(w, op, 0, mask, combine(how, result, source));
  set_wanted_predicate(w, op, 1, mask, combine(how, ~result, source));
  return op + 1;
}

template <Compare compare>
Execute select_compare(From b, bool plain) {
  if (b == From::immediate)
    return plain ? &compare_plain<compare, From::immediate> : &compare_combined<compare, From::immediate>;
  if (b == From::uniform)
    return plain ? &compare_plain<compare, From::uniform> : &compare_combined<compare, From::uniform>;
  return plain ? &compare_plain<compare, From::row> : &compare_combined<compare, From::row>;
}

// ----------------------------------------------------------------------------------------------- PLOP3

/// A truth table over lane masks.
LANEBANK_INLINE std::uint32_t table_of_masks(unsigned table, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return nm::lop3(a, b, c, table);
}

/// The third source is not one of Operation's two: `modifiers` bits 0:5 hold its number, bit 8 its negation.
const Operation* predicate_logic(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  const std::uint32_t a = predicate_in(w, op, 0), b = predicate_in(w, op, 1);
  const std::uint32_t c = w.predicates[op->modifiers & 0x1f] ^ (op->modifiers & 0x100 ? all_lanes : 0);
  const std::uint32_t first = table_of_masks(op->detail[0], a, b, c), second = table_of_masks(op->detail[1], a, b, c);
  set_wanted_predicate(w, op, 0, mask, first);
  set_wanted_predicate(w, op, 1, mask, second);
  return op + 1;
}

/// The signs of three registers.
const Operation* sign_logic(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  const std::uint32_t a = lane_mask(w.row(op->a)), b = lane_mask(w.row(op->b)), c = lane_mask(w.row(op->c));
  const std::uint32_t first = table_of_masks(op->detail[0], a, b, c), second = table_of_masks(op->detail[1], a, b, c);
  set_wanted_predicate(w, op, 0, mask, first);
  set_wanted_predicate(w, op, 1, mask, second);
  return op + 1;
}

}  // namespace

void lower_ISETP(Lowering& l) {
  l.op.a = l.a();
  const Lowering::Operands kinds = l.operands();
  require(l, !kinds.swapped, "an operand form that ISETP does not have");
  const bool is_signed = l.bit(73), extended = l.bit(72);
  const unsigned how = unsigned(l.bits(74, 76)), compare = unsigned(l.bits(76, 79));
  require(l, how <= unsigned(Combine::exclusive), "an ISETP that combines in an unknown way");
  predicate_destination(l, 0, 81);
  predicate_destination(l, 1, 84);
  l.predicate_source(0, 87);
  l.predicate_source(1, 68);
  l.op.detail[0] = static_cast<std::uint8_t>(how);
  l.op.detail[1] = extended;
  const bool plain = !extended && how == unsigned(Combine::conjunction) && is_constant_predicate(l, 0, true) &&
                     !has_predicate_out(l, 1);
  enum : unsigned { never, less, equal, less_equal, greater, not_equal, greater_equal, always };
  l.op.modifiers = compare >= greater ? all_lanes : 0;
  if (compare != never && compare != always)
    l.fuse(FusedKind::compare, kinds.b, From::row, compare | (is_signed ? 8u : 0u));
  switch (compare) {
    case never:
    case always:
      require(l, !extended, "ISETP.EX with a constant comparison");
      l.op.execute = &compare_constant;
      break;
    case equal:
    case not_equal:
      l.op.execute = select_compare<Compare::equal>(kinds.b, plain);
      break;
    case less:
    case greater_equal:
      l.op.execute = is_signed ? select_compare<Compare::signed_less>(kinds.b, plain)
                               : select_compare<Compare::less>(kinds.b, plain);
      break;
    default:
      l.op.execute = is_signed ? select_compare<Compare::signed_less_equal>(kinds.b, plain)
                               : select_compare<Compare::less_equal>(kinds.b, plain);
  }
}

void lower_PLOP3(Lowering& l) {
  l.op.detail[0] = static_cast<std::uint8_t>(l.bits(64, 67) | l.bits(72, 77) << 3);
  l.op.detail[1] = static_cast<std::uint8_t>(l.bits(16, 24));
  predicate_destination(l, 0, 81);
  predicate_destination(l, 1, 84);
  l.predicate_source(0, 87);
  l.predicate_source(1, 77);
  l.op.modifiers = std::uint32_t(l.bits(68, 71) + (l.bit(67) ? 8 : 0)) | (l.bit(71) ? 0x100u : 0u);
  l.op.execute = &predicate_logic;
}

/// PLOP3 on the signs of registers (opcode 0x21f).
void lower_PLOP3_SIGN(Lowering& l) {
  l.op.a = l.a();
  l.op.b = l.source(unsigned(l.bits(32, 40)));
  l.op.c = l.source(unsigned(l.bits(64, 72)));
  l.op.detail[0] = static_cast<std::uint8_t>(l.bits(72, 80));
  l.op.detail[1] = static_cast<std::uint8_t>(l.bits(16, 24));
  predicate_destination(l, 0, 81);
  predicate_destination(l, 1, 84);
  l.op.execute = &sign_logic;
}

}  // namespace lanebank::machine::LANEBANK_SIMD
