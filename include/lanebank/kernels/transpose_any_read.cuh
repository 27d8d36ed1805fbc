// How transpose_any.cuh fills its tile: aligned words of global memory, shifted to the rows' bytes, packed to words of columns.
// Device code, the threads of a block; nothing synchronises.
#pragma once

#include <cstdint>
#include <type_traits>

#include "lanebank/kernels/transpose_any_tile.cuh"
#include "lanebank/kernels/transpose_span.cuh"

namespace lanebank::kernels {

namespace detail {

/// How far a tile reaches beyond the matrix.
enum class Reach : unsigned char {
  inside,         ///< not at all: all groups of rows are whole, all words may be read
  partial_group,  ///< a group has rows outside, for which its nearest row inside stands
  beyond_end,     ///< and words may lie behind the last byte
};

/// The pointer of an address that was computed. Says that it is one of global memory, which the compiler does not see.
template <class T = const unsigned char>
__device__ __forceinline__ T* as_global(std::uint64_t address) {
  return static_cast<T*>(__cvta_global_to_generic(address));
}

/// A value that the compiler keeps in a register: computed again wherever it is used it would be most of a loop.
__device__ __forceinline__ std::uint64_t kept(std::uint64_t value) {
  asm volatile("" : "+l"(value));
  return value;
}

/// The tile by an address that is kept.
template <class Layout>
__device__ __forceinline__ Tile<Layout> kept(const SharedTile<Layout>& tile) {
  auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(tile.base()));
  asm volatile("" : "+r"(address));
  return Tile<Layout>(aligned_base<Layout::base_alignment>(__cvta_shared_to_generic(address)));
}

/// The bytes from `address` to `end` as the low bytes of a word.
__device__ __noinline__ std::uint32_t load_bytes(const unsigned char* address, const unsigned char* end) {
  std::uint32_t word = 0;
  for (unsigned i = 0; i < 4 && address + i < end; ++i) word |= std::uint32_t{address[i]} << 8 * i;
  return word;
}

/// The word at an address that is a multiple of 4; zeros instead of bytes at or beyond `end`, where there may be such.
template <Reach R>
__device__ __forceinline__ std::uint32_t load_word(const unsigned char* address, const unsigned char* end) {
  if (R == Reach::beyond_end && address + 4 > end) return load_bytes(address, end);
  return *reinterpret_cast<const std::uint32_t*>(address);
}

/// The words of a row of a group as they are loaded: one more than the row has, where rows begin inside words.
template <class T>
struct RawRow {
  static constexpr unsigned count = T::row_words + (T::shifted ? 1 : 0);
  std::uint32_t words[count];

  template <Reach R>
  __device__ __forceinline__ void load(const unsigned char* address, const unsigned char* end) {
    if constexpr (T::shifted) {
      const auto bits = reinterpret_cast<std::uintptr_t>(address);
      const unsigned char* const first = as_global(bits & ~std::uintptr_t{3});
#pragma unroll
      for (unsigned j = 0; j < T::row_words; ++j) words[j] = load_word<R>(first + 4 * j, end);
      words[T::row_words] = 0;
      if (bits % 4 != 0) words[T::row_words] = load_word<R>(first + 4 * T::row_words, end);
    } else if constexpr (T::wide || T::bytes == 16) {
      if (R == Reach::beyond_end && address + 16 > end) {
#pragma unroll
        for (unsigned j = 0; j < 4; ++j) words[j] = load_word<R>(address + 4 * j, end);
      } else {
        const uint4 vector = *reinterpret_cast<const uint4*>(address);
        words[0] = vector.x, words[1] = vector.y, words[2] = vector.z, words[3] = vector.w;
      }
    } else if constexpr (T::bytes == 8) {
      uint2 vector{0, 0};
      if (R != Reach::beyond_end || address + 8 <= end) vector = *reinterpret_cast<const uint2*>(address);
      words[0] = vector.x, words[1] = vector.y;
    } else {
#pragma unroll
      for (unsigned j = 0; j < T::row_words; ++j) words[j] = load_word<R>(address + 4 * j, end);
    }
  }
  /// The row's own words; `address` mod 4: where it began.
  __device__ __forceinline__ void shift(std::uint32_t address, std::uint32_t (&row)[T::row_words]) const {
#pragma unroll
    for (unsigned j = 0; j < T::row_words; ++j)
      row[j] = T::shifted ? __funnelshift_r(words[j], words[j + (T::shifted ? 1 : 0)], address << 3) : words[j];
  }
};

/// Where a block finds its tile.
struct AnySource {
  const unsigned char* first;  ///< column 0 of row 0 of the tile, which may lie before the matrix
  const unsigned char* end;    ///< of what may be read
  std::uint64_t pitch;
  int lowest_row, highest_row;  ///< of the tile, inside the matrix

  /// How many rows on a row inside is that stands for row `row` of the tile: 0, but for rows outside.
  __device__ __forceinline__ int correction(int row) const { return min(max(row, lowest_row), highest_row) - row; }
};

/// Neighbouring words of row q of the tile.
template <class T>
__device__ __forceinline__ void store_words(const Tile<typename T::Layout>& tile, unsigned q, unsigned column,
                                            const std::uint32_t (&words)[T::item_columns]) {
#pragma unroll
  for (unsigned x = 0; x < T::item_columns; x += T::store_words)
    if constexpr (T::store_words == 4)
      tile.template vector<uint4>(q, column + x) = {words[x], words[x + 1], words[x + 2], words[x + 3]};
    else if constexpr (T::store_words == 2)
      tile.template vector<uint2>(q, column + x) = {words[x], words[x + 1]};
    else
      tile(q, column + x) = words[x];
}

/// Fills the tile, from row FirstWord of its words on. A thread keeps its column and goes down the groups of rows, of which
/// those that are all outside the matrix are left out.
template <class T, Reach R, unsigned FirstWord>
__device__ __forceinline__ void fill_tile(const SharedTile<typename T::Layout>& tile, const AnySource& source,
                                          const Divisor& items_across) {
  using P = typename T::Packed;
  unsigned across = threadIdx.x;
  const unsigned begin = items_across.split(across), step = items_across.quotient(T::threads);
  if (begin >= step) return;  // threads beyond a whole number of rows of items
  const unsigned groups = static_cast<unsigned>(source.highest_row) / P::group_rows + 1;
  unsigned group = begin + static_cast<unsigned>(source.lowest_row) / P::group_rows;
  if (group >= groups) return;
  const std::uint64_t group_pitch = P::group_rows * source.pitch, advance = kept(step * group_pitch);
  std::uint64_t address =
      kept(reinterpret_cast<std::uintptr_t>(source.first) + group * group_pitch + across * (T::row_words * 4));
  const Tile<typename T::Layout> filled = kept(tile);
  // Loads T::ahead groups, then stores them. Unless Whole, the last group of the thread stands for those behind it: without
  // conditions all loads come before the first store.
  const auto move_groups = [&](auto whole) {
    constexpr bool Whole = decltype(whole)::value;
    RawRow<T> raw[T::ahead][P::group_rows];
    std::uint32_t begins[T::ahead];  // low half of the addresses
    unsigned places[T::ahead];
#pragma unroll
    for (unsigned u = 0; u < T::ahead; ++u) {
      begins[u] = static_cast<std::uint32_t>(address);
      places[u] = group;
      std::uint64_t row = address;
#pragma unroll
      for (unsigned r = 0; r < P::group_rows; ++r) {
        std::uint64_t from = row;
        if constexpr (R != Reach::inside && P::group_rows > 1)
          from +=
              source.correction(static_cast<int>(group * P::group_rows + r)) * static_cast<std::int64_t>(source.pitch);
        raw[u][r].template load<R>(as_global(from), source.end);
        row += source.pitch;
      }
      if (Whole || u + 1 == T::ahead || group + step < groups) group += step, address += advance;
    }
#pragma unroll
    for (unsigned u = 0; u < T::ahead; ++u) {
      std::uint32_t rows[P::group_rows][T::row_words], out[P::column_words][T::item_columns];
#pragma unroll
      for (unsigned r = 0; r < P::group_rows; ++r)
        raw[u][r].shift(begins[u] + r * static_cast<std::uint32_t>(source.pitch), rows[r]);
      pack_group<T::bytes, T::row_words>(rows, out);
#pragma unroll
      for (unsigned j = 0; j < P::column_words; ++j)
        store_words<T>(filled, FirstWord + places[u] * P::column_words + j, across * T::item_columns, out[j]);
    }
  };
  if constexpr (R == Reach::inside && T::ahead > 1)
    while (group + (T::ahead - 1) * step < groups) move_groups(std::true_type{});
  while (group < groups) move_groups(std::false_type{});
}

/// Loads the tile at `place`, from `lead_rows` before it on. The threads of a block; they do not wait for one another.
template <class T, unsigned FirstWord = 0>
__device__ __forceinline__ void read_any(const SharedTile<typename T::Layout>& tile, const TransposeSpan& span,
                                         const TilePlace& place, const Divisor& items_across, unsigned lead_rows) {
  AnySource source;
  const int row_zero = static_cast<int>(place.row) - static_cast<int>(lead_rows);
  source.pitch = span.source_pitch;
  source.first =
      place.source + row_zero * static_cast<std::int64_t>(span.source_pitch) + std::uint64_t{place.column} * T::bytes;
  source.end = span.source_end;
  if (source.end == nullptr)
    source.end = place.source + (span.rows - 1) * span.source_pitch + std::uint64_t{span.columns} * T::bytes;
  source.lowest_row = max(-row_zero, 0);
  source.highest_row =
      min(static_cast<int>(span.rows) - 1 - row_zero, static_cast<int>(span.tile_rows + lead_rows) - 1);
  const unsigned char* const tile_end = source.first + source.highest_row * static_cast<std::int64_t>(source.pitch) +
                                        std::uint64_t{span.tile_columns} * T::bytes + 4;
  constexpr unsigned group_rows = T::Packed::group_rows;
  const bool whole_groups = source.lowest_row % group_rows == 0 && (source.highest_row + 1) % group_rows == 0;
  if (tile_end > source.end)
    fill_tile<T, Reach::beyond_end, FirstWord>(tile, source, items_across);
  else if (group_rows == 1 || whole_groups)
    fill_tile<T, Reach::inside, FirstWord>(tile, source, items_across);
  else
    fill_tile<T, Reach::partial_group, FirstWord>(tile, source, items_across);
}

}  // namespace detail

}  // namespace lanebank::kernels
