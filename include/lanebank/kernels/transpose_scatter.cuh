// Transposes of small matrices at any alignment: elements are scattered in shared memory to where they lie in the target.
//
//   source rows   --aligned words--> registers --an element a store--> image of the target --16 bytes--> target
//
// The image in shared memory has the bytes of the target in their order, so that what a block writes is whole vectors whatever
// rows they belong to; only the ends of a run are written in parts. A block moves `matrices` matrices, or some columns of one:
//
//   Dense   the target has no gaps between rows, nor between matrices: the image is one run
//           |row 0 of matrix 0|row 1 .....|row 0 of matrix 1|row 1 ...
//   else    row c of the target goes on with row c of the next matrix: a run for each column
//           |row c of matrix 0|row c of matrix 1|...            at an odd number of words from run to run
//
// Conflicts: 32 lanes store elements of words that lie side by side. In Dense images they are `rows` words apart, which is
// gcd(rows, 32)-way; in runs 4 / Bytes ways. Runs are read as words, four lanes of a bank. So there is excess,
// which depends on the shape and is not proved; rows that are multiples of 8 are left to other kernels.
//
// Elements of 1, 2 or 4 bytes; pointers and strides are multiples of the element's size. Reads stay inside the source, but for up
// to 3 bytes before its first that lie in the same aligned word. Source and target do not overlap. Device code, whole blocks;
// launch_scatter is host code.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "lanebank/kernels/transpose_any.cuh"
#include "lanebank/kernels/word_of.cuh"

namespace lanebank::kernels {

inline constexpr unsigned scatter_threads = 256, scatter_ahead = 6;
/// Bytes of the image of a block, about.
inline constexpr std::uint32_t scatter_bytes = 28672;

struct Scatter {
  TransposeSpan span;      ///< tile_columns: columns of a block; strips: blocks of a matrix; batch axes: without axis 0
  Divisor groups;          ///< of matrices
  std::uint32_t axis = 1;  ///< matrices along batch axis 0
  std::uint32_t matrices = 1;
  std::uint64_t target_stride = 0;                     ///< of batch axis 0
  std::uint32_t source_stride = 0, source_pitch = 0;   ///< of batch axis 0; from row to row: inside a block
  Divisor inner;                                       ///< rows, or matrices of a block: what rows are counted by first
  Divisor words_across, run_vectors;
  std::uint32_t run_pitch = 0;  ///< bytes from column to column in the image
};

namespace detail {

/// What a block moves.
struct ScatterBlock {
  const unsigned char *source, *source_end;
  unsigned char* target;
  unsigned columns, matrices;
};

__device__ __forceinline__ ScatterBlock scatter_block(const Scatter& scatter, unsigned bytes) {
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
  block.source += std::uint64_t{first} * scatter.source_stride + std::uint64_t{column} * bytes;
  block.target += first * scatter.target_stride + column * span.target_pitch;
  block.columns = min(span.columns - column, span.tile_columns);
  block.matrices = min(scatter.axis - first, scatter.matrices);
  return block;
}

/// Bytes of an image before its first run's first word: a vector may begin up to 15 bytes before a run.
inline constexpr unsigned scatter_lead = 16;

/// No place in an image.
inline constexpr std::uint32_t no_place = ~0u;

/// Stores the low bytes of a word to shared memory without a branch, so that the compiler keeps the order of what is around it.
template <unsigned Bytes>
__device__ __forceinline__ void store_if(bool condition, std::uint32_t address, std::uint32_t word) {
  if constexpr (Bytes == 4)
    asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %0, 0;\n@p st.shared.u32 [%1], %2;\n}" ::"r"(unsigned{condition}),
                 "r"(address), "r"(word)
                 : "memory");
  else if constexpr (Bytes == 2)
    asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %0, 0;\n@p st.shared.u16 [%1], %2;\n}" ::"r"(unsigned{condition}),
                 "r"(address), "h"(static_cast<std::uint16_t>(word))
                 : "memory");
  else
    asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %0, 0;\n@p st.shared.u8 [%1], %2;\n}" ::"r"(unsigned{condition}),
                 "r"(address), "r"(word)
                 : "memory");
}

/// The source's rows into the image.
template <unsigned Bytes, bool Dense, Reach R>
__device__ __forceinline__ void fill_image(unsigned char* image, const Scatter& scatter, const ScatterBlock& block) {
  using Type = typename WordOf<Bytes>::Type;
  unsigned across = threadIdx.x;
  const unsigned begin = scatter.words_across.split(across), step = scatter.words_across.quotient(scatter_threads);
  const unsigned rows = (Dense ? block.matrices : scatter.matrices) * scatter.span.rows;
  if (begin >= step) return;
  const std::uint32_t matrix_pitch =
      Dense ? scatter.span.rows * scatter.span.columns * Bytes : scatter.span.rows * Bytes;
  const auto phase = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(block.target));
  const auto pitch = static_cast<std::uint32_t>(scatter.span.target_pitch);
  const auto base = static_cast<std::uint32_t>(__cvta_generic_to_shared(image));
  const std::uint64_t source = kept(reinterpret_cast<std::uintptr_t>(block.source) + across * 4);
  for (unsigned row = begin; row < rows;) {
    std::uint32_t words[scatter_ahead], places[scatter_ahead];  // of column 0 of their rows in the image
    int columns[scatter_ahead];                                 // of the words' first elements
#pragma unroll
    for (unsigned u = 0; u < scatter_ahead; ++u) {
      std::uint32_t within = row;
      const std::uint32_t outer = scatter.inner.split(within);
      const std::uint32_t matrix = Dense ? outer : min(within, block.matrices - 1), line = Dense ? within : outer;
      const std::uint64_t from = source + (matrix * scatter.source_stride + line * scatter.source_pitch);
      words[u] = load_word<R>(as_global(from & ~std::uint64_t{3}), block.source_end);
      columns[u] = static_cast<int>(across * 4 / Bytes) - static_cast<int>(static_cast<std::uint32_t>(from) % 4 / Bytes);
      // The last group may have fewer matrices.
      places[u] = Dense || within < block.matrices ? base + matrix * matrix_pitch + line * Bytes : no_place;
      // The thread's last row stands for those behind it: without conditions all loads come before the first store.
      if (u + 1 == scatter_ahead || row + step < rows) row += step;
    }
#pragma unroll
    for (unsigned u = 0; u < scatter_ahead; ++u) {
      const std::uint32_t first = places[u] + static_cast<std::uint32_t>(columns[u]) * scatter.run_pitch;
#pragma unroll
      for (unsigned i = 0; i < 4 / Bytes; ++i) {
        const std::uint32_t column = static_cast<std::uint32_t>(columns[u]) + i;
        const std::uint32_t begins = Dense ? phase % 16 : (phase + column * pitch) % 4;
        store_if<Bytes>(column < block.columns && (Dense || places[u] != no_place), first + i * scatter.run_pitch + begins,
                        words[u] >> 8 * Bytes * i);
      }
    }
  }
}

}  // namespace detail

/// scatter_threads threads; dynamic shared memory: the image's bytes and 2 x scatter_lead.
template <unsigned Bytes, bool Dense>
__global__ void __launch_bounds__(scatter_threads, 6) transpose_scatter(const Scatter scatter) {
  extern __shared__ __align__(16) unsigned char memory[];
  unsigned char* const image = memory + detail::scatter_lead;
  const detail::ScatterBlock block = detail::scatter_block(scatter, Bytes);
  const unsigned char* const last = block.source + (block.matrices - 1) * scatter.source_stride +
                                    (scatter.span.rows - 1) * scatter.source_pitch + block.columns * Bytes + 7;
  // Words of matrices or rows further on are no harm; only the end of all that may be read is.
  if (last > block.source_end)
    detail::fill_image<Bytes, Dense, detail::Reach::beyond_end>(image, scatter, block);
  else
    detail::fill_image<Bytes, Dense, detail::Reach::inside>(image, scatter, block);
  __syncthreads();

  const auto bytes = static_cast<int>(scatter.span.rows * block.matrices * (Dense ? block.columns : 1) * Bytes);
  const unsigned vectors = (Dense ? 1 : block.columns) * scatter.run_vectors.divisor;
  for (unsigned n = threadIdx.x; n < vectors; n += scatter_threads) {
    std::uint32_t vector = n;
    const std::uint32_t run = Dense ? 0 : scatter.run_vectors.split(vector);
    const std::uint64_t to = reinterpret_cast<std::uintptr_t>(block.target) + run * scatter.span.target_pitch;
    const int offset = static_cast<int>(vector * 16) - static_cast<int>(to % 16);
    if (offset >= bytes) continue;
    uint4 value;
    if constexpr (Dense) {
      value = *reinterpret_cast<const uint4*>(image + vector * 16);
    } else {
      const auto* const words = reinterpret_cast<const std::uint32_t*>(
          image + static_cast<int>(run * scatter.run_pitch) + static_cast<int>(vector * 16) - static_cast<int>(to & 12));
      value = {words[0], words[1], words[2], words[3]};
    }
    unsigned char* const address = detail::as_global<unsigned char>((to & ~std::uint64_t{15}) + vector * 16);
    if (offset >= 0 && offset + 16 <= bytes)
      *reinterpret_cast<uint4*>(address) = value;
    else
      detail::store_part<Bytes>(address, offset, 0, bytes, value);
  }
}

/// Does the target have no gaps between the rows of a matrix, which are no multiples of 8?
inline bool is_dense(const TransposeSpan& span, std::uint32_t bytes) {
  return span.target_pitch == std::uint64_t{span.rows} * bytes && span.rows % 8 != 0 && span.rows * bytes >= 16 &&
         span.rows * bytes <= 1024;
}

/// transpose_scatter on a span that is_dense, or whose target's rows go on along batch axis 0; span.source_end is set.
template <unsigned Bytes, bool Dense>
cudaError_t launch_scatter(TransposeSpan span, cudaStream_t stream) {
  const std::uint64_t column = std::uint64_t{span.rows} * Bytes, matrix = column * span.columns;
  Scatter scatter;
  std::uint64_t source_stride = 0;
  const bool goes_on = span.batch_axes > 0 && span.batch[0].target_stride == (Dense ? matrix : column);
  if (goes_on) {
    scatter.axis = span.batch[0].extent.divisor;
    source_stride = span.batch[0].source_stride, scatter.target_stride = span.batch[0].target_stride;
    --span.batch_axes;
    for (unsigned i = 0; i < span.batch_axes; ++i) span.batch[i] = span.batch[i + 1];
  } else if (!Dense) {
    return cudaErrorInvalidValue;
  }
  // As many matrices as make an image, or as many columns.
  const std::uint64_t fit = matrix < scatter_bytes ? scatter_bytes / matrix : 1;
  scatter.matrices = static_cast<std::uint32_t>(fit < scatter.axis ? fit : scatter.axis);
  if (!Dense && scatter.matrices * column < 256 && scatter.axis > scatter.matrices)  // runs of 256 bytes and more
    scatter.matrices = static_cast<std::uint32_t>((256 + column - 1) / column < scatter.axis ? (256 + column - 1) / column : scatter.axis);
  const std::uint64_t bytes = scatter.matrices * matrix;
  const auto pieces = static_cast<std::uint32_t>((bytes + scatter_bytes * 5 / 4 - 1) / (scatter_bytes * 5 / 4));
  span.tile_columns = (span.columns + pieces - 1) / pieces;
  span.strips = Divisor((span.columns + span.tile_columns - 1) / span.tile_columns);
  // Inside a block places have 31 bits.
  constexpr std::uint64_t far = std::uint64_t{1} << 31;
  if (source_stride >= far || span.source_pitch >= far ||
      (scatter.matrices - 1) * source_stride + (span.rows - 1) * span.source_pitch >= far)
    return cudaErrorNotSupported;
  scatter.source_stride = static_cast<std::uint32_t>(source_stride);
  scatter.source_pitch = static_cast<std::uint32_t>(span.source_pitch);
  scatter.groups = Divisor((scatter.axis + scatter.matrices - 1) / scatter.matrices);
  scatter.inner = Divisor(Dense ? span.rows : scatter.matrices);
  scatter.words_across = Divisor((span.tile_columns * Bytes + 4 - Bytes + 3) / 4);
  const auto run_bytes = static_cast<std::uint32_t>(scatter.matrices * column * (Dense ? span.tile_columns : 1));
  scatter.run_vectors = Divisor((run_bytes + 15 + 15) / 16);
  scatter.run_pitch = Dense ? static_cast<std::uint32_t>(column) : ((run_bytes + 6) / 4 | 1) * 4;
  const std::uint32_t shared_bytes =
      (Dense ? run_bytes + 16 : scatter.run_pitch * span.tile_columns + 16) + 2 * detail::scatter_lead;
  scatter.span = span;
  std::uint64_t blocks = std::uint64_t{span.strips.divisor} * scatter.groups.divisor;
  for (unsigned i = 0; i < span.batch_axes; ++i) blocks *= span.batch[i].extent.divisor;
  if (blocks >= (std::uint64_t{1} << 31) || scatter.words_across.divisor > scatter_threads || shared_bytes > 96 * 1024)
    return cudaErrorNotSupported;
  const cudaError_t error =
      shared_bytes <= 48 * 1024
          ? cudaSuccess
          : cudaFuncSetAttribute(&transpose_scatter<Bytes, Dense>, cudaFuncAttributeMaxDynamicSharedMemorySize, 96 * 1024);
  if (error != cudaSuccess) return error;
  transpose_scatter<Bytes, Dense><<<static_cast<unsigned>(blocks), scatter_threads, shared_bytes, stream>>>(scatter);
  return cudaGetLastError();
}

}  // namespace lanebank::kernels
