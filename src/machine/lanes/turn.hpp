// Small matrices in registers, turned.
#pragma once

#include "machine/lanes/lane.hpp"

namespace lanebank::machine::LANEBANK_SIMD {
namespace {

using Words4 [[gnu::vector_size(16)]] = std::uint32_t;

using Longs2 [[gnu::vector_size(16)]] = std::uint64_t;

/// Eight bytes from each of two places.
LANEBANK_INLINE Words4 two_longs(const std::uint8_t* first, const std::uint8_t* second) {
  std::uint64_t longs[2];
  std::memcpy(&longs[0], first, 8);
  std::memcpy(&longs[1], second, 8);
  return __builtin_bit_cast(Words4, Longs2{longs[0], longs[1]});
}
/// The way back, the second first.
LANEBANK_INLINE void store_two_longs(const Words4& longs, std::uint8_t* first, std::uint8_t* second) {
  const auto both = __builtin_bit_cast(Longs2, longs);
  const std::uint64_t low = both[0], high = both[1];
  std::memcpy(second, &high, 8);
  std::memcpy(first, &low, 8);
}

/// Four rows of four words: word c of row r becomes word r of row c.
LANEBANK_INLINE void turn_words(Words4 (&rows)[4]) {
  const Words4 low01 = __builtin_shufflevector(rows[0], rows[1], 0, 4, 1, 5),
               high01 = __builtin_shufflevector(rows[0], rows[1], 2, 6, 3, 7),
               low23 = __builtin_shufflevector(rows[2], rows[3], 0, 4, 1, 5),
               high23 = __builtin_shufflevector(rows[2], rows[3], 2, 6, 3, 7);
  rows[0] = __builtin_shufflevector(low01, low23, 0, 1, 4, 5);
  rows[1] = __builtin_shufflevector(low01, low23, 2, 3, 6, 7);
  rows[2] = __builtin_shufflevector(high01, high23, 0, 1, 4, 5);
  rows[3] = __builtin_shufflevector(high01, high23, 2, 3, 6, 7);
}

/// Eight rows of eight 16-bit elements, turned: element c of row r becomes element r of row c. Either may be unaligned; the
/// rows of the result are `stride` bytes apart.
LANEBANK_INLINE void turn_halves(const std::uint8_t* const (&rows)[8], std::uint8_t* result, unsigned stride) {
  using Halves [[gnu::vector_size(16)]] = std::uint16_t;
  Halves x[8], y[8];
  for (unsigned i = 0; i < 8; ++i) std::memcpy(&x[i], rows[i], sizeof x[i]);
  for (unsigned round = 0; round < 3; ++round) {  // each interleaves the rows' two halves
    for (unsigned i = 0; i < 4; ++i) {
      y[2 * i] = __builtin_shufflevector(x[i], x[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
      y[2 * i + 1] = __builtin_shufflevector(x[i], x[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
    }
    for (unsigned i = 0; i < 8; ++i) x[i] = y[i];
  }
  for (unsigned i = 0; i < 8; ++i) std::memcpy(result + stride * i, &x[i], sizeof x[i]);
}

/// 32 words, 4 r + q, as four columns of 8: word r of column q.
LANEBANK_INLINE void turn_quads(const std::uint32_t* row, std::uint32_t* const (&columns)[4]) {
#if defined(__AVX512F__)
  using Words16 [[gnu::vector_size(64)]] = std::uint32_t;
  Words16 low, high;
  std::memcpy(&low, row, sizeof low);
  std::memcpy(&high, row + 16, sizeof high);
  const Words16 first = __builtin_shufflevector(low, high, 0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29);
  const Words16 second = __builtin_shufflevector(low, high, 2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15, 19, 23, 27, 31);
  std::memcpy(columns[0], &first, 32);
  std::memcpy(columns[1], reinterpret_cast<const char*>(&first) + 32, 32);
  std::memcpy(columns[2], &second, 32);
  std::memcpy(columns[3], reinterpret_cast<const char*>(&second) + 32, 32);
#else
  for (unsigned half = 0; half < 2; ++half) {
    Words4 r[4];
    std::memcpy(r, row + 16 * half, sizeof r);
    turn_words(r);
    for (unsigned q = 0; q < 4; ++q) std::memcpy(columns[q] + 4 * half, &r[q], sizeof r[q]);
  }
#endif
}
/// The way back.
LANEBANK_INLINE void turn_back(const std::uint32_t* const (&columns)[4], std::uint32_t* row) {
#if defined(__AVX512F__)
  using Words16 [[gnu::vector_size(64)]] = std::uint32_t;
  Words16 first, second;
  std::memcpy(&first, columns[0], 32);
  std::memcpy(reinterpret_cast<char*>(&first) + 32, columns[1], 32);
  std::memcpy(&second, columns[2], 32);
  std::memcpy(reinterpret_cast<char*>(&second) + 32, columns[3], 32);
  const Words16 low = __builtin_shufflevector(first, second, 0, 8, 16, 24, 1, 9, 17, 25, 2, 10, 18, 26, 3, 11, 19, 27);
  const Words16 high =
      __builtin_shufflevector(first, second, 4, 12, 20, 28, 5, 13, 21, 29, 6, 14, 22, 30, 7, 15, 23, 31);
  std::memcpy(row, &low, sizeof low);
  std::memcpy(row + 16, &high, sizeof high);
#else
  for (unsigned half = 0; half < 2; ++half) {
    Words4 q[4];
    for (unsigned c = 0; c < 4; ++c) std::memcpy(&q[c], columns[c] + 4 * half, sizeof q[c]);
    turn_words(q);
    std::memcpy(row + 16 * half, q, sizeof q);
  }
#endif
}

}  // namespace
}  // namespace lanebank::machine::LANEBANK_SIMD
