// A star stencil on a plane: each warp marches down a strip of 128 columns, the rows in registers.
//
//   lane l: columns 4 l .. 4 l + 3 of the strip                 rows y - R .. y + B - 1 + R in registers
//   batch of B rows: B loads of 16 bytes in flight, then B rows of the result; the last 2 R rows stay
//
// Neighbours in y are registers of the same lane; those in x come from the neighbouring lanes (stencil_row.cuh), and
// for the first and last lane from memory, where the next strip's warp has just read them. Rows above and below a
// block's are read again by its neighbours: 2 R / Rows of the reads. Even blocks march down and odd ones up, so that
// neighbours read the rows that they share at about the same time, and find them in the L2 cache. Outside the plane
// stand zeros.
#pragma once

#include <type_traits>

#include "lanebank/kernels/stencil_row.cuh"

namespace lanebank::kernels {

/// Warps per block (strips side by side), rows of a block, rows in a batch, blocks per multiprocessor.
template <unsigned Warps = 8, unsigned Rows = 32, unsigned Batch = 4, unsigned BlocksPerMultiprocessor = 4>
struct Stencil2dShape {
  static_assert(Rows % Batch == 0, "whole batches");
  static constexpr StencilWay way = StencilWay::marching;
  static constexpr unsigned warps = Warps, rows = Rows, batch = Batch, blocks = BlocksPerMultiprocessor;
};

/// Pitches in elements, multiples of 4; source and target multiples of 16 bytes.
struct Plane {
  const float* source = nullptr;
  float* target = nullptr;
  std::uint64_t source_pitch = 0, target_pitch = 0;
  std::int32_t width = 0, height = 0;
};

namespace detail {

/// Marches over rows top .. top + Shape::rows - 1 of the lane's columns at x, downwards (Step 1) or upwards (-1).
template <class Form, class Shape, std::int32_t Step, unsigned R, class Line>
__device__ __forceinline__ void march(const Plane& plane, const StarWeights<2, R>& weights, std::int32_t x,
                                      std::int32_t top, const Line& line) {
  constexpr unsigned B = Shape::batch;
  const std::int32_t begin = Step > 0 ? top : top + static_cast<std::int32_t>(Shape::rows) - 1;
  const auto row_at = [&](std::int32_t n) { return begin + Step * n; };  // the march's row n
  const auto is_row = [&](std::int32_t y) {
    return static_cast<std::uint32_t>(y) < static_cast<std::uint32_t>(plane.height);
  };
  const auto source = [&](std::int32_t y) {
    return plane.source + static_cast<std::int64_t>(y) * static_cast<std::int64_t>(plane.source_pitch);
  };
  float4 rows[2 * R + B];  // rows[i]: row n - R + i of the march
#pragma unroll
  for (unsigned i = 0; i < 2 * R; ++i) {
    const std::int32_t y = row_at(static_cast<std::int32_t>(i) - static_cast<std::int32_t>(R));
    rows[i] = load_floats(source(y), x, plane.width, is_row(y));
  }
#pragma unroll 1
  for (std::int32_t n = 0; n < static_cast<std::int32_t>(Shape::rows); n += B) {
    Edge<R> edges[B];
#pragma unroll
    for (unsigned i = 0; i < B; ++i) {
      const std::int32_t own = row_at(n + static_cast<std::int32_t>(i)),
                         next = row_at(n + static_cast<std::int32_t>(R + i));
      rows[2 * R + i] = load_floats(source(next), x, plane.width, is_row(next));
      edges[i] = load_edge<R>(source(own), x, plane.width, is_row(own));
    }
#pragma unroll
    for (unsigned i = 0; i < B; ++i) {
      const std::int32_t y = row_at(n + static_cast<std::int32_t>(i));
      const float4 own = rows[R + i];
      float4 west, east, sum = scaled(own, weights.center);
      Form::template fetch<R>(own, edges[i], line, west, east);
#pragma unroll
      for (unsigned d = 1; d <= R; ++d) {
        add_row(sum, west, own, east, d, weights.axis[0][d - 1]);
        add_vector(sum, rows[Step > 0 ? R + i - d : R + i + d], weights.axis[1][d - 1]);
        add_vector(sum, rows[Step > 0 ? R + i + d : R + i - d], weights.axis[1][d - 1]);
      }
      if (is_row(y) && x < plane.width)
        store_floats(plane.target + static_cast<std::uint64_t>(y) * plane.target_pitch, x, plane.width, sum);
    }
#pragma unroll
    for (unsigned i = 0; i < 2 * R; ++i) rows[i] = rows[B + i];
  }
}

}  // namespace detail

/// Block (32, Shape::warps); gridDim: strips / warps, heights / rows.
template <class Form, class Shape, unsigned Radius>
__global__ void __launch_bounds__(32 * Shape::warps, Shape::blocks)
    stencil_2d(Plane plane, StarWeights<2, Radius> weights) {
  __shared__ SharedTile<typename Form::Layout> lines[Shape::warps];
  const std::int32_t strip = static_cast<std::int32_t>((blockIdx.x * Shape::warps + threadIdx.y) * stencil_columns);
  if (strip >= plane.width) return;
  const std::int32_t x = strip + static_cast<std::int32_t>(threadIdx.x * 4),
                     top = static_cast<std::int32_t>(blockIdx.y * Shape::rows);
  if (blockIdx.y % 2 == 0)
    detail::march<Form, Shape, 1>(plane, weights, x, top, lines[threadIdx.y]);
  else
    detail::march<Form, Shape, -1>(plane, weights, x, top, lines[threadIdx.y]);
}

}  // namespace lanebank::kernels
