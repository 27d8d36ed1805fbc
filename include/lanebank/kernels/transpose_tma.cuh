// A step of the ladder: the copy engine (TMA) fills the tile and swizzles it on the way.
//
//   box of 32 x 32 floats --cp.async.bulk.tensor, 128-byte swizzle--> tile --words down a column--> 16-byte stores
//
// The hardware XORs the 16-byte unit of a row with row mod 8 (HardwareTile<float, 32, 32, 128>). A lane makes four neighbouring
// elements of a row of the target, so it reads four rows of the tile: 4 v .. 4 v + 3, for v = lane mod 8. Read in that order,
// the rows of eight lanes are only two different ones mod 8, and the loads are 4-way. So lane v begins v / 2 rows later and
// comes round: in step w it reads row 4 v + (w + v / 2) mod 4, and those are eight different ones. The static_assert is the
// proof. Afterwards a rotation puts the four words in order.
//
//   w = 0     v        0  1  2  3  4  5  6  7
//             row      0  4  9 13 18 22 27 31
//             mod 8    0  4  1  5  2  6  3  7
//
// Smallest example:
//
//   CUtensorMap map;
//   if (!lanebank::kernels::encode_tma(map, source, n)) ...      // on the host, once per matrix
//   lanebank::kernels::launch_tma(target, map, n, stream);
//
// n a multiple of 32; the source aligned to 16 bytes. The encoder is the driver's, found at run time: nothing to link.
// Source of the swizzle: CUDA programming guide, "TMA swizzle".
#pragma once

#include <cstdint>

#include "lanebank/kernels/copy_engine.cuh"
#include "lanebank/kernels/tensor_map.cuh"
#include "lanebank/layout.hpp"
#include "lanebank/pattern.hpp"
#include "lanebank/proofs.hpp"
#include "lanebank/tile.hpp"

namespace lanebank::kernels {

using TmaTile = HardwareTile<float, 32, 32, 128>;

/// The row that lane `v` of a column reads in step w.
LANEBANK_HOST_DEVICE constexpr unsigned tma_row(unsigned v, unsigned w) { return 4 * v + (w + v / 2) % 4; }

constexpr Coordinate tma_loaded(unsigned access, unsigned lane) {
  return {tma_row(lane % 8, access % 4), access / 4 * 4 + lane / 8};
}
constexpr Coordinate tma_loaded_in_order(unsigned access, unsigned lane) {
  return {lane % 8 * 4 + access % 4, access / 4 * 4 + lane / 8};
}
using TmaLoads = patterns::custom<&tma_loaded, 32>;
static_assert(conflict_free<TmaTile, TmaLoads>);
static_assert(has_wavefronts<TmaTile, patterns::custom<&tma_loaded_in_order, 32>, 32 * 4>);

/// One tile per block of 8 x 32 threads.
static __global__ void __launch_bounds__(256)
    transpose_tma(float* target, const __grid_constant__ CUtensorMap map, unsigned n) {
  __shared__ SharedTile<TmaTile> tile;
  __shared__ __align__(8) std::uint64_t filled;
  const unsigned column = blockIdx.x * 32, row = blockIdx.y * 32;
  const std::uint32_t barrier = shared_address(&filled);
  const unsigned v = threadIdx.x, y = threadIdx.y;
  if (v == 0 && y == 0) {
    mbarrier_init(barrier, 1);
    mbarrier_fence_init();
    mbarrier_arrive_expect(barrier, TmaTile::bytes);
    tensor_load(tile.shared_address(0, 0), map, column, row, barrier);
  }
  __syncthreads();
  mbarrier_wait(barrier, 0);

  float words[4];
#pragma unroll
  for (unsigned w = 0; w < 4; ++w) words[w] = tile(tma_row(v, w), y);
  // words[w] belongs to place (w + v / 2) mod 4.
  const bool by_one = (v / 2 & 1) != 0, by_two = (v / 2 & 2) != 0;
  const float a[4] = {by_one ? words[3] : words[0], by_one ? words[0] : words[1], by_one ? words[1] : words[2],
                      by_one ? words[2] : words[3]};
  const float4 out = {by_two ? a[2] : a[0], by_two ? a[3] : a[1], by_two ? a[0] : a[2], by_two ? a[1] : a[3]};
  *reinterpret_cast<float4*>(target + std::uint64_t{column + y} * n + row + v * 4) = out;
}

/// The tensor map of an n x n matrix of floats; false: the driver has no encoder or refuses.
inline bool encode_tma(CUtensorMap& map, const float* source, unsigned n) {
  TensorBox<2> tensor{CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
                      source,
                      {n, n},
                      {cuuint64_t{n} * sizeof(float)},
                      {TmaTile::columns, TmaTile::rows}};
  tensor.swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
  return encode_tensor_map(map, tensor);
}

inline void launch_tma(float* target, const CUtensorMap& map, unsigned n, cudaStream_t stream = nullptr) {
  transpose_tma<<<dim3(n / 32, n / 32), dim3(8, 32), 0, stream>>>(target, map, n);
}

}  // namespace lanebank::kernels
