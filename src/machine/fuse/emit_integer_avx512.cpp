// AVX-512 code for the integer operations of runs. What they compute stands in lanes/.
#if defined(__x86_64__)
#include <bit>

#include "machine/fuse/run_compiler_avx512.hpp"

namespace lanebank::machine::fuse {

using namespace Xbyak;

namespace {

/// Comparisons of vpcmpd and vpcmpud.
enum : std::uint8_t {
  cmp_equal = 0,
  cmp_less = 1,
  cmp_less_equal = 2,
  cmp_not_equal = 4,
  cmp_greater_equal = 5,
  cmp_greater = 6,
};

}  // namespace

void RunCompilerAvx512::emit_sum() {
  const unsigned negated = op_->modifiers & 7;
  const Pair a = row(op_->a);
  const Source b = source(form_->b, op_->b);
  const bool third = !is_zero(op_->c);
  const Pair c = third ? row(op_->c) : Pair{};
  const Pair result = take();
  for (int h = 0; h < 2; ++h) {
    const Zmm d = result.half(h);
    Zmm first = a.half(h);
    if (negated & 1) {
      vpxord(d, d, d);
      vpsubd(d, d, a.half(h));
      first = d;
    }
    if (negated & 2)
      vpsubd(d, first, operand(b, h));
    else
      vpaddd(d, first, operand(b, h));
    if (third && negated & 4) vpsubd(d, d, c.half(h));
    if (third && !(negated & 4)) vpaddd(d, d, c.half(h));
  }
  finish(op_->d, result);
}

void RunCompilerAvx512::emit_sum_carry() {
  const bool extended = form_->detail != 0, third = !is_zero(op_->c) || (op_->modifiers & 4) != 0;
  const bool out = op_->predicate_out[0] != sink_predicate, plus_one = !extended && op_->detail[0] != 0;
  // The addends, complemented where they are negated; a and b lead.
  const auto addend = [&](const Source& value, bool flip) {
    const Pair pair = vectors(value, flip);
    if (flip)
      for (int h = 0; h < 2; ++h) vpxord(pair.half(h), pair.half(h), zmm31);
    return pair;
  };
  const bool flip_a = op_->modifiers & 1, flip_b = op_->modifiers & 2, flip_c = op_->modifiers & 4;
  const Pair a = addend(source(From::row, op_->a), flip_a);
  const Source b_source = source(form_->b, op_->b);
  const Pair b = addend(b_source, flip_b);
  const Pair c = third ? addend(source(From::row, op_->c), flip_c) : Pair{};
  const Pair result = take();
  if (extended) load_predicate(op_->predicate_in[0], op_->predicate_in_flip[0], 5);
  for (int h = 0; h < 2; ++h) {
    const Zmm d = result.half(h);
    vpaddd(d, a.half(h), b.half(h));
    if (out) vpcmpud(Opmask(3 + h), d, a.half(h), cmp_less);
    if (third) {
      vpaddd(d, d, c.half(h));
      if (out) {
        vpcmpud(k7, d, c.half(h), cmp_less);
        korw(Opmask(3 + h), Opmask(3 + h), k7);
      }
    }
    if (plus_one) {
      vpsubd(d, d, zmm31);
      if (out) {
        vptestnmd(k7, d, d);
        korw(Opmask(3 + h), Opmask(3 + h), k7);
      }
    }
  }
  if (extended) ones_to(result, 5);
  if (flip_a) give(a);
  if (flip_b || !b_source.is_row) give(b);
  if (third && flip_c) give(c);
  finish(op_->d, result);
  if (out) {
    join_masks(3, 4);
    set_predicate(op_->predicate_out[0]);
  }
}

void RunCompilerAvx512::emit_multiply_add() {
  const auto shape = static_cast<FusedProduct>(form_->detail);
  const bool multiplies = has_product(shape);
  const std::uint32_t factor = op_->immediate[0];
  const bool shifts = multiplies && form_->b == From::immediate && form_->literal && std::has_single_bit(factor);
  const bool reads_c = shape != FusedProduct::product;
  const Pair a = shape == FusedProduct::third || shape == FusedProduct::negated_third ? Pair{} : row(op_->a);
  const Source b = multiplies && !shifts ? source(form_->b, op_->b) : Source{};
  Source c;
  if (reads_c) c = source(form_->c, op_->c);
  const Pair result = take();
  if (shape == FusedProduct::sum_carry) load_predicate(op_->predicate_in[0], op_->predicate_in_flip[0], 5);
  for (int h = 0; h < 2; ++h) {
    const Zmm d = result.half(h);
    if (shifts) vpslld(d, a.half(h), static_cast<std::uint8_t>(std::countr_zero(factor)));
    if (multiplies && !shifts) vpmulld(d, a.half(h), operand(b, h));
    switch (shape) {
      case FusedProduct::product:
        break;
      case FusedProduct::plus:
        vpaddd(d, d, operand(c, h));
        break;
      case FusedProduct::minus:
        vpsubd(d, d, operand(c, h));
        break;
      case FusedProduct::third:
        break;
      case FusedProduct::negated_third:
        vpxord(d, d, d);
        vpsubd(d, d, operand(c, h));
        break;
      case FusedProduct::sum:
        vpaddd(d, a.half(h), operand(c, h));
        break;
      case FusedProduct::difference:
        vpsubd(d, a.half(h), operand(c, h));
        break;
      case FusedProduct::sum_carry:
        if (op_->modifiers & 1) {
          vpxord(d, zmm31, operand(c, h));
          vpaddd(d, d, a.half(h));
        } else {
          vpaddd(d, a.half(h), operand(c, h));
        }
        break;
    }
  }
  if (shape == FusedProduct::third) copy(result, c);
  if (shape == FusedProduct::sum_carry) ones_to(result, 5);
  finish(op_->d, result);
}

void RunCompilerAvx512::emit_multiply_wide() {
  const bool is_signed = form_->detail & 1, high_only = form_->detail & 2;
  const bool adds = form_->c != From::row || !is_zero(op_->c);
  const std::uint32_t factor = op_->immediate[0];
  const bool shifts = form_->b == From::immediate && form_->literal && std::has_single_bit(factor) && factor > 1 &&
                      factor < 0x80000000u;
  const Pair a = row(op_->a);
  const Source b_source = shifts ? Source{} : source(form_->b, op_->b);
  const Pair low = take(), high = take();
  if (shifts) {
    const auto by = static_cast<std::uint8_t>(std::countr_zero(factor));
    for (int h = 0; h < 2; ++h) {
      vpslld(low.half(h), a.half(h), by);
      if (is_signed)
        vpsrad(high.half(h), a.half(h), static_cast<std::uint8_t>(32 - by));
      else
        vpsrld(high.half(h), a.half(h), static_cast<std::uint8_t>(32 - by));
    }
  } else {
    const Pair b = vectors(b_source, false), odd = take();
    mov(eax, 0xaaaa);
    kmovw(k5, eax);
    knotw(k6, k5);
    for (int h = 0; h < 2; ++h) {
      const Zmm even = low.half(h), x = odd.half(h), y = high.half(h);
      vpsrlq(x, a.half(h), 32);
      vpsrlq(y, b.half(h), 32);
      if (is_signed) {
        vpmuldq(even, a.half(h), b.half(h));
        vpmuldq(x, x, y);
      } else {
        vpmuludq(even, a.half(h), b.half(h));
        vpmuludq(x, x, y);
      }
      vmovdqa32(y, x);              // high words: odd lanes as they are,
      vpshufd(y | k6, even, 0xf5);  // even lanes from above
      vpshufd(even | k5, x, 0xa0);  // low words of odd lanes from below
    }
    give(odd);
    if (!b_source.is_row) give(b);
  }
  if (adds) {
    const Source c_low = source(form_->c, op_->c), c_high = source(form_->c, op_->c, 1);
    const Pair c = vectors(c_low, false);
    for (int h = 0; h < 2; ++h) {
      vpaddd(low.half(h), low.half(h), c.half(h));
      vpcmpud(k7, low.half(h), c.half(h), cmp_less);
      vpaddd(high.half(h), high.half(h), operand(c_high, h));
      vpsubd(high.half(h) | k7, high.half(h), zmm31);
    }
    if (!c_low.is_row) give(c);
  }
  if (high_only) {
    give(low);
    finish(op_->d, high);
  } else {
    finish(op_->d, low);
    finish(op_->d + 1u, high);
  }
}

void RunCompilerAvx512::emit_scaled_sum() {
  const bool high = form_->detail != 0, out = op_->predicate_out[0] != sink_predicate;
  const bool flip_a = op_->modifiers & 1, flip_b = op_->modifiers & 2, sign = op_->modifiers & 8;
  const auto by = static_cast<std::uint8_t>(op_->detail[0]);
  const Pair a = row(op_->a);
  Source b = source(form_->b, op_->b);
  if (flip_b) {
    b.pair = vectors(b, true);
    b.is_row = true;
    for (int h = 0; h < 2; ++h) vpxord(b.pair.half(h), b.pair.half(h), zmm31);
  }
  const Source c = high && !sign ? source(form_->c, op_->c) : Source{};
  const Pair result = take(), scratch = high ? take() : Pair{};
  for (int h = 0; h < 2; ++h) {
    const Zmm d = result.half(h);
    if (high) {
      const Zmm top = scratch.half(h);
      if (sign) {
        vpsrad(top, a.half(h), 31);
      } else if (c.is_row) {
        vmovdqa32(top, c.pair.half(h));
      } else {
        vpbroadcastd(top, c.in_warp ? ptr[rdi + c.offset] : ptr[rsi + c.offset]);
      }
      if (by != 0) {
        vpslld(top, top, by);
        vpsrld(d, a.half(h), static_cast<std::uint8_t>(32 - by));
        vpord(d, d, top);
      } else {
        vmovdqa32(d, top);
      }
    } else {
      vpslld(d, a.half(h), by);
    }
    if (flip_a) vpxord(d, d, zmm31);
    vpaddd(d, d, operand(b, h));
    if (out) vpcmpud(Opmask(3 + h), d, operand(b, h), cmp_less);
    for (unsigned n = 0; n < op_->detail[1]; ++n) vpsubd(d, d, zmm31);
  }
  if (op_->modifiers & 4) {
    load_predicate(op_->predicate_in[0], op_->predicate_in_flip[0], 5);
    ones_to(result, 5);
  }
  if (high) give(scratch);
  if (flip_b) give(b.pair);
  finish(op_->d, result);
  if (out) {
    join_masks(3, 4);
    set_predicate(op_->predicate_out[0]);
  }
}

void RunCompilerAvx512::emit_logic() {
  const auto table = static_cast<std::uint8_t>(op_->modifiers);
  const bool out = op_->predicate_out[0] != sink_predicate;
  const Pair a = row(op_->a);
  const Source b = source(form_->b, op_->b);
  const bool and2 = table == 0xc0, or2 = table == 0xfc, xor2 = table == 0x3c;
  const Pair c = and2 || or2 || xor2 ? Pair{} : row(op_->c);
  const Pair b_vectors = and2 || or2 || xor2 ? Pair{} : vectors(b, false);
  const Pair result = take();
  for (int h = 0; h < 2; ++h) {
    const Zmm d = result.half(h);
    if (and2) vpandd(d, a.half(h), operand(b, h));
    if (or2) vpord(d, a.half(h), operand(b, h));
    if (xor2) vpxord(d, a.half(h), operand(b, h));
    if (!(and2 || or2 || xor2)) {
      vmovdqa32(d, a.half(h));
      vpternlogd(d, b_vectors.half(h), c.half(h), table);
    }
    if (out) vptestmd(Opmask(3 + h), d, d);
  }
  if (!(and2 || or2 || xor2) && !b.is_row) give(b_vectors);
  finish(op_->d, result);
  if (!out) return;
  join_masks(3, 4);
  mov(edx, predicate(op_->predicate_in[0]));
  if (op_->predicate_in_flip[0] != 0) not_(edx);
  if (op_->detail[0] != 0)
    and_(eax, edx);
  else
    or_(eax, edx);
  set_predicate(op_->predicate_out[0]);
}

void RunCompilerAvx512::emit_shift() {
  const auto kind = static_cast<FusedShift>(form_->detail & 7);
  const bool left = kind == FusedShift::left || kind == FusedShift::funnel_left;
  const bool funnel =
      kind == FusedShift::funnel_left || kind == FusedShift::funnel_right || kind == FusedShift::signed_funnel_right;
  if ((form_->detail & 8) != 0) {
    const auto by = static_cast<std::uint8_t>(op_->immediate[0]);
    const Pair a = left || funnel ? row(op_->a) : Pair{}, c = !left || funnel ? row(op_->c) : Pair{};
    const Pair result = take(), scratch = funnel ? take() : Pair{};
    for (int h = 0; h < 2; ++h) {
      const Zmm d = result.half(h);
      if (kind == FusedShift::left) vpslld(d, a.half(h), by);
      if (kind == FusedShift::right) vpsrld(d, c.half(h), by);
      if (kind == FusedShift::signed_right) vpsrad(d, c.half(h), by);
      if (!funnel) continue;
      const Zmm other = scratch.half(h);
      const auto rest = static_cast<std::uint8_t>(32 - by);  // a shift by 32 gives zeros
      if (left) {
        vpslld(d, c.half(h), by);
        vpsrld(other, a.half(h), rest);
      } else {
        vpsrld(d, a.half(h), by);
        vpslld(other, c.half(h), rest);
      }
      vpord(d, d, other);
    }
    if (funnel) give(scratch);
    return finish(op_->d, result);
  }
  // By a variable amount; what is at or above 32 shifts all bits out, as the amount's limit does.
  const Pair value = row(left ? op_->a : op_->c);
  const Source amount = source(form_->b, op_->b);
  const bool wrap = op_->modifiers & 1;
  const std::uint32_t width = op_->modifiers & ~1u;
  const Pair by = vectors(amount, wrap), result = take();
  const bool own = wrap || !amount.is_row;
  if (wrap)
    for (int h = 0; h < 2; ++h) {
      const auto bits = static_cast<std::uint8_t>(width == 64 ? 26 : 27);
      vpslld(by.half(h), by.half(h), bits);
      vpsrld(by.half(h), by.half(h), bits);
    }
  for (int h = 0; h < 2; ++h) {
    if (kind == FusedShift::left) vpsllvd(result.half(h), value.half(h), by.half(h));
    if (kind == FusedShift::right) vpsrlvd(result.half(h), value.half(h), by.half(h));
    if (kind == FusedShift::signed_right) vpsravd(result.half(h), value.half(h), by.half(h));
  }
  if (own) give(by);
  finish(op_->d, result);
}

void RunCompilerAvx512::emit_select() {
  const Pair a = row(op_->a);
  const Source b = source(form_->b, op_->b);
  const Pair result = take();
  load_predicate(op_->predicate_in[0], op_->predicate_in_flip[0], 5, true);  // set: b
  for (int h = 0; h < 2; ++h) vpblendmd(result.half(h) | Opmask(5 + h), a.half(h), operand(b, h));
  finish(op_->d, result);
}

void RunCompilerAvx512::emit_move() {
  for (unsigned which = 0; which < (form_->kind == FusedKind::move_pair ? 2u : 1u); ++which) {
    const Source b = source(form_->b, op_->b, which);
    const Pair result = take();
    copy(result, b);
    finish(is_sink(op_->d) ? op_->d : op_->d + which, result);
  }
}

void RunCompilerAvx512::emit_compare() {
  const bool is_signed = form_->detail & 8;
  static constexpr std::uint8_t codes[] = {0,           cmp_less,      cmp_equal,        cmp_less_equal,  // by Relation
                                           cmp_greater, cmp_not_equal, cmp_greater_equal};
  const std::uint8_t code = codes[form_->detail & 7];
  const Pair a = row(op_->a);
  const Source b = source(form_->b, op_->b);
  const bool extended = op_->detail[1] != 0;
  for (int h = 0; h < 2; ++h) {
    if (is_signed)
      vpcmpd(Opmask(3 + h), a.half(h), operand(b, h), code);
    else
      vpcmpud(Opmask(3 + h), a.half(h), operand(b, h), code);
    if (extended) vpcmpd(Opmask(5 + h), a.half(h), operand(b, h), cmp_equal);
  }
  join_masks(3, 4);
  if (extended) {  // where the words are equal the comparison of the low words decides
    kunpckwd(k5, k6, k5);
    kmovd(edx, k5);
    mov(ecx, predicate(op_->predicate_in[1]));
    if (op_->predicate_in_flip[1] != 0) not_(ecx);
    xor_(ecx, eax);
    and_(ecx, edx);
    xor_(eax, ecx);
  }
  combine_and_set(op_->detail[0], true);
}

void RunCompilerAvx512::emit_minimum() {
  const bool maximum = op_->modifiers & 1, is_signed = op_->modifiers & 2;
  const Pair a = row(op_->a);
  const Source b = source(form_->b, op_->b);
  const Pair result = take();
  for (int h = 0; h < 2; ++h) {
    const Zmm d = result.half(h);
    if (is_signed && maximum) vpmaxsd(d, a.half(h), operand(b, h));
    if (is_signed && !maximum) vpminsd(d, a.half(h), operand(b, h));
    if (!is_signed && maximum) vpmaxud(d, a.half(h), operand(b, h));
    if (!is_signed && !maximum) vpminud(d, a.half(h), operand(b, h));
  }
  finish(op_->d, result);
}

void RunCompilerAvx512::emit_special() {
  if (form_->detail <= static_cast<unsigned>(FusedSpecial::thread_z)) {
    const Pair result = take();
    const RegExp from = thread_row();
    for (int h = 0; h < 2; ++h) vmovdqu32(result.half(h), ptr[from + static_cast<std::size_t>(64 * h)]);
    return finish(op_->d, result);
  }
  const Address word = block_word();
  const Pair result = take();
  for (int h = 0; h < 2; ++h) vpbroadcastd(result.half(h), word);
  finish(op_->d, result);
}

}  // namespace lanebank::machine::fuse
#endif
