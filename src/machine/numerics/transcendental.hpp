// The functions of the multi-function unit (MUFU). The hardware interpolates in tables and documents only
// error bounds (2 ulp or so; sine and cosine 2^-20.5 absolute, tanh 2^-11 relative); these are computed in double precision
// and rounded, so they lie within those bounds but are not equal to the hardware's bit for bit.
//
// Single precision: subnormal operands and results count as zeros of the same sign, NaN is 0x7fffffff.
// Sine and cosine take turns, not radians: sin(2 pi x).
#pragma once

#include "machine/numerics/binary32.hpp"
#include "machine/numerics/binary64.hpp"

namespace lanebank::machine::numerics {
namespace {

/// Functions as instructions number them.
enum class Function : std::uint8_t {
  cosine,
  sine,
  power_of_two,
  logarithm,
  reciprocal,
  reciprocal_root,
  reciprocal_64h,
  reciprocal_root_64h,
  square_root,
  tanh
};

LANEBANK_NUMERIC double choose(bool condition, double yes, double no) {
  return bits_as<double>(select(condition, bits_as<std::uint64_t>(yes), bits_as<std::uint64_t>(no)));
}
LANEBANK_NUMERIC float choose(bool condition, float yes, float no) {
  return bits_as<float>(select(condition, bits_as<std::uint32_t>(yes), bits_as<std::uint32_t>(no)));
}

/// 2^x for |x| < 1000: 2^n times a Taylor polynomial of the rest (error below 2^-52 relative).
LANEBANK_NUMERIC double exp2_double(double x) {
  const double n = __builtin_rint(x);
  const double r = (x - n) * 0.69314718055994530942;
  double p = 1.0 / 479001600.0;
  p = p * r + 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  // 2^n through the bits of n + 1023, found in the low bits of a large number.
  const std::uint64_t field = bits_as<std::uint64_t>(n + (0x1.8p52 + 1023.0)) & 0x7ff;
  return p * bits_as<double>(field << 52);
}

/// log2 of a positive normal number: exponent plus a series in (m - 1) / (m + 1) for m near 1.
LANEBANK_NUMERIC double log2_double(double x) {
  const std::uint64_t bits = bits_as<std::uint64_t>(x);
  // Take out the exponent so that m lies in [sqrt(1/2), sqrt(2)).
  const std::uint64_t shifted = bits - 0x3fe6a09e667f3bcdu;
  const auto exponent = static_cast<std::int32_t>(static_cast<std::uint32_t>(shifted >> 32)) >> 20;
  const double m = bits_as<double>(bits - (static_cast<std::uint64_t>(static_cast<std::int64_t>(exponent)) << 52));
  const double z = (m - 1.0) / (m + 1.0), z2 = z * z;
  double p = 1.0 / 21.0;
  p = p * z2 + 1.0 / 19.0;
  p = p * z2 + 1.0 / 17.0;
  p = p * z2 + 1.0 / 15.0;
  p = p * z2 + 1.0 / 13.0;
  p = p * z2 + 1.0 / 11.0;
  p = p * z2 + 1.0 / 9.0;
  p = p * z2 + 1.0 / 7.0;
  p = p * z2 + 1.0 / 5.0;
  p = p * z2 + 1.0 / 3.0;
  p = p * z2 + 1.0;
  return p * z * (2.0 * 1.44269504088896340736) + static_cast<double>(exponent);
}

/// cos(2 pi t) or sin(2 pi t): quarter turns are exact, the rest is a Taylor polynomial in |angle| <= pi / 4.
LANEBANK_NUMERIC double turn_double(double turns, bool sine) {
  const double t = turns - __builtin_rint(turns);
  const double quarter = __builtin_rint(4.0 * t);
  const double angle = (t - 0.25 * quarter) * 6.28318530717958647693;
  const double square = angle * angle;
  double s = -1.0 / 1307674368000.0;
  s = s * square + 1.0 / 6227020800.0;
  s = s * square - 1.0 / 39916800.0;
  s = s * square + 1.0 / 362880.0;
  s = s * square - 1.0 / 5040.0;
  s = s * square + 1.0 / 120.0;
  s = s * square - 1.0 / 6.0;
  s = (s * square) * angle + angle;
  double c = 1.0 / 20922789888000.0;
  c = c * square - 1.0 / 87178291200.0;
  c = c * square + 1.0 / 479001600.0;
  c = c * square - 1.0 / 3628800.0;
  c = c * square + 1.0 / 40320.0;
  c = c * square - 1.0 / 720.0;
  c = c * square + 1.0 / 24.0;
  c = c * square - 0.5;
  c = c * square + 1.0;
  // sin in quarters 0..3: s, c, -s, -c; cos is sin a quarter later.
  const double q = quarter + (sine ? 4.0 : 5.0);                    // 2..7
  const std::uint64_t number = bits_as<std::uint64_t>(q + 0x1p52);  // q in the low bits
  const std::uint64_t odd = std::uint64_t{0} - (number & 1), negative = (number << 62) & f64_sign;
  const std::uint64_t sine_bits = bits_as<std::uint64_t>(s), cosine_bits = bits_as<std::uint64_t>(c);
  return bits_as<double>((sine_bits ^ ((sine_bits ^ cosine_bits) & odd)) ^ negative);
}

/// The square root, NaN for negative numbers. __builtin_sqrt of those would set errno, through a call.
LANEBANK_NUMERIC double root(double x) {
  const std::uint64_t negative = ones_if<std::uint64_t>(x < 0.0);
  const double value = __builtin_sqrt(bits_as<double>(bits_as<std::uint64_t>(x) & ~negative));
  return bits_as<double>(bits_as<std::uint64_t>(value) | (negative & 0x7ff8000000000000u));
}

LANEBANK_NUMERIC double tanh_double(double x) {
  const double magnitude = bits_as<double>(bits_as<std::uint64_t>(x) & ~f64_sign);
  const double bounded = choose(magnitude > 20.0, 20.0, magnitude);
  const double power = exp2_double(bounded * (2.0 * 1.44269504088896340736));
  const double large = 1.0 - 2.0 / (power + 1.0);
  const double small = bounded * (1.0 - bounded * bounded * (1.0 / 3.0 - bounded * bounded * (2.0 / 15.0)));
  const double result = choose(bounded < 0x1p-6, small, large);
  return bits_as<double>(bits_as<std::uint64_t>(result) | (bits_as<std::uint64_t>(x) & f64_sign));
}

/// The value for a number that is not NaN, before rounding; special operands give special results.
template <Function function>
LANEBANK_NUMERIC float mufu_value(float x) {
  constexpr float infinity = __builtin_inff();
  constexpr float nan = __builtin_nanf("");
  if constexpr (function == Function::cosine || function == Function::sine) {
    const bool finite = x - x == 0.0f;
    const float value = static_cast<float>(turn_double(choose(finite, x, 0.0f), function == Function::sine));
    const float result = function == Function::sine ? choose(x == 0.0f, x, value) : value;
    return choose(finite, result, nan);
  }
  if constexpr (function == Function::power_of_two) {
    const float bounded = choose(x > 200.0f, 200.0f, choose(x < -200.0f, -200.0f, x));
    return static_cast<float>(exp2_double(bounded));
  }
  if constexpr (function == Function::logarithm) {
    const bool positive = (x > 0.0f) & (x < infinity);
    const float value = static_cast<float>(log2_double(choose(positive, x, 1.0f)));
    const float special = choose(x == 0.0f, -infinity, choose(x > 0.0f, infinity, nan));
    return choose(positive, value, special);
  }
  if constexpr (function == Function::reciprocal) return 1.0f / x;
  if constexpr (function == Function::reciprocal_root) return static_cast<float>(1.0 / root(static_cast<double>(x)));
  if constexpr (function == Function::square_root) return static_cast<float>(root(static_cast<double>(x)));
  if constexpr (function == Function::tanh) return static_cast<float>(tanh_double(x));
  return nan;
}

template <Function function>
LANEBANK_NUMERIC std::uint32_t mufu32(std::uint32_t x) {
  const std::uint32_t operand = flush32(x);
  const bool is_nan = is_nan32(operand);
  const float value = mufu_value<function>(bits_as<float>(select(is_nan, f32_one, operand)));
  return select(is_nan, f32_nan, result32<true, false>(value));
}

/// The high word of 1/x or 1/sqrt(x) for a double whose high word is `high` and low word 0. Subnormals
/// count as zeros.
template <Function function>
LANEBANK_NUMERIC std::uint32_t mufu64h(std::uint32_t high) {
  const std::uint32_t operand = high & (0x80000000u | ones_if<std::uint32_t>((high & 0x7ff00000u) != 0));
  const double x = bits_as<double>(std::uint64_t{operand} << 32);
  const double value = function == Function::reciprocal_64h ? 1.0 / x : 1.0 / root(x);
  const std::uint64_t bits = bits_as<std::uint64_t>(value) + 0x80000000u;
  const std::uint32_t result = static_cast<std::uint32_t>(bits >> 32);
  const std::uint32_t flushed = result & (0x80000000u | ones_if<std::uint32_t>((result & 0x7ff00000u) != 0));
  return select<std::uint32_t>(is_nan64(bits_as<std::uint64_t>(value)), 0x7fffffffu, flushed);
}

}  // namespace
}  // namespace lanebank::machine::numerics
