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
// Sums of 8-bit products on sm_90 keep, as a result too, no more than 13 fraction bits.
//
// Source: published measurements of these units (Fasi et al. 2021, Li et al. 2024); sm_90 is equal to recorded
// results of an H200 bit by bit (tests/machine/hardware/arithmetic.cu), the others are not compared with hardware.
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
  unsigned result_bits;    ///< fraction bits of a sum in single precision
};

/// The rule of an architecture for an element format.
constexpr SumRule sum_rule(unsigned architecture, Element element) {
  struct Row {
    unsigned architecture;
    SumRule half, tensor32, eight_bits;
  };
  constexpr Row rows[] = {
      {75, {4, 24, 23}, {4, 24, 23}, {16, 13, 23}},  {80, {8, 24, 23}, {4, 24, 23}, {16, 13, 23}},
      {86, {8, 24, 23}, {4, 24, 23}, {16, 13, 23}},  {89, {8, 24, 23}, {4, 24, 23}, {16, 13, 23}},
      {90, {16, 25, 23}, {8, 25, 23}, {32, 13, 13}},
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

template <Element element>
struct Elements;
template <>
struct Elements<Element::half> {
  using Format = Binary16;
  using Raw = std::uint16_t;
  LANEBANK_NUMERIC static Element32 take(Raw raw) { return take_apart<Binary16>(raw); }
};
template <>
struct Elements<Element::brain> {
  using Format = Brain16;
  using Raw = std::uint16_t;
  LANEBANK_NUMERIC static Element32 take(Raw raw) { return take_apart<Brain16>(raw); }
};
template <>
struct Elements<Element::tensor32> {
  using Format = Tensor32;
  using Raw = std::uint32_t;
  LANEBANK_NUMERIC static Element32 take(Raw raw) { return take_apart<Tensor32>(raw >> 13); }
};
template <>
struct Elements<Element::e4m3> {
  using Format = E4M3;
  using Raw = std::uint8_t;
  LANEBANK_NUMERIC static Element32 take(Raw raw) { return take_apart<E4M3>(raw); }
};
template <>
struct Elements<Element::e5m2> {
  using Format = E5M2;
  using Raw = std::uint8_t;
  LANEBANK_NUMERIC static Element32 take(Raw raw) { return take_apart<E5M2>(raw); }
};

/// `depth` neighbouring elements, taken apart; `flip`: a sign bit that negates them.
template <Element element, unsigned depth>
[[gnu::always_inline]] inline void take_apart_all(const std::uint8_t* bytes, std::uint32_t flip,
                                                  std::uint32_t* significand, std::int32_t* exponent) {
  typename Elements<element>::Raw raw[depth];
  __builtin_memcpy(raw, bytes, sizeof raw);
  for (unsigned k = 0; k < depth; ++k) {
    const Element32 x = Elements<element>::take(raw[k]);
    significand[k] = x.significand ^ flip;
    exponent[k] = x.exponent;
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

/// Fills the tiles from rows of A and columns of B, the bytes of their elements along k.
template <Element element, unsigned depth, class Rows>
void fill_a(const Rows& rows, bool negated, TileA<depth>& tile) {
  for (unsigned m = 0; m < 16; ++m)
    take_apart_all<element, depth>(rows[m], negated ? f32_sign : 0, tile.significand[m], tile.exponent[m]);
  tile.special = has_special(tile);
}
template <Element element, unsigned depth, class Columns>
void fill_b(const Columns& columns, TileB<depth>& tile) {
  for (unsigned n = 0; n < tile_columns; ++n) {
    alignas(64) std::uint32_t significand[depth];
    alignas(64) std::int32_t exponent[depth];
    take_apart_all<element, depth>(columns[n], 0, significand, exponent);
    for (unsigned k = 0; k < depth; ++k) tile.significand[k][n] = significand[k], tile.exponent[k][n] = exponent[k];
  }
  tile.special = has_special(tile);
}

using Floats8 [[gnu::vector_size(32)]] = float;
using Words8 [[gnu::vector_size(32)]] = std::int32_t;

/// x * 2^(field - 127), cut to an integer; 0 where field is not positive.
[[gnu::always_inline]] inline void scale_and_cut(const Floats8& x, const Words8& field, Words8& result) {
  const Words8 positive = field > 0 ? field : Words8{};
  result = __builtin_convertvector(x * __builtin_bit_cast(Floats8, positive << 23), Words8);
}

/// Cut towards zero to single precision, with the fraction bits of `kept`; too large gives infinity.
LANEBANK_NUMERIC float cut_to_single(double sum, std::uint32_t kept) {
  const Cut cut = cut32(sum);
  const std::uint32_t too_large = ones_if<std::uint32_t>(sum >= 0x1p128) | ones_if<std::uint32_t>(sum <= -0x1p128);
  return bits_as<float>(((cut.magnitude + (too_large & 1)) & kept) | cut.sign);
}
/// Rounded to the nearest half; what is too small for one is +0 whatever its sign (measured).
LANEBANK_NUMERIC float round_to_half(double sum) {
  const std::uint32_t rounded = Half::narrow(narrow_to_odd(sum));
  return Half::widen(select((rounded & 0x7fff) == 0 && sum != 0.0, std::uint32_t{0}, rounded));
}

/// What special operands make of a sum: an infinity, a NaN, or `finite` when none takes part.
template <unsigned depth>
float special_sum(const std::uint32_t* a, const std::int32_t* a_exponent, const TileB<depth>& b, unsigned n, float c,
                  unsigned first, unsigned last, float finite) {
  double sum = c;
  for (unsigned k = first; k < last; ++k) {
    const double product =
        static_cast<double>(bits_as<float>(a[k])) * static_cast<double>(bits_as<float>(b.significand[k][n]));
    const bool zero = a_exponent[k] == no_exponent || b.exponent[k][n] == no_exponent;
    const std::int32_t exponent = zero ? 0 : a_exponent[k] + b.exponent[k][n];
    sum += product * bits_as<double>((std::uint64_t{1023} + static_cast<std::uint64_t>(exponent)) << 52);
  }
  return sum - sum == 0.0 ? finite : static_cast<float>(sum);
}

/// c[n] += a[k] * b[k][n] over `depth`, for eight columns. `half_sum`: the accumulators are halves. `special`:
/// infinities or NaN may be among the operands.
template <unsigned depth, bool half_sum>
void add_products(const std::uint32_t* a, const std::int32_t* a_exponent, const TileB<depth>& b, float* c, SumRule rule,
                  bool special) {
  const std::uint32_t kept = ~std::uint32_t{0} << (23 - rule.result_bits);
  for (unsigned first = 0; first < depth; first += rule.width) {
    const unsigned last = first + rule.width < depth ? first + rule.width : depth;
    alignas(32) std::uint32_t taken_significand[tile_columns];
    alignas(32) std::int32_t taken_exponent[tile_columns], taken_top[tile_columns];
    for (unsigned n = 0; n < tile_columns; ++n) {
      // The accumulator, a half too, is a binary32 number; as an addend its exponent is at least its format's smallest.
      const Element32 taken = take_apart<Binary32>(bits_as<std::uint32_t>(c[n]));
      const bool small_half = half_sum && (taken.exponent < -14) & (taken.exponent != no_exponent);
      taken_significand[n] = taken.significand;
      taken_exponent[n] = taken.exponent;
      taken_top[n] = static_cast<std::int32_t>(
          select(small_half, static_cast<std::uint32_t>(-14), static_cast<std::uint32_t>(taken.exponent)));
    }
    Words8 top, exponent, cut, even, odd{};
    Floats8 significand;
    __builtin_memcpy(&top, taken_top, sizeof top);
    for (unsigned k = first; k < last; ++k) {
      __builtin_memcpy(&exponent, b.exponent[k], sizeof exponent);
      exponent += a_exponent[k];
      top = exponent > top ? exponent : top;
    }
    top = top < -1000 ? Words8{} : top;  // nothing but zeros
    const Words8 shift = static_cast<std::int32_t>(rule.fraction_bits) - top, field = shift + 127;
    // An addend is below 2^(fraction bits + 2); two sums of words hold sixteen of 27 bits each.
    __builtin_memcpy(&exponent, taken_exponent, sizeof exponent);
    __builtin_memcpy(&significand, taken_significand, sizeof significand);
    scale_and_cut(significand, exponent + field, even);
    const auto add = [&](unsigned k, Words8& sum) {
      __builtin_memcpy(&exponent, b.exponent[k], sizeof exponent);
      __builtin_memcpy(&significand, b.significand[k], sizeof significand);
      scale_and_cut(significand * bits_as<float>(a[k]), exponent + (field + a_exponent[k]), cut);
      sum += cut;
    };
    for (unsigned k = first; k < last; k += 2) {  // widths are even
      add(k, even);
      add(k + 1, odd);
    }
    alignas(32) std::int32_t even_sum[tile_columns], odd_sum[tile_columns], places[tile_columns];
    alignas(32) float result[tile_columns];
    __builtin_memcpy(even_sum, &even, sizeof even_sum);
    __builtin_memcpy(odd_sum, &odd, sizeof odd_sum);
    __builtin_memcpy(places, &shift, sizeof places);
    for (unsigned n = 0; n < tile_columns; ++n) {
      const double sum = static_cast<double>(even_sum[n]) + static_cast<double>(odd_sum[n]);
      const double exact =
          sum * bits_as<double>(static_cast<std::uint64_t>(static_cast<std::int64_t>(1023 - places[n])) << 52);
      result[n] = half_sum ? round_to_half(exact) : cut_to_single(exact, kept);
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

/// The sums of 16 rows and 8 columns, by column.
struct TileC {
  alignas(64) float value[tile_columns][16];
};
template <unsigned depth>
void multiply_tiles(const TileA<depth>& a, const TileB<depth>& b, TileC& c, SumRule rule, bool half_sum) {
  std::uint32_t special = a.special || b.special;
  for (const auto& row : c.value)
    for (const float x : row)
      special |= ones_if<std::uint32_t>((bits_as<std::uint32_t>(x) & f32_infinity) == f32_infinity);
  for (unsigned row = 0; row < 16; ++row) {
    float sums[tile_columns];
    for (unsigned n = 0; n < tile_columns; ++n) sums[n] = c.value[n][row];
    if (half_sum) {
      add_products<depth, true>(a.significand[row], a.exponent[row], b, sums, rule, special != 0);
    } else {
      add_products<depth, false>(a.significand[row], a.exponent[row], b, sums, rule, special != 0);
    }
    for (unsigned n = 0; n < tile_columns; ++n) c.value[n][row] = sums[n];
  }
}

/// The bits of an accumulator.
LANEBANK_NUMERIC std::uint32_t single_bits(float c) { return result32<false, false>(c); }
LANEBANK_NUMERIC std::uint32_t half_bits(float c) { return Half::narrow(c); }

}  // namespace
}  // namespace lanebank::machine::numerics
