// Sums of the matrix products, between registers and a tile of 16 rows and 8 columns. Register i of lane l
// holds row l/4 + 8 (i >> 1), column 2 (l % 4) + (i & 1); half accumulators hold both columns in one register.
#pragma once

#include "machine/lanes/lane.hpp"
#include "machine/numerics/tensor.hpp"

namespace lanebank::machine::LANEBANK_SIMD {
namespace {

/// Reads the sums that begin at row number `first`.
inline void load_sums(Warp& w, unsigned first, bool single, numerics::TileC& c) {
  for (unsigned i = 0; i < 4; ++i) {
    const std::uint32_t* row = w.row(first + (single ? i : i >> 1));
    alignas(64) float value[32];
    if (single) {
      std::memcpy(value, row, sizeof value);
    } else {
      const unsigned shift = 16 * (i & 1);
      LANEBANK_LANES for (unsigned l = 0; l < 32; ++l) value[l] = numerics::Half::widen((row[l] >> shift) & 0xffff);
    }
    for (unsigned l = 0; l < 32; ++l) c.value[l / 4 + 8 * (i >> 1)][2 * (l % 4) + (i & 1)] = value[l];
  }
}

/// Writes them for the lanes in `mask`.
inline void store_sums(Warp& w, unsigned first, bool single, std::uint32_t mask, const numerics::TileC& c) {
  alignas(64) std::uint32_t value[4][32], packed[2][32];
  for (unsigned i = 0; i < 4; ++i) {
    alignas(64) float gathered[32];
    for (unsigned l = 0; l < 32; ++l) gathered[l] = c.value[l / 4 + 8 * (i >> 1)][2 * (l % 4) + (i & 1)];
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

}  // namespace
}  // namespace lanebank::machine::LANEBANK_SIMD
