// Single-precision operations: FADD, FMUL, FFMA, comparisons, selection, minimum and maximum.
#include "machine/lanes/float_lane.hpp"
#include "machine/numerics/binary32.hpp"

namespace lanebank::machine::LANEBANK_SIMD {
namespace {

namespace nm = ::lanebank::machine::numerics;

// The arithmetic operations share their templates: Kind says which, the rest are modifiers. Signs are masks
// made once per operation, and absent from the commonest instances.
enum class Kind { add, multiply, multiply_add };

template <Kind kind, Rounding mode, bool flush, bool saturate, bool with_signs>
struct Arithmetic {
  Sign a, b, c;
  explicit Arithmetic(const Operation& op) : a(op, 0), b(op, 1), c(op, 2) {}
  LANEBANK_INLINE std::uint32_t operator()(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
    if constexpr (with_signs) {
      x = a(x), y = b(y);
      if constexpr (kind == Kind::multiply_add) z = c(z);
    }
    if constexpr (kind == Kind::add) return nm::add32<mode, flush, saturate>(x, y);
    if constexpr (kind == Kind::multiply) return nm::multiply32<mode, flush, saturate>(x, y);
    return nm::multiply_add32<mode, flush, saturate>(x, y, z);
  }
};

template <Kind kind, Rounding mode, bool flush, bool saturate, bool with_signs>
Execute select_form(Lowering::Operands kinds) {
  using F = Arithmetic<kind, mode, flush, saturate, with_signs>;
  if constexpr (kind == Kind::multiply_add) return select_alu3<F>(kinds);
  return select_binary<F>(kinds.b);
}

template <Kind kind, Rounding mode, bool flush>
Execute select_saturation(const Lowering& l, Lowering::Operands kinds) {
  if (l.bit(77)) return select_form<kind, mode, flush, true, true>(kinds);
  if constexpr (mode == Rounding::nearest)
    if ((l.op.modifiers & all_signs) == 0) return select_form<kind, mode, flush, false, false>(kinds);
  return select_form<kind, mode, flush, false, true>(kinds);
}

template <Kind kind, bool flush>
Execute select_rounding(const Lowering& l, Lowering::Operands kinds) {
  switch (rounding_of(l)) {
    case Rounding::nearest:
      return select_saturation<kind, Rounding::nearest, flush>(l, kinds);
    case Rounding::down:
      return select_saturation<kind, Rounding::down, flush>(l, kinds);
    case Rounding::up:
      return select_saturation<kind, Rounding::up, flush>(l, kinds);
    default:
      return select_saturation<kind, Rounding::zero, flush>(l, kinds);
  }
}

/// FMUL .D8 to .M8: detail[0] is 3 more than the power of two that the product is multiplied by.
template <Rounding mode, bool flush>
struct ScaledProduct {
  Sign a, b;
  double scale;
  bool saturate;
  explicit ScaledProduct(const Operation& op)
      : a(op, 0),
        b(op, 1),
        scale(static_cast<double>(1u << op.detail[0]) / 8),
        saturate((op.modifiers & scaled_saturate) != 0) {}
  static constexpr std::uint32_t scaled_saturate = 1u << 31;
  LANEBANK_INLINE std::uint32_t operator()(std::uint32_t x, std::uint32_t y, std::uint32_t) const {
    return saturate ? nm::multiply_scaled32<mode, flush, true>(a(x), b(y), scale)
                    : nm::multiply_scaled32<mode, flush, false>(a(x), b(y), scale);
  }
};
template <bool flush>
Execute select_scaled(const Lowering& l, From b) {
  switch (rounding_of(l)) {
    case Rounding::nearest:
      return select_binary<ScaledProduct<Rounding::nearest, flush>>(b);
    case Rounding::down:
      return select_binary<ScaledProduct<Rounding::down, flush>>(b);
    case Rounding::up:
      return select_binary<ScaledProduct<Rounding::up, flush>>(b);
    default:
      return select_binary<ScaledProduct<Rounding::zero, flush>>(b);
  }
}
/// The codes of bits 84:87 are D8, D4, D2, none, M2, M4, M8 from 1 on.
void lower_scaled_product(Lowering& l, From b) {
  l.op.d = l.d();
  l.op.detail[0] = static_cast<std::uint8_t>(l.bits(84, 87) - 1);
  if (l.bit(77)) l.op.modifiers |= ScaledProduct<Rounding::nearest, false>::scaled_saturate;
  if (l.bits(84, 87) == 0) l.unsupported = "FMUL with a scale factor that is not known";
  l.op.execute = l.bit(80) ? select_scaled<true>(l, b) : select_scaled<false>(l, b);
}

template <Kind kind>
void lower_arithmetic(Lowering& l, Lowering::Operands kinds) {
  l.op.d = l.d();
  if (!l.bit(80) && !l.bit(77) && rounding_of(l) == Rounding::nearest)
    l.fuse(kind == Kind::add        ? FusedKind::float_add
           : kind == Kind::multiply ? FusedKind::float_multiply
                                    : FusedKind::float_multiply_add,
           kinds.b, kinds.c);
  l.op.execute = l.bit(80) ? select_rounding<kind, true>(l, kinds) : select_rounding<kind, false>(l, kinds);
}

// Comparisons. The code (bits 76:80) is a set of relations that hold: 1 less, 2 equal, 4 greater,
// 8 unordered.
template <unsigned code>
LANEBANK_INLINE bool holds(float x, float y) {
  switch (code) {
    case 0:
      return false;
    case 1:
      return x < y;
    case 2:
      return x == y;
    case 3:
      return x <= y;
    case 4:
      return x > y;
    case 5:
      return (x < y) | (x > y);
    case 6:
      return x >= y;
    case 7:
      return (x == x) & (y == y);
    case 8:
      return (x != x) | (y != y);
    case 9:
      return !(x >= y);
    case 10:
      return !((x < y) | (x > y));
    case 11:
      return !(x > y);
    case 12:
      return !(x <= y);
    case 13:
      return x != y;
    case 14:
      return !(x < y);
    default:
      return true;
  }
}

template <unsigned code, bool flush, From B>
LANEBANK_INLINE std::uint32_t compare_row(Warp& w, const Operation* op) {
  const std::uint32_t* a = w.row(op->a);
  const Operand32<B> b(w, op, op->b);
  const Sign sign_a(*op, 0), sign_b(*op, 1);
  alignas(64) std::uint32_t result[32];
  LANEBANK_LANES for (unsigned i = 0; i < 32; ++i) {
    const float x = nm::operand32<flush>(sign_a(a[i])), y = nm::operand32<flush>(sign_b(b[i]));
    result[i] = holds<code>(x, y) ? 0xffffffffu : 0u;
  }
  return lane_mask(result);
}

/// FSETP: detail[0] how to combine with the predicate source.
template <unsigned code, bool flush, From B>
const Operation* set_predicates(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  const std::uint32_t value = compare_row<code, flush, B>(w, op);
  const std::uint32_t with = predicate_in(w, op, 0);
  set_predicate(w, op, 0, mask, combine(op->detail[0], value, with));
  set_predicate(w, op, 1, mask, combine(op->detail[0], ~value, with));
  return op + 1;
}

/// FSET.BF: 1.0f for true.
template <unsigned code, bool flush, From B>
const Operation* set_words(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  const std::uint32_t value = combine(op->detail[0], compare_row<code, flush, B>(w, op), predicate_in(w, op, 0));
  alignas(64) std::uint32_t result[32];
  LANEBANK_LANES for (unsigned i = 0; i < 32; ++i) result[i] = (value >> i) & 1u ? nm::f32_one : 0u;
  blend(mask, result, w.row(op->d));
  return op + 1;
}

template <template <unsigned, bool, From> class Instance, unsigned code, bool flush>
Execute select_compare_form(From b) {
  if (b == From::immediate) return Instance<code, flush, From::immediate>::execute;
  if (b == From::uniform) return Instance<code, flush, From::uniform>::execute;
  return Instance<code, flush, From::row>::execute;
}

template <template <unsigned, bool, From> class Instance, unsigned code = 0>
Execute select_compare(unsigned wanted, bool flush, From b) {
  if constexpr (code < 16) {
    if (wanted != code) return select_compare<Instance, code + 1>(wanted, flush, b);
    return flush ? select_compare_form<Instance, code, true>(b) : select_compare_form<Instance, code, false>(b);
  } else {
    return nullptr;
  }
}

template <unsigned code, bool flush, From B>
struct SetPredicates {
  static constexpr Execute execute = &set_predicates<code, flush, B>;
};
template <unsigned code, bool flush, From B>
struct SetWords {
  static constexpr Execute execute = &set_words<code, flush, B>;
};

void lower_combination(Lowering& l) {
  l.op.detail[0] = static_cast<std::uint8_t>(l.bits(74, 76));
  if (l.op.detail[0] == 3) l.unsupported = "a combination of predicates that is not known";
  l.predicate_source(0, 87);
}

/// FSEL: a where the predicate source is true, else b.
template <bool flush, From B>
const Operation* select_lanes(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  const std::uint32_t chosen = predicate_in(w, op, 0);
  const std::uint32_t* a = w.row(op->a);
  const Operand32<B> b(w, op, op->b);
  const Sign sign_a(*op, 0), sign_b(*op, 1);
  alignas(64) std::uint32_t result[32];
  LANEBANK_LANES for (unsigned i = 0; i < 32; ++i) {
    const std::uint32_t value = (chosen >> i) & 1u ? sign_a(a[i]) : sign_b(b[i]);
    result[i] = flush ? nm::flush32(value) : value;
  }
  blend(mask, result, w.row(op->d));
  return op + 1;
}

/// FMNMX: the minimum where the predicate source is true, else the maximum. detail[0]: .NAN, detail[1]: .XORSIGN:
/// the result takes its sign from both operands, as they are before |x|.
template <bool flush, bool plain, From B>
const Operation* choose_lanes(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  const std::uint32_t minimum = predicate_in(w, op, 0);
  const std::uint32_t* a = w.row(op->a);
  const Operand32<B> b(w, op, op->b);
  const Sign sign_a(*op, 0), sign_b(*op, 1);
  const std::uint32_t propagate = plain ? 0 : nm::ones_if<std::uint32_t>(op->detail[0] != 0);
  const std::uint32_t sign_bits = !plain && op->detail[1] != 0 ? nm::f32_sign : 0;
  alignas(64) std::uint32_t result[32];
  LANEBANK_LANES for (unsigned i = 0; i < 32; ++i) {
    std::uint32_t x = sign_a(a[i]), y = sign_b(b[i]);
    if (flush) x = nm::flush32(x), y = nm::flush32(y);
    const std::uint32_t sign = (a[i] ^ sign_a.flip ^ b[i] ^ sign_b.flip) & sign_bits;
    const std::uint32_t value = nm::choose32(x & ~sign_bits, y & ~sign_bits, ((minimum >> i) & 1u) - 1u, propagate);
    result[i] = value | (sign & ~nm::ones_if<std::uint32_t>(nm::is_nan32(value)));
  }
  blend(mask, result, w.row(op->d));
  return op + 1;
}

/// FCHK: whether a / b needs the slow path of a division, see numerics::division_needs_care.
template <From B>
const Operation* check_division(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  const std::uint32_t* a = w.row(op->a);
  const Operand32<B> b(w, op, op->b);
  const Sign sign_a(*op, 0), sign_b(*op, 1);
  alignas(64) std::uint32_t result[32];
  LANEBANK_LANES for (unsigned i = 0; i < 32; ++i) result[i] =
      nm::division_needs_care(sign_a(a[i]), sign_b(b[i])) ? 0xffffffffu : 0u;
  set_predicate(w, op, 0, mask, lane_mask(result));
  return op + 1;
}

}  // namespace

void lower_FADD(Lowering& l) {
  Lowering::Operands kinds;
  kinds.b = binary_operands(l, 1);
  lower_arithmetic<Kind::add>(l, kinds);
}

void lower_FMUL(Lowering& l) {
  Lowering::Operands kinds;
  kinds.b = binary_operands(l, 1);
  if (l.bit(76)) l.unsupported = "FMUL.FMZ";
  if (l.bits(84, 87) != 4) return lower_scaled_product(l, kinds.b);
  lower_arithmetic<Kind::multiply>(l, kinds);
}

void lower_FFMA(Lowering& l) {
  const Lowering::Operands kinds = ternary_operands(l, 1);
  if (l.bit(76)) l.unsupported = "FFMA.FMZ";
  lower_arithmetic<Kind::multiply_add>(l, kinds);
}

void lower_FSETP(Lowering& l) {
  const From b = binary_operands(l, 1);
  lower_combination(l);
  l.op.predicate_out[0] = Lowering::predicate_destination(unsigned(l.bits(81, 84)));
  l.op.predicate_out[1] = Lowering::predicate_destination(unsigned(l.bits(84, 87)));
  l.op.execute = select_compare<SetPredicates>(unsigned(l.bits(76, 80)), l.bit(80), b);
  if (!l.bit(80)) l.fuse(FusedKind::float_compare, b, From::row, unsigned(l.bits(76, 80)));
}

void lower_FSET(Lowering& l) {
  l.op.d = l.d();
  const From b = binary_operands(l, 1);
  lower_combination(l);
  l.op.execute = select_compare<SetWords>(unsigned(l.bits(76, 80)), l.bit(80), b);
}

void lower_FSEL(Lowering& l) {
  l.op.d = l.d();
  const From b = binary_operands(l, 1);
  l.predicate_source(0, 87);
  const bool flush = l.bit(80);
  if (!flush) l.fuse(FusedKind::float_select, b);
  if (b == From::immediate)
    l.op.execute = flush ? &select_lanes<true, From::immediate> : &select_lanes<false, From::immediate>;
  else if (b == From::uniform)
    l.op.execute = flush ? &select_lanes<true, From::uniform> : &select_lanes<false, From::uniform>;
  else
    l.op.execute = flush ? &select_lanes<true, From::row> : &select_lanes<false, From::row>;
}

void lower_FMNMX(Lowering& l) {
  l.op.d = l.d();
  const From b = binary_operands(l, 1);
  l.predicate_source(0, 87);
  l.op.detail[0] = l.bit(81);
  l.op.detail[1] = l.bit(82);
  if (l.bit(65)) l.unsupported = "FMNMX.IS_A";
  if (l.bit(82) && !(l.bit(73) && l.bit(62) && !l.bit(72) && !l.bit(63)))
    l.unsupported = "FMNMX.XORSIGN of others than |a| and |b|";
  const bool flush = l.bit(80), plain = !l.bit(81) && !l.bit(82);
  const auto pick = [&]<From from>() -> Execute {
    if (flush) return plain ? &choose_lanes<true, true, from> : &choose_lanes<true, false, from>;
    return plain ? &choose_lanes<false, true, from> : &choose_lanes<false, false, from>;
  };
  l.op.execute = b == From::immediate ? pick.template operator()<From::immediate>()
                 : b == From::uniform ? pick.template operator()<From::uniform>()
                                      : pick.template operator()<From::row>();
}

void lower_FCHK(Lowering& l) {
  const From b = binary_operands(l, 1);
  l.op.predicate_out[0] = Lowering::predicate_destination(unsigned(l.bits(81, 84)));
  l.op.execute = b == From::immediate ? &check_division<From::immediate>
                 : b == From::uniform ? &check_division<From::uniform>
                                      : &check_division<From::row>;
}

}  // namespace lanebank::machine::LANEBANK_SIMD
