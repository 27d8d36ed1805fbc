// Linear maps over F2, the field of 0 and 1, where adding is XOR.
//
// A number of n bits is a vector over F2. A map f with f(x ^ y) = f(x) ^ f(y) is an n x n matrix: result bit i is the
// parity of the input bits that row i selects, and column j is f(1 << j).
//
//                 bit 2 1 0 of x
//   row 2:   100      1 . .        y2 = x2                Rows from the lowest bit up: F2Map<0b001, 0b110, 0b100>
//   row 1:   110      1 1 .        y1 = x2 ^ x1           y = x ^ (x & 4) >> 1: the swizzle that XORs bit 2 into bit 1
//   row 0:   001      . . 1        y0 = x0
//
// Every swizzle is such a map, and the map is a bijection exactly when its matrix has full rank. Smallest example:
//
//   using Map = lanebank::F2Map<0b001, 0b110, 0b100>;
//   static_assert(Map::apply(4) == 6 && Map::matrix().rank() == 3);
//
// Units: bits. What it does not do: maps of more than 32 bits; maps that are not linear (padding, rotation).
// C++17, constexpr, host and device code, no dependencies.
#pragma once

#include <cstdint>
#include <utility>

#include "lanebank/host_device.hpp"

namespace lanebank {

/// The parity of the bits of x: 1 when their number is odd.
LANEBANK_HOST_DEVICE constexpr std::uint32_t parity(std::uint32_t x) {
  x ^= x >> 16;
  x ^= x >> 8;
  x ^= x >> 4;
  return 0x6996u >> (x & 15) & 1;
}

/// A square matrix over F2 of `size` rows, `size` <= 32. rows[i] selects the input bits of result bit i.
struct F2Matrix {
  unsigned size = 0;
  std::uint32_t rows[32] = {};

  /// matrix x vector; bits of x at `size` and above are dropped.
  LANEBANK_HOST_DEVICE constexpr std::uint32_t apply(std::uint32_t x) const {
    std::uint32_t y = 0;
    for (unsigned i = 0; i < size; ++i) y |= parity(rows[i] & x) << i;
    return y;
  }

  /// The number of independent rows. The map is a bijection when that is `size`.
  LANEBANK_HOST_DEVICE constexpr unsigned rank() const {
    std::uint32_t rest[32] = {};
    for (unsigned i = 0; i < size; ++i) rest[i] = rows[i];
    unsigned found = 0;
    for (unsigned bit = 0; bit < size; ++bit) {
      unsigned pivot = found;
      while (pivot < size && (rest[pivot] >> bit & 1) == 0) ++pivot;
      if (pivot == size) continue;
      const std::uint32_t row = rest[pivot];
      rest[pivot] = rest[found];
      rest[found++] = row;
      for (unsigned i = found; i < size; ++i)
        if ((rest[i] >> bit & 1) != 0) rest[i] ^= row;
    }
    return found;
  }

  /// (*this) x other: other is applied first. Both of the same size.
  LANEBANK_HOST_DEVICE constexpr F2Matrix after(const F2Matrix& other) const {
    F2Matrix product{size, {}};
    for (unsigned i = 0; i < size; ++i)
      for (unsigned j = 0; j < size; ++j)
        if ((rows[i] >> j & 1) != 0) product.rows[i] ^= other.rows[j];
    return product;
  }

  /// The matrix M with M.after(*this) the identity. Its size is 0 where there is none.
  LANEBANK_HOST_DEVICE constexpr F2Matrix inverse() const {
    F2Matrix left = *this, right = identity(size);
    for (unsigned bit = 0; bit < size; ++bit) {
      unsigned pivot = bit;
      while (pivot < size && (left.rows[pivot] >> bit & 1) == 0) ++pivot;
      if (pivot == size) return F2Matrix{};
      for (F2Matrix* matrix : {&left, &right}) {
        const std::uint32_t row = matrix->rows[pivot];
        matrix->rows[pivot] = matrix->rows[bit];
        matrix->rows[bit] = row;
      }
      for (unsigned i = 0; i < size; ++i) {
        if (i == bit || (left.rows[i] >> bit & 1) == 0) continue;
        left.rows[i] ^= left.rows[bit];
        right.rows[i] ^= right.rows[bit];
      }
    }
    return right;
  }

  LANEBANK_HOST_DEVICE static constexpr F2Matrix identity(unsigned size) {
    F2Matrix matrix{size, {}};
    for (unsigned i = 0; i < size; ++i) matrix.rows[i] = std::uint32_t{1} << i;
    return matrix;
  }

  LANEBANK_HOST_DEVICE constexpr bool operator==(const F2Matrix& other) const {
    bool equal = size == other.size;
    for (unsigned i = 0; i < size && equal; ++i) equal = rows[i] == other.rows[i];
    return equal;
  }
  LANEBANK_HOST_DEVICE constexpr bool operator!=(const F2Matrix& other) const { return !(*this == other); }
};

/// The matrix of the low `size` bits of a linear function, found by applying it to every single bit.
template <class Function>
LANEBANK_HOST_DEVICE constexpr F2Matrix f2_matrix(unsigned size, Function function) {
  F2Matrix matrix{size, {}};
  for (unsigned j = 0; j < size; ++j) {
    const std::uint32_t column = function(std::uint32_t{1} << j);
    for (unsigned i = 0; i < size; ++i) matrix.rows[i] |= (column >> i & 1) << j;
  }
  return matrix;
}

}  // namespace lanebank
