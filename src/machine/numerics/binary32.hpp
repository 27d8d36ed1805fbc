// Single precision (binary32) on bit patterns, as the GPU computes it.
//
//   - every NaN result is 0x7fffffff
//   - flush (.FTZ): subnormal operands and results become zeros of the same sign; a result counts as subnormal
//     if, rounded to 24 bits with an unbounded exponent, it is below 2^-126 (recorded from an H200)
//   - saturate (.SAT): results are clamped to [+0, 1], NaN gives +0
//
// Rounding to nearest uses the machine's own operations. The other modes use binary64: sums and products
// are computed rounded to odd (the last bit of the result is set when something was cut off), which keeps
// enough to round once more, correctly, because 53 >= 24 + 2 bits [Boldo, Melquiond 2008].
#pragma once

#include "machine/numerics/rounding.hpp"

namespace lanebank::machine::numerics {
namespace {

inline constexpr std::uint32_t f32_nan = 0x7fffffff;
inline constexpr std::uint32_t f32_infinity = 0x7f800000;
inline constexpr std::uint32_t f32_one = 0x3f800000;
inline constexpr std::uint32_t f32_sign = 0x80000000;

LANEBANK_NUMERIC bool is_nan32(std::uint32_t x) { return (x & ~f32_sign) > f32_infinity; }

/// A zero of the same sign for a subnormal number.
LANEBANK_NUMERIC std::uint32_t flush32(std::uint32_t x) { return (x & f32_infinity) != 0 ? x : x & f32_sign; }

template <bool flush>
LANEBANK_NUMERIC float operand32(std::uint32_t x) {
  return bits_as<float>(flush ? flush32(x) : x);
}

/// The bits of a result: NaN made canonical, flushed and clamped as asked.
template <bool flush, bool saturate>
LANEBANK_NUMERIC std::uint32_t result32(float value) {
  std::uint32_t bits = bits_as<std::uint32_t>(value);
  if constexpr (saturate) {
    const std::uint32_t positive = bits & ~(std::uint32_t{0} - (bits >> 31));
    bits = select(positive > f32_one, f32_one, positive) & ~ones_if<std::uint32_t>(value != value);
  } else {
    bits = select(value != value, f32_nan, bits);
  }
  return flush ? flush32(bits) : bits;
}

/// The same where a result may round up to 2^-126: `tiny` says whether it is flushed.
template <bool flush, bool saturate>
LANEBANK_NUMERIC std::uint32_t result32(float value, bool tiny) {
  const std::uint32_t bits = result32<false, saturate>(value);
  return flush ? bits & (f32_sign | ~ones_if<std::uint32_t>(tiny)) : bits;
}

/// Whether a result is flushed, from 2^24 times it, rounded once. Where the factor makes an operand overflow,
/// the result is far from tiny, or a zero.
LANEBANK_NUMERIC bool is_tiny_scaled(float scaled) {
  return static_cast<std::int32_t>(bits_as<std::uint32_t>(scaled) & ~f32_sign) < 0x0c800000;  // 2^-102
}

/// The same, from the result known exactly, or to odd in binary64: the bounds lie half a unit of the last of
/// 24 places below 2^-126, or a whole one if the mode rounds away from zero.
template <Rounding mode>
LANEBANK_NUMERIC bool is_tiny(double odd) {
  constexpr std::uint64_t smallest = bits_as<std::uint64_t>(0x1p-126);
  const std::uint64_t bits = bits_as<std::uint64_t>(odd), magnitude = bits & 0x7fffffffffffffffu;
  const bool negative = (bits >> 63) != 0;
  if constexpr (mode == Rounding::nearest) return magnitude < bits_as<std::uint64_t>(0x1.ffffffp-127);
  if constexpr (mode == Rounding::zero) return magnitude < smallest;
  const bool away = mode == Rounding::down ? negative : !negative;
  return magnitude < select(away, bits_as<std::uint64_t>(0x1.fffffep-127) + 1, smallest);
}

/// x + y in binary64, rounded to odd. Exact for infinities and NaN.
LANEBANK_NUMERIC double add_to_odd(double x, double y) {
  const double sum = x + y;
  const double part = sum - x;
  const double error = (x - (sum - part)) + (y - part);
  const std::uint64_t bits = bits_as<std::uint64_t>(sum);
  // One further from zero if the error has the sum's sign, else one nearer; nothing if exact or odd already.
  const std::uint64_t opposite = std::uint64_t{0} - ((bits_as<std::uint64_t>(error) ^ bits) >> 63);
  const std::uint64_t step = (opposite | 1) & ~(std::uint64_t{0} - (bits & 1));
  return bits_as<double>(bits + (step & (ones_if<std::uint64_t>(error < 0.0) | ones_if<std::uint64_t>(error > 0.0))));
}

/// A binary64 number cut to binary32: the bits of the magnitude, all ones if something was cut off, the sign.
struct Cut {
  std::uint32_t magnitude, inexact, sign;
};

/// Too large a number is the largest finite one, inexactly; NaN stays one.
///
/// Nothing here converts a number to float and back, to see what was lost: gcc 12 for AVX-512 drops such a pair
/// of conversions when it joins the eight of an unrolled loop into a vector.
LANEBANK_NUMERIC Cut cut32(double x) {
  constexpr std::uint64_t low_bits = 0x1fffffff, infinity = 0x7ff0000000000000u, sign = 0x8000000000000000u;
  const std::uint64_t bits = bits_as<std::uint64_t>(x), magnitude = bits & ~sign;
  // From 2^-126 on: without its low bits the number is a float.
  const std::uint32_t normal = bits_as<std::uint32_t>(static_cast<float>(bits_as<double>(magnitude & ~low_bits)));
  const std::uint64_t normal_lost = magnitude & low_bits;
  // Below: an integer multiple of 2^-149, which is its bit pattern.
  const double units = bits_as<double>(magnitude & ones_if<std::uint64_t>(magnitude < 0x3810000000000000u)) * 0x1p149;
  const double whole = __builtin_trunc(units);
  const auto small = static_cast<std::uint32_t>(static_cast<std::int32_t>(whole));
  const bool is_small = magnitude < 0x3810000000000000u;
  const bool is_large = (magnitude >= 0x47f0000000000000u) & (magnitude < infinity);
  std::uint32_t result = select(is_small, small, normal);
  result = select<std::uint32_t>(is_large, f32_infinity - 1, result);
  result = select<std::uint32_t>(magnitude > infinity, 0x7fc00000, result);
  const std::uint32_t small_lost = ones_if<std::uint32_t>(units - whole > 0.0);
  const std::uint32_t lost =
      select(is_small, small_lost, ones_if<std::uint32_t>((normal_lost != 0) & (magnitude < infinity)));
  return {result, lost | ones_if<std::uint32_t>(is_large), static_cast<std::uint32_t>(bits >> 32) & f32_sign};
}

/// Rounds a number known exactly, or to odd in binary64, to binary32.
template <Rounding mode>
LANEBANK_NUMERIC float narrow(double odd) {
  if constexpr (mode == Rounding::nearest) return static_cast<float>(odd);
  const Cut cut = cut32(odd);
  // Patterns grow with the magnitude, through infinity: one more is the next number away from zero.
  const std::uint32_t negative = std::uint32_t{0} - (cut.sign >> 31);
  std::uint32_t away = 0;
  if constexpr (mode == Rounding::down) away = cut.inexact & negative & 1;
  if constexpr (mode == Rounding::up) away = cut.inexact & ~negative & 1;
  return bits_as<float>((cut.magnitude + away) | cut.sign);
}

/// The sign of a sum that is exactly zero when rounding down: -0 unless both addends are +0.
template <Rounding mode>
LANEBANK_NUMERIC double zero_sum(double sum, double x, double y) {
  if constexpr (mode != Rounding::down) return sum;
  const std::uint64_t signs = (bits_as<std::uint64_t>(x) | bits_as<std::uint64_t>(y)) & 0x8000000000000000u;
  return sum == 0.0 ? bits_as<double>(signs) : sum;
}

template <Rounding mode>
LANEBANK_NUMERIC double odd_sum(double x, double y) {
  return zero_sum<mode>(add_to_odd(x, y), x, y);
}

template <Rounding mode, bool flush, bool saturate>
LANEBANK_NUMERIC std::uint32_t add32(std::uint32_t a, std::uint32_t b) {
  const float x = operand32<flush>(a), y = operand32<flush>(b);
  if constexpr (mode == Rounding::nearest) return result32<flush, saturate>(x + y);
  return result32<flush, saturate>(narrow<mode>(odd_sum<mode>(x, y)));
}

template <Rounding mode, bool flush, bool saturate>
LANEBANK_NUMERIC std::uint32_t multiply32(std::uint32_t a, std::uint32_t b) {
  const float x = operand32<flush>(a), y = operand32<flush>(b);
  if constexpr (mode == Rounding::nearest)
    return result32<flush, saturate>(x * y, flush && is_tiny_scaled((x * 0x1p24f) * y));
  const double exact = static_cast<double>(x) * static_cast<double>(y);
  return result32<flush, saturate>(narrow<mode>(exact), flush && is_tiny<mode>(exact));
}

/// a * b * scale, rounded once; `scale` is 2^-3 .. 2^3.
template <Rounding mode, bool flush, bool saturate>
LANEBANK_NUMERIC std::uint32_t multiply_scaled32(std::uint32_t a, std::uint32_t b, double scale) {
  const double exact = static_cast<double>(operand32<flush>(a)) * static_cast<double>(operand32<flush>(b)) * scale;
  return result32<flush, saturate>(narrow<mode>(exact), flush && is_tiny<mode>(exact));
}

/// a * b + c, rounded once.
template <Rounding mode, bool flush, bool saturate>
LANEBANK_NUMERIC std::uint32_t multiply_add32(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const float x = operand32<flush>(a), y = operand32<flush>(b), z = operand32<flush>(c);
#if defined(__FMA__)
  if constexpr (mode == Rounding::nearest)
    return result32<flush, saturate>(__builtin_fmaf(x, y, z),
                                     flush && is_tiny_scaled(__builtin_fmaf(x * 0x1p24f, y, z * 0x1p24f)));
#endif
  const double product = static_cast<double>(x) * static_cast<double>(y), odd = odd_sum<mode>(product, z);
  return result32<flush, saturate>(narrow<mode>(odd), flush && is_tiny<mode>(odd));
}

/// Order of binary32 numbers as signed integers, -0 below +0; meaningless for NaN.
LANEBANK_NUMERIC std::int32_t order32(std::uint32_t x) {
  const auto s = static_cast<std::int32_t>(x);
  return s ^ static_cast<std::int32_t>(static_cast<std::uint32_t>(s >> 31) >> 1);
}

/// Minimum or (`maximum`) maximum; -0 is below +0. One NaN gives the other operand, two NaN give NaN; with
/// `propagate` (.NAN) any NaN gives NaN. Both are masks: all ones or 0.
LANEBANK_NUMERIC std::uint32_t choose32(std::uint32_t a, std::uint32_t b, std::uint32_t maximum,
                                        std::uint32_t propagate) {
  const std::uint32_t a_first = ones_if<std::uint32_t>(order32(a) < order32(b)) ^ maximum;
  std::uint32_t result = b ^ ((a ^ b) & a_first);
  const std::uint32_t a_nan = ones_if<std::uint32_t>(is_nan32(a)), b_nan = ones_if<std::uint32_t>(is_nan32(b));
  result ^= (result ^ b) & a_nan;
  result ^= (result ^ a) & b_nan;
  const std::uint32_t nan = (a_nan & b_nan) | ((a_nan | b_nan) & propagate);
  return result ^ ((result ^ f32_nan) & nan);
}

/// Whether a / b is outside the range in which the short instruction sequence of a division (reciprocal and
/// five multiply-adds) is correctly rounded: special operands, or a quotient, remainder or reciprocal near the
/// limits of the exponent. The limits are those of FCHK on an H200.
LANEBANK_NUMERIC bool division_needs_care(std::uint32_t a, std::uint32_t b) {
  const auto exponent_a = static_cast<std::int32_t>((a >> 23) & 0xff),
             exponent_b = static_cast<std::int32_t>((b >> 23) & 0xff);
  const std::int32_t quotient = exponent_a - exponent_b;
  return (exponent_a < 25) | (exponent_a == 255) | (exponent_b < 2) | (exponent_b > 251) | (quotient > 126) |
         (quotient < -124);
}

}  // namespace
}  // namespace lanebank::machine::numerics
