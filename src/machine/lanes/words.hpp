// Vectors of lanes, for loops that give lane masks (comparisons, carries). A row of 32 words is
// `vector_count` of them: two with AVX-512, four with AVX2, else eight. Everything here is inlined.
#pragma once

#include "machine/lanes/lane.hpp"

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
#define LANEBANK_AVX512
#endif
#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace lanebank::machine::LANEBANK_SIMD {
namespace {

#if defined(LANEBANK_AVX512)
inline constexpr unsigned vector_lanes = 16;
#elif defined(__AVX2__)
inline constexpr unsigned vector_lanes = 8;
#else
inline constexpr unsigned vector_lanes = 4;
#endif
inline constexpr unsigned vector_count = 32 / vector_lanes;

using Words [[gnu::vector_size(4 * vector_lanes), gnu::may_alias]] = std::uint32_t;
using SignedWords [[gnu::vector_size(4 * vector_lanes), gnu::may_alias]] = std::int32_t;

LANEBANK_INLINE Words load(const std::uint32_t* row, unsigned vector) {
  Words words;
  std::memcpy(&words, row + vector * vector_lanes, sizeof words);
  return words;
}
LANEBANK_INLINE void store(std::uint32_t* row, unsigned vector, Words words) {
  std::memcpy(row + vector * vector_lanes, &words, sizeof words);
}
LANEBANK_INLINE Words splat(std::uint32_t x) { return Words{} + x; }

template <From kind>
LANEBANK_INLINE Words load(const Operand32<kind>& operand, unsigned vector) {
  if constexpr (kind == From::row) return load(operand.row, vector);
  return splat(operand.scalar);
}

/// A register row as an operand.
struct Row {
  const std::uint32_t* row;
};
LANEBANK_INLINE Words load(const Row& operand, unsigned vector) { return load(operand.row, vector); }

/// The comparisons that all others are made of.
enum class Compare : std::uint8_t { less, less_equal, equal, signed_less, signed_less_equal };

/// Bit i set where the comparison holds in lane i of the vectors.
template <Compare compare>
LANEBANK_INLINE std::uint32_t compare_words(Words a, Words b) {
#if defined(LANEBANK_AVX512)
  const __m512i x = reinterpret_cast<__m512i>(a), y = reinterpret_cast<__m512i>(b);
  if constexpr (compare == Compare::less) return _mm512_cmplt_epu32_mask(x, y);
  if constexpr (compare == Compare::less_equal) return _mm512_cmple_epu32_mask(x, y);
  if constexpr (compare == Compare::equal) return _mm512_cmpeq_epi32_mask(x, y);
  if constexpr (compare == Compare::signed_less) return _mm512_cmplt_epi32_mask(x, y);
  if constexpr (compare == Compare::signed_less_equal) return _mm512_cmple_epi32_mask(x, y);
#else
  SignedWords all;
  if constexpr (compare == Compare::less) all = a < b;
  if constexpr (compare == Compare::less_equal) all = a <= b;
  if constexpr (compare == Compare::equal) all = a == b;
  if constexpr (compare == Compare::signed_less)
    all = reinterpret_cast<SignedWords>(a) < reinterpret_cast<SignedWords>(b);
  if constexpr (compare == Compare::signed_less_equal)
    all = reinterpret_cast<SignedWords>(a) <= reinterpret_cast<SignedWords>(b);
#if defined(__AVX2__)
  return static_cast<std::uint32_t>(_mm256_movemask_ps(reinterpret_cast<__m256>(all)));
#elif defined(__SSE2__)
  return static_cast<std::uint32_t>(_mm_movemask_ps(reinterpret_cast<__m128>(all)));
#else
  std::uint32_t mask = 0;
  for (unsigned i = 0; i < vector_lanes; ++i) mask |= (static_cast<std::uint32_t>(all[i]) & 1u) << i;
  return mask;
#endif
#endif
}

/// A lane mask put together from the bits of its vectors.
LANEBANK_INLINE std::uint32_t at_vector(std::uint32_t bits, unsigned vector) { return bits << (vector * vector_lanes); }

/// The lanes where compare(a[i], b[i]).
template <Compare compare, class A, class B>
LANEBANK_INLINE std::uint32_t compare_lanes(const A& a, const B& b) {
  std::uint32_t mask = 0;
  for (unsigned v = 0; v < vector_count; ++v) mask |= at_vector(compare_words<compare>(load(a, v), load(b, v)), v);
  return mask;
}

/// The lanes where row[i] != 0.
LANEBANK_INLINE std::uint32_t nonzero_lanes(const std::uint32_t* row) {
  std::uint32_t mask = 0;
  for (unsigned v = 0; v < vector_count; ++v)
    mask |= at_vector(compare_words<Compare::equal>(load(row, v), Words{}), v);
  return ~mask;
}

/// Ones (not all ones) in the lanes of the vector whose bit of `mask` is set.
LANEBANK_INLINE Words ones_where(std::uint32_t mask, unsigned vector) {
#if defined(LANEBANK_AVX512)
  return reinterpret_cast<Words>(_mm512_maskz_set1_epi32(static_cast<__mmask16>(mask >> (vector * vector_lanes)), 1));
#else
  Words bits;
  for (unsigned i = 0; i < vector_lanes; ++i) bits[i] = std::uint32_t{1} << i;
  const Words picked = splat(mask >> (vector * vector_lanes)) & bits;
  return reinterpret_cast<Words>(picked == bits) & splat(1);
#endif
}

/// All ones in the lanes of the vector whose bit of `mask` is set.
LANEBANK_INLINE Words all_ones_where(std::uint32_t mask, unsigned vector) { return Words{} - ones_where(mask, vector); }

/// The numbers of the vector's lanes.
LANEBANK_INLINE Words lane_numbers(unsigned vector) {
  Words numbers;
  for (unsigned i = 0; i < vector_lanes; ++i) numbers[i] = vector * vector_lanes + i;
  return numbers;
}

#if defined(LANEBANK_AVX512) || defined(__AVX2__) || defined(__SSSE3__)
#define LANEBANK_BYTE_SHUFFLE
/// Within every 16 bytes: byte i becomes byte `index & 15` of x, where index is byte i of `indices`, or 0
/// where the top bit of index is set.
LANEBANK_INLINE Words shuffle_bytes(Words x, Words indices) {
#if defined(LANEBANK_AVX512)
  return reinterpret_cast<Words>(
      _mm512_maskz_shuffle_epi8(~__mmask64{0}, reinterpret_cast<__m512i>(x), reinterpret_cast<__m512i>(indices)));
#elif defined(__AVX2__)
  return reinterpret_cast<Words>(_mm256_shuffle_epi8(reinterpret_cast<__m256i>(x), reinterpret_cast<__m256i>(indices)));
#else
  return reinterpret_cast<Words>(_mm_shuffle_epi8(reinterpret_cast<__m128i>(x), reinterpret_cast<__m128i>(indices)));
#endif
}
#endif

/// The lanes of `yes` where a bit of `mask` is set, else those of `no`.
LANEBANK_INLINE Words choose(std::uint32_t mask, unsigned vector, Words yes, Words no) {
#if defined(LANEBANK_AVX512)
  return reinterpret_cast<Words>(_mm512_mask_blend_epi32(static_cast<__mmask16>(mask >> (vector * vector_lanes)),
                                                         reinterpret_cast<__m512i>(no),
                                                         reinterpret_cast<__m512i>(yes)));
#else
  const Words all = all_ones_where(mask, vector);
  return (yes & all) | (no & ~all);
#endif
}

/// Stores a vector of results in the lanes of `mask`.
LANEBANK_INLINE void store_where(std::uint32_t mask, std::uint32_t* row, unsigned vector, Words words) {
#if defined(LANEBANK_AVX512)
  _mm512_mask_storeu_epi32(row + vector * vector_lanes, static_cast<__mmask16>(mask >> (vector * vector_lanes)),
                           reinterpret_cast<__m512i>(words));
#else
  store(row, vector, choose(mask, vector, words, load(row, vector)));
#endif
}

/// The same, without the blend when all lanes are on.
LANEBANK_INLINE void store_lanes(std::uint32_t mask, std::uint32_t* row, unsigned vector, Words words) {
  if (vector_lanes == 16 || mask != all_lanes) {
    store_where(mask, row, vector, words);
  } else {
    store(row, vector, words);
  }
}

}  // namespace
}  // namespace lanebank::machine::LANEBANK_SIMD
