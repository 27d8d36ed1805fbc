// The functions of the multi-function unit (MUFU), bit for bit as an H200 computes them.
//
// The unit takes the argument apart, reads three coefficients from a table and evaluates a quadratic in integers:
//
//   argument of the table     | segment | x: 17 bits |           (the reciprocal's x has 16, and a zero below)
//   sum = c0 + c1 * x + c2 * square(x)                           (integers; c0 carries a rounding constant)
//   result = sum, shifted or normalised to 24 bits; what falls out is dropped
//
// `square` is the one place where bits are lost on the way: of the partial products of x * x those below 2^19
// are left out.
//
// Exact on all 2^32 operands of each of the ten functions (compared on an H200, 0 differ), and on all 65,536 of the
// 16-bit forms of EX2 and TANH, which are the single-precision results cut to 16 bits. The tables
// (mufu_segments.def) were derived from less: all mantissas of one binade or two of each function.
//
//   tests/machine/hardware/mufu_dump.cu   the measurements
//   tests/machine/mufu_recorded_test.cpp  the spread ones as a test
//
// Single precision: subnormal operands and results count as zeros of the same sign (not for TANH, which is x below
// 2^-8), NaN is 0x7fffffff. Sine and cosine take turns, not radians: sin(2 pi x).
//
// What it does not do: say which of these tables units of other architectures have.
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

// ------------------------------------------------------------------------------- tables

struct SegmentRow {
  std::int32_t c0, c1, c2;
};
/// Arrays of words, whose reading in a loop over lanes is vectorised. c0 stands `shift` bits above the sum's last
/// bit; `low` are the bits below it.
template <unsigned count>
struct Segments {
  std::int32_t c0[count], c1[count], c2[count];
  unsigned shift;
  std::int64_t low;
};

template <unsigned count>
constexpr Segments<count> make_segments(const SegmentRow (&rows)[count], unsigned shift, std::int64_t low,
                                        std::int32_t c2_unit) {
  Segments<count> segments{};
  segments.shift = shift;
  segments.low = low;
  for (unsigned i = 0; i < count; ++i) {
    segments.c0[i] = rows[i].c0;
    segments.c1[i] = rows[i].c1;
    segments.c2[i] = rows[i].c2 * c2_unit;
  }
  return segments;
}

inline constexpr SegmentRow reciprocal_rows[] = {
#define LANEBANK_MUFU_RCP(c0, c1, c2) {c0, c1, c2},
#include "machine/numerics/mufu_segments.def"
};
inline constexpr SegmentRow reciprocal_root_rows[] = {
#define LANEBANK_MUFU_RSQ(c0, c1, c2) {c0, c1, c2},
#include "machine/numerics/mufu_segments.def"
};
inline constexpr SegmentRow square_root_rows[] = {
#define LANEBANK_MUFU_SQRT(c0, c1, c2) {c0, c1, c2},
#include "machine/numerics/mufu_segments.def"
};
inline constexpr SegmentRow power_of_two_rows[] = {
#define LANEBANK_MUFU_EX2(c0, c1, c2) {c0, c1, c2},
#include "machine/numerics/mufu_segments.def"
};
inline constexpr SegmentRow logarithm_rows[] = {
#define LANEBANK_MUFU_LG2(c0, c1, c2) {c0, c1, c2},
#include "machine/numerics/mufu_segments.def"
};
inline constexpr SegmentRow sine_rows[] = {
#define LANEBANK_MUFU_SIN(c0, c1, c2) {c0, c1, c2},
#include "machine/numerics/mufu_segments.def"
};
inline constexpr SegmentRow tanh_rows[] = {
#define LANEBANK_MUFU_TANH(c0, c1, c2) {c0, c1, c2},
#include "machine/numerics/mufu_segments.def"
};

inline constexpr auto reciprocal_segments = make_segments(reciprocal_rows, 14, 4046, 2);
inline constexpr auto reciprocal_root_segments = make_segments(reciprocal_root_rows, 14, 16383, 4);
inline constexpr auto square_root_segments = make_segments(square_root_rows, 15, 32767, 1);
inline constexpr auto power_of_two_segments = make_segments(power_of_two_rows, 13, 6114, 1);
inline constexpr auto logarithm_segments = make_segments(logarithm_rows, 12, 837, 1);
inline constexpr auto sine_segments = make_segments(sine_rows, 12, 0, 1);
inline constexpr auto tanh_segments = make_segments(tanh_rows, 15, 0, 1);

/// Segments of TANH by binade, from 2^-8: their first row, their number, the sum's fraction bits.
inline constexpr std::uint32_t tanh_first[] = {0, 1, 2, 3, 5, 7, 11, 15, 19, 27, 43};
inline constexpr std::uint32_t tanh_count[] = {1, 1, 1, 2, 2, 4, 4, 4, 8, 16, 8};
inline constexpr std::uint32_t tanh_fraction[] = {44, 43, 42, 41, 40, 39, 38, 37, 37, 39, 37};

// ------------------------------------------------------------------------------- the quadratic

inline constexpr std::uint32_t mantissa_mask = 0x007fffff, hidden_bit = 0x00800000;

/// x * x / 2^19 for x of 17 bits, without the partial products below 2^19: of bits i < j of x the product weighs
/// 2^(i + j + 1), so that bit i <= 8 meets bits 18 - i and above, and the bits from 9 on all of each other.
LANEBANK_NUMERIC std::uint32_t square(std::uint32_t x) {
  const std::uint32_t upper = x >> 9;
  std::uint32_t sum = (upper * upper) >> 1;
  for (unsigned i = 2; i <= 8; ++i)
    sum += (x >> (18 - i)) & static_cast<std::uint32_t>(static_cast<std::int32_t>(x << (31 - i)) >> 31);
  return sum;
}

template <unsigned count>
LANEBANK_NUMERIC std::int64_t interpolate(const Segments<count>& segments, std::uint32_t segment, std::uint32_t x) {
  const std::int64_t start = (static_cast<std::int64_t>(segments.c0[segment]) << segments.shift) + segments.low;
  const std::int64_t slope = static_cast<std::int64_t>(segments.c1[segment]) * static_cast<std::int32_t>(x);
  const std::int32_t curve = segments.c2[segment] * static_cast<std::int32_t>(square(x));
  return start + slope + curve;
}

/// The same for an argument of 23 bits whose upper bits are the segment; segments from `first` on.
template <unsigned count>
LANEBANK_NUMERIC std::int64_t interpolate_fraction(const Segments<count>& segments, std::uint32_t fraction,
                                                   std::uint32_t first = 0) {
  return interpolate(segments, first + (fraction >> 17), fraction & 0x1ffff);
}

/// The bits of number * 2^-fraction_bits in binary32, cut to 24 bits, for 0 <= number < 2^52.
LANEBANK_NUMERIC std::uint32_t cut_sum(std::uint64_t number, std::uint32_t fraction_bits) {
  const double exact = bits_as<double>(number | 0x4330000000000000u) - 0x1p52;
  const auto upper = static_cast<std::uint32_t>(bits_as<std::uint64_t>(exact) >> 29);
  return select<std::uint32_t>(number == 0, 0, upper - ((896 + fraction_bits) << 23));
}

LANEBANK_NUMERIC std::uint32_t exponent_field(std::uint32_t x) { return (x >> 23) & 0xff; }

/// |x| in units of 2^-23, cut, for |x| < 256; 2^31 - 128 for more.
LANEBANK_NUMERIC std::uint32_t fixed_point(std::uint32_t x) {
  constexpr std::uint32_t below_256 = 0x437fffff;
  const std::uint32_t magnitude = x & ~f32_sign;
  const auto bounded = bits_as<float>(select(magnitude > below_256, below_256, magnitude));
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(bounded * 0x1p23f));
}

/// The fraction of |x| in units of 2^-25, cut; 0 from 2^24 on.
LANEBANK_NUMERIC std::uint32_t fixed_point_turns(std::uint32_t x) {
  constexpr std::uint32_t integral_from = 0x4b800000;
  const std::uint32_t magnitude = x & ~f32_sign;
  const auto bounded = bits_as<float>(select(magnitude > integral_from, integral_from, magnitude));
  const float fraction = bounded - static_cast<float>(static_cast<std::int32_t>(bounded));
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(fraction * 0x1p25f));
}

// ------------------------------------------------------------------------------- the functions

/// 24 bits of 1 / x, from 2^23 to 2^24, for the fraction of x in [1, 2).
LANEBANK_NUMERIC std::uint32_t reciprocal_bits(std::uint32_t fraction) {
  return static_cast<std::uint32_t>(interpolate(reciprocal_segments, fraction >> 16, (fraction & 0xffff) << 1) >> 16);
}
/// 24 bits of 1 / sqrt(x), from 2^23 to 2^24; x in [1, 2), or with `upper` in [2, 4).
LANEBANK_NUMERIC std::uint32_t reciprocal_root_bits(std::uint32_t fraction, std::uint32_t upper) {
  const auto bits =
      static_cast<std::uint32_t>(interpolate_fraction(reciprocal_root_segments, fraction, upper << 6) >> 16);
  return select<std::uint32_t>((fraction | upper) == 0, 1u << 24, bits);
}

LANEBANK_NUMERIC std::uint32_t mufu_reciprocal(std::uint32_t x) {
  const std::uint32_t exponent = exponent_field(x), sign = x & f32_sign;
  const auto bits = static_cast<std::int32_t>(((252 - exponent) << 23) + reciprocal_bits(x & mantissa_mask));
  std::uint32_t result = select<std::uint32_t>(bits < 0x00800000, 0, static_cast<std::uint32_t>(bits));
  result = select<std::uint32_t>(exponent == 255, 0, result);
  return sign | select(exponent == 0, f32_infinity, result);
}

LANEBANK_NUMERIC std::uint32_t mufu_reciprocal_root(std::uint32_t x) {
  const std::uint32_t exponent = exponent_field(x), upper = ~exponent & 1;
  std::uint32_t result = (((377 + upper - exponent) >> 1) << 23) + reciprocal_root_bits(x & mantissa_mask, upper);
  result = select<std::uint32_t>(exponent == 255, 0, result);
  result = select((x & f32_sign) != 0, f32_nan, result);
  return select(exponent == 0, f32_infinity | (x & f32_sign), result);
}

LANEBANK_NUMERIC std::uint32_t mufu_square_root(std::uint32_t x) {
  const std::uint32_t exponent = exponent_field(x), upper = ~exponent & 1;
  const auto bits =
      static_cast<std::uint32_t>(interpolate_fraction(square_root_segments, x & mantissa_mask, upper << 6) >> 17);
  std::uint32_t result = (((125 + exponent - upper) >> 1) << 23) + bits;
  result = select(exponent == 255, f32_infinity, result);
  result = select((x & f32_sign) != 0, f32_nan, result);
  return select(exponent == 0, x & f32_sign, result);
}

/// 2^x: the integer part of x goes to the exponent. A negative x is complemented, not negated, unless integral.
LANEBANK_NUMERIC std::uint32_t mufu_power_of_two(std::uint32_t x) {
  const std::uint32_t magnitude = fixed_point(x);
  const std::uint32_t complement = ones_if<std::uint32_t>((x & f32_sign) != 0),
                      carry = complement & ones_if<std::uint32_t>((magnitude & mantissa_mask) == 0);
  const auto number = static_cast<std::int32_t>((magnitude ^ complement) - carry);
  const std::int32_t exponent = number >> 23;
  const auto bits = static_cast<std::uint32_t>(
      interpolate_fraction(power_of_two_segments, static_cast<std::uint32_t>(number) & mantissa_mask) >> 15);
  const bool large = exponent_field(x) >= 135;  // |x| >= 256
  std::uint32_t result = (static_cast<std::uint32_t>(exponent + 126) << 23) + bits;
  result = select((exponent >= 128) | large, f32_infinity, result);
  return select<std::uint32_t>((exponent < -126) | (large & (complement != 0)), 0, result);
}

/// log2(x): exponent and table side by side, in units of 2^-36; a negative sum is complemented, not negated.
LANEBANK_NUMERIC std::uint32_t mufu_logarithm(std::uint32_t x) {
  const std::uint32_t exponent = exponent_field(x);
  const std::int64_t fraction = interpolate_fraction(logarithm_segments, x & mantissa_mask) >> 2;
  const std::int64_t sum = ((static_cast<std::int64_t>(exponent) - 127) << 36) + fraction;
  const std::uint32_t negative = ones_if<std::uint32_t>(sum < 0);
  const std::uint64_t magnitude = static_cast<std::uint64_t>(sum) ^ ones_if<std::uint64_t>(sum < 0);
  std::uint32_t result = cut_sum(magnitude, 36) | (negative & f32_sign);
  result = select<std::uint32_t>(x == f32_one, 0, result);
  result = select(exponent == 255, f32_infinity, result);
  result = select((x & f32_sign) != 0, f32_nan, result);
  return select(exponent == 0, f32_infinity | f32_sign, result);
}

/// sin(2 pi x), or with quarters = 1 the cosine: |x| cut to 2^-25 turns; odd quarters run backwards.
LANEBANK_NUMERIC std::uint32_t mufu_turn(std::uint32_t x, std::uint32_t quarters) {
  const std::uint32_t turns = fixed_point_turns(x);
  const std::uint32_t quarter = (turns >> 23) + quarters;
  const std::uint32_t place = (turns ^ (std::uint32_t{0} - (quarter & 1))) & mantissa_mask;
  const auto sum = static_cast<std::uint64_t>(interpolate_fraction(sine_segments, place));
  const std::uint32_t sign = ((quarter << 30) ^ select<std::uint32_t>(quarters == 0, x, 0)) & f32_sign;
  return select(exponent_field(x) == 255, f32_nan, cut_sum(sum, 37) | sign);
}

LANEBANK_NUMERIC std::uint32_t mufu_tanh(std::uint32_t x) {
  constexpr std::uint32_t first_binade = 119, last_binade = 129;  // 2^-8 and 2^2
  const std::uint32_t magnitude = x & ~f32_sign, fraction = x & mantissa_mask, exponent = exponent_field(x);
  const std::uint32_t binade =
      select(exponent < first_binade, first_binade, select(exponent > last_binade, last_binade, exponent)) -
      first_binade;
  const std::uint32_t place = fraction * tanh_count[binade], segment = tanh_first[binade] + (place >> 23);
  const auto sum = static_cast<std::uint64_t>(interpolate(tanh_segments, segment, (place >> 6) & 0x1ffff));
  std::uint32_t result = cut_sum(sum, tanh_fraction[binade]);
  result = select(exponent < first_binade, magnitude, result);
  return select(exponent > last_binade, f32_one, result) | (x & f32_sign);
}

template <Function function>
LANEBANK_NUMERIC std::uint32_t mufu32(std::uint32_t x) {
  std::uint32_t result = f32_nan;
  if constexpr (function == Function::cosine) result = mufu_turn(x, 1);
  if constexpr (function == Function::sine) result = mufu_turn(x, 0);
  if constexpr (function == Function::power_of_two) result = mufu_power_of_two(x);
  if constexpr (function == Function::logarithm) result = mufu_logarithm(x);
  if constexpr (function == Function::reciprocal) result = mufu_reciprocal(x);
  if constexpr (function == Function::reciprocal_root) result = mufu_reciprocal_root(x);
  if constexpr (function == Function::square_root) result = mufu_square_root(x);
  if constexpr (function == Function::tanh) result = mufu_tanh(x);
  return select(is_nan32(x), f32_nan, result);
}

/// The high word of 1/x or 1/sqrt(x) for a double whose high word is `high` and low word 0. Subnormals
/// count as zeros.
template <Function function>
LANEBANK_NUMERIC std::uint32_t mufu64h(std::uint32_t high) {
  const std::uint32_t sign = high & 0x80000000u, exponent = (high >> 20) & 0x7ff, fraction = high & 0xfffff;
  std::uint32_t result;
  if constexpr (function == Function::reciprocal_64h) {
    const auto bits = static_cast<std::int32_t>(((2044 - exponent) << 20) + (reciprocal_bits(fraction << 3) >> 3));
    result = select<std::uint32_t>(bits < 0x00100000, 0, static_cast<std::uint32_t>(bits));
    result = sign | select<std::uint32_t>(exponent == 0x7ff, 0, result);
  } else {
    const std::uint32_t upper = ~exponent & 1;
    result = (((3065 + upper - exponent) >> 1) << 20) + (reciprocal_root_bits(fraction << 3, upper) >> 3);
    result = select<std::uint32_t>(exponent == 0x7ff, 0, result);
    result = select(sign != 0, f32_nan, result);
  }
  result = select(exponent == 0, 0x7ff00000u | sign, result);
  return select((exponent == 0x7ff) & (fraction != 0), f32_nan, result);
}

}  // namespace
}  // namespace lanebank::machine::numerics
