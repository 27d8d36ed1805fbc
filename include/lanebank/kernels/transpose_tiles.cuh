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

#include "lanebank/layout.hpp"
#include "lanebank/pattern.hpp"
#include "lanebank/proofs.hpp"
#include "lanebank/tile.hpp"

namespace lanebank::kernels {

namespace detail {

template <unsigned Bytes>
struct WordOf;
template <>
struct WordOf<4> {
  using Type = std::uint32_t;
};
template <>
struct WordOf<8> {
  using Type = uint2;
};
template <>
struct WordOf<16> {
  using Type = uint4;
};

constexpr unsigned log2_of(unsigned x) { return x <= 1 ? 0 : 1 + log2_of(x / 2); }

}  // namespace detail

/// How a block of `threads` threads transposes one tile of elements of `Bytes` bytes.
template <unsigned Bytes>
struct TransposeTile {
  static_assert(Bytes == 1 || Bytes == 2 || Bytes == 4 || Bytes == 8 || Bytes == 16,
                "elements of 1, 2, 4, 8 or 16 bytes");
  static constexpr unsigned threads = 512;
  static constexpr unsigned word_bytes = Bytes < 4 ? 4 : Bytes;
  static constexpr unsigned packed = word_bytes / Bytes;     ///< rows in a word
  static constexpr unsigned vector_elements = 16 / Bytes;    ///< of a 16-byte access to global memory
  static constexpr unsigned vector_words = 16 / word_bytes;  ///< of a 16-byte store to the tile
  static constexpr unsigned word_rows = Bytes == 16 ? 32 : 64;
  static constexpr unsigned columns = Bytes == 1 ? 128 : Bytes >= 8 ? 32 : 64;
  static constexpr unsigned rows = word_rows * packed;  ///< of elements

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

/// What a launch moves. Strides in bytes; every pointer, pitch and batch stride a multiple of 16, rows and columns
/// multiples of TransposeTile::vector_elements.
struct TransposeSpan {
  const unsigned char* source = nullptr;
  unsigned char* target = nullptr;
  std::uint64_t rows = 0, columns = 0;  ///< of the source
  std::uint64_t source_pitch = 0, target_pitch = 0, source_batch = 0, target_batch = 0;
  std::uint32_t tiles_down = 0;
};

namespace detail {

/// The 16-byte stores of a unit: `rows` are its vectors, row by row.
template <unsigned Bytes>
__device__ __forceinline__ void pack(const uint4 (&rows)[TransposeTile<Bytes>::packed],
                                     uint4 (&parts)[TransposeTile<Bytes>::packed]) {
  if constexpr (Bytes >= 4) {
    parts[0] = rows[0];
  } else if constexpr (Bytes == 2) {
    const uint4 a = rows[0], b = rows[1];
    parts[0] = {__byte_perm(a.x, b.x, 0x5410), __byte_perm(a.x, b.x, 0x7632), __byte_perm(a.y, b.y, 0x5410),
                __byte_perm(a.y, b.y, 0x7632)};
    parts[1] = {__byte_perm(a.z, b.z, 0x5410), __byte_perm(a.z, b.z, 0x7632), __byte_perm(a.w, b.w, 0x5410),
                __byte_perm(a.w, b.w, 0x7632)};
  } else {
    const auto columns = [](std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) -> uint4 {
      const std::uint32_t ab = __byte_perm(a, b, 0x5140), ab2 = __byte_perm(a, b, 0x7362);
      const std::uint32_t cd = __byte_perm(c, d, 0x5140), cd2 = __byte_perm(c, d, 0x7362);
      return {__byte_perm(ab, cd, 0x5410), __byte_perm(ab, cd, 0x7632), __byte_perm(ab2, cd2, 0x5410),
              __byte_perm(ab2, cd2, 0x7632)};
    };
    parts[0] = columns(rows[0].x, rows[1].x, rows[2].x, rows[3].x);
    parts[1] = columns(rows[0].y, rows[1].y, rows[2].y, rows[3].y);
    parts[2] = columns(rows[0].z, rows[1].z, rows[2].z, rows[3].z);
    parts[3] = columns(rows[0].w, rows[1].w, rows[2].w, rows[3].w);
  }
}

__device__ __forceinline__ uint4 join(const std::uint32_t (&words)[4]) {
  return {words[0], words[1], words[2], words[3]};
}
__device__ __forceinline__ uint4 join(const uint2 (&words)[2]) {
  return {words[0].x, words[0].y, words[1].x, words[1].y};
}
__device__ __forceinline__ uint4 join(const uint4 (&words)[1]) { return words[0]; }

}  // namespace detail

/// One tile per block; blockIdx.x counts tiles down a column of tiles first, so that blocks that run together write
/// neighbouring parts of the same rows (H200, 512 MB of floats, 256 threads: 4,030 GB/s; along the rows first 3,868);
/// blockIdx.y batches.
template <unsigned Bytes>
__global__ void __launch_bounds__(TransposeTile<Bytes>::threads, 4) transpose_tiles(TransposeSpan span) {
  using T = TransposeTile<Bytes>;
  __shared__ SharedTile<typename T::Layout> tile;
  const std::uint64_t row = std::uint64_t{blockIdx.x % span.tiles_down} * T::rows;
  const std::uint64_t column = std::uint64_t{blockIdx.x / span.tiles_down} * T::columns;
  const unsigned char* source = span.source + blockIdx.y * span.source_batch + row * span.source_pitch + column * Bytes;
  unsigned char* target = span.target + blockIdx.y * span.target_batch + column * span.target_pitch + row * Bytes;
  // What of the tile is inside the matrix.
  const auto rows = static_cast<unsigned>(span.rows - row < T::rows ? span.rows - row : T::rows);
  const auto columns = static_cast<unsigned>(span.columns - column < T::columns ? span.columns - column : T::columns);

  uint4 vectors[T::loads][T::packed];
#pragma unroll
  for (unsigned i = 0; i < T::loads; ++i) {
    const unsigned n = threadIdx.x + i * T::threads;
    const unsigned word_row = n / T::row_vectors, first = n % T::row_vectors * T::vector_elements;
    if (word_row * T::packed < rows && first < columns)
#pragma unroll
      for (unsigned r = 0; r < T::packed; ++r)
        vectors[i][r] =
            *reinterpret_cast<const uint4*>(source + (word_row * T::packed + r) * span.source_pitch + first * Bytes);
  }
#pragma unroll
  for (unsigned i = 0; i < T::loads; ++i) {
    uint4 parts[T::packed];
    detail::pack<Bytes>(vectors[i], parts);
#pragma unroll
    for (unsigned part = 0; part < T::packed; ++part) {
      const Coordinate place = T::store_place(threadIdx.x + i * T::threads, part);
      tile.template vector<uint4>(place.row, place.column) = parts[part];
    }
  }
  __syncthreads();
#pragma unroll
  for (unsigned i = 0; i < T::stores; ++i) {
    const unsigned n = threadIdx.x + i * T::threads;
    typename T::Word words[T::vector_words];
#pragma unroll
    for (unsigned w = 0; w < T::vector_words; ++w) {
      const Coordinate place = T::load_place(n, w);
      words[w] = tile(place.row, place.column);
    }
    const Coordinate place = T::load_place(n, 0);
    if (place.column < columns && place.row * T::packed < rows)
      *reinterpret_cast<uint4*>(target + place.column * span.target_pitch + place.row * T::packed * Bytes) =
          detail::join(words);
  }
}

}  // namespace lanebank::kernels
