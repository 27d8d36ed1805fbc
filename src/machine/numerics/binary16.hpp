// The two 16-bit formats, half (binary16) and bfloat16, in the low bits of a word.
//
// Results are rounded once, to nearest. Sums and products of halves are exact enough in binary32 that
// rounding twice is the same as once (24 >= 2 * 11 + 2 bits); fused operations go through numbers rounded to
// odd, as in binary32.hpp. Every NaN result is 0x7fff.
#pragma once

#include "machine/numerics/binary32.hpp"

namespace lanebank::machine::numerics {
namespace {

/// x + y in binary32, rounded to odd, if neither sum nor error underflows or overflows.
LANEBANK_NUMERIC float add_to_odd32(float x, float y) {
  const float sum = x + y;
  const float part = sum - x;
  const float error = (x - (sum - part)) + (y - part);
  const std::uint32_t bits = bits_as<std::uint32_t>(sum);
  const std::uint32_t opposite = std::uint32_t{0} - ((bits_as<std::uint32_t>(error) ^ bits) >> 31);
  const std::uint32_t step = (opposite | 1) & ~(std::uint32_t{0} - (bits & 1));
  return bits_as<float>(bits + (step & (ones_if<std::uint32_t>(error < 0.0f) | ones_if<std::uint32_t>(error > 0.0f))));
}

/// A binary64 number (exact or rounded to odd) rounded to odd in binary32. Overflow gives the largest
/// number with its last bit set, which later rounds to infinity as it should.
LANEBANK_NUMERIC float narrow_to_odd(double odd) {
  const Cut cut = cut32(odd);
  return bits_as<float>(cut.magnitude | (cut.inexact & 1) | cut.sign);
}

struct Half {
  static constexpr std::uint32_t sign = 0x8000, infinity = 0x7c00, nan = 0x7fff, one = 0x3c00;
  /// Results below it, rounded with an unbounded exponent, are below the smallest normal number.
  static constexpr float tiny = 0x1.ffep-15f;

  /// The exact value.
  LANEBANK_NUMERIC static float widen(std::uint32_t h) {
    const std::uint32_t magnitude = h & 0x7fff;
    const std::uint32_t normal =
        (magnitude << 13) + 0x38000000u + (0x38000000u & ones_if<std::uint32_t>(magnitude >= infinity));
    const float subnormal = static_cast<float>(static_cast<std::int32_t>(magnitude)) * 0x1p-24f;
    return bits_as<float>(select(magnitude < 0x400, bits_as<std::uint32_t>(subnormal), normal) | (h & sign) << 16);
  }
  /// Rounds to nearest, ties to even.
  LANEBANK_NUMERIC static std::uint32_t narrow(float x) {
    const std::uint32_t bits = bits_as<std::uint32_t>(x), magnitude = bits & ~f32_sign;
    // Adding 0.5 leaves the number in units of 2^-24, rounded, in the last bits.
    const std::uint32_t subnormal = bits_as<std::uint32_t>(bits_as<float>(magnitude) + 0.5f) - 0x3f000000u;
    const std::uint32_t normal = (magnitude - 0x38000000u + 0xfff + ((magnitude >> 13) & 1)) >> 13;
    const std::uint32_t finite = select(magnitude < 0x38800000u, subnormal, normal);
    const std::uint32_t result = select(magnitude >= 0x47800000u, infinity, finite) | ((bits >> 16) & sign);
    return select(magnitude > f32_infinity, nan, result);
  }
  /// Rounds a number that is not NaN, given by its bits, towards zero; 65536 and more is infinity.
  LANEBANK_NUMERIC static std::uint32_t cut(std::uint32_t bits) {
    const std::uint32_t magnitude = bits & ~f32_sign;
    const bool small = magnitude < 0x38800000u;  // below 2^-14: units of 2^-24
    const auto units = static_cast<std::int32_t>(bits_as<float>(select<std::uint32_t>(small, magnitude, 0)) * 0x1p24f);
    const std::uint32_t finite = select(small, static_cast<std::uint32_t>(units), (magnitude - 0x38000000u) >> 13);
    return select(magnitude >= 0x47800000u, infinity, finite) | ((bits >> 16) & sign);
  }
  // Numbers that `narrow` rounds as it would round the exact results.
  LANEBANK_NUMERIC static float sum(std::uint32_t a, std::uint32_t b) { return widen(a) + widen(b); }
  LANEBANK_NUMERIC static float product(std::uint32_t a, std::uint32_t b) { return widen(a) * widen(b); }
  LANEBANK_NUMERIC static float product_sum(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return add_to_odd32(widen(a) * widen(b), widen(c));
  }
};

struct Brain {
  static constexpr std::uint32_t sign = 0x8000, infinity = 0x7f80, nan = 0x7fff, one = 0x3f80;
  static constexpr float tiny = 0x1.ffp-127f;

  LANEBANK_NUMERIC static float widen(std::uint32_t h) { return bits_as<float>(h << 16); }
  LANEBANK_NUMERIC static std::uint32_t narrow(float x) {
    const std::uint32_t bits = bits_as<std::uint32_t>(x);
    const std::uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
    return select(x != x, nan, rounded);
  }
  LANEBANK_NUMERIC static std::uint32_t cut(std::uint32_t bits) { return bits >> 16; }
  // As for halves.
  LANEBANK_NUMERIC static float sum(std::uint32_t a, std::uint32_t b) { return widen(a) + widen(b); }
  LANEBANK_NUMERIC static float product(std::uint32_t a, std::uint32_t b) {
    return narrow_to_odd(static_cast<double>(widen(a)) * static_cast<double>(widen(b)));
  }
  LANEBANK_NUMERIC static float product_sum(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const double exact = static_cast<double>(widen(a)) * static_cast<double>(widen(b));
    return narrow_to_odd(add_to_odd(exact, widen(c)));
  }
};

/// A zero of the same sign for a subnormal number.
template <class F>
LANEBANK_NUMERIC std::uint32_t flush16(std::uint32_t x) {
  return x & (F::sign | ones_if<std::uint32_t>((x & F::infinity) != 0));
}
template <class F>
LANEBANK_NUMERIC bool is_nan16(std::uint32_t x) {
  return (x & 0x7fff) > F::infinity;
}
/// .SAT: clamped to [+0, 1], NaN gives +0.
template <class F>
LANEBANK_NUMERIC std::uint32_t saturate16(std::uint32_t x) {
  const std::uint32_t at_most_one = select(x > F::one, F::one, x);
  return at_most_one & ~ones_if<std::uint32_t>(((x & F::sign) != 0) | is_nan16<F>(x));
}
/// .RELU: negative numbers become +0, NaN stays.
template <class F>
LANEBANK_NUMERIC std::uint32_t relu16(std::uint32_t x) {
  return select(is_nan16<F>(x), F::nan, x & ~ones_if<std::uint32_t>((x & F::sign) != 0));
}
/// Minimum or maximum with the rules of choose32. `maximum` and `propagate` are masks: all ones or 0.
template <class F>
LANEBANK_NUMERIC std::uint32_t choose16(std::uint32_t a, std::uint32_t b, std::uint32_t maximum,
                                        std::uint32_t propagate) {
  const std::uint32_t order_a = a ^ (0x7fff & ones_if<std::uint32_t>((a & F::sign) != 0)),
                      order_b = b ^ (0x7fff & ones_if<std::uint32_t>((b & F::sign) != 0));
  const std::uint32_t a_first =
      ones_if<std::uint32_t>(static_cast<std::int32_t>(order_a << 16) < static_cast<std::int32_t>(order_b << 16)) ^
      maximum;
  std::uint32_t result = b ^ ((a ^ b) & a_first);
  const std::uint32_t a_nan = ones_if<std::uint32_t>(is_nan16<F>(a)), b_nan = ones_if<std::uint32_t>(is_nan16<F>(b));
  result ^= (result ^ b) & a_nan;
  result ^= (result ^ a) & b_nan;
  const std::uint32_t nan = (a_nan & b_nan) | ((a_nan | b_nan) & propagate);
  return result ^ ((result ^ F::nan) & nan);
}

}  // namespace
}  // namespace lanebank::machine::numerics
