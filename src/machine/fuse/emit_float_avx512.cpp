// AVX-512 code for the single-precision operations of runs: rounding to nearest, denormals kept, NaN results 0x7fffffff.
#if defined(__x86_64__)
#include "machine/fuse/run_compiler_avx512.hpp"

namespace lanebank::machine::fuse {

using namespace Xbyak;

namespace {

constexpr std::uint8_t unordered = 3;

// Tables of vpternlogd for (a, m, m) with m = 0x7fffffff.
constexpr std::uint8_t a_xor_not_m = 0xc3, a_and_m = 0xc0, a_or_not_m = 0xf3;

}  // namespace

Pair RunCompilerAvx512::with_signs(const Source& source, unsigned signs, bool own) {
  if (signs == 0) return vectors(source, own);
  const Pair pair = vectors(source, true);
  const std::uint8_t table = signs == negate ? a_xor_not_m : signs == absolute ? a_and_m : a_or_not_m;
  for (int h = 0; h < 2; ++h) vpternlogd(pair.half(h), zmm30, zmm30, table);
  return pair;
}

void RunCompilerAvx512::emit_float_arithmetic() {
  const bool fused = form_->kind == FusedKind::float_multiply_add;
  const unsigned sign_a = op_->modifiers & 3, sign_b = op_->modifiers >> 2 & 3,
                 sign_c = fused ? op_->modifiers >> 4 & 3 : 0;
  const Source a_source = source(From::row, op_->a), b_source = source(form_->b, op_->b);
  Source c_source;
  if (fused) c_source = source(form_->c, op_->c);
  Pair result;
  if (fused) {
    result = with_signs(a_source, sign_a, true);  // becomes the result
    const bool own_b = sign_b != 0, own_c = sign_c != 0;
    // One of b and c may be a word in memory.
    Source b = b_source, c = c_source;
    if (own_b) b.is_row = true, b.pair = with_signs(b_source, sign_b, true);
    if (own_c) c.is_row = true, c.pair = with_signs(c_source, sign_c, true);
    for (int h = 0; h < 2; ++h) {
      if (b.is_row)
        vfmadd213ps(result.half(h), b.pair.half(h), operand(c, h));
      else
        vfmadd132ps(result.half(h), c.pair.half(h), operand(b, h));
    }
    if (own_b) give(b.pair);
    if (own_c) give(c.pair);
  } else {
    const Pair a = with_signs(a_source, sign_a, false);
    Source b = b_source;
    if (sign_b != 0) b.is_row = true, b.pair = with_signs(b_source, sign_b, true);
    result = sign_a != 0 ? a : take();
    for (int h = 0; h < 2; ++h) {
      if (form_->kind == FusedKind::float_add)
        vaddps(result.half(h), a.half(h), operand(b, h));
      else
        vmulps(result.half(h), a.half(h), operand(b, h));
    }
    if (sign_b != 0) give(b.pair);
  }
  for (int h = 0; h < 2; ++h) {
    vcmpps(Opmask(5 + h), result.half(h), result.half(h), unordered);
    vmovdqa32(result.half(h) | Opmask(5 + h), zmm30);
  }
  finish(op_->d, result);
}

void RunCompilerAvx512::emit_float_compare() {
  // By the relations that hold (1 less, 2 equal, 4 greater, 8 unordered); none of these signals.
  static constexpr std::uint8_t codes[16] = {0x0b, 0x11, 0x00, 0x12, 0x1e, 0x0c, 0x1d, 0x07,
                                             0x03, 0x19, 0x08, 0x1a, 0x16, 0x04, 0x15, 0x0f};
  const unsigned sign_a = op_->modifiers & 3, sign_b = op_->modifiers >> 2 & 3;
  const Pair a = with_signs(source(From::row, op_->a), sign_a, false);
  Source b = source(form_->b, op_->b);
  const Source b_plain = b;
  if (sign_b != 0) b.is_row = true, b.pair = with_signs(b_plain, sign_b, true);
  for (int h = 0; h < 2; ++h) vcmpps(Opmask(3 + h), a.half(h), operand(b, h), codes[form_->detail & 15]);
  if (sign_a != 0) give(a);
  if (sign_b != 0) give(b.pair);
  join_masks(3, 4);
  combine_and_set(op_->detail[0], true);
}

void RunCompilerAvx512::emit_float_select() {
  const unsigned sign_a = op_->modifiers & 3, sign_b = op_->modifiers >> 2 & 3;
  const Pair a = with_signs(source(From::row, op_->a), sign_a, false);
  Source b = source(form_->b, op_->b);
  const Source b_plain = b;
  if (sign_b != 0) b.is_row = true, b.pair = with_signs(b_plain, sign_b, true);
  const Pair result = take();
  load_predicate(op_->predicate_in[0], op_->predicate_in_flip[0], 5, true);  // set: b
  for (int h = 0; h < 2; ++h) vpblendmd(result.half(h) | Opmask(5 + h), a.half(h), operand(b, h));
  if (sign_a != 0) give(a);
  if (sign_b != 0) give(b.pair);
  finish(op_->d, result);
}

}  // namespace lanebank::machine::fuse
#endif
