// The matrix product by wgmma: one warp asks the copy engine for tiles, two warpgroups multiply them. sm_90a.
//
//   warp 8                waits for a free stage, asks for its tiles of A and B (128-byte swizzle)
//   warpgroups 0 and 1    wait for a full stage, multiply 64 x BlockN x 64 each, free the stage before
//   at a tile's end       sums --stmatrix--> panels of 64 x 64 --copy engine--> C, while the next tiles already come in
//
//   ring of stages     | A 128 x 64 | B BlockN x 64 |  x Stages        barriers: full[stage], empty[stage]
//   staging            | 64 x 64 | 64 x 64 |           x 2 warpgroups      (with fewer stages, room for all of BlockN)
//
// Blocks stay and take tile after tile (tile_place). A cluster of two blocks computes two tiles of C below one another: each
// asks for its own A and for half of B, and the copy engine delivers that half to both (multicast). A stage is free when the
// warpgroups of both blocks have left it.
//
// Layouts: HardwareTile with the 128-byte swizzle. What the tensor cores and the copy engine read has no bank conflicts by
// construction; stmatrix into the staging is proved below.
//
// Rows of A and B at multiples of 16 bytes, as the copy engine demands; outside of the matrices it reads zeros. C of any pitch:
// where its rows are not at multiples of 16 bytes, or are floats, threads store.
// No register goes from producer to consumers (setmaxnreg): nine warps leave 168 for each thread, and that is enough.
#pragma once

#include <cstdint>

#include "lanebank/kernels/gemm_common.cuh"
#include "lanebank/kernels/gemm_fragments.cuh"
#include "lanebank/kernels/gemm_instructions.cuh"
#include "lanebank/kernels/gemm_ring.cuh"
#include "lanebank/kernels/gemm_warpgroup.cuh"
#include "lanebank/layout.hpp"
#include "lanebank/proofs.hpp"
#include "lanebank/tile.hpp"

namespace lanebank::kernels {

/// Sizes and layouts of a block. Panels: of 64 columns of C in the staging of a warpgroup. With all of them the sums leave in
/// one go; with 2, one is written while the other is stored.
template <MatrixB B, unsigned BlockN = 256, unsigned Stages = 4, unsigned Cluster = 2, unsigned Panels = 2>
struct WgmmaShape {
  static_assert(Panels == 2 || Panels == BlockN / 64, "two panels, or all");
  static_assert(BlockN == 128 || BlockN == 256, "a block is 128 x 128 or 128 x 256");
  static_assert(Cluster == 1 || Cluster == 2, "one block or two share B");
  static constexpr MatrixB matrix_b = B;
  static constexpr unsigned block_m = 128, block_n = BlockN, block_k = 64, stages = Stages, cluster = Cluster;
  static constexpr unsigned groups = 2, threads = groups * 128 + 32;
  static constexpr bool transposed = B == MatrixB::k_by_n;

  using TileA = HardwareTile<std::uint16_t, block_m, block_k, 128>;
  using TileB = std::conditional_t<transposed, HardwareTile<std::uint16_t, block_k, BlockN, 128>,
                                   HardwareTile<std::uint16_t, BlockN, block_k, 128>>;
  using Panel = HardwareTile<std::uint16_t, 64, 64, 128>;
  static constexpr std::uint32_t stage_bytes = TileA::bytes + TileB::bytes;
  static constexpr unsigned panels = Panels;
  static constexpr std::uint32_t staging = Stages * stage_bytes, staging_bytes = groups * Panels * Panel::bytes;
  static constexpr std::uint32_t shared_bytes = staging + staging_bytes;
  static_assert(shared_bytes + 1024 <= 227 * 1024, "with the barriers, more shared memory than a block can have");
  static_assert(TileA::bytes % 1024 == 0 && TileB::bytes % 1024 == 0, "every tile begins at a multiple of 1024");
  static_assert(conflict_free<Panel, patterns::stmatrix<4>, patterns::vector_row<8>>);

  /// B in boxes of the tensor map: rows of N, or panels of 64 columns.
  static constexpr std::uint32_t box_rows_a = block_m, box_rows_b = transposed ? block_k : BlockN / Cluster;
};

#ifdef LANEBANK_HAS_WGMMA
namespace detail {

/// A warpgroup that multiplies. `group`: 0 or 1, rows 64 x group of the block's tile.
template <class In, class Out, class Shape>
struct WgmmaConsumer {
  static constexpr unsigned n = Shape::block_n;
  std::uint32_t ring, full, empty, group;
  RingPlace<Shape::stages> place = {};

  /// 64 x n x 64 of a full stage.
  __device__ __forceinline__ void multiply(float (&sums)[n / 2], bool first) {
    const std::uint32_t a = ring + place.stage * Shape::stage_bytes + group * (64 * 128);
    const std::uint32_t b = ring + place.stage * Shape::stage_bytes + Shape::TileA::bytes;
    const std::uint64_t from_a = k_major(a), from_b = Shape::transposed ? n_major(b, 64 * 128) : k_major(b);
    mbarrier_wait(full + place.stage * 8, place.parity);
    wgmma_fence();
#pragma unroll
    for (unsigned step = 0; step < 4; ++step)
      wgmma<In, Shape::transposed, n>(sums, from_a + step * (32 / 16),
                                      from_b + step * (Shape::transposed ? 2048 / 16 : 32 / 16), !first || step > 0);
    wgmma_commit();
  }
  /// One thread for each block of the cluster says that the warpgroup has left a stage.
  __device__ __forceinline__ void leave(std::uint32_t stage) {
    const std::uint32_t thread = threadIdx.x % 128;
    if constexpr (Shape::cluster > 1) {
      if (thread < Shape::cluster) mbarrier_arrive_cluster(empty + stage * 8, thread);
    } else {
      if (thread == 0) mbarrier_arrive(empty + stage * 8);
    }
  }
  /// The sums of a tile of `tiles` stages. The wgmma of one stage run while the next are given out.
  __device__ __forceinline__ void accumulate(float (&sums)[n / 2], std::uint32_t tiles) {
    multiply(sums, true);
    std::uint32_t before = place.stage;
    place.next();
#pragma unroll 1
    for (std::uint32_t tile = 1; tile < tiles; ++tile) {
      multiply(sums, false);
      wgmma_wait<1>();
      leave(before);
      before = place.stage;
      place.next();
    }
    wgmma_wait<0>();
    wgmma_results(sums);
    leave(before);
  }
  /// By the copy engine. `staging`: the warpgroup's panels.
  __device__ __forceinline__ void store(const float (&sums)[n / 2], unsigned char* staging, const CUtensorMap& map_c,
                                        std::uint32_t row, std::uint32_t column) {
    using Panel = typename Shape::Panel;
    constexpr unsigned together = Shape::panels == n / 64 ? n / 64 : 1;  // panels that are written, then stored
    const std::uint32_t warp_row = threadIdx.x % 128 / 32 * 16;
    const bool speaks = threadIdx.x % 128 == 0;
#pragma unroll
    for (unsigned first = 0; first < n / 64; first += together) {
      if (speaks) bulk_wait_read<Shape::panels / together - 1>();
      named_barrier(1 + group, 128);
#pragma unroll
      for (unsigned panel = first; panel < first + together; ++panel) {
        const Tile<Panel> tile(aligned_base<1024>(staging + panel % Shape::panels * Panel::bytes));
#pragma unroll
        for (unsigned i = 0; i < 4; ++i) {
          const float* four = sums + panel * 32 + i * 8;
          const float left[4] = {four[0], four[1], four[2], four[3]}, right[4] = {four[4], four[5], four[6], four[7]};
          stage_sums<Out>(left, right, tile, warp_row, i * 16);
        }
      }
      fence_async_proxy();
      named_barrier(1 + group, 128);
      if (!speaks) continue;
#pragma unroll
      for (unsigned panel = first; panel < first + together; ++panel)
        tensor_store(map_c, column + panel * 64, row, shared_address(staging + panel % Shape::panels * Panel::bytes));
      bulk_commit();
    }
  }
  /// By the threads, where the copy engine cannot.
  __device__ __forceinline__ void store(const float (&sums)[n / 2], const RingLaunch<Out>& launch, std::uint32_t row,
                                        std::uint32_t column) {
    const std::uint32_t lane = threadIdx.x % 32, first = row + threadIdx.x % 128 / 32 * 16 + lane / 4;
    const bool pairs = pairs_aligned(launch.c, launch.c_pitch);
#pragma unroll
    for (unsigned half = 0; half < 2; ++half)
      if (first + half * 8 < launch.m) {
        Out* target = launch.c + (first + half * 8) * launch.c_pitch;
#pragma unroll
        for (unsigned j = 0; j < n / 8; ++j)
          store_pair(target, column + j * 8 + lane % 4 * 2, launch.n, pairs, sums[j * 4 + half * 2],
                     sums[j * 4 + half * 2 + 1]);
      }
  }
};

}  // namespace detail
#endif

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define LANEBANK_CLUSTER(blocks) __cluster_dims__(blocks, 1, 1)
#else
#define LANEBANK_CLUSTER(blocks)
#endif

/// gridDim.x: a multiple of Shape::cluster, at most Shape::cluster x rows x columns; blockDim.x = Shape::threads,
/// Shape::shared_bytes of dynamic shared memory. k > 0. Compiled for other than sm_90a it is empty, and has no static shared
/// memory: so the host can tell.
template <class In, class Out, class Shape>
__global__ void LANEBANK_CLUSTER(Shape::cluster) __launch_bounds__(Shape::threads, 1)
    gemm_wgmma(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
               const __grid_constant__ CUtensorMap map_c, const RingLaunch<Out> launch) {
#ifdef LANEBANK_HAS_WGMMA
  extern __shared__ __align__(1024) unsigned char memory[];
  __shared__ alignas(8) std::uint64_t barriers[2 * Shape::stages];
  const std::uint32_t ring = shared_address(memory), full = shared_address(barriers), empty = full + Shape::stages * 8;
  const std::uint32_t rank = Shape::cluster > 1 ? cluster_rank() : 0;
  const std::uint32_t warp = __shfl_sync(0xffffffffu, threadIdx.x / 32, 0);
  if (threadIdx.x == 0) ring_init<Shape::stages>(full, empty, Shape::groups * Shape::cluster);
  if constexpr (Shape::cluster > 1)
    cluster_sync();
  else
    __syncthreads();

  const std::uint32_t tiles = (launch.k + Shape::block_k - 1) / Shape::block_k, places = launch.rows * launch.columns;
  const std::uint32_t first = blockIdx.x / Shape::cluster, step = gridDim.x / Shape::cluster;
  const auto row_of = [&](TilePlace place) { return (place.row * Shape::cluster + rank) * Shape::block_m; };
  if (warp == Shape::groups * 4) {
    if (threadIdx.x % 32 == 0) {
      prefetch_tensor_map(map_a);
      prefetch_tensor_map(map_b);
      TileProducer<Shape> producer{map_a, map_b, ring, full, empty, rank};
      for (std::uint32_t i = first; i < places; i += step) {
        const TilePlace place = tile_place(i, launch.rows, launch.columns, launch.group);
        for (std::uint32_t tile = 0; tile < tiles; ++tile, producer.place.next())
          producer.ask(row_of(place), place.column * Shape::block_n, tile);
      }
    }
    __syncwarp();
  } else {
    const std::uint32_t group = warp / 4;
    unsigned char* staging = memory + Shape::staging + group * (Shape::panels * Shape::Panel::bytes);
    detail::WgmmaConsumer<In, Out, Shape> consumer{ring, full, empty, group};
    for (std::uint32_t i = first; i < places; i += step) {
      const TilePlace place = tile_place(i, launch.rows, launch.columns, launch.group);
      const std::uint32_t row = row_of(place) + group * 64, column = place.column * Shape::block_n;
      float sums[Shape::block_n / 2];
      consumer.accumulate(sums, tiles);
      if (sizeof(Out) == 2 && launch.by_tensor) {
        if constexpr (sizeof(Out) == 2) consumer.store(sums, staging, map_c, row, column);
      } else {
        consumer.store(sums, launch, row, column);
      }
    }
    if (threadIdx.x % 128 == 0) bulk_wait<0>();
  }
  // No block leaves while another may still write to its shared memory.
  if constexpr (Shape::cluster > 1) cluster_sync();
#endif
}

#undef LANEBANK_CLUSTER

}  // namespace lanebank::kernels
