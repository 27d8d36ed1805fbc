// AVX2 code for the integer operations of runs. What they compute stands in lanes/.
#if defined(__x86_64__)
#include <bit>

#include "machine/fuse/logic_formulas.hpp"
#include "machine/fuse/run_compiler_avx2.hpp"

namespace lanebank::machine::fuse {

using namespace Xbyak;

void RunCompilerAvx2::emit_sum() {
  const unsigned negated = op_->modifiers & 7;
  const bool third = !is_zero(op_->c), minus_a = negated & 1, minus_b = negated & 2, minus_c = negated & 4;
  const Ymm a = row(op_->a);
  if (minus_a) {
    const Ymm b = operand(form_->b, op_->b), c = third ? row(op_->c) : Ymm(), d = take();
    if (minus_b) {
      vpxor(d, d, d);
      vpsubd(d, d, b);
      vpsubd(d, d, a);
    } else {
      vpsubd(d, b, a);
    }
    if (third && minus_c) vpsubd(d, d, c);
    if (third && !minus_c) vpaddd(d, d, c);
    return finish(op_->d, d);
  }
  const Last b = last_operand(form_->b, op_->b);
  const Ymm d = take();
  if (minus_b)
    vpsubd(d, a, b);
  else
    vpaddd(d, a, b);
  if (third && minus_c) vpsubd(d, d, last_operand(From::row, op_->c));
  if (third && !minus_c) vpaddd(d, d, last_operand(From::row, op_->c));
  finish(op_->d, d);
}

void RunCompilerAvx2::emit_sum_carry() {
  const bool extended = form_->detail != 0, third = !is_zero(op_->c) || (op_->modifiers & 4) != 0;
  const bool out = op_->predicate_out[0] != sink_predicate, plus_one = !extended && op_->detail[0] != 0;
  // The addends, complemented where they are negated; a and b lead.
  const auto addend = [&](const Ymm& value, bool flip) {
    if (!flip) return value;
    const Ymm flipped = take();
    vpxor(flipped, value, constant(Constant::ones));
    return flipped;
  };
  const bool flip_a = op_->modifiers & 1, flip_b = op_->modifiers & 2, flip_c = op_->modifiers & 4;
  const Ymm a = addend(row(op_->a), flip_a), b = addend(operand(form_->b, op_->b), flip_b);
  const Ymm c = third ? addend(row(op_->c), flip_c) : Ymm(), d = take();
  Mask carry;
  const auto or_carry = [&](const Mask& more) {
    const Mask all = either(carry, more);
    release(carry);
    release(more);
    carry = all;
  };
  vpaddd(d, a, b);
  if (out) carry = compare(Relation::less, false, d, a);
  if (third) {
    vpaddd(d, d, c);
    if (out) or_carry(compare(Relation::less, false, d, c));
  }
  if (plus_one) {
    vpsubd(d, d, constant(Constant::ones));
    if (out) or_carry(equals_zero(d));
  }
  if (extended) ones_to(d, predicate(op_->predicate_in[0], op_->predicate_in_flip[0]));
  if (flip_a) give(a);
  if (flip_b) give(b);
  if (third && flip_c) give(c);
  finish(op_->d, d);
  if (out) set_predicate(op_->predicate_out[0], carry);
}

void RunCompilerAvx2::emit_multiply_add() {
  const auto shape = static_cast<FusedProduct>(form_->detail);
  const bool multiplies = has_product(shape), reads_c = shape != FusedProduct::product;
  const std::uint32_t factor = op_->immediate[0];
  const bool shifts = multiplies && form_->b == From::immediate && form_->literal && std::has_single_bit(factor);
  const Ymm a = shape == FusedProduct::third || shape == FusedProduct::negated_third ? Ymm() : row(op_->a);
  if (shape == FusedProduct::third) return finish(op_->d, to_change(operand(form_->c, op_->c)));
  const Ymm d = take();
  if (shifts) vpslld(d, a, static_cast<std::uint8_t>(std::countr_zero(factor)));
  if (multiplies && !shifts) vpmulld(d, a, last_operand(form_->b, op_->b));
  const Last c = reads_c ? last_operand(form_->c, op_->c) : Last(d);
  switch (shape) {
    case FusedProduct::product:
    case FusedProduct::third:
      break;
    case FusedProduct::plus:
      vpaddd(d, d, c);
      break;
    case FusedProduct::minus:
      vpsubd(d, d, c);
      break;
    case FusedProduct::negated_third:
      vpxor(d, d, d);
      vpsubd(d, d, c);
      break;
    case FusedProduct::sum:
      vpaddd(d, a, c);
      break;
    case FusedProduct::difference:
      vpsubd(d, a, c);
      break;
    case FusedProduct::sum_carry:
      if (op_->modifiers & 1) {
        vpcmpeqd(d, d, d);
        vpxor(d, d, c);
        vpaddd(d, d, a);
      } else {
        vpaddd(d, a, c);
      }
      ones_to(d, predicate(op_->predicate_in[0], op_->predicate_in_flip[0]));
      break;
  }
  finish(op_->d, d);
}

void RunCompilerAvx2::emit_multiply_wide() {
  const bool is_signed = form_->detail & 1, high_only = form_->detail & 2;
  const bool adds = form_->c != From::row || !is_zero(op_->c);
  const std::uint32_t factor = op_->immediate[0];
  const bool shifts = form_->b == From::immediate && form_->literal && std::has_single_bit(factor) && factor > 1 &&
                      factor < 0x80000000u;
  const Ymm a = row(op_->a);
  const Ymm b = shifts ? Ymm() : operand(form_->b, op_->b), low = take(), high = take();
  if (shifts) {
    const auto by = static_cast<std::uint8_t>(std::countr_zero(factor));
    vpslld(low, a, by);
    if (is_signed)
      vpsrad(high, a, static_cast<std::uint8_t>(32 - by));
    else
      vpsrld(high, a, static_cast<std::uint8_t>(32 - by));
  } else {
    const Ymm odd = take();
    const auto multiply = [&](const Ymm& to, const Ymm& x, const Ymm& y) {
      if (is_signed)
        vpmuldq(to, x, y);
      else
        vpmuludq(to, x, y);
    };
    vpsrlq(odd, a, 32);
    if (form_->b == From::row) vpsrlq(high, b, 32);
    multiply(low, a, b);
    multiply(odd, odd, form_->b == From::row ? high : b);
    vpshufd(high, low, 0xf5);  // high words: of even lanes from above,
    vpblendd(high, high, odd, 0xaa);
    vpshufd(odd, odd, 0xa0);  // low words: of odd lanes from below
    vpblendd(low, low, odd, 0xaa);
    give(odd);
  }
  if (adds) {
    const Ymm c = operand(form_->c, op_->c), c_high = operand(form_->c, op_->c, 1);
    vpaddd(low, low, c);
    const Mask carry = compare(Relation::less, false, low, c);
    vpaddd(high, high, c_high);
    ones_to(high, carry);
    release(carry);
  }
  if (high_only) {
    give(low);
    return finish(op_->d, high);
  }
  finish(op_->d, low);
  finish(op_->d + 1u, high);
}

void RunCompilerAvx2::emit_scaled_sum() {
  const bool high = form_->detail != 0, out = op_->predicate_out[0] != sink_predicate;
  const bool flip_a = op_->modifiers & 1, flip_b = op_->modifiers & 2, sign = op_->modifiers & 8;
  const auto by = static_cast<std::uint8_t>(op_->detail[0]);
  const Ymm a = row(op_->a), b_plain = operand(form_->b, op_->b), d = take();
  Ymm b = b_plain;
  if (flip_b) {
    b = take();
    vpxor(b, b_plain, constant(Constant::ones));
  }
  if (high) {
    const Ymm top = take();
    if (sign)
      vpsrad(top, a, 31);
    else
      vmovdqa(top, operand(form_->c, op_->c));
    if (by != 0) {
      vpslld(top, top, by);
      vpsrld(d, a, static_cast<std::uint8_t>(32 - by));
      vpor(d, d, top);
    } else {
      vmovdqa(d, top);
    }
    give(top);
  } else {
    vpslld(d, a, by);
  }
  if (flip_a) vpxor(d, d, constant(Constant::ones));
  vpaddd(d, d, b);
  Mask carry;
  if (out) carry = compare(Relation::less, false, d, b);
  for (unsigned n = 0; n < op_->detail[1]; ++n) vpsubd(d, d, constant(Constant::ones));
  if (op_->modifiers & 4) ones_to(d, predicate(op_->predicate_in[0], op_->predicate_in_flip[0]));
  if (flip_b) give(b);
  finish(op_->d, d);
  if (out) set_predicate(op_->predicate_out[0], carry);
}

Ymm RunCompilerAvx2::formula(std::uint8_t table, bool& owned) {
  const LogicFormula& formula = logic_formulas()[table];
  owned = formula.kind != LogicFormula::operand;
  if (!owned) return table == 0xf0 ? row(op_->a) : table == 0xcc ? operand(form_->b, op_->b) : row(op_->c);
  if (formula.kind == LogicFormula::none) {
    const Ymm d = take();
    vmovdqa(d, constant(table == 0 ? Constant::zeros : Constant::ones));
    return d;
  }
  bool x_owned = false, y_owned = false;
  const Ymm x = this->formula(formula.x, x_owned);
  const Ymm y = formula.kind == LogicFormula::invert ? x : this->formula(formula.y, y_owned);
  const Ymm d = x_owned ? x : y_owned ? y : take();
  switch (formula.kind) {
    case LogicFormula::invert:
      vpxor(d, x, constant(Constant::ones));
      break;
    case LogicFormula::conjunction:
      vpand(d, x, y);
      break;
    case LogicFormula::and_not:
      vpandn(d, x, y);
      break;
    case LogicFormula::disjunction:
      vpor(d, x, y);
      break;
    default:
      vpxor(d, x, y);
  }
  if (x_owned && y_owned) give(y);
  return d;
}

void RunCompilerAvx2::emit_logic() {
  // An operand that is RZ leaves half of the table.
  auto table = static_cast<unsigned>(op_->modifiers) & 0xff;
  if (is_zero(op_->a)) table = (table & 0x0f) | (table & 0x0f) << 4;
  if (form_->b == From::row && is_zero(op_->b)) table = (table & 0x33) | (table & 0x33) << 2;
  if (is_zero(op_->c)) table = (table & 0x55) | (table & 0x55) << 1;
  bool owned = false;
  Ymm d = formula(static_cast<std::uint8_t>(table), owned);
  if (!owned) {
    const Ymm copy = take();
    vmovdqa(copy, d);
    d = copy;
  }
  Mask nonzero;
  const bool out = op_->predicate_out[0] != sink_predicate;
  if (out) nonzero = complement(equals_zero(d));
  finish(op_->d, d);
  if (!out) return;
  const Mask with = predicate(op_->predicate_in[0], op_->predicate_in_flip[0]);
  const Mask result = op_->detail[0] != 0 ? both(nonzero, with) : either(nonzero, with);
  set_predicate(op_->predicate_out[0], result);
  release(nonzero);
}

void RunCompilerAvx2::emit_shift() {
  const auto kind = static_cast<FusedShift>(form_->detail & 7);
  const bool left = kind == FusedShift::left || kind == FusedShift::funnel_left;
  const bool funnel =
      kind == FusedShift::funnel_left || kind == FusedShift::funnel_right || kind == FusedShift::signed_funnel_right;
  if ((form_->detail & 8) != 0) {
    const auto by = static_cast<std::uint8_t>(op_->immediate[0]);
    const Ymm a = left || funnel ? row(op_->a) : Ymm(), c = !left || funnel ? row(op_->c) : Ymm(), d = take();
    if (kind == FusedShift::left) vpslld(d, a, by);
    if (kind == FusedShift::right) vpsrld(d, c, by);
    if (kind == FusedShift::signed_right) vpsrad(d, c, by);
    if (funnel) {
      const Ymm other = take();
      const auto rest = static_cast<std::uint8_t>(32 - by);  // a shift by 32 gives zeros
      if (left) {
        vpslld(d, c, by);
        vpsrld(other, a, rest);
      } else {
        vpsrld(d, a, by);
        vpslld(other, c, rest);
      }
      vpor(d, d, other);
      give(other);
    }
    return finish(op_->d, d);
  }
  // By a variable amount; what is at or above 32 shifts all bits out, as the amount's limit does.
  const Ymm value = row(left ? op_->a : op_->c), amount = operand(form_->b, op_->b), d = take();
  const bool wrap = op_->modifiers & 1;
  const std::uint32_t width = op_->modifiers & ~1u;
  if (wrap) {
    const auto bits = static_cast<std::uint8_t>(width == 64 ? 26 : 27);
    vpslld(d, amount, bits);
    vpsrld(d, d, bits);
  }
  const Ymm by = wrap ? d : amount;
  if (kind == FusedShift::left) vpsllvd(d, value, by);
  if (kind == FusedShift::right) vpsrlvd(d, value, by);
  if (kind == FusedShift::signed_right) vpsravd(d, value, by);
  finish(op_->d, d);
}

void RunCompilerAvx2::emit_select() {
  const Mask where = predicate(op_->predicate_in[0], op_->predicate_in_flip[0]);
  select(where, row(op_->a), operand(form_->b, op_->b));
}

void RunCompilerAvx2::emit_move() {
  for (unsigned which = 0; which < (form_->kind == FusedKind::move_pair ? 2u : 1u); ++which) {
    const Ymm b = operand(form_->b, op_->b, which);
    finish(is_sink(op_->d) ? op_->d : op_->d + which, to_change(b));
  }
}

void RunCompilerAvx2::emit_compare() {
  const Ymm a = row(op_->a), b = operand(form_->b, op_->b);
  Mask result = compare(static_cast<Relation>(form_->detail & 7), form_->detail & 8, a, b);
  if (op_->detail[1] != 0) {  // where the words are equal the comparison of the low words decides
    const Mask equal = compare(Relation::equal, false, a, b);
    const Mask chosen = choose(equal, predicate(op_->predicate_in[1], op_->predicate_in_flip[1]), result);
    release(equal);
    release(result);
    result = chosen;
  }
  combine_and_set(op_->detail[0], result, true);
}

void RunCompilerAvx2::emit_minimum() {
  const bool maximum = op_->modifiers & 1, is_signed = op_->modifiers & 2;
  const Ymm a = row(op_->a);
  const Last b = last_operand(form_->b, op_->b);
  const Ymm d = take();
  if (is_signed && maximum) vpmaxsd(d, a, b);
  if (is_signed && !maximum) vpminsd(d, a, b);
  if (!is_signed && maximum) vpmaxud(d, a, b);
  if (!is_signed && !maximum) vpminud(d, a, b);
  finish(op_->d, d);
}

void RunCompilerAvx2::emit_special() {
  const Ymm d = take();
  if (form_->detail <= static_cast<unsigned>(FusedSpecial::thread_z)) {
    lea(rax, ptr[thread_row()]);
    vmovdqu(d, ptr[rax + r10]);
  } else {
    vpbroadcastd(d, block_word());
  }
  finish(op_->d, d);
}

}  // namespace lanebank::machine::fuse
#endif
