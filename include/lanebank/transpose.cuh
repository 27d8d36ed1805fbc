// lanebank::transpose: matrices of elements of 1, 2, 3, 4, 6, 8, 12 or 16 bytes, any shape, any pitch, batches, one call.
//
//   target(batch, column, row) = source(batch, row, column)      row < rows, column < columns, batch < batches
//
//   element (row, column) of a source   source + batch * source_batch_bytes + row * source_pitch_bytes + column * element_bytes
//   element (column, row) of a target   target + batch * target_batch_bytes + column * target_pitch_bytes + row * element_bytes
//
// Smallest example:
//
//   lanebank::Transpose move;                       // a dense matrix of floats
//   move.source = a, move.target = b;
//   move.rows = 1000, move.columns = 333, move.element_bytes = 4;
//   if (lanebank::transpose(move, stream) != lanebank::MoveStatus::ok) ...
//
// In place: source == target, rows == columns, both pitches and both batch strides alike.
//
// Stream-ordered: the call launches kernels on `stream` and returns. It allocates nothing and does not synchronise. The first
// call of a kind in a context may load its kernel. Every element is moved bit for bit, none outside the target is written.
// Reads stay between the first and the last element of each source matrix, but for up to 3 bytes before the first that lie
// in the same aligned word.
//
// Units: pitches and strides in bytes; rows, columns in elements. Pointers, pitches and strides are multiples of the largest
// power of two that divides element_bytes. Which kernel runs: kernels/transpose_launch.cuh. Where all addresses are multiples
// of 32 bytes and rows and columns whole vectors of 16 bytes, it is the fastest.
//
// What it does not do: rectangular matrices in place; sources and targets that overlap otherwise; other element sizes (move
// those as several of a size that divides them, with lanebank::permute). Host code, any thread; C++17 and the CUDA runtime.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "lanebank/kernels/transpose_dispatch.cuh"
#include "lanebank/kernels/transpose_square.cuh"
#include "lanebank/move_status.hpp"

namespace lanebank {

struct Transpose {
  const void* source = nullptr;
  void* target = nullptr;
  std::uint64_t rows = 0, columns = 0;  ///< of the source
  std::uint32_t element_bytes = 4;
  std::uint64_t source_pitch_bytes = 0;  ///< 0: rows follow one another
  std::uint64_t target_pitch_bytes = 0;  ///< 0: rows follow one another
  std::uint64_t batches = 1;
  std::uint64_t source_batch_bytes = 0;  ///< 0: matrices follow one another, rows x pitch
  std::uint64_t target_batch_bytes = 0;  ///< 0: matrices follow one another
};

namespace kernels {

/// The largest power of two that divides an element size.
constexpr std::uint64_t granule_of(std::uint32_t element_bytes) { return element_bytes & (~element_bytes + 1); }
constexpr bool is_element_size(std::uint32_t bytes) {
  return bytes == 1 || bytes == 2 || bytes == 3 || bytes == 4 || bytes == 6 || bytes == 8 || bytes == 12 || bytes == 16;
}

/// The bytes of one side: `lines` of `width`, `pitch` apart, in `batches` that are `stride` apart.
struct Extents {
  std::uint64_t begin = 0, lines = 0, width = 0, pitch = 0, batches = 1, stride = 0;
  std::uint64_t matrix_bytes() const { return (lines - 1) * pitch + width; }
  std::uint64_t end() const { return begin + (batches - 1) * stride + matrix_bytes(); }
};

inline bool product_fits(std::uint64_t a, std::uint64_t b) { return a == 0 || b <= (std::uint64_t{1} << 62) / a; }

/// Do the two sides share a byte? Exact for single matrices of one pitch; else taken to, when their ranges meet.
inline bool may_overlap(const Extents& a, const Extents& b) {
  if (a.end() <= b.begin || b.end() <= a.begin) return false;
  if (a.batches != 1 || b.batches != 1 || a.pitch != b.pitch) return true;
  // Side by side in rows of one larger matrix.
  const std::uint64_t b_in_row =
      b.begin >= a.begin ? (b.begin - a.begin) % a.pitch : (a.pitch - (a.begin - b.begin) % a.pitch) % a.pitch;
  return b_in_row < a.width || b_in_row + b.width > a.pitch;
}

inline std::uint64_t address_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

/// Fills in what was left 0. False: a product does not fit.
inline bool complete(Transpose& t) {
  if (!product_fits(t.rows, t.element_bytes) || !product_fits(t.columns, t.element_bytes)) return false;
  if (t.source_pitch_bytes == 0) t.source_pitch_bytes = t.columns * t.element_bytes;
  if (t.target_pitch_bytes == 0) t.target_pitch_bytes = t.rows * t.element_bytes;
  if (!product_fits(t.rows, t.source_pitch_bytes) || !product_fits(t.columns, t.target_pitch_bytes)) return false;
  if (t.source_batch_bytes == 0) t.source_batch_bytes = t.rows * t.source_pitch_bytes;
  if (t.target_batch_bytes == 0) t.target_batch_bytes = t.columns * t.target_pitch_bytes;
  return product_fits(t.batches, t.source_batch_bytes) && product_fits(t.batches, t.target_batch_bytes);
}

/// Do batches of the target keep clear of each other?
inline bool batches_apart(const Extents& target) {
  if (target.batches == 1 || target.stride >= target.matrix_bytes()) return true;
  return target.stride >= target.width && (target.batches - 1) * target.stride + target.width <= target.pitch;
}

inline constexpr std::uint64_t rows_max = 2147483647 - 1024;

/// Everything that can be wrong with a completed request that moves something. `in_place`: what it turns out to be.
inline MoveStatus check(const Transpose& t, bool& in_place) {
  if (t.source == nullptr || t.target == nullptr) return MoveStatus::null_pointer;
  if (t.rows > rows_max || t.columns > rows_max || t.batches > rows_max) return MoveStatus::overflow;
  const std::uint64_t bits = address_of(t.source) | address_of(t.target) | t.source_pitch_bytes | t.target_pitch_bytes |
                             (t.batches > 1 ? t.source_batch_bytes | t.target_batch_bytes : 0);
  if (bits % granule_of(t.element_bytes) != 0) return MoveStatus::misaligned;
  const Extents source{address_of(t.source), t.rows,    t.columns * t.element_bytes,
                       t.source_pitch_bytes, t.batches, t.source_batch_bytes};
  const Extents target{address_of(t.target), t.columns, t.rows * t.element_bytes,
                       t.target_pitch_bytes, t.batches, t.target_batch_bytes};
  if (source.pitch < source.width || target.pitch < target.width || !batches_apart(target))
    return MoveStatus::pitch_too_small;
  in_place = t.source == t.target && t.rows == t.columns && source.pitch == target.pitch &&
             (t.batches == 1 || source.stride == target.stride);
  return !in_place && may_overlap(source, target) ? MoveStatus::overlap : MoveStatus::ok;
}

/// Counts the pairs of tiles of `edge` rows, in squares of group x group tiles.
inline void cut_pairs(TransposeSpan& span, std::uint32_t edge, std::uint32_t group = 1) {
  const auto tiles = static_cast<std::uint32_t>(rounded_up((span.rows + edge * group - 1) / (edge * group), 2));
  span.tiles_down = Divisor(tiles / 2);
  span.strips = Divisor(tiles + 1);
  span.strip = Divisor(group * group);
}

/// transpose_square<T, Group> on the span; pairs are counted here.
template <class T, unsigned Group = 1>
cudaError_t launch_square(TransposeSpan span, cudaStream_t stream, std::uint64_t most_blocks = blocks_max) {
  cut_pairs(span, T::rows, Group);
  constexpr unsigned shared_bytes = 2 * T::Layout::bytes;
  const cudaError_t error = allow_shared(&transpose_square<T, Group>, shared_bytes);
  if (error != cudaSuccess) return error;
  return in_launches(span, most_blocks, [&](const TransposeSpan& some, unsigned blocks) {
    transpose_square<T, Group><<<blocks, T::threads, shared_bytes, stream>>>(some);
    return cudaGetLastError();
  });
}

template <unsigned Bytes>
cudaError_t launch_in_place(TransposeSpan span, cudaStream_t stream, std::uint64_t most_blocks = blocks_max) {
  if constexpr (16 % Bytes == 0) {
    using T = TransposeTile<Bytes, SquareTileSize<Bytes>>;
    if (address_bits(span, false) % 16 == 0 && span.rows % T::vector_elements == 0)
      return launch_square<T>(span, stream, most_blocks);
  }
  if constexpr (Bytes < 16) {
    using T = SquareAnyTile<Bytes>;
    cut_pairs(span, T::rows);
    span.tile_rows = span.tile_columns = T::rows;
    constexpr unsigned shared_bytes = 2 * T::Layout::bytes;
    const cudaError_t error = allow_shared(&transpose_square_any<T>, shared_bytes);
    if (error != cudaSuccess) return error;
    const AnyCut any_cut = square_cut<T>();
    return in_launches(span, most_blocks, [&](const TransposeSpan& some, unsigned blocks) {
      transpose_square_any<T><<<blocks, T::threads, shared_bytes, stream>>>(some, any_cut);
      return cudaGetLastError();
    });
  }
  return cudaErrorInvalidValue;  // elements of 16 bytes are always aligned
}

inline cudaError_t launch_in_place(std::uint32_t element_bytes, const TransposeSpan& span, cudaStream_t stream) {
  return with_element_size(element_bytes, [&](auto bytes) { return launch_in_place<bytes()>(span, stream); });
}

}  // namespace kernels

/// Transposes; the page above. Nothing is launched unless the answer is ok or launch_failed.
inline MoveStatus transpose(Transpose t, cudaStream_t stream = nullptr) {
  if (!kernels::is_element_size(t.element_bytes)) return MoveStatus::element_size;
  if (t.rows == 0 || t.columns == 0 || t.batches == 0) return MoveStatus::ok;
  if (!kernels::complete(t)) return MoveStatus::overflow;
  bool in_place = false;
  const MoveStatus status = kernels::check(t, in_place);
  if (status != MoveStatus::ok) return status;

  kernels::TransposeSpan span;
  span.source = static_cast<const unsigned char*>(t.source);
  span.target = static_cast<unsigned char*>(t.target);
  span.rows = static_cast<std::uint32_t>(t.rows);
  span.columns = static_cast<std::uint32_t>(t.columns);
  span.source_pitch = t.source_pitch_bytes;
  span.target_pitch = t.target_pitch_bytes;
  if (t.batches > 1) {
    span.batch_axes = 1;
    // Where batches follow one another, what lies behind one is the next.
    if (t.source_batch_bytes <= t.rows * t.source_pitch_bytes)
      span.source_end = span.source + (t.batches - 1) * t.source_batch_bytes + (t.rows - 1) * t.source_pitch_bytes +
                        t.columns * t.element_bytes;
    span.batch[0] = {kernels::Divisor(static_cast<std::uint32_t>(t.batches)), t.source_batch_bytes,
                     t.target_batch_bytes};
  }
  const cudaError_t error = in_place ? kernels::launch_in_place(t.element_bytes, span, stream)
                                     : kernels::launch_transpose(t.element_bytes, span, stream);
  return error == cudaSuccess ? MoveStatus::ok : MoveStatus::launch_failed;
}

}  // namespace lanebank
