// Double-precision operations: DADD, DMUL, DFMA, comparisons. Operands are register pairs.
#include "machine/lanes/float_lane.hpp"
#include "machine/lanes/pairs.hpp"
#include "machine/numerics/binary64.hpp"

namespace lanebank::machine::LANEBANK_SIMD {
namespace {

namespace nm = ::lanebank::machine::numerics;

/// Sign modifiers of a 64-bit operand.
struct Sign64 {
  std::uint64_t keep, flip;
  Sign64(const Operation& op, unsigned operand)
      : keep((op.modifiers >> (2 * operand)) & absolute ? ~nm::f64_sign : ~std::uint64_t{0}),
        flip((op.modifiers >> (2 * operand)) & negate ? nm::f64_sign : 0) {}
  LANEBANK_INLINE std::uint64_t operator()(std::uint64_t x) const { return (x & keep) ^ flip; }
};

template <Rounding mode>
struct Add {
  Sign64 a, b;
  explicit Add(const Operation& op) : a(op, 0), b(op, 1) {}
  LANEBANK_INLINE std::uint64_t operator()(std::uint64_t x, std::uint64_t y, std::uint64_t) const {
    return nm::nan_rule64(nm::add64<mode>(a(x), b(y)), x, y, 0);
  }
};
template <Rounding mode>
struct Multiply {
  Sign64 a, b;
  explicit Multiply(const Operation& op) : a(op, 0), b(op, 1) {}
  LANEBANK_INLINE std::uint64_t operator()(std::uint64_t x, std::uint64_t y, std::uint64_t) const {
    return nm::nan_rule64(nm::multiply64<mode>(a(x), b(y)), x, y, 0);
  }
};
template <Rounding mode>
struct MultiplyAdd {
  Sign64 a, b, c;
  explicit MultiplyAdd(const Operation& op) : a(op, 0), b(op, 1), c(op, 2) {}
  LANEBANK_INLINE std::uint64_t operator()(std::uint64_t x, std::uint64_t y, std::uint64_t z) const {
    return nm::nan_rule64(nm::multiply_add64<mode>(a(x), b(y), c(z)), x, y, z);
  }
};

template <template <Rounding> class F, class Select>
Execute select_rounding(Rounding mode, Select select) {
  switch (mode) {
    case Rounding::nearest:
      return select.template operator()<F<Rounding::nearest>>();
    case Rounding::down:
      return select.template operator()<F<Rounding::down>>();
    case Rounding::up:
      return select.template operator()<F<Rounding::up>>();
    default:
      return select.template operator()<F<Rounding::zero>>();
  }
}

/// Relation of two numbers as a set: 1 less, 2 equal, 4 greater, 8 unordered.
LANEBANK_INLINE std::uint32_t relation(double x, double y) {
  return (x < y ? 1u : 0u) | (x == y ? 2u : 0u) | (x > y ? 4u : 0u) | (((x != x) | (y != y)) ? 8u : 0u);
}

/// DSETP: detail[0] combines with the predicate source, detail[1] is the set of relations that hold.
template <From B>
const Operation* set_predicates(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  const Operand64<From::row> a(w, op, op->a);
  const Operand64<B> b(w, op, op->b);
  const Sign64 sign_a(*op, 0), sign_b(*op, 1);
  const std::uint32_t wanted = op->detail[1];
  alignas(64) std::uint32_t result[32];
  LANEBANK_LANES for (unsigned i = 0; i < 32; ++i) result[i] =
      relation(nm::bits_as<double>(sign_a(a[i])), nm::bits_as<double>(sign_b(b[i]))) & wanted ? 0xffffffffu : 0u;
  const std::uint32_t value = lane_mask(result), with = predicate_in(w, op, 0);
  set_predicate(w, op, 0, mask, combine(op->detail[0], value, with));
  set_predicate(w, op, 1, mask, combine(op->detail[0], ~value, with));
  return op + 1;
}

/// DSETP.MIN and .MAX: the first predicate says that a is the minimum (maximum) of two numbers, or the only
/// number; the second, never combined, that both are NaN. detail[1]: maximum.
template <From B>
const Operation* choose_predicates(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  const Operand64<From::row> a(w, op, op->a);
  const Operand64<B> b(w, op, op->b);
  const Sign64 sign_a(*op, 0), sign_b(*op, 1);
  const bool maximum = op->detail[1] != 0;
  std::uint32_t first = 0, both_nan = 0;
  for (unsigned i = 0; i < 32; ++i) {
    const std::uint64_t x = sign_a(a[i]), y = sign_b(b[i]);
    const bool x_nan = nm::is_nan64(x), y_nan = nm::is_nan64(y);
    const bool x_wins = maximum ? nm::order64(x) > nm::order64(y) : nm::order64(x) < nm::order64(y);
    first |= (!x_nan && (y_nan || x_wins) ? 1u : 0u) << i;
    both_nan |= (x_nan && y_nan ? 1u : 0u) << i;
  }
  const std::uint32_t with = predicate_in(w, op, 0);
  set_predicate(w, op, 0, mask, combine(op->detail[0], first, with));
  set_predicate(w, op, 1, mask, both_nan);
  return op + 1;
}

template <From B>
Execute select_comparison(bool choose) {
  return choose ? &choose_predicates<B> : &set_predicates<B>;
}

}  // namespace

void lower_DADD(Lowering& l) {
  l.op.d = l.d(2);
  // The second operand stands in the third place: field 64:72, or slot b in the other forms.
  const Lowering::Operands kinds = ternary_operands(l, 2);
  if (kinds.b != From::row) l.unsupported = "an operand form that this operation does not have";
  l.op.b = l.op.c;
  l.op.modifiers = (l.op.modifiers & 3) | ((l.op.modifiers >> 4) & 3) << 2;
  l.op.execute = select_rounding<Add>(rounding_of(l), [&]<class F> { return select_pair_and_slot<F>(kinds.c); });
}

void lower_DMUL(Lowering& l) {
  l.op.d = l.d(2);
  const From b = binary_operands(l, 2);
  l.op.execute = select_rounding<Multiply>(rounding_of(l), [&]<class F> { return select_pair_and_slot<F>(b); });
}

void lower_DFMA(Lowering& l) {
  l.op.d = l.d(2);
  const Lowering::Operands kinds = ternary_operands(l, 2);
  l.op.execute = select_rounding<MultiplyAdd>(rounding_of(l), [&]<class F> { return select_pairs<F>(kinds); });
}

void lower_DSETP(Lowering& l) {
  const From b = binary_operands(l, 2);
  const auto code = static_cast<unsigned>(l.bits(76, 80));
  const bool choose = code == 0 || code == 15;
  l.op.detail[0] = static_cast<std::uint8_t>(l.bits(74, 76));
  if (l.op.detail[0] == 3) l.unsupported = "a combination of predicates that is not known";
  l.op.detail[1] = static_cast<std::uint8_t>(choose ? code == 15 : code);
  l.predicate_source(0, 87);
  l.op.predicate_out[0] = Lowering::predicate_destination(unsigned(l.bits(81, 84)));
  l.op.predicate_out[1] = Lowering::predicate_destination(unsigned(l.bits(84, 87)));
  l.op.execute = b == From::immediate ? select_comparison<From::immediate>(choose)
                 : b == From::uniform ? select_comparison<From::uniform>(choose)
                                      : select_comparison<From::row>(choose);
}

}  // namespace lanebank::machine::LANEBANK_SIMD
