// The tile of transpose_any.cuh: its sizes, its layout, and the proofs that every shift of every column is free of conflicts.
#pragma once

#include <cstdint>

#include "lanebank/kernels/transpose_pack.cuh"
#include "lanebank/layout.hpp"
#include "lanebank/pattern.hpp"
#include "lanebank/proofs.hpp"
#include "lanebank/tile.hpp"

namespace lanebank::kernels {

/// Largest tile, threads of a block, blocks that share a multiprocessor, and items that a thread loads at once.
template <unsigned Rows, unsigned Columns, unsigned Threads, unsigned Blocks, unsigned Ahead>
struct AnySize {
  static constexpr unsigned rows = Rows, columns = Columns, threads = Threads, blocks = Blocks, ahead = Ahead;
};

/// The sizes that are used unless others are asked for.
template <unsigned Bytes, bool Wide>
struct DefaultAnySize;
template <>
struct DefaultAnySize<1, false> : AnySize<256, 128, 256, 4, 2> {};
template <>
struct DefaultAnySize<1, true> : AnySize<256, 256, 512, 2, 2> {};
template <>
struct DefaultAnySize<2, false> : AnySize<128, 128, 256, 5, 3> {};
template <>
struct DefaultAnySize<2, true> : AnySize<128, 128, 256, 5, 2> {};
template <>
struct DefaultAnySize<3, false> : AnySize<128, 128, 512, 3, 1> {};
template <>
struct DefaultAnySize<4, false> : AnySize<128, 64, 256, 4, 18> {};
template <>
struct DefaultAnySize<4, true> : AnySize<64, 64, 256, 5, 5> {};
template <>
struct DefaultAnySize<6, false> : AnySize<64, 64, 384, 3, 3> {};
template <>
struct DefaultAnySize<8, false> : AnySize<64, 64, 256, 5, 9> {};
template <>
struct DefaultAnySize<12, false> : AnySize<64, 32, 448, 3, 5> {};
template <>
struct DefaultAnySize<16, false> : AnySize<32, 32, 256, 5, 5> {};

/// Wide: the addresses of the source are multiples of 16, and a row's words are loaded 16 bytes at once; Words: of 4.
template <unsigned Bytes, bool Wide = false, class Size = DefaultAnySize<Bytes, Wide>, bool Words = false>
struct AnyTile : Size {
  static_assert(!Wide || Bytes == 1 || Bytes == 2 || Bytes == 4, "wide loads are for elements of 1, 2 and 4 bytes");
  using Packed = Packing<Bytes>;
  static constexpr unsigned bytes = Bytes;
  static constexpr bool wide = Wide;
  static constexpr unsigned sector_bytes = 32;
  /// Rows of which a column is whole sectors, in whole groups.
  static constexpr unsigned row_step = sector_bytes / (Bytes % 16 == 0  ? 16
                                                       : Bytes % 8 == 0 ? 8
                                                       : Bytes % 4 == 0 ? 4
                                                                        : Packed::granule_bytes);
  static constexpr unsigned lead_rows =
      (sector_bytes + Packed::group_rows * Bytes - 1) / (Packed::group_rows * Bytes) * Packed::group_rows;

  // An item: what a thread loads and packs in one go.
  static constexpr bool shifted = Packed::granule_bytes < 4 && !Wide && !Words;
  static constexpr unsigned row_words = Wide ? 4 : Bytes <= 2 ? 2 : Packed::column_words;  ///< of each row of the group
  static constexpr unsigned item_columns = row_words * 4 / Bytes;
  static constexpr unsigned column_step = item_columns > 4 ? item_columns : 4;
  static constexpr unsigned store_words = item_columns > 4 ? 4 : item_columns;  ///< of a store to the tile

  static constexpr unsigned word_rows = (Size::rows + lead_rows) * Bytes / 4;
  static constexpr int pitch_log2 = lanebank::detail::trailing_zeros(Size::columns * 4);
  static_assert(Size::rows % row_step == 0 && Size::columns % 32 == 0 && Size::columns == 1u << (pitch_log2 - 2));
  static constexpr int unit_bits = item_columns > 4 ? pitch_log2 - 7 : 0;
  using Layout = Swizzled<RowMajor<std::uint32_t, word_rows, Size::columns>,
                          SwizzleXor<Swizzle<3, 4, pitch_log2 + 2 - 4>, Swizzle<unit_bits, 4, 3>>>;

  // Proofs: the stores of a whole tile's items, and the words of eight vectors down four columns, each column shifted
  // differently.
  static constexpr unsigned item_stores = Packed::column_words * (item_columns / store_words);
  static constexpr Coordinate stored(unsigned access, unsigned lane) {
    const unsigned item = access / item_stores * 32 + lane, part = access % item_stores;
    const unsigned word = part / (item_columns / store_words), x = part % (item_columns / store_words) * store_words;
    constexpr unsigned across = Size::columns / item_columns;
    return {item / across * Packed::column_words + word, item % across * item_columns + x};
  }
  template <unsigned Shift>
  static constexpr Coordinate gathered(unsigned access, unsigned lane) {
    const unsigned column = lane / 8 + access / 4 * 4;
    return {lane % 8 * 4 + access % 4 + column * Shift % 8, column};
  }
  template <unsigned Shift>
  using Gather = patterns::custom<&gathered<Shift>, 32>;
  using Stores = patterns::custom<&stored, 8 * item_stores, patterns::store, store_words * 4>;
  static constexpr bool is_clean = aligned_for<Layout, 16> && conflict_free<Layout, Stores, Gather<0>, Gather<3>>;
};

static_assert(AnyTile<1>::is_clean && AnyTile<2>::is_clean && AnyTile<3>::is_clean && AnyTile<4>::is_clean &&
              AnyTile<6>::is_clean && AnyTile<8>::is_clean && AnyTile<12>::is_clean && AnyTile<16>::is_clean);
static_assert(AnyTile<1, true>::is_clean && AnyTile<2, true>::is_clean && AnyTile<4, true>::is_clean);

}  // namespace lanebank::kernels
