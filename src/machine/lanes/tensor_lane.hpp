// Sums of the matrix products, between registers and a tile of 16 rows and 8 columns. Register i of lane l
// holds row l/4 + 8 (i >> 1), column 2 (l % 4) + (i & 1); half accumulators hold both columns in one register.
#pragma once

#include "machine/lanes/lane.hpp"
#include "machine/lanes/turn.hpp"
#include "machine/numerics/tensor.hpp"
#include "machine/numerics/tensor_narrow.hpp"

namespace lanebank::machine::LANEBANK_SIMD {
namespace {

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
    turn_quads(row, {column(0), column(1), column(2), column(3)});
  }
}

/// Writes them for the lanes in `mask`.
inline void store_sums(Warp& w, unsigned first, bool single, std::uint32_t mask, const numerics::TileC& c) {
  alignas(64) std::uint32_t value[4][32], packed[2][32];
  for (unsigned i = 0; i < 4; ++i) {
    alignas(64) float gathered[32];
    const auto column = [&](unsigned q) {
      return reinterpret_cast<const std::uint32_t*>(&c.value[2 * q + (i & 1)][8 * (i >> 1)]);
    };
    turn_back({column(0), column(1), column(2), column(3)}, reinterpret_cast<std::uint32_t*>(gathered));
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
    turn_quads(w.row(first + i), {word(0), word(1), word(2), word(3)});
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
