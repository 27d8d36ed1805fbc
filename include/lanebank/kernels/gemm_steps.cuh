// The first steps of the matrix product, C = A * B^T, for reading: what the layout of the shared tiles alone changes.
//
//   gemm_wmma                          nvcuda::wmma on plain rows of 128 bytes: 8 wavefronts for each 8 x 8 matrix
//   gemm_steps_padded / ..._swizzled   ldmatrix and mma.sync on padded rows / on XORed rows: 1 wavefront
//
// All three: a block computes 128 x 128 of C, each of its 4 warps 64 x 64; a tile is 64 of k. Nothing is done at the same time
// as anything else in a warp: load a tile, meet, multiply, meet. The next steps are gemm_multistage.cuh (copies under way while
// tiles are multiplied), gemm_mma_ring.cuh and gemm_wgmma.cuh.
//
//   layout of A and B       bytes of a tile    wavefronts of an ldmatrix.x4
//   rows of 64                    16 384                 32
//   rows of 64 + 8 padding        18 432                  4
//   rows of 64, unit ^= row       16 384                  4
//
// Any M, N, K, pitch and alignment. sm_80 and later.
#pragma once

#include <mma.h>

#include <cstdint>

#include "lanebank/kernels/gemm_fragments.cuh"

namespace lanebank::kernels {

/// The tile of 128 rows of 64 in three layouts.
using PlainTile = RowMajor<std::uint16_t, 128, 64>;
using PaddedTile = Padded<std::uint16_t, 128, 64, 8>;
using SwizzledTile = detail::UnitXor<128, 64>;

static_assert(wavefronts<PlainTile, patterns::ldmatrix<4>> == 8 * ideal_wavefronts<PlainTile, patterns::ldmatrix<4>>);
static_assert(conflict_free<PaddedTile, patterns::ldmatrix<4>, patterns::vector_row<8, patterns::store>>);
static_assert(conflict_free<SwizzledTile, patterns::ldmatrix<4>, patterns::vector_row<8, patterns::store>>);

namespace detail {

/// Block of 128 threads: 128 x 64 of a matrix from (row, column) on, zeros outside of it.
template <class In, class Layout>
__device__ __forceinline__ void load_tile(const SharedTile<Layout>& tile, const In* matrix, std::uint64_t pitch,
                                          std::uint32_t row, std::uint32_t column, std::uint32_t rows,
                                          std::uint32_t columns) {
  const bool whole = eights_aligned(matrix, pitch);
#pragma unroll 4
  for (unsigned i = threadIdx.x; i < 128 * 8; i += 128) {
    const std::uint32_t r = i / 8, first = i % 8 * 8;
    tile.template vector<uint4>(r, first) =
        load_eight(matrix + (row + r) * pitch, column + first, columns, row + r < rows, whole);
  }
}

/// Where a block and a warp of it compute.
struct StepPlace {
  std::uint32_t m, n, k, block_row, block_column, row, column;

  template <class In, class Out>
  __device__ __forceinline__ StepPlace(const GemmMatrices<In, Out>& x, std::uint32_t group) {
    m = static_cast<std::uint32_t>(x.m), n = static_cast<std::uint32_t>(x.n), k = static_cast<std::uint32_t>(x.k);
    const TilePlace place = tile_place(blockIdx.x, (m + 127) / 128, (n + 127) / 128, group);
    block_row = place.row * 128, block_column = place.column * 128;
    row = threadIdx.x / 64 * 64, column = threadIdx.x / 32 % 2 * 64;
  }
};

}  // namespace detail

/// gridDim.x = 128 x 128 tiles of C, blockDim.x = 128. Fragments come through wmma::load_matrix_sync, whose addresses are
/// those of rows 128 bytes apart: the step that shows the conflict.
template <class In, class Out>
__global__ void __launch_bounds__(128) gemm_wmma(GemmMatrices<In, Out> x, std::uint32_t group) {
  namespace wmma = nvcuda::wmma;
  __shared__ SharedTile<PlainTile> tile_a, tile_b;
  const detail::StepPlace at(x, group);
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[4][4];
  for (auto& row : sums)
    for (auto& sum : row) wmma::fill_fragment(sum, 0.f);
  for (std::uint32_t k = 0; k < at.k; k += 64) {
    detail::load_tile(tile_a, x.a, x.a_pitch, at.block_row, k, at.m, at.k);
    detail::load_tile(tile_b, x.b, x.b_pitch, at.block_column, k, at.n, at.k);
    __syncthreads();
#pragma unroll
    for (unsigned step = 0; step < 4; ++step) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, In, wmma::row_major> a[4];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, In, wmma::col_major> b;
#pragma unroll
      for (unsigned i = 0; i < 4; ++i)
        wmma::load_matrix_sync(a[i], reinterpret_cast<const In*>(&tile_a(at.row + i * 16, step * 16)), 64);
#pragma unroll
      for (unsigned j = 0; j < 4; ++j) {
        wmma::load_matrix_sync(b, reinterpret_cast<const In*>(&tile_b(at.column + j * 16, step * 16)), 64);
#pragma unroll
        for (unsigned i = 0; i < 4; ++i) wmma::mma_sync(sums[i][j], a[i], b, sums[i][j]);
      }
    }
    __syncthreads();
  }
  // wmma does not say where a fragment's elements are: 16 x 16 at a time go through shared memory.
  const std::uint32_t lane = threadIdx.x % 32;
  auto* patch = reinterpret_cast<float*>(tile_a.base()) + threadIdx.x / 32 * 256;
#pragma unroll
  for (unsigned i = 0; i < 4; ++i)
#pragma unroll
    for (unsigned j = 0; j < 4; ++j) {
      __syncwarp();
      wmma::store_matrix_sync(patch, sums[i][j], 16, wmma::mem_row_major);
      __syncwarp();
      for (unsigned e = lane; e < 256; e += 32) {
        const std::uint32_t row = at.block_row + at.row + i * 16 + e / 16;
        const std::uint32_t column = at.block_column + at.column + j * 16 + e % 16;
        if (row < at.m && column < at.n) x.c[row * x.c_pitch + column] = element_of<Out>(patch[e]);
      }
    }
}

/// gridDim.x = 128 x 128 tiles of C, blockDim.x = 128. Layout: of the tiles of A and B.
template <class In, class Out, class Layout>
__global__ void __launch_bounds__(128) gemm_mma_tile(GemmMatrices<In, Out> x, std::uint32_t group) {
  __shared__ SharedTile<Layout> tile_a, tile_b;
  const detail::StepPlace at(x, group);
  const std::uint32_t lane = threadIdx.x % 32;
  float sums[4][8][4] = {};
  for (std::uint32_t k = 0; k < at.k; k += 64) {
    detail::load_tile(tile_a, x.a, x.a_pitch, at.block_row, k, at.m, at.k);
    detail::load_tile(tile_b, x.b, x.b_pitch, at.block_column, k, at.n, at.k);
    __syncthreads();
#pragma unroll
    for (unsigned step = 0; step < 4; ++step) {
      std::uint32_t a[4][4], b[4][4];
#pragma unroll
      for (unsigned i = 0; i < 4; ++i) {
        constexpr auto across = MatrixOrder::right_then_down;
        ldmatrix_x4(a[i], tile_a.template matrix_address<4>(at.row + i * 16, step * 16, lane));
        ldmatrix_x4(b[i], tile_b.template matrix_address<4, across>(at.column + i * 16, step * 16, lane));
      }
#pragma unroll
      for (unsigned i = 0; i < 4; ++i)
#pragma unroll
        for (unsigned j = 0; j < 8; ++j)
          mma_m16n8k16<In>(sums[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
    }
    __syncthreads();
  }
  // The results of a warp go through its part of the tiles' memory.
  static_assert(sizeof(SharedTile<Layout>) >= 4 * detail::UnitXor<32, 64>::bytes);
  const Tile<detail::UnitXor<32, 64>> staging(
      aligned_base<16>(tile_a.base() + threadIdx.x / 32 * detail::UnitXor<32, 64>::bytes));
  store_sums(sums, staging, x.c, x.c_pitch, at.block_row + at.row, at.block_column + at.column, at.m, at.n);
}

template <class In, class Out>
inline constexpr auto gemm_steps_padded = gemm_mma_tile<In, Out, PaddedTile>;
template <class In, class Out>
inline constexpr auto gemm_steps_swizzled = gemm_mma_tile<In, Out, SwizzledTile>;

}  // namespace lanebank::kernels
