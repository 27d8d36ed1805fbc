// lanebank::permute: the axes of a dense tensor in another order. Up to 6 axes, elements of 1, 2, 3, 4, 6, 8, 12 or 16 bytes.
//
//   target[j_0, ..., j_k] = source[i_0, ..., i_k]      with j_n = i_(axes[n]), as permute() of PyTorch and transpose() of NumPy
//   extent n of the target = extents[axes[n]]          the last axis is the innermost one
//
// Smallest example, N C H W to N H W C:
//
//   lanebank::Permute move;
//   move.source = a, move.target = b, move.element_bytes = 4;
//   move.rank = 4;
//   move.extents = {n, c, h, w};
//   move.axes = {0, 2, 3, 1};
//   if (lanebank::permute(move, stream) != lanebank::MoveStatus::ok) ...
//
// How: axes of extent 1 are dropped, axes that stay neighbours are merged. What is left is
//   one axis                           a copy
//   the innermost axis stays           rows gathered (kernels/copy_rows.cuh, short ones at odd addresses
//                                      kernels/copy_rows_image.cuh); or, if a row is as small as an element can be,
//                                      a permutation of such elements
//   all else                           transposes of (innermost axis of the target) x (innermost axis of the source), one for
//                                      each index of the up to four other axes (kernels/transpose_launch.cuh); where the
//                                      target's two innermost axes are short and not the source's innermost one, both make
//                                      its rows (kernels/transpose_composite.cuh, kernels/transpose_gather.cuh)
//
// Stream-ordered, allocates nothing, does not synchronise. Elements are moved bit for bit. Source and target do not overlap,
// and are multiples of the largest power of two that divides element_bytes. Reads stay inside the source, but for up to 3 bytes
// before its first that lie in the same aligned word.
//
// What it does not do: strides (use lanebank::transpose for two axes with pitches); speed where both innermost axes are
// short: below 32 elements much of each tile is empty. Host code, any thread; C++17 and the CUDA runtime.
#pragma once

#include <cuda_runtime.h>

#include <array>
#include <cstdint>

#include "lanebank/kernels/copy_rows_image.cuh"
#include "lanebank/kernels/transpose_composite.cuh"
#include "lanebank/transpose.cuh"

namespace lanebank {

inline constexpr unsigned permute_rank_max = 6;

struct Permute {
  const void* source = nullptr;
  void* target = nullptr;
  std::uint32_t element_bytes = 4;
  std::uint32_t rank = 0;
  std::array<std::uint64_t, permute_rank_max> extents{};  ///< of the source, outermost first
  std::array<std::uint32_t, permute_rank_max> axes{};     ///< axis n of the target is axis axes[n] of the source
};

namespace kernels {

/// A permutation without axes of extent 1 and without neighbours that stay neighbours.
struct MergedAxes {
  std::uint32_t element_bytes = 0, rank = 0;
  std::array<std::uint64_t, permute_rank_max> extents{};  ///< of the source
  std::array<std::uint32_t, permute_rank_max> axes{};
};

inline MergedAxes merge_axes(const Permute& p) {
  MergedAxes m;
  m.element_bytes = p.element_bytes;
  // Runs of axes of the target that follow one another in the source too, leaving out those of extent 1.
  std::array<std::uint32_t, permute_rank_max> first{};
  std::array<std::uint64_t, permute_rank_max> extent{};
  std::uint32_t expected = permute_rank_max;
  for (unsigned n = 0; n < p.rank; ++n) {
    const std::uint32_t axis = p.axes[n];
    if (p.extents[axis] == 1) continue;
    if (axis != expected) first[m.rank] = axis, extent[m.rank] = 1, ++m.rank;
    extent[m.rank - 1] *= p.extents[axis];
    expected = axis + 1;
    while (expected < p.rank && p.extents[expected] == 1) ++expected;
  }
  // A run's place in the source is the number of runs that begin before it.
  for (unsigned n = 0; n < m.rank; ++n) {
    std::uint32_t place = 0;
    for (unsigned other = 0; other < m.rank; ++other) place += first[other] < first[n];
    m.axes[n] = place;
    m.extents[place] = extent[n];
  }
  return m;
}

/// Strides in bytes of the source, by its axes, and of the target, by the axes of the source.
struct MergedStrides {
  std::array<std::uint64_t, permute_rank_max> source{}, target{};
};

inline MergedStrides strides_of(const MergedAxes& m) {
  MergedStrides strides;
  std::uint64_t source = m.element_bytes, target = m.element_bytes;
  for (unsigned n = m.rank; n-- > 0;) {
    strides.source[n] = source;
    source *= m.extents[n];
    strides.target[m.axes[n]] = target;
    target *= m.extents[m.axes[n]];
  }
  return strides;
}

/// Does the innermost axis stay, and is a row of it what an element may be, at these addresses? Then that is the element.
inline bool grow_element(MergedAxes& m, std::uint64_t address_bits) {
  const std::uint64_t bytes = m.extents[m.rank - 1] * m.element_bytes;
  if (m.axes[m.rank - 1] != m.rank - 1 || bytes > 16 || !is_element_size(static_cast<std::uint32_t>(bytes)) ||
      address_bits % granule_of(static_cast<std::uint32_t>(bytes)) != 0)
    return false;
  m.element_bytes = static_cast<std::uint32_t>(bytes);
  --m.rank;
  return true;
}

/// The transposes of a permutation that moves the innermost axis.
inline TransposeSpan span_of(const MergedAxes& m, const void* source, void* target) {
  const MergedStrides strides = strides_of(m);
  const std::uint32_t column_axis = m.rank - 1, row_axis = m.axes[m.rank - 1];
  TransposeSpan span;
  span.source = static_cast<const unsigned char*>(source);
  span.target = static_cast<unsigned char*>(target);
  span.rows = static_cast<std::uint32_t>(m.extents[row_axis]);
  span.columns = static_cast<std::uint32_t>(m.extents[column_axis]);
  span.source_pitch = strides.source[row_axis];
  span.target_pitch = strides.target[column_axis];
  span.source_end = span.source + m.extents[0] * strides.source[0];  // all of the tensor may be read
  for (unsigned n = m.rank; n-- > 0;) {  // the target's inner axes first: blocks that run together write close by
    const std::uint32_t axis = m.axes[n];
    if (axis == column_axis || axis == row_axis) continue;
    span.batch[span.batch_axes++] = {Divisor(static_cast<std::uint32_t>(m.extents[axis])), strides.source[axis],
                                     strides.target[axis]};
  }
  return span;
}

/// The matrices whose rows lie side by side in the source first, where those rows are short and no whole sectors: blocks that run
/// together then read the sectors that they share. Not where the first axis makes the target one piece.
inline TransposeSpan neighbours_first(TransposeSpan span, std::uint32_t bytes) {
  const std::uint64_t row = std::uint64_t{span.columns} * bytes;
  if (row > 512 || row % 32 == 0 || span.batch_axes < 2 || span.batch[0].target_stride == row * span.rows) return span;
  for (unsigned i = 1; i < span.batch_axes; ++i) {
    if (span.batch[i].source_stride != row) continue;
    const BatchAxis beside = span.batch[i];
    for (unsigned n = i; n > 0; --n) span.batch[n] = span.batch[n - 1];
    span.batch[0] = beside;
    break;
  }
  return span;
}

/// Those transposes: where rows of the target are short, several matrices' together.
template <unsigned Bytes>
cudaError_t launch_moved(const TransposeSpan& span, cudaStream_t stream) {
  if constexpr (Bytes == 1 || Bytes == 2 || Bytes == 4 || Bytes == 8)
    if (is_composite(span, Bytes)) {
      // Not bytes where each matrix's rows would end inside sectors.
      const bool in_parts = Bytes == 1 && address_bits(span, false) % 32 != 0;
      const cudaError_t error = in_parts ? cudaErrorNotSupported : launch_aligned<Bytes>(span, stream);
      return error == cudaErrorNotSupported ? launch_composite<Bytes>(span, stream) : error;
    }
  return launch_transpose<Bytes>(neighbours_first(span, Bytes), stream);
}

template <unsigned Unit>
cudaError_t launch_units(RowSpan span, cudaStream_t stream) {
  span.row_units = Divisor(span.row_bytes / Unit);
  const std::uint64_t units = std::uint64_t{span.rows} * span.row_units.divisor;
  copy_rows<Unit><<<static_cast<unsigned>((units + copy_threads - 1) / copy_threads), copy_threads, 0, stream>>>(span);
  return cudaGetLastError();
}

template <unsigned Granule>
cudaError_t launch_shifted(const RowSpan& span, cudaStream_t stream) {
  const std::uint64_t early = address_of(span.target) % 16;
  const auto vectors = static_cast<std::uint32_t>((early + std::uint64_t{span.rows} * span.row_bytes + 15) / 16);
  copy_rows_shifted<Granule><<<(vectors + copy_threads - 1) / copy_threads, copy_threads, 0, stream>>>(
      span, Divisor(span.row_bytes), vectors);
  return cudaGetLastError();
}

template <unsigned Granule>
cudaError_t launch_image(const RowSpan& span, cudaStream_t stream) {
  const Divisor words_across((span.row_bytes + 4 - Granule + 3) / 4);
  copy_rows_image<Granule>
      <<<(span.rows + image_rows - 1) / image_rows, image_threads, image_rows * span.row_bytes + 32, stream>>>(
          span, words_across);
  return cudaGetLastError();
}

/// Rows of one launch. Granule and unit follow from what the addresses and the row have in common.
inline cudaError_t launch_rows(const RowSpan& span, cudaStream_t stream) {
  const std::uint64_t bits = address_of(span.source) | address_of(span.target) | span.row_bytes;
  if (bits % 16 == 0) return launch_units<16>(span, stream);
  if (bits % 4 != 0 && span.row_bytes <= image_row_bytes_max)
    return bits % 2 == 0 ? launch_image<2>(span, stream) : launch_image<1>(span, stream);
  if (span.row_bytes >= 32)
    return bits % 4 == 0   ? launch_shifted<4>(span, stream)
           : bits % 2 == 0 ? launch_shifted<2>(span, stream)
                           : launch_shifted<1>(span, stream);
  return bits % 8 == 0 ? launch_units<8>(span, stream) : launch_units<4>(span, stream);
}

/// Bytes that one launch of copied rows may move: its counters have 31 bits.
inline constexpr std::uint64_t launch_bytes_max = (std::uint64_t{1} << 31) - 65536;

/// Rows of a permutation whose innermost axis stays, from outer axis `axis` on. Splits the outer axes until a launch is
/// small enough.
inline cudaError_t copy_axes(const MergedAxes& m, const MergedStrides& strides, unsigned axis, const RowSpan& whole,
                             std::uint64_t most_bytes, cudaStream_t stream) {
  std::uint64_t bytes = m.element_bytes;
  for (unsigned n = axis; n < m.rank; ++n) bytes *= m.extents[m.axes[n]];
  const std::uint64_t extent = m.extents[m.axes[axis]], each = bytes / extent, stride = strides.source[m.axes[axis]];
  if (axis + 1 == m.rank) return cudaMemcpyAsync(whole.target, whole.source, bytes, cudaMemcpyDeviceToDevice, stream);
  const std::uint64_t part = each >= most_bytes ? 1 : most_bytes / each;
  for (std::uint64_t first = 0; first < extent; first += part) {
    RowSpan span = whole;
    span.source += first * stride;
    span.target += first * each;
    cudaError_t error = cudaSuccess;
    if (each > most_bytes) {
      error = copy_axes(m, strides, axis + 1, span, most_bytes, stream);
    } else {
      span.row_bytes = static_cast<std::uint32_t>(m.extents[m.rank - 1] * m.element_bytes);
      const std::uint64_t here = extent - first < part ? extent - first : part;
      span.rows = static_cast<std::uint32_t>(here * (each / span.row_bytes));
      for (unsigned n = m.rank - 1; n-- > axis;)
        span.outer[span.axes++] = {Divisor(static_cast<std::uint32_t>(n == axis ? here : m.extents[m.axes[n]])),
                                   strides.source[m.axes[n]]};
      error = launch_rows(span, stream);
    }
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

/// All of a source of `bytes`, not yet cut into rows.
inline RowSpan row_span_of(const void* source, void* target, std::uint64_t bytes) {
  RowSpan span;
  span.source = static_cast<const unsigned char*>(source);
  span.source_end = span.source + bytes;
  span.target = static_cast<unsigned char*>(target);
  return span;
}

/// Everything that can be wrong with a request; `bytes`: what it moves.
inline MoveStatus check(const Permute& p, std::uint64_t& bytes) {
  if (!is_element_size(p.element_bytes)) return MoveStatus::element_size;
  if (p.rank > permute_rank_max) return MoveStatus::axes;
  unsigned seen = 0;
  for (unsigned n = 0; n < p.rank; ++n) {
    if (p.axes[n] >= p.rank || (seen >> p.axes[n] & 1) != 0) return MoveStatus::axes;
    seen |= 1u << p.axes[n];
  }
  bytes = p.element_bytes;
  for (unsigned n = 0; n < p.rank; ++n)
    if (p.extents[n] == 0) bytes = 0;
  if (bytes == 0) return MoveStatus::ok;
  for (unsigned n = 0; n < p.rank; ++n) {
    if (!product_fits(bytes, p.extents[n])) return MoveStatus::overflow;
    bytes *= p.extents[n];
  }
  if (p.source == nullptr || p.target == nullptr) return MoveStatus::null_pointer;
  const std::uint64_t source = address_of(p.source), target = address_of(p.target);
  if ((source | target) % granule_of(p.element_bytes) != 0) return MoveStatus::misaligned;
  return source + bytes > target && target + bytes > source ? MoveStatus::overlap : MoveStatus::ok;
}

}  // namespace kernels

/// Permutes; the page above. Nothing is launched unless the answer is ok or launch_failed.
inline MoveStatus permute(const Permute& p, cudaStream_t stream = nullptr) {
  std::uint64_t bytes = 0;
  const MoveStatus status = kernels::check(p, bytes);
  if (status != MoveStatus::ok || bytes == 0) return status;
  kernels::MergedAxes m = kernels::merge_axes(p);
  while (m.rank > 1 && kernels::grow_element(m, kernels::address_of(p.source) | kernels::address_of(p.target))) {
  }
  for (unsigned n = 0; m.rank > 1 && n < m.rank; ++n)
    if (m.extents[n] > kernels::rows_max) return MoveStatus::overflow;

  cudaError_t error = cudaSuccess;
  if (m.rank <= 1)
    error = cudaMemcpyAsync(p.target, p.source, bytes, cudaMemcpyDeviceToDevice, stream);
  else if (m.axes[m.rank - 1] == m.rank - 1)
    error = kernels::copy_axes(m, kernels::strides_of(m), 0, kernels::row_span_of(p.source, p.target, bytes),
                               kernels::launch_bytes_max, stream);
  else
    error = kernels::with_element_size(m.element_bytes, [&](auto bytes) {
      return kernels::launch_moved<bytes()>(kernels::span_of(m, p.source, p.target), stream);
    });
  return error == cudaSuccess ? MoveStatus::ok : MoveStatus::launch_failed;
}

}  // namespace lanebank
