// The matrix product by mma.sync, with tiles brought by the copy engine: no copies, no addresses and no barrier of the whole
// block in the warps that multiply. sm_90.
//
//   8 warps               wait for a full stage --ldmatrix--> fragments --mma.sync--> sums of 64 x 64 each
//   a thread of theirs    once a stage, asks for the stage `lead` stages on (128-byte swizzle); warps take turns
//   at a tile's end       sums --stmatrix--> tile of the warp --16-byte loads--> C, while the next tiles already come in
//
// The fragments and sums are those of gemm_fragments.cuh. The copy engine's 128-byte swizzle is the same XOR of 16-byte
// units with the row, so ldmatrix has no conflicts either (static_assert below). Warps wait for data only, not for one
// another; the thread that asks waits for warps that are more than a stage behind its own. There is no warp for asking, since a
// ninth one would leave 168 registers a thread where these need more than 200; and warps take turns, since what asking costs
// one of them each time would hold up all.
//
// Rows of A and B at multiples of 16 bytes; C of any pitch. Blocks stay and take tile after tile.
#pragma once

#include <cstdint>

#include "lanebank/kernels/gemm_fragments.cuh"
#include "lanebank/kernels/gemm_ring.cuh"

namespace lanebank::kernels {

namespace detail {

/// A hardware tile, whose rows are 128 bytes apart inside its panels.
template <unsigned Rows, unsigned Columns>
struct SwizzledPanels : HardwareTile<std::uint16_t, Rows, Columns, 128> {
  static constexpr std::uint32_t pitch_bytes = 128;
};

}  // namespace detail

/// Sizes and layouts of a block: 2 x 4 (BlockN = 256) or 2 x 2 warps of 16 RowTiles x 64. With 6 row tiles in place of 4 a
/// warp loads a sixth less for an mma, and has 64 registers less for everything else. `Lead`: stages asked for beyond the one
/// that is multiplied; the next is asked for before row tile AskAt of 4 RowTiles. The later, the less the thread that asks waits
/// for slower warps; a lead of Stages - 1 waits for those that still read the stage before.
///
/// LowTiles: row tiles of a warp in the tiles of C that are lower than the others. Which rows of tiles are, follows from the
/// sizes (ring_bands in gemm_launch.cuh): 8192 rows are 40 of 192 and 4 of 128, 11 tiles for each of 128 blocks.
template <MatrixB B, unsigned BlockN = 256, unsigned Stages = 4, unsigned RowTiles = 4, unsigned Lead = Stages - 2,
          unsigned AskAt = RowTiles, unsigned LowTiles = RowTiles>
struct MmaRingShape {
  static_assert(Lead >= 1 && Lead < Stages && AskAt < 4 * RowTiles, "the stage in use is not asked for again");
  static constexpr unsigned lead = Lead, ask_at = AskAt;
  static_assert(BlockN == 128 || BlockN == 256, "a block has 128 or 256 columns");
  static_assert(LowTiles <= RowTiles && RowTiles % 2 == 0 && LowTiles % 2 == 0, "tiles are made of boxes of 64 rows");
  static constexpr MatrixB matrix_b = B;
  static constexpr unsigned row_tiles = RowTiles, low_tiles = LowTiles, block_m = 32 * RowTiles, low_m = 32 * LowTiles,
                            block_n = BlockN, block_k = 64, stages = Stages, cluster = 1;
  static constexpr unsigned warps_across = BlockN / 64, warps = 2 * warps_across, threads = warps * 32;
  static constexpr bool transposed = B == MatrixB::k_by_n;
  static constexpr MatrixOrder order_b = transposed ? MatrixOrder::down_then_right : MatrixOrder::right_then_down;

  using TileA = detail::SwizzledPanels<block_m, block_k>;
  using TileB =
      std::conditional_t<transposed, detail::SwizzledPanels<block_k, BlockN>, detail::SwizzledPanels<BlockN, block_k>>;
  using TileC = detail::UnitXor<32, 64>;
  static constexpr std::uint32_t stage_bytes = TileA::bytes + TileB::bytes;
  static constexpr std::uint32_t staging = Stages * stage_bytes, shared_bytes = staging + warps * TileC::bytes;
  static_assert(shared_bytes + 1024 <= 227 * 1024, "with the barriers, more shared memory than a block can have");
  static constexpr std::uint32_t box_rows_a = 64, box_rows_b = transposed ? block_k : BlockN;

  static_assert(detail::steps_by_xor<TileA>() && detail::steps_by_xor<TileB>());
  static_assert(conflict_free<TileA, patterns::ldmatrix<4>> && conflict_free<TileB, patterns::ldmatrix<4, order_b>>);
  static_assert(conflict_free<TileC, patterns::stmatrix<4>, patterns::vector_row<8>>);
};

/// A tile of C.
struct BandTile {
  std::uint32_t row, column;  ///< its first
  bool tall;                  ///< Shape::block_m rows, else low_m
};

/// Tile `index` of a launch: the tall ones first.
template <class Shape, class Launch>
__device__ __forceinline__ BandTile band_tile(const Launch& launch, std::uint32_t index) {
  const std::uint32_t tall = launch.tall * launch.columns;
  if (Shape::low_tiles == Shape::row_tiles || index < tall) {
    const TilePlace place = tile_place(index, launch.tall, launch.columns, launch.group);
    return {place.row * Shape::block_m, place.column * Shape::block_n, true};
  }
  const TilePlace place = tile_place(index - tall, launch.rows - launch.tall, launch.columns, launch.group);
  return {launch.tall * Shape::block_m + place.row * Shape::low_m, place.column * Shape::block_n, false};
}

/// One thread: asks for stage `count` of all that the block needs, one tile of C after the other. All that it takes follows
/// from the count, so that threads which only multiply keep nothing else.
template <class Shape, class Launch>
__device__ __forceinline__ void ask_stage(TileProducer<Shape> producer, const Launch& launch, std::uint32_t tiles,
                                          std::uint32_t count) {
  const std::uint32_t index = blockIdx.x + count / tiles * gridDim.x;
  if (index >= launch.rows * launch.columns) return;
  const BandTile tile = band_tile<Shape>(launch, index);
  producer.place = {count % Shape::stages, count / Shape::stages % 2};
  producer.ask(tile.row, tile.column, count % tiles, tile.tall ? Shape::block_m : Shape::low_m);
}

/// What a warp goes through the tiles of C with.
template <class Out, class Shape>
struct RingWarp {
  const TileProducer<Shape>& producer;
  const RingLaunch<Out>& launch;
  unsigned char* memory;
  std::uint32_t tiles;  ///< stages of a tile of C
  RingPlace<Shape::stages> reading = {};
  std::uint32_t asked = Shape::lead;

  /// The warp's part of a tile, RowTiles x 16 rows of 64, from its stages to C.
  template <class In, unsigned RowTiles>
  __device__ __forceinline__ void multiply(const BandTile& place) {
    constexpr unsigned ask_at = Shape::ask_at * RowTiles / Shape::row_tiles;
    const std::uint32_t warp = threadIdx.x / 32, ring = producer.ring;
    const std::uint32_t row = warp / Shape::warps_across * (16 * RowTiles), column = warp % Shape::warps_across * 64;
    const FragmentPlace<Shape> fragment_place(row, column);
    WarpFragments<In, Shape, RowTiles> fragments;
    float sums[RowTiles][8][4] = {};
    mbarrier_wait(producer.full + reading.stage * 8, reading.parity);
    fragments.begin(ring + reading.stage * Shape::stage_bytes, fragment_place);
#pragma unroll 1
    for (std::uint32_t tile = 0; tile < tiles; ++tile) {
      const auto at = [&](unsigned f) {
        if (f != ask_at) return;
        if (threadIdx.x == asked % Shape::warps * 32) ask_stage(producer, launch, tiles, asked);
        ++asked;
      };
      // After the last stage of a tile of C nothing is loaded ahead.
      const auto leave = [&]() -> std::uint32_t {
        if (threadIdx.x % 32 == 0) mbarrier_arrive(producer.empty + reading.stage * 8);
        reading.next();
        if (tile + 1 == tiles) return 0;
        mbarrier_wait(producer.full + reading.stage * 8, reading.parity);
        return ring + reading.stage * Shape::stage_bytes;
      };
      fragments.multiply_stage(ring + reading.stage * Shape::stage_bytes, fragment_place, sums, at, leave);
    }
    const Tile<typename Shape::TileC> staging(aligned_base<1024>(memory + Shape::staging + warp * Shape::TileC::bytes));
    __syncwarp();
    store_sums(sums, staging, launch.c, launch.c_pitch, place.row + row, place.column + column, launch.m, launch.n);
  }
};

/// gridDim.x: at most the tiles of C; blockDim.x = Shape::threads, Shape::shared_bytes of dynamic shared memory. k > 0.
template <class In, class Out, class Shape>
__global__ void __launch_bounds__(Shape::threads, 1)
    gemm_mma_ring(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
                  const RingLaunch<Out> launch) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ __align__(1024) unsigned char memory[];
  __shared__ alignas(8) std::uint64_t barriers[2 * Shape::stages];
  const std::uint32_t ring = shared_address(memory), full = shared_address(barriers), empty = full + Shape::stages * 8;
  const std::uint32_t tiles = (launch.k + Shape::block_k - 1) / Shape::block_k, places = launch.rows * launch.columns;
  const TileProducer<Shape> producer{map_a, map_b, ring, full, empty, 0};
  if (threadIdx.x == 0) {
    ring_init<Shape::stages>(full, empty, Shape::warps);
    for (unsigned i = 0; i < Shape::lead; ++i) ask_stage(producer, launch, tiles, i);
  }
  __syncthreads();

  RingWarp<Out, Shape> warp{producer, launch, memory, tiles};
#pragma unroll 1
  for (std::uint32_t i = blockIdx.x; i < places; i += gridDim.x) {
    const BandTile place = band_tile<Shape>(launch, i);
    if (place.tall)
      warp.template multiply<In, Shape::row_tiles>(place);
    else
      warp.template multiply<In, Shape::low_tiles>(place);
  }
#endif
}

}  // namespace lanebank::kernels
