// The matrix product by mma.sync: swizzled tiles, several of them under way, fragments loaded one step ahead.
//
//   global --cp.async, 16 bytes--> ring of stages --ldmatrix--> fragments (two sets) --mma.sync--> sums in registers
//   sums --stmatrix--> tile of the warp --16-byte loads--> registers --16-byte stores--> global
//
// A block of threads computes BlockM x BlockN of C, each warp 64 x 64 of it: per 16 of k a warp loads 4 KiB of fragments
// for 32 mma, which a square warp tile makes least. While the mma of one 16 of k run, the fragments of the next are loaded
// between them; the block's barrier stands inside the last 16 of k of a stage.
//
// Layouts, all in 16-byte units of 8 elements, unit ^= row mod 8:
//
//   A                 BlockM rows of 64         ldmatrix
//   B of N x K        BlockN rows of 64         ldmatrix
//   B of K x N        64 rows of BlockN         ldmatrix.trans
//   C of a warp       64 rows of 64             stmatrix, 16-byte loads; 16-bit results only
//
// A stage is 64 of k, since cp.async takes two wavefronts for 128 bytes from two lines of global memory.
// The static_asserts are the proof: no bank conflicts in any access to shared memory, cp.async included where the pitches are
// multiples of 128 bytes. Any M, N, K, pitch and alignment; where rows do not begin at multiples of 16 bytes, their elements
// are loaded one by one. sm_80 and later (stmatrix from sm_90 on; before, 4-byte stores to the same places).
#pragma once

#include <cstdint>

#include "lanebank/kernels/gemm_common.cuh"
#include "lanebank/kernels/gemm_instructions.cuh"
#include "lanebank/layout.hpp"
#include "lanebank/pattern.hpp"
#include "lanebank/proofs.hpp"
#include "lanebank/tile.hpp"

namespace lanebank::kernels {

namespace detail {

/// Rows of 16-bit elements whose 16-byte units are XORed with the row; see the page above.
template <unsigned Rows, unsigned Columns>
using UnitXor = Xor<std::uint16_t, Rows, Columns, 8, 3>;

/// offset(row + 16 down, column + 16 right) == (offset(row, column) ^ 32 right) + 16 down x pitch, for rows < 16 and columns
/// 0 and 8 of each 64 x 64: all fragments of a warp from one address by an XOR and an addition.
template <class L>
constexpr bool steps_by_xor() {
  constexpr std::uint32_t high = L::rows < 64 ? L::rows : 64, wide = L::columns < 64 ? L::columns : 64;
  for (std::uint32_t top = 0; top < L::rows; top += high)
    for (std::uint32_t left = 0; left < L::columns; left += wide)
      for (std::uint32_t i = 0; i < 32; ++i) {
        const std::uint32_t row = top + i % 16, column = left + i / 16 * 8, base = L::offset(row, column);
        for (std::uint32_t down = 0; down < high / 16; ++down)
          for (std::uint32_t right = 0; right < wide / 16; ++right)
            if (L::offset(row + 16 * down, column + 16 * right) != (base ^ 32 * right) + 16 * down * L::pitch_bytes)
              return false;
      }
  return true;
}

}  // namespace detail

/// Sizes and layouts of a block; Stages tiles of A and B in the ring.
template <MatrixB B, unsigned BlockM = 128, unsigned BlockN = 256, unsigned Stages = 4>
struct MultistageShape {
  static_assert(BlockM % 64 == 0 && BlockN % 64 == 0, "a block is a whole number of 64 x 64 warp tiles");
  static_assert(Stages >= 3, "one stage is read while at least two are under way");
  static constexpr MatrixB matrix_b = B;
  static constexpr unsigned block_m = BlockM, block_n = BlockN, block_k = 64, stages = Stages;
  static constexpr unsigned warps_across = BlockN / 64, threads = BlockM / 64 * warps_across * 32;
  static constexpr bool transposed = B == MatrixB::k_by_n;

  using TileA = detail::UnitXor<BlockM, block_k>;
  using TileB = std::conditional_t<transposed, detail::UnitXor<block_k, BlockN>, detail::UnitXor<BlockN, block_k>>;
  using TileC = detail::UnitXor<64, 64>;
  static constexpr std::uint32_t stage_bytes = TileA::bytes + TileB::bytes;
  static constexpr std::uint32_t staging_bytes = threads / 32 * TileC::bytes;
  static constexpr std::uint32_t shared_bytes =
      Stages * stage_bytes > staging_bytes ? Stages* stage_bytes : staging_bytes;

  /// Matrices of one ldmatrix of B in the order of the fragments: both halves of k of 8 columns, then of the next 8.
  static constexpr MatrixOrder order_b = transposed ? MatrixOrder::down_then_right : MatrixOrder::right_then_down;

  static_assert(is_bijective<TileC> && detail::steps_by_xor<TileA>() && detail::steps_by_xor<TileB>());
  static_assert(conflict_free<TileA, patterns::cp_async_cg<4096>, patterns::vector_row<8, patterns::store>,
                              patterns::ldmatrix<4>>);
  static_assert(conflict_free<TileB, patterns::cp_async_cg<4096>, patterns::vector_row<8, patterns::store>,
                              patterns::ldmatrix<4, order_b>>);
  static_assert(conflict_free<TileC, patterns::stmatrix<4>, patterns::accumulator_m16n8<>, patterns::vector_row<8>>);
};

/// Fills tiles of the ring. Unit t + i * threads of a tile is copied by thread t. Whole: rows begin at multiples of 16 bytes.
template <class In, class Layout, unsigned Threads, bool Whole>
struct TileLoader {
  static constexpr unsigned row_units = Layout::columns / 8;
  static constexpr unsigned rows_per_step = Threads / row_units;
  static constexpr unsigned steps = Layout::rows * row_units / Threads;
  static_assert(Threads % row_units == 0 && Layout::rows % rows_per_step == 0, "a step copies whole rows");

  const In* source;       ///< of the thread's first unit
  std::uint64_t step;     ///< elements from one step to the next
  std::uint32_t rows;     ///< from the thread's first row to the matrix' end; 0: none
  std::uint32_t columns;  ///< from the thread's unit to the end of the row
  std::uint32_t target;   ///< of the thread's first unit, bytes from the tile
  static_assert(rows_per_step % 8 == 0, "the XOR of a unit repeats from step to step");

  /// The tile at (row, column) of a matrix of rows_in x columns_in.
  __device__ __forceinline__ TileLoader(const In* matrix, std::uint64_t pitch, std::uint32_t row, std::uint32_t column,
                                        std::uint32_t rows_in, std::uint32_t columns_in) {
    const std::uint32_t first_row = threadIdx.x / row_units, unit = threadIdx.x % row_units * 8;
    source = matrix + (row + first_row) * pitch + column + unit;
    step = rows_per_step * pitch;
    rows = rows_in > row + first_row ? rows_in - row - first_row : 0;
    columns = columns_in > column + unit ? columns_in - column - unit : 0;
    target = Layout::offset(first_row, unit);
  }
  /// Goes on along the rows or down the columns, to the next tile.
  __device__ __forceinline__ void next_columns() {
    source += Layout::columns;
    columns = columns > Layout::columns ? columns - Layout::columns : 0;
  }
  __device__ __forceinline__ void next_rows() {
    source += step * steps;
    rows = rows > Layout::rows ? rows - Layout::rows : 0;
  }
  /// Copies step `i` to the tile at `tile`; complete after the thread's cp_async_wait and the block's barrier.
  __device__ __forceinline__ void copy(unsigned char* tile, unsigned i) const {
    const bool inside = i * rows_per_step < rows;
    unsigned char* to = tile + target + i * (rows_per_step * Layout::pitch_bytes);
    if constexpr (Whole) {
      const std::uint32_t bytes = !inside ? 0 : columns >= 8 ? 16 : columns * 2;
      cp_async(shared_address(to), source + i * step, bytes);
    } else {
      *reinterpret_cast<uint4*>(to) = load_eight(source + i * step, 0, columns, inside, false);
    }
  }
};

/// Where the fragments of a warp begin in a stage: those of its first 16 rows and columns and its first 16 of k.
template <class Shape>
struct FragmentPlace {
  std::uint32_t a, b;

  __device__ __forceinline__ FragmentPlace(std::uint32_t row, std::uint32_t column) {
    const Coordinate in_a = matrix_row<4>(threadIdx.x % 32, 8),
                     in_b = matrix_row<4, Shape::order_b>(threadIdx.x % 32, 8);
    a = Shape::TileA::offset(row + in_a.row, in_a.column);
    b = Shape::TileA::bytes + (Shape::transposed ? Shape::TileB::offset(in_b.row, column + in_b.column)
                                                 : Shape::TileB::offset(column + in_b.row, in_b.column));
  }
};

/// The fragments of one 16 of k of a warp.
template <class In, class Shape>
struct WarpFragments {
  std::uint32_t a[4][4];  ///< 16 rows each
  std::uint32_t b[4][4];  ///< 16 columns each

  /// Load `i` of 8 of step `k` of the stage at `stage`: first those that all mma need. detail::steps_by_xor is why.
  __device__ __forceinline__ void load(std::uint32_t stage, const FragmentPlace<Shape>& place, unsigned k, unsigned i) {
    const std::uint32_t at_a = stage + place.a, at_b = stage + place.b;
    if (i >= 4)
      ldmatrix_x4(a[i - 4], (at_a ^ k * 32) + (i - 4) * (16 * Shape::TileA::pitch_bytes));
    else if constexpr (Shape::transposed)
      ldmatrix_x4<true>(b[i], (at_b ^ i * 32) + k * (16 * Shape::TileB::pitch_bytes));
    else
      ldmatrix_x4(b[i], (at_b ^ k * 32) + i * (16 * Shape::TileB::pitch_bytes));
  }
  /// The 8 mma of rows 16 i.
  __device__ __forceinline__ void multiply(float (&sums)[4][8][4], unsigned i) const {
#pragma unroll
    for (unsigned j = 0; j < 8; ++j) mma_m16n8k16<In>(sums[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
  }
};

/// Warp: four 16 x 16 pieces of a fragment's sums, `left` and `right` of 8 columns, into a tile of 16-bit elements.
template <class Out, class Layout>
__device__ __forceinline__ void stage_sums(const float (&left)[4], const float (&right)[4], const Tile<Layout>& tile,
                                           std::uint32_t row, std::uint32_t column) {
  const std::uint32_t lane = threadIdx.x % 32;
  const std::uint32_t words[4] = {pack<Out>(left[0], left[1]), pack<Out>(left[2], left[3]),
                                  pack<Out>(right[0], right[1]), pack<Out>(right[2], right[3])};
#if __CUDA_ARCH__ >= 900
  stmatrix_x4(tile.template matrix_address<4>(row, column, lane), words[0], words[1], words[2], words[3]);
#else
#pragma unroll
  for (unsigned w = 0; w < 4; ++w) {
    const Coordinate place = accumulator_pair(lane, w % 2);
    tile.template vector<std::uint32_t>(row + place.row, column + w / 2 * 8 + place.column) = words[w];
  }
#endif
}

/// Warp: rows of a tile of 64 columns of 16-bit elements to (row, column) of C, as far as it reaches.
template <class Out, class Layout>
__device__ __forceinline__ void store_staged(const Tile<Layout>& tile, std::uint32_t rows, Out* c, std::uint64_t pitch,
                                             std::uint32_t row, std::uint32_t column, std::uint32_t m,
                                             std::uint32_t n) {
  const std::uint32_t first = threadIdx.x % 8 * 8;
  const bool whole = eights_aligned(c, pitch) && column + first + 8 <= n;
#pragma unroll 4
  for (std::uint32_t r = threadIdx.x % 32 / 8; r < rows; r += 4) {
    const uint4 eight = tile.template vector<uint4>(r, first);
    if (row + r >= m) continue;
    Out* target = c + (row + r) * pitch + column + first;
    if (whole) {
      *reinterpret_cast<uint4*>(target) = eight;
    } else {
      const std::uint32_t words[4] = {eight.x, eight.y, eight.z, eight.w};
#pragma unroll
      for (unsigned e = 0; e < 8; ++e)
        if (column + first + e < n)
          reinterpret_cast<unsigned short*>(target)[e] = static_cast<unsigned short>(words[e / 2] >> 16 * (e % 2));
    }
  }
}

/// Warp: stores its 64 x 64 sums at (row, column) of C; 16-bit results by way of `tile`, its own part of shared memory, of
/// 32 or 64 rows.
template <class Out, class Layout>
__device__ __forceinline__ void store_sums(const float (&sums)[4][8][4], const Tile<Layout>& tile, Out* c,
                                           std::uint64_t pitch, std::uint32_t row, std::uint32_t column,
                                           std::uint32_t m, std::uint32_t n) {
  if constexpr (sizeof(Out) == 2) {
#pragma unroll
    for (unsigned top = 0; top < 64; top += Layout::rows) {
      if (top > 0) __syncwarp();
#pragma unroll
      for (unsigned i = 0; i < Layout::rows / 16; ++i)
#pragma unroll
        for (unsigned j = 0; j < 8; j += 2)
          stage_sums<Out>(sums[top / 16 + i][j], sums[top / 16 + i][j + 1], tile, i * 16, j * 8);
      __syncwarp();
      store_staged(tile, Layout::rows, c, pitch, row + top, column, m, n);
    }
  } else {
    const std::uint32_t lane = threadIdx.x % 32;
    const bool pairs = pairs_aligned(c, pitch);
#pragma unroll
    for (unsigned i = 0; i < 4; ++i)
#pragma unroll
      for (unsigned half = 0; half < 2; ++half) {
        const std::uint32_t r = row + i * 16 + half * 8 + lane / 4;
        if (r < m)
#pragma unroll
          for (unsigned j = 0; j < 8; ++j)
            store_pair(c + r * pitch, column + j * 8 + lane % 4 * 2, n, pairs, sums[i][j][half * 2],
                       sums[i][j][half * 2 + 1]);
      }
  }
}

/// One block per tile of C: gridDim.x = tiles, blockDim.x = Shape::threads, Shape::shared_bytes of dynamic shared memory.
/// `group`: tile_place. m, n, k < 2^31. Whole: eights_aligned holds for A and B.
template <class In, class Out, class Shape, bool Whole>
__global__ void __launch_bounds__(Shape::threads, 1) gemm_multistage(GemmMatrices<In, Out> x, std::uint32_t group) {
  extern __shared__ __align__(1024) unsigned char memory[];
  constexpr unsigned steps = Shape::block_k / 16;
  const auto m = static_cast<std::uint32_t>(x.m), n = static_cast<std::uint32_t>(x.n),
             k = static_cast<std::uint32_t>(x.k);
  const TilePlace place = tile_place(blockIdx.x, (m + Shape::block_m - 1) / Shape::block_m,
                                     (n + Shape::block_n - 1) / Shape::block_n, group);
  const std::uint32_t block_row = place.row * Shape::block_m, block_column = place.column * Shape::block_n;
  const std::uint32_t warp = threadIdx.x / 32;
  const std::uint32_t row = warp / Shape::warps_across * 64, column = warp % Shape::warps_across * 64;

  using LoadA = TileLoader<In, typename Shape::TileA, Shape::threads, Whole>;
  using LoadB = TileLoader<In, typename Shape::TileB, Shape::threads, Whole>;
  LoadA load_a(x.a, x.a_pitch, block_row, 0, m, k);
  LoadB load_b(x.b, x.b_pitch, Shape::transposed ? 0 : block_column, Shape::transposed ? block_column : 0,
               Shape::transposed ? k : n, Shape::transposed ? n : k);
  // Copies `part` of `parts` of the next tile into a stage.
  const auto copy = [&](unsigned stage, unsigned part, unsigned parts) {
    unsigned char* tile = memory + stage * Shape::stage_bytes;
    constexpr unsigned total = LoadA::steps + LoadB::steps;
#pragma unroll
    for (unsigned i = 0; i < total; ++i) {
      if (i * parts / total != part) continue;
      if (i < LoadA::steps)
        load_a.copy(tile, i);
      else
        load_b.copy(tile + Shape::TileA::bytes, i - LoadA::steps);
    }
  };
  const auto next = [&] {
    cp_async_commit();
    load_a.next_columns();
    if constexpr (Shape::transposed)
      load_b.next_rows();
    else
      load_b.next_columns();
  };

  float sums[4][8][4] = {};
  const std::uint32_t tiles = (k + Shape::block_k - 1) / Shape::block_k;
  if (tiles > 0) {
#pragma unroll
    for (unsigned stage = 0; stage + 1 < Shape::stages; ++stage) {
      copy(stage, 0, 1);
      next();
    }
    cp_async_wait<Shape::stages - 2>();
    __syncthreads();
    const FragmentPlace<Shape> fragment_place(row, column);
    WarpFragments<In, Shape> fragments[2];
    const std::uint32_t ring = shared_address(memory);
#pragma unroll
    for (unsigned i = 0; i < 8; ++i) fragments[0].load(ring, fragment_place, 0, i);
    unsigned reading = 0, filling = Shape::stages - 1;
#pragma unroll 1
    for (std::uint32_t tile = 0; tile < tiles; ++tile) {
      std::uint32_t stage = ring + reading * Shape::stage_bytes;
#pragma unroll
      for (unsigned step = 0; step < steps; ++step) {
        const WarpFragments<In, Shape>& now = fragments[step % 2];
        WarpFragments<In, Shape>& later = fragments[(step + 1) % 2];
        if (step + 1 < steps) copy(filling, step, steps - 1);
        if (step + 2 == steps) next();
        now.multiply(sums, 0);
        if (step + 1 == steps) {
          cp_async_wait<Shape::stages - 2>();
          __syncthreads();
          reading = reading + 1 == Shape::stages ? 0 : reading + 1;
          filling = filling + 1 == Shape::stages ? 0 : filling + 1;
          stage = ring + reading * Shape::stage_bytes;
        }
#pragma unroll
        for (unsigned i = 0; i < 8; ++i) {
          later.load(stage, fragment_place, (step + 1) % steps, i);
          if (i == 2) now.multiply(sums, 1);
          if (i == 5) now.multiply(sums, 2);
        }
        now.multiply(sums, 3);
      }
    }
    cp_async_wait<0>();
    __syncthreads();
  }
  store_sums(sums, Tile<typename Shape::TileC>(aligned_base<1024>(memory + warp * Shape::TileC::bytes)), x.c, x.c_pitch,
             block_row + row, block_column + column, m, n);
}

}  // namespace lanebank::kernels
