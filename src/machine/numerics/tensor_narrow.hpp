// Matrix products of ordinary operands, at a fraction of the cost of tensor.hpp and with the same results: no infinity, no
// NaN, and every exponent so far inside of single precision's range that a product and a scaled product are exact
// in it. One vector holds a column of the sums, 16 rows.
#pragma once

#include "machine/numerics/tensor.hpp"

namespace lanebank::machine::numerics {
namespace {

inline constexpr std::int32_t narrow_exponent = 50;  ///< largest magnitude of an element's exponent
inline constexpr std::int32_t narrow_top = 90;       ///< of the largest exponent of a sum's addends

using Floats16 [[gnu::vector_size(64)]] = float;
using Words16 [[gnu::vector_size(64)]] = std::int32_t;
using Doubles8 [[gnu::vector_size(64)]] = double;
using Bits8 [[gnu::vector_size(64)]] = std::uint64_t;

/// An element's number, and its exponent as in Element32; `wide` gets bits if it is not narrow.
struct NarrowElement {
  float value;
  std::int32_t exponent;
};
template <class F>
LANEBANK_NUMERIC NarrowElement narrow_element(std::uint32_t raw, std::uint32_t& wide) {
  const std::uint32_t magnitude = raw & (F::sign_bit - 1);
  const auto field = static_cast<std::int32_t>(magnitude >> F::fraction_bits);
  const float scale = bits_as<float>(static_cast<std::uint32_t>(127 + 127 - F::bias) << 23);
  const float number = bits_as<float>(magnitude << (23 - F::fraction_bits)) * scale;
  const std::int32_t exponent = (field > 1 ? field : 1) - F::bias;
  const std::uint32_t special = F::has_infinity
                                    ? ones_if<std::uint32_t>(static_cast<std::uint32_t>(field) == F::largest_exponent)
                                    : ones_if<std::uint32_t>(magnitude == F::nan);
  const std::uint32_t far =
      ones_if<std::uint32_t>(exponent > narrow_exponent) |
      (ones_if<std::uint32_t>(exponent < -narrow_exponent) & ones_if<std::uint32_t>(magnitude != 0));
  wide |= special | far;
  return {bits_as<float>(bits_as<std::uint32_t>(number) | ((raw >> (F::total_bits - 1)) & 1) << 31),
          static_cast<std::int32_t>(
              select(magnitude == 0, static_cast<std::uint32_t>(no_exponent), static_cast<std::uint32_t>(exponent)))};
}

template <unsigned depth>
struct NarrowA {
  alignas(64) float value[depth][16];
  alignas(64) std::int32_t exponent[depth][16];
  bool fits = false;
};
template <unsigned depth>
struct NarrowB {
  alignas(64) float value[tile_columns][depth];
  alignas(64) std::int32_t exponent[tile_columns][depth];
  bool fits = false;
};

/// The format's elements as they lie in a word.
template <Element element>
struct Packed {
  using Format = typename Elements<element>::Format;
  static constexpr unsigned bits = sizeof(typename Elements<element>::Raw) * 8;
  static constexpr unsigned dropped = bits - Format::total_bits;  ///< low bits that do not count
};

/// A's words along k, each of all 16 rows.
template <Element element, unsigned depth>
struct TurnedA {
  static constexpr unsigned each = 32 / Packed<element>::bits, words = depth / each;
  alignas(64) std::uint32_t word[words][16];
};

template <Element element, unsigned depth>
void fill_narrow_a(const TurnedA<element, depth>& a, bool negated, NarrowA<depth>& tile) {
  using P = Packed<element>;
  constexpr unsigned each = TurnedA<element, depth>::each, words = TurnedA<element, depth>::words;
  alignas(64) std::uint32_t wide[16] = {};
  const std::uint32_t flip = negated ? f32_sign : 0;
  for (unsigned i = 0; i < words; ++i)
    for (unsigned j = 0; j < each; ++j)
      for (unsigned m = 0; m < 16; ++m) {
        const std::uint32_t raw = a.word[i][m] >> (P::bits * j + P::dropped);
        const NarrowElement x =
            narrow_element<typename P::Format>(raw & static_cast<std::uint32_t>(2 * P::Format::sign_bit - 1), wide[m]);
        tile.value[each * i + j][m] = bits_as<float>(bits_as<std::uint32_t>(x.value) ^ flip);
        tile.exponent[each * i + j][m] = x.exponent;
      }
  std::uint32_t any = 0;
  for (const std::uint32_t bits : wide) any |= bits;
  tile.fits = any == 0;
}

template <Element element, unsigned depth, class Columns>
void fill_narrow_b(const Columns& columns, NarrowB<depth>& tile) {
  using P = Packed<element>;
  alignas(64) std::uint32_t wide[depth] = {};
  for (unsigned n = 0; n < tile_columns; ++n) {
    typename Elements<element>::Raw raw[depth];
    __builtin_memcpy(raw, columns[n], sizeof raw);
    for (unsigned k = 0; k < depth; ++k) {
      const NarrowElement x = narrow_element<typename P::Format>(std::uint32_t{raw[k]} >> P::dropped, wide[k]);
      tile.value[n][k] = x.value;
      tile.exponent[n][k] = x.exponent;
    }
  }
  std::uint32_t any = 0;
  for (const std::uint32_t bits : wide) any |= bits;
  tile.fits = any == 0;
}

/// Exponents of 16 accumulators as addends.
template <bool half_sum>
[[gnu::always_inline]] inline void accumulator_exponents(const Floats16& c, Words16& exponent) {
  const Words16 magnitude = __builtin_bit_cast(Words16, c) & 0x7fffffff;
  constexpr std::int32_t least = half_sum ? -14 : -126;
  exponent = magnitude >> 23;
  exponent = (exponent > least + 127 ? exponent : Words16{} + (least + 127)) - 127;
  exponent = magnitude == 0 ? Words16{} + no_exponent : exponent;
}

/// Half of a sum of words times 2^-shift, as doubles, which hold it exactly.
[[gnu::always_inline]] inline void exact_sums(const std::int32_t* even, const std::int32_t* odd,
                                              const std::int32_t* shift, Doubles8& sum) {
  for (unsigned i = 0; i < 8; ++i)
    sum[i] = (static_cast<double>(even[i]) + static_cast<double>(odd[i])) *
             bits_as<double>(static_cast<std::uint64_t>(static_cast<std::int64_t>(1023 - shift[i])) << 52);
}

/// One step: c += products first .. last of column n; false where the sums are not narrow.
template <unsigned depth, bool half_sum>
[[gnu::always_inline]] inline bool add_narrow(const NarrowA<depth>& a, const float* b, const std::int32_t* b_exponent,
                                              unsigned first, unsigned last, const SumRule& rule, float* sums) {
  Floats16 c;
  __builtin_memcpy(&c, sums, sizeof c);
  Words16 top;
  accumulator_exponents<half_sum>(c, top);
  for (unsigned k = first; k < last; ++k) {
    Words16 exponent;
    __builtin_memcpy(&exponent, a.exponent[k], sizeof exponent);
    exponent += b_exponent[k];
    top = exponent > top ? exponent : top;
  }
  top = top < -1000 ? Words16{} : top;  // nothing but zeros
  const Words16 wide = (top > narrow_top) | (top < -narrow_top);
  std::int32_t any = 0;
  for (unsigned i = 0; i < 16; ++i) any |= wide[i];
  if (any != 0) return false;
  const Words16 shift = static_cast<std::int32_t>(rule.fraction_bits) - top;
  const Floats16 scale = __builtin_bit_cast(Floats16, (shift + 127) << 23);
  // An addend is below 2^(fraction bits + 2); two sums of words hold sixteen of 27 bits each.
  Words16 even = __builtin_convertvector(c * scale, Words16), odd{};
  for (unsigned k = first; k < last; k += 2) {  // widths are even
    Floats16 x, y;
    __builtin_memcpy(&x, a.value[k], sizeof x);
    __builtin_memcpy(&y, a.value[k + 1], sizeof y);
    even += __builtin_convertvector(x * b[k] * scale, Words16);
    odd += __builtin_convertvector(y * b[k + 1] * scale, Words16);
  }
  alignas(64) std::int32_t even_sum[16], odd_sum[16], places[16];
  __builtin_memcpy(even_sum, &even, sizeof even);
  __builtin_memcpy(odd_sum, &odd, sizeof odd);
  __builtin_memcpy(places, &shift, sizeof places);
  for (unsigned h = 0; h < 16; h += 8) {
    Doubles8 exact;
    exact_sums(even_sum + h, odd_sum + h, places + h, exact);
    if constexpr (half_sum) {
      for (unsigned i = 0; i < 8; ++i) sums[h + i] = round_to_half(exact[i]);
    } else {
      // Cut to what single precision holds: the conversion is exact then.
      const std::uint64_t kept = ~std::uint64_t{0} << (52 - rule.result_bits);
      const Doubles8 cut = __builtin_bit_cast(Doubles8, __builtin_bit_cast(Bits8, exact) & kept);
      for (unsigned i = 0; i < 8; ++i) sums[h + i] = static_cast<float>(cut[i]);
    }
  }
  return true;
}

/// c + a b, as multiply_tiles; false, with c as it was, where operands or sums are not narrow.
template <unsigned depth, bool half_sum>
bool multiply_narrow(const NarrowA<depth>& a, const NarrowB<depth>& b, TileC& c, const SumRule& rule) {
  if (!a.fits || !b.fits || (half_sum && rule.width < depth)) return false;
  TileC result = c;
  for (unsigned n = 0; n < tile_columns; ++n)
    for (unsigned first = 0; first < depth; first += rule.width) {
      const unsigned last = first + rule.width < depth ? first + rule.width : depth;
      if (!add_narrow<depth, half_sum>(a, b.value[n], b.exponent[n], first, last, rule, result.value[n])) return false;
    }
  c = result;
  return true;
}

}  // namespace
}  // namespace lanebank::machine::numerics
