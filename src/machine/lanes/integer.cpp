// Sums, minima, dot products: the 32-bit integer operations. Products and address sums stand in multiply.cpp.
#include "machine/lanes/alu.hpp"

namespace lanebank::machine::LANEBANK_SIMD {
namespace {

using nm::Word;

constexpr Word all_ones = ~Word{0};

// ------------------------------------------------------------------------------------------------ sums

struct Add2 {
  explicit Add2(const Operation&) {}
  LANEBANK_INLINE Word operator()(Word a, Word b, Word) const { return a + b; }
};

struct Add3 {
  explicit Add3(const Operation&) {}
  LANEBANK_INLINE Word operator()(Word a, Word b, Word c) const { return a + b + c; }
};

/// Bit n of `modifiers`: operand n (a, b, c) is negated. `detail[0]` counts them.
struct Add3Negated {
  Word a_flip, b_flip, c_flip, plus;
  explicit Add3Negated(const Operation& op)
      : a_flip(op.modifiers & 1 ? all_ones : 0),
        b_flip(op.modifiers & 2 ? all_ones : 0),
        c_flip(op.modifiers & 4 ? all_ones : 0),
        plus(op.detail[0]) {}
  LANEBANK_INLINE Word operator()(Word a, Word b, Word c) const {
    return (a ^ a_flip) + (b ^ b_flip) + (c ^ c_flip) + plus;
  }
};

struct AddHalves {
  bool negated;
  explicit AddHalves(const Operation& op) : negated(op.modifiers & 2) {}
  LANEBANK_INLINE Word operator()(Word a, Word b, Word) const {
    return nm::add_halves(a, negated ? nm::negate_halves(b) : b);
  }
};

/// Sums with carries in or out. `two`: c is RZ. `extended` (.X): both predicate sources are added, and a
/// negated operand is its complement alone. `carries`: there are predicate results.
template <From B, bool two, bool extended, bool carries>
const Operation* add3_carry(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  if (mask == 0) return op + 1;
  const std::uint32_t* a_row = w.row(op->a);
  const Operand32<B> b_operand(w, op, op->b);
  const std::uint32_t* c_row = w.row(op->c);
  std::uint32_t* d = w.row(op->d);
  const Words a_flip = splat(op->modifiers & 1 ? all_ones : 0), b_flip = splat(op->modifiers & 2 ? all_ones : 0),
              c_flip = splat(op->modifiers & 4 ? all_ones : 0);
  const std::uint32_t in0 = predicate_in(w, op, 0), in1 = predicate_in(w, op, 1);
  std::uint32_t once = 0, twice = 0;
  for (unsigned v = 0; v < vector_count; ++v) {
    const Words a = load(a_row, v) ^ a_flip, b = load(b_operand, v) ^ b_flip;
    const Words plus = extended ? ones_where(in0, v) + ones_where(in1, v) : splat(op->detail[0]);
    const Words first = a + b, c = two ? Words{} : load(c_row, v) ^ c_flip, second = first + c, result = second + plus;
    store_lanes(mask, d, v, result);
    if constexpr (carries) {
      const std::uint32_t over = compare_words<Compare::less>(first, a),
                          again = two ? 0 : compare_words<Compare::less>(second, c),
                          last = compare_words<Compare::less>(result, plus);
      once |= at_vector(over | again | last, v);
      twice |= at_vector((over & (again | last)) | (again & last), v);
    }
  }
  if constexpr (carries) {
    set_wanted_predicate(w, op, 0, mask, once);
    set_wanted_predicate(w, op, 1, mask, twice);
  }
  return op + 1;
}

template <bool two, bool extended, bool carries>
Execute select_add3_carry(From b) {
  if (b == From::immediate) return &add3_carry<From::immediate, two, extended, carries>;
  if (b == From::uniform) return &add3_carry<From::uniform, two, extended, carries>;
  return &add3_carry<From::row, two, extended, carries>;
}

template <bool extended, bool carries>
Execute select_add3_carry(From b, bool two) {
  return two ? select_add3_carry<true, extended, carries>(b) : select_add3_carry<false, extended, carries>(b);
}

/// The sum of a, slot b and c as `op` describes it (negations in `modifiers`), with carries where asked.
void lower_sum(Lowering& l, From b, bool extended) {
  const bool two = is_zero_row(l, l.op.c) && (l.op.modifiers & 4) == 0;
  l.op.detail[0] = static_cast<std::uint8_t>(extended ? 0 : nm::population(l.op.modifiers & 7));
  const bool carries = has_predicate_out(l, 0) || has_predicate_out(l, 1);
  l.fuse(extended || carries ? FusedKind::sum_carry : FusedKind::sum, b, From::row, extended);
  if (extended) {
    l.op.execute = carries ? select_add3_carry<true, true>(b, two) : select_add3_carry<true, false>(b, two);
  } else if (carries) {
    l.op.execute = select_add3_carry<false, true>(b, two);
  } else if (l.op.modifiers != 0) {
    l.op.execute = select_alu2<Add3Negated>(b);
  } else {
    l.op.execute = two ? select_alu2<Add2>(b) : select_alu2<Add3>(b);
  }
}

// ------------------------------------------------------------------------------------- minimum, maximum

/// The minimum of unsigned words after both were flipped: complementing makes it the maximum, changing the
/// top bit the signed one. Modifiers: 1 the maximum, 2 signed, 4 negative results become 0.
template <bool halves>
struct MinMax {
  Word flip, relu, b_negated;
  explicit MinMax(const Operation& op)
      : flip((op.modifiers & 1 ? all_ones : 0) ^ (op.modifiers & 2 ? (halves ? 0x80008000u : 0x80000000u) : 0)),
        relu(op.modifiers & 4 ? all_ones : 0),
        b_negated(op.modifiers & 8 ? all_ones : 0) {}
  LANEBANK_INLINE Word pick(Word x, Word y) const {
    if constexpr (halves) return nm::minimum_halves(x ^ flip, y ^ flip) ^ flip;
    return nm::minimum(x ^ flip, y ^ flip) ^ flip;
  }
  LANEBANK_INLINE Word clamp(Word x) const {
    if constexpr (halves) return x & ~(((x >> 15 & 0x00010001u) * 0xffffu) & relu);
    return x & ~(nm::arithmetic_right(x, 31) & relu);
  }
};

template <bool halves>
struct MinMax2 : MinMax<halves> {
  using MinMax<halves>::MinMax;
  LANEBANK_INLINE Word operator()(Word a, Word b, Word) const { return this->clamp(this->pick(a, b)); }
};
template <bool halves>
struct MinMax3 : MinMax<halves> {
  using MinMax<halves>::MinMax;
  LANEBANK_INLINE Word operator()(Word a, Word b, Word c) const { return this->clamp(this->pick(this->pick(a, b), c)); }
};
template <bool halves>
struct AddMinMax : MinMax<halves> {
  using MinMax<halves>::MinMax;
  LANEBANK_INLINE Word operator()(Word a, Word b, Word c) const {
    if constexpr (halves) {
      const Word addend = this->b_negated ? nm::negate_halves(b) : b;
      return this->clamp(this->pick(nm::add_halves(a, addend), c));
    }
    return this->clamp(this->pick(a + ((b ^ this->b_negated) - this->b_negated), c));
  }
};

/// VIMNMX of halves with predicate results: the low and the high half of the result is that of a.
template <From B>
const Operation* minmax_halves_predicates(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  if (mask == 0) return op + 1;
  const MinMax2<true> f(*op);
  const Word* a = w.row(op->a);
  const Operand32<B> b(w, op, op->b);
  alignas(64) Word result[32], low[32], high[32];
  LANEBANK_LANES for (unsigned i = 0; i < 32; ++i) {
    result[i] = f(a[i], b[i], 0);
    low[i] = (result[i] ^ a[i]) & 0xffff;
    high[i] = (result[i] ^ a[i]) >> 16;
  }
  blend(mask, result, w.row(op->d));
  set_wanted_predicate(w, op, 0, mask, ~nonzero_lanes(low));
  set_wanted_predicate(w, op, 1, mask, ~nonzero_lanes(high));
  return op + 1;
}

/// d = F(a, b, c), the minimum where the predicate source is true, else the maximum.
template <class F, From B, From C>
const Operation* chosen3(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op), minimum = predicate_in(w, op, 0);
  Operation other = *op;
  other.modifiers |= 1;
  const F lower(*op), upper(other);
  const std::uint32_t* a = w.row(op->a);
  const Operand32<B> b(w, op, op->b);
  const Operand32<C> c(w, op, op->c);
  alignas(64) std::uint32_t result[32];
  LANEBANK_LANES for (unsigned i = 0; i < 32; ++i) {
    const Word first = lower(a[i], b[i], c[i]), second = upper(a[i], b[i], c[i]);
    result[i] = (minimum >> i) & 1u ? first : second;
  }
  blend(mask, result, w.row(op->d));
  return op + 1;
}
template <class F>
Execute select_chosen3(Lowering::Operands kinds) {
  if (kinds.b == From::immediate) return &chosen3<F, From::immediate, From::row>;
  if (kinds.b == From::uniform) return &chosen3<F, From::uniform, From::row>;
  if (kinds.c == From::immediate) return &chosen3<F, From::row, From::immediate>;
  if (kinds.c == From::uniform) return &chosen3<F, From::row, From::uniform>;
  return &chosen3<F, From::row, From::row>;
}
/// The instance for a predicate that is PT or !PT, or differs between lanes.
template <class F>
Execute select_minmax(bool differs, Lowering::Operands kinds) {
  return differs ? select_chosen3<F>(kinds) : select_alu3<F>(kinds);
}

/// Reads the predicate that chooses the minimum (PT) or the maximum (!PT), and the type bits. True: it may differ between
/// lanes.
bool minmax_modifiers(Lowering& l, bool is_signed, bool relu) {
  l.predicate_source(0, 87);
  const bool minimum = is_constant_predicate(l, 0, true), maximum = is_constant_predicate(l, 0, false);
  require(l, is_signed || !relu, "an unsigned minimum or maximum with RELU");
  l.op.modifiers |= (maximum ? 1u : 0u) | (is_signed ? 2u : 0u) | (relu ? 4u : 0u);
  return !minimum && !maximum;
}

// ------------------------------------------------------------------------------- differences, products

struct Absolute {
  explicit Absolute(const Operation&) {}
  LANEBANK_INLINE Word operator()(Word, Word b, Word) const { return nm::absolute(b); }
};

struct AbsoluteDifference {
  bool is_signed;
  explicit AbsoluteDifference(const Operation& op) : is_signed(op.modifiers & 1) {}
  LANEBANK_INLINE Word operator()(Word a, Word b, Word c) const { return nm::absolute_difference(a, b, c, is_signed); }
};

/// Modifiers: 1 signed, 2 the four differences are summed up with c (.ACC).
struct AbsoluteDifferenceBytes {
  bool is_signed, accumulates;
  explicit AbsoluteDifferenceBytes(const Operation& op) : is_signed(op.modifiers & 1), accumulates(op.modifiers & 2) {}
  LANEBANK_INLINE Word operator()(Word a, Word b, Word c) const {
    const Word differences = nm::absolute_difference_bytes(a, b, is_signed);
    return accumulates ? nm::dot_4a(differences, 0x01010101, c, false, false) : differences;
  }
};

/// Modifiers: 1 a signed, 2 b signed, 4 high bytes, 8 c negated.
template <unsigned bytes>
struct Dot {
  bool a_signed, b_signed, high;
  Word c_negated;
  explicit Dot(const Operation& op)
      : a_signed(op.modifiers & 1),
        b_signed(op.modifiers & 2),
        high(op.modifiers & 4),
        c_negated(op.modifiers & 8 ? all_ones : 0) {}
  LANEBANK_INLINE Word operator()(Word a, Word b, Word c) const {
    const Word start = (c ^ c_negated) - c_negated;
    if constexpr (bytes == 4) return nm::dot_4a(a, b, start, a_signed, b_signed);
    return nm::dot_2a(a, b, start, a_signed, b_signed, high);
  }
};

}  // namespace

void lower_IADD3(Lowering& l) {
  const Lowering::Operands kinds = usual_operands(l);
  require(l, !kinds.swapped, "IADD3 with a third operand that is no register");
  const bool b_can_be_negated = l.bits(9, 12) != 4;
  l.op.modifiers = (l.bit(72) ? 1u : 0u) | (b_can_be_negated && l.bit(63) ? 2u : 0u) | (l.bit(75) ? 4u : 0u);
  predicate_destination(l, 0, 81);
  predicate_destination(l, 1, 84);
  l.predicate_source(0, 87);
  l.predicate_source(1, 77);
  lower_sum(l, kinds.b, l.bit(74));
}

void lower_VIADD(Lowering& l) {
  const From b = second_operand(l);
  l.op.c = l.register_count;
  l.op.modifiers = l.bits(9, 12) != 4 && l.bit(63) ? 2u : 0u;
  if (l.bit(73)) {
    l.op.execute = select_alu2<AddHalves>(b);
  } else {
    lower_sum(l, b, false);
  }
}

void lower_IMNMX(Lowering& l) {
  const From b = second_operand(l);
  const bool differs = minmax_modifiers(l, l.bit(73), false);
  l.op.execute = select_minmax<MinMax2<false>>(differs, {.b = b});
  if (!differs) l.fuse(FusedKind::minimum, b);
}

void lower_VIMNMX(Lowering& l) {
  const From b = second_operand(l);
  predicate_destination(l, 0, 81);
  predicate_destination(l, 1, 84);
  const bool differs = minmax_modifiers(l, l.bit(72), l.bit(76));
  const bool halves = l.bit(73);
  if (has_predicate_out(l, 0) || has_predicate_out(l, 1)) {
    require(l, halves && !l.bit(76), "VIMNMX of words, or with RELU, with predicate results");
    require(l, !differs, "VIMNMX with predicate results, chosen by a predicate");
    l.op.execute = b == From::immediate ? &minmax_halves_predicates<From::immediate>
                   : b == From::uniform ? &minmax_halves_predicates<From::uniform>
                                        : &minmax_halves_predicates<From::row>;
  } else {
    l.op.execute =
        halves ? select_minmax<MinMax2<true>>(differs, {.b = b}) : select_minmax<MinMax2<false>>(differs, {.b = b});
    if (!halves && !differs && (l.op.modifiers & 4) == 0) l.fuse(FusedKind::minimum, b);
  }
}

void lower_VIMNMX3(Lowering& l) {
  const Lowering::Operands kinds = usual_operands(l);
  const bool differs = minmax_modifiers(l, l.bit(72), l.bit(76));
  l.op.execute =
      l.bit(73) ? select_minmax<MinMax3<true>>(differs, kinds) : select_minmax<MinMax3<false>>(differs, kinds);
}

void lower_VIADDMNMX(Lowering& l) {
  const Lowering::Operands kinds = usual_operands(l);
  const bool literal = l.bits(9, 12) == 4 || l.bits(9, 12) == 2;
  const bool slot_negated = !literal && l.bit(63), field_negated = l.bit(75);
  if (kinds.swapped ? field_negated : slot_negated) l.op.modifiers |= 8;
  require(l, !(kinds.swapped ? slot_negated : field_negated), "VIADDMNMX with a negated third operand");
  const bool differs = minmax_modifiers(l, l.bit(72), l.bit(76));
  l.op.execute =
      l.bit(73) ? select_minmax<AddMinMax<true>>(differs, kinds) : select_minmax<AddMinMax<false>>(differs, kinds);
}

void lower_IABS(Lowering& l) {
  const From b = second_operand(l);
  l.op.execute = select_alu2<Absolute>(b);
}

void lower_VABSDIFF(Lowering& l) {
  const Lowering::Operands kinds = usual_operands(l);
  l.op.modifiers = l.bit(73) ? 1 : 0;
  require(l, l.bits(81, 84) == 7, "VABSDIFF with a predicate result");
  l.op.execute = select_alu3<AbsoluteDifference>(kinds);
}

void lower_VABSDIFF4(Lowering& l) {
  const Lowering::Operands kinds = usual_operands(l);
  l.op.modifiers = (l.bit(73) ? 1u : 0u) | (l.bit(75) ? 2u : 0u);
  require(l, l.bits(81, 84) == 7, "VABSDIFF4 with a predicate result");
  l.op.execute = select_alu3<AbsoluteDifferenceBytes>(kinds);
}

void lower_IDP(Lowering& l) {
  const Lowering::Operands kinds = usual_operands(l);
  const bool two = l.bit(76);
  require(l, two || !l.bit(77), "IDP of an unknown shape");
  l.op.modifiers = (l.bit(73) ? 1u : 0u) | (l.bit(74) ? 2u : 0u) | (l.bit(77) ? 4u : 0u) | (l.bit(75) ? 8u : 0u);
  l.op.execute = two ? select_alu3<Dot<2>>(kinds) : select_alu3<Dot<4>>(kinds);
}

}  // namespace lanebank::machine::LANEBANK_SIMD
