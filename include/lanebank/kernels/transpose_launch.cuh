// Which transpose kernel moves a span, and its launch. Shared by lanebank::transpose and lanebank::permute.
//
//   elements of 1, 2, 4, 8, 16 bytes, addresses multiples of 16, rows
//   and columns whole vectors of 16 bytes                                transpose_tiles, of the size that is filled best;
//                                                                        targets not at multiples of 32: if a tile holds all rows
//   small matrices, elements of 1, 2, 4 bytes, the source's addresses
//   no multiples of 16, the target's without gaps                        transpose_scatter; transpose_stack, where rows are multiples of 8
//   floats, the source's addresses multiples of 8, or of 4 and few columns   transpose_gather
//   batches of matrices of few rows, elements of 1, 2, 4, 8 bytes        transpose_any, small blocks
//   the source's multiples of 16, elements of 1, 2, 4 bytes              transpose_any, wide loads
//   all else                                                             transpose_any
//
// Host code; nothing is checked here, nothing synchronises.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "lanebank/kernels/transpose_any.cuh"
#include "lanebank/kernels/transpose_gather.cuh"
#include "lanebank/kernels/transpose_scatter.cuh"
#include "lanebank/kernels/transpose_stack.cuh"
#include "lanebank/kernels/transpose_tiles.cuh"

namespace lanebank::kernels {

inline constexpr std::uint64_t blocks_max = 2147483647;
/// Fewer blocks of the usual tiles than this leave multiprocessors without work.
inline constexpr std::uint64_t few_blocks = 132;
/// So many blocks of floats are moved faster by more and smaller ones.
inline constexpr std::uint64_t middling_blocks = 528;

/// For few blocks.
template <unsigned Bytes>
using SmallTileSize = TileSize<(Bytes >= 8 ? 16 : 32),
                               (Bytes == 1    ? 128
                                : Bytes == 2  ? 64
                                : Bytes == 16 ? 16
                                              : 32),
                               128, (Bytes <= 2 ? 10 : 16)>;
/// For middling numbers of blocks.
template <unsigned Bytes>
using NarrowTileSize = TileSize<64, 64, 256, 8>;

/// The sizes of tiles of large matrices, and of batches of smaller ones which fill one or the other of them; those that come
/// first are faster where they are full.
template <unsigned Bytes>
struct TileSizes;
template <class... Sizes>
struct SizeList {};
template <>
struct TileSizes<1> {
  using List = SizeList<DefaultTileSize<1>, TileSize<32, 256, 512, 4>, TileSize<32, 128, 256, 8>>;
};
template <>
struct TileSizes<2> {
  using List =
      SizeList<DefaultTileSize<2>, TileSize<128, 64, 512, 3>, TileSize<32, 128, 256, 6>, TileSize<32, 64, 128, 12>>;
};
template <>
struct TileSizes<4> {
  using List = SizeList<DefaultTileSize<4>, TileSize<32, 128, 512, 4>, TileSize<128, 32, 512, 4>,
                        TileSize<64, 128, 512, 3>, TileSize<128, 64, 512, 3>, TileSize<64, 64, 256, 5>>;
};
template <>
struct TileSizes<8> {
  using List = SizeList<DefaultTileSize<8>, TileSize<32, 32, 256, 8>, TileSize<16, 32, 128, 16>>;
};
template <>
struct TileSizes<16> {
  using List = SizeList<DefaultTileSize<16>, TileSize<16, 16, 128, 16>>;
};

inline constexpr std::uint64_t rounded_up(std::uint64_t x, std::uint64_t step) { return (x + step - 1) / step * step; }

/// Tiles of at most `most`, multiples of `step`, for `total`: equal ones where there are few.
inline std::uint32_t even_tile(std::uint64_t total, std::uint32_t most, std::uint32_t step) {
  const std::uint64_t tiles = (total + most - 1) / most;
  return tiles > 8 ? most : static_cast<std::uint32_t>(rounded_up((total + tiles - 1) / tiles, step));
}

/// What all the addresses of a side of the span have in common: the bits that are set in any of them.
inline std::uint64_t address_bits(const TransposeSpan& span, bool source) {
  std::uint64_t bits = source ? reinterpret_cast<std::uintptr_t>(span.source) | span.source_pitch
                              : reinterpret_cast<std::uintptr_t>(span.target) | span.target_pitch;
  for (unsigned i = 0; i < span.batch_axes; ++i)
    bits |= source ? span.batch[i].source_stride : span.batch[i].target_stride;
  return bits;
}

/// Calls launch(span, blocks) once, or several times for parts of the batches where one launch has too many blocks.
template <class Launch>
cudaError_t in_launches(TransposeSpan span, std::uint64_t most_blocks, const Launch& launch) {
  const std::uint64_t blocks = span.blocks();
  if (blocks <= most_blocks) return launch(span, static_cast<unsigned>(blocks));
  if (span.batch_axes == 0) return cudaErrorInvalidConfiguration;
  BatchAxis& last = span.batch[span.batch_axes - 1];
  const std::uint32_t extent = last.extent.divisor;
  const std::uint64_t each = blocks / extent;
  const auto part = static_cast<std::uint32_t>(each < most_blocks ? most_blocks / each : 1);
  for (std::uint32_t first = 0; first < extent; first += part) {
    TransposeSpan some = span;
    some.source += first * last.source_stride;
    some.target += first * last.target_stride;
    const std::uint32_t left = extent - first;
    some.batch[span.batch_axes - 1].extent = Divisor(left < part ? left : part);
    if (part == 1) --some.batch_axes;
    const cudaError_t error = in_launches(some, most_blocks, launch);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

/// Opens shared memory beyond 48 KiB to a kernel.
template <class Kernel>
cudaError_t allow_shared(Kernel* kernel, unsigned bytes) {
  if (bytes <= 48 * 1024) return cudaSuccess;
  return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
}

/// Cuts the columns into strips of `strip` tiles, of fewer where there are fewer; at least 1.
inline void cut_strips(TransposeSpan& span, std::uint32_t strip) {
  const std::uint32_t across = (span.columns + span.tile_columns - 1) / span.tile_columns;
  const std::uint32_t strips = (across + strip - 1) / strip;
  span.strip = Divisor((across + strips - 1) / strips);
  span.strips = Divisor(strips);
}

/// Tiles of T side by side that are counted first: all, where there are few, so that the rows of the source are read whole;
/// bytes that are shifted are read faster four at a time, if a matrix is wide.
template <class T>
std::uint32_t usual_strip(std::uint32_t columns) {
  if (columns <= 4 * T::columns) return 4;
  return T::bytes == 1 && !T::wide && columns >= 16 * T::columns ? 4 : 1;
}

/// Rows of tiles of T that are loaded in whole passes: where the last pass would be less than a third of one, without it.
template <class T>
std::uint32_t rows_in_passes(std::uint32_t tile_rows, std::uint32_t tile_columns, unsigned lead_rows) {
  constexpr unsigned group = T::Packed::group_rows;
  const unsigned pass = T::ahead * (T::threads / (tile_columns / T::item_columns)) * group;
  const unsigned rows = tile_rows + lead_rows, passes = rows / pass, beyond = rows % pass;
  if (T::bytes % 3 == 0 || passes < (T::bytes == 1 ? 2 : 1) || beyond == 0 || beyond * 10 > pass * 3) return tile_rows;
  const unsigned fewer = (passes * pass - lead_rows) / T::row_step * T::row_step;
  return fewer != 0 && (fewer + lead_rows) * 10 >= passes * pass * 9 ? fewer : tile_rows;
}

/// Cuts the span into tiles of T. The result: bytes before a tile that it may write; `shared_bytes`: what a block needs.
template <class T>
unsigned cut_any(TransposeSpan& span, std::uint32_t strip, unsigned& shared_bytes) {
  const auto offset = static_cast<unsigned>(address_bits(span, false) % T::sector_bytes);
  const unsigned early = offset == 0 ? 0 : T::sector_bytes - T::Packed::granule_bytes;
  const std::uint64_t rows = std::uint64_t{span.rows} + (early + T::bytes - 1) / T::bytes;
  span.tile_columns = even_tile(span.columns, T::columns, T::column_step);
  span.tile_rows = even_tile(rows, T::rows, T::row_step);
  span.tile_rows =
      even_tile(rows, rows_in_passes<T>(span.tile_rows, span.tile_columns, early == 0 ? 0 : T::lead_rows), T::row_step);
  span.tiles_down = Divisor(any_tiles_down<T>(span.rows, span.tile_rows, early));
  cut_strips(span, strip);
  // Of a tile that is cut lower only so much is needed.
  shared_bytes = (span.tile_rows + (early != 0 ? T::lead_rows : 0)) * T::bytes / 4 * T::columns * 4;
  return early;
}

/// transpose_any<T> on the span; tiles are cut here. strip 0: the usual one.
template <class T>
cudaError_t launch_any(TransposeSpan span, cudaStream_t stream, std::uint64_t most_blocks = blocks_max,
                       std::uint32_t strip = 0) {
  unsigned shared_bytes = 0;
  const unsigned early = cut_any<T>(span, strip == 0 ? usual_strip<T>(span.columns) : strip, shared_bytes);
  const cudaError_t error = allow_shared(&transpose_any<T>, T::Layout::bytes);
  if (error != cudaSuccess) return error;
  return in_launches(span, most_blocks, [&](const TransposeSpan& some, unsigned blocks) {
    transpose_any<T><<<blocks, T::threads, shared_bytes, stream>>>(some, cut_of<T>(some, early != 0));
    return cudaGetLastError();
  });
}

/// Makes the rows of the target out of those of the matrices along the first batch axis, which they are made of; the result:
/// rows of one matrix and where the next one's begin.
struct Composite {
  Divisor inner;  ///< rows of one matrix
  std::uint64_t outer_pitch = 0;
};
inline Composite merge_rows(TransposeSpan& span) {
  const Composite rows{Divisor(span.rows), span.batch[0].source_stride};
  span.rows *= span.batch[0].extent.divisor;
  --span.batch_axes;
  for (unsigned i = 0; i < span.batch_axes; ++i) span.batch[i] = span.batch[i + 1];
  return rows;
}

/// Cuts the span into the largest tiles that T has.
template <class T>
GatherCut cut_gather(TransposeSpan& span) {
  GatherCut cut;
  const bool leads = address_bits(span, false) % T::sector_bytes != 0;
  const unsigned early = leads ? T::sector_bytes - Packing<T::bytes>::granule_bytes : 0;
  constexpr unsigned row_step = T::sector_bytes / T::bytes;
  cut.lead_rows = leads ? T::lead_rows : 0;
  span.tile_columns =
      even_tile(span.columns, T::row_bytes_max / T::bytes / T::column_step * T::column_step, T::column_step);
  const std::uint32_t width = (span.columns < span.tile_columns ? span.columns : span.tile_columns) * T::bytes;
  cut.units_across = Divisor((width + T::unit - 1) / T::unit);
  cut.row_bytes = static_cast<std::uint32_t>(rounded_up(width, 16));
  std::uint32_t rows = (T::tile_bytes_max - 16) / (cut.row_bytes + 16 / T::count) - cut.lead_rows;
  rows = (rows < T::column_bytes_max / T::bytes ? rows : T::column_bytes_max / T::bytes) / row_step * row_step;
  static_assert((T::tile_bytes_max - 16) / (T::row_bytes_max + 16 / T::count) >= T::lead_rows + row_step,
                "room for a tile");
  span.tile_rows = even_tile(std::uint64_t{span.rows} + (early + T::bytes - 1) / T::bytes, rows, row_step);
  span.tiles_down = Divisor(any_tiles_down<T>(span.rows, span.tile_rows, early));
  cut.vector_groups = Divisor((span.tile_rows * T::bytes / 16 + 7) / 8);
  cut_strips(span, 1);
  return cut;
}

/// transpose_gather<T> on the span; Composite: its rows are made of those along the first batch axis.
template <class T, bool Composite>
cudaError_t launch_gather(TransposeSpan span, cudaStream_t stream, std::uint64_t most_blocks = blocks_max) {
  kernels::Composite rows;
  if constexpr (Composite) rows = merge_rows(span);
  GatherCut cut = cut_gather<T>(span);
  cut.inner = rows.inner, cut.outer_pitch = rows.outer_pitch;
  const std::uint32_t shared_bytes = detail::gather_row<T::count>(span.tile_rows + cut.lead_rows, cut.row_bytes) + 16;
  return in_launches(span, most_blocks, [&](const TransposeSpan& some, unsigned blocks) {
    transpose_gather<T, Composite><<<blocks, T::threads, shared_bytes, stream>>>(some, cut);
    return cudaGetLastError();
  });
}

/// For batches of matrices whose rows fit into one such tile: more and smaller blocks.
template <unsigned Bytes>
struct SmallAnySize;
template <>
struct SmallAnySize<1> : AnySize<128, 128, 128, 8, 2> {};
template <>
struct SmallAnySize<2> : AnySize<64, 128, 128, 10, 3> {};
template <>
struct SmallAnySize<4> : AnySize<64, 64, 128, 10, 8> {};
template <>
struct SmallAnySize<8> : AnySize<32, 64, 128, 10, 4> {};

/// Do the rows of a matrix with its lead fit into one tile?
template <class T>
bool fits(const TransposeSpan& span) {
  return std::uint64_t{span.rows} * T::bytes + T::sector_bytes <= T::rows * T::bytes;
}

/// The span cut into tiles of T.
template <class T>
TransposeSpan in_tiles(TransposeSpan span, std::uint32_t strip = 1) {
  span.tile_rows = T::rows;
  span.tile_columns = T::columns;
  span.tiles_down = Divisor((span.rows + T::rows - 1) / T::rows);
  cut_strips(span, strip);
  return span;
}

template <class T>
cudaError_t launch_tiles(const TransposeSpan& span, cudaStream_t stream, std::uint64_t most_blocks = blocks_max,
                         std::uint32_t strip = 1) {
  const cudaError_t error = allow_shared(&transpose_tiles<T>, T::Layout::bytes);
  if (error != cudaSuccess) return error;
  return in_launches(in_tiles<T>(span, strip), most_blocks, [&](const TransposeSpan& some, unsigned blocks) {
    transpose_tiles<T><<<blocks, T::threads, T::Layout::bytes, stream>>>(some);
    return cudaGetLastError();
  });
}

/// Bytes that the blocks of T on one multiprocessor have under way while they load, as far as the span fills its tiles.
template <class T>
std::uint64_t bytes_under_way(const TransposeSpan& span) {
  const std::uint64_t filled = std::uint64_t{span.rows} * 1024 / rounded_up(span.rows, T::rows) *
                               (std::uint64_t{span.columns} * 1024 / rounded_up(span.columns, T::columns));
  return T::Layout::bytes * std::uint64_t{T::blocks} * filled >> 20;
}
/// So many saturate the memory, and so many are more than other kernels have: where the target has whole sectors, and where it
/// has not. Measured on an H200.
inline constexpr std::uint64_t enough_under_way = 46 * 1024, least_under_way = 30 * 1024, least_in_parts = 32 * 1024;

/// Launches the first size of the list that has enough bytes under way, else the one with the most. cudaErrorNotSupported:
/// not even the least. Targets not at multiples of 32 bytes: only sizes of which one tile holds all rows, so that
/// what a block writes has no sectors in parts but where it begins and ends.
template <unsigned Bytes, class... Sizes>
cudaError_t launch_filled(const TransposeSpan& span, cudaStream_t stream, std::uint64_t most_blocks,
                          SizeList<Sizes...>) {
  static_assert((TransposeTile<Bytes, Sizes>::is_clean && ...));
  const bool whole_sectors = address_bits(span, false) % 32 == 0;
  const std::uint64_t under_way[] = {(whole_sectors || span.rows <= TransposeTile<Bytes, Sizes>::rows
                                          ? bytes_under_way<TransposeTile<Bytes, Sizes>>(span)
                                          : 0)...};
  constexpr unsigned count = sizeof...(Sizes);
  unsigned chosen = 0;
  for (unsigned n = 1; n < count && under_way[chosen] < enough_under_way; ++n)
    if (under_way[n] > under_way[chosen]) chosen = n;
  if (under_way[chosen] < (whole_sectors ? least_under_way : least_in_parts)) return cudaErrorNotSupported;
  cudaError_t error = cudaSuccess;
  unsigned n = 0;
  ((n++ == chosen ? void(error = launch_tiles<TransposeTile<Bytes, Sizes>>(span, stream, most_blocks)) : void()), ...);
  return error;
}

/// transpose_tiles, if all addresses are multiples of 16, and rows and columns whole vectors. cudaErrorNotSupported: they are
/// not, or other kernels are faster.
template <unsigned Bytes>
cudaError_t launch_aligned(const TransposeSpan& span, cudaStream_t stream, std::uint64_t most_blocks = blocks_max) {
  constexpr unsigned step = TransposeTile<Bytes>::vector_elements;
  if ((address_bits(span, true) | address_bits(span, false)) % 16 != 0 || span.rows % step != 0 ||
      span.columns % step != 0)
    return cudaErrorNotSupported;
  using Small = TransposeTile<Bytes, SmallTileSize<Bytes>>;
  static_assert(Small::is_clean);
  const std::uint64_t blocks = in_tiles<TransposeTile<Bytes>>(span).blocks();
  if (address_bits(span, false) % 32 == 0) {
    if constexpr (Bytes == 4) {
      using Narrow = TransposeTile<Bytes, NarrowTileSize<Bytes>>;
      static_assert(Narrow::is_clean);
      if (blocks >= few_blocks && blocks <= middling_blocks) return launch_tiles<Narrow>(span, stream, most_blocks);
    }
    if (blocks < few_blocks) return launch_tiles<Small>(span, stream, most_blocks);
  }
  return launch_filled<Bytes>(span, stream, most_blocks, typename TileSizes<Bytes>::List{});
}

/// Bytes that are cut into other tiles than the usual ones only where there are enough for all multiprocessors.
inline constexpr std::uint64_t many_bytes = 8 << 20;

/// Floats at addresses or in shapes that have tiles of their own. cudaErrorNotSupported: they have none.
inline cudaError_t launch_floats(const TransposeSpan& span, cudaStream_t stream, std::uint64_t most_blocks) {
  std::uint64_t bytes = std::uint64_t{span.rows} * span.columns * 4;
  for (unsigned i = 0; i < span.batch_axes; ++i) bytes *= span.batch[i].extent.divisor;
  if (bytes < many_bytes) return cudaErrorNotSupported;
  const std::uint64_t bits = address_bits(span, true);
  if (bits % 16 == 8) return launch_gather<GatherTile<4, 8>, false>(span, stream, most_blocks);
  if (bits % 16 != 0)
    return span.columns <= 2 * AnyTile<4>::columns ? launch_gather<GatherTile<4, 4>, false>(span, stream, most_blocks)
                                                   : cudaErrorNotSupported;
  if (span.columns <= 64 || (span.columns > 512 && span.rows > 128)) return cudaErrorNotSupported;
  // Few columns, but more than the usual tile's, or few rows: broad tiles, if a tile has most of the loads that its threads hold at once.
  using Broad = AnyTile<4, true, AnySize<128, 128, 512, 2, 9>>;
  using Tall = AnyTile<4, true, AnySize<128, 128, 256, 3, 9>>;
  static_assert(Broad::is_clean && Tall::is_clean);
  const std::uint32_t across = even_tile(span.columns, Broad::columns, Broad::column_step) / Broad::item_columns;
  const std::uint32_t down = even_tile(std::uint64_t{span.rows} + Broad::lead_rows, Broad::rows, Broad::row_step);
  return across * (down + Broad::lead_rows) * 20 >= Broad::ahead * Broad::threads * 11
             ? launch_any<Broad>(span, stream, most_blocks)
             : launch_any<Tall>(span, stream, most_blocks);
}

template <unsigned Bytes>
cudaError_t launch_transpose(const TransposeSpan& span, cudaStream_t stream, std::uint64_t most_blocks = blocks_max) {
  if constexpr (16 % Bytes == 0) {
    const cudaError_t error = launch_aligned<Bytes>(span, stream, most_blocks);
    if (error != cudaErrorNotSupported) return error;
  }
  const bool wide = address_bits(span, true) % 16 == 0;
  if constexpr (Bytes == 1 || Bytes == 2 || Bytes == 4)
    if ((!wide || std::uint64_t{span.rows} * Bytes <= 256) &&
        (span.batch_axes > 0 || std::uint64_t{span.rows} * Bytes <= 128) && is_scattered(span, Bytes)) {
      const cudaError_t error = launch_scatter<Bytes>(span, stream);
      if (error != cudaErrorNotSupported) return error;
    }
  if constexpr (Bytes == 1 || Bytes == 2 || Bytes == 4)
    if (is_stack(span, Bytes) && !wide) return launch_stack<Bytes>(span, stream);
  if constexpr (Bytes == 1 || Bytes == 2 || Bytes == 4 || Bytes == 8) {
    using Small = AnyTile<Bytes, false, SmallAnySize<Bytes>>;
    static_assert(Small::is_clean);
    if (span.batch_axes > 0 && fits<Small>(span)) return launch_any<Small>(span, stream, most_blocks);
    if constexpr (Bytes == 4) {
      const cudaError_t error = launch_floats(span, stream, most_blocks);
      if (error != cudaErrorNotSupported) return error;
      // Narrow columns of tiles, too: the few threads of a small block have enough rows.
      if (!wide && even_tile(span.columns, Small::columns, Small::column_step) <= 48)
        return launch_any<Small>(span, stream, most_blocks);
    }
  }
  if constexpr (Bytes == 1)
    if (address_bits(span, true) % 4 == 0 && (!wide || span.columns <= 128))
      return launch_any<AnyTile<1, false, DefaultAnySize<1, false>, true>>(span, stream, most_blocks);
  if constexpr (Bytes == 1 || Bytes == 2 || Bytes == 4)
    if (wide) return launch_any<AnyTile<Bytes, true>>(span, stream, most_blocks);
  return launch_any<AnyTile<Bytes>>(span, stream, most_blocks);
}

}  // namespace lanebank::kernels
