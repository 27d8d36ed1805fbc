// What a warp does in the products by mma.sync: fragments from swizzled tiles, products, and the way of its sums to C.
//
// A warp computes R x 16 rows of 64 columns (R = 4 or 6). The steps of 16 of k of a stage, and in them the R row tiles,
// follow one another without a break; while one row tile is multiplied (8 mma), the fragments of later ones are loaded:
//
//   A   16 rows x 16 of k each, a ring of D = 4 (R = 4) or 3 (R = 6) of them: row tile f + D - 1 while f is multiplied
//   B   64 columns x 16 of k, two sets: the next step's while this step's are used
//
// So registers hold 128 or 192 sums and 44 to 48 words of fragments. Near a stage's end the loads are those of the next
// stage; `multiply_stage` asks its caller for it when the last load of the old one has been given out.
//
// All tiles have 16-byte units XORed with the row (mod 8); steps_by_xor is what addresses rely on. Who calls: a whole warp.
// Tiles begin at multiples of 128 bytes. What it does not do: copies into the tiles.
#pragma once

#include <cstdint>

#include "lanebank/kernels/gemm_common.cuh"
#include "lanebank/kernels/gemm_instructions.cuh"
#include "lanebank/layout.hpp"
#include "lanebank/pattern.hpp"
#include "lanebank/proofs.hpp"
#include "lanebank/tile.hpp"

namespace lanebank::kernels {

namespace detail {

/// Rows of 16-bit elements whose 16-byte units are XORed with the row; see the page above.
template <unsigned Rows, unsigned Columns>
using UnitXor = Xor<std::uint16_t, Rows, Columns, 8, 3>;

/// offset(row + 16, column) == offset(row, column) + 16 pitches, and, for columns below 16 of each 64,
/// offset(row, column + 16 i) == (offset(row, column) ^ 32 i): all fragments of a warp from one address.
template <class L>
constexpr bool steps_by_xor() {
  for (std::uint32_t row = 0; row < L::rows; ++row)
    for (std::uint32_t column = 0; column < L::columns; column += 8) {
      const std::uint32_t offset = L::offset(row, column), first = column - column % 64 + column % 16;
      if (row + 16 < L::rows && L::offset(row + 16, column) != offset + 16 * L::pitch_bytes) return false;
      if (offset != (L::offset(row, first) ^ 32 * (column % 64 / 16))) return false;
    }
  return true;
}

}  // namespace detail

/// Where the fragments of a warp begin in a stage: those of its first 16 rows and columns and its first 16 of k.
template <class Shape>
struct FragmentPlace {
  std::uint32_t a, b;

  __device__ __forceinline__ FragmentPlace(std::uint32_t row, std::uint32_t column) {
    const Coordinate in_a = matrix_row<4>(threadIdx.x % 32, 8),
                     in_b = matrix_row<4, Shape::order_b>(threadIdx.x % 32, 8);
    a = Shape::TileA::offset(row + in_a.row, in_a.column);
    b = Shape::TileA::bytes + (Shape::transposed ? Shape::TileB::offset(in_b.row, column + in_b.column)
                                                 : Shape::TileB::offset(column + in_b.row, in_b.column));
  }
};

/// The fragments that a warp holds; the page above. Shape: TileA, TileB, order_b, transposed.
template <class In, class Shape, unsigned RowTiles = Shape::row_tiles>
struct WarpFragments {
  static constexpr unsigned row_tiles = RowTiles, depth = row_tiles == 4 ? 4 : 3;
  static_assert(row_tiles == 4 || row_tiles == 6, "a warp has 64 or 96 rows");
  static_assert(4 * row_tiles % depth == 0, "every stage begins at the same place of the ring");
  using Sums = float[row_tiles][8][4];

  std::uint32_t a[depth][4], b[2][4][4];

  /// Row tile f of the stage at `stage`: rows 16 (f mod R), step f / R.
  __device__ __forceinline__ void load_a(std::uint32_t stage, const FragmentPlace<Shape>& place, unsigned f) {
    const std::uint32_t address = (stage + place.a) ^ (f / row_tiles * 32);
    ldmatrix_x4(a[f % depth], address + f % row_tiles * (16 * Shape::TileA::pitch_bytes));
  }
  /// Columns 16 i of step k.
  __device__ __forceinline__ void load_b(std::uint32_t stage, const FragmentPlace<Shape>& place, unsigned k,
                                         unsigned i) {
    const std::uint32_t address = stage + place.b;
    if constexpr (Shape::transposed)
      ldmatrix_x4<true>(b[k % 2][i], (address ^ i * 32) + k * (16 * Shape::TileB::pitch_bytes));
    else
      ldmatrix_x4(b[k % 2][i], (address ^ k * 32) + i * (16 * Shape::TileB::pitch_bytes));
  }
  /// What must be there before multiply_stage.
  __device__ __forceinline__ void begin(std::uint32_t stage, const FragmentPlace<Shape>& place) {
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) load_b(stage, place, 0, i);
#pragma unroll
    for (unsigned f = 0; f + 1 < depth; ++f) load_a(stage, place, f);
  }
  /// The 8 mma of row tile f.
  __device__ __forceinline__ void multiply(Sums& sums, unsigned f) const {
    const auto& columns = b[f / row_tiles % 2];
#pragma unroll
    for (unsigned j = 0; j < 8; ++j)
      mma_m16n8k16<In>(sums[f % row_tiles][j], a[f % depth], columns[j / 2][j % 2 * 2], columns[j / 2][j % 2 * 2 + 1]);
  }

  /// A stage, whose first fragments are loaded. `at(f)` is called before row tile f is multiplied; `leave()` once, after the last
  /// load from the stage: it returns the address of the next stage, whose data is there, or 0: nothing is loaded ahead.
  template <class At, class Leave>
  __device__ __forceinline__ void multiply_stage(std::uint32_t stage, const FragmentPlace<Shape>& place, Sums& sums,
                                                 At at, Leave leave) {
    constexpr unsigned all = 4 * row_tiles, last_load = all - depth;
    std::uint32_t next = 0;
#pragma unroll
    for (unsigned f = 0; f < all; ++f) {
      const unsigned step = f / row_tiles, ahead = f + depth - 1;
      at(f);
      if (ahead < all) load_a(stage, place, ahead);
      if (f == last_load) next = leave();
      if (ahead >= all && next != 0) load_a(next, place, ahead - all);
#pragma unroll
      for (unsigned i = 0; i < 4; ++i) {
        // One set of four in each step but the last, where those that `leave` holds up share the row tiles that are left.
        const unsigned slot = step < 3 ? i + (row_tiles - 4) / 2 : row_tiles == 4 ? i : 3 + i * 3 / 4;
        if (f % row_tiles != slot) continue;
        if (step < 3) load_b(stage, place, step + 1, i);
        if (step == 3 && next != 0) load_b(next, place, 0, i);
      }
      multiply(sums, f);
    }
  }
};

/// Warp: four 16 x 16 pieces of a fragment's sums, `left` and `right` of 8 columns, into a tile of 16-bit elements.
template <class Out, class Layout>
__device__ __forceinline__ void stage_sums(const float (&left)[4], const float (&right)[4], const Tile<Layout>& tile,
                                           std::uint32_t row, std::uint32_t column) {
  const std::uint32_t lane = threadIdx.x % 32;
  const std::uint32_t words[4] = {pack<Out>(left[0], left[1]), pack<Out>(left[2], left[3]),
                                  pack<Out>(right[0], right[1]), pack<Out>(right[2], right[3])};
#if __CUDA_ARCH__ >= 900
  stmatrix_x4(tile.template matrix_address<4>(row, column, lane), words[0], words[1], words[2], words[3]);
#else
#pragma unroll
  for (unsigned w = 0; w < 4; ++w) {
    const Coordinate place = accumulator_pair(lane, w % 2);
    tile.template vector<std::uint32_t>(row + place.row, column + w / 2 * 8 + place.column) = words[w];
  }
#endif
}

/// Warp: rows of a tile of 64 columns of 16-bit elements to (row, column) of C, as far as it reaches.
template <class Out, class Layout>
__device__ __forceinline__ void store_staged(const Tile<Layout>& tile, std::uint32_t rows, Out* c, std::uint64_t pitch,
                                             std::uint32_t row, std::uint32_t column, std::uint32_t m,
                                             std::uint32_t n) {
  if (!eights_aligned(c, pitch)) {  // a row after the other, lanes side by side
    const std::uint32_t lane = threadIdx.x % 32;
#pragma unroll 4
    for (std::uint32_t r = 0; r < rows; ++r)
#pragma unroll
      for (std::uint32_t half = 0; half < 64; half += 32)
        if (row + r < m && column + half + lane < n)
          reinterpret_cast<unsigned short*>(c)[(row + r) * pitch + column + half + lane] =
              tile.template vector<unsigned short>(r, half + lane);
    return;
  }
  const std::uint32_t first = threadIdx.x % 8 * 8;
  const bool whole = column + first + 8 <= n;
#pragma unroll 4
  for (std::uint32_t r = threadIdx.x % 32 / 8; r < rows; r += 4) {
    const uint4 eight = tile.template vector<uint4>(r, first);
    if (row + r >= m) continue;
    Out* target = c + (row + r) * pitch + column + first;
    if (whole) {
      *reinterpret_cast<uint4*>(target) = eight;
    } else {
      const std::uint32_t words[4] = {eight.x, eight.y, eight.z, eight.w};
#pragma unroll
      for (unsigned e = 0; e < 8; ++e)
        if (column + first + e < n)
          reinterpret_cast<unsigned short*>(target)[e] = static_cast<unsigned short>(words[e / 2] >> 16 * (e % 2));
    }
  }
}

/// Warp: stores its sums, 16 x RowTiles rows of 64, at (row, column) of C; 16-bit results by way of `tile`, its own part of shared memory, of
/// 32 or 64 rows.
template <class Out, class Layout, unsigned RowTiles>
__device__ __forceinline__ void store_sums(const float (&sums)[RowTiles][8][4], const Tile<Layout>& tile, Out* c,
                                           std::uint64_t pitch, std::uint32_t row, std::uint32_t column,
                                           std::uint32_t m, std::uint32_t n) {
  if constexpr (sizeof(Out) == 2) {
#pragma unroll
    for (unsigned top = 0; top < RowTiles * 16; top += Layout::rows) {
      if (top > 0) __syncwarp();
#pragma unroll
      for (unsigned i = 0; i < Layout::rows / 16; ++i)
#pragma unroll
        for (unsigned j = 0; j < 8; j += 2)
          stage_sums<Out>(sums[top / 16 + i][j], sums[top / 16 + i][j + 1], tile, i * 16, j * 8);
      __syncwarp();
      store_staged(tile, Layout::rows, c, pitch, row + top, column, m, n);
    }
  } else {
    const std::uint32_t lane = threadIdx.x % 32;
    const bool pairs = pairs_aligned(c, pitch);
#pragma unroll
    for (unsigned i = 0; i < RowTiles; ++i)
#pragma unroll
      for (unsigned half = 0; half < 2; ++half) {
        const std::uint32_t r = row + i * 16 + half * 8 + lane / 4;
        if (r < m)
#pragma unroll
          for (unsigned j = 0; j < 8; ++j)
            store_pair(c + r * pitch, column + j * 8 + lane % 4 * 2, n, pairs, sums[i][j][half * 2],
                       sums[i][j][half * 2 + 1]);
      }
  }
}

}  // namespace lanebank::kernels
