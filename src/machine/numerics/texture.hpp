// Texture coordinates, filters and element formats, as the appendix "Texture Fetching" of the CUDA C++ Programming
// Guide defines them. Pure functions of one coordinate or one element.
//
//   nearest   element floor(x)
//   linear    x - 1/2 = i + a, 0 <= a < 1: (1 - a) T[i] + a T[i + 1], and so in each dimension. a is kept in 9 bits,
//             8 of them a fraction; here rounded to nearest. The guide does not say how it is rounded, nor with how many
//             bits the sum is formed; both are exact here until one rounding to binary32.
//   x         the coordinate, times the number of elements if it is normalised; the product is rounded to binary32, which
//             the guide leaves open, too
//
// Elements outside are found by the address mode. What hardware does within these rules is not recorded yet
// (tests/cudart/hardware/textures.cu does).
#pragma once

#include <cmath>
#include <cstdint>

#include "machine/numerics/binary16.hpp"
#include "machine/texel_format.hpp"

namespace lanebank::machine::numerics {

/// A face of a cube map and the point on it, 0 to 1.
struct CubePoint {
  std::uint32_t face = 0;
  double s = 0, t = 0;
};

namespace {

inline constexpr std::int64_t outside_image = -1;

/// Element `i` of a row of `n` by the address mode, or outside_image.
LANEBANK_NUMERIC std::int64_t addressed(AddressMode mode, std::int64_t i, std::int64_t n) {
  switch (mode) {
    case AddressMode::wrap:
      return (i % n + n) % n;
    case AddressMode::mirror: {
      const std::int64_t m = (i % (2 * n) + 2 * n) % (2 * n);
      return m < n ? m : 2 * n - 1 - m;
    }
    case AddressMode::clamp:
      return i < 0 ? 0 : i < n ? i : n - 1;
    case AddressMode::border:
      break;
  }
  return i < 0 || i >= n ? outside_image : i;
}

/// How much the next element counts at x - 1/2 = i + fraction: a multiple of 1/256.
inline double filter_weight(double fraction) { return std::floor(fraction * 256 + 0.5) / 256; }

/// The face that a direction meets, numbered +x, -x, +y, -y, +z, -z, and where. Of components of the same size the last one
/// counts; the guide leaves that open.
inline CubePoint cube_point(float x, float y, float z) {
  const float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  CubePoint point;
  double s = 0, t = 0, m = 0;
  if (az >= ax && az >= ay) {
    point.face = std::signbit(z) ? 5 : 4;
    s = std::signbit(z) ? -x : x, t = -y, m = az;
  } else if (ay >= ax) {
    point.face = std::signbit(y) ? 3 : 2;
    s = x, t = std::signbit(y) ? -z : z, m = ay;
  } else {
    point.face = std::signbit(x) ? 1 : 0;
    s = std::signbit(x) ? z : -z, t = -y, m = ax;
  }
  point.s = m == 0 ? 0.5 : (s / m + 1) / 2;
  point.t = m == 0 ? 0.5 : (t / m + 1) / 2;
  return point;
}

/// A component as an integer, extended to 32 bits.
LANEBANK_NUMERIC std::uint32_t component_word(TexelFormat format, std::uint32_t bits) {
  if (format.kind != TexelFormat::Kind::signed_integer || format.component_bits == 32) return bits;
  const std::uint32_t sign = std::uint32_t{1} << (format.component_bits - 1);
  return (bits ^ sign) - sign;
}

/// A component as a number: floating point as it is; integers, which only normalised reads ask for, over their largest
/// value, the smallest signed one as -1. Exact or rounded to binary64.
inline double component_number(TexelFormat format, std::uint32_t bits) {
  if (format.kind == TexelFormat::Kind::real)
    return format.component_bits == 16 ? double{Half::widen(bits)} : double{bits_as<float>(bits)};
  const bool is_signed = format.kind == TexelFormat::Kind::signed_integer;
  const double largest = static_cast<double>((std::uint32_t{1} << (format.component_bits - (is_signed ? 1 : 0))) - 1);
  const double value = is_signed ? static_cast<double>(static_cast<std::int32_t>(component_word(format, bits)))
                                 : static_cast<double>(bits);
  return value / largest < -1 ? -1 : value / largest;
}

}  // namespace
}  // namespace lanebank::machine::numerics
