// Transposes of tiles that lie in shared memory as they lie in the source, and are turned while they are read.
//
//   source rows --asynchronous copies--> shared memory --element by element--> 16 bytes in registers --> rows of the target
//
// No register holds what is on its way, so all of a tile is asked for at once, however many rows and columns it has: the size of
// the tile is an argument of the launch, not of the template. Where rows of the source are short, and there are many threads'
// worth of them, that is what other kernels lack (H200, 33 x 107 elements of 8 bytes: 0.91 of a copy, 0.74 by transpose_composite).
//
//   row r of the tile   at r x row_bytes + (r / count) x 16 of shared memory        count: elements of 16 bytes
//
// 32 lanes read eight vectors of the target, of `count` rows each, in four columns that lie a word apart. The 16 bytes behind every
// `count` rows put the rows of the eight vectors into the eight groups of four banks, wherever they begin, the columns are the
// banks of a group: free of conflicts, as the static_asserts prove, for each shift of a column. The copies into a tile whose rows
// are no multiples of 128 bytes may have a few excess wavefronts where 32 lanes write two rows.
//
// The target is written as transpose_any.cuh writes it: from one multiple of 32 bytes to another, with rows before the tile's own
// for that. Rows may be those of several matrices, one behind another in the target (transpose_composite.cuh).
//
// Elements of 2, 4 or 8 bytes; the addresses of the source are multiples of Unit: 4 or 8 bytes, at least the element's. (Copies of
// 16 bytes past the L1 cache have conflicts of their own where rows are padded.) Reads stay inside the source. Source and target
// do not overlap. Device code, whole blocks; launch_gather (transpose_launch.cuh) is host code.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "lanebank/kernels/transpose_any.cuh"
#include "lanebank/kernels/word_of.cuh"

namespace lanebank::kernels {

template <unsigned Bytes, unsigned Unit>
struct GatherTile {
  static_assert(Bytes == 2 || Bytes == 4 || Bytes == 8, "elements of 2, 4 or 8 bytes");
  static_assert((Unit == 4 || Unit == 8) && Unit >= Bytes, "whole elements of an asynchronous copy");
  static constexpr unsigned bytes = Bytes, unit = Unit, threads = 384, blocks = 4;
  static constexpr unsigned count = 16 / Bytes;                  ///< elements of a vector
  static constexpr unsigned columns_apart = Bytes >= 4 ? 1 : 2;  ///< of the lanes of a warp
  static constexpr unsigned column_step = 4 * columns_apart > Unit / Bytes ? 4 * columns_apart : Unit / Bytes;
  static constexpr unsigned sector_bytes = 32, lead_rows = sector_bytes / Bytes;
  // The largest tile: bytes of a row of it, of a column, and of both. What is on its way has lines of the L1 cache, which is what
  // the tiles leave of 256 KB: with 40 KB a tile some shapes lose a sixth, with all of it for tiles most of them do.
  static constexpr unsigned row_bytes_max = Bytes == 2 ? 256 : 576, column_bytes_max = 640,
                            tile_bytes_max = (Bytes == 8 ? 24 : 32) * 1024;
};

/// How a launch cuts its span; made by cut_gather.
struct GatherCut {
  Divisor units_across, vector_groups;  ///< units of a row; groups of eight vectors of a column
  Divisor inner;                        ///< composite rows: those of one matrix
  std::uint64_t outer_pitch = 0;        ///< and from matrix to matrix, in the source
  std::uint32_t row_bytes = 0;          ///< of a row in shared memory, a multiple of 16
  std::uint32_t lead_rows = 0;
};

namespace detail {

/// Byte of shared memory at which a row begins.
template <unsigned Count>
LANEBANK_HOST_DEVICE constexpr std::uint32_t gather_row(std::uint32_t row, std::uint32_t row_bytes) {
  return row * row_bytes + row / Count * 16;
}

/// What lanes read in step `access` of rows of Units x 16 bytes: the vectors of each column begin in another row.
template <unsigned Bytes, unsigned Units, unsigned Shift>
constexpr Coordinate gathered_from(unsigned access, unsigned lane) {
  constexpr unsigned count = 16 / Bytes, apart = Bytes >= 4 ? 1 : 2;
  const unsigned column = lane / 8 * apart + access % apart;
  const unsigned row = lane % 8 * count + access / apart % count + column * Shift % 8;
  return {0, (gather_row<count>(row, Units * 16) + column * Bytes) / Bytes};
}
template <unsigned Bytes>
struct ElementOf : WordOf<Bytes> {};
template <>
struct ElementOf<8> {
  using Type = std::uint64_t;
};
template <unsigned Bytes, unsigned Units>
using GatherMemory = RowMajor<typename ElementOf<Bytes>::Type, 1, 160 * (Units + 1) * 16 / Bytes>;
template <unsigned Bytes, unsigned Units>
inline constexpr bool gathers_clean =
    conflict_free<GatherMemory<Bytes, Units>, patterns::custom<&gathered_from<Bytes, Units, 0>, 16>,
                  patterns::custom<&gathered_from<Bytes, Units, 1>, 16>,
                  patterns::custom<&gathered_from<Bytes, Units, 3>, 16>>;
static_assert(gathers_clean<8, 8> && gathers_clean<8, 9> && gathers_clean<4, 8> && gathers_clean<4, 9> &&
              gathers_clean<2, 8> && gathers_clean<2, 9>);

template <unsigned Unit>
__device__ __forceinline__ void copy_async(std::uint32_t shared, std::uint64_t global) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared), "l"(global), "n"(Unit) : "memory");
}

/// A unit of which only the bytes before `end` may be read.
template <unsigned Granule>
__device__ __noinline__ void copy_tail(std::uint32_t shared, std::uint64_t global, std::uint64_t end, unsigned bytes) {
  using Type = typename WordOf<Granule>::Type;
  for (unsigned i = 0; i < bytes && global + i < end; i += Granule)
    *static_cast<Type*>(__cvta_shared_to_generic(shared + i)) = *as_global<const Type>(global + i);
}

/// Where a block finds its tile.
struct GatherSource {
  std::uint64_t column;  ///< address of the tile's first column in row 0 of the matrix
  std::uint64_t end;     ///< of what may be read
  unsigned width_bytes;
  int row_zero;              ///< of the tile, in the matrix; may be negative
  unsigned lowest, highest;  ///< rows of the tile inside the matrix
};

/// Asks for the tile. Tail: units may end behind what may be read.
template <class T, bool Composite, bool Tail>
__device__ __forceinline__ void fill_gather(std::uint32_t shared, const TransposeSpan& span, const GatherCut& cut,
                                            const GatherSource& source) {
  unsigned across = threadIdx.x;
  const unsigned begin = cut.units_across.split(across), step = cut.units_across.quotient(T::threads);
  const std::uint32_t in_row = across * T::unit;
  if (begin >= step || in_row >= source.width_bytes) return;
  const std::uint64_t column = source.column + in_row, advance = kept(step * span.source_pitch);
  const unsigned first = source.lowest + begin;
  std::uint64_t next =
      column + (source.row_zero + static_cast<int>(first)) * static_cast<std::int64_t>(span.source_pitch);
#pragma unroll 4
  for (unsigned row = first; row <= source.highest; row += step) {
    std::uint64_t from = next;
    if constexpr (Composite) {
      auto inner = static_cast<std::uint32_t>(source.row_zero + static_cast<int>(row));
      const std::uint32_t outer = cut.inner.split(inner);
      from = column + inner * span.source_pitch + outer * cut.outer_pitch;
    } else {
      next += advance;
    }
    const std::uint32_t to = shared + gather_row<T::count>(row, cut.row_bytes) + in_row;
    if (Tail && from + T::unit > source.end)
      copy_tail<T::bytes>(to, from, source.end, T::unit);
    else
      copy_async<T::unit>(to, from);
  }
}

/// A vector of a column, from row `row` on; `column`: the column's address in row 0 of the tile.
template <class T>
__device__ __forceinline__ uint4 gather_vector(std::uint32_t column, unsigned row, std::uint32_t row_bytes) {
  const auto at = [&](unsigned i) { return column + gather_row<T::count>(row + i, row_bytes); };
  std::uint32_t words[4];
  if constexpr (T::bytes == 8) {
#pragma unroll
    for (unsigned i = 0; i < 2; ++i)
      asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(words[2 * i]), "=r"(words[2 * i + 1]) : "r"(at(i)));
  } else if constexpr (T::bytes == 4) {
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(words[i]) : "r"(at(i)));
  } else {
#pragma unroll
    for (unsigned w = 0; w < 4; ++w) {
      std::uint16_t low, high;
      asm volatile("ld.shared.u16 %0, [%1];" : "=h"(low) : "r"(at(2 * w)));
      asm volatile("ld.shared.u16 %0, [%1];" : "=h"(high) : "r"(at(2 * w + 1)));
      words[w] = low | std::uint32_t{high} << 16;
    }
  }
  return {words[0], words[1], words[2], words[3]};
}

/// write_any for a tile that lies as the source does.
template <class T>
__device__ __forceinline__ void write_gather(std::uint32_t shared, const AnyTarget& target, const GatherCut& cut) {
  constexpr unsigned warps = T::threads / 32, apart = T::columns_apart;
  const unsigned lane = threadIdx.x % 32, sides = max(cut.vector_groups.quotient(warps), 1u);
  unsigned down = threadIdx.x / 32;
  const unsigned side = cut.vector_groups.split(down);
  if (side >= sides) return;  // warps beyond a whole number of columns of vectors
  const unsigned room = static_cast<unsigned>(max(target.end - target.begin - 15, 0));
  const unsigned turns = (target.columns + 4 * apart - 1) / (4 * apart) * apart;
  for (; down < cut.vector_groups.divisor; down += warps) {
    const unsigned place = (down * 8 + lane % 8) * 16;  // of the vector, were the row aligned
    if (place >= target.vectors * 16) return;
    for (unsigned turn = side; turn < turns; turn += sides) {
      const unsigned column = (turn / apart * 4 + lane / 8) * apart + turn % apart;
      if (column >= target.columns) continue;
      const std::uint64_t row = reinterpret_cast<std::uintptr_t>(target.first) + column * target.pitch + place;
      const unsigned early = (static_cast<unsigned>(row) - place) % T::sector_bytes;
      const int offset = static_cast<int>(place - early);
      unsigned char* const to = as_global<unsigned char>(row - early);
      const bool inside = static_cast<unsigned>(offset - target.begin) < room;
      if (!inside)
        if (offset + 16 <= target.begin || offset >= target.end) continue;
      const uint4 value =
          gather_vector<T>(shared + column * T::bytes, (target.lead_bytes + place - early) / T::bytes, cut.row_bytes);
      if (inside)
        *reinterpret_cast<uint4*>(to) = value;
      else
        store_part<Packing<T::bytes>::granule_bytes>(to, offset, target.begin, target.end, value);
    }
  }
}

}  // namespace detail

/// T::threads threads, span.blocks() blocks; dynamic shared memory: gather_bytes.
template <class T, bool Composite>
__global__ void __launch_bounds__(T::threads, T::blocks)
    transpose_gather(const TransposeSpan span, const GatherCut cut) {
  extern __shared__ __align__(16) unsigned char memory[];
  const auto shared = static_cast<std::uint32_t>(__cvta_generic_to_shared(memory));
  const TilePlace place = place_of_block(span, blockIdx.x);
  if (place.column >= span.columns) return;
  detail::GatherSource source;
  source.row_zero = static_cast<int>(place.row) - static_cast<int>(cut.lead_rows);
  source.lowest = static_cast<unsigned>(max(-source.row_zero, 0));
  source.highest = static_cast<unsigned>(
      min(static_cast<int>(span.rows) - 1 - source.row_zero, static_cast<int>(span.tile_rows + cut.lead_rows) - 1));
  source.width_bytes = min(span.columns - place.column, span.tile_columns) * T::bytes;
  const auto matrix = reinterpret_cast<std::uintptr_t>(place.source);
  source.column = matrix + std::uint64_t{place.column} * T::bytes;
  source.end = reinterpret_cast<std::uintptr_t>(span.source_end);
  if (source.end == 0)
    source.end = matrix + (span.rows - 1) * span.source_pitch + std::uint64_t{span.columns} * T::bytes;
  std::uint64_t last = source.column + source.width_bytes + T::unit;  // no unit ends behind this
  const int last_row = source.row_zero + static_cast<int>(source.highest);
  if constexpr (Composite)
    last += (cut.inner.divisor - 1) * span.source_pitch +
            cut.inner.quotient(static_cast<std::uint32_t>(last_row)) * cut.outer_pitch;
  else
    last += last_row * static_cast<std::int64_t>(span.source_pitch);
  if (last > source.end)
    detail::fill_gather<T, Composite, true>(shared, span, cut, source);
  else
    detail::fill_gather<T, Composite, false>(shared, span, cut, source);
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  detail::write_gather<T>(shared, detail::target_of<T>(span, place, cut.lead_rows), cut);
}

}  // namespace lanebank::kernels
