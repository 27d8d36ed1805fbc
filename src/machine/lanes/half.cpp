// Half and bfloat16 operations on packed pairs: HADD2, HMUL2, HFMA2 (and HFMA2.MMA), comparisons, minimum and
// maximum. Each operand may take one half for both (.H0_H0, .H1_H1).
#include "machine/lanes/float_lane.hpp"
#include "machine/numerics/binary16.hpp"

namespace lanebank::machine::LANEBANK_SIMD {
namespace {

namespace nm = ::lanebank::machine::numerics;

// Operation::modifiers: five bits per operand, then the operation's own.
enum HalfBits : std::uint32_t { half_negate = 1, half_absolute = 2, half_select = 3 << 2, half_turned = 1 << 4 };
enum HalfModifier : std::uint32_t {
  half_saturate = 1 << 15,
  half_relu = 1 << 16,
  half_flush = 1 << 17,
  half_propagate = 1 << 18,
  half_xor_sign = 1 << 19,
  half_out_of_bounds = 1 << 20  ///< .OOB: the NaN that tensor copies fill in makes the result 0
};
enum Selection : unsigned { packed = 0, low_twice = 2, high_twice = 3 };

/// The low and the high number of an operand, with signs applied.
struct Pick {
  std::uint32_t low_shift, high_shift, keep, low_flip, high_flip;
  Pick(const Operation& op, unsigned operand) {
    const std::uint32_t bits = op.modifiers >> (5 * operand);
    const unsigned selection = (bits >> 2) & 3;
    low_shift = selection == high_twice ? 16 : 0;
    high_shift = selection == low_twice ? 0 : 16;
    keep = bits & half_absolute ? 0x7fff : 0xffff;
    low_flip = high_flip = bits & half_negate ? 0x8000 : 0;
    if (bits &
        half_turned) {  // .H0_NH1, as products of complex numbers need it: the low number is minus the upper half
      low_shift = 16, high_shift = 0;
      low_flip = 0x8000;  // whatever the operand's own sign
    }
  }
  LANEBANK_INLINE std::uint32_t low(std::uint32_t x) const { return ((x >> low_shift) & keep) ^ low_flip; }
  LANEBANK_INLINE std::uint32_t high(std::uint32_t x) const { return ((x >> high_shift) & keep) ^ high_flip; }
  /// Words whose bit 15 is the sign without |x|.
  LANEBANK_INLINE std::uint32_t low_sign(std::uint32_t x) const { return (x >> low_shift) ^ low_flip; }
  LANEBANK_INLINE std::uint32_t high_sign(std::uint32_t x) const { return (x >> high_shift) ^ high_flip; }
};

enum class HalfKind { add, multiply, multiply_add };

constexpr std::uint32_t outside_nan = 0x7ff7;  ///< that tensor copies fill in for what is outside

/// `plain`: no .SAT, .RELU, .FTZ.
template <class Number, HalfKind kind, bool plain>
struct HalfArithmetic {
  Pick a, b, c;
  std::uint32_t saturate, relu, flush, out_of_bounds;  // masks: all ones or 0
  explicit HalfArithmetic(const Operation& op)
      : a(op, 0),
        b(op, 1),
        c(op, 2),
        saturate(nm::ones_if<std::uint32_t>(op.modifiers & half_saturate)),
        relu(nm::ones_if<std::uint32_t>(op.modifiers & half_relu)),
        flush(nm::ones_if<std::uint32_t>(op.modifiers & half_flush)),
        out_of_bounds(nm::ones_if<std::uint32_t>(op.modifiers & half_out_of_bounds)) {}

  LANEBANK_INLINE std::uint32_t flushed(std::uint32_t x) const { return x ^ ((x ^ nm::flush16<Number>(x)) & flush); }
  LANEBANK_INLINE std::uint32_t one(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
    if constexpr (!plain) x = flushed(x), y = flushed(y), z = flushed(z);
    float exact;
    if constexpr (kind == HalfKind::add) exact = Number::sum(x, y);
    if constexpr (kind == HalfKind::multiply) exact = Number::product(x, y);
    if constexpr (kind == HalfKind::multiply_add) exact = Number::product_sum(x, y, z);
    std::uint32_t result = Number::narrow(exact);
    if constexpr (!plain) {
      const bool is_tiny = (exact < Number::tiny) & (exact > -Number::tiny);
      result &= ~(nm::ones_if<std::uint32_t>(is_tiny) & flush) | Number::sign;
      result ^= (result ^ nm::saturate16<Number>(result)) & saturate;
      result ^= (result ^ nm::relu16<Number>(result)) & relu;
      result &= ~(out_of_bounds & (nm::ones_if<std::uint32_t>(x == outside_nan) | nm::ones_if<std::uint32_t>(y == outside_nan)));
    }
    return result;
  }
  LANEBANK_INLINE std::uint32_t operator()(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
    return one(a.low(x), b.low(y), c.low(z)) | one(a.high(x), b.high(y), c.high(z)) << 16;
  }
};

/// HADD2.F32: the low numbers of the operands, added in single precision.
struct WidenAndAdd {
  Pick a, b;
  explicit WidenAndAdd(const Operation& op) : a(op, 0), b(op, 1) {}
  LANEBANK_INLINE std::uint32_t operator()(std::uint32_t x, std::uint32_t y, std::uint32_t) const {
    return nm::result32<false, false>(nm::Half::widen(a.low(x)) + nm::Half::widen(b.low(y)));
  }
};

/// The same word in all lanes: how constants are loaded, HFMA2.MMA R, -RZ, RZ, high, low.
const Operation* load_constant(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  std::uint32_t* d = w.row(op->d);
  const std::uint32_t value = op->immediate[0];
  if (mask == all_lanes) {
    LANEBANK_LANES for (unsigned i = 0; i < 32; ++i) d[i] = value;
  } else {
    LANEBANK_LANES for (unsigned i = 0; i < 32; ++i) d[i] = (mask >> i) & 1u ? value : d[i];
  }
  return op + 1;
}

/// Comparison of pairs. detail[1]: set of relations that hold (1 less, 2 equal, 4 greater, 8 unordered).
template <class Number, From B>
LANEBANK_INLINE void compare_pairs(Warp& w, const Operation* op, std::uint32_t& low, std::uint32_t& high) {
  const std::uint32_t* a = w.row(op->a);
  const Operand32<B> b(w, op, op->b);
  const Pick pick_a(*op, 0), pick_b(*op, 1);
  const auto wants = [&](unsigned relation) { return nm::ones_if<std::uint32_t>(op->detail[1] & relation); };
  const std::uint32_t less = wants(1), equal = wants(2), greater = wants(4), unordered = wants(8);
  const std::uint32_t flush = nm::ones_if<std::uint32_t>(op->modifiers & half_flush);
  alignas(64) std::uint32_t low_row[32], high_row[32];
  const auto holds = [&](std::uint32_t x, std::uint32_t y) {
    x ^= (x ^ nm::flush16<Number>(x)) & flush;
    y ^= (y ^ nm::flush16<Number>(y)) & flush;
    const float p = Number::widen(x), q = Number::widen(y);
    return (nm::ones_if<std::uint32_t>(p < q) & less) | (nm::ones_if<std::uint32_t>(p == q) & equal) |
           (nm::ones_if<std::uint32_t>(p > q) & greater) |
           ((nm::ones_if<std::uint32_t>(p != p) | nm::ones_if<std::uint32_t>(q != q)) & unordered);
  };
  LANEBANK_LANES for (unsigned i = 0; i < 32; ++i) {
    low_row[i] = holds(pick_a.low(a[i]), pick_b.low(b[i]));
    high_row[i] = holds(pick_a.high(a[i]), pick_b.high(b[i]));
  }
  low = lane_mask(low_row);
  high = lane_mask(high_row);
}

/// HSETP2: one predicate per half; detail[0] combines, immediate[1] set: one predicate for both (.H_AND).
template <class Number, From B>
const Operation* set_pair_predicates(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  std::uint32_t low, high;
  compare_pairs<Number, B>(w, op, low, high);
  if (op->immediate[1] != 0) low &= high;
  const std::uint32_t with = predicate_in(w, op, 0);
  set_predicate(w, op, 0, mask, combine(op->detail[0], low, with));
  set_predicate(w, op, 1, mask, combine(op->detail[0], high, with));
  return op + 1;
}

/// HSET2: immediate[1] is the value of true, 16 bits.
template <class Number, From B>
const Operation* set_pair_words(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  std::uint32_t low, high;
  compare_pairs<Number, B>(w, op, low, high);
  const std::uint32_t with = predicate_in(w, op, 0), when_true = op->immediate[1];
  low = combine(op->detail[0], low, with);
  high = combine(op->detail[0], high, with);
  alignas(64) std::uint32_t result[32];
  LANEBANK_LANES for (unsigned i = 0; i < 32; ++i) result[i] =
      ((low >> i) & 1u ? when_true : 0u) | ((high >> i) & 1u ? when_true << 16 : 0u);
  blend(mask, result, w.row(op->d));
  return op + 1;
}

/// HMNMX2: minimum where the predicate source is true, else maximum. With .XORSIGN the result takes its sign from
/// both operands, as they are before |x|.
template <class Number, From B>
const Operation* choose_pairs(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  const std::uint32_t minimum = predicate_in(w, op, 0);
  const std::uint32_t* a = w.row(op->a);
  const Operand32<B> b(w, op, op->b);
  const Pick pick_a(*op, 0), pick_b(*op, 1);
  const std::uint32_t flush = nm::ones_if<std::uint32_t>(op->modifiers & half_flush),
                      propagate = nm::ones_if<std::uint32_t>(op->modifiers & half_propagate);
  const std::uint32_t sign_bits = op->modifiers & half_xor_sign ? 0x8000 : 0;
  const auto one = [&](std::uint32_t x, std::uint32_t y, std::uint32_t signs, std::uint32_t maximum) {
    x ^= (x ^ nm::flush16<Number>(x)) & flush;
    y ^= (y ^ nm::flush16<Number>(y)) & flush;
    const std::uint32_t value = nm::choose16<Number>(x & ~sign_bits, y & ~sign_bits, maximum, propagate);
    return value | (signs & sign_bits & ~nm::ones_if<std::uint32_t>(nm::is_nan16<Number>(value)));
  };
  alignas(64) std::uint32_t result[32];
  LANEBANK_LANES for (unsigned i = 0; i < 32; ++i) {
    const std::uint32_t maximum = ((minimum >> i) & 1u) - 1u;
    const std::uint32_t x = a[i], y = b[i];
    const std::uint32_t low = one(pick_a.low(x), pick_b.low(y), pick_a.low_sign(x) ^ pick_b.low_sign(y), maximum);
    const std::uint32_t high = one(pick_a.high(x), pick_b.high(y), pick_a.high_sign(x) ^ pick_b.high_sign(y), maximum);
    result[i] = low | high << 16;
  }
  blend(mask, result, w.row(op->d));
  return op + 1;
}

// Fields of the instruction word.

std::uint32_t checked_selection(Lowering& l, unsigned value) {
  if (value == 1) l.unsupported = "a selection of halves that is not known";
  return value << 2;
}
std::uint32_t half_a(Lowering& l, bool selects) {
  return std::uint32_t{l.bit(72)} * half_negate | std::uint32_t{l.bit(73)} * half_absolute |
         (selects ? checked_selection(l, unsigned(l.bits(74, 76))) : 0);
}
std::uint32_t half_slot_b(Lowering& l, bool selects) {
  if (slot_b_is_literal(l)) return 0;
  return std::uint32_t{l.bit(63)} * half_negate | std::uint32_t{l.bit(62)} * half_absolute |
         (selects ? checked_selection(l, unsigned(l.bits(60, 62))) : 0);
}
std::uint32_t half_field_c(Lowering& l, bool selects) {
  return std::uint32_t{l.bit(84)} * half_negate | std::uint32_t{l.bit(83)} * half_absolute |
         (selects ? checked_selection(l, unsigned(l.bits(81, 83))) : 0);
}

From half_binary_operands(Lowering& l) {
  l.op.a = l.a();
  const Lowering::Operands kinds = l.operands(1, 1, false, false);
  no_bindless_constant(l);
  l.op.modifiers |= half_a(l, true) | half_slot_b(l, true) << 5 | std::uint32_t{l.bit(80)} * half_flush;
  return kinds.swapped ? kinds.c : kinds.b;
}

template <class Number, HalfKind kind, bool plain>
Execute select_half(Lowering::Operands kinds) {
  using F = HalfArithmetic<Number, kind, plain>;
  if constexpr (kind == HalfKind::multiply_add) return select_alu3<F>(kinds);
  return select_binary<F>(kinds.b);
}

template <HalfKind kind>
Execute select_number(const Lowering& l, Lowering::Operands kinds) {
  const bool plain = (l.op.modifiers & (half_saturate | half_relu | half_flush | half_out_of_bounds)) == 0;
  if (l.bit(85)) return plain ? select_half<nm::Brain, kind, true>(kinds) : select_half<nm::Brain, kind, false>(kinds);
  return plain ? select_half<nm::Half, kind, true>(kinds) : select_half<nm::Half, kind, false>(kinds);
}

void lower_multiply_add(Lowering& l, bool selects) {
  l.op.d = l.d();
  l.op.a = l.a();
  const Lowering::Operands kinds = l.operands();
  no_bindless_constant(l);
  std::uint32_t b = kinds.swapped ? half_field_c(l, selects) : half_slot_b(l, selects);
  const std::uint32_t c = kinds.swapped ? half_slot_b(l, selects) : half_field_c(l, selects);
  if (selects && l.bit(86)) {
    if (b & half_select) l.unsupported = "a selection of halves that is not known";
    b |= half_turned;
  }
  const bool never_relu = l.bits(87, 91) == 15;  // .RELU under a predicate that is false
  l.op.modifiers = half_a(l, selects) | b << 5 | c << 10 | std::uint32_t{l.bit(77)} * half_saturate |
                   std::uint32_t{l.bit(79) && !never_relu} * half_relu |
                   std::uint32_t{l.bit(80)} * (l.bit(76) ? half_out_of_bounds : half_flush);
  if (l.bit(76) && !l.bit(80)) l.unsupported = "HFMA2.FMZ";
  if (l.bit(78)) l.unsupported = "HFMA2.F32";
  if (l.bit(79) && l.bits(87, 90) != 7) l.unsupported = "HFMA2.RELU with a predicate";
  l.op.execute = select_number<HalfKind::multiply_add>(l, kinds);
  const bool zero_product = l.op.a == l.register_count && kinds.b == From::row && l.op.b == l.register_count;
  if (zero_product && slot_b_is_literal(l)) {
    const std::uint32_t literal = l.op.immediate[0];
    l.op.immediate[0] = l.bit(85) ? HalfArithmetic<nm::Brain, HalfKind::multiply_add, false>(l.op)(0, 0, literal)
                                  : HalfArithmetic<nm::Half, HalfKind::multiply_add, false>(l.op)(0, 0, literal);
    l.op.execute = &load_constant;
  }
}

void lower_comparison(Lowering& l) {
  l.op.detail[0] = static_cast<std::uint8_t>(l.bits(69, 71));
  if (l.op.detail[0] == 3) l.unsupported = "a combination of predicates that is not known";
  l.op.detail[1] = static_cast<std::uint8_t>(l.bits(76, 80));
  if (l.bit(64)) l.unsupported = "a number format that is not known";
  l.predicate_source(0, 87);
}

template <template <class, From> class Instance>
Execute select_pair_form(bool brain, From b) {
  if (b == From::immediate)
    return brain ? Instance<nm::Brain, From::immediate>::execute : Instance<nm::Half, From::immediate>::execute;
  if (b == From::uniform)
    return brain ? Instance<nm::Brain, From::uniform>::execute : Instance<nm::Half, From::uniform>::execute;
  return brain ? Instance<nm::Brain, From::row>::execute : Instance<nm::Half, From::row>::execute;
}
template <class Number, From B>
struct PairPredicates {
  static constexpr Execute execute = &set_pair_predicates<Number, B>;
};
template <class Number, From B>
struct PairWords {
  static constexpr Execute execute = &set_pair_words<Number, B>;
};
template <class Number, From B>
struct PairChoice {
  static constexpr Execute execute = &choose_pairs<Number, B>;
};

}  // namespace

void lower_HADD2(Lowering& l) {
  l.op.d = l.d();
  Lowering::Operands kinds;
  kinds.b = half_binary_operands(l);
  l.op.modifiers |= std::uint32_t{l.bit(77)} * half_saturate;
  if (l.bit(78)) {
    if (l.bit(77) || l.bit(80) || l.bit(85)) l.unsupported = "HADD2.F32 with a modifier";
    l.op.execute = select_binary<WidenAndAdd>(kinds.b);
  } else {
    l.op.execute = select_number<HalfKind::add>(l, kinds);
  }
}

void lower_HMUL2(Lowering& l) {
  l.op.d = l.d();
  Lowering::Operands kinds;
  kinds.b = half_binary_operands(l);
  l.op.modifiers |= std::uint32_t{l.bit(77)} * half_saturate;
  if (l.bit(76)) l.unsupported = "HMUL2.FMZ";
  if (l.bit(78)) l.unsupported = "HMUL2 with an output format that is not known";
  l.op.execute = select_number<HalfKind::multiply>(l, kinds);
}

/// Also HFMA2.MMA (opcode 035), which has no selection of halves.
void lower_HFMA2(Lowering& l) { lower_multiply_add(l, l.bits(0, 9) == 0x031); }

void lower_HSETP2(Lowering& l) {
  const From b = half_binary_operands(l);
  lower_comparison(l);
  l.op.predicate_out[0] = Lowering::predicate_destination(unsigned(l.bits(81, 84)));
  l.op.predicate_out[1] = Lowering::predicate_destination(unsigned(l.bits(84, 87)));
  l.op.immediate[1] = l.bit(71);
  if (l.bit(71) && l.op.predicate_out[1] != sink_predicate) l.unsupported = "HSETP2.H_AND with a second destination";
  l.op.execute = select_pair_form<PairPredicates>(l.bit(65), b);
}

void lower_HSET2(Lowering& l) {
  l.op.d = l.d();
  const From b = half_binary_operands(l);
  lower_comparison(l);
  l.op.immediate[1] = !l.bit(71) ? 0xffff : l.bit(65) ? nm::Brain::one : nm::Half::one;
  l.op.execute = select_pair_form<PairWords>(l.bit(65), b);
}

void lower_HMNMX2(Lowering& l) {
  l.op.d = l.d();
  const From b = half_binary_operands(l);
  l.predicate_source(0, 87);
  l.op.modifiers |= std::uint32_t{l.bit(81)} * half_propagate | std::uint32_t{l.bit(82)} * half_xor_sign;
  if (l.bit(65)) l.unsupported = "HMNMX2.IS_A";
  if (l.bit(82) && !(l.bit(73) && l.bit(62) && !l.bit(72) && !l.bit(63)))
    l.unsupported = "HMNMX2.XORSIGN of others than |a| and |b|";
  if (l.bit(78)) l.unsupported = "HMNMX2 with a number format that is not known";
  l.op.execute = select_pair_form<PairChoice>(l.bit(85), b);
}

}  // namespace lanebank::machine::LANEBANK_SIMD
