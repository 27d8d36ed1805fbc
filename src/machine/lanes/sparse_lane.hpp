// Operands of products with a sparse A, and integer products of rows and columns of bytes.
#pragma once

#include "machine/lanes/tensor_lane.hpp"
#include "machine/numerics/tensor_sparse.hpp"

namespace lanebank::machine::LANEBANK_SIMD {
namespace {

/// Which lanes hold the metadata of row r of A. With q = 4 (r % 8), h = r / 8, selector s, and rows of 16 or 32 bytes:
///   units of 16 bits   16 bytes: lane q + s, half h              32 bytes: lanes q + 2 s, q + 2 s + 1, halves h
///   units of 8 bits    16 bytes: lane q + 2 s + h                32 bytes: lanes q + h, q + 2 + h
LANEBANK_INLINE std::uint64_t row_metadata(const std::uint32_t* lanes, unsigned r, bool bytes, unsigned row_bytes,
                                           unsigned selector) {
  const std::uint32_t* quad = lanes + 4 * (r % 8);
  const unsigned h = r / 8;
  if (bytes)
    return row_bytes == 16 ? quad[(2 * selector + h) & 3] : quad[h] | std::uint64_t{quad[2 + h]} << 32;
  const auto half = [&](unsigned lane) { return quad[lane & 3] >> (16 * h) & 0xffff; };
  return row_bytes == 16 ? half(selector) : half(2 * selector) | half(2 * selector + 1) << 16;
}
inline void load_metadata(Warp& w, unsigned row, bool bytes, unsigned row_bytes, unsigned selector,
                          std::uint64_t (&metadata)[16]) {
  for (unsigned r = 0; r < 16; ++r) metadata[r] = row_metadata(w.row(row), r, bytes, row_bytes, selector);
}

/// Registers of A, from row number `first` on, as 16 rows of bytes along k.
template <unsigned bytes>
LANEBANK_INLINE void gather_rows(Warp& w, unsigned first, unsigned registers, std::uint8_t (*rows)[bytes]) {
  for (unsigned i = 0; i < registers; ++i)
    for (unsigned r = 0; r < 8; ++r) std::memcpy(&rows[r + 8 * (i & 1)][16 * (i >> 1)], &w.row(first + i)[4 * r], 16);
}

/// sum += a b over the units of a row that are there; with four bits to an element, both of a unit.
template <unsigned bits>
void add_sparse_integers(const std::uint8_t (*a)[32], const std::uint8_t (*b)[64], const std::uint64_t* metadata,
                         unsigned row_bytes, bool signed_a, bool signed_b, std::int32_t (&sum)[16][8]) {
  const auto element = [](std::uint8_t byte, unsigned j, bool is_signed) {
    const std::uint32_t raw = std::uint32_t{byte} << (32 - bits * (j + 1));
    return is_signed ? static_cast<std::int32_t>(raw) >> (32 - bits) : static_cast<std::int32_t>(raw >> (32 - bits));
  };
  for (unsigned r = 0; r < 16; ++r)
    for (unsigned i = 0; i < row_bytes; ++i) {
      const unsigned from = numerics::met_unit(metadata[r], i);
      for (unsigned j = 0; j < 8 / bits; ++j) {
        const std::int32_t x = element(a[r][i], j, signed_a);
        for (unsigned n = 0; n < 8; ++n) sum[r][n] += x * element(b[n][from], j, signed_b);
      }
    }
}

}  // namespace
}  // namespace lanebank::machine::LANEBANK_SIMD
