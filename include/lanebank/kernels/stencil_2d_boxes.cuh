// A star stencil on a plane, a box of the plane per block, brought by the copy engine (TMA) with R rows more above and below.
//
//   box     128 x (Warps * Rows + 2 R) floats in shared memory, one instruction, zeros outside the plane
//   thread  Rows rows of 4 columns: a vector of 16 bytes per row and 2 R more; neighbours in x as in stencil_3d_boxes,
//           those beyond the box loaded while it comes
//
// A block asks, waits, sums and ends: blocks that share a multiprocessor overlap. What is in flight needs no register.
#pragma once

#include "lanebank/kernels/stencil_2d_pieces.cuh"
#include "lanebank/kernels/stencil_3d_boxes.cuh"

namespace lanebank::kernels {

/// Warps per block, rows per warp, blocks per multiprocessor.
template <unsigned Warps = 8, unsigned Rows = 8, unsigned BlocksPerMultiprocessor = 4>
struct Stencil2dBoxes {
  static constexpr StencilWay way = StencilWay::boxes;
  static constexpr unsigned warps = Warps, across = 1, thread_rows = Rows, rows = Warps * Rows;
  static constexpr unsigned blocks = BlocksPerMultiprocessor;
};

/// Block (32, Shape::warps); gridDim: width / 128, height / Shape::rows; StencilBoxes<rows, 1, R>::bytes of dynamic
/// shared memory. `map`: of a volume of one plane.
template <class Form, class Shape, unsigned Radius>
__global__ void __launch_bounds__(32 * Shape::warps, Shape::blocks)
    stencil_2d_boxes(const __grid_constant__ CUtensorMap map, Plane plane, StarWeights<2, Radius> weights) {
  using Boxes = detail::StencilBoxes<Shape::rows, 1, Radius, 0>;
  constexpr unsigned R = Radius, rows = Shape::thread_rows;
  extern __shared__ __align__(128) unsigned char memory[];
  __shared__ SharedTile<typename Form::Layout> lines[Shape::warps];
  __shared__ __align__(8) std::uint64_t filled;
  const auto& tile = *reinterpret_cast<const typename Boxes::Tile*>(memory);
  const std::int32_t strip = static_cast<std::int32_t>(blockIdx.x * stencil_columns),
                     first = static_cast<std::int32_t>(blockIdx.y * Shape::rows);
  const auto barrier = shared_address(&filled);
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    mbarrier_init(barrier, 1);
    mbarrier_fence_init();
    Boxes::ask(map, tile, barrier, strip, first, 0);
  }
  __syncthreads();
  const unsigned top = threadIdx.y * rows;
  const std::int32_t x = strip + static_cast<std::int32_t>(threadIdx.x * 4), y = first + static_cast<std::int32_t>(top);
  const detail::RowEdges<rows, R> edges(
      plane.source + static_cast<std::int64_t>(y) * static_cast<std::int64_t>(plane.source_pitch), plane.source_pitch,
      x, plane.width, plane.height - y);
  mbarrier_wait(barrier, 0);

  float* target = plane.target + static_cast<std::uint64_t>(y) * plane.target_pitch;
  float4 column[rows + 2 * R];
#pragma unroll
  for (unsigned i = 0; i < rows + 2 * R; ++i) column[i] = tile.template vector<float4>(top + i, 4 * threadIdx.x);
#pragma unroll
  for (unsigned r = 0; r < rows; ++r) {
    const float4 own = column[R + r];
    float4 west, east, sum = detail::scaled(own, weights.center);
    Boxes::template neighbours<Form>(tile, top + R + r, own, edges, r, lines[threadIdx.y], west, east);
#pragma unroll
    for (unsigned d = 1; d <= R; ++d) {
      detail::add_row(sum, west, own, east, d, weights.axis[0][d - 1]);
      detail::add_vector(sum, column[R + r - d], weights.axis[1][d - 1]);
      detail::add_vector(sum, column[R + r + d], weights.axis[1][d - 1]);
    }
    if (y + static_cast<std::int32_t>(r) < plane.height && x < plane.width)
      detail::store_floats(target + r * plane.target_pitch, x, plane.width, sum);
  }
}

}  // namespace lanebank::kernels
