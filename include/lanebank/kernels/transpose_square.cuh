// Square matrices transposed in place: a block exchanges the tiles (i, j) and (j, i), and each is transposed on its way.
//
//        0   1   2   3                       r\c  0   1       blocks are counted in a rectangle of (n + 1) x n / 2:
//     0  A                                   0   3,3 3,2      c < r:   tiles (r - 1, c)
//     1  B   C          i >= j   <->         1   0,0 2,2      else:    tiles (n - 1 - r, n - 1 - c)
//     2  D   E   F                           2   1,0 1,1
//     3  G   H   I   J                       3   2,0 2,1      an odd n is rounded up; what is outside does nothing
//                                            4   3,0 3,1
//
// transpose_square: the tiles of transpose_tiles.cuh, 16 bytes on every side, two in shared memory; pointers and pitches are
// multiples of 16, rows multiples of 16 / bytes. transpose_square_any: those of transpose_any.cuh, at any alignment.
//
// TransposeSpan: source == target, rows == columns, one pitch; tiles_down: n rounded up to even, halved; strips: the same n + 1;
// strip: 1. Squares of Group x Group tiles may be counted in place of tiles: n is then their number, strip Group * Group, and
// blocks above the diagonal do nothing. Device code, whole blocks.
#pragma once

#include <cstdint>

#include "lanebank/kernels/transpose_any.cuh"
#include "lanebank/kernels/transpose_tiles.cuh"

namespace lanebank::kernels {

/// Sizes of tiles that are as many rows as columns.
template <unsigned Bytes>
using SquareTileSize = TileSize<(Bytes <= 4 ? 64 : 32),
                                (Bytes == 1   ? 256
                                 : Bytes == 2 ? 128
                                 : Bytes == 4 ? 64
                                              : 32),
                                (Bytes == 1 ? 1024 : 512),
                                (Bytes == 1   ? 1
                                 : Bytes == 2 ? 2
                                 : Bytes == 8 ? 4
                                              : 3)>;

namespace detail {

/// The two tiles of a block: i >= j, and the matrix they belong to.
struct TilePair {
  std::uint32_t i = 0, j = 0;
  unsigned char* matrix = nullptr;
};

/// Group: edge of the squares of tiles that are counted as one of the rectangle's places.
template <unsigned Group>
__device__ __forceinline__ TilePair pair_of_block(const TransposeSpan& span) {
  TilePair pair{0, 0, span.target};
  const std::uint32_t inside = blockIdx.x % (Group * Group);
  std::uint32_t c = blockIdx.x / (Group * Group);
  std::uint32_t r = span.tiles_down.split(c);
  std::uint32_t rest = span.strips.split(r);
  for (unsigned axis = 0; axis < span.batch_axes; ++axis) {
    std::uint32_t index = rest;
    rest = span.batch[axis].extent.split(index);
    pair.matrix += index * span.batch[axis].target_stride;
  }
  const std::uint32_t last = span.strips.divisor - 2;
  pair.i = (c < r ? r - 1 : last - r) * Group + inside / Group;
  pair.j = (c < r ? c : last - c) * Group + inside % Group;
  return pair;
}

}  // namespace detail

/// T::threads threads; dynamic shared memory: twice T::Layout::bytes.
template <class T, unsigned Group = 1>
__global__ void __launch_bounds__(T::threads, T::blocks) transpose_square(const TransposeSpan span) {
  static_assert(T::rows == T::columns, "tiles that are exchanged are square");
  extern __shared__ __align__(16) unsigned char memory[];
  const auto* tiles = reinterpret_cast<SharedTile<typename T::Layout>*>(memory);
  const detail::TilePair pair = detail::pair_of_block<Group>(span);
  if (pair.i * T::rows >= span.rows || pair.j > pair.i) return;
  const TilePlace lower{pair.i * T::rows, pair.j * T::rows, pair.matrix, pair.matrix};
  const TilePlace upper{pair.j * T::rows, pair.i * T::rows, pair.matrix, pair.matrix};
  const bool both = pair.i != pair.j;
  detail::TileVectors<T> first, second;
  first.load(span, lower);
  if (both) second.load(span, upper);
  first.store(tiles[0]);
  if (both) second.store(tiles[1]);
  __syncthreads();
  detail::write_tile<T>(tiles[0], span, lower);
  if (both) detail::write_tile<T>(tiles[1], span, upper);
}

/// Tiles of transpose_any that are as many rows as columns.
template <unsigned Bytes>
struct SquareAnySize;
template <>
struct SquareAnySize<1> : AnySize<128, 128, 256, 4, 2> {};
template <>
struct SquareAnySize<2> : AnySize<128, 128, 256, 3, 4> {};
template <>
struct SquareAnySize<3> : AnySize<64, 64, 256, 4, 1> {};
template <>
struct SquareAnySize<4> : AnySize<64, 64, 256, 4, 8> {};
template <>
struct SquareAnySize<6> : AnySize<64, 64, 256, 3, 2> {};
template <>
struct SquareAnySize<8> : AnySize<64, 64, 256, 3, 8> {};
template <>
struct SquareAnySize<12> : AnySize<32, 32, 256, 4, 4> {};

template <unsigned Bytes>
using SquareAnyTile = AnyTile<Bytes, false, SquareAnySize<Bytes>>;

/// A tile's rows are one vector more, where they begin between two multiples of 16.
template <class T>
AnyCut square_cut() {
  return {Divisor(T::columns / T::item_columns), Divisor((T::rows * T::bytes / 16 + 1 + 7) / 8), 0};
}

/// T::threads threads; dynamic shared memory: twice T::Layout::bytes. span.tile_rows and tile_columns are T::rows. Vectors at
/// the ends of a tile's rows are written in parts, since the bytes next to them are another block's.
template <class T>
__global__ void __launch_bounds__(T::threads, T::blocks)
    transpose_square_any(const TransposeSpan span, const AnyCut cut) {
  static_assert(T::rows == T::columns, "tiles that are exchanged are square");
  // Room before the first row, so that a vector which begins up to 15 bytes before it is inside the tile.
  constexpr unsigned first_word = 4;
  static_assert(T::lead_rows * T::bytes >= 2 * first_word * 4, "room before the first row and behind the last one");
  extern __shared__ __align__(16) unsigned char memory[];
  const auto* tiles = reinterpret_cast<SharedTile<typename T::Layout>*>(memory);
  const detail::TilePair pair = detail::pair_of_block<1>(span);
  const std::uint32_t low = pair.i * T::rows, high = pair.j * T::rows;
  if (low >= span.rows) return;
  const unsigned tiles_used = pair.i == pair.j ? 1 : 2;
#pragma unroll 1
  for (unsigned t = 0; t < tiles_used; ++t) {
    const TilePlace place{t == 0 ? low : high, t == 0 ? high : low, pair.matrix, pair.matrix};
    detail::read_any<T, first_word>(tiles[t], span, place, cut.items_across, 0);
  }
  __syncthreads();
#pragma unroll 1
  for (unsigned t = 0; t < tiles_used; ++t) {
    const std::uint32_t row = t == 0 ? low : high, column = t == 0 ? high : low;
    detail::AnyTarget target;
    target.first = pair.matrix + column * span.target_pitch + std::uint64_t{row} * T::bytes;
    target.pitch = span.target_pitch;
    target.columns = min(span.rows - column, T::columns);
    target.vectors = T::rows * T::bytes / 16 + 1;
    target.lead_bytes = first_word * 4;
    target.begin = 0;
    target.end = static_cast<int>(min(span.rows - row, T::rows) * T::bytes);
    detail::write_any<T, 16>(tiles[t], target, cut.vector_groups);
  }
}

static_assert(SquareAnyTile<1>::is_clean && SquareAnyTile<2>::is_clean && SquareAnyTile<3>::is_clean &&
              SquareAnyTile<4>::is_clean && SquareAnyTile<6>::is_clean && SquareAnyTile<8>::is_clean &&
              SquareAnyTile<12>::is_clean);
static_assert(TransposeTile<1, SquareTileSize<1>>::is_clean && TransposeTile<2, SquareTileSize<2>>::is_clean &&
              TransposeTile<4, SquareTileSize<4>>::is_clean && TransposeTile<8, SquareTileSize<8>>::is_clean &&
              TransposeTile<16, SquareTileSize<16>>::is_clean);

}  // namespace lanebank::kernels
