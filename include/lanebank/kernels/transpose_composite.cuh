// Transposes whose target's rows are made of the short rows of several matrices, one behind another: permutations.
//
//   row r of the source   (r mod inner) x source_pitch + (r / inner) x outer_pitch bytes from its first row
//   row c of the target   |inner elements|inner elements|....      dense, so tiles may end anywhere
//
// The tile, and how it is written, are those of transpose_any.cuh; only the place of a source row is found by a division.
// Elements of 1, 2, 4 or 8 bytes at multiples of their size. Reads stay inside the source, but for up to 3 bytes before its
// first that lie in the same aligned word. Device code, whole blocks; launch_composite is host code.
#pragma once

#include <cstdint>

#include "lanebank/kernels/transpose_launch.cuh"

namespace lanebank::kernels {

/// Tiles for matrices of few columns, and for others. The rows of the source are short too, mostly.
template <unsigned Bytes, bool FewColumns>
struct CompositeSize;
template <>
struct CompositeSize<1, true> : AnySize<512, 64, 256, 4, 2> {};
template <>
struct CompositeSize<1, false> : AnySize<256, 128, 256, 4, 2> {};
template <>
struct CompositeSize<2, true> : AnySize<256, 64, 256, 4, 3> {};
template <>
struct CompositeSize<2, false> : AnySize<256, 128, 512, 2, 5> {};

namespace detail {

/// fill_tile for composite rows; `row_zero`: the tile's first row in the matrix, which may be negative.
template <class T, Reach R>
__device__ __forceinline__ void fill_composite(const SharedTile<typename T::Layout>& tile, const AnySource& source,
                                               const Composite& rows, int row_zero, const Divisor& items_across) {
  using P = typename T::Packed;
  unsigned across = threadIdx.x;
  const unsigned begin = items_across.split(across), step = items_across.quotient(T::threads);
  if (begin >= step) return;  // threads beyond a whole number of rows of items
  const unsigned groups = static_cast<unsigned>(source.highest_row) / P::group_rows + 1;
  unsigned group = begin + static_cast<unsigned>(source.lowest_row) / P::group_rows;
  const std::uint64_t column = reinterpret_cast<std::uintptr_t>(source.first) + across * (T::row_words * 4);
  const Tile<typename T::Layout> filled = kept(tile);
  while (group < groups) {
    RawRow<T> raw[T::ahead][P::group_rows];
    std::uint32_t begins[T::ahead][P::group_rows];  // low half of the addresses
    unsigned places[T::ahead];
#pragma unroll
    for (unsigned u = 0; u < T::ahead; ++u) {
      places[u] = group;
#pragma unroll
      for (unsigned r = 0; r < P::group_rows; ++r) {
        const int in_tile = static_cast<int>(group * P::group_rows + r);
        auto inner = static_cast<std::uint32_t>(row_zero + in_tile + source.correction(in_tile));
        const std::uint32_t outer = rows.inner.split(inner);
        const std::uint64_t from = column + inner * source.pitch + outer * rows.outer_pitch;
        begins[u][r] = static_cast<std::uint32_t>(from);
        raw[u][r].template load<R>(as_global(from), source.end);
      }
      // The last group stands for those behind it, as in fill_tile.
      if (u + 1 == T::ahead || group + step < groups) group += step;
    }
#pragma unroll
    for (unsigned u = 0; u < T::ahead; ++u) {
      std::uint32_t words[P::group_rows][T::row_words], out[P::column_words][T::item_columns];
#pragma unroll
      for (unsigned r = 0; r < P::group_rows; ++r) raw[u][r].shift(begins[u][r], words[r]);
      pack_group<T::bytes, T::row_words>(words, out);
#pragma unroll
      for (unsigned j = 0; j < P::column_words; ++j)
        store_words<T>(filled, places[u] * P::column_words + j, across * T::item_columns, out[j]);
    }
  }
}

template <class T>
__device__ __forceinline__ void read_composite(const SharedTile<typename T::Layout>& tile, const TransposeSpan& span,
                                               const Composite& rows, const TilePlace& place, const AnyCut& cut) {
  AnySource source;
  const int row_zero = static_cast<int>(place.row) - static_cast<int>(cut.lead_rows);
  source.pitch = span.source_pitch;
  source.first = place.source + std::uint64_t{place.column} * T::bytes;  // column 0 of row 0 of the matrix
  source.end = span.source_end;
  source.lowest_row = max(-row_zero, 0);
  source.highest_row =
      min(static_cast<int>(span.rows) - 1 - row_zero, static_cast<int>(span.tile_rows + cut.lead_rows) - 1);
  // No row of the tile lies further on than this.
  const std::uint32_t last_outer = rows.inner.quotient(static_cast<std::uint32_t>(row_zero + source.highest_row));
  const unsigned char* const tile_end = source.first + (rows.inner.divisor - 1) * source.pitch +
                                        last_outer * rows.outer_pitch + std::uint64_t{span.tile_columns} * T::bytes + 4;
  if (tile_end > source.end)
    fill_composite<T, Reach::beyond_end>(tile, source, rows, row_zero, cut.items_across);
  else
    fill_composite<T, Reach::inside>(tile, source, rows, row_zero, cut.items_across);
}

}  // namespace detail

/// transpose_any, but for where the rows of the source lie; span.rows: of all matrices whose rows make one of the target.
template <class T>
__global__ void __launch_bounds__(T::threads, T::blocks)
    transpose_composite(const TransposeSpan span, const Composite rows, const AnyCut cut) {
  extern __shared__ __align__(16) unsigned char memory[];
  const auto& tile = *reinterpret_cast<SharedTile<typename T::Layout>*>(memory);
  const TilePlace place = place_of_block(span, blockIdx.x);
  if (place.column >= span.columns) return;
  detail::read_composite<T>(tile, span, rows, place, cut);
  __syncthreads();
  detail::write_any<T, T::sector_bytes>(tile, detail::target_of<T>(span, place, cut.lead_rows), cut.vector_groups);
}

/// Are the rows of the target made of short ones of the matrices along batch axis 0?
inline bool is_composite(const TransposeSpan& span, std::uint32_t bytes) {
  const std::uint64_t row = std::uint64_t{span.rows} * bytes;
  return (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8) && span.source_end != nullptr && span.batch_axes > 0 &&
         span.batch[0].target_stride == row &&
         (row < (bytes == 8 ? 96 : 128) || (row <= (bytes == 8 || bytes == 1 ? 1024 : 512) && row % 32 != 0)) &&
         std::uint64_t{span.rows} * span.batch[0].extent.divisor < (std::uint64_t{1} << 30);
}

/// transpose_composite<T> on a span that is.
template <class T>
cudaError_t launch_composite_tiles(TransposeSpan span, cudaStream_t stream, std::uint64_t most_blocks) {
  static_assert(T::is_clean);
  const Composite rows = merge_rows(span);
  unsigned shared_bytes = 0;
  const unsigned early = cut_any<T>(span, usual_strip<T>(span.columns), shared_bytes);
  const cudaError_t error = allow_shared(&transpose_composite<T>, T::Layout::bytes);
  if (error != cudaSuccess) return error;
  return in_launches(span, most_blocks, [&](const TransposeSpan& some, unsigned blocks) {
    transpose_composite<T><<<blocks, T::threads, shared_bytes, stream>>>(some, rows, cut_of<T>(some, early != 0));
    return cudaGetLastError();
  });
}

/// A span that is, by the kernel that suits its element and the addresses of its source.
template <unsigned Bytes>
cudaError_t launch_composite(const TransposeSpan& span, cudaStream_t stream, std::uint64_t most_blocks = blocks_max) {
  const std::uint64_t bits = address_bits(span, true);
  if constexpr (Bytes == 8) return launch_gather<GatherTile<8, 8>, true>(span, stream, most_blocks);
  if constexpr (Bytes == 4) {
    if (bits % 16 == 0)
      return launch_composite_tiles<AnyTile<4, true, AnySize<64, 128, 256, 5, 3>>>(span, stream, most_blocks);
    return bits % 8 == 0 ? launch_gather<GatherTile<4, 8>, true>(span, stream, most_blocks)
                         : launch_gather<GatherTile<4, 4>, true>(span, stream, most_blocks);
  }
  if constexpr (Bytes == 2)
    if (bits % 16 == 8) return launch_gather<GatherTile<2, 8>, true>(span, stream, most_blocks);
  if constexpr (Bytes == 1) {
    if (bits % 4 == 0)
      return launch_composite_tiles<AnyTile<1, false, CompositeSize<1, true>, true>>(span, stream, most_blocks);
    if (span.columns > 128 && span.columns <= 256)  // two tiles: higher ones, of which less is read twice
      return launch_composite_tiles<AnyTile<1, false, AnySize<512, 128, 512, 2, 2>>>(span, stream, most_blocks);
    return launch_composite_tiles<AnyTile<1, false, CompositeSize<1, false>>>(span, stream, most_blocks);
  }
  if constexpr (Bytes <= 2) {
    using Narrow = AnyTile<Bytes, false, CompositeSize<Bytes, true>>;
    using Broad = AnyTile<Bytes, false, CompositeSize<Bytes, false>>;
    return span.columns <= Narrow::columns ? launch_composite_tiles<Narrow>(span, stream, most_blocks)
                                           : launch_composite_tiles<Broad>(span, stream, most_blocks);
  }
}

}  // namespace lanebank::kernels
