// The scan of scan_tiles.cuh by blocks that stay: while a block works on a tile, the copy engine brings its next one.
//
//   block:   wait for the tile in shared memory -> registers, warps' scans -> barrier -> one thread takes the next
//            ticket and asks for that tile, while the first warp looks back -> barrier -> add, store -> wait ...
//
// Tickets as in scan_tiles.cuh. A block takes its tiles in their order, so the earliest tile that is not finished is
// being worked on: nothing waits for ever. Each block takes one ticket past the last tile and ends; the block with the
// last ticket of all makes the word ready for the next call. A tile that is not whole is read without the engine.
#pragma once

#include "lanebank/kernels/scan_tiles.cuh"

namespace lanebank::kernels {

/// As ScanShape; a block's tile also lies in shared memory.
template <unsigned Threads = 512, unsigned Packs = 8, unsigned BlocksPerMultiprocessor = 2>
struct ScanAhead : ScanShape<Threads, Packs, BlocksPerMultiprocessor> {
  static constexpr bool ahead = true;
};

namespace detail {

/// A whole tile in shared memory: row warp * V + i, pack `lane`.
template <class Shape, class T>
using ScanTile = RowMajor<T, Shape::warps * Shape::packs, 32 * Pack<T>::size>;

/// Counts one arrival and, if `bytes` is not 0, that many bytes copied from `source`: multiples of 16.
__device__ __forceinline__ void ask_for_bytes(std::uint32_t barrier, std::uint32_t target, const void* source,
                                              std::uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
  if (bytes == 0) return;
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(target),
               "l"(__cvta_generic_to_global(source)), "r"(bytes), "r"(barrier)
               : "memory");
}

__device__ __forceinline__ void wait_for_bytes(std::uint32_t barrier, std::uint32_t parity) {
  std::uint32_t done = 0;
  while (done == 0)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(barrier), "r"(parity)
                 : "memory");
}

}  // namespace detail

/// gridDim.x <= tiles, a multiprocessor's blocks each; ScanTile's bytes of dynamic shared memory. Source and target
/// multiples of 16 bytes, perhaps the same array; `ticket` and `states` as for scan_tiles.
template <bool Inclusive, class Op, template <class, unsigned> class Form, class Shape, class T>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    scan_ahead(const T* source, T* target, std::uint64_t count, std::uint32_t tiles, std::uint64_t* ticket,
               std::uint64_t* states) {
  static_assert(sizeof(T) == 4, "a state word holds a value of 4 bytes");
  using Warp = Form<T, Shape::packs>;
  using Layout = detail::ScanTile<Shape, T>;
  static_assert(conflict_free<Layout, patterns::vector_row<Pack<T>::size>>);
  constexpr std::uint32_t size = Shape::template tile<T>;
  extern __shared__ __align__(128) unsigned char memory[];
  __shared__ SharedTile<typename Warp::Layout> exchange[Shape::warps];
  __shared__ T befores[32];
  __shared__ std::uint64_t taken;
  __shared__ __align__(8) std::uint64_t filled;
  const auto& next = *reinterpret_cast<const SharedTile<Layout>*>(memory);
  const Op op;
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const auto barrier = static_cast<std::uint32_t>(__cvta_generic_to_shared(&filled));
  const auto is_whole = [&](std::uint32_t tile) { return count - std::uint64_t{tile} * size >= size; };
  const auto take = [&] {  // one thread
    const std::uint64_t word = atomicAdd(reinterpret_cast<unsigned long long*>(ticket), 1ull);
    const auto tile = static_cast<std::uint32_t>(word);
    if (tile == tiles + gridDim.x - 1) *ticket = ((word >> 32) + 1) << 32;
    taken = word;
    const bool asks = tile < tiles && is_whole(tile);
    detail::ask_for_bytes(barrier, next.shared_address(0, 0), source + std::uint64_t{tile} * size,
                          asks ? Layout::bytes : 0);
  };
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    take();
  }
  __syncthreads();

#pragma unroll 1
  for (std::uint32_t parity = 0;; parity ^= 1) {
    detail::wait_for_bytes(barrier, parity);
    const auto tile = static_cast<std::uint32_t>(taken), call = static_cast<std::uint32_t>(taken >> 32);
    if (tile >= tiles) return;  // the whole block
    const std::uint64_t first = std::uint64_t{tile} * size;
    const bool whole = is_whole(tile);
    const auto left = static_cast<std::uint32_t>(whole ? size : count - first);
    Pack<T> packs[Shape::packs];
    if (whole) {
#pragma unroll
      for (unsigned i = 0; i < Shape::packs; ++i)
        packs[i] = pack_of<T>(next.template vector<uint4>(warp * Shape::packs + i, lane * Pack<T>::size));
    } else {
      detail::load_packs<Op, true>(packs, source + first, left, false);
    }
    const T total = Warp::template scan<Inclusive>(packs, op, exchange[warp]);
    if (lane == 31) befores[warp] = total;
    __syncthreads();  // the tile's memory and `taken` have been read
    if (threadIdx.x == Shape::threads - 32) take();
    if (warp == 0) {
      const T sum = detail::scan_lanes(lane < Shape::warps ? befores[lane] : Op::template identity<T>(), op);
      const T block = __shfl_sync(0xffffffffu, sum, 31);
      T before = Op::template identity<T>();
      if (tile > 0) {
        if (lane == 0) detail::store_state(states + tile, 2 * call + 1, block);
        before = detail::look_back<T>(states, tile, call, op);
      }
      if (lane == 0) detail::store_state(states + tile, 2 * call + 2, op(before, block));
      befores[lane] = op(before, detail::lane_before(sum, op));
    }
    __syncthreads();
    const T before = befores[warp];
#pragma unroll
    for (unsigned i = 0; i < Shape::packs; ++i)
#pragma unroll
      for (unsigned k = 0; k < Pack<T>::size; ++k) packs[i].at[k] = op(before, packs[i].at[k]);
    detail::store_packs<true>(packs, target + first, left, whole);
  }
}

}  // namespace lanebank::kernels
