// A star stencil on a volume whose planes the copy engine brings (TMA): blocks march along z over tiles of 128 x
// (Warps * Rows) columns.
//
//   ring in shared memory   planes z .. z + R + Ahead of the tile and R rows above and below: boxes of 128 x
//                           (tile rows + 2 R) floats, one instruction each, zeros outside the volume
//   registers               a lane's own vectors of planes z - R .. z + R
//
//   step n:   wait for plane n;  own vectors of plane n -> registers;  sum of plane n - R: y and x from its box, z from
//             registers;  store;  barrier;  one thread asks for plane n + 1 + Ahead in the place of plane n - R
//
// What is in flight needs no register and no address arithmetic. Vectors of 16 bytes along rows: conflict-free. The
// neighbours in x come as in stencil_row.cuh; where more than two words are needed, NeighboursShuffle takes vectors
// from the box instead. Those beyond the tile:
//
//   Margin 0   loaded a plane ahead; the blocks beside have them in the L2 cache. Boxes are whole lines of 128 bytes
//   Margin 4   from boxes of 136 columns: more lines, which costs a tenth, but no registers and no waiting. Better
//              where few warps share a multiprocessor (bench/results/kernels.md)
//
// BoxSync::warps takes the place of the barrier: each warp says of a box that it has read it, and the thread that asks,
// of one warp after the other, waits for that of the plane before; so warps may be planes apart, and one plane fewer is
// on its way.
#pragma once

#include "lanebank/kernels/copy_engine.cuh"
#include "lanebank/kernels/stencil_3d.cuh"
#include "lanebank/kernels/tensor_map.cuh"

namespace lanebank::kernels {

/// When a box may be written again: after a barrier of the block, or when its warps have said so one by one.
enum class BoxSync { block, warps };

/// Warps per block, rows per warp, blocks per multiprocessor, planes asked for ahead: 2 R + 1 vectors a row in
/// registers. Chunk: planes of a block; 0: the number that ends soonest. Margin: columns of a box beyond the tile, 0 or 4.
template <unsigned Warps = 8, unsigned Rows = 2, unsigned BlocksPerMultiprocessor = 2, unsigned Ahead = 2,
          unsigned Chunk = 0, BoxSync Sync = BoxSync::block, unsigned Margin = 0>
struct Stencil3dBoxes {
  static constexpr StencilWay way = StencilWay::boxes;
  static constexpr unsigned warps = Warps, rows = Rows, blocks = BlocksPerMultiprocessor, tile_rows = Warps * Rows;
  static constexpr unsigned ahead = Ahead, chunk = Chunk, margin = Margin;
  static constexpr BoxSync sync = Sync;
  template <unsigned R>
  static constexpr unsigned slots = R + 1 + Ahead;
};

namespace detail {

/// `Slots` boxes for tiles of `Rows` rows, `Margin` columns wider on both sides.
template <unsigned Rows, unsigned Slots, unsigned R, unsigned Margin>
struct StencilBoxes {
  static_assert(Margin == 0 || Margin == 4, "none, or 16 bytes on either side");
  using Layout = RowMajor<float, Rows + 2 * R, stencil_columns + 2 * Margin>;
  using Tile = SharedTile<Layout>;
  static constexpr unsigned slots = Slots, margin = Margin;
  static constexpr unsigned pitch_bytes = (Layout::bytes + 127) / 128 * 128;
  static constexpr unsigned bytes = slots * pitch_bytes;
  static_assert(conflict_free<Layout, patterns::vector_row<4>>);

  /// The map of a volume. False where the driver refuses or cannot be asked.
  static bool encode(CUtensorMap& map, const Volume& volume) {
    TensorBox<3> tensor{CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
                        volume.source,
                        {static_cast<cuuint64_t>(volume.width), static_cast<cuuint64_t>(volume.height),
                         static_cast<cuuint64_t>(volume.depth)},
                        {volume.source_row * sizeof(float), volume.source_plane * sizeof(float)},
                        {Layout::columns, Layout::rows, 1}};
    tensor.promotion = CU_TENSOR_MAP_L2_PROMOTION_L2_128B;
    return encode_tensor_map(map, tensor);
  }
  /// Asks for the box of the tile at (x, y) of plane z; called by one thread.
  __device__ __forceinline__ static void ask(const CUtensorMap& map, const Tile& tile, std::uint32_t barrier,
                                             std::int32_t x, std::int32_t y, std::int32_t z) {
    mbarrier_arrive_expect(barrier, Layout::bytes);
    tensor_load(tile.shared_address(0, 0), map, x - static_cast<std::int32_t>(Margin), y - static_cast<std::int32_t>(R),
                z, barrier);
  }
  /// The lane's vector in a row of the box.
  __device__ __forceinline__ static float4 own(const Tile& tile, unsigned row) {
    return tile.template vector<float4>(row, Margin + 4 * threadIdx.x);
  }
  /// Its neighbours in x. Without a margin, those beyond the box are `edges`' of the warp's row r.
  template <class Form, class Edges, class Line>
  __device__ __forceinline__ static void neighbours(const Tile& tile, unsigned row, float4 own, const Edges& edges,
                                                    unsigned r, const Line& line, float4& west, float4& east) {
    const unsigned lane = threadIdx.x;
    constexpr bool vectors = R > 2 && std::is_same_v<Form, NeighboursShuffle>;
    if constexpr (vectors && Margin > 0) {
      west = tile.template vector<float4>(row, 4 * lane);
      east = tile.template vector<float4>(row, 4 * lane + 8);
    } else if constexpr (vectors) {
      float4 first, last;
      set_edge(edges.row(r), first, last);
      west = tile.template vector<float4>(row, lane == 0 ? 0 : 4 * lane - 4);
      east = tile.template vector<float4>(row, lane == 31 ? 4 * lane : 4 * lane + 4);
      if (lane == 0) west = first;
      if (lane == 31) east = last;
    } else if constexpr (Margin > 0) {
      Edge<R> edge{};
      const unsigned column = lane == 0 ? Margin - Edge<R>::words : Margin + stencil_columns;
      if (lane == 0 || lane == 31) {
#pragma unroll
        for (unsigned i = 0; i < Edge<R>::words; ++i)  // one by one: vectors so far apart take two wavefronts
          edge.at[i] = *static_cast<const volatile float*>(&tile(row, column + i));
      }
      Form::template fetch<R>(own, edge, line, west, east);
    } else {
      Form::template fetch<R>(own, edges.row(r), line, west, east);
    }
  }
};

/// In place of RowEdges where boxes have a margin.
struct NoEdges {};

/// The results of the lane's rows, from row `top` on, in the plane whose box is `tile`. Plane z - R + i: planes[r][(k + 1 + i) % depth].
template <class Form, class Shape, class Boxes, unsigned R, class Edges, class Line>
__device__ __forceinline__ void sum_box(float4 (&sums)[Shape::rows], const float4 (&planes)[Shape::rows][2 * R + 1],
                                        const Edges& edges, unsigned k, const typename Boxes::Tile& tile, unsigned top,
                                        const Line& line, const StarWeights<3, R>& weights) {
  constexpr unsigned rows = Shape::rows, depth = 2 * R + 1;
  float4 column[rows + 2 * R];  // box rows top ..
#pragma unroll
  for (unsigned i = 0; i < rows + 2 * R; ++i)
    column[i] = i >= R && i < R + rows ? planes[i - R][(k + 1 + R) % depth] : Boxes::own(tile, top + i);
#pragma unroll
  for (unsigned r = 0; r < rows; ++r) {
    const float4 own = column[R + r];
    float4 west, east, sum = scaled(own, weights.center);
    Boxes::template neighbours<Form>(tile, top + R + r, own, edges, r, line, west, east);
#pragma unroll
    for (unsigned d = 1; d <= R; ++d) {
      add_row(sum, west, own, east, d, weights.axis[0][d - 1]);
      add_vector(sum, column[R + r - d], weights.axis[1][d - 1]);
      add_vector(sum, column[R + r + d], weights.axis[1][d - 1]);
      add_vector(sum, planes[r][(k + 1 + R - d) % depth], weights.axis[2][d - 1]);
      add_vector(sum, planes[r][(k + 1 + R + d) % depth], weights.axis[2][d - 1]);
    }
    sums[r] = sum;
  }
}

}  // namespace detail

/// Block (32, Shape::warps); gridDim: width / 128, height / tile_rows, depth / chunk; StencilBoxes::bytes of dynamic
/// shared memory. `map`: StencilBoxes::encode.
template <class Form, class Shape, unsigned Radius>
__global__ void __launch_bounds__(32 * Shape::warps, Shape::blocks)
    stencil_3d_boxes(const __grid_constant__ CUtensorMap map, Volume volume, StarWeights<3, Radius> weights) {
  constexpr unsigned R = Radius, rows = Shape::rows, depth = 2 * R + 1, slots = Shape::template slots<R>;
  using Boxes = detail::StencilBoxes<Shape::tile_rows, slots, R, Shape::margin>;
  using Edges = std::conditional_t<Shape::margin == 0, detail::RowEdges<rows, R>, detail::NoEdges>;
  extern __shared__ __align__(128) unsigned char memory[];
  __shared__ SharedTile<typename Form::Layout> lines[Shape::warps];
  constexpr bool apart = Shape::sync == BoxSync::warps;
  __shared__ __align__(8) std::uint64_t filled[slots], emptied[apart ? slots : 1];
  const auto tile = [&](unsigned slot) -> const typename Boxes::Tile& {
    return *reinterpret_cast<const typename Boxes::Tile*>(memory + slot * Boxes::pitch_bytes);
  };
  const unsigned top = threadIdx.y * rows;
  const std::int32_t x = static_cast<std::int32_t>(blockIdx.x * stencil_columns),
                     y = static_cast<std::int32_t>(blockIdx.y * Shape::tile_rows);
  const std::int32_t first = static_cast<std::int32_t>(blockIdx.z) * volume.chunk;
  const std::int32_t end = min(first + volume.chunk, volume.depth);
  const std::int32_t start = first - static_cast<std::int32_t>(R),
                     steps = end - first + static_cast<std::int32_t>(2 * R);
  const auto barrier = shared_address(filled), read = shared_address(emptied);
  const auto ask = [&](std::int32_t n, unsigned slot) {  // plane n of the march
    if (n < steps) Boxes::ask(map, tile(slot), barrier + 8 * slot, x, y, start + n);
  };
  const bool asks = threadIdx.x == 0 && threadIdx.y == 0;
  if (asks) {
    for (unsigned slot = 0; slot < slots; ++slot) {
      mbarrier_init(barrier + 8 * slot, 1);
      if (apart) mbarrier_init(read + 8 * slot, Shape::warps);
    }
    mbarrier_fence_init();
    for (unsigned slot = 0; slot < slots; ++slot) ask(static_cast<std::int32_t>(slot), slot);
  }
  __syncthreads();

  const detail::VolumeLane<R> lane{volume, x + static_cast<std::int32_t>(threadIdx.x * 4),
                                   y + static_cast<std::int32_t>(top)};
  const auto edges_of = [&](std::int32_t z) {
    if constexpr (Shape::margin == 0)
      return Edges(lane.line(lane.y, z), volume.source_row, lane.x, volume.width, volume.height - lane.y);
    else
      return Edges{};
  };
  float4 planes[rows][depth];                         // plane n: [n % depth]
  Edges next = edges_of(first);                       // of the plane whose results come next
  unsigned arriving = 0, parity = 0, centre = 0;      // slots of planes n and n - R
  unsigned before = 0, before_parity = 0, asker = 0;  // of plane n - R - 1; the warp that asks
#pragma unroll 1
  for (std::int32_t turn = 0; turn < steps; turn += depth) {
#pragma unroll
    for (unsigned k = 0; k < depth; ++k) {
      const std::int32_t n = turn + static_cast<std::int32_t>(k);
      if (n >= steps) return;  // the whole block
      mbarrier_wait(barrier + 8 * arriving, parity);
#pragma unroll
      for (unsigned r = 0; r < rows; ++r) planes[r][k] = Boxes::own(tile(arriving), R + top + r);
      parity ^= arriving + 1 == slots;
      arriving = arriving + 1 == slots ? 0 : arriving + 1;
      if (n < static_cast<std::int32_t>(R)) continue;
      if (n >= static_cast<std::int32_t>(2 * R)) {
        const std::int32_t z = start + n - static_cast<std::int32_t>(R);
        const Edges edges = next;
        if (Shape::margin == 0 && z + 1 < end) next = edges_of(z + 1);
        float4 sums[rows];
        detail::sum_box<Form, Shape, Boxes>(sums, planes, edges, k, tile(centre), top, lines[threadIdx.y], weights);
#pragma unroll
        for (unsigned r = 0; r < rows; ++r) lane.store(r, z, sums[r]);
      }
      if constexpr (apart) {
        __syncwarp();
        if (threadIdx.x == 0) mbarrier_arrive(read + 8 * centre);
        if (n > static_cast<std::int32_t>(R)) {
          if (threadIdx.x == 0 && threadIdx.y == asker) {
            mbarrier_wait(read + 8 * before, before_parity);
            ask(n + static_cast<std::int32_t>(Shape::ahead), before);
          }
          asker = asker + 1 == Shape::warps ? 0 : asker + 1;
          before_parity ^= before + 1 == slots;
          before = before + 1 == slots ? 0 : before + 1;
        }
      } else {
        __syncthreads();  // the centre's box has been read
        if (asks) ask(n + 1 + static_cast<std::int32_t>(Shape::ahead), centre);
      }
      centre = centre + 1 == slots ? 0 : centre + 1;
    }
  }
}

}  // namespace lanebank::kernels
