// What atomic operations and reductions make of a word and an operand.
#pragma once

#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>

#include "machine/lanes/lane.hpp"

namespace lanebank::machine::LANEBANK_SIMD {
namespace {

/// Operation field of ATOMS, ATOMG, ATOM (87:91) and RED (87:90).
enum AtomicOp : unsigned { add, min_, max_, inc, dec, and_, or_, xor_, exch, popc_inc = 11 };

enum class Value : std::uint8_t { u32, s32, u64, s64, f32, f64, f16x2, bf16x2 };

inline unsigned bytes_of(Value value) {
  return value == Value::u64 || value == Value::s64 || value == Value::f64 ? 8 : 4;
}

inline float flushed(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; }

inline float half_to_float(std::uint16_t h) {
  const std::uint32_t sign = std::uint32_t{h & 0x8000u} << 16, exponent = h >> 10 & 0x1f, mantissa = h & 0x3ff;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | mantissa << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
  const float value = static_cast<float>(mantissa) * 0x1p-24f;
  return sign != 0 ? -value : value;
}

/// To half, nearest even.
inline std::uint16_t float_to_half(float x) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x), sign = bits >> 16 & 0x8000u,
                      magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return 0x7fff;
  if (magnitude >= 0x477ff000u) return static_cast<std::uint16_t>(sign | 0x7c00u);
  if (magnitude < 0x38800000u) {  // a subnormal half or zero: round in units of 2^-24
    const float scaled = std::bit_cast<float>(magnitude) * 0x1p24f;
    return static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(std::nearbyintf(scaled)));
  }
  const std::uint32_t rounded = magnitude + 0xfffu + (magnitude >> 13 & 1u);
  return static_cast<std::uint16_t>(sign | ((rounded >> 13) - (112u << 10)));
}

inline float bf16_to_float(std::uint16_t h) { return std::bit_cast<float>(std::uint32_t{h} << 16); }

inline std::uint16_t float_to_bf16(float x) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
  return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

/// The lesser or greater of two numbers: of a number and NaN the number, -0 below +0.
inline float lesser(float a, float b) {
  if (std::isnan(a) || (a == b && std::signbit(b))) return b;
  return std::isnan(b) || a <= b ? a : b;
}
inline float greater(float a, float b) { return -lesser(-a, -b); }

/// Both halves of a word, added or the lesser or greater.
template <class Widen, class Narrow>
std::uint32_t combine_pair(unsigned op, std::uint32_t old, std::uint32_t operand, Widen widen, Narrow narrow) {
  std::uint32_t result = 0;
  for (unsigned n = 0; n < 32; n += 16) {
    const float a = widen(static_cast<std::uint16_t>(old >> n)), b = widen(static_cast<std::uint16_t>(operand >> n));
    result |= std::uint32_t{narrow(op == min_ ? lesser(a, b) : op == max_ ? greater(a, b) : a + b)} << n;
  }
  return result;
}

/// The new value of a word, as bits. `flush`: subnormal inputs and results of f32 become zero.
inline std::uint64_t combine(unsigned op, Value value, bool flush, std::uint64_t old, std::uint64_t operand) {
  switch (value) {
    case Value::f32: {
      const float a = std::bit_cast<float>(static_cast<std::uint32_t>(old)),
                  b = std::bit_cast<float>(static_cast<std::uint32_t>(operand));
      const float sum = flush ? flushed(flushed(a) + flushed(b)) : a + b;
      return std::isnan(sum) ? 0x7fffffffu : std::bit_cast<std::uint32_t>(sum);
    }
    case Value::f64: {
      // A NaN comes through as it is, that of the operand first.
      const double a = std::bit_cast<double>(old), b = std::bit_cast<double>(operand);
      return std::isnan(b) ? operand : std::isnan(a) ? old : std::bit_cast<std::uint64_t>(a + b);
    }
    case Value::f16x2:
      return combine_pair(op, static_cast<std::uint32_t>(old), static_cast<std::uint32_t>(operand), half_to_float,
                          float_to_half);
    case Value::bf16x2:
      return combine_pair(op, static_cast<std::uint32_t>(old), static_cast<std::uint32_t>(operand), bf16_to_float,
                          float_to_bf16);
    default:
      break;
  }
  const bool wide = bytes_of(value) == 8, is_signed = value == Value::s32 || value == Value::s64;
  const std::uint64_t limit = wide ? ~std::uint64_t{0} : 0xffffffffu;
  old &= limit, operand &= limit;
  auto less = [&](std::uint64_t a, std::uint64_t b) {
    if (!is_signed) return a < b;
    return wide ? static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b)
                : static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b);
  };
  switch (op) {
    case add:
      return (old + operand) & limit;
    case popc_inc:
      return (old + 1) & limit;
    case min_:
      return less(operand, old) ? operand : old;
    case max_:
      return less(old, operand) ? operand : old;
    case inc:
      return old >= operand ? 0 : old + 1;
    case dec:
      return old == 0 || old > operand ? operand : old - 1;
    case and_:
      return old & operand;
    case or_:
      return old | operand;
    case xor_:
      return old ^ operand;
    default:
      return operand;  // exch
  }
}

/// Changes a word of memory that other workers may change, too; gives what it was.
template <class Word, class Change>
std::uint64_t change_atomic(std::uint64_t address, Change change) {
  std::atomic_ref<Word> word(*reinterpret_cast<Word*>(address));
  Word old = word.load(std::memory_order_relaxed);
  while (!word.compare_exchange_weak(old, static_cast<Word>(change(old)), std::memory_order_seq_cst)) {
  }
  return old;
}

template <class Change>
std::uint64_t change_global(std::uint64_t address, unsigned bytes, Change change) {
  return bytes == 8 ? change_atomic<std::uint64_t>(address, change) : change_atomic<std::uint32_t>(address, change);
}

}  // namespace
}  // namespace lanebank::machine::LANEBANK_SIMD
