// Products with a sparse A: of every four neighbouring units along k of its rows two are there, and metadata say
// which. A unit is 16 bits, or a byte of elements of 8 and 4 bits (an element of 32 bits is two units that stay together).
// The unit i that is there meets unit 4 (i / 2) + index of B, with the index in bits 2i and 2i + 1 of the row's metadata.
//
// The sum of the elements that are there follows the rule of dense products (tensor.hpp): what is not there counts
// nowhere.
// Source: PTX ISA, sparse matrix storage.
#pragma once

#include "machine/numerics/tensor.hpp"

namespace lanebank::machine::numerics {
namespace {

/// Place in B of unit `i`, from the metadata of its row.
LANEBANK_NUMERIC unsigned met_unit(std::uint64_t metadata, unsigned i) {
  return 4 * (i / 2) + static_cast<unsigned>(metadata >> (2 * i) & 3);
}

/// Tiles of a format that is known when the kernel runs.
template <unsigned depth, class Rows>
void fill_any_a(Element element, const Rows& rows, bool negated, TileA<depth>& tile) {
  switch (element) {
    case Element::half:
      return fill_a<Element::half>(rows, negated, tile);
    case Element::brain:
      return fill_a<Element::brain>(rows, negated, tile);
    case Element::tensor32:
      return fill_a<Element::tensor32>(rows, negated, tile);
    case Element::e4m3:
      return fill_a<Element::e4m3>(rows, negated, tile);
    case Element::e5m2:
      return fill_a<Element::e5m2>(rows, negated, tile);
  }
}
template <unsigned depth, class Columns>
void fill_any_b(Element element, const Columns& columns, TileB<depth>& tile) {
  switch (element) {
    case Element::half:
      return fill_b<Element::half>(columns, tile);
    case Element::brain:
      return fill_b<Element::brain>(columns, tile);
    case Element::tensor32:
      return fill_b<Element::tensor32>(columns, tile);
    case Element::e4m3:
      return fill_b<Element::e4m3>(columns, tile);
    case Element::e5m2:
      return fill_b<Element::e5m2>(columns, tile);
  }
}

/// c += a b, for the `depth` elements of each row that are there. `metadata`: of the 16 rows; `wide`: elements of 32 bits.
template <unsigned depth>
void multiply_sparse(const TileA<depth>& a, const TileB<2 * depth>& b, const std::uint64_t* metadata, bool wide,
                     TileC& c, SumRule rule, bool half_sum) {
  bool special = a.special || b.special;
  for (const auto& column : c.value)
    for (const float x : column) special |= (bits_as<std::uint32_t>(x) & f32_infinity) == f32_infinity;
  for (unsigned row = 0; row < 16; ++row) {
    TileB<depth> met;
    for (unsigned k = 0; k < depth; ++k) {
      const unsigned from = wide ? met_unit(metadata[row], 2 * k) / 2 : met_unit(metadata[row], k);
      __builtin_memcpy(met.significand[k], b.significand[from], sizeof met.significand[k]);
      __builtin_memcpy(met.exponent[k], b.exponent[from], sizeof met.exponent[k]);
    }
    float sums[tile_columns];
    for (unsigned n = 0; n < tile_columns; ++n) sums[n] = c.value[n][row];
    if (half_sum)
      add_products<depth, true>(a.significand[row], a.exponent[row], met, sums, rule, special);
    else
      add_products<depth, false>(a.significand[row], a.exponent[row], met, sums, rule, special);
    for (unsigned n = 0; n < tile_columns; ++n) c.value[n][row] = sums[n];
  }
}

}  // namespace
}  // namespace lanebank::machine::numerics
