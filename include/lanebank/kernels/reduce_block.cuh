// Reducing one value per thread of a block, in three forms with one interface; two conflict-free, one to show the
// conflict.
//
//   TreeInterleaved   step s = 1, 2, 4 ...: thread t joins word 2 s t with word 2 s t + s.  Lanes are 2 s words apart:
//                     2-way conflicts at s = 1, 4-way at s = 2, ... 32-way at s = 16 of 1024 threads
//   TreeSequential    step s = threads / 2, threads / 4 ...: thread t < s joins word t with word t + s.  Neighbours
//   TreeShuffle       a warp by shuffles, then one word per warp: one barrier
//
// Smallest example, in a kernel of 256 threads:
//
//   __shared__ lanebank::SharedTile<TreeShuffle<256>::Layout<float>> words;
//   const float sum = TreeShuffle<256>::reduce(value, Sum{}, words);      // valid in thread 0
//
// Called by all threads of a one-dimensional block, converged; thread 0 gets the result; synchronises inside, and the
// caller synchronises before `words` is used again. The order of the operations is fixed by the form and the number
// of threads.
#pragma once

#include <type_traits>

#include "lanebank/layout.hpp"
#include "lanebank/pattern.hpp"
#include "lanebank/proofs.hpp"
#include "lanebank/tile.hpp"

namespace lanebank::kernels {

/// Operations: associative and commutative up to rounding, with identity<T>(). Integer sums wrap around.
struct Sum {
  template <class T>
  LANEBANK_HOST_DEVICE static constexpr T identity() {
    return T{0};
  }
  template <class T>
  LANEBANK_HOST_DEVICE constexpr T operator()(T a, T b) const {
    return a + b;
  }
  LANEBANK_HOST_DEVICE constexpr int operator()(int a, int b) const {
    return static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
  }
  LANEBANK_HOST_DEVICE constexpr long long operator()(long long a, long long b) const {
    return static_cast<long long>(static_cast<unsigned long long>(a) + static_cast<unsigned long long>(b));
  }
};

namespace detail {

template <class T>
struct Extremes;
template <>
struct Extremes<int> {
  static constexpr int lowest = -2147483647 - 1, highest = 2147483647;
};
template <>
struct Extremes<unsigned> {
  static constexpr unsigned lowest = 0, highest = 0xffffffffu;
};
template <>
struct Extremes<float> {
  static constexpr float highest = __builtin_huge_valf(), lowest = -highest;
};
template <>
struct Extremes<double> {
  static constexpr double highest = __builtin_huge_val(), lowest = -highest;
};

}  // namespace detail

/// The least element; NaNs are passed over, as by fminf.
struct Min {
  template <class T>
  LANEBANK_HOST_DEVICE static constexpr T identity() {
    return detail::Extremes<T>::highest;
  }
  template <class T>
  LANEBANK_HOST_DEVICE constexpr T operator()(T a, T b) const {
    return b < a || a != a ? b : a;
  }
};

/// The greatest element; NaNs are passed over.
struct Max {
  template <class T>
  LANEBANK_HOST_DEVICE static constexpr T identity() {
    return detail::Extremes<T>::lowest;
  }
  template <class T>
  LANEBANK_HOST_DEVICE constexpr T operator()(T a, T b) const {
    return a < b || a != a ? b : a;
  }
};

/// The tree of neighbours: shows the conflict.
template <unsigned Threads>
struct TreeInterleaved {
  static_assert(Threads % 32 == 0 && (Threads & (Threads - 1)) == 0, "a power of two of threads, whole warps");
  template <class T>
  using Layout = RowMajor<T, 1, Threads>;
  /// The left operand of thread t = lane (warp 0) at step 2^access.
  static constexpr Coordinate left(unsigned access, unsigned lane) {
    const unsigned step = 1u << access;
    return {0, 2 * step * lane % Threads, lane < Threads / (2 * step)};
  }

  template <class Op, class T>
  __device__ static T reduce(T value, Op op, const SharedTile<Layout<T>>& words) {
    words(0, threadIdx.x) = value;
    __syncthreads();
#pragma unroll 1
    for (unsigned step = 1; step < Threads; step *= 2) {
      const unsigned left = 2 * step * threadIdx.x;
      if (left < Threads) words(0, left) = op(words(0, left), words(0, left + step));
      __syncthreads();
    }
    return words(0, 0);
  }
};

/// The tree of halves: conflict-free.
template <unsigned Threads>
struct TreeSequential {
  static_assert(Threads % 32 == 0 && (Threads & (Threads - 1)) == 0, "a power of two of threads, whole warps");
  template <class T>
  using Layout = RowMajor<T, 1, Threads>;
  /// The right operand of thread t = lane (warp 0) at step Threads / 2^(access + 1).
  static constexpr Coordinate right(unsigned access, unsigned lane) {
    const unsigned step = Threads >> (access + 1);
    return {0, (lane + step) % Threads, lane < step};
  }

  template <class Op, class T>
  __device__ static T reduce(T value, Op op, const SharedTile<Layout<T>>& words) {
    words(0, threadIdx.x) = value;
    __syncthreads();
#pragma unroll 1
    for (unsigned step = Threads / 2; step > 0; step /= 2) {
      if (threadIdx.x < step) words(0, threadIdx.x) = op(words(0, threadIdx.x), words(0, threadIdx.x + step));
      __syncthreads();
    }
    return words(0, 0);
  }
};

/// Warps by shuffles, then the warps' results.
template <unsigned Threads>
struct TreeShuffle {
  static_assert(Threads % 32 == 0 && Threads <= 1024, "whole warps, at most 32");
  static constexpr unsigned warps = Threads / 32;
  template <class T>
  using Layout = RowMajor<T, 1, warps>;

  template <class Op, class T>
  __device__ static T warp(T value, Op op) {
#pragma unroll
    for (unsigned distance = 16; distance > 0; distance /= 2)
      value = op(value, __shfl_xor_sync(0xffffffffu, value, distance));
    return value;
  }

  template <class Op, class T>
  __device__ static T reduce(T value, Op op, const SharedTile<Layout<T>>& words) {
    value = warp(value, op);
    if (threadIdx.x % 32 == 0) words(0, threadIdx.x / 32) = value;
    __syncthreads();
    if (threadIdx.x < 32) value = warp(threadIdx.x < warps ? words(0, threadIdx.x) : Op::template identity<T>(), op);
    return value;
  }
};

// 256 threads, 8 steps. Interleaved: 2 + 4 + 8 + 8 + 8 + 4 + 2 + 1 wavefronts, since the last steps have few lanes
// left.
static_assert(has_wavefronts<TreeInterleaved<256>::Layout<float>, patterns::custom<&TreeInterleaved<256>::left, 8>,
                             2 + 4 + 8 + 8 + 8 + 4 + 2 + 1>);
static_assert(conflict_free<TreeSequential<256>::Layout<float>, patterns::custom<&TreeSequential<256>::right, 8>> &&
              conflict_free<TreeSequential<1024>::Layout<float>, patterns::custom<&TreeSequential<1024>::right, 10>> &&
              conflict_free<TreeSequential<256>::Layout<double>, patterns::custom<&TreeSequential<256>::right, 8>>);
static_assert(conflict_free<TreeShuffle<1024>::Layout<float>, patterns::row<>>);

}  // namespace lanebank::kernels
