// A star stencil on a plane: each warp marches down a strip of 128 columns, the rows in registers.
//
//   lane l: columns 4 l .. 4 l + 3 of the strip                 rows y - R .. y + B - 1 + R in registers
//   batch of B rows: B loads of 16 bytes in flight, then B rows of the result; the last 2 R rows stay for the next batch
//
// Neighbours in y are registers of the same lane; those in x come from the neighbouring lanes (stencil_row.cuh), and for the
// first and last lane from memory, where the next strip's warp has just read them. Rows above and below a block's are read again by
// its neighbours: 2 R / Rows of the reads, from the L2 cache. Outside the plane stand zeros.
#pragma once

#include "lanebank/kernels/stencil_row.cuh"

namespace lanebank::kernels {

/// Warps per block (strips side by side), rows of a block, rows in a batch, blocks per multiprocessor.
template <unsigned Warps = 8, unsigned Rows = 32, unsigned Batch = 4, unsigned BlocksPerMultiprocessor = 4>
struct Stencil2dShape {
  static_assert(Rows % Batch == 0, "whole batches");
  static constexpr unsigned warps = Warps, rows = Rows, batch = Batch, blocks = BlocksPerMultiprocessor;
};

/// Pitches in elements, multiples of 4; source and target multiples of 16 bytes.
struct Plane {
  const float* source = nullptr;
  float* target = nullptr;
  std::uint64_t source_pitch = 0, target_pitch = 0;
  std::int32_t width = 0, height = 0;
};

/// Block (32, Shape::warps); gridDim: strips / warps, heights / rows.
template <class Form, class Shape, unsigned Radius>
__global__ void __launch_bounds__(32 * Shape::warps, Shape::blocks)
    stencil_2d(Plane plane, StarWeights<2, Radius> weights) {
  constexpr unsigned B = Shape::batch, R = Radius;
  __shared__ SharedTile<typename Form::Layout> lines[Shape::warps];
  const std::int32_t x = static_cast<std::int32_t>((blockIdx.x * Shape::warps + threadIdx.y) * stencil_columns + threadIdx.x * 4);
  if (x - static_cast<std::int32_t>(threadIdx.x * 4) >= plane.width) return;  // the whole warp
  const auto top = static_cast<std::int32_t>(blockIdx.y * Shape::rows);
  const float* source = plane.source + static_cast<std::int64_t>(top) * static_cast<std::int64_t>(plane.source_pitch);
  float* target = plane.target + static_cast<std::uint64_t>(top) * plane.target_pitch;
  const auto row_of = [&](std::int32_t y) {
    return source + static_cast<std::int64_t>(y) * static_cast<std::int64_t>(plane.source_pitch);
  };
  const auto is_row = [&](std::int32_t y) { return static_cast<std::uint32_t>(top + y) < static_cast<std::uint32_t>(plane.height); };

  float4 rows[2 * R + B];  // row i: y - R + i
#pragma unroll
  for (unsigned i = 0; i < 2 * R; ++i) {
    const std::int32_t y = static_cast<std::int32_t>(i) - static_cast<std::int32_t>(R);
    rows[i] = detail::load_floats(row_of(y), x, plane.width, is_row(y));
  }
#pragma unroll 1
  for (std::int32_t y = 0; y < static_cast<std::int32_t>(Shape::rows) && top + y < plane.height; y += B) {
    detail::Edge<R> edges[B];
#pragma unroll
    for (unsigned i = 0; i < B; ++i) {
      const std::int32_t next = y + static_cast<std::int32_t>(R + i), own = y + static_cast<std::int32_t>(i);
      rows[2 * R + i] = detail::load_floats(row_of(next), x, plane.width, is_row(next));
      edges[i] = detail::load_edge<R>(row_of(own), x, plane.width, is_row(own));
    }
#pragma unroll
    for (unsigned i = 0; i < B; ++i) {
      const float4 own = rows[R + i];
      float4 west, east, sum = detail::scaled(own, weights.center);
      Form::template fetch<R>(own, edges[i], lines[threadIdx.y], west, east);
#pragma unroll
      for (unsigned d = 1; d <= R; ++d) {
        detail::add_row(sum, west, own, east, d, weights.axis[0][d - 1]);
        detail::add_vector(sum, rows[R + i - d], weights.axis[1][d - 1]);
        detail::add_vector(sum, rows[R + i + d], weights.axis[1][d - 1]);
      }
      if (is_row(y + static_cast<std::int32_t>(i)) && x < plane.width)
        detail::store_floats(target + static_cast<std::uint64_t>(y + i) * plane.target_pitch, x, plane.width, sum);
    }
#pragma unroll
    for (unsigned i = 0; i < 2 * R; ++i) rows[i] = rows[B + i];
  }
}

}  // namespace lanebank::kernels
