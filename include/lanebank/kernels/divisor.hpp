// Division by a number that is known only at run time but the same for all threads: a multiplication and a shift.
//
//   n / d = (mulhi(n, magic) + n) >> shift      with 2^(shift - 1) < d <= 2^shift,
//                                               magic = 2^32 (2^shift - d) / d + 1, rounded down; n, d < 2^31
//
// Smallest example:
//
//   const lanebank::kernels::Divisor by_seven(7);      // on the host
//   by_seven.quotient(50) == 7                         // anywhere
//
// Source: Granlund and Montgomery, "Division by invariant integers using multiplication", 1994.
// C++17, host and device code, no dependencies.
#pragma once

#include <cstdint>

#include "lanebank/host_device.hpp"

namespace lanebank::kernels {

struct Divisor {
  std::uint32_t divisor = 1, magic = 1, shift = 0;

  constexpr Divisor() = default;
  /// 0 < d < 2^31.
  LANEBANK_HOST_DEVICE constexpr explicit Divisor(std::uint32_t d) : divisor(d) {
    while ((std::uint64_t{1} << shift) < d) ++shift;
    magic = static_cast<std::uint32_t>(((std::uint64_t{1} << 32) * ((std::uint64_t{1} << shift) - d)) / d + 1);
  }
  /// n < 2^31.
  LANEBANK_HOST_DEVICE constexpr std::uint32_t quotient(std::uint32_t n) const {
    return (static_cast<std::uint32_t>(std::uint64_t{n} * magic >> 32) + n) >> shift;
  }
  /// Splits n: the remainder stays in n, the quotient is the result.
  LANEBANK_HOST_DEVICE constexpr std::uint32_t split(std::uint32_t& n) const {
    const std::uint32_t q = quotient(n);
    n -= q * divisor;
    return q;
  }
};

static_assert(Divisor(7).quotient(50) == 7 && Divisor(1).quotient(2147483647) == 2147483647 &&
              Divisor(3).quotient(2147483647) == 715827882 && Divisor(2147483647).quotient(2147483646) == 0);

}  // namespace lanebank::kernels
