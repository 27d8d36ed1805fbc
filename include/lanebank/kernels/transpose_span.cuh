// What a launch of a transpose kernel moves: batches of matrices, and the cut of each into tiles.
//
//   source, rows x columns, source_pitch bytes from row to row        target, columns x rows, target_pitch
//   +-------------+                                                   +---------+
//   | 0   3   6   |   a number: the block of that tile, strip 1       | 0  1  2 |
//   | 1   4   7   |   blocks count down the columns first, so         | 3  4  5 |
//   | 2   5   8   |   neighbours write neighbouring bytes             | 6  7  8 |
//   +-------------+   (H200, 512 MB of floats: 4,030 GB/s;            +---------+
//                     along the rows first 3,868)
//
// With a strip of w tiles blocks count w tiles along a row, then the next row of tiles below, so that those that run together
// also read longer pieces of rows. Blocks whose tile would lie right of the matrix have nothing to do.
//
// Batches have up to four axes, each with a stride in the source and one in the target. One launch counts blocks() in
// blockIdx.x, fewer than 2^31.
//
// Units: strides and pitches in bytes; rows, columns and tiles in elements.
#pragma once

#include <cstdint>

#include "lanebank/kernels/divisor.hpp"

namespace lanebank::kernels {

inline constexpr unsigned batch_axes_max = 4;

struct BatchAxis {
  Divisor extent;
  std::uint64_t source_stride = 0, target_stride = 0;
};

struct TransposeSpan {
  const unsigned char* source = nullptr;
  unsigned char* target = nullptr;
  const unsigned char* source_end =
      nullptr;                          ///< of all that may be read from any matrix on; null: each matrix's own end
  std::uint32_t rows = 0, columns = 0;  ///< of the source; less than 2^31
  std::uint64_t source_pitch = 0, target_pitch = 0;
  std::uint32_t tile_rows = 0, tile_columns = 0;
  Divisor tiles_down, strip, strips;  ///< tiles of a column of tiles; tiles across a strip; strips
  std::uint32_t batch_axes = 0;       ///< used of those below; the first one runs fastest
  BatchAxis batch[batch_axes_max];

  std::uint64_t blocks() const {
    std::uint64_t count = std::uint64_t{tiles_down.divisor} * strip.divisor * strips.divisor;
    for (unsigned i = 0; i < batch_axes; ++i) count *= batch[i].extent.divisor;
    return count;
  }
};

/// The tile of a block: its first row and column, and the matrices it belongs to.
struct TilePlace {
  std::uint32_t row = 0, column = 0;
  const unsigned char* source = nullptr;
  unsigned char* target = nullptr;
};

#ifdef __CUDACC__
/// The place of block `block`; its column may lie right of the matrix. Any thread; no synchronisation.
__device__ __forceinline__ TilePlace place_of_block(const TransposeSpan& span, std::uint32_t block) {
  TilePlace place{0, 0, span.source, span.target};
  std::uint32_t in_strip = block;
  std::uint32_t down = span.strip.split(in_strip);
  std::uint32_t strip = span.tiles_down.split(down);
  if (span.batch_axes > 0) {
    std::uint32_t rest = span.strips.split(strip);
#pragma unroll
    for (unsigned i = 0; i < batch_axes_max; ++i) {
      if (i >= span.batch_axes) break;
      std::uint32_t index = rest;
      rest = span.batch[i].extent.split(index);
      place.source += index * span.batch[i].source_stride;
      place.target += index * span.batch[i].target_stride;
    }
  }
  place.row = down * span.tile_rows;
  place.column = (strip * span.strip.divisor + in_strip) * span.tile_columns;
  return place;
}
#endif

}  // namespace lanebank::kernels
