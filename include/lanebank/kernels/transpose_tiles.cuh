// The tile at the heart of lanebank::transpose: 16 bytes per lane on every side, no bank conflicts.
//
//   global rows --16-byte loads--> registers --16-byte stores--> tile --word loads--> registers --16-byte stores--> global
//
// The tile holds words. For elements of 4, 8 and 16 bytes a word is an element; for 1 and 2 bytes a word holds the
// elements of 4 or 2 neighbouring rows in one column, put together by byte permutes. So a column of words read from the tile
// is 16 bytes of a row of the result.
//
// Layout: rows of R x C words; the 16-byte unit of a row is XORed with (word row / words per 16 bytes) mod 8, so that the eight
// lanes that read down a column meet eight different units, and, for packed elements, with the unit's own upper
// bits, so that the lanes that store every second or fourth unit do. The static_asserts below are the proof.
#pragma once

#include <cstdint>

#include "lanebank/kernels/transpose_pack.cuh"
#include "lanebank/kernels/transpose_span.cuh"
#include "lanebank/kernels/word_of.cuh"
#include "lanebank/layout.hpp"
#include "lanebank/pattern.hpp"
#include "lanebank/proofs.hpp"
#include "lanebank/tile.hpp"

namespace lanebank::kernels {

namespace detail {

constexpr unsigned log2_of(unsigned x) { return x <= 1 ? 0 : 1 + log2_of(x / 2); }

}  // namespace detail

/// Word rows and columns of a tile, threads of a block, blocks that share a multiprocessor.
template <unsigned WordRows, unsigned Columns, unsigned Threads, unsigned Blocks>
struct TileSize {
  static constexpr unsigned word_rows = WordRows, columns = Columns, threads = Threads, blocks = Blocks;
};

/// The sizes that are used unless others are asked for; the fastest of a sweep on an H200.
template <unsigned Bytes>
struct DefaultTileSize;
template <>
struct DefaultTileSize<1> : TileSize<64, 256, 1024, 2> {};
template <>
struct DefaultTileSize<2> : TileSize<64, 128, 512, 3> {};
template <>
struct DefaultTileSize<4> : TileSize<64, 64, 512, 4> {};
template <>
struct DefaultTileSize<8> : TileSize<64, 32, 512, 4> {};
template <>
struct DefaultTileSize<16> : TileSize<32, 16, 256, 8> {};

/// How a block of `threads` threads transposes one tile of elements of `Bytes` bytes.
template <unsigned Bytes, class Size = DefaultTileSize<Bytes>>
struct TransposeTile : Size {
  static_assert(Bytes == 1 || Bytes == 2 || Bytes == 4 || Bytes == 8 || Bytes == 16,
                "elements of 1, 2, 4, 8 or 16 bytes");
  using Size::columns, Size::threads, Size::word_rows;
  static constexpr unsigned bytes = Bytes;
  static constexpr unsigned word_bytes = Bytes < 4 ? 4 : Bytes;
  static constexpr unsigned packed = word_bytes / Bytes;     ///< rows in a word
  static constexpr unsigned vector_elements = 16 / Bytes;    ///< of a 16-byte access to global memory
  static constexpr unsigned vector_words = 16 / word_bytes;  ///< of a 16-byte store to the tile
  static constexpr unsigned rows = word_rows * packed;       ///< of elements

  using Word = typename detail::WordOf<word_bytes>::Type;
  static constexpr unsigned pitch_log2 = detail::log2_of(columns * word_bytes);
  static constexpr unsigned row_shift = pitch_log2 + detail::log2_of(vector_words) - 4;
  static constexpr unsigned unit_bits = packed > 1 ? pitch_log2 - 7 : 0;
  using Layout =
      Swizzled<RowMajor<Word, word_rows, columns>, SwizzleXor<Swizzle<3, 4, row_shift>, Swizzle<unit_bits, 4, 3>>>;

  // Loading: unit n of the tile is one vector of columns, `packed` rows of it.
  static constexpr unsigned row_vectors = columns / vector_elements;
  static constexpr unsigned loads = word_rows * row_vectors / threads;  ///< units of a thread
  /// The 16-byte store `part` of unit n.
  LANEBANK_HOST_DEVICE static constexpr Coordinate store_place(unsigned n, unsigned part) {
    return {n / row_vectors, n % row_vectors * vector_elements + part * vector_words};
  }

  // Storing: vector n of the result is `vector_words` words of a column. Eight lanes go down, four across.
  static constexpr unsigned column_vectors = word_rows / vector_words;
  static constexpr unsigned stores = column_vectors * columns / threads;
  static_assert(word_rows * row_vectors % threads == 0 && column_vectors * columns % threads == 0 &&
                    column_vectors % 8 == 0,
                "every thread has the same number of vectors to load and to store");
  LANEBANK_HOST_DEVICE static constexpr Coordinate load_place(unsigned n, unsigned word) {
    constexpr unsigned down = column_vectors / 8;
    const unsigned vector = n % 8 + n / 32 % down * 8;
    return {vector * vector_words + word, n / 8 % 4 + n / 32 / down * 4};
  }

  // What the warps of the block do, for the proof.
  static constexpr Coordinate stored(unsigned access, unsigned lane) {
    return store_place(access / packed * 32 + lane, access % packed);
  }
  static constexpr Coordinate loaded(unsigned access, unsigned lane) {
    return load_place(access / vector_words * 32 + lane, access % vector_words);
  }
  using Stores = patterns::custom<&stored, word_rows * row_vectors / 32 * packed, patterns::store, 16>;
  using Loads = patterns::custom<&loaded, column_vectors * columns / 32 * vector_words, patterns::load, word_bytes>;
  static constexpr bool is_clean =
      is_bijective<Layout> && aligned_for<Layout, 16> && conflict_free<Layout, Stores, Loads>;
};

static_assert(TransposeTile<1>::is_clean && TransposeTile<2>::is_clean && TransposeTile<4>::is_clean &&
              TransposeTile<8>::is_clean && TransposeTile<16>::is_clean);

namespace detail {

/// The 16-byte stores of a unit: `rows` are its vectors, row by row.
template <unsigned Bytes>
__device__ __forceinline__ void pack(const uint4 (&rows)[Packing<Bytes>::group_rows],
                                     uint4 (&parts)[Packing<Bytes>::group_rows]) {
  constexpr unsigned count = Packing<Bytes>::group_rows;
  if constexpr (count == 1) {
    parts[0] = rows[0];
  } else {
    std::uint32_t words[count][4], columns[1][16 / Bytes];
#pragma unroll
    for (unsigned r = 0; r < count; ++r)
      words[r][0] = rows[r].x, words[r][1] = rows[r].y, words[r][2] = rows[r].z, words[r][3] = rows[r].w;
    pack_group<Bytes, 4>(words, columns);
#pragma unroll
    for (unsigned r = 0; r < count; ++r)
      parts[r] = {columns[0][4 * r], columns[0][4 * r + 1], columns[0][4 * r + 2], columns[0][4 * r + 3]};
  }
}

__device__ __forceinline__ uint4 join(const std::uint32_t (&words)[4]) {
  return {words[0], words[1], words[2], words[3]};
}
__device__ __forceinline__ uint4 join(const uint2 (&words)[2]) {
  return {words[0].x, words[0].y, words[1].x, words[1].y};
}
__device__ __forceinline__ uint4 join(const uint4 (&words)[1]) { return words[0]; }

/// The vectors of a thread, on their way from the source to the tile.
template <class T>
struct TileVectors {
  uint4 rows[T::loads][T::packed];

  __device__ __forceinline__ void load(const TransposeSpan& span, const TilePlace& place) {
    const unsigned char* source = place.source + place.row * span.source_pitch + std::uint64_t{place.column} * T::bytes;
    const unsigned rows_left = span.rows - place.row, columns_left = span.columns - place.column;
#pragma unroll
    for (unsigned i = 0; i < T::loads; ++i) {
      const unsigned n = threadIdx.x + i * T::threads;
      const unsigned row = n / T::row_vectors * T::packed, first = n % T::row_vectors * T::vector_elements;
      if (row < rows_left && first < columns_left)
#pragma unroll
        for (unsigned r = 0; r < T::packed; ++r)
          rows[i][r] = *reinterpret_cast<const uint4*>(source + (row + r) * span.source_pitch + first * T::bytes);
    }
  }
  __device__ __forceinline__ void store(const SharedTile<typename T::Layout>& tile) const {
#pragma unroll
    for (unsigned i = 0; i < T::loads; ++i) {
      uint4 parts[T::packed];
      pack<T::bytes>(rows[i], parts);
#pragma unroll
      for (unsigned part = 0; part < T::packed; ++part) {
        const Coordinate at = T::store_place(threadIdx.x + i * T::threads, part);
        tile.template vector<uint4>(at.row, at.column) = parts[part];
      }
    }
  }
};

/// From the tile to the rows of the target.
template <class T>
__device__ __forceinline__ void write_tile(const SharedTile<typename T::Layout>& tile, const TransposeSpan& span,
                                           const TilePlace& place) {
  unsigned char* target = place.target + place.column * span.target_pitch + std::uint64_t{place.row} * T::bytes;
  const unsigned rows_left = span.rows - place.row, columns_left = span.columns - place.column;
#pragma unroll
  for (unsigned i = 0; i < T::stores; ++i) {
    const unsigned n = threadIdx.x + i * T::threads;
    typename T::Word words[T::vector_words];
#pragma unroll
    for (unsigned w = 0; w < T::vector_words; ++w) {
      const Coordinate at = T::load_place(n, w);
      words[w] = tile(at.row, at.column);
    }
    const Coordinate at = T::load_place(n, 0);
    if (at.column < columns_left && at.row * T::packed < rows_left)
      *reinterpret_cast<uint4*>(target + at.column * span.target_pitch + at.row * T::packed * T::bytes) = join(words);
  }
}

}  // namespace detail

/// One tile per block of T::threads threads; span.blocks() blocks; dynamic shared memory: T::Layout::bytes. Every pointer,
/// pitch and batch stride is a multiple of 16, rows and columns are multiples of T::vector_elements; span.tile_rows is
/// T::rows and span.tile_columns T::columns.
template <class T>
__global__ void __launch_bounds__(T::threads, T::blocks) transpose_tiles(const TransposeSpan span) {
  extern __shared__ __align__(16) unsigned char memory[];
  const auto& tile = *reinterpret_cast<SharedTile<typename T::Layout>*>(memory);
  const TilePlace place = place_of_block(span, blockIdx.x);
  if (place.column >= span.columns) return;
  detail::TileVectors<T> vectors;
  vectors.load(span, place);
  vectors.store(tile);
  __syncthreads();
  detail::write_tile<T>(tile, span, place);
}

/// The same with any number of blocks, each of which loads its next tile while it writes the last. Strips are 1 tile wide.
template <class T>
__global__ void __launch_bounds__(T::threads, T::blocks)
    transpose_tiles_persistent(const TransposeSpan span, std::uint32_t tiles) {
  extern __shared__ __align__(16) unsigned char memory[];
  const auto& tile = *reinterpret_cast<SharedTile<typename T::Layout>*>(memory);
  TilePlace place = place_of_block(span, blockIdx.x);
  detail::TileVectors<T> vectors;
  vectors.load(span, place);
  for (std::uint32_t n = blockIdx.x; n < tiles; n += gridDim.x) {
    vectors.store(tile);
    __syncthreads();
    const TilePlace written = place;
    if (n + gridDim.x < tiles) {
      place = place_of_block(span, n + gridDim.x);
      vectors.load(span, place);
    }
    detail::write_tile<T>(tile, span, written);
    __syncthreads();
  }
}

}  // namespace lanebank::kernels
