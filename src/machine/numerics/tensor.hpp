// How tensor cores multiply and add: element formats, and the sum of a row times a column.
//
// Products are exact. The addends of one step, `width` products and the accumulator, are cut towards zero to
// a common last place, `fraction_bits` below the largest exponent among them, and added exactly; the sum is
// cut towards zero to single precision (rounded to nearest for half-precision accumulators). Longer rows take
// several steps. Where every addend and sum fits (small integers, for instance), the result is exact and
// the rule does not matter.
//
// Exponents of addends: of a product the sum of its factors' exponents, before the product of the significands
// is normalised; of a subnormal the smallest exponent; products with a zero do not count.
//
// Source: published measurements of these units (Fasi et al. 2021, Li et al. 2024); not yet compared with
// hardware bit by bit.
#pragma once

#include <cmath>

#include "machine/numerics/binary16.hpp"
#include "machine/numerics/unpacked.hpp"

namespace lanebank::machine::numerics {
namespace {

/// Element formats of the floating-point matrix instructions.
enum class Element : std::uint8_t { half, brain, tensor32, e4m3, e5m2 };

constexpr unsigned element_bits(Element element) {
  return element == Element::tensor32 ? 32 : element == Element::half || element == Element::brain ? 16 : 8;
}

struct SumRule {
  unsigned width;          ///< products of one step
  unsigned fraction_bits;  ///< kept below the largest exponent
};

/// The rule of an architecture for an element format.
constexpr SumRule sum_rule(unsigned architecture, Element element) {
  struct Row {
    unsigned architecture;
    SumRule half, tensor32, eight_bits;
  };
  constexpr Row rows[] = {
      {75, {4, 24}, {4, 24}, {16, 13}},
      {80, {8, 24}, {4, 24}, {16, 13}},
      {86, {8, 24}, {4, 24}, {16, 13}},
      {89, {8, 24}, {4, 24}, {16, 13}},
      {90, {16, 25}, {8, 25}, {32, 13}},
  };
  Row found = rows[4];
  for (const Row& row : rows)
    if (row.architecture == architecture) found = row;
  return element == Element::tensor32 ? found.tensor32 : element_bits(element) == 8 ? found.eight_bits : found.half;
}

inline constexpr std::int32_t no_exponent = -100000;  ///< of a zero

/// A number with the exponent that alignment goes by.
struct Addend {
  double value;
  std::int32_t exponent;
};

/// Exponent of a finite number of a format whose smallest normal exponent is `smallest`.
LANEBANK_NUMERIC std::int32_t exponent_of(double value, std::int32_t smallest) {
  const std::uint64_t bits = bits_as<std::uint64_t>(value);
  const auto exponent = static_cast<std::int32_t>((bits >> 52) & 0x7ff) - 1023;
  return value == 0.0 ? no_exponent : exponent < smallest ? smallest : exponent;
}

template <class F>
double widen_small(std::uint32_t bits) {
  return bits_as<double>(convert_unpacked<Binary64, F>(bits, Rounding::nearest));
}

/// Element `index` of a 32-bit register.
inline Addend element_of(Element format, std::uint32_t word, unsigned index) {
  switch (format) {
    case Element::half: {
      const double value = Half::widen((word >> (16 * index)) & 0xffff);
      return {value, exponent_of(value, -14)};
    }
    case Element::brain: {
      const double value = Brain::widen((word >> (16 * index)) & 0xffff);
      return {value, exponent_of(value, -126)};
    }
    case Element::tensor32: {
      const double value = bits_as<float>(word & 0xffffe000);
      return {value, exponent_of(value, -126)};
    }
    case Element::e4m3: {
      const double value = widen_small<E4M3>((word >> (8 * index)) & 0xff);
      return {value, exponent_of(value, -6)};
    }
    default: {
      const double value = widen_small<E5M2>((word >> (8 * index)) & 0xff);
      return {value, exponent_of(value, -14)};
    }
  }
}

inline constexpr unsigned tile_columns = 8;

/// Rows of A and eight columns of B, taken apart.
template <unsigned depth>
struct TileA {
  double value[16][depth];
  std::int32_t exponent[16][depth];
  void set(unsigned row, unsigned k, Addend x) { value[row][k] = x.value, exponent[row][k] = x.exponent; }
};
template <unsigned depth>
struct TileB {
  double value[depth][tile_columns];
  std::int32_t exponent[depth][tile_columns];
  void set(unsigned k, unsigned column, Addend x) { value[k][column] = x.value, exponent[k][column] = x.exponent; }
};

/// Cut towards zero to single precision; too large gives infinity.
LANEBANK_NUMERIC double cut_to_single(double sum) {
  const double magnitude = sum < 0 ? -sum : sum;
  const double cut = narrow<Rounding::zero>(sum);
  const double infinity = bits_as<double>(std::uint64_t{0x7ff0000000000000u});
  return magnitude >= 0x1p128 ? (sum < 0 ? -infinity : infinity) : cut;
}
/// Rounded to nearest half.
LANEBANK_NUMERIC double round_to_half(double sum) { return Half::widen(Half::narrow(narrow_to_odd(sum))); }

/// c[n] += a[k] * b[k][n] over `depth`, for eight columns. `half_sum`: the accumulators are halves.
template <unsigned depth>
void add_products(const double* a, const std::int32_t* a_exponent, const TileB<depth>& b, double* c, SumRule rule, bool half_sum) {
  for (unsigned first = 0; first < depth; first += rule.width) {
    const unsigned last = first + rule.width < depth ? first + rule.width : depth;
    std::int32_t largest[tile_columns];
    double plain[tile_columns], sum[tile_columns], scale[tile_columns], back[tile_columns];
    for (unsigned n = 0; n < tile_columns; ++n) largest[n] = exponent_of(c[n], half_sum ? -14 : -126), plain[n] = c[n];
    for (unsigned k = first; k < last; ++k) {
      for (unsigned n = 0; n < tile_columns; ++n) {
        const std::int32_t exponent = a_exponent[k] + b.exponent[k][n];
        largest[n] = exponent > largest[n] ? exponent : largest[n];
        plain[n] += a[k] * b.value[k][n];
      }
    }
    for (unsigned n = 0; n < tile_columns; ++n) {
      const std::int32_t top = largest[n] < -400 ? 0 : largest[n];
      const auto shift = static_cast<std::int64_t>(rule.fraction_bits) - top;
      scale[n] = bits_as<double>(static_cast<std::uint64_t>(1023 + shift) << 52);
      back[n] = bits_as<double>(static_cast<std::uint64_t>(1023 - shift) << 52);
      sum[n] = __builtin_trunc(c[n] * scale[n]);
    }
    for (unsigned k = first; k < last; ++k)
      for (unsigned n = 0; n < tile_columns; ++n) sum[n] += __builtin_trunc(a[k] * b.value[k][n] * scale[n]);
    for (unsigned n = 0; n < tile_columns; ++n) {
      const double exact = sum[n] * back[n];
      const double finite = half_sum ? round_to_half(exact) : cut_to_single(exact);
      c[n] = plain[n] - plain[n] == 0.0 ? finite : plain[n];  // an infinity or NaN took part
    }
  }
}

/// The bits of an accumulator.
LANEBANK_NUMERIC std::uint32_t single_bits(double c) { return result32<false, false>(static_cast<float>(c)); }
LANEBANK_NUMERIC std::uint32_t half_bits(double c) { return Half::narrow(static_cast<float>(c)); }

}  // namespace
}  // namespace lanebank::machine::numerics
