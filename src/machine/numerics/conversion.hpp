// Conversions between floating-point formats and integers.
//
// Integers saturate. NaN becomes 0, or, where the instruction says so (no .NTZ), the most negative number of
// the integer's width.
#pragma once

#include "machine/numerics/binary16.hpp"
#include "machine/numerics/binary64.hpp"
#include "machine/numerics/unpacked.hpp"

namespace lanebank::machine::numerics {
namespace {

/// Floating-point formats as conversion instructions number them.
enum class Number : std::uint8_t { half = 1, single = 2, twice = 3, brain = 4 };

/// A binary64 NaN as a quiet binary32 one: sign and the upper bits of the payload stay.
LANEBANK_NUMERIC std::uint32_t narrow_nan(std::uint64_t x) {
  return (static_cast<std::uint32_t>(x >> 32) & f32_sign) | 0x7fc00000u |
         (static_cast<std::uint32_t>(x >> 29) & 0x3fffff);
}

/// The same in a 16-bit format.
LANEBANK_NUMERIC std::uint32_t narrow_nan16(std::uint64_t x, Number to) {
  const bool half = to == Number::half;
  const auto sign = static_cast<std::uint32_t>(x >> 48) & 0x8000;
  return sign | (half ? 0x7e00u : 0x7fc0u) |
         (static_cast<std::uint32_t>(x >> (half ? 42 : 45)) & (half ? 0x1ff : 0x3f));
}

/// To an integral number in the given direction; nearest is ties to even.
template <Rounding mode>
LANEBANK_NUMERIC float integral(float x) {
  if constexpr (mode == Rounding::nearest) return __builtin_rintf(x);
  if constexpr (mode == Rounding::down) return __builtin_floorf(x);
  if constexpr (mode == Rounding::up) return __builtin_ceilf(x);
  return __builtin_truncf(x);
}
template <Rounding mode>
LANEBANK_NUMERIC double integral(double x) {
  if constexpr (mode == Rounding::nearest) return __builtin_rint(x);
  if constexpr (mode == Rounding::down) return __builtin_floor(x);
  if constexpr (mode == Rounding::up) return __builtin_ceil(x);
  return __builtin_trunc(x);
}
LANEBANK_NUMERIC double integral(double x, Rounding mode) {
  switch (mode) {
    case Rounding::nearest:
      return integral<Rounding::nearest>(x);
    case Rounding::down:
      return integral<Rounding::down>(x);
    case Rounding::up:
      return integral<Rounding::up>(x);
    default:
      return integral<Rounding::zero>(x);
  }
}

/// Single precision to a 32-bit integer.
template <Rounding mode, bool is_signed>
LANEBANK_NUMERIC std::uint32_t single_to_word(float x, std::uint32_t nan_value) {
  const float whole = integral<mode>(x);
  const std::uint32_t bits = bits_as<std::uint32_t>(whole);
  if constexpr (is_signed) {
    const std::uint32_t high = ones_if<std::uint32_t>(whole >= 0x1p31f), low = ones_if<std::uint32_t>(whole < -0x1p31f);
    const std::uint32_t outside = high | low | ones_if<std::uint32_t>(whole != whole);
    const auto inside = static_cast<std::uint32_t>(static_cast<std::int32_t>(bits_as<float>(bits & ~outside)));
    return select(whole != whole, nan_value, inside | (high & 0x7fffffffu) | (low & 0x80000000u));
  } else {
    const std::uint32_t high = ones_if<std::uint32_t>(whole >= 0x1p32f),
                        upper = ones_if<std::uint32_t>(whole >= 0x1p31f);
    const std::uint32_t positive = bits & ones_if<std::uint32_t>(whole > 0.0f) & ~high;  // NaN is not
    const float below = bits_as<float>(positive) - bits_as<float>(upper & ~high & 0x4f000000u);
    const auto inside = static_cast<std::uint32_t>(static_cast<std::int32_t>(below)) ^ (upper & 0x80000000u);
    return select(whole != whole, nan_value, inside | high);
  }
}

/// Any number to an integer of 8, 16, 32 or 64 bits; narrow signed results are sign-extended to 64.
LANEBANK_NUMERIC std::uint64_t to_integer(double x, Rounding mode, unsigned bits, bool is_signed,
                                          std::uint64_t nan_value) {
  if (x != x) return nan_value;
  const double whole = integral(x, mode);
  const std::uint64_t half_range = std::uint64_t{1} << (bits - 1);
  if (is_signed) {
    const auto limit = static_cast<double>(half_range);
    if (whole >= limit) return half_range - 1;
    if (whole < -limit) return ~(half_range - 1);
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(whole));
  }
  if (whole >= 2.0 * static_cast<double>(half_range)) return half_range | (half_range - 1);
  return whole <= 0.0 ? 0 : static_cast<std::uint64_t>(whole);
}

/// The exact value of a number of any of the four formats.
LANEBANK_NUMERIC double to_double(std::uint64_t bits, Number format) {
  switch (format) {
    case Number::half:
      return Half::widen(static_cast<std::uint32_t>(bits) & 0xffff);
    case Number::single:
      return bits_as<float>(static_cast<std::uint32_t>(bits));
    case Number::brain:
      return Brain::widen(static_cast<std::uint32_t>(bits) & 0xffff);
    default:
      return bits_as<double>(bits);
  }
}

/// Rounds to any of the four formats; NaN becomes the format's canonical one.
constexpr std::uint64_t round_number(const Unpacked& u, Number format, Rounding mode) {
  switch (format) {
    case Number::half:
      return u.kind == Class::nan ? Half::nan : round_to<Binary16>(u, mode);
    case Number::single:
      return u.kind == Class::nan ? f32_nan : round_to<Binary32>(u, mode);
    case Number::brain:
      return u.kind == Class::nan ? Brain::nan : round_to<Brain16>(u, mode);
    default:
      return u.kind == Class::nan ? f64_nan & ~f64_sign : round_to<Binary64>(u, mode);
  }
}

/// An integer (sign-extended to 64 bits if signed) to any format.
constexpr std::uint64_t from_integer(std::uint64_t value, bool is_signed, Number format, Rounding mode) {
  const bool negative = is_signed && (value >> 63) != 0;
  return round_number({.sign = negative, .significand = negative ? ~value + 1 : value}, format, mode);
}

}  // namespace
}  // namespace lanebank::machine::numerics
