// Texture coordinates, filters and element formats. Pure functions of one coordinate or one element. What the appendix "Texture
// Fetching" of the CUDA C++ Programming Guide leaves open is as an NVIDIA H200 does it
// (tests/cudart/hardware/texture_rounding.cu).
//
//   x         the coordinate. A normalised one is reduced by whole periods of wrap or mirror and cut to a multiple of 2^-21; times
//             the number of elements, which is exact.
//   nearest   element floor(x)
//   linear    x - 1/2 = i + a, a rounded to the nearest 1/256 (halves up); beyond the middle of the first or last element of a
//             clamped image, a is 0. Elements i and i + 1 count 1 - a and a. In two and three dimensions every product of
//             weights is rounded to 1/256, so that the parts of an element's weight add up to it (FilterWeights).
//   sum       of floating-point elements, for each slice in z: elements are cut to 28 bits below the power of two above the
//             largest that counts; the sum is exact, of both slices too, and rounded to binary32 once, halves away from zero.
//             Subnormal elements and results are zero. (Of two slices whose largest elements differ four times and more, an
//             H200 gave another last bit in 11 of 8,192 sums.)
//             Of normalised integers: the sum is rounded to an integer of 16 bits, halves up; before that elements of 8 bits
//             become 16 without signs, and with signs the sum s, of 127 * 256 at most, becomes s + ((s >> 4) * 257 + 1024 >> 11).
//   a line    is a row of a plane of height 1, read at y = 0. With a border in y, half of that lies beyond it.
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

/// A normalised coordinate in elements of `n`, reduced by whole periods of its address mode.
inline double normalised_place(AddressMode mode, double u, double n) {
  const double period = mode == AddressMode::mirror ? 2 : 1;
  if (mode == AddressMode::mirror || mode == AddressMode::wrap) u -= period * std::floor(u / period);
  return std::floor(u * 0x1p21) * 0x1p-21 * n;
}

/// How much the next element counts at x - 1/2 = i + fraction, in 1/256.
LANEBANK_NUMERIC std::int32_t filter_weight(double fraction) {
  return static_cast<std::int32_t>(std::floor(fraction * 256 + 0.5));
}

/// `part` of 256 parts of a weight, rounded; halves up.
LANEBANK_NUMERIC std::int32_t part_of_weight(std::int32_t weight, std::int32_t part) {
  return (weight * part + 128) >> 8;
}

/// What the four elements of a slice count, in 1/256: of (i, j), (i + 1, j), (i, j + 1), (i + 1, j + 1). `slice`: what the
/// slice counts, 256 where there is one only.
struct FilterWeights {
  std::int32_t of[4];
};
LANEBANK_NUMERIC FilterWeights filter_weights(std::int32_t slice, std::int32_t a, std::int32_t b) {
  const std::int32_t right = part_of_weight(slice, a), left = slice - right;
  const std::int32_t right_below = part_of_weight(right, b), left_above = part_of_weight(left, 256 - b);
  return {{left_above, right - right_below, left - left_above, right_below}};
}

/// Rounded to binary32, halves away from zero; subnormal results are zero.
inline float filter_result(double sum) {
  const std::uint64_t bits = (bits_as<std::uint64_t>(sum) + (std::uint64_t{1} << 28)) >> 29 << 29;
  const double rounded = bits_as<double>(bits);
  if (sum != sum) return bits_as<float>(std::uint32_t{0x7fffffff});
  return std::fabs(rounded) < 0x1p-126 ? 0.0f : static_cast<float>(rounded);
}

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

/// What stands for 1 among the integers that a filter adds.
LANEBANK_NUMERIC std::int32_t filter_unit(TexelFormat format) {
  if (format.kind == TexelFormat::Kind::signed_integer) return format.component_bits == 16 ? 32767 : 127;
  return 65535;
}

/// A normalised component as a filter adds it: unsigned ones of 8 bits are extended to 16.
LANEBANK_NUMERIC std::int32_t filter_integer(TexelFormat format, std::uint32_t bits) {
  if (format.kind == TexelFormat::Kind::signed_integer) return static_cast<std::int32_t>(component_word(format, bits));
  return static_cast<std::int32_t>(format.component_bits == 16 ? bits : bits * 257);
}

/// The number that a filter gives for a sum of integers, each times its weight in 1/256.
inline float filter_number(TexelFormat format, std::int32_t sum) {
  if (format.kind != TexelFormat::Kind::signed_integer) return static_cast<float>((sum + 128) >> 8) / 65535;
  const std::int32_t part = format.component_bits == 16 ? (sum + 128) >> 8 : sum + (((sum >> 4) * 257 + 1024) >> 11);
  return static_cast<float>(part < -32767 ? -32767 : part) / 32767;
}

}  // namespace
}  // namespace lanebank::machine::numerics
