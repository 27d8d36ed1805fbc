// Reducing an array in one launch: as many blocks as run at once read it 16 bytes at a time, and the block that ends
// last joins the blocks' results.
//
//   tile = Unroll x Threads vectors of 16 bytes.   round 0: block 0 | block 1 | ... | block G-1
//                                                  round 1: block 0 | block 1 | ...
//   what is left, less than a round: a row of Threads vectors to each block in turn: no block does a whole tile more
//   -> partial of each block -> the last block (a counter that wraps to 0) -> result
//
// Which thread adds what depends on count, blocks and the shape only: the result is the same, bit for bit, in every
// run. A source that is no multiple of 16 bytes is read element by element in the same order.
#pragma once

#include <cstdint>

#include "lanebank/kernels/reduce_block.cuh"

namespace lanebank::kernels {

/// Threads per block, 16-byte loads in flight per thread, blocks that a multiprocessor holds at once, and how many
/// times as many there are at most. More than one wave evens out multiprocessors of unequal speed.
template <unsigned Threads = 512, unsigned Unroll = 4, unsigned BlocksPerMultiprocessor = 2048 / Threads,
          unsigned Waves = 1>
struct ReduceShape {
  static constexpr unsigned threads = Threads, unroll = Unroll, blocks = BlocksPerMultiprocessor, waves = Waves;
};

/// A vector of 16 bytes of T.
template <class T>
struct alignas(16) Pack {
  static_assert(16 % sizeof(T) == 0, "elements of 1, 2, 4, 8 or 16 bytes");
  static constexpr unsigned size = 16 / sizeof(T);
  T at[size];
};

template <class T>
__device__ __forceinline__ uint4 bits_of(const Pack<T>& pack) {
  uint4 bits;
  static_assert(sizeof(pack) == sizeof(bits));
  memcpy(&bits, &pack, sizeof(bits));
  return bits;
}
template <class T>
__device__ __forceinline__ Pack<T> pack_of(uint4 bits) {
  Pack<T> pack;
  memcpy(&pack, &bits, sizeof(bits));
  return pack;
}

/// Pack `index` of a source, in one load when it is Aligned to 16 bytes.
template <bool Aligned, class T>
__device__ __forceinline__ Pack<T> load_pack(const T* __restrict__ source, std::uint64_t index) {
  if constexpr (Aligned) {
    return pack_of<T>(reinterpret_cast<const uint4*>(source)[index]);
  } else {
    Pack<T> pack;
#pragma unroll
    for (unsigned i = 0; i < Pack<T>::size; ++i) pack.at[i] = source[index * Pack<T>::size + i];
    return pack;
  }
}

namespace detail {

/// What a thread of block blockIdx.x of `gridDim.x` gathers.
template <class Op, class Shape, bool Aligned, class T>
__device__ __forceinline__ T reduce_thread(const T* __restrict__ source, std::uint64_t count, Op op) {
  constexpr unsigned size = Pack<T>::size, tile = Shape::unroll * Shape::threads;
  Pack<T> sums;
#pragma unroll
  for (unsigned i = 0; i < size; ++i) sums.at[i] = Op::template identity<T>();
  const std::uint64_t packs = count / size, round = std::uint64_t{gridDim.x} * tile;
  const std::uint64_t rest = packs / round * round;
  for (std::uint64_t first = std::uint64_t{blockIdx.x} * tile + threadIdx.x; first < rest; first += round) {
    Pack<T> values[Shape::unroll];
#pragma unroll
    for (unsigned u = 0; u < Shape::unroll; ++u) values[u] = load_pack<Aligned>(source, first + u * Shape::threads);
#pragma unroll
    for (unsigned u = 0; u < Shape::unroll; ++u)
#pragma unroll
      for (unsigned i = 0; i < size; ++i) sums.at[i] = op(sums.at[i], values[u].at[i]);
  }
#pragma unroll
  for (unsigned u = 0; u < Shape::unroll; ++u) {
    const std::uint64_t index = rest + (std::uint64_t{u} * gridDim.x + blockIdx.x) * Shape::threads + threadIdx.x;
    if (index < packs) {
      const Pack<T> value = load_pack<Aligned>(source, index);
#pragma unroll
      for (unsigned i = 0; i < size; ++i) sums.at[i] = op(sums.at[i], value.at[i]);
    }
  }
  // Fewer than a pack at the end.
  if (blockIdx.x == 0 && threadIdx.x < count - packs * size)
    sums.at[0] = op(sums.at[0], source[packs * size + threadIdx.x]);
#pragma unroll
  for (unsigned i = 1; i < size; ++i) sums.at[0] = op(sums.at[0], sums.at[i]);
  return sums.at[0];
}

}  // namespace detail

/// `partials`: one T per block. `arrived`: 0 before, 0 afterwards.
template <class Op, class Tree, class Shape, bool Aligned, class T>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    reduce_blocks(const T* __restrict__ source, std::uint64_t count, T* result, T* partials, unsigned* arrived) {
  __shared__ SharedTile<typename Tree::template Layout<T>> words;
  __shared__ bool is_last;
  const Op op;
  const T value = Tree::reduce(detail::reduce_thread<Op, Shape, Aligned>(source, count, op), op, words);
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = value;
    __threadfence();
    is_last = atomicInc(arrived, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  T sum = Op::template identity<T>();
  for (unsigned i = threadIdx.x; i < gridDim.x; i += Shape::threads) sum = op(sum, __ldcg(partials + i));
  sum = Tree::reduce(sum, op, words);
  if (threadIdx.x == 0) *result = sum;
}

}  // namespace lanebank::kernels
