// Which element of a tile each lane of a warp addresses, for the instructions that fix it: ldmatrix, stmatrix and the
// accumulators of mma m16n8. The same functions give the addresses in a kernel (tile.hpp) and the patterns that a
// proof enumerates (pattern.hpp), so that what is proved is what runs.
//
// ldmatrix .xN and stmatrix .xN move N matrices of 8 rows of 16 bytes; lane 8m + i gives the address of row i of matrix m.
// Where the matrices lie in the tile is the caller's choice (8 halves to a matrix row):
//
//   down_then_right       right_then_down        down       right
//     0 2                   0 1                  0          0 1 2 3
//     1 3                   2 3                  1 ..
//   A of m16n8k16         B, from rows of k
//
// An accumulator of m16n8 (C or D): lane l holds the pairs (row l / 4, columns 2 (l mod 4) and the next) and
// (row l / 4 + 8, the same columns).
//
// Smallest example: lanebank::matrix_row<4>(lane, 16 / sizeof(half)) is {lane % 16, lane / 16 * 8}.
//
// Units: rows and columns of elements. What it does not do: fragments of other shapes; write those as functions of
// the lane (patterns::custom). C++17, constexpr, host and device code, no dependencies.
// Source: PTX ISA, "ldmatrix", "stmatrix" and "Matrix Fragments for mma.m16n8k16".
#pragma once

#include <cstdint>

#include "lanebank/host_device.hpp"

namespace lanebank {

/// An element of a tile, and whether the lane takes part at all.
struct Coordinate {
  std::uint32_t row = 0;
  std::uint32_t column = 0;
  bool active = true;
};

/// How the matrices of one ldmatrix or stmatrix lie in the tile; the page above.
enum class MatrixOrder : std::uint8_t { down_then_right, right_then_down, down, right };

/// Size of a rectangle of a tile, in elements.
struct Extent {
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
};

/// What one ldmatrix or stmatrix of `Matrices` covers; `row_elements`: elements in 16 bytes.
template <unsigned Matrices, MatrixOrder Order = MatrixOrder::down_then_right>
LANEBANK_HOST_DEVICE constexpr Extent matrix_extent(std::uint32_t row_elements) {
  static_assert(Matrices == 1 || Matrices == 2 || Matrices == 4, "ldmatrix and stmatrix move 1, 2 or 4 matrices");
  constexpr bool line = Order == MatrixOrder::down || Order == MatrixOrder::right || Matrices == 2;
  constexpr bool downward = Order == MatrixOrder::down || Order == MatrixOrder::down_then_right;
  if constexpr (Matrices == 1)
    return Extent{8, row_elements};
  else if constexpr (line && downward)
    return Extent{8 * Matrices, row_elements};
  else if constexpr (line)
    return Extent{8, Matrices * row_elements};
  else
    return Extent{16, 2 * row_elements};
}

/// Where the row lies whose address lane `lane` < 32 gives, from the top left element of what the instruction covers.
/// Lanes whose address the instruction does not use get a row of the same rectangle.
template <unsigned Matrices, MatrixOrder Order = MatrixOrder::down_then_right>
LANEBANK_HOST_DEVICE constexpr Coordinate matrix_row(std::uint32_t lane, std::uint32_t row_elements) {
  constexpr bool downward = Order == MatrixOrder::down || Order == MatrixOrder::down_then_right;
  if constexpr (Matrices == 1)
    return Coordinate{lane % 8, 0};
  else if constexpr (Matrices == 2 && downward)
    return Coordinate{lane % 16, 0};
  else if constexpr (Matrices == 2)
    return Coordinate{lane % 8, lane / 8 % 2 * row_elements};
  else if constexpr (Order == MatrixOrder::down)
    return Coordinate{lane, 0};
  else if constexpr (Order == MatrixOrder::right)
    return Coordinate{lane % 8, lane / 8 * row_elements};
  else if constexpr (Order == MatrixOrder::down_then_right)
    return Coordinate{lane % 16, lane / 16 * row_elements};
  else
    return Coordinate{lane / 16 * 8 + lane % 8, lane / 8 % 2 * row_elements};
}

/// Where pair `pair` (0 or 1) of lane `lane` of an m16n8 accumulator lies: its first element.
LANEBANK_HOST_DEVICE constexpr Coordinate accumulator_pair(std::uint32_t lane, std::uint32_t pair) {
  return Coordinate{lane / 4 + pair * 8, lane % 4 * 2};
}

}  // namespace lanebank
