// A warp's row of 128 floats, four to a lane, and the neighbours in x of each lane, in three forms with one interface.
//
//   lane            0          1          2       ...     31
//   own          0 1 2 3    4 5 6 7    8 9 ..           124 .. 127        west: the vector of the lane before
//                                                                         east: the vector of the lane behind
//
//   NeighboursWords     through shared memory, word by word: lanes are four words apart, so 0, 8, 16, 24 meet in a bank
//   NeighboursSwizzled  the same with word 4 l + i at 4 l + (i ^ l / 8): these lanes use the four banks of a vector
//   NeighboursShuffle   by shuffles
//
//   wavefronts for a radius R     Words 4 + 8 R      Swizzled min(4, 2 R) + 2 R      Shuffle 2 R
//
// Loads of whole vectors of 16 bytes are no cure: the compiler narrows them to the words that are used, and the words
// conflict.
//
// fetch<Radius>(own, edge, row, west, east): `edge` is what lanes 0 and 31 have beyond the row (detail::load_edge).
// Only the Radius nearest words of west and east are given. Called by a converged warp; the row belongs to the warp;
// __syncwarp only.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "lanebank/layout.hpp"
#include "lanebank/pattern.hpp"
#include "lanebank/proofs.hpp"
#include "lanebank/tile.hpp"

namespace lanebank::kernels {

inline constexpr unsigned stencil_columns = 128;  ///< floats of a warp's row

/// Which kernel a shape is for: stencil_2d.cuh and stencil_3d.cuh, or those of the same name with _pieces or _boxes.
enum class StencilWay { marching, pieces, boxes };

namespace detail {

__device__ __forceinline__ float& element(float4& vector, unsigned i) {
  return i == 0 ? vector.x : i == 1 ? vector.y : i == 2 ? vector.z : vector.w;
}

/// Four floats of a row at x, zeros where they are outside [0, width). The row has room up to a multiple of 4.
__device__ __forceinline__ float4 load_floats(const float* __restrict__ row, std::int32_t x, std::int32_t width,
                                              bool inside = true) {
  float4 vector = {0, 0, 0, 0};
  if (inside && x >= 0 && x < width) {
    vector = *reinterpret_cast<const float4*>(row + x);
    if (x + 4 > width) {
      vector.w = 0;
      if (x + 2 >= width) vector.z = 0;
      if (x + 1 >= width) vector.y = 0;
    }
  }
  return vector;
}

/// Stores those of the four that are inside.
__device__ __forceinline__ void store_floats(float* row, std::int32_t x, std::int32_t width, float4 vector) {
  if (x + 4 <= width) {
    *reinterpret_cast<float4*>(row + x) = vector;
  } else {
#pragma unroll
    for (unsigned i = 0; i < 3; ++i)
      if (x + static_cast<std::int32_t>(i) < width) row[x + static_cast<std::int32_t>(i)] = element(vector, i);
  }
}

/// The words beyond a warp's row, one load: of lane 0 those just west of its vector, of lane 31 those just east.
template <unsigned Radius>
struct Edge {
  static constexpr unsigned words = Radius <= 2 ? Radius : 4;
  using Vector = std::conditional_t<words == 1, float, std::conditional_t<words == 2, float2, float4>>;
  float at[words];
};
/// Of a row that is inside, they are zero outside [0, width). Checked: the row may be outside, or end within the words.
template <unsigned Radius, bool Checked = true>
__device__ __forceinline__ Edge<Radius> load_edge(const float* __restrict__ row, std::int32_t x, std::int32_t width,
                                                  bool inside = true) {
  constexpr unsigned words = Edge<Radius>::words;
  using Words = typename Edge<Radius>::Vector;
  const unsigned lane = threadIdx.x;
  const std::int32_t column = lane == 0 ? x - static_cast<std::int32_t>(words) : x + 4;
  Edge<Radius> edge{};
  if ((lane == 0 || lane == 31) && (!Checked || inside) && column >= 0 && column < width) {
    const Words loaded = *reinterpret_cast<const Words*>(row + column);
    memcpy(edge.at, &loaded, sizeof loaded);
    if constexpr (Checked) {
#pragma unroll
      for (unsigned i = 1; i < words; ++i)
        if (column + static_cast<std::int32_t>(i) >= width) edge.at[i] = 0;
    }
  }
  return edge;
}
/// Need the strip's vectors no check, and its edges none but load_edge's? They end with the row or 16 bytes before.
__device__ __forceinline__ bool is_whole_strip(std::int32_t strip, std::int32_t width) {
  const std::int32_t end = strip + static_cast<std::int32_t>(stencil_columns);
  return end == width || end + 4 <= width;
}
template <unsigned Radius>
__device__ __forceinline__ void set_edge(const Edge<Radius>& edge, float4& west, float4& east) {
#pragma unroll
  for (unsigned i = 0; i < Radius; ++i) {
    element(west, 3 - i) = edge.at[Edge<Radius>::words - 1 - i];
    element(east, i) = edge.at[i];
  }
}

/// The words beyond some rows of a warp, `row`: its first, x: the lane's column, `inside`: rows that are not outside. A
/// lane loads its own of each row.
template <unsigned Rows, unsigned R>
struct EdgeEachRow {
  Edge<R> edges[Rows];

  EdgeEachRow() = default;
  __device__ __forceinline__ EdgeEachRow(const float* row, std::uint64_t pitch, std::int32_t x, std::int32_t width,
                                         std::int32_t inside) {
#pragma unroll
    for (unsigned r = 0; r < Rows; ++r)
      edges[r] = load_edge<R>(row + r * pitch, x, width, static_cast<std::int32_t>(r) < inside);
  }
  /// Those of row r, for lanes 0 and 31.
  __device__ __forceinline__ Edge<R> row(unsigned r) const { return edges[r]; }
};

/// The same with a row and a side to a lane: 4 registers for up to 16 rows. Called by a converged warp.
template <unsigned Rows, unsigned R>
struct EdgesAcrossLanes {
  static_assert(Rows <= 16, "two lanes a row");
  float4 held;

  EdgesAcrossLanes() = default;
  __device__ __forceinline__ EdgesAcrossLanes(const float* row, std::uint64_t pitch, std::int32_t x, std::int32_t width,
                                              std::int32_t inside) {
    const unsigned lane = threadIdx.x;
    const std::int32_t strip = x - static_cast<std::int32_t>(4 * lane);
    const std::int32_t column = lane % 2 == 0 ? strip - 4 : strip + static_cast<std::int32_t>(stencil_columns);
    held = load_floats(row + lane / 2 * pitch, column, width,
                       lane < 2 * Rows && static_cast<std::int32_t>(lane / 2) < inside);
  }
  __device__ __forceinline__ Edge<R> row(unsigned r) const {
    const float words[4] = {held.x, held.y, held.z, held.w};
    Edge<R> edge;
#pragma unroll
    for (unsigned i = 0; i < Edge<R>::words; ++i) {
      // West of lane 0 the last words count, east of lane 31 the first.
      const float word = threadIdx.x % 2 == 0 ? words[4 - Edge<R>::words + i] : words[i];
      edge.at[i] = __shfl_sync(0xffffffffu, word, 2 * r + (threadIdx.x == 31));
    }
    return edge;
  }
};
template <unsigned Rows, unsigned R>
using RowEdges = std::conditional_t<(R > 2), EdgesAcrossLanes<Rows, R>, EdgeEachRow<Rows, R>>;

/// sum += weights of the row's neighbours at distance `d`, west first.
__device__ __forceinline__ void add_row(float4& sum, float4 west, float4 own, float4 east, unsigned d, float weight) {
  const float line[12] = {west.x, west.y, west.z, west.w, own.x, own.y, own.z, own.w, east.x, east.y, east.z, east.w};
#pragma unroll
  for (unsigned i = 0; i < 4; ++i) {
    float& one = element(sum, i);
    one = fmaf(weight, line[4 + i - d], one);
    one = fmaf(weight, line[4 + i + d], one);
  }
}

__device__ __forceinline__ void add_vector(float4& sum, float4 values, float weight) {
  sum.x = fmaf(weight, values.x, sum.x);
  sum.y = fmaf(weight, values.y, sum.y);
  sum.z = fmaf(weight, values.z, sum.z);
  sum.w = fmaf(weight, values.w, sum.w);
}

__device__ __forceinline__ float4 scaled(float4 values, float weight) {
  return {weight * values.x, weight * values.y, weight * values.z, weight * values.w};
}

}  // namespace detail

/// Word by word: shows the conflict.
struct NeighboursWords {
  using Layout = RowMajor<float, 1, stencil_columns>;
  static constexpr Coordinate read(unsigned access, unsigned lane) { return {0, 4 * lane + access}; }

  template <unsigned Radius>
  __device__ __forceinline__ static void fetch(float4 own, const detail::Edge<Radius>& edge,
                                               const SharedTile<Layout>& row, float4& west, float4& east) {
    const unsigned lane = threadIdx.x;
    __syncwarp();
    row.vector<float4>(0, 4 * lane) = own;
    __syncwarp();
    detail::set_edge(edge, west, east);
#pragma unroll
    for (unsigned i = 0; i < Radius; ++i) {
      if (lane > 0) detail::element(west, 3 - i) = row(0, 4 * lane - 1 - i);
      if (lane < 31) detail::element(east, i) = row(0, 4 * lane + 4 + i);
    }
  }
};

/// Word by word on the swizzle: conflict-free.
struct NeighboursSwizzled {
  using Layout = Swizzled<RowMajor<float, 1, stencil_columns>, Swizzle<2, 2, 5>>;

  template <unsigned Radius>
  __device__ __forceinline__ static void fetch(float4 own, const detail::Edge<Radius>& edge,
                                               const SharedTile<Layout>& row, float4& west, float4& east) {
    const unsigned lane = threadIdx.x;
    __syncwarp();
#pragma unroll
    for (unsigned i = 0; i < 4; ++i)
      if (i < Radius || i + Radius >= 4) row(0, 4 * lane + i) = detail::element(own, i);
    __syncwarp();
    detail::set_edge(edge, west, east);
#pragma unroll
    for (unsigned i = 0; i < Radius; ++i) {
      if (lane > 0) detail::element(west, 3 - i) = row(0, 4 * lane - 1 - i);
      if (lane < 31) detail::element(east, i) = row(0, 4 * lane + 4 + i);
    }
  }
};

/// Without shared memory.
struct NeighboursShuffle {
  using Layout = RowMajor<float, 1, 4>;  // not used

  template <unsigned Radius>
  __device__ __forceinline__ static void fetch(float4 own, const detail::Edge<Radius>& edge, const SharedTile<Layout>&,
                                               float4& west, float4& east) {
    const unsigned lane = threadIdx.x;
    detail::set_edge(edge, west, east);
#pragma unroll
    for (unsigned i = 0; i < Radius; ++i) {
      const float before = __shfl_up_sync(0xffffffffu, detail::element(own, 3 - i), 1);
      const float behind = __shfl_down_sync(0xffffffffu, detail::element(own, i), 1);
      if (lane > 0) detail::element(west, 3 - i) = before;
      if (lane < 31) detail::element(east, i) = behind;
    }
  }
};

static_assert(has_wavefronts<NeighboursWords::Layout, patterns::custom<&NeighboursWords::read, 4>, 4 * 4>);
static_assert(is_bijective<NeighboursSwizzled::Layout> &&
              conflict_free<NeighboursSwizzled::Layout, patterns::custom<&NeighboursWords::read, 4>,
                            patterns::custom<&NeighboursWords::read, 4, patterns::store>>);

/// A star: the centre and `Radius` neighbours on both sides along each of `Axes` axes (x, y, z), symmetric.
/// out = center * in + sum over d of axis[a][d - 1] * (in at -d + in at +d), added up with one rounding each, d first.
template <unsigned Axes, unsigned Radius>
struct StarWeights {
  static_assert(Axes == 2 || Axes == 3, "stencils of two or three dimensions");
  static_assert(Radius >= 1 && Radius <= 4, "a radius of 1 to 4: neighbours in x come from one vector on either side");
  float center;
  float axis[Axes][Radius];
};

}  // namespace lanebank::kernels
