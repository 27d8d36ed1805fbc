// Bits: LOP3, shifts, permutes, selects, bit fields and counts.
#include "machine/lanes/alu.hpp"

namespace lanebank::machine::LANEBANK_SIMD {
namespace {

using nm::Word;

constexpr Word all_ones = ~Word{0};

// ------------------------------------------------------------------------------------------------ LOP3

/// One table, known when this is compiled: the compiler finds the cheapest formula.
template <unsigned table>
struct Lop3Table {
  explicit Lop3Table(const Operation&) {}
  LANEBANK_INLINE Word operator()(Word a, Word b, Word c) const {
    if constexpr (table == 0xc0) return a & b;
    if constexpr (table == 0xfc) return a | b;
    if constexpr (table == 0x3c) return a ^ b;
    if constexpr (table == 0x0c) return ~a & b;
    if constexpr (table == 0x30) return a & ~b;
    if constexpr (table == 0x33) return ~b;
    if constexpr (table == 0xc3) return ~(a ^ b);
    if constexpr (table == 0xf3) return a | ~b;
    if constexpr (table == 0x80) return a & b & c;
    if constexpr (table == 0xfe) return a | b | c;
    if constexpr (table == 0x96) return a ^ b ^ c;
    if constexpr (table == 0xf8) return a | (b & c);
    if constexpr (table == 0xea) return (a & b) | c;
    if constexpr (table == 0x78) return a ^ (b & c);
    if constexpr (table == 0x6a) return (a & b) ^ c;
    if constexpr (table == 0xe2) return c ^ (b & (a ^ c));
    if constexpr (table == 0xca) return c ^ (a & (b ^ c));
    if constexpr (table == 0xb8) return a ^ (b & (a ^ c));
    if constexpr (table == 0xe8) return (a & b) | (c & (a | b));
    if constexpr (table == 0xa8) return (a | b) & c;
    if constexpr (table == 0xe0) return a & (b | c);
    if constexpr (table == 0xfb) return a | ~b | c;
  }
};

/// Any table, as a polynomial over exclusive or: bit m of `coefficients` belongs to the product of the
/// operands named by m (4 a, 2 b, 1 c).
struct Lop3 {
  Word k[8];
  explicit Lop3(const Operation& op) {
    unsigned coefficients = op.modifiers & 0xff;
    coefficients ^= (coefficients & 0x55) << 1;
    coefficients ^= (coefficients & 0x33) << 2;
    coefficients ^= (coefficients & 0x0f) << 4;
    for (unsigned m = 0; m < 8; ++m) k[m] = coefficients >> m & 1 ? all_ones : 0;
  }
  template <class T>
  LANEBANK_INLINE T operator()(T a, T b, T c) const {
    const T with_a = k[4] ^ (k[5] & c) ^ (b & (k[6] ^ (k[7] & c)));
    return k[0] ^ (k[1] & c) ^ (b & (k[2] ^ (k[3] & c))) ^ (a & with_a);
  }
};

template <unsigned... tables>
Execute select_lop3(unsigned table, From b) {
  Execute found = select_alu2<Lop3>(b);
  ((table == tables ? void(found = select_alu2<Lop3Table<tables>>(b)) : void()), ...);
  return found;
}

struct And {
  explicit And(const Operation&) {}
  LANEBANK_INLINE Words operator()(Words a, Words b, Words) const { return a & b; }
};

/// With a predicate result: (result != 0) or, with .PAND (detail[0]), and the predicate source.
template <From B, class F>
const Operation* lop3_predicate(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  if (mask == 0) return op + 1;
  const F f(*op);
  const std::uint32_t* a = w.row(op->a);
  const Operand32<B> b(w, op, op->b);
  const std::uint32_t* c = w.row(op->c);
  std::uint32_t* d = w.row(op->d);
  std::uint32_t zero = 0;
  for (unsigned v = 0; v < vector_count; ++v) {
    const Words result = f(load(a, v), load(b, v), load(c, v));
    zero |= at_vector(compare_words<Compare::equal>(result, Words{}), v);
    store_lanes(mask, d, v, result);
  }
  const std::uint32_t source = predicate_in(w, op, 0);
  set_predicate(w, op, 0, mask, op->detail[0] != 0 ? ~zero & source : ~zero | source);
  return op + 1;
}

template <class F>
Execute select_lop3_predicate(From b) {
  if (b == From::immediate) return &lop3_predicate<From::immediate, F>;
  if (b == From::uniform) return &lop3_predicate<From::uniform, F>;
  return &lop3_predicate<From::row, F>;
}

// ------------------------------------------------------------------------------------------------- SHF

using Shift = FusedShift;

/// Modifiers: 64 or 32, the width that the amount is limited to; bit 0: taken modulo it (.W).
template <Shift kind>
struct Shf {
  Word width;
  bool wrap;
  explicit Shf(const Operation& op) : width(op.modifiers & ~1u), wrap(op.modifiers & 1u) {}
  LANEBANK_INLINE Word operator()(Word a, Word b, Word c) const {
    const Word n = nm::shift_amount(b, width, wrap);
    if constexpr (kind == Shift::left) return nm::left(a, n);
    if constexpr (kind == Shift::funnel_left) return nm::funnel_left(a, c, n);
    if constexpr (kind == Shift::right) return nm::right(c, n);
    if constexpr (kind == Shift::signed_right) return nm::signed_right(c, n);
    if constexpr (kind == Shift::funnel_right) return nm::funnel_right(a, c, n);
    if constexpr (kind == Shift::signed_funnel_right) return nm::signed_funnel_right(a, c, n);
  }
};

/// Shifts of one word by a literal below 32.
template <Shift kind>
struct ShiftBy {
  Word n;
  explicit ShiftBy(const Operation& op) : n(op.immediate[0]) {}
  LANEBANK_INLINE Word operator()(Word a, Word, Word c) const {
    if constexpr (kind == Shift::left) return a << n;
    if constexpr (kind == Shift::funnel_left) return nm::lea_high(a, c, n);
    if constexpr (kind == Shift::right) return c >> n;
    if constexpr (kind == Shift::signed_right) return nm::arithmetic_right(c, n);
    if constexpr (kind == Shift::funnel_right || kind == Shift::signed_funnel_right)
      return a >> n | c << 1 << (~n & 31);
  }
};

template <Shift kind>
Execute select_shift(Lowering& l, Lowering::Operands kinds) {
  const bool by_literal = l.bits(9, 12) == 4 && l.op.immediate[0] < 32;
  const bool one_word = kind == Shift::left || kind == Shift::right || kind == Shift::signed_right;
  if (by_literal || one_word)
    l.fuse(FusedKind::shift, kinds.b, kinds.c, static_cast<unsigned>(kind) | (by_literal ? 8u : 0u));
  if (by_literal) return &alu3<ShiftBy<kind>, From::immediate, From::row>;
  return select_alu3<Shf<kind>>(kinds);
}

// ------------------------------------------------------------------------------------------ PRMT, SEL

/// PRMT with a named mode, which makes the selector.
struct PermuteByMode {
  nm::Permute mode;
  explicit PermuteByMode(const Operation& op) : mode(static_cast<nm::Permute>(op.modifiers)) {}
  LANEBANK_INLINE Word operator()(Word a, Word b, Word c) const {
    return nm::permute(a, c, nm::permute_selector(b, mode));
  }
};

#if defined(LANEBANK_BYTE_SHUFFLE)
using Bytes [[gnu::vector_size(4 * vector_lanes), gnu::may_alias]] = signed char;

/// Places of the bytes that the selectors name, in the 16 bytes that shuffle_bytes works on.
struct BytePlaces {
  Words in_a, in_c, sign;  ///< in_a, in_c: top bit set for bytes of the other word; sign: all ones where copied
};

LANEBANK_INLINE BytePlaces byte_places(Words selectors) {
  Words nibbles = selectors & 0xffff;
  nibbles = (nibbles | nibbles << 8) & 0x00ff00ff;
  nibbles = (nibbles | nibbles << 4) & 0x0f0f0f0f;
  const Words base = (lane_numbers(0) & 3) * 0x04040404u;
  const Words place = (nibbles & 0x03030303) | base;
  return {place | (nibbles & 0x04040404) << 5, place | (~nibbles & 0x04040404) << 5,
          (nibbles >> 3 & 0x01010101) * 0xffu};
}

LANEBANK_INLINE Words permute_words(Words a, Words c, const BytePlaces& places) {
  const Words bytes = shuffle_bytes(a, places.in_a) | shuffle_bytes(c, places.in_c);
  const Words copies = reinterpret_cast<Words>(reinterpret_cast<Bytes>(bytes) < 0);
  return (bytes & ~places.sign) | (copies & places.sign);
}
#else
using BytePlaces = Words;
LANEBANK_INLINE BytePlaces byte_places(Words selectors) { return selectors; }
LANEBANK_INLINE Words permute_words(Words a, Words c, const BytePlaces& places) {
  for (unsigned i = 0; i < vector_lanes; ++i) a[i] = nm::permute(a[i], c[i], places[i]);
  return a;
}
#endif

template <From B, From C>
const Operation* permute(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  if (mask == 0) return op + 1;
  const std::uint32_t* a = w.row(op->a);
  const Operand32<B> b(w, op, op->b);
  const Operand32<C> c(w, op, op->c);
  std::uint32_t* d = w.row(op->d);
  for (unsigned v = 0; v < vector_count; ++v)
    store_lanes(mask, d, v, permute_words(load(a, v), load(c, v), byte_places(load(b, v))));
  return op + 1;
}

Execute select_permute(Lowering::Operands kinds) {
  if (kinds.b == From::immediate) return &permute<From::immediate, From::row>;
  if (kinds.b == From::uniform) return &permute<From::uniform, From::row>;
  if (kinds.c == From::immediate) return &permute<From::row, From::immediate>;
  if (kinds.c == From::uniform) return &permute<From::row, From::uniform>;
  return &permute<From::row, From::row>;
}

/// d = predicate ? a : b.
template <From B>
const Operation* select_word(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  if (mask == 0) return op + 1;
  const std::uint32_t chosen = predicate_in(w, op, 0);
  const std::uint32_t* a = w.row(op->a);
  const Operand32<B> b(w, op, op->b);
  std::uint32_t* d = w.row(op->d);
  for (unsigned v = 0; v < vector_count; ++v) store_lanes(mask, d, v, choose(chosen, v, load(a, v), load(b, v)));
  return op + 1;
}

// ----------------------------------------------------------------------------------- fields and counts

/// Modifiers: 1 signed, 2 wrap.
struct Extend {
  bool is_signed, wrap;
  explicit Extend(const Operation& op) : is_signed(op.modifiers & 1), wrap(op.modifiers & 2) {}
  LANEBANK_INLINE Word operator()(Word a, Word b, Word) const { return nm::extend(a, b, is_signed, wrap); }
};

struct BitMask {
  bool wrap;
  explicit BitMask(const Operation& op) : wrap(op.modifiers & 2) {}
  LANEBANK_INLINE Word operator()(Word a, Word b, Word) const { return nm::bit_mask(a, b, wrap); }
};

/// numerics::find_leading. Modifiers: 1 signed, 2 as a shift amount, 4 the operand complemented.
struct FindLeading {
  Words is_signed, as_shift, flip;
  explicit FindLeading(const Operation& op)
      : is_signed(splat(op.modifiers & 1 ? all_ones : 0)),
        as_shift(splat(op.modifiers & 2 ? 31 : 0)),
        flip(splat(op.modifiers & 4 ? all_ones : 0)) {}
  LANEBANK_INLINE Words operator()(Words x) const {
    x ^= flip;
    x ^= reinterpret_cast<Words>(reinterpret_cast<SignedWords>(x) >> 31) & is_signed;
    const Words none = reinterpret_cast<Words>(x == 0);
    Words number = {};
    for (Word step = 16; step != 0; step /= 2) {
      const Words taken = reinterpret_cast<Words>((x >> step) != 0) & step;
      number |= taken;
      x >>= taken;
    }
    return (number ^ as_shift) | none;
  }
};

/// numerics::population. Modifier 4: the operand complemented.
struct Population {
  Words flip;
  explicit Population(const Operation& op) : flip(splat(op.modifiers & 4 ? all_ones : 0)) {}
  LANEBANK_INLINE Words operator()(Words x) const {
    x ^= flip;
    x -= (x >> 1) & 0x55555555;
    x = (x & 0x33333333) + ((x >> 2) & 0x33333333);
    return ((x + (x >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
  }
};

/// d = f(b), vector by vector: for what the compiler would otherwise turn into scalar instructions.
template <class F, From B>
const Operation* words_of_b(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  if (mask == 0) return op + 1;
  const F f(*op);
  const Operand32<B> b(w, op, op->b);
  std::uint32_t* d = w.row(op->d);
  for (unsigned v = 0; v < vector_count; ++v) store_lanes(mask, d, v, f(load(b, v)));
  return op + 1;
}

template <class F>
Execute select_words_of_b(From b) {
  if (b == From::immediate) return &words_of_b<F, From::immediate>;
  if (b == From::uniform) return &words_of_b<F, From::uniform>;
  return &words_of_b<F, From::row>;
}

struct Reverse {
  explicit Reverse(const Operation&) {}
  LANEBANK_INLINE Word operator()(Word, Word b, Word) const { return nm::reverse(b); }
};

/// Bit 63 complements slot b, where that is no literal.
unsigned complement_modifier(const Lowering& l) { return l.bits(9, 12) != 4 && l.bit(63) ? 4 : 0; }

}  // namespace

void lower_LOP3(Lowering& l) {
  const Lowering::Operands kinds = usual_operands(l);
  require(l, !kinds.swapped, "LOP3 with a third operand that is no register");
  const unsigned table = unsigned(l.bits(72, 80));
  l.op.modifiers = table;
  predicate_destination(l, 0, 81);
  l.predicate_source(0, 87);
  l.op.detail[0] = l.bit(80);
  l.fuse(FusedKind::logic, kinds.b);
  if (has_predicate_out(l, 0)) {
    l.op.execute = table == 0xc0 ? select_lop3_predicate<And>(kinds.b) : select_lop3_predicate<Lop3>(kinds.b);
  } else {
    l.op.execute = select_lop3<0xc0, 0xfc, 0x3c, 0x0c, 0x30, 0x33, 0xc3, 0xf3, 0x80, 0xfe, 0x96, 0xf8, 0xea, 0x78, 0x6a,
                               0xe2, 0xca, 0xb8, 0xe8, 0xa8, 0xe0, 0xfb>(table, kinds.b);
  }
}

void lower_SHF(Lowering& l) {
  const Lowering::Operands kinds = usual_operands(l);
  const bool is_64 = !l.bit(74), is_signed = !l.bit(73), right = l.bit(76), high = l.bit(80);
  l.op.modifiers = (is_64 ? 64u : 32u) | (l.bit(75) ? 1u : 0u);
  if (!right) {
    l.op.execute = high ? select_shift<Shift::funnel_left>(l, kinds) : select_shift<Shift::left>(l, kinds);
  } else if (high) {
    l.op.execute = is_signed ? select_shift<Shift::signed_right>(l, kinds) : select_shift<Shift::right>(l, kinds);
  } else {
    l.op.execute =
        is_signed ? select_shift<Shift::signed_funnel_right>(l, kinds) : select_shift<Shift::funnel_right>(l, kinds);
  }
}

void lower_PRMT(Lowering& l) {
  const Lowering::Operands kinds = usual_operands(l);
  l.op.modifiers = std::uint32_t(l.bits(72, 75));
  require(l, l.op.modifiers <= unsigned(nm::Permute::replicate16), "a mode of PRMT that is not known");
  l.op.execute = l.op.modifiers == 0 ? select_permute(kinds) : select_alu3<PermuteByMode>(kinds);
}

void lower_SEL(Lowering& l) {
  const From b = second_operand(l);
  l.predicate_source(0, 87);
  l.op.execute = b == From::immediate ? &select_word<From::immediate>
                 : b == From::uniform ? &select_word<From::uniform>
                                      : &select_word<From::row>;
  l.fuse(FusedKind::select, b);
}

void lower_SGXT(Lowering& l) {
  const From b = second_operand(l);
  l.op.modifiers = (l.bit(73) ? 1u : 0u) | (l.bit(75) ? 2u : 0u);
  l.op.execute = select_alu2<Extend>(b);
}

void lower_BMSK(Lowering& l) {
  const From b = second_operand(l);
  l.op.modifiers = l.bit(75) ? 2 : 0;
  l.op.execute = select_alu2<BitMask>(b);
}

void lower_FLO(Lowering& l) {
  const From b = second_operand(l);
  predicate_destination(l, 0, 81);
  require(l, !has_predicate_out(l, 0), "FLO with a predicate result");
  l.op.modifiers = (l.bit(73) ? 1u : 0u) | (l.bit(74) ? 2u : 0u) | complement_modifier(l);
  l.op.execute = select_words_of_b<FindLeading>(b);
}

void lower_POPC(Lowering& l) {
  const From b = second_operand(l);
  l.op.modifiers = complement_modifier(l);
  l.op.execute = select_words_of_b<Population>(b);
}

void lower_BREV(Lowering& l) {
  const From b = second_operand(l);
  l.op.execute = select_alu2<Reverse>(b);
}

}  // namespace lanebank::machine::LANEBANK_SIMD
