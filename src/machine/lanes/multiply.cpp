// Products and scaled sums: IMAD, IMAD.WIDE, IMAD.HI, LEA, CLMAD.
#include "machine/lanes/alu.hpp"
#include "machine/lanes/pairs.hpp"

namespace lanebank::machine::LANEBANK_SIMD {
namespace {

using nm::Word;

constexpr Word all_ones = ~Word{0};

// ------------------------------------------------------------------------------------------------ IMAD

struct MultiplyAdd {
  explicit MultiplyAdd(const Operation&) {}
  LANEBANK_INLINE Word operator()(Word a, Word b, Word c) const { return a * b + c; }
};
struct MultiplySubtract {
  explicit MultiplySubtract(const Operation&) {}
  LANEBANK_INLINE Word operator()(Word a, Word b, Word c) const { return a * b - c; }
};
struct Multiply {
  explicit Multiply(const Operation&) {}
  LANEBANK_INLINE Word operator()(Word a, Word b, Word) const { return a * b; }
};
struct AddThird {
  explicit AddThird(const Operation&) {}
  LANEBANK_INLINE Word operator()(Word a, Word, Word c) const { return a + c; }
};
struct SubtractThird {
  explicit SubtractThird(const Operation&) {}
  LANEBANK_INLINE Word operator()(Word a, Word, Word c) const { return a - c; }
};
struct Third {
  explicit Third(const Operation&) {}
  LANEBANK_INLINE Word operator()(Word, Word, Word c) const { return c; }
};
struct NegatedThird {
  explicit NegatedThird(const Operation&) {}
  LANEBANK_INLINE Word operator()(Word, Word, Word c) const { return 0 - c; }
};

/// IMAD.X: a * b + c + predicate, c complemented if bit 0 of `modifiers` is set.
template <From B, From C>
const Operation* multiply_add_carry(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  if (mask == 0) return op + 1;
  const std::uint32_t* a = w.row(op->a);
  const Operand32<B> b(w, op, op->b);
  const Operand32<C> c(w, op, op->c);
  std::uint32_t* d = w.row(op->d);
  const Words flip = splat(op->modifiers & 1 ? all_ones : 0);
  const std::uint32_t in = predicate_in(w, op, 0);
  for (unsigned v = 0; v < vector_count; ++v)
    store_lanes(mask, d, v, load(a, v) * load(b, v) + (load(c, v) ^ flip) + ones_where(in, v));
  return op + 1;
}

/// The same with a factor of 1 or 0: a + c + predicate.
template <From C>
const Operation* add_carry(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  if (mask == 0) return op + 1;
  const std::uint32_t* a = w.row(op->a);
  const Operand32<C> c(w, op, op->c);
  std::uint32_t* d = w.row(op->d);
  const Words flip = splat(op->modifiers & 1 ? all_ones : 0);
  const std::uint32_t in = predicate_in(w, op, 0);
  for (unsigned v = 0; v < vector_count; ++v)
    store_lanes(mask, d, v, load(a, v) + (load(c, v) ^ flip) + ones_where(in, v));
  return op + 1;
}

/// Picks among functors of a and c alone.
template <class F>
Execute select_third(From c) {
  if (c == From::immediate) return &alu3<F, From::row, From::immediate>;
  if (c == From::uniform) return &alu3<F, From::row, From::uniform>;
  return &alu3<F, From::row, From::row>;
}

Execute select_multiply_add_carry(Lowering::Operands kinds, bool is_sum) {
  if (is_sum) {
    if (kinds.c == From::immediate) return &add_carry<From::immediate>;
    if (kinds.c == From::uniform) return &add_carry<From::uniform>;
    return &add_carry<From::row>;
  }
  if (kinds.b == From::immediate) return &multiply_add_carry<From::immediate, From::row>;
  if (kinds.b == From::uniform) return &multiply_add_carry<From::uniform, From::row>;
  if (kinds.c == From::immediate) return &multiply_add_carry<From::row, From::immediate>;
  if (kinds.c == From::uniform) return &multiply_add_carry<From::row, From::uniform>;
  return &multiply_add_carry<From::row, From::row>;
}

// ------------------------------------------------------------------------------------- 64-bit products

struct WordPairs {
  Words low, high;
};

/// The 64-bit products of the lanes.
template <bool is_signed>
LANEBANK_INLINE WordPairs multiply_wide(Words a, Words b) {
#if defined(LANEBANK_AVX512)
  constexpr __mmask8 all = 0xff;
  const __m512i x = reinterpret_cast<__m512i>(a), y = reinterpret_cast<__m512i>(b);
  const __m512i x_odd = _mm512_maskz_srli_epi64(all, x, 32), y_odd = _mm512_maskz_srli_epi64(all, y, 32);
  const __m512i even = is_signed ? _mm512_maskz_mul_epi32(all, x, y) : _mm512_maskz_mul_epu32(all, x, y);
  const __m512i odd = is_signed ? _mm512_maskz_mul_epi32(all, x_odd, y_odd) : _mm512_maskz_mul_epu32(all, x_odd, y_odd);
  return {reinterpret_cast<Words>(_mm512_mask_shuffle_epi32(even, 0xaaaa, odd, _MM_PERM_CCAA)),
          reinterpret_cast<Words>(_mm512_mask_shuffle_epi32(odd, 0x5555, even, _MM_PERM_DDBB))};
#elif defined(__AVX2__)
  const __m256i x = reinterpret_cast<__m256i>(a), y = reinterpret_cast<__m256i>(b);
  const __m256i x_odd = _mm256_srli_epi64(x, 32), y_odd = _mm256_srli_epi64(y, 32);
  const __m256i even = is_signed ? _mm256_mul_epi32(x, y) : _mm256_mul_epu32(x, y);
  const __m256i odd = is_signed ? _mm256_mul_epi32(x_odd, y_odd) : _mm256_mul_epu32(x_odd, y_odd);
  return {reinterpret_cast<Words>(_mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xaa)),
          reinterpret_cast<Words>(_mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa))};
#else
  WordPairs result;
  for (unsigned i = 0; i < vector_lanes; ++i) {
    const std::uint64_t product = is_signed ? nm::signed_product(a[i], b[i]) : nm::product(a[i], b[i]);
    result.low[i] = static_cast<Word>(product);
    result.high[i] = static_cast<Word>(product >> 32);
  }
  return result;
#endif
}

/// The words of a 64-bit operand.
template <From kind>
struct PairOperand {
  const std::uint32_t* row;
  std::uint32_t low, high;
  LANEBANK_INLINE PairOperand(Warp& w, const Operation* op, std::uint16_t number) : row(nullptr), low(0), high(0) {
    if constexpr (kind == From::row) row = w.row(number);
    if constexpr (kind == From::immediate) low = op->immediate[0], high = op->immediate[1];
    if constexpr (kind == From::uniform) low = w.uniform[op->uniform], high = w.uniform[op->uniform + 1];
  }
  LANEBANK_INLINE WordPairs operator[](unsigned v) const {
    if constexpr (kind == From::row) return {load(row, v), load(row + 32, v)};
    return {splat(low), splat(high)};
  }
};

LANEBANK_INLINE Words ones_of(std::uint32_t bits) { return ones_where(bits, 0); }

/// IMAD.WIDE and IMAD.HI without carries.
template <From B, From C, bool is_signed, bool high_only>
const Operation* multiply_add_wide(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  if (mask == 0) return op + 1;
  const std::uint32_t* a = w.row(op->a);
  const Operand32<B> b(w, op, op->b);
  const PairOperand<C> c(w, op, op->c);
  std::uint32_t* d = w.row(op->d);
  for (unsigned v = 0; v < vector_count; ++v) {
    const WordPairs product = multiply_wide<is_signed>(load(a, v), load(b, v)), addend = c[v];
    const Words low = product.low + addend.low;
    const Words high = product.high + addend.high + ones_of(compare_words<Compare::less>(low, addend.low));
    if constexpr (high_only) {
      store_lanes(mask, d, v, high);
    } else {
      store_lanes(mask, d, v, low);
      store_lanes(mask, d + 32, v, high);
    }
  }
  return op + 1;
}

/// The same with a carry-out, a carry-in (.X) or a negated (with .X: complemented) c. Modifiers: 1 c
/// complemented, 2 and 1 added, 4 the predicate source added. `detail[0]`: the high word alone is kept.
template <From B, From C, bool is_signed>
const Operation* multiply_add_wide_carry(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  if (mask == 0) return op + 1;
  const std::uint32_t* a = w.row(op->a);
  const Operand32<B> b(w, op, op->b);
  const PairOperand<C> c(w, op, op->c);
  std::uint32_t* d = w.row(op->d);
  const Words flip = splat(op->modifiers & 1 ? all_ones : 0);
  const std::uint32_t in = op->modifiers & 4 ? predicate_in(w, op, 0) : op->modifiers & 2 ? all_lanes : 0;
  std::uint32_t out = 0;
  for (unsigned v = 0; v < vector_count; ++v) {
    const WordPairs product = multiply_wide<is_signed>(load(a, v), load(b, v)), addend = c[v];
    const Words c_low = addend.low ^ flip, c_high = addend.high ^ flip, plus = ones_where(in, v);
    const Words low = product.low + c_low, low2 = low + plus;
    const Words carry =
        ones_of(compare_words<Compare::less>(low, c_low)) + ones_of(compare_words<Compare::less>(low2, plus));
    const Words high = product.high + c_high, high2 = high + carry;
    const std::uint32_t over = compare_words<Compare::less>(high, c_high) | compare_words<Compare::less>(high2, carry);
    out |= at_vector(over, v);
    if (op->detail[0] != 0) {
      store_lanes(mask, d, v, high2);
    } else {
      store_lanes(mask, d, v, low2);
      store_lanes(mask, d + 32, v, high2);
    }
  }
  set_wanted_predicate(w, op, 0, mask, out);
  return op + 1;
}

enum class Wide { pair, high, carry };

template <From B, From C, Wide kind>
Execute select_wide(bool is_signed) {
  if constexpr (kind == Wide::carry) {
    return is_signed ? &multiply_add_wide_carry<B, C, true> : &multiply_add_wide_carry<B, C, false>;
  } else {
    return is_signed ? &multiply_add_wide<B, C, true, kind == Wide::high>
                     : &multiply_add_wide<B, C, false, kind == Wide::high>;
  }
}

template <Wide kind>
Execute select_wide(Lowering::Operands kinds, bool is_signed) {
  if (kinds.b == From::immediate) return select_wide<From::immediate, From::row, kind>(is_signed);
  if (kinds.b == From::uniform) return select_wide<From::uniform, From::row, kind>(is_signed);
  if (kinds.c == From::immediate) return select_wide<From::row, From::immediate, kind>(is_signed);
  if (kinds.c == From::uniform) return select_wide<From::row, From::uniform, kind>(is_signed);
  return select_wide<From::row, From::row, kind>(is_signed);
}

/// Whether c is negated: the bit goes with the slot that it is read from.
bool third_is_negated(const Lowering& l) {
  switch (l.bits(9, 12)) {
    case 2:
      return false;  // a literal
    case 3:
    case 7:
      return l.bit(63);
    default:
      return l.bit(75);
  }
}

void lower_wide(Lowering& l, bool high_only) {
  l.op.d = l.d(high_only ? 1 : 2);
  l.op.a = l.a();
  const Lowering::Operands kinds = l.operands(1, 2);
  const bool is_signed = l.bit(73), extended = l.bit(74), negated = third_is_negated(l);
  predicate_destination(l, 0, 81);
  l.predicate_source(0, 87);
  l.op.modifiers = (negated ? 1u : 0u) | (negated && !extended ? 2u : 0u) | (extended ? 4u : 0u);
  l.op.detail[0] = high_only;
  if (l.op.modifiers != 0 || has_predicate_out(l, 0)) {
    l.op.execute = select_wide<Wide::carry>(kinds, is_signed);
  } else {
    l.op.execute = high_only ? select_wide<Wide::high>(kinds, is_signed) : select_wide<Wide::pair>(kinds, is_signed);
    l.fuse(FusedKind::multiply_wide, kinds.b, kinds.c, unsigned{is_signed} | (high_only ? 2u : 0u));
  }
}

// ------------------------------------------------------------------------------------------------- LEA

struct ScaledAdd {
  Word shift;
  explicit ScaledAdd(const Operation& op) : shift(op.detail[0]) {}
  LANEBANK_INLINE Word operator()(Word a, Word b, Word) const { return (a << shift) + b; }
};
struct ScaledHighAdd {
  Word shift;
  explicit ScaledHighAdd(const Operation& op) : shift(op.detail[0]) {}
  LANEBANK_INLINE Word operator()(Word a, Word b, Word c) const { return nm::lea_high(a, c, shift) + b; }
};
struct ScaledHighSignedAdd {
  Word shift;
  explicit ScaledHighSignedAdd(const Operation& op) : shift(op.detail[0]) {}
  LANEBANK_INLINE Word operator()(Word a, Word b, Word) const {
    return nm::lea_high(a, nm::arithmetic_right(a, 31), shift) + b;
  }
};

/// What a scaled sum needs besides the sum: a carry out; carries in and complements; or all of that.
enum class Carry { out, in, both };

/// LEA with carries or negations. Modifiers: 1 the shifted a complemented, 2 b complemented, 4 the predicate
/// source added (.X), 8 the sign of a in place of c; `detail[1]` is added too (negations without .X).
template <From B, From C, bool high, Carry carry>
const Operation* scaled_add_carry(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  if (mask == 0) return op + 1;
  const std::uint32_t* a_row = w.row(op->a);
  const Operand32<B> b_operand(w, op, op->b);
  const Operand32<C> c_operand(w, op, op->c);
  std::uint32_t* d = w.row(op->d);
  const Words a_flip = splat(op->modifiers & 1 ? all_ones : 0), b_flip = splat(op->modifiers & 2 ? all_ones : 0);
  const Words sign = splat(op->modifiers & 8 ? all_ones : 0);
  const std::uint32_t in = op->modifiers & 4 ? predicate_in(w, op, 0) : 0;
  const int shift = op->detail[0];
  std::uint32_t out = 0;
  for (unsigned v = 0; v < vector_count; ++v) {
    const Words a = load(a_row, v);
    Words b = load(b_operand, v), shifted = a << shift;
    if constexpr (high) {
      const Words top =
          (reinterpret_cast<Words>(reinterpret_cast<SignedWords>(a) >> 31) & sign) | (load(c_operand, v) & ~sign);
      shifted = top << shift | a >> 1 >> (31 - shift);
    }
    if constexpr (carry != Carry::out) shifted ^= a_flip, b ^= b_flip;
    const Words sum = shifted + b;
    std::uint32_t over = carry == Carry::in ? 0 : compare_words<Compare::less>(sum, b);
    Words result = sum;
    if constexpr (carry != Carry::out) {
      const Words plus = ones_where(in, v) + splat(op->detail[1]);
      result = sum + plus;
      if constexpr (carry == Carry::both) over |= compare_words<Compare::less>(result, plus);
    }
    out |= at_vector(over, v);
    store_lanes(mask, d, v, result);
  }
  if constexpr (carry != Carry::in) set_predicate(w, op, 0, mask, out);
  return op + 1;
}

template <Carry carry>
Execute select_scaled_add_carry(Lowering::Operands kinds, bool high) {
  if (kinds.c == From::immediate) return &scaled_add_carry<From::row, From::immediate, true, carry>;
  if (kinds.c == From::uniform) return &scaled_add_carry<From::row, From::uniform, true, carry>;
  if (kinds.b == From::immediate)
    return high ? &scaled_add_carry<From::immediate, From::row, true, carry>
                : &scaled_add_carry<From::immediate, From::row, false, carry>;
  if (kinds.b == From::uniform)
    return high ? &scaled_add_carry<From::uniform, From::row, true, carry>
                : &scaled_add_carry<From::uniform, From::row, false, carry>;
  return high ? &scaled_add_carry<From::row, From::row, true, carry>
              : &scaled_add_carry<From::row, From::row, false, carry>;
}

/// CLMAD: one half of a carry-less product, with c added (that is, XOR).
template <bool high>
struct CarrylessMultiplyAdd {
  explicit CarrylessMultiplyAdd(const Operation&) {}
  LANEBANK_INLINE std::uint64_t operator()(std::uint64_t a, std::uint64_t b, std::uint64_t c) const {
    return nm::carryless_product(a, b, high) ^ c;
  }
};

}  // namespace

void lower_IMAD(Lowering& l) {
  const Lowering::Operands kinds = usual_operands(l);
  const bool extended = l.bit(74), negated = third_is_negated(l);
  const bool no_product = is_zero_row(l, l.op.a) || (kinds.b == From::row && is_zero_row(l, l.op.b));
  const bool factor_is_one = l.bits(9, 12) == 4 && l.op.immediate[0] == 1;
  if (no_product) l.op.a = l.register_count;
  l.predicate_source(0, 87);
  using enum FusedProduct;
  const auto fuse = [&](FusedProduct product) {
    l.fuse(FusedKind::multiply_add, kinds.b, kinds.c, static_cast<unsigned>(product));
  };
  if (extended) {
    l.op.modifiers = negated ? 1 : 0;
    if (no_product || factor_is_one) fuse(sum_carry);
    // With no product the factor does not count; it may then use the words that c is not taken from.
    l.op.execute = select_multiply_add_carry(kinds, no_product || factor_is_one);
  } else if (no_product) {
    l.op.execute = negated ? select_third<NegatedThird>(kinds.c) : select_third<Third>(kinds.c);
    fuse(negated ? negated_third : third);
  } else if (factor_is_one) {
    l.op.execute = negated ? select_third<SubtractThird>(kinds.c) : select_third<AddThird>(kinds.c);
    fuse(negated ? difference : sum);
  } else if (negated) {
    l.op.execute = select_alu3<MultiplySubtract>(kinds);
    fuse(minus);
  } else if (kinds.c == From::row && is_zero_row(l, l.op.c)) {
    l.op.execute = select_alu2<Multiply>(kinds.b);
    fuse(product);
  } else {
    l.op.execute = select_alu3<MultiplyAdd>(kinds);
    fuse(plus);
  }
}

void lower_IMAD_WIDE(Lowering& l) { lower_wide(l, false); }
void lower_IMAD_HI(Lowering& l) { lower_wide(l, true); }

void lower_LEA(Lowering& l) {
  const Lowering::Operands kinds = usual_operands(l);
  const bool high = l.bit(80), sign = l.bit(73), extended = l.bit(74), a_negated = l.bit(72);
  const bool b_negated = l.bits(9, 12) != 4 && !kinds.swapped && l.bit(63);
  require(l, high || !kinds.swapped, "LEA with a third operand that is no register");
  require(l, high || !sign, "LEA.SX32 without HI");
  predicate_destination(l, 0, 81);
  l.predicate_source(0, 87);
  l.op.detail[0] = static_cast<std::uint8_t>(l.bits(75, 80));
  l.op.detail[1] = static_cast<std::uint8_t>(extended ? 0 : unsigned{a_negated} + unsigned{b_negated});
  l.op.modifiers = (a_negated ? 1u : 0u) | (b_negated ? 2u : 0u) | (extended ? 4u : 0u) | (sign ? 8u : 0u);
  const bool out = has_predicate_out(l, 0), in = extended || a_negated || b_negated;
  if (!out || !in) l.fuse(FusedKind::scaled_sum, kinds.b, kinds.c, high);
  if (out) {
    l.op.execute =
        in ? select_scaled_add_carry<Carry::both>(kinds, high) : select_scaled_add_carry<Carry::out>(kinds, high);
  } else if (in) {
    l.op.execute = select_scaled_add_carry<Carry::in>(kinds, high);
  } else if (!high) {
    l.op.execute = select_alu2<ScaledAdd>(kinds.b);
  } else {
    l.op.execute = sign ? select_alu2<ScaledHighSignedAdd>(kinds.b) : select_alu3<ScaledHighAdd>(kinds);
  }
}

void lower_CLMAD(Lowering& l) {
  l.op.d = l.d(2);
  l.op.a = l.a(2);
  const Lowering::Operands kinds = l.operands(2, 2);
  require(l, l.bits(9, 12) != 2 && l.bits(9, 12) != 4, "an operand form that CLMAD does not have");
  l.op.execute =
      l.bit(77) ? select_pairs<CarrylessMultiplyAdd<true>>(kinds) : select_pairs<CarrylessMultiplyAdd<false>>(kinds);
}

}  // namespace lanebank::machine::LANEBANK_SIMD
