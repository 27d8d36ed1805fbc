// Matrix products of ordinary operands, at a fraction of the cost of tensor.hpp and with the same results: no infinity, no
// NaN, and every exponent so far inside of single precision's range that a product and a scaled product are exact
// in it. Exponents are bytes, sums are words; the 16 rows of a column lie along vector registers.
#pragma once

#include "machine/numerics/tensor.hpp"

#if defined(__SSSE3__)
#include <immintrin.h>
#endif

namespace lanebank::machine::numerics {
namespace {

inline constexpr std::int32_t narrow_exponent = 42;  ///< largest magnitude of an element's exponent
/// Of a zero: its sum with any other stays below all sums of two narrow exponents; bytes are added with saturation.
inline constexpr std::int32_t zero_exponent = -127;
/// Exponents of accumulators: a product with a zero has at most the least of them.
inline constexpr std::int32_t least_sum_exponent = zero_exponent + narrow_exponent, most_sum_exponent = 90;

#if defined(__AVX512BW__)
inline constexpr unsigned vector_words = 16;  ///< of a vector register
inline constexpr unsigned block_columns = 8;  ///< whose sums, scales and halves of sums fit the registers
#elif defined(__AVX2__)
inline constexpr unsigned vector_words = 8, block_columns = 4;
#else
inline constexpr unsigned vector_words = 4, block_columns = 4;
#endif
inline constexpr unsigned vector_columns = vector_words / 4;  ///< columns of 16 bytes that a register holds

#if defined(__AVX512BW__)
// The forms of instructions with a mask: gcc 12 warns of what those without leave uninitialised on purpose.
inline constexpr __mmask16 every_word = 0xffff;
inline constexpr __mmask64 every_byte = ~__mmask64{0};
#endif

using Floats [[gnu::vector_size(4 * vector_words)]] = float;
using Words [[gnu::vector_size(4 * vector_words)]] = std::int32_t;
using Bits [[gnu::vector_size(4 * vector_words)]] = std::uint32_t;
using Bytes [[gnu::vector_size(4 * vector_words)]] = std::int8_t;

template <class Vector>
[[gnu::always_inline]] inline Vector load_vector(const void* from) {
  Vector x;
  __builtin_memcpy(&x, from, sizeof x);
  return x;
}
template <class Vector>
[[gnu::always_inline]] inline void store_vector(const Vector& x, void* to) {
  __builtin_memcpy(to, &x, sizeof x);
}
[[gnu::always_inline]] inline Words larger(const Words& x, const Words& y) { return x > y ? x : y; }

/// Sixteen bytes, once for each column of a register.
[[gnu::always_inline]] inline Bytes repeat_column(const std::int8_t* bytes) {
#if defined(__AVX512BW__)
  return __builtin_bit_cast(
      Bytes, _mm512_maskz_broadcast_i32x4(every_word, _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes))));
#elif defined(__AVX2__)
  return __builtin_bit_cast(Bytes,
                            _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes))));
#else
  return load_vector<Bytes>(bytes);
#endif
}
/// In every column, byte `index` of the column sixteen times.
[[gnu::always_inline]] inline Bytes repeat_byte(const Bytes& x, unsigned index) {
#if defined(__AVX512BW__)
  return __builtin_bit_cast(Bytes, _mm512_maskz_shuffle_epi8(every_byte, __builtin_bit_cast(__m512i, x),
                                                             _mm512_set1_epi8(static_cast<char>(index))));
#elif defined(__AVX2__)
  return __builtin_bit_cast(
      Bytes, _mm256_shuffle_epi8(__builtin_bit_cast(__m256i, x), _mm256_set1_epi8(static_cast<char>(index))));
#elif defined(__SSSE3__)
  return __builtin_bit_cast(Bytes,
                            _mm_shuffle_epi8(__builtin_bit_cast(__m128i, x), _mm_set1_epi8(static_cast<char>(index))));
#else
  return Bytes{} + x[index];
#endif
}
[[gnu::always_inline]] inline Bytes add_saturated(const Bytes& x, const Bytes& y) {
#if defined(__AVX512BW__)
  return __builtin_bit_cast(
      Bytes, _mm512_maskz_adds_epi8(every_byte, __builtin_bit_cast(__m512i, x), __builtin_bit_cast(__m512i, y)));
#elif defined(__AVX2__)
  return __builtin_bit_cast(Bytes, _mm256_adds_epi8(__builtin_bit_cast(__m256i, x), __builtin_bit_cast(__m256i, y)));
#elif defined(__SSSE3__)
  return __builtin_bit_cast(Bytes, _mm_adds_epi8(__builtin_bit_cast(__m128i, x), __builtin_bit_cast(__m128i, y)));
#else
  Bytes sum{};
  for (unsigned i = 0; i < sizeof sum; ++i) {
    const int exact = x[i] + y[i];
    sum[i] = static_cast<std::int8_t>(exact < -128 ? -128 : exact > 127 ? 127 : exact);
  }
  return sum;
#endif
}

/// Words as bytes, where they fit, and back.
[[gnu::always_inline]] inline void store_as_bytes(const Words& x, std::int8_t* to) {
#if defined(__AVX512BW__)
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to),
                   _mm512_maskz_cvtepi32_epi8(every_word, __builtin_bit_cast(__m512i, x)));
#elif defined(__AVX2__)
  const __m256i low = _mm256_shuffle_epi8(__builtin_bit_cast(__m256i, x), _mm256_set1_epi32(0x0c080400));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(to),
                   _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(low, _mm256_setr_epi32(0, 4, 0, 4, 0, 4, 0, 4))));
#else
  for (unsigned i = 0; i < vector_words; ++i) to[i] = static_cast<std::int8_t>(x[i]);
#endif
}
[[gnu::always_inline]] inline Words load_bytes(const std::int8_t* from) {
#if defined(__AVX512BW__)
  return __builtin_bit_cast(
      Words, _mm512_maskz_cvtepi8_epi32(every_word, _mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
#elif defined(__AVX2__)
  return __builtin_bit_cast(Words, _mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from))));
#else
  Words x;
  for (unsigned i = 0; i < vector_words; ++i) x[i] = from[i];
  return x;
#endif
}
/// Elements without signs, one a word.
template <class Raw>
[[gnu::always_inline]] inline Bits load_elements(const std::uint8_t* from) {
  if constexpr (sizeof(Raw) == 4) return load_vector<Bits>(from);
#if defined(__AVX512BW__)
  if constexpr (sizeof(Raw) == 2)
    return __builtin_bit_cast(
        Bits, _mm512_maskz_cvtepu16_epi32(every_word, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))));
  if constexpr (sizeof(Raw) == 1)
    return __builtin_bit_cast(
        Bits, _mm512_maskz_cvtepu8_epi32(every_word, _mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
#elif defined(__AVX2__)
  if constexpr (sizeof(Raw) == 2)
    return __builtin_bit_cast(Bits, _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
  if constexpr (sizeof(Raw) == 1)
    return __builtin_bit_cast(Bits, _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from))));
#else
  Raw raw[vector_words];
  __builtin_memcpy(raw, from, sizeof raw);
  Bits x;
  for (unsigned i = 0; i < vector_words; ++i) x[i] = raw[i];
  return x;
#endif
}

/// Sums cut towards zero to single precision; `lost` gets ones where something was cut off.
[[gnu::always_inline]] inline Floats cut_sums(const Words& sum, Words& lost) {
#if defined(__AVX512BW__)
  const Floats cut =
      __builtin_bit_cast(Floats, _mm512_maskz_cvt_roundepi32_ps(every_word, __builtin_bit_cast(__m512i, sum),
                                                                _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC));
  lost = __builtin_convertvector(cut, Words) != sum;
  return cut;
#else
  const Floats nearest = __builtin_convertvector(sum, Floats);
  // 2^31 becomes -2^31, which is as good: what counts is the difference.
  const Words more = __builtin_bit_cast(
      Words, __builtin_bit_cast(Bits, __builtin_convertvector(nearest, Words)) - __builtin_bit_cast(Bits, sum));
  lost = more != 0;
  const Words away = lost & ((more ^ sum) >= 0);
  return __builtin_bit_cast(Floats, __builtin_bit_cast(Words, nearest) + away);
#endif
}

/// Numbers of elements in the low bits of words, their exponents as in Element32 (of a zero zero_exponent); `wide` gets
/// bits where one is not narrow.
template <class F>
[[gnu::always_inline]] inline void narrow_elements(const Bits& raw, Floats& value, Words& exponent, Words& wide) {
  const Words magnitude = __builtin_bit_cast(Words, raw & static_cast<std::uint32_t>(F::sign_bit - 1));
  Floats number = __builtin_bit_cast(Floats, magnitude << (23 - F::fraction_bits));
  exponent = magnitude >> F::fraction_bits;
  if constexpr (F::bias == 127) {  // a zero's exponent is what it has to be; smaller numbers are not narrow
    exponent -= F::bias;
    wide |= (exponent > narrow_exponent) | ((exponent < -narrow_exponent) & (magnitude != 0));
  } else {
    static_assert(F::bias <= narrow_exponent);
    // A number below the normal ones as if 1 were before its fraction, less that 1: no subnormal operands, which are slow.
    const Words small = magnitude <= static_cast<std::int32_t>(F::fraction_mask);
    constexpr float least = bits_as<float>(static_cast<std::uint32_t>(128 - F::bias) << 23);
    number =
        __builtin_bit_cast(Floats, (magnitude << (23 - F::fraction_bits)) + ((127 - F::bias) << 23) - (small << 23)) -
        __builtin_bit_cast(Floats, __builtin_bit_cast(Words, Floats{} + least) & small);
    exponent = larger(exponent, Words{} + 1) - F::bias;
    exponent = magnitude == 0 ? Words{} + zero_exponent : exponent;
    wide |= F::has_infinity ? magnitude >= static_cast<std::int32_t>(F::infinity)
                            : magnitude == static_cast<std::int32_t>(F::nan);
  }
  value = __builtin_bit_cast(Floats, __builtin_bit_cast(Bits, number) | ((raw << (32 - F::total_bits)) & f32_sign));
}

[[gnu::always_inline]] inline bool any_of(const Words& mask) {
  std::int32_t any = 0;
  for (unsigned i = 0; i < vector_words; ++i) any |= mask[i];
  return any != 0;
}

template <unsigned depth>
struct NarrowA {
  alignas(64) float value[depth][16];
  alignas(64) std::int8_t exponent[depth][16];
  bool fits = false;
};
template <unsigned depth>
struct NarrowB {
  static constexpr unsigned padded = depth < vector_words ? vector_words : depth;
  alignas(64) float value[tile_columns][padded];
  alignas(64) std::int8_t exponent[(padded + 15) / 16][tile_columns][16];  ///< sixteen neighbours along k
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
  const std::uint32_t flip = negated ? f32_sign : 0;
  Words wide{};
  for (unsigned i = 0; i < words; ++i)
    for (unsigned m = 0; m < 16; m += vector_words) {
      const auto word = load_vector<Bits>(&a.word[i][m]);
      for (unsigned j = 0; j < each; ++j) {
        Floats value;
        Words exponent;
        narrow_elements<typename P::Format>(
            (word >> (P::bits * j + P::dropped)) & static_cast<std::uint32_t>(2 * P::Format::sign_bit - 1), value,
            exponent, wide);
        store_vector(__builtin_bit_cast(Bits, value) ^ flip, &tile.value[each * i + j][m]);
        store_as_bytes(exponent, &tile.exponent[each * i + j][m]);
      }
    }
  tile.fits = !any_of(wide);
}

template <Element element, unsigned depth, class Columns>
void fill_narrow_b(const Columns& columns, NarrowB<depth>& tile) {
  using P = Packed<element>;
  using Raw = typename Elements<element>::Raw;
  Words wide{};
  for (unsigned n = 0; n < tile_columns; ++n) {
    const std::uint8_t* column = columns[n];
    std::uint8_t padded[vector_words * sizeof(Raw)] = {};
    if constexpr (depth < vector_words) {
      __builtin_memcpy(padded, column, depth * sizeof(Raw));
      column = padded;
    }
    for (unsigned k = 0; k < depth; k += vector_words) {
      Floats value;
      Words exponent;
      narrow_elements<typename P::Format>(load_elements<Raw>(column + k * sizeof(Raw)) >> P::dropped, value, exponent,
                                          wide);
      store_vector(value, &tile.value[n][k]);
      store_as_bytes(exponent, &tile.exponent[k / 16][n][k % 16]);
    }
  }
  tile.fits = !any_of(wide);
}

/// The largest exponent among products first .. last, of every row and column; at most least_sum_exponent where all are
/// zero.
template <unsigned depth>
[[gnu::always_inline]] inline void largest_exponents(const NarrowA<depth>& a, const NarrowB<depth>& b, unsigned first,
                                                     unsigned last, std::int8_t (&top)[tile_columns][16]) {
  constexpr unsigned vectors = tile_columns / vector_columns;
  Bytes largest[vectors];
  for (Bytes& x : largest) x = Bytes{} + static_cast<std::int8_t>(zero_exponent);
  for (unsigned k = first; k < last; ++k) {
    const Bytes of_a = repeat_column(a.exponent[k]);
    for (unsigned v = 0; v < vectors; ++v) {
      const auto of_b = load_vector<Bytes>(b.exponent[k / 16][vector_columns * v]);
      const Bytes sum = add_saturated(of_a, repeat_byte(of_b, k % 16));
      largest[v] = sum > largest[v] ? sum : largest[v];
    }
  }
  for (unsigned v = 0; v < vectors; ++v) store_vector(largest[v], top[vector_columns * v]);
}

/// What tells that sums were not narrow.
struct NotNarrow {
  Words highest = {};                          ///< exponent
  Bits smallest = Bits{} + ~std::uint32_t{0};  ///< magnitude of an accumulator that is not zero, less one
  Words overflowed = {};                       ///< negative: words were too short

  [[nodiscard]] bool found() const {
    constexpr std::uint32_t least = static_cast<std::uint32_t>(127 + least_sum_exponent) << 23;
    return any_of((highest > most_sum_exponent) | (overflowed < 0) | (smallest < least - 1));
  }
};

/// One step for the rows of a vector and the columns of a block, the first of which are given: sums += products first .. last.
template <unsigned depth, bool half_sum>
[[gnu::always_inline]] inline void add_block(const NarrowA<depth>& a, const NarrowB<depth>& b,
                                             const std::int8_t (*top)[16], unsigned row, unsigned column,
                                             unsigned first, unsigned last, const SumRule& rule, float (*sums)[16],
                                             NotNarrow& not_narrow) {
  const auto fraction_bits = static_cast<std::int32_t>(rule.fraction_bits);
  Words total[block_columns], back[block_columns];
  Floats scale[block_columns];
  for (unsigned n = 0; n < block_columns; ++n) {
    const auto c = load_vector<Floats>(&sums[column + n][row]);
    const Bits magnitude = __builtin_bit_cast(Bits, c) & 0x7fffffff;
    Words exponent = __builtin_bit_cast(Words, magnitude >> 23) - 127;
    if constexpr (half_sum) {  // an addend's exponent is at least its format's smallest
      exponent = larger(exponent, Words{} - 14);
      exponent = magnitude == 0 ? Words{} + zero_exponent : exponent;
    }
    const Words of_products = load_bytes(&top[column + n][row]);
    // Nothing but zeros may have any exponent.
    const Words largest = larger(larger(exponent, of_products), Words{} + least_sum_exponent);
    not_narrow.highest = larger(not_narrow.highest, largest);
    const Bits less = magnitude - 1;
    not_narrow.smallest = less < not_narrow.smallest ? less : not_narrow.smallest;
    scale[n] = __builtin_bit_cast(Floats, (fraction_bits + 127 - largest) << 23);
    back[n] = (largest + (127 - fraction_bits)) << 23;
    total[n] = __builtin_convertvector(c * scale[n], Words);
  }
  // An addend is below 2^(fraction bits + 2), the accumulator below half of that: with eight products it fits a word.
  for (unsigned begin = first; begin < last; begin += 8) {
    const unsigned end = begin + 8 < last ? begin + 8 : last;
    Words sum[block_columns];
    for (unsigned n = 0; n < block_columns; ++n) sum[n] = begin == first ? total[n] : Words{};
    for (unsigned k = begin; k < end; ++k) {
      const auto x = load_vector<Floats>(&a.value[k][row]);
      for (unsigned n = 0; n < block_columns; ++n)
        sum[n] += __builtin_convertvector(x * b.value[column + n][k] * scale[n], Words);
    }
    for (unsigned n = 0; n < block_columns; ++n) {
      if (begin == first) {
        total[n] = sum[n];
        continue;
      }
      const Words both =
          __builtin_bit_cast(Words, __builtin_bit_cast(Bits, total[n]) + __builtin_bit_cast(Bits, sum[n]));
      not_narrow.overflowed |= (total[n] ^ both) & (sum[n] ^ both);
      total[n] = both;
    }
  }
  const std::uint32_t kept = ~std::uint32_t{0} << (23 - rule.result_bits);
  for (unsigned n = 0; n < block_columns; ++n) {
    Words lost;
    const Floats cut = cut_sums(total[n], lost);
    const auto unit = __builtin_bit_cast(Floats, back[n]);
    if constexpr (half_sum) {
      const Floats odd = __builtin_bit_cast(Floats, __builtin_bit_cast(Words, cut) | (lost & 1)) * unit;
      for (unsigned i = 0; i < vector_words; ++i) {
        const std::uint32_t rounded = Half::narrow(odd[i]);  // what is too small for a half is +0 whatever its sign
        sums[column + n][row + i] = Half::widen(rounded & ones_if<std::uint32_t>((rounded & 0x7fff) != 0));
      }
    } else {
      store_vector(__builtin_bit_cast(Floats, __builtin_bit_cast(Bits, cut) & kept) * unit, &sums[column + n][row]);
    }
  }
}

/// c + a b, as multiply_tiles; false, with c as it was, where operands or sums are not narrow.
template <unsigned depth, bool half_sum>
bool multiply_narrow(const NarrowA<depth>& a, const NarrowB<depth>& b, TileC& c, const SumRule& rule) {
  if (!a.fits || !b.fits || (half_sum && rule.width < depth)) return false;
  TileC result = c;
  NotNarrow not_narrow;
  for (unsigned first = 0; first < depth; first += rule.width) {
    const unsigned last = first + rule.width < depth ? first + rule.width : depth;
    alignas(64) std::int8_t top[tile_columns][16];
    largest_exponents(a, b, first, last, top);
    for (unsigned row = 0; row < 16; row += vector_words)
      for (unsigned column = 0; column < tile_columns; column += block_columns)
        add_block<depth, half_sum>(a, b, top, row, column, first, last, rule, result.value, not_narrow);
  }
  if (not_narrow.found()) return false;
  c = result;
  return true;
}

}  // namespace
}  // namespace lanebank::machine::numerics
