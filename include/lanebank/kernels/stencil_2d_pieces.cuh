// A star stencil on a plane, without marching: each thread reads a piece of 4 columns and all the rows that it needs,
// and then writes `Rows` rows of the result.
//
//   block   Across warps of 128 columns side by side, Down of them one above the other; blocks row by row
//   thread  rows y - R .. y + Rows - 1 + R of 4 columns: loads of 16 bytes, all begun before the first is used
//
// Rows that neighbours share are read again, from the L1 cache within a block and from the L2 cache beyond it. Blocks
// in flight cover whole rows of the plane, so that what is read from memory lies together. Neighbours in x as in
// stencil_row.cuh. Outside the plane stand zeros; warps whose piece ends before the edges do not check for them.
#pragma once

#include "lanebank/kernels/stencil_2d.cuh"

namespace lanebank::kernels {

/// Warps side by side and one above the other, rows of a thread, blocks per multiprocessor.
template <unsigned Across = 2, unsigned Down = 4, unsigned Rows = 4, unsigned BlocksPerMultiprocessor = 4>
struct Stencil2dPieces {
  static constexpr StencilWay way = StencilWay::pieces;
  static constexpr unsigned across = Across, down = Down, warps = Across * Down, blocks = BlocksPerMultiprocessor;
  static constexpr unsigned thread_rows = Rows, rows = Down * Rows;
};

namespace detail {

/// Rows top .. top + Rows - 1 of the lane's columns at x.
template <bool Checked, class Form, unsigned Rows, unsigned R, class Line>
__device__ __forceinline__ void stencil_piece(const Plane& plane, const StarWeights<2, R>& weights, std::int32_t x,
                                              std::int32_t top, const Line& line) {
  const auto is_row = [&](std::int32_t y) {
    return static_cast<std::uint32_t>(y) < static_cast<std::uint32_t>(plane.height);
  };
  const float* source =
      plane.source + (static_cast<std::int64_t>(top) - R) * static_cast<std::int64_t>(plane.source_pitch);
  float4 rows[Rows + 2 * R];
  Edge<R> edges[Rows];
#pragma unroll
  for (unsigned i = 0; i < Rows + 2 * R; ++i) {
    const std::int32_t y = top + static_cast<std::int32_t>(i) - static_cast<std::int32_t>(R);
    const float* row = source + i * plane.source_pitch;
    if constexpr (Checked)
      rows[i] = load_floats(row, x, plane.width, is_row(y));
    else
      rows[i] = *reinterpret_cast<const float4*>(row + x);
    if (i >= R && i < Rows + R) edges[i - R] = load_edge<R, Checked>(row, x, plane.width, is_row(y));
  }
  float* target = plane.target + static_cast<std::uint64_t>(top) * plane.target_pitch;
#pragma unroll
  for (unsigned i = 0; i < Rows; ++i) {
    const float4 own = rows[R + i];
    float4 west, east, sum = scaled(own, weights.center);
    Form::template fetch<R>(own, edges[i], line, west, east);
#pragma unroll
    for (unsigned d = 1; d <= R; ++d) {
      add_row(sum, west, own, east, d, weights.axis[0][d - 1]);
      add_vector(sum, rows[R + i - d], weights.axis[1][d - 1]);
      add_vector(sum, rows[R + i + d], weights.axis[1][d - 1]);
    }
    float* row = target + i * plane.target_pitch;
    if constexpr (!Checked)
      *reinterpret_cast<float4*>(row + x) = sum;
    else if (is_row(top + static_cast<std::int32_t>(i)) && x < plane.width)
      store_floats(row, x, plane.width, sum);
  }
}

}  // namespace detail

/// Block (32, Shape::warps); gridDim: width / (128 Across), height / Shape::rows.
template <class Form, class Shape, unsigned Radius>
__global__ void __launch_bounds__(32 * Shape::warps, Shape::blocks)
    stencil_2d_pieces(Plane plane, StarWeights<2, Radius> weights) {
  constexpr unsigned rows = Shape::thread_rows;
  __shared__ SharedTile<typename Form::Layout> lines[Shape::warps];
  const std::int32_t strip = static_cast<std::int32_t>((blockIdx.x * Shape::across + threadIdx.y % Shape::across) *
                                                       stencil_columns),
                     top = static_cast<std::int32_t>((blockIdx.y * Shape::down + threadIdx.y / Shape::across) * rows);
  if (strip >= plane.width || top >= plane.height) return;
  const std::int32_t x = strip + static_cast<std::int32_t>(threadIdx.x * 4);
  constexpr auto reach = static_cast<std::int32_t>(Radius);
  if (detail::is_whole_strip(strip, plane.width) && top >= reach &&
      top + static_cast<std::int32_t>(rows) + reach <= plane.height)
    detail::stencil_piece<false, Form, rows>(plane, weights, x, top, lines[threadIdx.y]);
  else
    detail::stencil_piece<true, Form, rows>(plane, weights, x, top, lines[threadIdx.y]);
}

}  // namespace lanebank::kernels
