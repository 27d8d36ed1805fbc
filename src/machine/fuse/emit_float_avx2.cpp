// AVX2 code for the single-precision operations of runs: rounding to nearest, denormals kept, NaN results 0x7fffffff. A
// result's NaNs become that when something other than float arithmetic looks at them, or when the row is stored.
#if defined(__x86_64__)
#include "machine/fuse/run_compiler_avx2.hpp"

namespace lanebank::machine::fuse {

using namespace Xbyak;

Ymm RunCompilerAvx2::with_signs(const Ymm& value, unsigned signs, bool& owned) {
  owned = signs != 0;
  if (!owned) return value;
  const Ymm d = take();
  if (signs == negate)
    vxorps(d, value, constant(Constant::sign));
  else if (signs == absolute)
    vandps(d, value, constant(Constant::magnitude));
  else
    vorps(d, value, constant(Constant::sign));
  return d;
}

void RunCompilerAvx2::emit_float_arithmetic() {
  // Negation is the instruction's, or cancels in a product; it is never lost that -0 and 0 differ.
  const bool fused = form_->kind == FusedKind::float_multiply_add, adds = form_->kind == FusedKind::float_add;
  unsigned sign_a = op_->modifiers & 3, sign_b = op_->modifiers >> 2 & 3, sign_c = fused ? op_->modifiers >> 4 & 3 : 0;
  bool negated = false, subtracts = false;
  if (!adds) {
    negated = ((sign_a ^ sign_b) & negate) != 0;
    sign_a &= absolute;
    sign_b &= absolute;
    subtracts = (sign_c & negate) != 0;
    sign_c &= absolute;
  } else if (sign_b & negate) {
    subtracts = true;
    sign_b &= absolute;
  }
  bool own_a = false, own_b = false, own_c = false;
  const Ymm a = with_signs(float_row(op_->a), sign_a, own_a);
  Ymm signed_b;
  if (sign_b != 0) signed_b = with_signs(float_operand(form_->b, op_->b), sign_b, own_b);
  const Last b = sign_b != 0 ? Last(signed_b) : last_float_operand(form_->b, op_->b);
  Ymm d;
  if (fused) {
    const Ymm c = with_signs(float_operand(form_->c, op_->c), sign_c, own_c);
    d = own_c ? c : to_change(c);
    if (negated && subtracts)
      vfnmsub231ps(d, a, b);
    else if (negated)
      vfnmadd231ps(d, a, b);
    else if (subtracts)
      vfmsub231ps(d, a, b);
    else
      vfmadd231ps(d, a, b);
  } else {
    d = take();
    if (subtracts)
      vsubps(d, a, b);
    else if (adds)
      vaddps(d, a, b);
    else
      vmulps(d, a, b);
    if (negated) vxorps(d, d, constant(Constant::sign));
  }
  if (own_a) give(a);
  if (own_b) give(signed_b);
  finish(op_->d, d, true);
}

void RunCompilerAvx2::emit_float_compare() {
  // By the relations that hold (1 less, 2 equal, 4 greater, 8 unordered); none of these signals.
  static constexpr std::uint8_t codes[16] = {0x0b, 0x11, 0x00, 0x12, 0x1e, 0x0c, 0x1d, 0x07,
                                             0x03, 0x19, 0x08, 0x1a, 0x16, 0x04, 0x15, 0x0f};
  bool own_a = false, own_b = false;
  const Ymm a = with_signs(float_row(op_->a), op_->modifiers & 3, own_a);
  const Ymm b = with_signs(float_operand(form_->b, op_->b), op_->modifiers >> 2 & 3, own_b);
  const Mask result{take(), false, false, true};
  vcmpps(result.lanes, a, b, codes[form_->detail & 15]);
  if (own_a) give(a);
  if (own_b) give(b);
  combine_and_set(op_->detail[0], result, true);
}

void RunCompilerAvx2::emit_float_select() {
  const Mask where = predicate(op_->predicate_in[0], op_->predicate_in_flip[0]);
  bool own_a = false, own_b = false;
  const Ymm a = with_signs(row(op_->a), op_->modifiers & 3, own_a);
  const Ymm b = with_signs(operand(form_->b, op_->b), op_->modifiers >> 2 & 3, own_b);
  select(where, a, b);
  if (own_a) give(a);
  if (own_b) give(b);
}

}  // namespace lanebank::machine::fuse
#endif
