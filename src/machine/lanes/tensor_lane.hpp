// Sums of the matrix products, between registers and a tile of 16 rows and 8 columns. Register i of lane l
// holds row l/4 + 8 (i >> 1), column 2 (l % 4) + (i & 1); half accumulators hold both columns in one register.
#pragma once

#include "machine/lanes/lane.hpp"
#include "machine/numerics/tensor.hpp"
#include "machine/numerics/tensor_narrow.hpp"

namespace lanebank::machine::LANEBANK_SIMD {
namespace {

using Words16 = numerics::Words16;

/// 32 words, 4 r + q, as four columns of 8: word r of column q.
LANEBANK_INLINE void turn_quads(const std::uint32_t* row, std::uint32_t* q0, std::uint32_t* q1, std::uint32_t* q2,
                                std::uint32_t* q3) {
  Words16 low, high;
  std::memcpy(&low, row, sizeof low);
  std::memcpy(&high, row + 16, sizeof high);
  const Words16 first = __builtin_shufflevector(low, high, 0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29);
  const Words16 second = __builtin_shufflevector(low, high, 2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15, 19, 23, 27, 31);
  std::memcpy(q0, &first, 32);
  std::memcpy(q1, reinterpret_cast<const char*>(&first) + 32, 32);
  std::memcpy(q2, &second, 32);
  std::memcpy(q3, reinterpret_cast<const char*>(&second) + 32, 32);
}
/// The way back.
LANEBANK_INLINE void turn_back(const float* q0, const float* q1, const float* q2, const float* q3, float* row) {
  Words16 first, second;
  std::memcpy(&first, q0, 32);
  std::memcpy(reinterpret_cast<char*>(&first) + 32, q1, 32);
  std::memcpy(&second, q2, 32);
  std::memcpy(reinterpret_cast<char*>(&second) + 32, q3, 32);
  const Words16 low = __builtin_shufflevector(first, second, 0, 8, 16, 24, 1, 9, 17, 25, 2, 10, 18, 26, 3, 11, 19, 27);
  const Words16 high =
      __builtin_shufflevector(first, second, 4, 12, 20, 28, 5, 13, 21, 29, 6, 14, 22, 30, 7, 15, 23, 31);
  std::memcpy(row, &low, sizeof low);
  std::memcpy(row + 16, &high, sizeof high);
}

/// Reads the sums that begin at row number `first`.
inline void load_sums(Warp& w, unsigned first, bool single, numerics::TileC& c) {
  for (unsigned i = 0; i < 4; ++i) {
    const std::uint32_t* row = w.row(first + (single ? i : i >> 1));
    alignas(64) std::uint32_t value[32];
    if (!single) {
      const unsigned shift = 16 * (i & 1);
      LANEBANK_LANES for (unsigned l = 0; l < 32; ++l) value[l] =
          numerics::bits_as<std::uint32_t>(numerics::Half::widen((row[l] >> shift) & 0xffff));
      row = value;
    }
    const auto column = [&](unsigned q) {
      return reinterpret_cast<std::uint32_t*>(&c.value[2 * q + (i & 1)][8 * (i >> 1)]);
    };
    turn_quads(row, column(0), column(1), column(2), column(3));
  }
}

/// Writes them for the lanes in `mask`.
inline void store_sums(Warp& w, unsigned first, bool single, std::uint32_t mask, const numerics::TileC& c) {
  alignas(64) std::uint32_t value[4][32], packed[2][32];
  for (unsigned i = 0; i < 4; ++i) {
    alignas(64) float gathered[32];
    const auto column = [&](unsigned q) { return &c.value[2 * q + (i & 1)][8 * (i >> 1)]; };
    turn_back(column(0), column(1), column(2), column(3), gathered);
    if (single) {
      LANEBANK_LANES for (unsigned l = 0; l < 32; ++l) value[i][l] = numerics::single_bits(gathered[l]);
      blend(mask, value[i], w.row(first + i));
    } else {
      LANEBANK_LANES for (unsigned l = 0; l < 32; ++l) value[i][l] = numerics::half_bits(gathered[l]);
    }
  }
  if (single) return;
  for (unsigned i = 0; i < 2; ++i) {
    LANEBANK_LANES for (unsigned l = 0; l < 32; ++l) packed[i][l] = value[2 * i][l] | value[2 * i + 1][l] << 16;
    blend(mask, packed[i], w.row(first + i));
  }
}

/// A of products: from the registers that begin at row number `first` ...
template <class Turned>
LANEBANK_INLINE void turn_registers(Warp& w, unsigned first, Turned& a) {
  for (unsigned i = 0; i < Turned::words / 2; ++i) {
    const auto word = [&](unsigned q) { return &a.word[q + 4 * (i >> 1)][8 * (i & 1)]; };
    turn_quads(w.row(first + i), word(0), word(1), word(2), word(3));
  }
}
/// ... or from 16 rows of bytes along k.
template <class Turned, class Rows>
LANEBANK_INLINE void turn_rows(const Rows& rows, Turned& a) {
  for (unsigned m = 0; m < 16; ++m)
    for (unsigned i = 0; i < Turned::words; ++i) std::memcpy(&a.word[i][m], &rows[m][4 * i], 4);
}

/// Products with one A, which is taken apart once, and that only in the way that is needed.
template <numerics::Element format_a, numerics::Element format_b, unsigned depth>
class Multiplier {
 public:
  numerics::TurnedA<format_a, depth> a;  ///< to be filled before `begin`

  void begin(bool negated, numerics::SumRule rule) {
    rule_ = rule;
    negated_ = negated;
    numerics::fill_narrow_a(a, negated, narrow_);
  }
  /// c += a b, for 8 columns of B as bytes along k.
  template <class Columns>
  void add(const Columns& columns, bool half_sum, numerics::TileC& c) {
    numerics::NarrowB<depth> narrow;
    numerics::fill_narrow_b<format_b>(columns, narrow);
    const bool done = half_sum ? numerics::multiply_narrow<depth, true>(narrow_, narrow, c, rule_)
                               : numerics::multiply_narrow<depth, false>(narrow_, narrow, c, rule_);
    if (!done) add_any(columns, half_sum, c);
  }

 private:
  template <class Columns>
  [[gnu::noinline]] void add_any(const Columns& columns, bool half_sum, numerics::TileC& c) {
    std::uint8_t rows[16][32];
    for (unsigned m = 0; m < 16; ++m)
      for (unsigned i = 0; i < a.words; ++i) std::memcpy(&rows[m][4 * i], &a.word[i][m], 4);
    numerics::TileA<depth> any_a;
    numerics::TileB<depth> any_b;
    numerics::fill_a<format_a>(rows, negated_, any_a);
    numerics::fill_b<format_b>(columns, any_b);
    numerics::multiply_tiles<depth>(any_a, any_b, c, rule_, half_sum);
  }

  numerics::SumRule rule_{};
  bool negated_ = false;
  numerics::NarrowA<depth> narrow_;
};

}  // namespace
}  // namespace lanebank::machine::LANEBANK_SIMD
