// The matrix product by mma.sync: swizzled tiles, several of them under way, fragments loaded ahead.
//
//   global --cp.async, 16 bytes--> ring of stages --ldmatrix--> fragments --mma.sync--> sums in registers
//   sums --stmatrix--> tile of the warp --16-byte loads--> registers --16-byte stores--> global
//
// A block of threads computes BlockM x BlockN of C, each warp 64 x 64 of it: per 16 of k a warp loads 4 KiB of fragments
// for 32 mma, which a square warp tile makes least (gemm_fragments.cuh). The block's barrier stands inside the last 16 of k of
// a stage, where the fragments of the next stage begin to be loaded.
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
// are loaded by words of two. sm_80 and later (stmatrix from sm_90 on; before, 4-byte stores to the same places).
#pragma once

#include <cstdint>

#include "lanebank/kernels/gemm_common.cuh"
#include "lanebank/kernels/gemm_fragments.cuh"
#include "lanebank/kernels/gemm_instructions.cuh"

namespace lanebank::kernels {

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
  static constexpr unsigned row_tiles = 4;  ///< of a warp
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

  const In* source;       ///< of the thread's next unit
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
  /// After all steps: goes on along the rows or down the columns, to the next tile.
  __device__ __forceinline__ void next_columns() {
    source -= steps * step - Layout::columns;
    asm volatile("" : "+r"(rows));  // else every step's comparison with it is kept in a register of its own
    columns = columns > Layout::columns ? columns - Layout::columns : 0;
  }
  __device__ __forceinline__ void next_rows() { rows = rows > Layout::rows ? rows - Layout::rows : 0; }
  /// Copies step `i`, one after the other, to the tile at `tile`; complete after the thread's cp_async_wait and the block's
  /// barrier.
  __device__ __forceinline__ void copy(unsigned char* tile, unsigned i) {
    const bool inside = i * rows_per_step < rows;
    unsigned char* to = tile + target + i * (rows_per_step * Layout::pitch_bytes);
    if constexpr (Whole) {
      const std::uint32_t bytes = !inside ? 0 : columns >= 8 ? 16 : columns * 2;
      cp_async(shared_address(to), source, bytes);
    } else {
      *reinterpret_cast<uint4*>(to) = load_eight(source, 0, columns, inside, false);
    }
    source += step;
  }
};

/// Fills stages, one after the other, with the tiles of A and B that a block needs.
template <class In, class Shape, bool Whole>
struct StageLoader {
  using LoadA = TileLoader<In, typename Shape::TileA, Shape::threads, Whole>;
  using LoadB = TileLoader<In, typename Shape::TileB, Shape::threads, Whole>;
  LoadA a;
  LoadB b;

  /// For the tile of C at (row, column).
  template <class Out>
  __device__ __forceinline__ StageLoader(const GemmMatrices<In, Out>& x, std::uint32_t row, std::uint32_t column,
                                         std::uint32_t m, std::uint32_t n, std::uint32_t k)
      : a(x.a, x.a_pitch, row, 0, m, k),
        b(x.b, x.b_pitch, Shape::transposed ? 0 : column, Shape::transposed ? column : 0, Shape::transposed ? k : n,
          Shape::transposed ? n : k) {}
  /// Copies `part` of `parts` of a stage; all parts in order, then next().
  __device__ __forceinline__ void copy(unsigned char* stage, unsigned part, unsigned parts) {
    constexpr unsigned total = LoadA::steps + LoadB::steps;
#pragma unroll
    for (unsigned i = 0; i < total; ++i) {
      if (i * parts / total != part) continue;
      if (i < LoadA::steps)
        a.copy(stage, i);
      else
        b.copy(stage + Shape::TileA::bytes, i - LoadA::steps);
    }
  }
  __device__ __forceinline__ void next() {
    cp_async_commit();
    a.next_columns();
    if constexpr (Shape::transposed)
      b.next_rows();
    else
      b.next_columns();
  }
};

/// One block per tile of C: gridDim.x = tiles, blockDim.x = Shape::threads, Shape::shared_bytes of dynamic shared memory.
/// `group`: tile_place. m, n, k < 2^31. Whole: eights_aligned holds for A and B.
template <class In, class Out, class Shape, bool Whole>
__global__ void __launch_bounds__(Shape::threads, 1) gemm_multistage(GemmMatrices<In, Out> x, std::uint32_t group) {
  extern __shared__ __align__(1024) unsigned char memory[];
  const auto m = static_cast<std::uint32_t>(x.m), n = static_cast<std::uint32_t>(x.n),
             k = static_cast<std::uint32_t>(x.k);
  const TilePlace place = tile_place(blockIdx.x, (m + Shape::block_m - 1) / Shape::block_m,
                                     (n + Shape::block_n - 1) / Shape::block_n, group);
  const std::uint32_t block_row = place.row * Shape::block_m, block_column = place.column * Shape::block_n;
  const std::uint32_t warp = threadIdx.x / 32;
  const std::uint32_t row = warp / Shape::warps_across * 64, column = warp % Shape::warps_across * 64;

  StageLoader<In, Shape, Whole> loader(x, block_row, block_column, m, n, k);
  float sums[4][8][4] = {};
  const std::uint32_t tiles = (k + Shape::block_k - 1) / Shape::block_k;
  if (tiles > 0) {
#pragma unroll
    for (unsigned stage = 0; stage + 1 < Shape::stages; ++stage) {
      loader.copy(memory + stage * Shape::stage_bytes, 0, 1);
      loader.next();
    }
    cp_async_wait<Shape::stages - 2>();
    __syncthreads();
    const FragmentPlace<Shape> fragment_place(row, column);
    WarpFragments<In, Shape> fragments;
    const std::uint32_t ring = shared_address(memory);
    fragments.begin(ring, fragment_place);
    unsigned reading = 0, filling = Shape::stages - 1;
#pragma unroll 1
    for (std::uint32_t tile = 0; tile < tiles; ++tile) {
      const auto at = [&](unsigned f) {
        if (f % 4 == 0 && f < 12) loader.copy(memory + filling * Shape::stage_bytes, f / 4, 3);
        if (f == 8) loader.next();
      };
      const auto leave = [&] {
        cp_async_wait<Shape::stages - 2>();
        __syncthreads();
        reading = reading + 1 == Shape::stages ? 0 : reading + 1;
        filling = filling + 1 == Shape::stages ? 0 : filling + 1;
        return ring + reading * Shape::stage_bytes;
      };
      fragments.multiply_stage(ring + reading * Shape::stage_bytes, fragment_place, sums, at, leave);
    }
    cp_async_wait<0>();
    __syncthreads();
  }
  store_sums(sums, Tile<typename Shape::TileC>(aligned_base<1024>(memory + warp * Shape::TileC::bytes)), x.c, x.c_pitch,
             block_row + row, block_column + column, m, n);
}

}  // namespace lanebank::kernels
