// Double precision (binary64) on bit patterns, as the GPU computes it: subnormals count, NaN operands keep
// their payload (the first of b, c, a that is one, made quiet, its sign as the register holds it, whatever the
// instruction's sign modifiers), other NaN results are 0xfff8000000000000.
//
// add64, multiply64 and multiply_add64 give some NaN where the result is one; nan_rule64 makes it the right one.
#pragma once

#include "machine/numerics/rounding.hpp"
#include "machine/numerics/unpacked.hpp"

namespace lanebank::machine::numerics {
namespace {

inline constexpr std::uint64_t f64_sign = 0x8000000000000000u;
inline constexpr std::uint64_t f64_infinity = 0x7ff0000000000000u;
inline constexpr std::uint64_t f64_quiet = 0x0008000000000000u;
inline constexpr std::uint64_t f64_nan = 0xfff8000000000000u;

LANEBANK_NUMERIC bool is_nan64(std::uint64_t x) { return (x & ~f64_sign) > f64_infinity; }

/// `result` unless an operand is a NaN or the operation made one. a, b, c: operands without sign modifiers.
LANEBANK_NUMERIC std::uint64_t nan_rule64(std::uint64_t result, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  result = is_nan64(result) ? f64_nan : result;
  result = is_nan64(a) ? a | f64_quiet : result;
  result = is_nan64(c) ? c | f64_quiet : result;
  return is_nan64(b) ? b | f64_quiet : result;
}

template <Rounding mode>
LANEBANK_NUMERIC std::uint64_t add64(std::uint64_t a, std::uint64_t b) {
  if constexpr (mode == Rounding::nearest) return bits_as<std::uint64_t>(bits_as<double>(a) + bits_as<double>(b));
  return add_unpacked<Binary64>(a, b, mode);
}

template <Rounding mode>
LANEBANK_NUMERIC std::uint64_t multiply64(std::uint64_t a, std::uint64_t b) {
  if constexpr (mode == Rounding::nearest) return bits_as<std::uint64_t>(bits_as<double>(a) * bits_as<double>(b));
  return multiply_unpacked<Binary64>(a, b, mode);
}

/// a * b + c, rounded once.
template <Rounding mode>
LANEBANK_NUMERIC std::uint64_t multiply_add64(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  if constexpr (mode == Rounding::nearest)
    return bits_as<std::uint64_t>(__builtin_fma(bits_as<double>(a), bits_as<double>(b), bits_as<double>(c)));
  return multiply_add_unpacked<Binary64>(a, b, c, mode);
}

/// Order of binary64 numbers as signed integers, -0 below +0; meaningless for NaN.
LANEBANK_NUMERIC std::int64_t order64(std::uint64_t x) {
  const auto s = static_cast<std::int64_t>(x);
  return s ^ static_cast<std::int64_t>(static_cast<std::uint64_t>(s >> 63) >> 1);
}

}  // namespace
}  // namespace lanebank::machine::numerics
