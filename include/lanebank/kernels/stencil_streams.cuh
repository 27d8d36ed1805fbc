// A star stencil on a plane or a volume, in registers alone: each warp goes through the last axis (y of a plane, z of a
// volume) over a few rows of 128 columns, with the loads of steps ahead under way.
//
//   block   Across warps side by side, Down of them one below the other; blocks row by row, then plane by plane
//   warp    Steps steps of Rows rows; a ring of S = 2 R + 1 + Ahead own vectors for each row, and one of HaloAhead + 1
//           of what a volume's rows need above and below. S steps are unrolled: rings are registers, nothing is moved
//
// No barrier and no shared memory: warps that run side by side find what neighbours have read in the L1 cache, and
// blocks find it in the L2 cache. Neighbours in x as in stencil_row.cuh. Outside stand zeros; warps whose piece ends
// before the edges do not check for them.
#pragma once

#include "lanebank/kernels/stencil_3d.cuh"

namespace lanebank::kernels {

/// Warps one below the other, rows of a warp (of a plane: 1 and 1), steps, own vectors ahead, blocks per multiprocessor,
/// warps side by side, what is above and below ahead.
template <unsigned Down = 8, unsigned Rows = 2, unsigned Steps = 8, unsigned Ahead = 1,
          unsigned BlocksPerMultiprocessor = 3, unsigned Across = 1, unsigned HaloAhead = 1>
struct StencilStreams {
  static constexpr StencilWay way = StencilWay::streams;
  static constexpr unsigned across = Across, down = Down, warps = Across * Down, blocks = BlocksPerMultiprocessor;
  static constexpr unsigned rows = Rows, steps = Steps, ahead = Ahead, halo_ahead = HaloAhead,
                            tile_columns = Across * stencil_columns, tile_rows = Down * Rows, tile_planes = Steps;
};

namespace detail {

/// Where a warp's piece begins.
template <class Shape>
struct StreamPlace {
  unsigned across = threadIdx.y % Shape::across, down = threadIdx.y / Shape::across;
  __device__ std::int32_t x() const {
    return static_cast<std::int32_t>((blockIdx.x * Shape::across + across) * stencil_columns + threadIdx.x * 4);
  }
  __device__ std::int32_t y() const { return static_cast<std::int32_t>((blockIdx.y * Shape::down + down) * Shape::rows); }
  __device__ std::int32_t z() const { return static_cast<std::int32_t>(blockIdx.z * Shape::steps); }
};

/// The loads and stores of a warp whose piece reaches the edges. x, y, z: its first vector, at the step that is summed.
template <unsigned R>
struct StreamAtEdges {
  VolumeLane<R> lane;
  std::int32_t z;

  template <class Shape>
  __device__ __forceinline__ static StreamAtEdges of(const Volume& volume, const StreamPlace<Shape>& place) {
    return {{volume, place.x(), place.y()}, place.z()};
  }
  __device__ __forceinline__ void next() { ++z; }
  __device__ __forceinline__ float4 load(std::int32_t row, std::int32_t plane) const {
    return lane.load(lane.y + row, z + plane);
  }
  __device__ __forceinline__ Edge<R> edge(std::int32_t row, std::int32_t plane) const {
    return lane.edge(static_cast<unsigned>(row), z + plane);
  }
  __device__ __forceinline__ void store(std::int32_t row, float4 sum) const {
    if (z < lane.volume.depth) lane.store(static_cast<unsigned>(row), z, sum);
  }
};

/// Of the others: addresses of the block, which are the same for all threads, and 32-bit offsets of the thread.
template <unsigned R, bool Flat>
struct StreamInside {
  static constexpr std::int32_t above = Flat ? 0 : static_cast<std::int32_t>(R);  ///< rows that the source begins before the block
  static constexpr std::uint64_t greatest_pitch = std::uint64_t{1} << 24;  ///< so that offsets fit
  const char* source;  ///< R rows above and 16 bytes before the block's first vector, at the step that is summed
  char* target;
  std::uint64_t source_plane, target_plane;              ///< bytes
  std::uint32_t source_row, target_row, from, to, edge_from;  ///< bytes
  bool has_edge;

  template <class Shape>
  __device__ __forceinline__ static StreamInside of(const Volume& volume, const StreamPlace<Shape>& place) {
    StreamInside lane;
    lane.source_plane = volume.source_plane * sizeof(float), lane.target_plane = volume.target_plane * sizeof(float);
    lane.source_row = static_cast<std::uint32_t>(volume.source_row * sizeof(float));
    lane.target_row = static_cast<std::uint32_t>(volume.target_row * sizeof(float));
    const std::uint64_t top = blockIdx.y * Shape::tile_rows, front = blockIdx.z * Shape::steps;
    lane.source = reinterpret_cast<const char*>(volume.source) + front * lane.source_plane + top * lane.source_row -
                  std::uint64_t{above} * lane.source_row + blockIdx.x * (Shape::tile_columns * sizeof(float)) - 16;
    lane.target = reinterpret_cast<char*>(volume.target) + front * lane.target_plane + top * lane.target_row +
                  blockIdx.x * (Shape::tile_columns * sizeof(float));
    const std::uint32_t column = (place.across * stencil_columns + threadIdx.x * 4) * sizeof(float);
    lane.from = place.down * Shape::rows * lane.source_row + column + 16;
    lane.to = place.down * Shape::rows * lane.target_row + column;
    const std::int32_t x = place.x();
    lane.edge_from = lane.from + static_cast<std::uint32_t>(above) * lane.source_row +
                     (threadIdx.x == 0 ? 0u - Edge<R>::words * 4u : 16u);
    lane.has_edge = (threadIdx.x == 0 && x > 0) || (threadIdx.x == 31 && x + 4 < volume.width);
    return lane;
  }
  __device__ __forceinline__ void next() { source += source_plane, target += target_plane; }
  __device__ __forceinline__ float4 load(std::int32_t row, std::int32_t plane) const {
    return *reinterpret_cast<const float4*>(source + plane * static_cast<std::int64_t>(source_plane) +
                                            (from + static_cast<std::uint32_t>(row + above) * source_row));
  }
  __device__ __forceinline__ Edge<R> edge(std::int32_t row, std::int32_t plane) const {
    Edge<R> edge{};
    using Words = typename Edge<R>::Vector;
    if (has_edge) {
      const Words loaded = *reinterpret_cast<const Words*>(source + plane * static_cast<std::int64_t>(source_plane) +
                                                           (edge_from + static_cast<std::uint32_t>(row) * source_row));
      memcpy(edge.at, &loaded, sizeof loaded);
    }
    return edge;
  }
  __device__ __forceinline__ void store(std::int32_t row, float4 sum) const {
    *reinterpret_cast<float4*>(target + (to + static_cast<std::uint32_t>(row) * target_row)) = sum;
  }
};

/// The piece whose loads and stores are `lane`'s. Axes 2: the steps are the plane's y.
template <class Form, class Shape, unsigned Axes, class Lane, unsigned R, class Line>
__device__ __forceinline__ void stencil_stream(Lane lane, const StarWeights<Axes, R>& weights, const Line& line) {
  constexpr unsigned rows = Shape::rows, slots = 2 * R + 1 + Shape::ahead, halo_slots = Shape::halo_ahead + 1,
                     halo_rows = Axes == 3 ? 2 * R : 1;
  static_assert(slots % halo_slots == 0, "the rings turn together");
  constexpr auto reach = static_cast<std::int32_t>(R), steps = static_cast<std::int32_t>(Shape::steps),
                 ahead = static_cast<std::int32_t>(Shape::ahead),
                 halo_ahead = static_cast<std::int32_t>(Shape::halo_ahead);
  float4 own[rows][slots], halo[halo_rows][halo_slots];  // at step n: plane n - R + i in slot (n + i) mod slots
  Edge<R> edges[rows][halo_slots];
  const auto load_own = [&](std::int32_t plane, unsigned slot) {
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) own[r][slot] = lane.load(static_cast<std::int32_t>(r), plane);
  };
  const auto load_halo = [&](std::int32_t plane, unsigned slot) {
    if constexpr (Axes == 3) {
#pragma unroll
      for (unsigned i = 0; i < 2 * R; ++i)
        halo[i][slot] = lane.load(static_cast<std::int32_t>(i < R ? i : i + rows) - reach, plane);
    }
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) edges[r][slot] = lane.edge(static_cast<std::int32_t>(r), plane);
  };
#pragma unroll
  for (unsigned i = 0; i + 1 < slots; ++i) load_own(static_cast<std::int32_t>(i) - reach, i);
#pragma unroll
  for (unsigned i = 0; i + 1 < halo_slots; ++i) load_halo(static_cast<std::int32_t>(i), i);
#pragma unroll 1
  for (std::int32_t turn = 0; turn < steps; turn += static_cast<std::int32_t>(slots)) {
#pragma unroll
    for (unsigned k = 0; k < slots; ++k, lane.next()) {
      const std::int32_t step = turn + static_cast<std::int32_t>(k);
      if (Shape::steps % slots != 0 && step >= steps) return;
      if (step + ahead < steps) load_own(reach + ahead, (k + slots - 1) % slots);
      if (step + halo_ahead < steps) load_halo(halo_ahead, (k + halo_slots - 1) % halo_slots);
      // Row i of the step's plane, from R above the first of the warp's.
      const auto in_plane = [&](unsigned i) {
        return i < R          ? halo[i][k % halo_slots]
               : i < R + rows ? own[i - R][(k + R) % slots]
                              : halo[i - rows][k % halo_slots];
      };
#pragma unroll
      for (unsigned r = 0; r < rows; ++r) {
        const float4 centre = own[r][(k + R) % slots];
        float4 west, east, sum = scaled(centre, weights.center);
        Form::template fetch<R>(centre, edges[r][k % halo_slots], line, west, east);
#pragma unroll
        for (unsigned d = 1; d <= R; ++d) {
          add_row(sum, west, centre, east, d, weights.axis[0][d - 1]);
          if constexpr (Axes == 3) {
            add_vector(sum, in_plane(R + r - d), weights.axis[1][d - 1]);
            add_vector(sum, in_plane(R + r + d), weights.axis[1][d - 1]);
          }
          add_vector(sum, own[r][(k + R - d) % slots], weights.axis[Axes - 1][d - 1]);
          add_vector(sum, own[r][(k + R + d) % slots], weights.axis[Axes - 1][d - 1]);
        }
        lane.store(static_cast<std::int32_t>(r), sum);
      }
    }
  }
}

}  // namespace detail

/// Block (32, Shape::warps); gridDim: width / tile_columns, height / tile_rows, depth / steps. Axes 2: a plane as a
/// volume of one row.
template <class Form, class Shape, unsigned Axes, unsigned Radius>
__global__ void __launch_bounds__(32 * Shape::warps, Shape::blocks)
    stencil_streams(Volume volume, StarWeights<Axes, Radius> weights) {
  static_assert(Axes == 3 || (Shape::down == 1 && Shape::rows == 1), "the rows of a plane are steps");
  __shared__ SharedTile<typename Form::Layout> lines[Shape::warps];
  constexpr auto reach = static_cast<std::int32_t>(Radius), rows = static_cast<std::int32_t>(Shape::rows),
                 steps = static_cast<std::int32_t>(Shape::steps);
  const detail::StreamPlace<Shape> place;
  const std::int32_t strip = place.x() - static_cast<std::int32_t>(threadIdx.x * 4), top = place.y(), front = place.z();
  if (strip >= volume.width || top >= volume.height) return;
  const bool far_from_rows = Axes == 2 || (top >= reach && top + rows + reach <= volume.height);
  using Inside = detail::StreamInside<Radius, Axes == 2>;
  if (detail::is_whole_strip(strip, volume.width) && far_from_rows && front >= reach &&
      front + steps + reach <= volume.depth && volume.source_row < Inside::greatest_pitch &&
      volume.target_row < Inside::greatest_pitch)
    detail::stencil_stream<Form, Shape, Axes>(Inside::of(volume, place), weights, lines[threadIdx.y]);
  else
    detail::stencil_stream<Form, Shape, Axes>(detail::StreamAtEdges<Radius>::of(volume, place), weights,
                                              lines[threadIdx.y]);
}

}  // namespace lanebank::kernels
