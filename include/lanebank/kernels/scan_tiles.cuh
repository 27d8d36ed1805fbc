// Scanning an array in one pass: decoupled look-back (Merrill and Garland, "Single-pass Parallel Prefix Scan with
// Decoupled Look-back", 2016).
//
//   tile t:   load -> scan in the block -> publish "aggregate of t" -> look back over tiles t-1, t-2, ...
//             adding aggregates until one has published "prefix up to its end" -> publish "prefix up to the end of t"
//             -> add, store
//
// Order::tickets hands tiles out by an atomic counter, so a tile waits only for tiles that already run: progress does
// not depend on the order of blocks. Order::blocks takes blockIdx.x and saves the wait for the counter; it relies on
// blocks being started in the order of their index, which CUDA does not promise (CUB's scan relies on it too); so it is
// for callers that know their device, and tickets are the default.
// A tile's state is one 64-bit word, flag and value, written and read whole: no fence.
//
// Nothing is cleared between calls: the ticket word carries the number of the call, and a flag counts only in its own
// call. The next number is begun by the block with the last ticket, or by the last tile when it has looked back: all
// others have read the number by then.
//
//   ticket   call << 32 | tickets taken            flag   2 call + 1: aggregate,  2 call + 2: prefix (mod 2^32)
#pragma once

#include "lanebank/kernels/scan_warp.cuh"

namespace lanebank::kernels {

enum class Order { tickets, blocks };

/// Threads per block, 16-byte packs per thread, blocks per multiprocessor.
template <unsigned Threads = 512, unsigned Packs = 10, unsigned BlocksPerMultiprocessor = 2,
          Order TileOrder = Order::tickets>
struct ScanShape {
  static constexpr unsigned threads = Threads, packs = Packs, blocks = BlocksPerMultiprocessor;
  static constexpr Order order = TileOrder;
  static constexpr unsigned warps = Threads / 32;
  template <class T>
  static constexpr unsigned tile = Threads* Packs* Pack<T>::size;
};

namespace detail {

__device__ __forceinline__ std::uint64_t load_state(const std::uint64_t* state) {
  std::uint64_t word;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(state) : "memory");
  return word;
}

template <class T>
__device__ __forceinline__ void store_state(std::uint64_t* state, std::uint32_t flag, T value) {
  std::uint32_t bits;
  memcpy(&bits, &value, 4);
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(state), "l"(std::uint64_t{flag} << 32 | bits) : "memory");
}

/// What stands before `tile`, for all lanes of the calling warp; tile > 0.
template <class T, class Op>
__device__ __forceinline__ T look_back(const std::uint64_t* states, std::uint32_t tile, std::uint32_t call, Op op) {
  const std::uint32_t aggregate = 2 * call + 1, prefix = 2 * call + 2, lane = threadIdx.x % 32;
  T before = Op::template identity<T>();
  for (std::uint32_t end = tile;; end -= 32) {
    // Lane l looks at tile end - 1 - l; in front of the first tile stands the identity.
    std::uint32_t flag = prefix;
    T value = Op::template identity<T>();
    bool waiting = lane < end;
    unsigned first = 0, needed = 0;  // the nearest prefix, as a bit, and the lanes up to it
    do {
      if (waiting) {
        const std::uint64_t word = load_state(states + (end - 1 - lane));
        const auto bits = static_cast<std::uint32_t>(word);
        memcpy(&value, &bits, 4);
        flag = static_cast<std::uint32_t>(word >> 32);
        waiting = flag != aggregate && flag != prefix;
      }
      const unsigned found = __ballot_sync(0xffffffffu, flag == prefix);
      first = found & (0u - found);
      needed = first | (first - 1);
    } while ((__ballot_sync(0xffffffffu, waiting) & needed) != 0);
    T sum = (needed >> lane & 1) != 0 ? value : Op::template identity<T>();
#pragma unroll
    for (unsigned distance = 16; distance > 0; distance /= 2)
      sum = op(sum, __shfl_xor_sync(0xffffffffu, sum, distance));
    before = op(sum, before);
    if (first != 0) return before;
  }
}

/// The packs of a thread: pack i of lane l of warp w is 32 (V w + i) + l of the tile. Past `left` elements: identity.
template <class Op, bool Aligned, unsigned V, class T>
__device__ __forceinline__ void load_packs(Pack<T> (&packs)[V], const T* __restrict__ source, std::uint32_t left,
                                           bool whole) {
  const unsigned first = threadIdx.x / 32 * (32 * V) + threadIdx.x % 32;
  constexpr unsigned size = Pack<T>::size;
  if (whole) {
#pragma unroll
    for (unsigned i = 0; i < V; ++i) packs[i] = load_pack<Aligned>(source, first + i * 32);
  } else {
#pragma unroll
    for (unsigned i = 0; i < V; ++i)
#pragma unroll
      for (unsigned k = 0; k < size; ++k) {
        const unsigned index = (first + i * 32) * size + k;
        packs[i].at[k] = index < left ? source[index] : Op::template identity<T>();
      }
  }
}

template <bool Aligned, unsigned V, class T>
__device__ __forceinline__ void store_packs(const Pack<T> (&packs)[V], T* target, std::uint32_t left, bool whole) {
  const unsigned first = threadIdx.x / 32 * (32 * V) + threadIdx.x % 32;
  constexpr unsigned size = Pack<T>::size;
#pragma unroll
  for (unsigned i = 0; i < V; ++i) {
    if (Aligned && whole) {
      reinterpret_cast<uint4*>(target)[first + i * 32] = bits_of(packs[i]);
    } else {
#pragma unroll
      for (unsigned k = 0; k < size; ++k) {
        const unsigned index = (first + i * 32) * size + k;
        if (index < left) target[index] = packs[i].at[k];
      }
    }
  }
}

}  // namespace detail

/// gridDim.x = tiles = ceil(count / tile). Source and target may be the same array. `ticket` and `states` (one per
/// tile) are zero before the first call.
template <bool Inclusive, class Op, template <class, unsigned> class Form, class Shape, bool Aligned, class T>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    scan_tiles(const T* source, T* target, std::uint64_t count, std::uint64_t* ticket, std::uint64_t* states) {
  static_assert(sizeof(T) == 4, "a state word holds a value of 4 bytes");
  using Warp = Form<T, Shape::packs>;
  __shared__ SharedTile<typename Warp::Layout> tiles[Shape::warps];
  __shared__ T befores[32];
  __shared__ std::uint64_t taken;
  const Op op;
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  std::uint32_t tile = blockIdx.x, call = 0;  // call: needed by the first warp only
  if constexpr (Shape::order == Order::tickets) {
    if (threadIdx.x == 0) taken = atomicAdd(reinterpret_cast<unsigned long long*>(ticket), 1ull);
    __syncthreads();
    tile = static_cast<std::uint32_t>(taken);
    call = static_cast<std::uint32_t>(taken >> 32);
    if (threadIdx.x == 0 && tile == gridDim.x - 1) *ticket = std::uint64_t{call + 1} << 32;
  } else if (warp == 0) {
    call = static_cast<std::uint32_t>(detail::load_state(ticket) >> 32);
  }

  const std::uint64_t first = std::uint64_t{tile} * Shape::template tile<T>;
  const bool whole = count - first >= Shape::template tile<T>;
  const auto left = static_cast<std::uint32_t>(whole ? Shape::template tile<T> : count - first);
  Pack<T> packs[Shape::packs];
  detail::load_packs<Op, Aligned>(packs, source + first, left, whole);
  const T total = Warp::template scan<Inclusive>(packs, op, tiles[warp]);
  if (lane == 31) befores[warp] = total;
  __syncthreads();
  if (warp == 0) {
    const T sum = detail::scan_lanes(lane < Shape::warps ? befores[lane] : Op::template identity<T>(), op);
    const T block = __shfl_sync(0xffffffffu, sum, 31);
    T before = Op::template identity<T>();
    if (tile > 0) {
      if (lane == 0) detail::store_state(states + tile, 2 * call + 1, block);
      before = detail::look_back<T>(states, tile, call, op);
    }
    if (lane == 0) detail::store_state(states + tile, 2 * call + 2, op(before, block));
    if (Shape::order == Order::blocks && lane == 0 && tile == gridDim.x - 1) *ticket = std::uint64_t{call + 1} << 32;
    befores[lane] = op(before, detail::lane_before(sum, op));
  }
  __syncthreads();
  const T before = befores[warp];
#pragma unroll
  for (unsigned i = 0; i < Shape::packs; ++i)
#pragma unroll
    for (unsigned k = 0; k < Pack<T>::size; ++k) packs[i].at[k] = op(before, packs[i].at[k]);
  detail::store_packs<Aligned>(packs, target + first, left, whole);
}

}  // namespace lanebank::kernels
