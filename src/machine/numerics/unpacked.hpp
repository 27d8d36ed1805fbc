// The specification of floating-point arithmetic: numbers taken apart into sign, exponent and an integer
// significand, one rounding at the end, any format, any rounding mode. Slow and simple; the vector paths are
// tested against it, and the rounding modes that no vector path exists for use it.
//
//   finite number = (-1)^sign * significand * 2^exponent
#pragma once

#include "machine/numerics/rounding.hpp"

namespace lanebank::machine::numerics {
namespace {

__extension__ typedef unsigned __int128 Wide;

/// A format: bits of the exponent field and of the fraction field. `has_infinity` false: the largest
/// exponent holds numbers too, and only all ones is a NaN (e4m3).
template <class StoredBits, unsigned exponent_field, unsigned fraction_field, bool infinities = true>
struct Format {
  using Bits = StoredBits;
  static constexpr unsigned exponent_bits = exponent_field, fraction_bits = fraction_field;
  static constexpr unsigned total_bits = 1 + exponent_field + fraction_field;
  static constexpr bool has_infinity = infinities;
  static constexpr int bias = (1 << (exponent_field - 1)) - 1;
  static constexpr unsigned largest_exponent = (1u << exponent_field) - 1;
  static constexpr std::uint64_t sign_bit = std::uint64_t{1} << (total_bits - 1);
  static constexpr std::uint64_t fraction_mask = (std::uint64_t{1} << fraction_field) - 1;
  static constexpr std::uint64_t infinity = std::uint64_t{largest_exponent} << fraction_field;
  static constexpr std::uint64_t nan =
      infinities ? infinity | (std::uint64_t{1} << (fraction_field - 1)) : sign_bit - 1;
  static constexpr std::uint64_t largest = infinities ? infinity - 1 : sign_bit - 2;
};
using Binary16 = Format<std::uint16_t, 5, 10>;
using Brain16 = Format<std::uint16_t, 8, 7>;
using Binary32 = Format<std::uint32_t, 8, 23>;
using Binary64 = Format<std::uint64_t, 11, 52>;
using Tensor32 = Format<std::uint32_t, 8, 10>;  ///< TF32, without its 13 unused low bits
using E4M3 = Format<std::uint8_t, 4, 3, false>;
using E5M2 = Format<std::uint8_t, 5, 2>;

enum class Class : std::uint8_t { finite, infinite, nan };

struct Unpacked {
  Class kind = Class::finite;
  bool sign = false;
  int exponent = 0;
  Wide significand = 0;
  bool sticky = false;  ///< the magnitude is a little more than what stands here
};

template <class F>
constexpr Unpacked unpack(std::uint64_t bits) {
  Unpacked u;
  u.sign = (bits & F::sign_bit) != 0;
  const auto field = static_cast<unsigned>((bits >> F::fraction_bits) & F::largest_exponent);
  const std::uint64_t fraction = bits & F::fraction_mask;
  if (F::has_infinity && field == F::largest_exponent) {
    u.kind = fraction == 0 ? Class::infinite : Class::nan;
    return u;
  }
  if (!F::has_infinity && (bits & (F::sign_bit - 1)) == F::nan) {
    u.kind = Class::nan;
    return u;
  }
  u.significand = field == 0 ? fraction : fraction | (std::uint64_t{1} << F::fraction_bits);
  u.exponent = static_cast<int>(field == 0 ? 1 : field) - F::bias - static_cast<int>(F::fraction_bits);
  return u;
}

constexpr int bit_length(Wide x) {
  const auto high = static_cast<std::uint64_t>(x >> 64), low = static_cast<std::uint64_t>(x);
  return high != 0 ? 128 - __builtin_clzll(high) : low != 0 ? 64 - __builtin_clzll(low) : 0;
}

/// Shifts right by `count` bits and gives whether a one fell out.
constexpr bool shift_right(Wide& x, int count) {
  if (count <= 0) return false;
  if (count > 127) {
    const bool lost = x != 0;
    x = 0;
    return lost;
  }
  const bool lost = (x & ((Wide{1} << count) - 1)) != 0;
  x >>= count;
  return lost;
}

constexpr bool rounds_up(Rounding mode, bool sign, bool odd, bool half, bool rest) {
  switch (mode) {
    case Rounding::nearest:
      return half && (rest || odd);
    case Rounding::down:
      return sign && (half || rest);
    case Rounding::up:
      return !sign && (half || rest);
    default:
      return false;
  }
}

/// Rounds to a format; overflow gives infinity or the largest number as the mode demands, always the
/// largest number with `finite_only` (.SATFINITE) or in formats without infinity.
template <class F>
constexpr std::uint64_t round_to(const Unpacked& u, Rounding mode, bool finite_only = !F::has_infinity) {
  const std::uint64_t sign = u.sign ? F::sign_bit : 0;
  if (u.kind == Class::nan) return F::nan;
  if (u.kind == Class::infinite) return sign | (finite_only ? F::largest : F::infinity);
  if (u.significand == 0 && !u.sticky) return sign;
  // Two extra bits below the last place: half, and a sticky rest.
  constexpr int smallest = 1 - F::bias - static_cast<int>(F::fraction_bits);
  const int length = bit_length(u.significand);
  int exponent = u.exponent + length - static_cast<int>(F::fraction_bits) - 1;  // of the last place kept
  if (exponent < smallest) exponent = smallest;
  Wide scaled = u.significand;
  bool rest = u.sticky;
  const int drop = exponent - u.exponent - 1;  // keep one bit below the last place
  if (drop > 0) {
    rest |= shift_right(scaled, drop);
  } else {
    scaled <<= -drop;
  }
  const bool half = (scaled & 1) != 0;
  std::uint64_t kept = static_cast<std::uint64_t>(scaled >> 1);
  if (rounds_up(mode, u.sign, (kept & 1) != 0, half, rest)) {
    kept += 1;
    if (kept == (std::uint64_t{2} << F::fraction_bits)) kept >>= 1, exponent += 1;
  }
  // kept >= 2^fraction_bits: normal; its leading one adds 1 to the exponent field of a subnormal.
  const std::int64_t field = exponent - smallest;
  const bool too_large = field > static_cast<std::int64_t>(F::largest_exponent);
  const std::uint64_t bits = too_large ? F::infinity : (static_cast<std::uint64_t>(field) << F::fraction_bits) + kept;
  if (too_large || bits > F::largest) {
    const bool to_largest = finite_only || mode == Rounding::zero || (mode == Rounding::down && !u.sign) ||
                            (mode == Rounding::up && u.sign);
    return sign | (to_largest ? F::largest : F::infinity);
  }
  return sign | bits;
}

/// x + y exactly, as far as rounding to 64 bits or fewer can tell.
constexpr Unpacked add_exactly(Unpacked x, Unpacked y, Rounding mode) {
  if (x.kind == Class::nan || y.kind == Class::nan) return {.kind = Class::nan};
  if (x.kind == Class::infinite || y.kind == Class::infinite) {
    if (x.kind == y.kind && x.sign != y.sign) return {.kind = Class::nan};
    return x.kind == Class::infinite ? x : y;
  }
  if (x.significand == 0 && y.significand == 0) {
    const bool sign = x.sign == y.sign ? x.sign : mode == Rounding::down;
    return {.sign = sign};
  }
  if (x.significand == 0) return y;
  if (y.significand == 0) return x;
  // The one with the higher leading bit goes to the top, bit 125; the other is shifted to it.
  const int top_x = x.exponent + bit_length(x.significand), top_y = y.exponent + bit_length(y.significand);
  Unpacked& high = top_x >= top_y ? x : y;
  Unpacked& low = top_x >= top_y ? y : x;
  const int up = 126 - bit_length(high.significand);
  high.significand <<= up;
  high.exponent -= up;
  const int right = high.exponent - low.exponent;
  bool lost = false;
  if (right >= 0) {
    lost = shift_right(low.significand, right);
  } else {
    low.significand <<= -right;
  }
  Unpacked result{.sign = high.sign, .exponent = high.exponent};
  if (high.sign == low.sign) {
    result.significand = high.significand + low.significand;
    result.sticky = lost;
  } else if (high.significand >= low.significand + (lost ? 1 : 0)) {
    // What was cut off would be taken away: one less, and a little more than that.
    result.significand = high.significand - low.significand - (lost ? 1 : 0);
    result.sticky = lost;
    if (result.significand == 0 && !lost) result.sign = mode == Rounding::down;
  } else {
    result.significand = low.significand - high.significand;  // nothing was cut off: the numbers are close
    result.sign = low.sign;
  }
  return result;
}

constexpr Unpacked multiply_exactly(const Unpacked& x, const Unpacked& y) {
  const bool sign = x.sign != y.sign;
  if (x.kind == Class::nan || y.kind == Class::nan) return {.kind = Class::nan};
  if (x.kind == Class::infinite || y.kind == Class::infinite) {
    const bool zero =
        (x.kind == Class::finite && x.significand == 0) || (y.kind == Class::finite && y.significand == 0);
    return {.kind = zero ? Class::nan : Class::infinite, .sign = sign};
  }
  return {.sign = sign, .exponent = x.exponent + y.exponent, .significand = x.significand * y.significand};
}

template <class F>
constexpr std::uint64_t add_unpacked(std::uint64_t a, std::uint64_t b, Rounding mode) {
  return round_to<F>(add_exactly(unpack<F>(a), unpack<F>(b), mode), mode);
}
template <class F>
constexpr std::uint64_t multiply_unpacked(std::uint64_t a, std::uint64_t b, Rounding mode) {
  return round_to<F>(multiply_exactly(unpack<F>(a), unpack<F>(b)), mode);
}
template <class F>
constexpr std::uint64_t multiply_add_unpacked(std::uint64_t a, std::uint64_t b, std::uint64_t c, Rounding mode) {
  return round_to<F>(add_exactly(multiply_exactly(unpack<F>(a), unpack<F>(b)), unpack<F>(c), mode), mode);
}

/// From one format to another.
template <class To, class From>
constexpr std::uint64_t convert_unpacked(std::uint64_t bits, Rounding mode, bool finite_only = !To::has_infinity) {
  return round_to<To>(unpack<From>(bits), mode, finite_only);
}

}  // namespace
}  // namespace lanebank::machine::numerics
