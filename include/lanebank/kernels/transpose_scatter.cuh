// Transposes of small matrices at any alignment: elements are scattered in shared memory to where they lie in the target.
//
//   source rows --aligned words--> registers --an element per store--> image of the target --16 bytes--> target
//
// There are no gaps between the rows and the matrices of the target, and the image has its bytes in their order, so what a block
// writes is whole vectors, whatever rows they belong to; only the two ends are written in parts. A block moves some matrices, or
// some columns of one:
//
//   |row 0 of matrix 0|row 1|row 2|....|row 0 of matrix 1|row 1|....
//
// Conflicts: 32 lanes store elements of words that lie side by side in a row of the source. In the image those are `rows` elements
// apart: an odd number of words never meets in a bank, as the static_asserts prove. Even ones do, gcd(rows, 32) of them; rows
// that are multiples of 8 are left to other kernels. Where 32 lanes are at two rows of the source there are a few excess
// wavefronts, too. What it replaces, elements gathered one by one, has more
// (H200, 53 x 126 bytes: 0.86 of a copy, 0.61 before).
//
// Elements of 1, 2 or 4 bytes; pointers and strides are multiples of the element's size. Reads stay between the first element
// of the source and source_end, but for up to 3 bytes before the first that lie in the same aligned word. Source and target
// do not overlap. Device code, whole blocks; launch_scatter is host code.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "lanebank/kernels/transpose_any.cuh"
#include "lanebank/kernels/word_of.cuh"

namespace lanebank::kernels {

/// Threads of a block, blocks that share a multiprocessor, words that a thread loads at once, bytes of an image, about.
inline constexpr unsigned scatter_threads = 256, scatter_blocks = 6, scatter_ahead = 6, scatter_bytes = 28672;

/// What a launch moves, and its cut into blocks; made by launch_scatter.
struct Scatter {
  TransposeSpan span;  ///< tile_columns: columns of a block; strips: blocks of a matrix; batch axes: without the first
  Divisor groups;      ///< of matrices along the first batch axis
  std::uint32_t axis = 1;                             ///< matrices along the first batch axis
  std::uint32_t matrices = 1;                         ///< of a group
  std::uint32_t source_stride = 0, source_pitch = 0;  ///< bytes from matrix to matrix of a group, from row to row
  std::uint64_t target_stride = 0;                    ///< from matrix to matrix along the first axis
  Divisor inner;                                      ///< rows of a matrix
  Divisor words_across;                               ///< words of a row at most
  std::uint32_t column_pitch = 0;                     ///< bytes from column to column in the image
};

namespace detail {

/// What a block moves.
struct ScatterBlock {
  const unsigned char *source, *source_end;
  unsigned char* target;
  unsigned columns, matrices;
};

template <unsigned Bytes>
__device__ __forceinline__ ScatterBlock scatter_block(const Scatter& scatter) {
  const TransposeSpan& span = scatter.span;
  std::uint32_t piece = blockIdx.x;
  std::uint32_t group = span.strips.split(piece);
  std::uint32_t rest = scatter.groups.split(group);
  ScatterBlock block{span.source, span.source_end, span.target, 0, 0};
#pragma unroll
  for (unsigned i = 0; i < batch_axes_max; ++i) {
    if (i >= span.batch_axes) break;
    std::uint32_t index = rest;
    rest = span.batch[i].extent.split(index);
    block.source += index * span.batch[i].source_stride;
    block.target += index * span.batch[i].target_stride;
  }
  const std::uint32_t first = group * scatter.matrices, column = piece * span.tile_columns;
  block.source += std::uint64_t{first} * scatter.source_stride + column * Bytes;
  block.target += first * scatter.target_stride + column * span.target_pitch;
  block.columns = min(span.columns - column, span.tile_columns);
  block.matrices = min(scatter.axis - first, scatter.matrices);
  return block;
}

/// Bytes before the image: its first vector may begin up to 15 bytes before it.
inline constexpr unsigned scatter_lead = 16;

/// Stores the low bytes of a word to shared memory, without a branch: the compiler would move loads behind one.
template <unsigned Bytes>
__device__ __forceinline__ void store_if(bool condition, std::uint32_t address, std::uint32_t word) {
  const unsigned wanted = condition ? 1 : 0;
  if constexpr (Bytes == 4)
    asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %0, 0;\n@p st.shared.u32 [%1], %2;\n}" ::"r"(wanted), "r"(address),
                 "r"(word)
                 : "memory");
  else if constexpr (Bytes == 2)
    asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %0, 0;\n@p st.shared.u16 [%1], %2;\n}" ::"r"(wanted), "r"(address),
                 "h"(static_cast<std::uint16_t>(word))
                 : "memory");
  else
    asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %0, 0;\n@p st.shared.u8 [%1], %2;\n}" ::"r"(wanted), "r"(address),
                 "r"(word)
                 : "memory");
}

/// Stores at an odd number of words from lane to lane.
template <unsigned Apart>
constexpr Coordinate scattered(unsigned access, unsigned lane) {
  return {0, lane * Apart + access};
}
template <unsigned Apart>
using ScatterStores = patterns::custom<&scattered<Apart>, 4, patterns::store, 4>;
static_assert(conflict_free<RowMajor<std::uint32_t, 1, 1024>, ScatterStores<1>, ScatterStores<3>, ScatterStores<5>,
                            ScatterStores<7>, ScatterStores<9>, ScatterStores<11>, ScatterStores<13>, ScatterStores<15>,
                            ScatterStores<17>, ScatterStores<19>, ScatterStores<21>, ScatterStores<23>,
                            ScatterStores<25>, ScatterStores<27>, ScatterStores<29>, ScatterStores<31>>);

/// The source's rows into the image. A thread keeps its word of a row and goes down the rows.
template <unsigned Bytes, Reach R>
__device__ __forceinline__ void fill_image(const unsigned char* image, const Scatter& scatter,
                                           const ScatterBlock& block) {
  unsigned across = threadIdx.x;
  const unsigned begin = scatter.words_across.split(across), step = scatter.words_across.quotient(scatter_threads);
  if (begin >= step) return;  // threads beyond a whole number of rows
  const unsigned rows = block.matrices * scatter.span.rows;
  const std::uint32_t matrix_pitch = scatter.span.rows * Bytes * scatter.span.columns;
  const auto base = static_cast<std::uint32_t>(__cvta_generic_to_shared(image)) +
                    static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(block.target)) % 16;
  const std::uint64_t source = kept(reinterpret_cast<std::uintptr_t>(block.source) + across * 4);
  for (unsigned row = begin; row < rows;) {
    std::uint32_t words[scatter_ahead], places[scatter_ahead];  // of column 0 of their rows in the image
    int columns[scatter_ahead];                                 // of the words' first elements
#pragma unroll
    for (unsigned u = 0; u < scatter_ahead; ++u) {
      std::uint32_t line = row;
      const std::uint32_t matrix = scatter.inner.split(line);
      const std::uint64_t from = source + (matrix * scatter.source_stride + line * scatter.source_pitch);
      words[u] = load_word<R>(as_global(from & ~std::uint64_t{3}), block.source_end);
      columns[u] =
          static_cast<int>(across * 4 / Bytes) - static_cast<int>(static_cast<std::uint32_t>(from) % 4 / Bytes);
      places[u] = base + matrix * matrix_pitch + line * Bytes;
      // The thread's last row stands for those behind it: without conditions all loads come before the first store.
      if (u + 1 == scatter_ahead || row + step < rows) row += step;
    }
#pragma unroll
    for (unsigned u = 0; u < scatter_ahead; ++u) {
      const std::uint32_t place = places[u] + static_cast<std::uint32_t>(columns[u]) * scatter.column_pitch;
#pragma unroll
      for (unsigned i = 0; i < 4 / Bytes; ++i) {
        const bool there = static_cast<unsigned>(columns[u]) + i < block.columns;
        store_if<Bytes>(there, place + i * scatter.column_pitch, words[u] >> 8 * Bytes * i);
      }
    }
  }
}

/// The image into the target.
template <unsigned Bytes>
__device__ __forceinline__ void write_image(const unsigned char* image, const Scatter& scatter,
                                            const ScatterBlock& block) {
  const auto bytes = static_cast<int>(scatter.span.rows * block.matrices * block.columns * Bytes);
  const auto target = reinterpret_cast<std::uintptr_t>(block.target);
  const auto early = static_cast<int>(target % 16);
  for (int place = static_cast<int>(threadIdx.x) * 16; place < early + bytes; place += scatter_threads * 16) {
    const uint4 value = *reinterpret_cast<const uint4*>(image + place);
    unsigned char* const address = as_global<unsigned char>((target & ~std::uint64_t{15}) + place);
    const int offset = place - early;  // of the vector in the target
    if (offset >= 0 && offset + 16 <= bytes)
      *reinterpret_cast<uint4*>(address) = value;
    else
      store_part<Bytes>(address, offset, 0, bytes, value);
  }
}

}  // namespace detail

/// scatter_threads threads; dynamic shared memory: the image's bytes and 2 x scatter_lead.
template <unsigned Bytes>
__global__ void __launch_bounds__(scatter_threads, scatter_blocks) transpose_scatter(const Scatter scatter) {
  static_assert(Bytes == 1 || Bytes == 2 || Bytes == 4);
  extern __shared__ __align__(16) unsigned char memory[];
  const unsigned char* const image = memory + detail::scatter_lead;
  const detail::ScatterBlock block = detail::scatter_block<Bytes>(scatter);
  const unsigned char* const last = block.source + std::uint64_t{block.matrices - 1} * scatter.source_stride +
                                    std::uint64_t{scatter.span.rows - 1} * scatter.source_pitch +
                                    block.columns * Bytes + 7;
  if (last > block.source_end)
    detail::fill_image<Bytes, detail::Reach::beyond_end>(image, scatter, block);
  else
    detail::fill_image<Bytes, detail::Reach::inside>(image, scatter, block);
  __syncthreads();
  detail::write_image<Bytes>(image, scatter, block);
}

/// Is the target of each matrix without gaps, and are its rows short and few of them meet in a bank?
inline bool is_scattered(const TransposeSpan& span, std::uint32_t bytes) {
  const std::uint64_t row = std::uint64_t{span.rows} * bytes;
  return span.source_end != nullptr && span.target_pitch == row && span.rows % 8 != 0 && row >= 16 && row <= 1024;
}

/// transpose_scatter on a span that is_scattered. cudaErrorNotSupported: too large.
template <unsigned Bytes>
cudaError_t launch_scatter(TransposeSpan span, cudaStream_t stream) {
  constexpr std::uint64_t far = std::uint64_t{1} << 31;
  const std::uint64_t column = std::uint64_t{span.rows} * Bytes, matrix = column * span.columns;
  Scatter scatter;
  std::uint64_t source_stride = 0;
  if (span.batch_axes > 0 && span.batch[0].target_stride == matrix) {
    scatter.axis = span.batch[0].extent.divisor;
    source_stride = span.batch[0].source_stride, scatter.target_stride = span.batch[0].target_stride;
    --span.batch_axes;
    for (unsigned i = 0; i < span.batch_axes; ++i) span.batch[i] = span.batch[i + 1];
  }
  // As many matrices as make an image; or as many columns.
  const std::uint64_t matrices = matrix < scatter_bytes ? scatter_bytes / matrix : 1;
  scatter.matrices = static_cast<std::uint32_t>(matrices < scatter.axis ? matrices : scatter.axis);
  constexpr std::uint64_t most = scatter_bytes * 5 / 4;
  const std::uint64_t pieces = (scatter.matrices * matrix + most - 1) / most;
  span.tile_columns = static_cast<std::uint32_t>((span.columns + pieces - 1) / pieces);
  span.strips = Divisor((span.columns + span.tile_columns - 1) / span.tile_columns);
  scatter.groups = Divisor((scatter.axis + scatter.matrices - 1) / scatter.matrices);
  scatter.inner = Divisor(span.rows);

  // Inside a block places of the source have 31 bits, and a row has at most a word for each thread.
  const std::uint64_t words_across = (std::uint64_t{span.tile_columns} * Bytes + 4 - Bytes + 3) / 4;
  if (source_stride >= far || span.source_pitch >= far || words_across > scatter_threads ||
      (scatter.matrices - 1) * source_stride + (span.rows - 1) * span.source_pitch >= far)
    return cudaErrorNotSupported;
  scatter.source_stride = static_cast<std::uint32_t>(source_stride);
  scatter.source_pitch = static_cast<std::uint32_t>(span.source_pitch);
  scatter.words_across = Divisor(static_cast<std::uint32_t>(words_across));
  scatter.column_pitch = static_cast<std::uint32_t>(column);
  scatter.span = span;
  std::uint64_t blocks = std::uint64_t{span.strips.divisor} * scatter.groups.divisor;
  for (unsigned i = 0; i < span.batch_axes; ++i) blocks *= span.batch[i].extent.divisor;
  const std::uint32_t shared_bytes =
      16 + scatter.matrices * scatter.column_pitch * span.tile_columns + 2 * detail::scatter_lead;
  if (blocks >= far || shared_bytes > 48 * 1024) return cudaErrorNotSupported;
  transpose_scatter<Bytes><<<static_cast<unsigned>(blocks), scatter_threads, shared_bytes, stream>>>(scatter);
  return cudaGetLastError();
}

}  // namespace lanebank::kernels
