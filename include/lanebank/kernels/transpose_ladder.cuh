// The ladder: one matrix transpose in steps, each of which changes one thing. For reading and for teaching; lanebank::transpose
// is the one to use.
//
//   step                              what it shows                                          wavefronts of a tile, load + store
//   transpose_naive                   global memory only: one side is not coalesced
//   transpose_shared<PlainTile>       a tile makes both sides coalesced; its column is one bank          1024 + 32, 32-way
//   transpose_shared<PaddedTile>      a word behind each row, 128 bytes of each tile                       32 + 32
//   transpose_shared<XorTile>         the column XORed with the row: nothing is wasted                     32 + 32
//   transpose_shared<DiagonalTile>    the row rotated by its number                                        32 + 32
//   transpose_shared<..., 16>         tiles of 16 x 16: a row is half the banks                 64 + 8, 8-way; padded 16 + 16
//   transpose_vector<PlainTile>       16 bytes of global memory per thread; the stores are 8-way           32 + 256
//   transpose_vector<VectorTile>      the cure: 16-byte units XORed with (row / 4) mod 8                   32 + 32
//   transpose_shuffle                 registers and shuffles instead of shared memory
//   transpose_tiles                   several 16-byte loads in flight: transpose_tiles.cuh
//   transpose_tma                     the copy engine and its swizzle: transpose_tma.cuh
//
// A layout is used for writing and for reading by the same tile(row, column); rotating or XORing on one side only would give
// wrong data, and has no way to be written here.
//
// All take a dense n x n matrix of floats, n a multiple of the tile; launch_* below give grid, block and shared memory. The
// tile of transpose_shared lies in static or in dynamic shared memory, whose size is the layout's.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "lanebank/layout.hpp"
#include "lanebank/pattern.hpp"
#include "lanebank/proofs.hpp"
#include "lanebank/tile.hpp"

namespace lanebank::kernels {

template <unsigned Edge = 32>
using PlainTile = RowMajor<float, Edge, Edge>;
template <unsigned Edge = 32>
using PaddedTile = Padded<float, Edge, Edge, 1>;
template <unsigned Edge = 32>
using XorTile = Xor<float, Edge, Edge>;
template <unsigned Edge = 32>
using DiagonalTile = Diagonal<float, Edge, Edge>;
using VectorTile = Swizzled<RowMajor<float, 32, 32>, Swizzle<3, 4, 5>>;

/// What the warps of transpose_shared do to a tile of any edge: neighbours along a row, neighbours down a column.
using StoredRows = patterns::row<patterns::store>;
using LoadedColumns = patterns::column<>;

static_assert(has_wavefronts<PlainTile<>, LoadedColumns, 1024>);
static_assert(conflict_free<PaddedTile<>, StoredRows, LoadedColumns>);
static_assert(conflict_free<XorTile<>, StoredRows, LoadedColumns>);
static_assert(conflict_free<DiagonalTile<>, StoredRows, LoadedColumns>);
static_assert(has_wavefronts<PlainTile<16>, LoadedColumns, 8 * 8>);   // 8 accesses, 8-way
static_assert(has_wavefronts<PaddedTile<16>, LoadedColumns, 8 * 2>);  // padding by one leaves 2
static_assert(conflict_free<XorTile<16>, StoredRows, LoadedColumns>);

/// One element per thread; blocks of 32 x 32 threads.
static __global__ void transpose_naive(float* target, const float* source, unsigned n) {
  const std::uint64_t x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  target[x * n + y] = source[y * n + x];
}

/// Where the tile lies.
enum class TileMemory : unsigned char { of_the_kernel, of_the_launch };

/// One element per thread through a tile; blocks of as many threads as the tile has elements.
template <class Layout, TileMemory Memory = TileMemory::of_the_kernel>
__global__ void transpose_shared(float* target, const float* source, unsigned n) {
  constexpr unsigned edge = Layout::rows;
  const std::uint64_t column = blockIdx.x * edge, row = blockIdx.y * edge;
  const unsigned x = threadIdx.x, y = threadIdx.y;
  const auto move = [&](auto tile) {
    tile(y, x) = source[(row + y) * n + column + x];
    __syncthreads();
    target[(column + y) * n + row + x] = tile(x, y);
  };
  if constexpr (Memory == TileMemory::of_the_kernel) {
    __shared__ SharedTile<Layout> tile;
    move(Tile<Layout>(tile));
  } else {
    extern __shared__ __align__(16) unsigned char memory[];
    move(Tile<Layout>(aligned_base<16>(memory)));
  }
}

/// The warps of transpose_vector: lane l has the vector l % 8 of row l / 4 ..., and stores it down a column; later it loads the
/// vector l % 8 of a row.
constexpr Coordinate vector_stored(unsigned access, unsigned lane) {
  return {lane % 8 * 4 + access % 4, access / 4 * 4 + lane / 8};
}
using StoredVectors = patterns::custom<&vector_stored, 32, patterns::store>;
using LoadedVectors = patterns::vector_row<4>;

static_assert(has_wavefronts<PlainTile<>, StoredVectors, 256>);  // the textbook's: 8-way
static_assert(conflict_free<VectorTile, StoredVectors, LoadedVectors>);

/// 16 bytes per thread on both sides; blocks of 8 x 32 threads.
template <class Layout>
__global__ void transpose_vector(float* target, const float* source, unsigned n) {
  __shared__ SharedTile<Layout> tile;
  const std::uint64_t column = blockIdx.x * 32, row = blockIdx.y * 32;
  const unsigned x = threadIdx.x * 4, y = threadIdx.y;
  const float4 in = *reinterpret_cast<const float4*>(source + (row + y) * n + column + x);
  tile(x, y) = in.x;
  tile(x + 1, y) = in.y;
  tile(x + 2, y) = in.z;
  tile(x + 3, y) = in.w;
  __syncthreads();
  *reinterpret_cast<float4*>(target + (column + y) * n + row + x) = tile.template vector<float4>(y, x);
}

/// A warp holds a tile of 32 x 32, an element of each row per lane, and exchanges halves, quarters, ... of it: in the step of
/// `distance` the element (i, j) changes places with (i ^ distance, j ^ distance) where the two bits differ. Blocks of 4 warps,
/// each with a tile of its own.
static __global__ void __launch_bounds__(128) transpose_shuffle(float* target, const float* source, unsigned n) {
  const unsigned lane = threadIdx.x % 32;
  const std::uint64_t column = blockIdx.x * 32, row = (blockIdx.y * 4 + threadIdx.x / 32) * 32;
  if (row >= n) return;
  float held[32];
#pragma unroll
  for (unsigned i = 0; i < 32; ++i) held[i] = source[(row + i) * n + column + lane];
#pragma unroll
  for (unsigned distance = 16; distance > 0; distance /= 2) {
    const bool upper = (lane & distance) != 0;
#pragma unroll
    for (unsigned i = 0; i < 32; ++i) {
      if ((i & distance) != 0) continue;
      const float given = upper ? held[i] : held[i | distance];
      const float taken = __shfl_xor_sync(0xffffffffu, given, distance);
      (upper ? held[i] : held[i | distance]) = taken;
    }
  }
#pragma unroll
  for (unsigned i = 0; i < 32; ++i) target[(column + i) * n + row + lane] = held[i];
}

inline void launch_naive(float* target, const float* source, unsigned n, cudaStream_t stream = nullptr) {
  transpose_naive<<<dim3(n / 32, n / 32), dim3(32, 32), 0, stream>>>(target, source, n);
}

template <class Layout, TileMemory Memory = TileMemory::of_the_kernel>
void launch_shared(float* target, const float* source, unsigned n, cudaStream_t stream = nullptr) {
  constexpr unsigned edge = Layout::rows;
  constexpr unsigned bytes = Memory == TileMemory::of_the_kernel ? 0 : Layout::bytes;
  transpose_shared<Layout, Memory><<<dim3(n / edge, n / edge), dim3(edge, edge), bytes, stream>>>(target, source, n);
}

template <class Layout>
void launch_vector(float* target, const float* source, unsigned n, cudaStream_t stream = nullptr) {
  transpose_vector<Layout><<<dim3(n / 32, n / 32), dim3(8, 32), 0, stream>>>(target, source, n);
}

inline void launch_shuffle(float* target, const float* source, unsigned n, cudaStream_t stream = nullptr) {
  transpose_shuffle<<<dim3(n / 32, (n / 32 + 3) / 4), 128, 0, stream>>>(target, source, n);
}

}  // namespace lanebank::kernels
