// A star stencil on a plane, a box of the plane per block, brought by the copy engine (TMA) with its halo.
//
//   box     128 x (Down * Rows + 2 R) floats in shared memory, one instruction, zeros outside the plane
//   thread  Rows rows of 4 columns: a vector of 16 bytes per row and 2 R more; neighbours in x as in stencil_3d_boxes
//
// A block asks, waits, sums and ends: blocks that share a multiprocessor overlap. What is in flight needs no register.
#pragma once

#include "lanebank/kernels/stencil_2d_pieces.cuh"
#include "lanebank/kernels/stencil_3d_boxes.cuh"

namespace lanebank::kernels {

/// Warps one below the other, rows per warp, blocks per multiprocessor, warps side by side. Sliced: the box comes in slices
/// of Rows rows with a barrier each, and a warp waits for its own.
template <unsigned Down = 8, unsigned Rows = 8, unsigned BlocksPerMultiprocessor = 4, unsigned Across = 1,
          bool Sliced = false>
struct Stencil2dBoxes {
  static constexpr StencilWay way = StencilWay::boxes;
  static constexpr unsigned across = Across, down = Down, warps = Across * Down, thread_rows = Rows, rows = Down * Rows;
  static constexpr unsigned blocks = BlocksPerMultiprocessor;
  static constexpr bool sliced = Sliced;
  template <unsigned R>
  static constexpr unsigned slices = Sliced ? Down + 2 * R / Rows : 1;
};

/// Block (32, Shape::warps); gridDim: width / (128 across), height / Shape::rows; StencilBoxes<rows, across, R>::bytes of
/// dynamic shared memory. `map`: of a volume of one plane.
template <class Form, class Shape, unsigned Radius>
__global__ void __launch_bounds__(32 * Shape::warps, Shape::blocks)
    stencil_2d_boxes(const __grid_constant__ CUtensorMap map, Plane plane, StarWeights<2, Radius> weights) {
  using Boxes = detail::StencilBoxes<Shape::rows, Shape::across, Radius>;
  constexpr unsigned R = Radius, rows = Shape::thread_rows, slices = Shape::template slices<R>;
  static_assert(!Shape::sliced || 2 * R % rows == 0, "slices of whole rows of warps");
  constexpr unsigned slice_rows = Boxes::Layout::rows / slices, slice_bytes = Boxes::Layout::bytes / slices;
  static_assert(slice_bytes % 128 == 0 || slices == 1, "the copy engine writes to multiples of 128 bytes");
  extern __shared__ __align__(128) unsigned char memory[];
  __shared__ SharedTile<typename Form::Layout> lines[Shape::warps];
  __shared__ __align__(8) std::uint64_t filled[slices];
  const auto box = [&](unsigned at) -> const typename Boxes::Tile& {
    return *reinterpret_cast<const typename Boxes::Tile*>(memory + at * Boxes::pitch_bytes);
  };
  const unsigned panel = threadIdx.y % Shape::across, warp = threadIdx.y / Shape::across, top = warp * rows;
  const std::int32_t strip = static_cast<std::int32_t>(blockIdx.x * Shape::across * stencil_columns),
                     first = static_cast<std::int32_t>(blockIdx.y * Shape::rows);
  const auto barrier = shared_address(filled);
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    for (unsigned slice = 0; slice < slices; ++slice) mbarrier_init(barrier + 8 * slice, 1);
    mbarrier_fence_init();
    for (unsigned slice = 0; slice < slices; ++slice) {
      mbarrier_arrive_expect(barrier + 8 * slice, Shape::across * slice_bytes);
      for (unsigned at = 0; at < Shape::across; ++at)
        tensor_load(
            box(at).shared_address(slice * slice_rows, 0), map,
            strip + static_cast<std::int32_t>(at * stencil_columns),
            first + static_cast<std::int32_t>(slice * slice_rows) - static_cast<std::int32_t>(R), 0, barrier + 8 * slice);
    }
  }
  const auto& tile = box(panel);
  const std::int32_t x = strip + static_cast<std::int32_t>(panel * stencil_columns + threadIdx.x * 4);
  float* target = plane.target + (static_cast<std::uint64_t>(first) + top) * plane.target_pitch;
  const std::int32_t y = first + static_cast<std::int32_t>(top);
  const detail::RowEdges<rows, R> edges(
      plane.source + static_cast<std::int64_t>(y) * static_cast<std::int64_t>(plane.source_pitch), plane.source_pitch, x,
      plane.width, plane.height - y);
  __syncthreads();
  if constexpr (Shape::sliced) {
#pragma unroll
    for (unsigned slice = 0; slice <= 2 * R / rows; ++slice) mbarrier_wait(barrier + 8 * (warp + slice), 0);
  } else {
    mbarrier_wait(barrier, 0);
  }

  float4 column[rows + 2 * R];
#pragma unroll
  for (unsigned i = 0; i < rows + 2 * R; ++i)
    column[i] = tile.template vector<float4>(top + i, 4 * threadIdx.x);
#pragma unroll
  for (unsigned r = 0; r < rows; ++r) {
    const float4 own = column[R + r];
    float4 west, east, sum = detail::scaled(own, weights.center);
    detail::box_neighbours<Form, R>(tile, top + R + r, own, edges.row(r), lines[threadIdx.y], west, east);
#pragma unroll
    for (unsigned d = 1; d <= R; ++d) {
      detail::add_row(sum, west, own, east, d, weights.axis[0][d - 1]);
      detail::add_vector(sum, column[R + r - d], weights.axis[1][d - 1]);
      detail::add_vector(sum, column[R + r + d], weights.axis[1][d - 1]);
    }
    if (first + static_cast<std::int32_t>(top + r) < plane.height && x < plane.width)
      detail::store_floats(target + r * plane.target_pitch, x, plane.width, sum);
  }
}

}  // namespace lanebank::kernels
