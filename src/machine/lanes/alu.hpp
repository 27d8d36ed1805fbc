// What the integer and logic operations share: picking an instance for the operand forms, and checks of
// modifiers that lanebank does not execute.
#pragma once

#include "machine/lanes/lane.hpp"
#include "machine/lanes/words.hpp"
#include "machine/numerics/integer.hpp"

namespace lanebank::machine::LANEBANK_SIMD {
namespace {

namespace nm = ::lanebank::machine::numerics;

/// The instance of alu3 for an operation whose third operand, if it has one, is a register.
template <class F>
Execute select_alu2(From b) {
  if (b == From::immediate) return &alu3<F, From::immediate, From::row>;
  if (b == From::uniform) return &alu3<F, From::uniform, From::row>;
  return &alu3<F, From::row, From::row>;
}

/// Fills d, a, b, c from an instruction of the usual layout.
LANEBANK_INLINE Lowering::Operands usual_operands(Lowering& l) {
  l.op.d = l.d();
  l.op.a = l.a();
  return l.operands();
}

/// The same without a third operand; its field means nothing.
LANEBANK_INLINE From second_operand(Lowering& l) {
  const Lowering::Operands kinds = usual_operands(l);
  if (kinds.swapped) l.unsupported = "an operand form that this operation does not have";
  return kinds.b;
}

LANEBANK_INLINE void require(Lowering& l, bool holds, const char* reason) {
  if (!holds) l.unsupported = reason;
}

LANEBANK_INLINE bool is_zero_row(const Lowering& l, std::uint16_t row) { return row == l.register_count; }

/// The predicate field 81:84 or 84:87 as a destination.
LANEBANK_INLINE void predicate_destination(Lowering& l, unsigned which, unsigned first_bit) {
  l.op.predicate_out[which] = Lowering::predicate_destination(unsigned(l.bits(first_bit, first_bit + 3)));
}
LANEBANK_INLINE bool has_predicate_out(const Lowering& l, unsigned which) {
  return l.op.predicate_out[which] != sink_predicate;
}
/// Sets a predicate result, unless nobody wants it: writes to the sink would wait for one another.
LANEBANK_INLINE void set_wanted_predicate(Warp& w, const Operation* op, unsigned which, std::uint32_t mask,
                                          std::uint32_t value) {
  if (op->predicate_out[which] != sink_predicate) set_predicate(w, op, which, mask, value);
}
/// The predicate source is written PT or !PT.
LANEBANK_INLINE bool is_constant_predicate(const Lowering& l, unsigned which, bool value) {
  const std::uint8_t p = l.op.predicate_in[which];
  return (p == 7 || p == 15) && (l.op.predicate_in_flip[which] == 0) == value;
}

}  // namespace
}  // namespace lanebank::machine::LANEBANK_SIMD
