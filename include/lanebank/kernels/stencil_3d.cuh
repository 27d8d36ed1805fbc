// A star stencil on a volume: each block marches along z over a tile of 128 x (Warps * Rows) columns ("2.5-D").
//
//   z: planes z - R .. z + R of a lane's own vectors in registers, `ahead` more on their way. Plane z is in slot
//      z mod S of S = 2 R + 1 + ahead, and the loop is unrolled S times: nothing is moved
//   y: the plane z in shared memory, with R rows more above and below; vectors of 16 bytes along rows, conflict-free
//   x: from the neighbouring lanes (stencil_row.cuh), at the tile's edges from memory
//
//   step z:   own vectors and halo rows of plane z -> shared plane (z mod 2);  loads of plane z + R + ahead and of
//             the halo of plane z + halo_ahead begin;  barrier;  sum;  store
//
// Two shared planes, so that one barrier a step is enough. Outside the volume stand zeros.
#pragma once

#include <type_traits>

#include "lanebank/kernels/stencil_row.cuh"

namespace lanebank::kernels {

/// Warps per block, rows per warp, blocks per multiprocessor, planes of own vectors and of the halo loaded ahead.
template <unsigned Warps = 8, unsigned Rows = 1, unsigned BlocksPerMultiprocessor = 4, unsigned Ahead = 3,
          unsigned HaloAhead = 1>
struct Stencil3dShape {
  static_assert(Ahead % 2 == 1, "an even number of slots, since the shared planes alternate");
  static_assert(HaloAhead == 1 || HaloAhead == 2, "slots of the halo that divide those of the planes");
  static constexpr StencilWay way = StencilWay::marching;
  static constexpr unsigned warps = Warps, rows = Rows, blocks = BlocksPerMultiprocessor, tile_rows = Warps * Rows;
  static constexpr unsigned ahead = Ahead, halo_ahead = HaloAhead, chunk = 0;  ///< chunk: Stencil3dBoxes
};

/// Pitches in elements, multiples of 4; source and target multiples of 16 bytes. `chunk`: planes of a block.
struct Volume {
  const float* source = nullptr;
  float* target = nullptr;
  std::uint64_t source_row = 0, source_plane = 0, target_row = 0, target_plane = 0;
  std::int32_t width = 0, height = 0, depth = 0, chunk = 0;
};

namespace detail {

/// The vectors of a lane, wherever they are.
template <unsigned R>
struct VolumeLane {
  const Volume& volume;
  std::int32_t x, y;  ///< of its first row

  __device__ bool inside(std::int32_t row, std::int32_t z) const {
    return static_cast<std::uint32_t>(row) < static_cast<std::uint32_t>(volume.height) &&
           static_cast<std::uint32_t>(z) < static_cast<std::uint32_t>(volume.depth);
  }
  __device__ const float* line(std::int32_t row, std::int32_t z) const {
    return volume.source + static_cast<std::int64_t>(z) * static_cast<std::int64_t>(volume.source_plane) +
           static_cast<std::int64_t>(row) * static_cast<std::int64_t>(volume.source_row);
  }
  __device__ float4 load(std::int32_t row, std::int32_t z) const {
    return load_floats(line(row, z), x, volume.width, inside(row, z));
  }
  __device__ Edge<R> edge(unsigned r, std::int32_t z) const {
    const std::int32_t row = y + static_cast<std::int32_t>(r);
    return load_edge<R>(line(row, z), x, volume.width, inside(row, z));
  }
  __device__ void store(unsigned r, std::int32_t z, float4 sum) const {
    const std::int32_t row = y + static_cast<std::int32_t>(r);
    if (row < volume.height && x < volume.width)
      store_floats(volume.target + static_cast<std::uint64_t>(z) * volume.target_plane +
                       static_cast<std::uint64_t>(row) * volume.target_row,
                   x, volume.width, sum);
  }
};

/// The rows of a lane in a block's tile, and those of the halo that its warp loads.
template <class Shape, unsigned R>
struct MarchingLane : VolumeLane<R> {
  static constexpr unsigned halo_loads = (2 * R + Shape::warps - 1) / Shape::warps;  ///< halo rows of a warp

  /// Row of the shared plane of the warp's halo row h; at least R above or tile_rows below, else none.
  __device__ static unsigned halo_row(unsigned h) {
    const unsigned n = threadIdx.y + h * Shape::warps;
    return n < R ? n : Shape::tile_rows + n;
  }
  __device__ static bool has_halo(unsigned h) { return threadIdx.y + h * Shape::warps < 2 * R; }
  __device__ float4 halo(unsigned h, std::int32_t z) const {
    if (!has_halo(h)) return {0, 0, 0, 0};
    const std::int32_t top = this->y - static_cast<std::int32_t>(threadIdx.y * Shape::rows + R);
    return this->load(top + static_cast<std::int32_t>(halo_row(h)), z);
  }
};

/// What a lane holds of the volume. Plane z - R + i, at step k of a turn of the ring: planes[r][(k + i) % slots].
template <class Shape, unsigned R>
struct MarchingPlanes {
  using Lane = MarchingLane<Shape, R>;
  static constexpr unsigned rows = Shape::rows, slots = 2 * R + 1 + Shape::ahead, halo_slots = Shape::halo_ahead;
  float4 planes[rows][slots], halos[Lane::halo_loads][halo_slots];
  Edge<R> edges[rows][halo_slots];

  /// All but the plane that step 0 loads.
  __device__ __forceinline__ void begin(const Lane& lane, std::int32_t first) {
#pragma unroll
    for (unsigned r = 0; r < rows; ++r)
#pragma unroll
      for (unsigned i = 0; i + 1 < slots; ++i)
        planes[r][i] = lane.load(lane.y + static_cast<std::int32_t>(r),
                                 first + static_cast<std::int32_t>(i) - static_cast<std::int32_t>(R));
#pragma unroll
    for (unsigned k = 0; k < halo_slots; ++k) load_halo(lane, first + static_cast<std::int32_t>(k), k);
  }
  __device__ __forceinline__ void load_halo(const Lane& lane, std::int32_t z, unsigned k) {
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) edges[r][k % halo_slots] = lane.edge(r, z);
#pragma unroll
    for (unsigned h = 0; h < Lane::halo_loads; ++h) halos[h][k % halo_slots] = lane.halo(h, z);
  }
  /// Puts plane z in shared memory.
  template <class Tile>
  __device__ __forceinline__ void publish(const Tile& tile, unsigned k) const {
#pragma unroll
    for (unsigned r = 0; r < rows; ++r)
      tile.template vector<float4>(R + threadIdx.y * rows + r, threadIdx.x * 4) = planes[r][(k + R) % slots];
#pragma unroll
    for (unsigned h = 0; h < Lane::halo_loads; ++h)
      if (Lane::has_halo(h))
        tile.template vector<float4>(Lane::halo_row(h), threadIdx.x * 4) = halos[h][k % halo_slots];
  }
  /// The result of row r in plane z, whose neighbours in x are given and whose plane is in `tile`.
  template <class Tile>
  __device__ __forceinline__ float4 sum(const StarWeights<3, R>& weights, const Tile& tile, unsigned r, unsigned k,
                                        float4 west, float4 east) const {
    const float4 own = planes[r][(k + R) % slots];
    const unsigned row = R + threadIdx.y * rows + r;
    float4 result = scaled(own, weights.center);
#pragma unroll
    for (unsigned d = 1; d <= R; ++d) {
      add_row(result, west, own, east, d, weights.axis[0][d - 1]);
      add_vector(result, tile.template vector<float4>(row - d, threadIdx.x * 4), weights.axis[1][d - 1]);
      add_vector(result, tile.template vector<float4>(row + d, threadIdx.x * 4), weights.axis[1][d - 1]);
      add_vector(result, planes[r][(k + R - d) % slots], weights.axis[2][d - 1]);
      add_vector(result, planes[r][(k + R + d) % slots], weights.axis[2][d - 1]);
    }
    return result;
  }
};

}  // namespace detail

/// Block (32, Shape::warps); gridDim: width / 128, height / tile_rows, depth / chunk.
template <class Form, class Shape, unsigned Radius>
__global__ void __launch_bounds__(32 * Shape::warps, Shape::blocks)
    stencil_3d(Volume volume, StarWeights<3, Radius> weights) {
  constexpr unsigned R = Radius, rows = Shape::rows, slots = detail::MarchingPlanes<Shape, R>::slots;
  using PlaneLayout = RowMajor<float, Shape::tile_rows + 2 * R, stencil_columns>;
  static_assert(conflict_free<PlaneLayout, patterns::vector_row<4>, patterns::vector_row<4, patterns::store>>);
  __shared__ SharedTile<PlaneLayout> tiles[2];
  __shared__ SharedTile<typename Form::Layout> lines[Shape::warps];
  const detail::MarchingLane<Shape, R> lane{
      {volume, static_cast<std::int32_t>(blockIdx.x * stencil_columns + threadIdx.x * 4),
       static_cast<std::int32_t>((blockIdx.y * Shape::warps + threadIdx.y) * rows)}};
  const std::int32_t first = static_cast<std::int32_t>(blockIdx.z) * volume.chunk;
  const std::int32_t end = min(first + volume.chunk, volume.depth);
  detail::MarchingPlanes<Shape, R> held;
  held.begin(lane, first);
#pragma unroll 1
  for (std::int32_t turn = first; turn < end; turn += slots) {
#pragma unroll
    for (unsigned k = 0; k < slots; ++k) {
      const std::int32_t z = turn + static_cast<std::int32_t>(k);
      if (z >= end) return;  // the whole block
      detail::Edge<R> edge[rows];
#pragma unroll
      for (unsigned r = 0; r < rows; ++r) edge[r] = held.edges[r][k % Shape::halo_ahead];
      held.publish(tiles[k % 2], k);
#pragma unroll
      for (unsigned r = 0; r < rows; ++r)
        held.planes[r][(k + slots - 1) % slots] =
            lane.load(lane.y + static_cast<std::int32_t>(r), z + static_cast<std::int32_t>(R + Shape::ahead));
      held.load_halo(lane, z + static_cast<std::int32_t>(Shape::halo_ahead), k);
      __syncthreads();
#pragma unroll
      for (unsigned r = 0; r < rows; ++r) {
        float4 west, east;
        Form::template fetch<R>(held.planes[r][(k + R) % slots], edge[r], lines[threadIdx.y], west, east);
        lane.store(r, z, held.sum(weights, tiles[k % 2], r, k, west, east));
      }
    }
  }
}

}  // namespace lanebank::kernels
