// A ring of stages between one thread that asks the copy engine for tiles and warps that multiply them. sm_90.
//
//   producer:  wait empty[stage]    ask for A and B, announce their bytes at full[stage]    next stage
//   consumer:  wait full[stage]     multiply                                 arrive at empty[stage]    next stage
//
// A barrier's phases have parity 0, 1, 0, ...; a place in the ring knows the parity that it waits for. The producer begins
// with the parity of the phase before the first, which counts as ended: an untouched stage is empty.
//
// A cluster of two blocks computes two tiles of C below one another: each asks for its own A and for half of B, and the copy
// engine delivers that half to both. `empty` then counts the consumers of both blocks.
//
// What it does not do: blocks that share A. Device code, C++17.
#pragma once

#include <cuda.h>

#include <cstdint>

#include "lanebank/kernels/gemm_instructions.cuh"

namespace lanebank::kernels {

/// What a launch computes, beside the tensor maps. Tiles are counted in clusters: `rows` of them down, `columns` across.
template <class Out>
struct RingLaunch {
  Out* c = nullptr;
  std::uint64_t c_pitch = 0;
  std::uint32_t m = 0, n = 0, k = 0;
  std::uint32_t rows = 0, columns = 0, group = 0;  ///< tile_place
  std::uint32_t tall = 0;                          ///< of the rows of tiles (gemm_mma_ring.cuh)
  bool by_tensor = false;                          ///< the copy engine stores C
};

/// A place in the ring, and the parity of the phase that is waited for there.
template <unsigned Stages>
struct RingPlace {
  std::uint32_t stage = 0, parity = 0;
  __device__ __forceinline__ void next() {
    if (++stage == Stages) stage = 0, parity ^= 1;
  }
};

/// The thread that asks for tiles of A (block_m x 64, in boxes of box_rows_a) and B.
template <class Shape>
struct TileProducer {
  const CUtensorMap &map_a, &map_b;
  std::uint32_t ring, full, empty, rank;  ///< addresses of shared memory; rank in the cluster
  RingPlace<Shape::stages> place = {};

  /// Stage `tile` of the tile of C at (row, column), of so many rows, into the place of the ring. The caller goes on to the
  /// next place.
  __device__ __forceinline__ void ask(std::uint32_t row, std::uint32_t column, std::uint32_t tile,
                                      std::uint32_t rows = Shape::block_m) {
    const std::uint32_t barrier = full + place.stage * 8;
    const std::uint32_t to_a = ring + place.stage * Shape::stage_bytes, to_b = to_a + Shape::TileA::bytes;
    mbarrier_wait(empty + place.stage * 8, place.parity ^ 1);
    mbarrier_arrive_expect(barrier, rows * 128 + Shape::TileB::bytes);
#pragma unroll
    for (unsigned i = 0; i < Shape::block_m / Shape::box_rows_a; ++i)
      if (i * Shape::box_rows_a < rows)
        tensor_load(to_a + i * (Shape::box_rows_a * 128), map_a, tile * 64, row + i * Shape::box_rows_a, barrier);
    if constexpr (Shape::transposed) {
      constexpr unsigned panels = Shape::block_n / 64 / Shape::cluster;
#pragma unroll
      for (unsigned i = 0; i < panels; ++i)
        load_b(to_b + (rank * panels + i) * (64 * 128), column + (rank * panels + i) * 64, tile * 64, barrier);
    } else {
      load_b(to_b + rank * (Shape::box_rows_b * 128), tile * 64, column + rank * Shape::box_rows_b, barrier);
    }
  }
  __device__ __forceinline__ void load_b(std::uint32_t target, std::uint32_t x, std::uint32_t y,
                                         std::uint32_t barrier) {
    if constexpr (Shape::cluster > 1)
      tensor_load_multicast(target, map_b, x, y, barrier, static_cast<std::uint16_t>((1u << Shape::cluster) - 1));
    else
      tensor_load(target, map_b, x, y, barrier);
  }
};

/// One thread: the barriers of a ring; `consumers`: arrivals that make a stage empty.
template <unsigned Stages>
__device__ __forceinline__ void ring_init(std::uint32_t full, std::uint32_t empty, std::uint32_t consumers) {
  for (unsigned i = 0; i < Stages; ++i) {
    mbarrier_init(full + i * 8, 1);
    mbarrier_init(empty + i * 8, consumers);
  }
  mbarrier_fence_init();
}

}  // namespace lanebank::kernels
