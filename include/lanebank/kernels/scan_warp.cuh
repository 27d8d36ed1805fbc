// Scanning the elements that a warp holds, in three forms with one interface: two conflict-free, one to show the
// conflict.
//
// A warp holds 32 x V packs of 16 bytes, striped as global memory wants them: pack i of lane l is the warp's pack
// 32 i + l. A scan wants them blocked: lane l with V neighbouring packs. The way there and back is an exchange through
// a tile of 32 rows (lanes) of V packs: written along the rows, read a row per lane.
//
//   ExchangePlain      rows one after the other: lanes are 16 V bytes apart; V = 4: 4-way conflicts, V = 8: 8-way
//   ExchangeSwizzled   the same with the swizzle of any pitch (layout.hpp): no conflict, no padding, any V
//   ExchangeNone       no exchange: each row of 32 packs is scanned by shuffles where it is, and row totals carried on
//
// Smallest example:  const int total = ExchangeNone<int, 4>::scan<true>(packs, Sum{}, nothing);
//
// Called by a converged warp; every lane gets the warp's total; packs are replaced by their scan (striped). Uses
// __syncwarp only. The tile belongs to the warp alone.
#pragma once

#include <cstdint>

#include "lanebank/kernels/reduce_blocks.cuh"

namespace lanebank::kernels {

namespace detail {

/// Inclusive scan of one value per lane.
template <class Op, class T>
__device__ __forceinline__ T scan_lanes(T value, Op op) {
#pragma unroll
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    const T before = __shfl_up_sync(0xffffffffu, value, distance);
    if (threadIdx.x % 32 >= distance) value = op(before, value);
  }
  return value;
}

/// The value of the lane before; the identity for lane 0.
template <class Op, class T>
__device__ __forceinline__ T lane_before(T value, Op) {
  const T before = __shfl_up_sync(0xffffffffu, value, 1);
  return threadIdx.x % 32 == 0 ? Op::template identity<T>() : before;
}

/// The pack's scan behind `before`; returns what comes after it.
template <bool Inclusive, class Op, class T>
__device__ __forceinline__ T scan_pack(Pack<T>& pack, T before, Op op) {
#pragma unroll
  for (unsigned i = 0; i < Pack<T>::size; ++i) {
    const T after = op(before, pack.at[i]);
    pack.at[i] = Inclusive ? after : before;
    before = after;
  }
  return before;
}

/// Scan through a tile of layout L.
template <class L, class T, unsigned V>
struct Exchange {
  using Layout = L;
  using Stores = patterns::vector_row<Pack<T>::size, patterns::store>;
  using Loads = patterns::vector_column<Pack<T>::size>;
  using StoresBack = patterns::vector_column<Pack<T>::size, patterns::store>;
  using LoadsBack = patterns::vector_row<Pack<T>::size>;

  __device__ static uint4& place(const SharedTile<L>& tile, unsigned row, unsigned pack) {
    return tile.template vector<uint4>(row, pack * Pack<T>::size);
  }

  template <bool Inclusive, class Op>
  __device__ __forceinline__ static T scan(Pack<T> (&packs)[V], Op op, const SharedTile<L>& tile) {
    const unsigned lane = threadIdx.x % 32;
    __syncwarp();
#pragma unroll
    for (unsigned i = 0; i < V; ++i) place(tile, (i * 32 + lane) / V, (i * 32 + lane) % V) = bits_of(packs[i]);
    __syncwarp();
    T sum = Op::template identity<T>();
#pragma unroll
    for (unsigned i = 0; i < V; ++i) {
      packs[i] = pack_of<T>(place(tile, lane, i));
#pragma unroll
      for (unsigned k = 0; k < Pack<T>::size; ++k) sum = op(sum, packs[i].at[k]);
    }
    const T after = scan_lanes(sum, op);
    T before = lane_before(after, op);
    // A lane reads and writes its own row only.
#pragma unroll
    for (unsigned i = 0; i < V; ++i) {
      before = scan_pack<Inclusive>(packs[i], before, op);
      place(tile, lane, i) = bits_of(packs[i]);
    }
    __syncwarp();
#pragma unroll
    for (unsigned i = 0; i < V; ++i) packs[i] = pack_of<T>(place(tile, (i * 32 + lane) / V, (i * 32 + lane) % V));
    return __shfl_sync(0xffffffffu, after, 31);
  }
};

}  // namespace detail

template <class T, unsigned V>
struct ExchangePlain : detail::Exchange<RowMajor<T, 32, V * Pack<T>::size>, T, V> {};

template <class T, unsigned V>
struct ExchangeSwizzled : detail::Exchange<AnyPitch<T, 32, V * Pack<T>::size, 16>, T, V> {
  using L = AnyPitch<T, 32, V * Pack<T>::size, 16>;
  using Base = detail::Exchange<L, T, V>;
  static_assert(is_bijective<L> && conflict_free<L, typename Base::Stores, typename Base::Loads,
                                                 typename Base::StoresBack, typename Base::LoadsBack>);
};

static_assert(pattern_cost<ExchangePlain<int, 4>::Layout, ExchangePlain<int, 4>::Loads>.wavefronts == 64 &&
                  pattern_cost<ExchangeSwizzled<int, 4>::Layout, ExchangeSwizzled<int, 4>::Loads>.wavefronts == 16,
              "four reads of a row per lane: 4-way conflicts, and none");

template <class T, unsigned V>
struct ExchangeNone {
  using Layout = RowMajor<T, 1, 1>;  // not used

  template <bool Inclusive, class Op>
  __device__ __forceinline__ static T scan(Pack<T> (&packs)[V], Op op, const SharedTile<Layout>&) {
    T carried = Op::template identity<T>();
#pragma unroll
    for (unsigned i = 0; i < V; ++i) {
      T sum = packs[i].at[0];
#pragma unroll
      for (unsigned k = 1; k < Pack<T>::size; ++k) sum = op(sum, packs[i].at[k]);
      const T after = detail::scan_lanes(sum, op);
      detail::scan_pack<Inclusive>(packs[i], op(carried, detail::lane_before(after, op)), op);
      carried = op(carried, __shfl_sync(0xffffffffu, after, 31));
    }
    return carried;
  }
};

}  // namespace lanebank::kernels
