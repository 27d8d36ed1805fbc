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

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>

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
  const auto barrier = static_cast<std::uint32_t>(__cvta_generic_to_shared(&filled));
  const unsigned v = threadIdx.x, y = threadIdx.y;
  if (v == 0 && y == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(TmaTile::bytes)
                 : "memory");
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
            tile.shared_address(0, 0)),
        "l"(&map), "r"(column), "r"(row), "r"(barrier)
        : "memory");
  }
  __syncthreads();
  std::uint32_t done = 0;
  while (done == 0)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(barrier)
                 : "memory");

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
  using Encode = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                              const cuuint64_t*, const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave,
                              CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault, &found) !=
          cudaSuccess ||
      found != cudaDriverEntryPointSuccess)
    return false;
  const cuuint64_t extents[2] = {n, n}, pitch_bytes[1] = {cuuint64_t{n} * sizeof(float)};
  const cuuint32_t box[2] = {TmaTile::columns, TmaTile::rows}, steps[2] = {1, 1};
  return reinterpret_cast<Encode>(entry)(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, const_cast<float*>(source), extents,
                                         pitch_bytes, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                         CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                                         CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

inline void launch_tma(float* target, const CUtensorMap& map, unsigned n, cudaStream_t stream = nullptr) {
  transpose_tma<<<dim3(n / 32, n / 32), dim3(8, 32), 0, stream>>>(target, map, n);
}

}  // namespace lanebank::kernels
