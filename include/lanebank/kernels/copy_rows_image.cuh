// Short rows at odd addresses gathered from anywhere into a dense target: by an image of it in shared memory.
//
//   source rows --aligned words--> registers --bytes, shifted to where they lie in the target--> image --16 bytes--> target
//
// copy_rows.cuh makes each vector of the target by itself; where rows are short most of its instructions find out which rows that
// vector has (H200, rows of 51 bytes: 0.45 of a copy). Here a block finds the places of its rows once, and its lanes take the words
// of a row side by side.
//
// Conflicts: none where 32 lanes are in one row of the image; where they are in two, two of them may meet in a bank. Elements of
// Granule bytes, 1 or 2: all addresses and rows are multiples of it. Reads stay inside the source, but for up to 3 bytes before its
// first that lie in the same aligned word. Source and target do not overlap. Device code, whole blocks.
#pragma once

#include <cstdint>

#include "lanebank/kernels/copy_rows.cuh"
#include "lanebank/kernels/transpose_scatter.cuh"

namespace lanebank::kernels {

/// Threads of a block, blocks that share a multiprocessor, rows of a block, words that a thread loads at once; bytes of a row.
inline constexpr unsigned image_threads = 256, image_blocks = 7, image_rows = 192, image_ahead = 4;
inline constexpr std::uint32_t image_row_bytes_max = 128;

#ifdef __CUDACC__
/// Blocks: rows of the span over image_rows. words_across: words that a row may touch. Dynamic shared memory: image_bytes.
template <unsigned Granule>
__global__ void __launch_bounds__(image_threads, image_blocks)
    copy_rows_image(const __grid_constant__ RowSpan span, const Divisor words_across) {
  static_assert(Granule == 1 || Granule == 2);
  extern __shared__ __align__(16) unsigned char image[];
  __shared__ const unsigned char* places[image_rows];
  const std::uint32_t first = blockIdx.x * image_rows;
  const unsigned rows = min(span.rows - first, image_rows);
  if (threadIdx.x < rows) places[threadIdx.x] = detail::source_row(span, first + threadIdx.x).address;
  __syncthreads();
  unsigned char* const target = span.target + std::uint64_t{first} * span.row_bytes;
  const auto early = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(target) % 16);
  unsigned across = threadIdx.x;
  const unsigned begin = words_across.split(across), step = words_across.quotient(image_threads);
  if (begin < step) {
    const auto base = static_cast<std::uint32_t>(__cvta_generic_to_shared(image)) + early;
    for (unsigned row = begin; row < rows;) {
      std::uint32_t words[image_ahead], starts[image_ahead];
      int columns[image_ahead];  // of the words' first bytes
#pragma unroll
      for (unsigned u = 0; u < image_ahead; ++u) {
        const auto from = reinterpret_cast<std::uintptr_t>(places[row]);
        const auto shift = static_cast<unsigned>(from % 4);
        columns[u] = static_cast<int>(across * 4) - static_cast<int>(shift);
        starts[u] = base + row * span.row_bytes;
        // A word behind the row's last one may lie behind the source: the last one stands for it, and is not stored.
        const int last = static_cast<int>((span.row_bytes - 1 + shift) / 4 * 4);
        const auto word = static_cast<std::uint64_t>(min(static_cast<int>(across * 4), last));
        words[u] =
            detail::load_word<detail::Reach::beyond_end>(detail::as_global(from - shift + word), span.source_end);
        // The thread's last row stands for those behind it: without conditions all loads come before the first store.
        if (u + 1 == image_ahead || row + step < rows) row += step;
      }
#pragma unroll
      for (unsigned u = 0; u < image_ahead; ++u)
#pragma unroll
        for (unsigned b = 0; b < 4; b += Granule)
          detail::store_if<Granule>(static_cast<unsigned>(columns[u] + static_cast<int>(b)) < span.row_bytes,
                                    starts[u] + static_cast<std::uint32_t>(columns[u] + static_cast<int>(b)),
                                    words[u] >> 8 * b);
    }
  }
  __syncthreads();
  const auto bytes = static_cast<int>(rows * span.row_bytes);
  for (int place = static_cast<int>(threadIdx.x) * 16; place < static_cast<int>(early) + bytes;
       place += image_threads * 16) {
    const uint4 value = *reinterpret_cast<const uint4*>(image + place);
    const int offset = place - static_cast<int>(early);  // of the vector in the block's rows
    if (offset >= 0 && offset + 16 <= bytes)
      *reinterpret_cast<uint4*>(target + offset) = value;
    else
      detail::store_part<Granule>(target + offset, offset, 0, bytes, value);
  }
}
#endif

}  // namespace lanebank::kernels
