// Rows gathered from anywhere into a dense target: the permutations that keep the innermost axis.
//
//   target  |row 0.....|row 1.....|row 2.....|      row r of the target is the row of the source at the sum of
//               \           |                       index_i x stride_i, for the indices of r
//   source  ..|row 1.....|....|row 0.....|....
//
// copy_rows<Unit>: a unit of 1, 2, 4, 8 or 16 bytes per thread, for rows and addresses that are whole units.
// copy_rows_shifted<Granule>: rows of 16 bytes and more at any multiple of the granule (1, 2 or 4 bytes). A thread makes 16
// aligned bytes of the target, out of words of one row or of two neighbouring ones; so the target is written in whole
// sectors. Words of the source are read aligned and shifted.
//
// Shared memory is not used. Units: bytes; outer axes from the target's innermost one outwards. One launch moves
// fewer than 2^31 units. The source and the target do not overlap. Device code, any thread; nothing synchronises.
#pragma once

#include <cstdint>

#include "lanebank/kernels/divisor.hpp"
#include "lanebank/kernels/word_of.cuh"

namespace lanebank::kernels {

inline constexpr unsigned outer_axes_max = 5;
inline constexpr unsigned copy_threads = 256;

struct OuterAxis {
  Divisor extent;
  std::uint64_t source_stride = 0;
};

struct RowSpan {
  const unsigned char* source = nullptr;
  const unsigned char* source_end = nullptr;  ///< of all that may be read; copy_rows_shifted
  unsigned char* target = nullptr;
  Divisor row_units;  ///< units of a row; copy_rows_shifted: unused
  std::uint32_t row_bytes = 0;
  std::uint32_t rows = 0;
  std::uint32_t axes = 0;  ///< used of those below
  OuterAxis outer[outer_axes_max];
};

#ifdef __CUDACC__
namespace detail {

/// Where a row of the target begins in the source, and its index along the axis that runs fastest.
struct SourceRow {
  const unsigned char* address;
  std::uint32_t index;
};

__device__ __forceinline__ SourceRow source_row(const RowSpan& span, std::uint32_t row) {
  SourceRow result{span.source, 0};
#pragma unroll
  for (unsigned i = 0; i < outer_axes_max; ++i) {
    if (i >= span.axes) break;
    std::uint32_t index = row;
    row = span.outer[i].extent.split(index);
    result.address += index * span.outer[i].source_stride;
    if (i == 0) result.index = index;
  }
  return result;
}

/// The 4 bytes at `address`, a multiple of the granule.
template <unsigned Granule>
__device__ __forceinline__ std::uint32_t load_anywhere(const unsigned char* address) {
  if constexpr (Granule == 4) {
    return *reinterpret_cast<const std::uint32_t*>(address);
  } else {
    const unsigned shift = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(address)) % 4;
    const auto* words = reinterpret_cast<const std::uint32_t*>(address - shift);
    const std::uint32_t low = words[0], high = shift == 0 ? 0 : words[1];
    return __funnelshift_r(low, high, shift * 8);
  }
}

}  // namespace detail

template <unsigned Unit>
__global__ void __launch_bounds__(copy_threads) copy_rows(const RowSpan span) {
  using Type = typename detail::WordOf<Unit>::Type;
  const std::uint32_t n = blockIdx.x * copy_threads + threadIdx.x;
  std::uint32_t unit = n;
  const std::uint32_t row = span.row_units.split(unit);
  if (row >= span.rows) return;
  const unsigned char* const from = detail::source_row(span, row).address + std::uint64_t{unit} * Unit;
  *reinterpret_cast<Type*>(span.target + std::uint64_t{n} * Unit) = *reinterpret_cast<const Type*>(from);
}

namespace detail {

/// A vector that is not all inside the target, or whose words are not all inside the source: granule by granule.
template <unsigned Granule>
__device__ __noinline__ void copy_part(const RowSpan& span, std::int64_t at, std::uint64_t bytes) {
  using Type = typename WordOf<Granule>::Type;
  for (unsigned i = 0; i < 16; i += Granule) {
    const std::int64_t byte = at + i;
    if (byte < 0 || static_cast<std::uint64_t>(byte) >= bytes) continue;
    const auto row = static_cast<std::uint32_t>(static_cast<std::uint64_t>(byte) / span.row_bytes);
    const unsigned char* const from = source_row(span, row).address + (byte - std::uint64_t{row} * span.row_bytes);
    *reinterpret_cast<Type*>(span.target + byte) = *reinterpret_cast<const Type*>(from);
  }
}

/// Four bytes that begin `in_row` bytes into a row of row_bytes and end in the next one.
template <unsigned Granule>
__device__ __forceinline__ std::uint32_t load_across(const unsigned char* row, const unsigned char* next,
                                                     std::uint32_t in_row, std::uint32_t row_bytes) {
  std::uint32_t word = 0;
#pragma unroll
  for (unsigned i = 0; i < 4; i += Granule) {
    const std::uint32_t at = in_row + i;
    const unsigned char* const from = at < row_bytes ? row + at : next + (at - row_bytes);
    word |= std::uint32_t{*reinterpret_cast<const typename WordOf<Granule>::Type*>(from)} << 8 * i;
  }
  return word;
}

}  // namespace detail

/// Blocks: vectors of 16 bytes between the multiples of 16 that enclose the target, over copy_threads.
template <unsigned Granule>
__global__ void __launch_bounds__(copy_threads)
    copy_rows_shifted(const __grid_constant__ RowSpan span, const Divisor row_bytes, const std::uint32_t vectors) {
  const std::uint32_t n = blockIdx.x * copy_threads + threadIdx.x;
  if (n >= vectors) return;
  const unsigned early = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(span.target)) % 16;
  const std::int64_t at = std::int64_t{n} * 16 - early;
  const std::uint64_t bytes = std::uint64_t{span.rows} * span.row_bytes;
  if (at < 0 || at + 16 > static_cast<std::int64_t>(bytes)) {
    detail::copy_part<Granule>(span, at, bytes);
    return;
  }
  std::uint32_t first = static_cast<std::uint32_t>(at);
  const std::uint32_t row = row_bytes.split(first);
  const detail::SourceRow begin = detail::source_row(span, row);
  const unsigned char* const from = begin.address;
  const unsigned char* next = from + span.outer[0].source_stride;
  if (first + 16 <= span.row_bytes)
    next = from;  // not needed
  else if (begin.index + 1 == span.outer[0].extent.divisor)
    next = detail::source_row(span, row + 1).address;
  // Shifted words may reach up to 3 bytes further than what is wanted of them.
  if (Granule < 4 && (from + first + 20 > span.source_end || next + 20 > span.source_end)) {
    detail::copy_part<Granule>(span, at, bytes);
    return;
  }
  std::uint32_t words[4];
#pragma unroll
  for (unsigned w = 0; w < 4; ++w) {
    const std::uint32_t in_row = first + 4 * w;
    if (in_row + 4 <= span.row_bytes || in_row >= span.row_bytes)
      words[w] =
          detail::load_anywhere<Granule>(in_row < span.row_bytes ? from + in_row : next + (in_row - span.row_bytes));
    else if constexpr (Granule < 4)
      words[w] = detail::load_across<Granule>(from, next, in_row, span.row_bytes);
  }
  *reinterpret_cast<uint4*>(span.target + at) = {words[0], words[1], words[2], words[3]};
}
#endif

}  // namespace lanebank::kernels
