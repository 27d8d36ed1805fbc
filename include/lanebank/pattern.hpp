// Patterns: which elements of a tile the lanes of a warp access, instruction after instruction.
//
// A pattern covers a whole tile: it is a list of accesses (one warp instruction each), and says for every access and
// lane the element where that lane's bytes begin. A proof enumerates them all: all accesses, so all positions in the tile,
// and all phases of each. Nothing is sampled.
//
//   pattern                                  what lane l of access k does
//   row<Kind>                                32 neighbours along the rows, one element a lane; rows follow one another
//   vector_row<N, Kind>                      the same with vectors of N elements: vector (32 k + l) of the tile
//   column<Kind>                             32 neighbours down the columns: element (32 k + l) in column order
//   vector_column<N, Kind>                   the same with vectors of N elements of a row: a row per lane
//   window<R, C, Kind, RowStep, ColumnStep>  32 lanes as R x C block, one element each, at every position (steps 1 by default)
//   ldmatrix<1|2|4, MatrixOrder>             8 rows of 16 bytes per matrix; .trans addresses the same
//   stmatrix<1|2|4, MatrixOrder>
//   accumulator_m16n8<Kind>                  pairs of elements of a C fragment: lane l at row l / 4, column 2 (l mod 4)
//   cp_async_cg<GlobalPitchBytes>            fills the tile by 16-byte chunks, in row order
//   cp_async_ca<Bytes, GlobalPitchBytes>     the same with 4, 8 or 16 bytes a lane
//   custom<function, Accesses, Kind, LaneBytes>  any function (access, lane) -> Coordinate
//
// Kind is load (the default), store, atomic or atomic_cas of namespace patterns; the width follows from the element.
// Where fewer than 32 lanes are left for the last access, the others are inactive.
//
// Smallest example:
//
//   constexpr lanebank::Coordinate diagonal(unsigned access, unsigned lane) { return {lane, (lane + access) % 32}; }
//   using Pattern = lanebank::patterns::custom<diagonal, 32>;
//
// A pattern of your own is any type with, for a layout L (the functions are templates on it):
//   shape<L>()            PatternShape: kind, bytes per lane, matrices, number of accesses
//   at<L>(access, lane)   Coordinate
//   source<L>(access, lane)   asynchronous copies only: byte of global memory that the lane reads
//
// What it does not do: patterns whose lanes depend on data. C++17, constexpr, no dependencies; evaluated by the compiler.
#pragma once

#include <cstdint>

#include "lanebank/bank_model.hpp"
#include "lanebank/fragment.hpp"

namespace lanebank {

/// What all accesses of a pattern have in common, and how many there are.
struct PatternShape {
  AccessKind kind = AccessKind::load;
  unsigned lane_bytes = 4;
  unsigned accesses = 1;
  unsigned matrices = 4;  ///< ldmatrix, stmatrix
};

namespace patterns {

inline constexpr AccessKind load = AccessKind::load;
inline constexpr AccessKind store = AccessKind::store;
inline constexpr AccessKind atomic = AccessKind::atomic;
inline constexpr AccessKind atomic_cas = AccessKind::atomic_cas;

namespace detail {

constexpr unsigned warps_for(std::uint32_t lanes) { return (lanes + 31) / 32; }

/// Vector `unit` of a tile in row order.
template <class L, unsigned Elements>
constexpr Coordinate in_row_order(std::uint32_t unit) {
  static_assert(L::columns % Elements == 0, "a row must be a whole number of the pattern's vectors");
  constexpr std::uint32_t units = L::columns / Elements;
  return Coordinate{unit / units, unit % units * Elements, unit < units * L::rows};
}

template <AccessKind Kind, unsigned Matrices, MatrixOrder Order>
struct Matrix {
  template <class L>
  static constexpr Extent extent() {
    static_assert(16 % L::element_bytes == 0,
                  "the rows of ldmatrix and stmatrix are 16 bytes: a whole number of elements");
    constexpr Extent result = matrix_extent<Matrices, Order>(16 / L::element_bytes);
    static_assert(L::rows % result.rows == 0 && L::columns % result.columns == 0,
                  "the tile must be a whole number of the matrices that one ldmatrix or stmatrix moves");
    return result;
  }
  template <class L>
  static constexpr PatternShape shape() {
    return PatternShape{Kind, 16, L::rows / extent<L>().rows * (L::columns / extent<L>().columns), Matrices};
  }
  template <class L>
  static constexpr Coordinate at(unsigned access, unsigned lane) {
    constexpr Extent size = extent<L>();
    constexpr std::uint32_t across = L::columns / size.columns;
    const Coordinate row = matrix_row<Matrices, Order>(lane, 16 / L::element_bytes);
    return Coordinate{access / across * size.rows + row.row, access % across * size.columns + row.column};
  }
};

template <AccessKind Kind, unsigned Bytes, std::uint32_t GlobalPitchBytes>
struct AsyncCopy {
  template <class L>
  static constexpr PatternShape shape() {
    static_assert(Bytes % L::element_bytes == 0, "an asynchronous copy moves whole elements");
    static_assert(GlobalPitchBytes % Bytes == 0, "rows of global memory must begin at a multiple of the copied bytes");
    return PatternShape{Kind, Bytes, warps_for(L::rows * L::columns * L::element_bytes / Bytes)};
  }
  template <class L>
  static constexpr Coordinate at(unsigned access, unsigned lane) {
    return in_row_order<L, Bytes / L::element_bytes>(access * 32 + lane);
  }
  template <class L>
  static constexpr std::uint32_t source(unsigned access, unsigned lane) {
    constexpr std::uint32_t pitch = GlobalPitchBytes == 0 ? L::columns * L::element_bytes : GlobalPitchBytes;
    const Coordinate place = at<L>(access, lane);
    return place.row * pitch + place.column * L::element_bytes;
  }
};

}  // namespace detail

template <unsigned Elements, AccessKind Kind = load>
struct vector_row {
  template <class L>
  static constexpr PatternShape shape() {
    return PatternShape{Kind, Elements * L::element_bytes, detail::warps_for(L::rows * L::columns / Elements)};
  }
  template <class L>
  static constexpr Coordinate at(unsigned access, unsigned lane) {
    return detail::in_row_order<L, Elements>(access * 32 + lane);
  }
};

template <AccessKind Kind = load>
using row = vector_row<1, Kind>;

template <unsigned Elements, AccessKind Kind = load>
struct vector_column {
  template <class L>
  static constexpr PatternShape shape() {
    static_assert(L::columns % Elements == 0, "a row must be a whole number of the pattern's vectors");
    return PatternShape{Kind, Elements * L::element_bytes, detail::warps_for(L::rows * L::columns / Elements)};
  }
  template <class L>
  static constexpr Coordinate at(unsigned access, unsigned lane) {
    const std::uint32_t unit = access * 32 + lane;
    return Coordinate{unit % L::rows, unit / L::rows * Elements, unit < L::rows * (L::columns / Elements)};
  }
};

template <AccessKind Kind = load>
using column = vector_column<1, Kind>;

template <unsigned Rows, unsigned Columns, AccessKind Kind = load, unsigned RowStep = 1, unsigned ColumnStep = 1>
struct window {
  static_assert(Rows * Columns > 0 && Rows * Columns <= 32, "a window has at most the 32 lanes of a warp");
  static_assert(RowStep > 0 && ColumnStep > 0, "a window moves by at least one row and column");
  template <class L>
  static constexpr PatternShape shape() {
    static_assert(Rows <= L::rows && Columns <= L::columns, "the window must fit into the tile");
    return PatternShape{Kind, L::element_bytes, ((L::rows - Rows) / RowStep + 1) * across<L>()};
  }
  template <class L>
  static constexpr Coordinate at(unsigned access, unsigned lane) {
    return Coordinate{access / across<L>() * RowStep + lane / Columns,
                      access % across<L>() * ColumnStep + lane % Columns, lane < Rows * Columns};
  }

 private:
  template <class L>
  static constexpr std::uint32_t across() {
    return (L::columns - Columns) / ColumnStep + 1;
  }
};

template <unsigned Matrices = 4, MatrixOrder Order = MatrixOrder::down_then_right>
struct ldmatrix : detail::Matrix<AccessKind::matrix_load, Matrices, Order> {};

template <unsigned Matrices = 4, MatrixOrder Order = MatrixOrder::down_then_right>
struct stmatrix : detail::Matrix<AccessKind::matrix_store, Matrices, Order> {};

template <AccessKind Kind = store>
struct accumulator_m16n8 {
  template <class L>
  static constexpr PatternShape shape() {
    static_assert(L::rows % 16 == 0 && L::columns % 8 == 0, "the tile must be a whole number of m16n8 accumulators");
    return PatternShape{Kind, 2 * L::element_bytes, L::rows / 16 * (L::columns / 8) * 2};
  }
  template <class L>
  static constexpr Coordinate at(unsigned access, unsigned lane) {
    constexpr std::uint32_t across = L::columns / 8;
    const Coordinate place = accumulator_pair(lane, access % 2);
    return Coordinate{access / 2 / across * 16 + place.row, access / 2 % across * 8 + place.column};
  }
};

/// GlobalPitchBytes: distance of the tile's rows in global memory; 0: they follow one another.
template <std::uint32_t GlobalPitchBytes = 0>
struct cp_async_cg : detail::AsyncCopy<AccessKind::async_copy_cg, 16, GlobalPitchBytes> {};

template <unsigned Bytes = 16, std::uint32_t GlobalPitchBytes = 0>
struct cp_async_ca : detail::AsyncCopy<AccessKind::async_copy_ca, Bytes, GlobalPitchBytes> {
  static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16, "cp.async.ca copies 4, 8 or 16 bytes a lane");
};

/// Function: constexpr Coordinate (unsigned access, unsigned lane). LaneBytes 0: one element.
template <auto Function, unsigned Accesses = 1, AccessKind Kind = load, unsigned LaneBytes = 0, unsigned Matrices = 4>
struct custom {
  template <class L>
  static constexpr PatternShape shape() {
    return PatternShape{Kind, LaneBytes == 0 ? L::element_bytes : LaneBytes, Accesses, Matrices};
  }
  template <class L>
  static constexpr Coordinate at(unsigned access, unsigned lane) {
    return Function(access, lane);
  }
};

}  // namespace patterns
}  // namespace lanebank
