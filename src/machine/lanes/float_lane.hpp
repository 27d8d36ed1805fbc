// What the floating-point operations share: sign modifiers and their place in the instruction word.
//
// A sign modifier belongs to a place in the word, not to an operand: 72 negates and 73 makes absolute
// operand a, 62 and 63 (absolute, negate) slot b, 74 and 75 (absolute, negate) the register field 64:72.
#pragma once

#include "machine/lanes/lane.hpp"
#include "machine/numerics/rounding.hpp"

namespace lanebank::machine::LANEBANK_SIMD {
namespace {

using numerics::Rounding;

/// Bits of Operation::modifiers in floating-point operations: two bits for each of operands a, b, c.
enum SignBits : std::uint32_t { negate = 1, absolute = 2, all_signs = 0x3f };
/// Higher bits of Operation::modifiers: operations number theirs from here.
inline constexpr unsigned first_own_modifier = 6;

/// -x, |x| and -|x| of a word whose top bit is a sign.
struct Sign {
  std::uint32_t keep, flip;
  Sign(const Operation& op, unsigned operand)
      : keep((op.modifiers >> (2 * operand)) & absolute ? 0x7fffffff : 0xffffffff),
        flip((op.modifiers >> (2 * operand)) & negate ? 0x80000000 : 0) {}
  LANEBANK_INLINE std::uint32_t operator()(std::uint32_t x) const { return (x & keep) ^ flip; }
};

LANEBANK_INLINE std::uint32_t signs_of_slot_b(const Lowering& l) {
  return std::uint32_t{l.bit(63)} * negate | std::uint32_t{l.bit(62)} * absolute;
}
LANEBANK_INLINE std::uint32_t signs_of_field_c(const Lowering& l) {
  return std::uint32_t{l.bit(75)} * negate | std::uint32_t{l.bit(74)} * absolute;
}
LANEBANK_INLINE std::uint32_t signs_of_a(const Lowering& l) {
  return std::uint32_t{l.bit(72)} * negate | std::uint32_t{l.bit(73)} * absolute;
}
LANEBANK_INLINE bool slot_b_is_literal(const Lowering& l) { return l.bits(9, 12) == 2 || l.bits(9, 12) == 4; }
LANEBANK_INLINE bool slot_b_is_constant(const Lowering& l) { return l.bits(9, 12) == 3 || l.bits(9, 12) == 5; }

/// A constant of a bank named by a uniform register (cx[UR][..]) is not executed.
LANEBANK_INLINE void no_bindless_constant(Lowering& l) {
  if (slot_b_is_constant(l) && l.bit(91)) l.unsupported = "a constant bank named by a uniform register";
}

/// a * b + c and the like: fills op.a, op.b, op.c and the signs. `registers`: 2 for double precision.
LANEBANK_INLINE Lowering::Operands ternary_operands(Lowering& l, unsigned registers) {
  l.op.a = l.a(registers);
  const Lowering::Operands kinds = l.operands(registers, registers, registers == 2);
  no_bindless_constant(l);
  const std::uint32_t slot = slot_b_is_literal(l) ? 0 : signs_of_slot_b(l);
  const std::uint32_t field = signs_of_field_c(l);
  l.op.modifiers |= signs_of_a(l) | (kinds.swapped ? field : slot) << 2 | (kinds.swapped ? slot : field) << 4;
  return kinds;
}

/// a + b and the like, whose second operand is in slot b whatever the form: fills op.a, op.b and the signs.
LANEBANK_INLINE From binary_operands(Lowering& l, unsigned registers) {
  l.op.a = l.a(registers);
  const Lowering::Operands kinds = l.operands(registers, registers, registers == 2, false);
  no_bindless_constant(l);
  l.op.modifiers |= signs_of_a(l) | (slot_b_is_literal(l) ? 0 : signs_of_slot_b(l)) << 2;
  return kinds.swapped ? kinds.c : kinds.b;
}

/// The instance of alu3 for an operation of a register and slot b.
template <class F>
Execute select_binary(From b) {
  if (b == From::immediate) return &alu3<F, From::immediate, From::row>;
  if (b == From::uniform) return &alu3<F, From::uniform, From::row>;
  return &alu3<F, From::row, From::row>;
}

LANEBANK_INLINE Rounding rounding_of(const Lowering& l) { return static_cast<Rounding>(l.bits(78, 80)); }

/// Combines a comparison with the predicate source: 0 AND, 1 OR, 2 XOR (bits 74:76).
LANEBANK_INLINE std::uint32_t combine(unsigned how, std::uint32_t value, std::uint32_t with) {
  return how == 0 ? value & with : how == 1 ? value | with : value ^ with;
}

}  // namespace
}  // namespace lanebank::machine::LANEBANK_SIMD
