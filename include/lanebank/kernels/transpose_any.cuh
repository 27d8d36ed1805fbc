// Transposes of any element size, shape and alignment: whole sectors on the side that writes, whole words on the side that reads.
//
//   rows --words, shifted to their bytes--> registers --packed to words of columns--> tile
//   tile --words down a column, shifted to the target's bytes--> registers --16 bytes--> rows of the target
//
// Rows that begin anywhere are read by aligned words and funnel shifts. On the side of the target every tile writes, in each
// row of the target by itself, from one multiple of 32 bytes to another, so that no two blocks share a sector:
//
//   row c of the target   |....#########|##########|##########|##....|     | multiples of 32 bytes; # what is written
//   tile 0                 ^^^^^^^^^^^^^                                   from before the row to its second sector
//   tile 1                              ^^^^^^^^^^^^^^^^^^^^^^             m bytes earlier than its rows begin,
//                                                                          m = address of its rows in this row mod 32
//
// For that a tile has `lead_rows` more rows, those before it: a little is read twice, from the L2 cache, and nothing is written
// in parts. Where all rows of the target begin at multiples of 32 bytes there is no lead.
//
// The tile in shared memory holds words: D(q, c) is word q of column c of the rows in the order of the target. Its 16-byte
// units are XORed with (q / 4) mod 8, and for items of several units with the unit's own upper bits: eight lanes that read down a column, each four words on from the one before, meet
// eight different units, wherever they begin. The four columns that a warp reads lie in one unit. So every shift of
// every column is free of conflicts, as the static_asserts below prove for whole tiles. In tiles that are cut
// narrower some stores have a few excess wavefronts.
//
// One tile per block, any number of columns of words up to T::columns, rows up to T::rows (TransposeSpan::tile_columns, a
// multiple of T::column_step; tile_rows, a multiple of T::row_step). The source and the target do not overlap. Pointers,
// pitches and strides are multiples of the granule: the largest power of two that divides the element's size, at most 4
// (8 for elements of 8 bytes, 16 for 16); with Wide, those of the source of 16. Reads stay inside the bytes from the first
// element of each matrix to its last one (or to source_end), but for up to 3 bytes before the first that lie in the same
// aligned word.
#pragma once

#include <cstdint>

#include "lanebank/kernels/transpose_any_read.cuh"

namespace lanebank::kernels {

namespace detail {

/// Stores bytes [first, last) of a word, 0 <= first < last <= 4, both multiples of the granule of 1 or 2 bytes.
template <unsigned Granule>
__device__ __forceinline__ void store_bytes(unsigned char* address, unsigned first, unsigned last, std::uint32_t word) {
  if constexpr (Granule == 2) {
    *reinterpret_cast<std::uint16_t*>(address + first) = static_cast<std::uint16_t>(word >> 8 * first);
  } else {
    if (first % 2 != 0) address[first] = static_cast<unsigned char>(word >> 8 * first), ++first;
    if (last - first >= 2 && last >= 2)
      *reinterpret_cast<std::uint16_t*>(address + first) = static_cast<std::uint16_t>(word >> 8 * first), first += 2;
    if (first < last) address[first] = static_cast<unsigned char>(word >> 8 * first);
  }
}

/// Those bytes of a vector at `offset` that lie in [begin, end): whole words, and the bytes of the words that are cut.
template <unsigned Granule>
__device__ __noinline__ void store_part(unsigned char* address, int offset, int begin, int end, uint4 vector) {
  const std::uint32_t words[4] = {vector.x, vector.y, vector.z, vector.w};
  const int first = begin - offset, last = end - offset;
#pragma unroll
  for (int w = 0; w < 4; ++w)
    if (4 * w >= first && 4 * w + 4 <= last) *reinterpret_cast<std::uint32_t*>(address + 4 * w) = words[w];
  if constexpr (Granule < 4) {
    const auto word = [&](int w) { return w == 0 ? words[0] : w == 1 ? words[1] : w == 2 ? words[2] : words[3]; };
    const int head = first >> 2, tail = last >> 2;  // the words in which the bytes begin and end
    if ((first & 3) != 0 && head >= 0 && head < 4)
      store_bytes<Granule>(address + 4 * head, first & 3, head == tail ? last & 3 : 4, word(head));
    if ((last & 3) != 0 && tail >= 0 && tail < 4 && (head != tail || (first & 3) == 0))
      store_bytes<Granule>(address + 4 * tail, 0, last & 3, word(tail));
  }
}

/// Four words of column `column` from byte `stream` of the tile's rows on.
template <class T>
__device__ __forceinline__ uint4 gather(const SharedTile<typename T::Layout>& tile, unsigned stream, unsigned column) {
  constexpr bool shifts = T::Packed::granule_bytes < 4;
  std::uint32_t words[shifts ? 5 : 4];
#pragma unroll
  for (unsigned w = 0; w < 4; ++w) words[w] = tile(stream / 4 + w, column);
  if constexpr (shifts) {
    const unsigned shift = stream % 4 * 8;
    words[4] = shift == 0 ? 0 : tile(stream / 4 + 4, column);
#pragma unroll
    for (unsigned w = 0; w < 4; ++w) words[w] = __funnelshift_r(words[w], words[w + 1], shift);
  }
  return {words[0], words[1], words[2], words[3]};
}

}  // namespace detail

/// What follows from a span's tile: items of a row, groups of eight vectors down a column, rows before the tile's own.
struct AnyCut {
  Divisor items_across, vector_groups;
  unsigned lead_rows = 0;  ///< T::lead_rows, or 0 where all rows of the target begin at multiples of 32 bytes
};

template <class T>
AnyCut cut_of(const TransposeSpan& span, bool leads) {
  return {Divisor(span.tile_columns / T::item_columns), Divisor((span.tile_rows * T::bytes / 16 + 7) / 8),
          leads ? T::lead_rows : 0};
}

/// Tiles down a column of tiles: enough that what is written, up to `sector offset` bytes early, reaches the last row.
template <class T>
std::uint32_t any_tiles_down(std::uint32_t rows, std::uint32_t tile_rows, unsigned earliest_bytes) {
  const std::uint64_t bytes = std::uint64_t{rows} * T::bytes + earliest_bytes,
                      tile = std::uint64_t{tile_rows} * T::bytes;
  return static_cast<std::uint32_t>((bytes + tile - 1) / tile);
}

namespace detail {

/// What of the rows of the target a tile writes: vectors from the last multiple of Alignment on that is not behind byte 0,
/// the first byte of the tile's rows; of those, the bytes in [begin, end).
struct AnyTarget {
  unsigned char* first;  ///< byte 0 of the target's row for column 0
  std::uint64_t pitch;
  unsigned columns, vectors;
  unsigned lead_bytes;  ///< of the tile before byte 0; at least Alignment - 1, or nothing is early
  int begin, end;
};

template <class T>
__device__ __forceinline__ AnyTarget target_of(const TransposeSpan& span, const TilePlace& place, unsigned lead_rows) {
  const std::int64_t before = std::int64_t{place.row} * T::bytes;
  const std::int64_t after = std::int64_t{span.rows} * T::bytes - before;
  AnyTarget target;
  target.first = place.target + place.column * span.target_pitch + before;
  target.pitch = span.target_pitch;
  target.columns = min(span.columns - place.column, span.tile_columns);
  target.vectors = span.tile_rows * T::bytes / 16;
  target.lead_bytes = lead_rows * T::bytes;
  // The row's own bytes; further off than the tile is far enough.
  target.begin = -static_cast<int>(before < 64 ? before : 64);
  target.end = static_cast<int>(after < (1 << 20) ? after : 1 << 20);
  return target;
}

template <class T, unsigned Alignment>
__device__ __forceinline__ void write_any(const SharedTile<typename T::Layout>& tile, const AnyTarget& target,
                                          const Divisor& vector_groups) {
  // A warp keeps its eight vectors, and goes across the columns, four at a time.
  constexpr unsigned warps = T::threads / 32;
  const unsigned lane = threadIdx.x % 32, sides = max(vector_groups.quotient(warps), 1u);
  unsigned down = threadIdx.x / 32;
  const unsigned side = vector_groups.split(down);
  if (side >= sides) return;  // warps beyond a whole number of columns of vectors
  const unsigned room = static_cast<unsigned>(max(target.end - target.begin - 15, 0));
  const std::uint64_t advance = kept(sides * 4 * target.pitch);
  for (; down < vector_groups.divisor; down += warps) {
    const unsigned place = (down * 8 + lane % 8) * 16;  // of the vector, were the row aligned
    if (place >= target.vectors * 16) return;
    unsigned column = side * 4 + lane / 8;
    std::uint64_t row = kept(reinterpret_cast<std::uintptr_t>(target.first) + column * target.pitch + place);
    for (; column < target.columns; column += sides * 4, row += advance) {
      const unsigned early = (static_cast<unsigned>(row) - place) % Alignment;
      const int offset = static_cast<int>(place - early);
      unsigned char* const to = as_global<unsigned char>(row - early);
      const unsigned stream = target.lead_bytes + place - early;
      const bool inside = static_cast<unsigned>(offset - target.begin) < room;
      if (!inside)
        if (offset + 16 <= target.begin || offset >= target.end) continue;
      const uint4 value = gather<T>(tile, stream, column);
      if (inside)
        *reinterpret_cast<uint4*>(to) = value;
      else
        store_part<T::Packed::granule_bytes>(to, offset, target.begin, target.end, value);
    }
  }
}

}  // namespace detail

/// One tile per block of T::threads threads; span.blocks() blocks; dynamic shared memory: T::Layout::bytes.
template <class T>
__global__ void __launch_bounds__(T::threads, T::blocks) transpose_any(const TransposeSpan span, const AnyCut cut) {
  extern __shared__ __align__(16) unsigned char memory[];
  const auto& tile = *reinterpret_cast<SharedTile<typename T::Layout>*>(memory);
  const TilePlace place = place_of_block(span, blockIdx.x);
  if (place.column >= span.columns) return;
  detail::read_any<T>(tile, span, place, cut.items_across, cut.lead_rows);
  __syncthreads();
  detail::write_any<T, T::sector_bytes>(tile, detail::target_of<T>(span, place, cut.lead_rows), cut.vector_groups);
}

}  // namespace lanebank::kernels
