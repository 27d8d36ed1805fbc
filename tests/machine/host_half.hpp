// binary16 on the host, told from its definition: not every compiler has the type (clang 14 for x86-64 has not).
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

namespace lanebank::machine {

/// The number that 16 bits stand for.
inline double half_number(unsigned bits) {
  const unsigned exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double magnitude = exponent == 31  ? fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : HUGE_VAL
                           : exponent == 0 ? std::ldexp(fraction, -24)
                                           : std::ldexp(fraction + 1024, static_cast<int>(exponent) - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

/// The nearest half of x, to even between two: 0x7e00 for what is no number. `Number` holds x and the middle of two halves
/// exactly: double, __float128.
template <class Number>
std::uint16_t nearest_half(Number x) {
  static const auto positive = [] {
    std::array<double, 0x7c01> numbers{};
    for (unsigned bits = 0; bits < numbers.size(); ++bits) numbers[bits] = half_number(bits);
    numbers[0x7c00] = 65536;  // what would follow: beyond the middle to it is infinity
    return numbers;
  }();
  if (x != x) return 0x7e00;
  const bool negative = x < 0 || (x == 0 && std::signbit(static_cast<double>(x)));
  const Number magnitude = negative ? -x : x;
  const unsigned sign = negative ? 0x8000 : 0;
  if (magnitude >= 65536) return static_cast<std::uint16_t>(sign | 0x7c00);
  unsigned below = 0, above = 0x7c00;  // positive[below] <= magnitude < positive[above]
  while (above - below > 1) {
    const unsigned middle = (below + above) / 2;
    (magnitude < positive[middle] ? above : below) = middle;
  }
  const Number twice = magnitude + magnitude, middle = Number(positive[below]) + Number(positive[above]);
  const bool up = twice > middle || (twice == middle && below % 2 == 1);
  return static_cast<std::uint16_t>(sign | (up ? above : below));
}

}  // namespace lanebank::machine
