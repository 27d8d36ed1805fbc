// MUFU: reciprocal, roots, exponential, logarithm, sine, cosine, hyperbolic tangent.
#include "machine/numerics/transcendental.hpp"
#include "machine/lanes/float_lane.hpp"
#include "machine/numerics/binary16.hpp"

namespace lanebank::machine::LANEBANK_SIMD {
namespace {

namespace nm = ::lanebank::machine::numerics;
using nm::Function;

template <Function function>
struct Single {
  Sign sign;
  explicit Single(const Operation& op) : sign(op, 1) {}
  LANEBANK_INLINE std::uint32_t operator()(std::uint32_t, std::uint32_t x, std::uint32_t) const {
    if constexpr (function == Function::reciprocal_64h || function == Function::reciprocal_root_64h)
      return nm::mufu64h<function>(sign(x));
    return nm::mufu32<function>(sign(x));
  }
};

/// A 16-bit operand (detail[0]: its shift) and result, with zeros above: the single-precision result, cut.
template <Function function, class Format16>
struct Short {
  Sign sign;
  unsigned shift;
  explicit Short(const Operation& op) : sign(op, 1), shift(op.detail[0]) {}
  LANEBANK_INLINE std::uint32_t operator()(std::uint32_t, std::uint32_t x, std::uint32_t) const {
    const std::uint32_t operand = sign((x >> shift) << 16) >> 16;
    const std::uint32_t value = nm::mufu32<function>(nm::bits_as<std::uint32_t>(Format16::widen(operand)));
    return nm::select(nm::is_nan16<Format16>(operand), Format16::nan, Format16::cut(value));
  }
};

template <Function function>
Execute select_format(unsigned format, From b) {
  if (format == 1) return select_binary<Short<function, nm::Half>>(b);
  if (format == 2) return select_binary<Short<function, nm::Brain>>(b);
  return select_binary<Single<function>>(b);
}

}  // namespace

void lower_MUFU(Lowering& l) {
  l.op.d = l.d();
  l.op.a = l.register_count;
  const Lowering::Operands kinds = l.operands();
  no_bindless_constant(l);
  if (kinds.swapped) l.unsupported = "an operand form that this operation does not have";
  if (!slot_b_is_literal(l)) {
    l.op.modifiers |= signs_of_slot_b(l) << 2;
    if (l.bit(60)) l.op.detail[0] = 16;
  }
  const auto format = static_cast<unsigned>(l.bits(72, 74));  // 0 single, 1 F16, 2 BF16
  const auto function = static_cast<Function>(l.bits(74, 78));
  if (format == 3 || (format != 0 && function != Function::power_of_two && function != Function::tanh))
    l.unsupported = "a number format that is not known";
  if (format == 0 && l.op.detail[0] != 0) l.unsupported = "a half of a single-precision number";
  switch (function) {
    case Function::cosine:
      l.op.execute = select_binary<Single<Function::cosine>>(kinds.b);
      break;
    case Function::sine:
      l.op.execute = select_binary<Single<Function::sine>>(kinds.b);
      break;
    case Function::power_of_two:
      l.op.execute = select_format<Function::power_of_two>(format, kinds.b);
      break;
    case Function::logarithm:
      l.op.execute = select_binary<Single<Function::logarithm>>(kinds.b);
      break;
    case Function::reciprocal:
      l.op.execute = select_binary<Single<Function::reciprocal>>(kinds.b);
      break;
    case Function::reciprocal_root:
      l.op.execute = select_binary<Single<Function::reciprocal_root>>(kinds.b);
      break;
    case Function::reciprocal_64h:
      l.op.execute = select_binary<Single<Function::reciprocal_64h>>(kinds.b);
      break;
    case Function::reciprocal_root_64h:
      l.op.execute = select_binary<Single<Function::reciprocal_root_64h>>(kinds.b);
      break;
    case Function::square_root:
      l.op.execute = select_binary<Single<Function::square_root>>(kinds.b);
      break;
    case Function::tanh:
      l.op.execute = select_format<Function::tanh>(format, kinds.b);
      break;
    default:
      l.unsupported = "a function that is not known";
      break;
  }
}

}  // namespace lanebank::machine::LANEBANK_SIMD
