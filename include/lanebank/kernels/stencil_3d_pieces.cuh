// A star stencil on a volume, without marching and without shared memory: each thread reads a piece of 4 columns, its
// rows and planes and those that they need, and then writes Rows x Planes vectors of the result.
//
//   block   128 columns; Down warps one below the other, Deep of them one behind the other; blocks row by row
//   thread  (Rows + 2 R) x Planes and Rows x 2 R vectors of 16 bytes, all asked for before the first is used
//
// What neighbours share is read again, from the L1 cache within a block and from the L2 cache beyond it: few planes to
// a block keep it there. Neighbours in x as in stencil_row.cuh. Outside the volume stand zeros; warps whose piece ends
// before the edges do not check for them.
#pragma once

#include "lanebank/kernels/stencil_3d.cuh"

namespace lanebank::kernels {

/// Warps one below and one behind the other, rows and planes of a thread, blocks per multiprocessor.
template <unsigned Down = 8, unsigned Deep = 1, unsigned Rows = 1, unsigned Planes = 4,
          unsigned BlocksPerMultiprocessor = 3>
struct Stencil3dPieces {
  static constexpr StencilWay way = StencilWay::pieces;
  static constexpr unsigned down = Down, deep = Deep, warps = Down * Deep, blocks = BlocksPerMultiprocessor;
  static constexpr unsigned rows = Rows, planes = Planes, tile_rows = Down * Rows, tile_planes = Deep * Planes;
};

namespace detail {

/// The piece at column x, row `top`, plane `front`.
template <bool Checked, class Form, class Shape, unsigned R, class Line>
__device__ __forceinline__ void stencil_piece(const Volume& volume, const StarWeights<3, R>& weights, std::int32_t x,
                                              std::int32_t top, std::int32_t front, const Line& line) {
  constexpr unsigned rows = Shape::rows, planes = Shape::planes;
  const auto inside = [&](std::int32_t y, std::int32_t z) {
    return static_cast<std::uint32_t>(y) < static_cast<std::uint32_t>(volume.height) &&
           static_cast<std::uint32_t>(z) < static_cast<std::uint32_t>(volume.depth);
  };
  float4 box[planes + 2 * R][rows + 2 * R];  // a cross: its corners are not used
  Edge<R> edges[planes][rows];
#pragma unroll
  for (unsigned k = 0; k < planes + 2 * R; ++k)
#pragma unroll
    for (unsigned i = 0; i < rows + 2 * R; ++i) {
      const bool own_row = i >= R && i < rows + R, own_plane = k >= R && k < planes + R;
      if (!own_row && !own_plane) continue;
      const std::int32_t y = top + static_cast<std::int32_t>(i) - static_cast<std::int32_t>(R),
                         z = front + static_cast<std::int32_t>(k) - static_cast<std::int32_t>(R);
      const float* row = volume.source + static_cast<std::int64_t>(z) * static_cast<std::int64_t>(volume.source_plane) +
                         static_cast<std::int64_t>(y) * static_cast<std::int64_t>(volume.source_row);
      if constexpr (Checked)
        box[k][i] = load_floats(row, x, volume.width, inside(y, z));
      else
        box[k][i] = *reinterpret_cast<const float4*>(row + x);
      if (own_row && own_plane) edges[k - R][i - R] = load_edge<R, Checked>(row, x, volume.width, inside(y, z));
    }
#pragma unroll
  for (unsigned k = R; k < planes + R; ++k)
#pragma unroll
    for (unsigned i = R; i < rows + R; ++i) {
      const float4 own = box[k][i];
      float4 west, east, sum = scaled(own, weights.center);
      Form::template fetch<R>(own, edges[k - R][i - R], line, west, east);
#pragma unroll
      for (unsigned d = 1; d <= R; ++d) {
        add_row(sum, west, own, east, d, weights.axis[0][d - 1]);
        add_vector(sum, box[k][i - d], weights.axis[1][d - 1]);
        add_vector(sum, box[k][i + d], weights.axis[1][d - 1]);
        add_vector(sum, box[k - d][i], weights.axis[2][d - 1]);
        add_vector(sum, box[k + d][i], weights.axis[2][d - 1]);
      }
      const std::int32_t y = top + static_cast<std::int32_t>(i - R), z = front + static_cast<std::int32_t>(k - R);
      float* row = volume.target + static_cast<std::int64_t>(z) * static_cast<std::int64_t>(volume.target_plane) +
                   static_cast<std::int64_t>(y) * static_cast<std::int64_t>(volume.target_row);
      if constexpr (!Checked)
        *reinterpret_cast<float4*>(row + x) = sum;
      else if (inside(y, z) && x < volume.width)
        store_floats(row, x, volume.width, sum);
    }
}

}  // namespace detail

/// Block (32, Shape::warps); gridDim: width / 128, height / tile_rows, depth / tile_planes.
template <class Form, class Shape, unsigned Radius>
__global__ void __launch_bounds__(32 * Shape::warps, Shape::blocks)
    stencil_3d_pieces(Volume volume, StarWeights<3, Radius> weights) {
  __shared__ SharedTile<typename Form::Layout> lines[Shape::warps];
  constexpr auto reach = static_cast<std::int32_t>(Radius), columns = static_cast<std::int32_t>(stencil_columns),
                 rows = static_cast<std::int32_t>(Shape::rows), planes = static_cast<std::int32_t>(Shape::planes);
  const unsigned down = threadIdx.y % Shape::down, deep = threadIdx.y / Shape::down;
  const std::int32_t strip = static_cast<std::int32_t>(blockIdx.x) * columns,
                     top = static_cast<std::int32_t>(blockIdx.y * Shape::down + down) * rows,
                     front = static_cast<std::int32_t>(blockIdx.z * Shape::deep + deep) * planes;
  if (top >= volume.height || front >= volume.depth) return;
  const std::int32_t x = strip + static_cast<std::int32_t>(threadIdx.x * 4);
  if (detail::is_whole_strip(strip, volume.width) && top >= reach && top + rows + reach <= volume.height &&
      front >= reach && front + planes + reach <= volume.depth)
    detail::stencil_piece<false, Form, Shape>(volume, weights, x, top, front, lines[threadIdx.y]);
  else
    detail::stencil_piece<true, Form, Shape>(volume, weights, x, top, front, lines[threadIdx.y]);
}

}  // namespace lanebank::kernels
