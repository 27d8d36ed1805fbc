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

#include "machine/numerics/binary16.hpp"
#include "machine/numerics/unpacked.hpp"

namespace lanebank::machine::numerics {
namespace {

/// Element formats of the floating-point matrix instructions.
enum class Element : std::uint8_t { half, brain, tensor32, e4m3, e5m2 };

LANEBANK_NUMERIC unsigned element_bits(Element element) {
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
      {75, {4, 24}, {4, 24}, {16, 13}}, {80, {8, 24}, {4, 24}, {16, 13}},  {86, {8, 24}, {4, 24}, {16, 13}},
      {89, {8, 24}, {4, 24}, {16, 13}}, {90, {16, 25}, {8, 25}, {32, 13}},
  };
  Row found = rows[4];
  for (const Row& row : rows)
    if (row.architecture == architecture) found = row;
  return element == Element::tensor32 ? found.tensor32 : element_bits(element) == 8 ? found.eight_bits : found.half;
}

/// A finite number is significand * 2^exponent, with |significand| in [1, 2), or below 1 with the smallest
/// exponent of its format. Infinities and NaN are their own significands, with exponent 0.
struct Element32 {
  std::uint32_t significand;  ///< binary32
  std::int32_t exponent;
};
inline constexpr std::int32_t no_exponent = -100000;  ///< of a zero

/// Takes the low bits of `raw` apart.
template <class F>
LANEBANK_NUMERIC Element32 take_apart(std::uint32_t raw) {
  const std::uint32_t fraction = raw & static_cast<std::uint32_t>(F::fraction_mask);
  const std::uint32_t field = (raw >> F::fraction_bits) & F::largest_exponent;
  const std::uint32_t is_subnormal = ones_if<std::uint32_t>(field == 0);
  const float small =
      static_cast<float>(static_cast<std::int32_t>(fraction)) * (1.0f / static_cast<float>(1u << F::fraction_bits));
  const std::uint32_t normal = f32_one | fraction << (23 - F::fraction_bits);
  std::uint32_t significand = normal ^ ((normal ^ bits_as<std::uint32_t>(small)) & is_subnormal);
  const std::uint32_t special = F::has_infinity ? ones_if<std::uint32_t>(field == F::largest_exponent)
                                                : ones_if<std::uint32_t>((raw & (F::sign_bit - 1)) == F::nan);
  const std::uint32_t infinite = F::has_infinity ? f32_infinity | fraction << (23 - F::fraction_bits) : f32_nan;
  significand ^= (significand ^ infinite) & special;
  significand |= ((raw >> (F::total_bits - 1)) & 1) << 31;
  std::int32_t exponent = static_cast<std::int32_t>(field) - F::bias + static_cast<std::int32_t>(is_subnormal & 1);
  exponent = static_cast<std::int32_t>(
      select(((field | fraction) == 0), static_cast<std::uint32_t>(no_exponent), static_cast<std::uint32_t>(exponent)));
  return {significand, exponent & ~static_cast<std::int32_t>(special)};
}

/// Element `index` of a register.
LANEBANK_NUMERIC Element32 element_of(Element format, std::uint32_t word, unsigned index) {
  switch (format) {
    case Element::half:
      return take_apart<Binary16>((word >> (16 * index)) & 0xffff);
    case Element::brain:
      return take_apart<Brain16>((word >> (16 * index)) & 0xffff);
    case Element::tensor32:
      return take_apart<Tensor32>(word >> 13);
    case Element::e4m3:
      return take_apart<E4M3>((word >> (8 * index)) & 0xff);
    default:
      return take_apart<E5M2>((word >> (8 * index)) & 0xff);
  }
}

inline constexpr unsigned tile_columns = 8;

/// Rows of A and eight columns of B, taken apart. `special`: an infinity or NaN is among them.
template <unsigned depth>
struct TileA {
  alignas(64) std::uint32_t significand[16][depth];
  alignas(64) std::int32_t exponent[16][depth];
  bool special = false;
};
template <unsigned depth>
struct TileB {
  alignas(64) std::uint32_t significand[depth][tile_columns];
  alignas(64) std::int32_t exponent[depth][tile_columns];
  bool special = false;
};
template <class Tile>
bool has_special(const Tile& tile) {
  std::uint32_t found = 0;
  for (const auto& row : tile.significand)
    for (const std::uint32_t x : row) found |= ones_if<std::uint32_t>((x & f32_infinity) == f32_infinity);
  return found != 0;
}

using Floats8 [[gnu::vector_size(32)]] = float;
using Words8 [[gnu::vector_size(32)]] = std::int32_t;

/// x * 2^exponent, cut to an integer, for exponents up to 127; 0 where the exponent is below -126.
[[gnu::always_inline]] inline void scale_and_cut(const Floats8& x, const Words8& exponent, Words8& result) {
  const Words8 field = exponent + 127;
  result = __builtin_convertvector(x * __builtin_bit_cast(Floats8, (field & (field > 0)) << 23), Words8);
}

/// Cut towards zero to single precision; too large gives infinity.
LANEBANK_NUMERIC float cut_to_single(double sum) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits_as<std::uint64_t>(sum) >> 32) & f32_sign;
  const std::uint32_t too_large = ones_if<std::uint32_t>(sum >= 0x1p128) | ones_if<std::uint32_t>(sum <= -0x1p128);
  const std::uint32_t cut = bits_as<std::uint32_t>(narrow<Rounding::zero>(sum));
  return bits_as<float>(cut ^ ((cut ^ (sign | f32_infinity)) & too_large));
}
/// Rounded to the nearest half.
LANEBANK_NUMERIC float round_to_half(double sum) { return Half::widen(Half::narrow(narrow_to_odd(sum))); }

/// What special operands make of a sum: an infinity, a NaN, or `finite` when none takes part.
template <unsigned depth>
float special_sum(const std::uint32_t* a, const std::int32_t* a_exponent, const TileB<depth>& b, unsigned n, float c,
                  unsigned first, unsigned last, float finite) {
  double sum = c;
  for (unsigned k = first; k < last; ++k) {
    const double product =
        static_cast<double>(bits_as<float>(a[k])) * static_cast<double>(bits_as<float>(b.significand[k][n]));
    const bool zero = a_exponent[k] == no_exponent || b.exponent[k][n] == no_exponent;
    const auto scale = static_cast<std::uint64_t>(1023 + (zero ? 0 : a_exponent[k] + b.exponent[k][n]));
    sum += product * bits_as<double>(scale << 52);
  }
  return sum - sum == 0.0 ? finite : static_cast<float>(sum);
}

/// c[n] += a[k] * b[k][n] over `depth`, for eight columns. `half_sum`: the accumulators are halves. `special`:
/// infinities or NaN may be among the operands.
template <unsigned depth>
void add_products(const std::uint32_t* a, const std::int32_t* a_exponent, const TileB<depth>& b, float* c, SumRule rule,
                  bool half_sum, bool special) {
  for (unsigned first = 0; first < depth; first += rule.width) {
    const unsigned last = first + rule.width < depth ? first + rule.width : depth;
    Words8 top, c_exponent, c_significand;
    for (unsigned n = 0; n < tile_columns; ++n) {
      // The accumulator, a half too, is a binary32 number; its exponent is not below its format's smallest.
      const std::uint32_t bits = bits_as<std::uint32_t>(c[n]);
      const Element32 taken = take_apart<Binary32>(bits);
      const std::int32_t raise =
          half_sum && taken.exponent < -14 && taken.exponent != no_exponent ? -14 - taken.exponent : 0;
      c_exponent[n] = taken.exponent;
      c_significand[n] = static_cast<std::int32_t>(taken.significand);
      top[n] = taken.exponent + raise;
    }
    for (unsigned k = first; k < last; ++k) {
      Words8 exponent;
      __builtin_memcpy(&exponent, b.exponent[k], sizeof exponent);
      exponent += a_exponent[k];
      top = exponent > top ? exponent : top;
    }
    top = top < -1000 ? Words8{} : top;  // nothing but zeros
    const Words8 shift = static_cast<std::int32_t>(rule.fraction_bits) - top;
    // An addend is below 2^(fraction bits + 2); two sums of words hold sixteen of 27 bits each.
    Words8 even, odd{};
    scale_and_cut(__builtin_bit_cast(Floats8, c_significand), c_exponent + shift, even);
    for (unsigned k = first; k < last; ++k) {
      Words8 exponent;
      Floats8 significand;
      __builtin_memcpy(&exponent, b.exponent[k], sizeof exponent);
      __builtin_memcpy(&significand, b.significand[k], sizeof significand);
      Words8 cut;
      scale_and_cut(significand * bits_as<float>(a[k]), exponent + a_exponent[k] + shift, cut);
      if (k & 1)
        odd += cut;
      else
        even += cut;
    }
    float result[tile_columns];
    for (unsigned n = 0; n < tile_columns; ++n) {
      const double sum = static_cast<double>(even[n]) + static_cast<double>(odd[n]);
      const double exact = sum * bits_as<double>(static_cast<std::uint64_t>(1023 - shift[n]) << 52);
      result[n] = half_sum ? round_to_half(exact) : cut_to_single(exact);
    }
    if (special)
      for (unsigned n = 0; n < tile_columns; ++n)
        result[n] = special_sum(a, a_exponent, b, n, c[n], first, last, result[n]);
    std::uint32_t overflow = 0;
    for (unsigned n = 0; n < tile_columns; ++n) {
      overflow |= ones_if<std::uint32_t>((bits_as<std::uint32_t>(result[n]) & f32_infinity) == f32_infinity);
      c[n] = result[n];
    }
    special |= overflow != 0;
  }
}

/// The sums of 16 rows and 8 columns.
struct TileC {
  alignas(64) float value[16][tile_columns];
};
template <unsigned depth>
void multiply_tiles(const TileA<depth>& a, const TileB<depth>& b, TileC& c, SumRule rule, bool half_sum) {
  std::uint32_t special = a.special || b.special;
  for (const auto& row : c.value)
    for (const float x : row)
      special |= ones_if<std::uint32_t>((bits_as<std::uint32_t>(x) & f32_infinity) == f32_infinity);
  for (unsigned row = 0; row < 16; ++row)
    add_products<depth>(a.significand[row], a.exponent[row], b, c.value[row], rule, half_sum, special != 0);
}

/// The bits of an accumulator.
LANEBANK_NUMERIC std::uint32_t single_bits(float c) { return result32<false, false>(c); }
LANEBANK_NUMERIC std::uint32_t half_bits(float c) { return Half::narrow(c); }

}  // namespace
}  // namespace lanebank::machine::numerics
