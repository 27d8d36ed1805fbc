// Transposes of small matrices without gaps, that lie one behind another on both sides or in another order, at any alignment.
//
//   source  |matrix 0 .....|matrix 1 .....|     16 aligned bytes per load, into shared memory as they are
//   target  |its transpose |its transpose |     16 aligned bytes per store, whatever rows they belong to
//
// A block moves some whole matrices; one, where matrices do not lie in the same order on both sides. Their target is one piece without gaps, so short rows cost no partial stores: only the
// first and the last vector of a block are written element by element. The elements of a vector are read from shared
// memory one by one: element (r, c) of matrix k lies at (k x rows + r) x columns + c. Those reads have bank conflicts that
// depend on the shape; nothing is proved about them. Two lanes store 32 bytes; how far on the next two store is chosen by
// counting the conflicts of a warp, stack_step: mostly about a column further, so that they read the same row.
//
// Elements of 1, 2 or 4 bytes; pointers are multiples of the element's size. Reads stay inside the source. Device code, whole
// blocks; launch_stack is host code.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "lanebank/kernels/divisor.hpp"
#include "lanebank/kernels/transpose_span.cuh"
#include "lanebank/kernels/word_of.cuh"

namespace lanebank::kernels {

inline constexpr unsigned stack_threads = 256;
/// Bytes of the matrices of a block, if there are several; and of the largest matrix.
inline constexpr std::uint32_t stack_bytes = 16384, stack_matrix_bytes_max = 45056;

struct Stack {
  const unsigned char* source = nullptr;
  unsigned char* target = nullptr;
  std::uint32_t rows = 0, columns = 0;                 ///< of a matrix of the source
  std::uint32_t matrices = 0, matrices_per_block = 0;  ///< several per block: one batch axis
  std::uint32_t batch_axes = 0;
  BatchAxis batch[batch_axes_max];
  Divisor matrix_elements, column_elements;  ///< rows * columns; rows
  Divisor step;                              ///< pairs of vectors from two lanes on to the next two
};

namespace detail {

/// The bytes [0, bytes) from `source` on, to shared memory from byte source mod 16 on.
template <unsigned Bytes>
__device__ __forceinline__ void read_stack(unsigned char* shared, const unsigned char* source, std::uint32_t bytes) {
  using Type = typename WordOf<Bytes>::Type;
  constexpr unsigned ahead = 4;
  const auto lead = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(source) % 16);
  const std::uint32_t vectors = (lead + bytes + 15) / 16;
  for (std::uint32_t first = threadIdx.x; first < vectors; first += ahead * stack_threads) {
    uint4 values[ahead];
#pragma unroll
    for (unsigned u = 0; u < ahead; ++u) {
      const std::uint32_t at = (first + u * stack_threads) * 16;  // in shared memory
      if (at >= lead && at + 16 <= lead + bytes) values[u] = *reinterpret_cast<const uint4*>(source + at - lead);
    }
#pragma unroll
    for (unsigned u = 0; u < ahead; ++u) {
      const std::uint32_t at = (first + u * stack_threads) * 16;
      if (at >= lead && at + 16 <= lead + bytes)
        *reinterpret_cast<uint4*>(shared + at) = values[u];
      else
        for (std::uint32_t b = at; b < at + 16; b += Bytes)
          if (b >= lead && b < lead + bytes)
            *reinterpret_cast<Type*>(shared + b) = *reinterpret_cast<const Type*>(source + b - lead);
    }
  }
}

}  // namespace detail

/// stack_threads threads; dynamic shared memory: the bytes of matrices_per_block matrices and 16 more.
template <unsigned Bytes>
__global__ void __launch_bounds__(stack_threads) transpose_stack(const Stack stack) {
  using Type = typename detail::WordOf<Bytes>::Type;
  extern __shared__ __align__(16) unsigned char memory[];
  const std::uint32_t first = blockIdx.x * stack.matrices_per_block;
  const std::uint32_t elements = min(stack.matrices - first, stack.matrices_per_block) * stack.matrix_elements.divisor;
  const unsigned char* source = stack.source;
  unsigned char* target = stack.target;
  std::uint32_t rest = first;
#pragma unroll
  for (unsigned i = 0; i < batch_axes_max; ++i) {
    if (i >= stack.batch_axes) break;
    std::uint32_t index = rest;
    rest = stack.batch[i].extent.split(index);
    source += index * stack.batch[i].source_stride;
    target += index * stack.batch[i].target_stride;
  }
  detail::read_stack<Bytes>(memory, source, elements * Bytes);
  __syncthreads();

  constexpr unsigned count = 16 / Bytes;
  const auto* const held = reinterpret_cast<const Type*>(memory + reinterpret_cast<std::uintptr_t>(source) % 16);
  const auto lead = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(target) % 16 / Bytes);
  const std::uint32_t vectors = (lead + elements + count - 1) / count;
  const std::uint32_t up = (stack.rows - 1) * stack.columns - 1;  // from the foot of a column to the next one's head
  const unsigned lane = threadIdx.x % 32, warp_vectors = 32 * stack.step.divisor;
  const std::uint32_t turns = (vectors + warp_vectors - 1) / warp_vectors * stack.step.divisor;
  for (std::uint32_t turn = threadIdx.x / 32; turn < turns; turn += stack_threads / 32) {
    std::uint32_t pair = turn;
    const std::uint32_t piece = stack.step.split(pair);
    const std::uint32_t v = piece * warp_vectors + (lane / 2 * stack.step.divisor + pair) * 2 + lane % 2;
    if (v >= vectors) continue;
    const bool starts = v == 0, ends = (v + 1) * count > lead + elements;
    const std::uint32_t skipped = starts ? lead : 0, begin = v * count + skipped - lead;  // elements
    const std::uint32_t end = ends ? elements : (v + 1) * count - lead;
    std::uint32_t place = begin;
    const std::uint32_t matrix = stack.matrix_elements.split(place);
    std::uint32_t row = place;
    std::uint32_t column = stack.column_elements.split(row);
    place = matrix * stack.matrix_elements.divisor + row * stack.columns + column;
    const auto advance = [&] {
      if (++row < stack.rows) {
        place += stack.columns;
        return;
      }
      row = 0;
      if (++column < stack.columns)
        place -= up;
      else
        column = 0, ++place;
    };
    if (starts || ends) {
      for (std::uint32_t e = begin; e < end; ++e, advance()) reinterpret_cast<Type*>(target)[e] = held[place];
      continue;
    }
    __align__(16) Type values[count];
#pragma unroll
    for (unsigned i = 0; i < count; ++i) values[i] = held[place], advance();
    std::uint32_t words[4];
#pragma unroll
    for (unsigned w = 0; w < 4; ++w) {
      words[w] = 0;
#pragma unroll
      for (unsigned i = 0; i < 4 / Bytes; ++i)
        words[w] |= static_cast<std::uint32_t>(values[w * (4 / Bytes) + i]) << 8 * Bytes * i;
    }
    *reinterpret_cast<uint4*>(target + std::uint64_t{begin} * Bytes) = {words[0], words[1], words[2], words[3]};
  }
}

/// Matrices of the span; 2^31 where there are as many or more.
inline std::uint64_t matrices_of(const TransposeSpan& span) {
  std::uint64_t count = 1;
  for (unsigned i = 0; i < span.batch_axes && count < (1u << 31); ++i) count *= span.batch[i].extent.divisor;
  return count < (1u << 31) ? count : 1u << 31;
}

inline bool one_behind_another(const TransposeSpan& span, std::uint64_t matrix_bytes) {
  return span.batch_axes == 1 && span.batch[0].source_stride == matrix_bytes &&
         span.batch[0].target_stride == matrix_bytes;
}

/// Are the matrices of the span without gaps on both sides, and small? Do they lie one behind another, or is each enough for
/// a block?
inline bool is_stack(const TransposeSpan& span, std::uint32_t bytes) {
  const std::uint64_t matrix = std::uint64_t{span.rows} * span.columns * bytes;
  if (span.batch_axes == 0 || matrix > stack_matrix_bytes_max ||
      span.source_pitch != std::uint64_t{span.columns} * bytes || span.target_pitch != std::uint64_t{span.rows} * bytes)
    return false;
  return one_behind_another(span, matrix) || (matrix >= 8192 && matrices_of(span) < (1u << 31));
}

/// The wavefronts of a warp's read of one element of its vectors, if pairs of lanes are `step` pairs of vectors apart.
inline unsigned stack_wavefronts(const Stack& stack, unsigned bytes, std::uint32_t step) {
  std::uint32_t words[32];
  unsigned of_bank[32] = {}, most = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    std::uint32_t place = (lane / 2 * step * 2 + lane % 2) * (16 / bytes);  // of the target
    const std::uint32_t matrix = stack.matrix_elements.split(place);
    const std::uint32_t column = stack.column_elements.split(place);
    const std::uint32_t element = matrix * stack.matrix_elements.divisor + place * stack.columns + column;
    words[lane] = element * bytes / 4;
    bool known = false;
    for (unsigned other = 0; other < lane; ++other) known = known || words[other] == words[lane];
    if (known) continue;
    const unsigned count = ++of_bank[words[lane] % 32];
    most = count > most ? count : most;
  }
  return most;
}

/// The least step with few conflicts, for a block's vectors: lanes that store close together are faster than the fewest
/// conflicts. 1 where there is little to move.
inline std::uint32_t stack_step(const Stack& stack, unsigned bytes) {
  constexpr unsigned few = 4;
  const std::uint32_t block_bytes = stack.matrices_per_block * stack.matrix_elements.divisor * bytes;
  if (std::uint64_t{stack.matrices} * stack.matrix_elements.divisor * bytes < (1u << 22)) return 1;
  std::uint32_t best = 1;
  unsigned fewest = 33;
  for (std::uint32_t step = 1; step <= 16 && step * 1024 <= block_bytes && fewest > few; ++step) {
    const unsigned found = stack_wavefronts(stack, bytes, step);
    if (found < fewest) fewest = found, best = step;
  }
  return best;
}

/// transpose_stack on a span that is one. step 0: the best one.
template <unsigned Bytes>
cudaError_t launch_stack(const TransposeSpan& span, cudaStream_t stream, std::uint32_t step = 0) {
  const std::uint32_t elements = span.rows * span.columns;
  const std::uint32_t fit = one_behind_another(span, elements * Bytes) ? stack_bytes / (elements * Bytes) : 1;
  Stack stack;
  stack.source = span.source, stack.target = span.target;
  stack.rows = span.rows, stack.columns = span.columns;
  stack.matrices = static_cast<std::uint32_t>(matrices_of(span));
  stack.batch_axes = span.batch_axes;
  for (unsigned i = 0; i < span.batch_axes; ++i) stack.batch[i] = span.batch[i];
  stack.matrices_per_block = fit == 0 ? 1 : fit;
  stack.matrix_elements = Divisor(elements), stack.column_elements = Divisor(span.rows);
  stack.step = Divisor(step != 0 ? step : stack_step(stack, Bytes));
  const std::uint32_t blocks = (stack.matrices + stack.matrices_per_block - 1) / stack.matrices_per_block;
  transpose_stack<Bytes><<<blocks, stack_threads, stack.matrices_per_block * elements * Bytes + 16, stream>>>(stack);
  return cudaGetLastError();
}

}  // namespace lanebank::kernels
