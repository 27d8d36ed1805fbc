// Conversions between number formats.
#include "machine/lanes/float_lane.hpp"
#include "machine/numerics/binary32.hpp"

namespace lanebank::machine::LANEBANK_SIMD {
namespace {

namespace nm = ::lanebank::machine::numerics;

/// I2FP: 32-bit integer to single precision.
template <Rounding mode, bool is_signed>
struct IntegerToFloat {
  explicit IntegerToFloat(const Operation&) {}
  LANEBANK_INLINE std::uint32_t operator()(std::uint32_t, std::uint32_t x, std::uint32_t) const {
    if constexpr (mode == Rounding::nearest) {
      return nm::bits_as<std::uint32_t>(is_signed ? static_cast<float>(static_cast<std::int32_t>(x)) : static_cast<float>(x));
    }
    const double exact = is_signed ? static_cast<double>(static_cast<std::int32_t>(x)) : static_cast<double>(x);
    return nm::bits_as<std::uint32_t>(nm::narrow<mode>(exact));
  }
};

template <Rounding mode>
Execute select_integer_to_float(bool is_signed, From b) {
  return is_signed ? select_binary<IntegerToFloat<mode, true>>(b) : select_binary<IntegerToFloat<mode, false>>(b);
}

}  // namespace

void lower_I2FP(Lowering& l) {
  l.op.d = l.d();
  l.op.a = l.register_count;
  const Lowering::Operands kinds = l.operands();
  no_bindless_constant(l);
  // Bits 75:78: result format, 2 = F32; 84:86: size of the source, 2 = 32 bits.
  if (l.bits(75, 78) != 2) l.unsupported = "I2FP to a format that is not known";
  if (l.bits(84, 86) != 2) l.unsupported = "I2FP from a format that is not known";
  const bool is_signed = l.bit(74);
  switch (rounding_of(l)) {
    case Rounding::nearest: l.op.execute = select_integer_to_float<Rounding::nearest>(is_signed, kinds.b); break;
    case Rounding::down: l.op.execute = select_integer_to_float<Rounding::down>(is_signed, kinds.b); break;
    case Rounding::up: l.op.execute = select_integer_to_float<Rounding::up>(is_signed, kinds.b); break;
    default: l.op.execute = select_integer_to_float<Rounding::zero>(is_signed, kinds.b); break;
  }
}

}  // namespace lanebank::machine::LANEBANK_SIMD
