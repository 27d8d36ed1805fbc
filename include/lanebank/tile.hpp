// Tiles: a layout on memory. In a kernel, tile(row, column) is the element; everything that the layout promises is
// checked by the compiler where it is used.
//
//   __shared__ lanebank::SharedTile<lanebank::Xor<float, 32, 32>> tile;       // static shared memory, aligned as L asks
//   tile(ty, tx) = in[...];
//   __syncthreads();
//   out[...] = tile(tx, ty);
//
//   extern __shared__ __align__(1024) unsigned char memory[];                 // dynamic shared memory
//   using Plan = lanebank::SharedPlan<A, B>;                                  // the tiles A and B, one after the other
//   auto a = Plan::tile<0>(lanebank::aligned_base<1024>(memory));             // launch with Plan::bytes of shared memory
//
// A tile gives, for row < rows and column < columns:
//
//   tile(row, column)                     the element
//   tile.at<Row, Column>()                the same, the place checked by the compiler
//   tile.vector<float4>(row, column)      a vector in one access. Compiles when the layout is aligned_for<sizeof(float4)>;
//                                         the column is a multiple of the vector's elements
//   tile.shared_address(row, column)      32-bit address of shared memory, for inline assembly (device code only)
//   tile.copy_address<16>(row, column)    the same as the destination of a cp.async of 16 bytes, alignment proved
//   tile.row_address(row, column)         the same as a row of 16 bytes for ldmatrix and stmatrix
//   tile.matrix_address<4>(row, column, lane)   the row whose address lane `lane` gives to an ldmatrix.x4 or stmatrix.x4
//                                         of the matrices from (row, column) on; MatrixOrder as in fragment.hpp
//
// One memory, one layout: a Tile<A> made from a tile of another layout B does not compile unless same_layout<A, B>. So
// what is written swizzled cannot be read linearly. The base carries its alignment in its type: a layout that needs more
// (1024 bytes for the 128-byte hardware swizzle) does not compile on it.
//
// With LANEBANK_CHECK_BOUNDS defined every access checks row, column and vector alignment and traps. Without it bounds
// are the caller's part, as for arrays. Index arithmetic is that of the layout's formula written by hand.
//
// Any thread may call everything; nothing synchronises. What it does not do: barriers, copies, loops over the tile.
// C++17, host and device code (addresses: device code), no dependencies.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lanebank/fragment.hpp"
#include "lanebank/host_device.hpp"
#include "lanebank/layout_proofs.hpp"

namespace lanebank {

/// A pointer whose alignment is known to the compiler.
template <std::uint32_t Alignment>
struct AlignedBase {
  static_assert(Alignment > 0 && (Alignment & (Alignment - 1)) == 0, "an alignment is a power of two of bytes");
  static constexpr std::uint32_t alignment = Alignment;
  unsigned char* pointer = nullptr;

  /// The base `Bytes` further on, with the alignment that is left.
  template <std::uint32_t Bytes>
  LANEBANK_HOST_DEVICE constexpr auto plus() const {
    constexpr std::uint32_t lowest = Bytes & (~Bytes + 1);
    constexpr std::uint32_t left = Bytes == 0 || lowest > Alignment ? Alignment : lowest;
    return AlignedBase<left>{pointer + Bytes};
  }
};

namespace detail {

LANEBANK_HOST_DEVICE inline void check_bounds([[maybe_unused]] bool inside) {
#ifdef LANEBANK_CHECK_BOUNDS
#ifdef __CUDA_ARCH__
  if (!inside) __trap();
#else
  if (!inside) __builtin_trap();
#endif
#endif
}

}  // namespace detail

/// States that a pointer is a multiple of Alignment, as its declaration must say (__align__). Checked, and a trap, with
/// LANEBANK_CHECK_BOUNDS.
template <std::uint32_t Alignment>
LANEBANK_HOST_DEVICE inline AlignedBase<Alignment> aligned_base(void* pointer) {
  detail::check_bounds(reinterpret_cast<std::uintptr_t>(pointer) % Alignment == 0);
  return AlignedBase<Alignment>{static_cast<unsigned char*>(pointer)};
}

namespace detail {

/// Does a type of this size and alignment move in one access of a lane?
LANEBANK_HOST_DEVICE constexpr bool one_access(std::size_t size, std::size_t alignment) {
  return size <= 16 && size == alignment;
}

/// The accesses of a tile whose memory Self::base() gives.
template <class Self, class L>
class TileAccess {
 public:
  using Layout = L;
  using value_type = typename L::value_type;
  static constexpr std::uint32_t rows = L::rows, columns = L::columns, bytes = L::bytes;

  LANEBANK_HOST_DEVICE value_type& operator()(std::uint32_t row, std::uint32_t column) const {
    check_bounds(row < L::rows && column < L::columns);
    return *reinterpret_cast<value_type*>(base() + L::offset(row, column));
  }

  template <std::uint32_t Row, std::uint32_t Column>
  LANEBANK_HOST_DEVICE value_type& at() const {
    static_assert(Row < L::rows && Column < L::columns, "outside the tile: row < rows and column < columns");
    constexpr std::uint32_t offset = L::offset(Row, Column);
    return *reinterpret_cast<value_type*>(base() + offset);
  }

  template <class Vector>
  LANEBANK_HOST_DEVICE Vector& vector(std::uint32_t row, std::uint32_t column) const {
    static_assert(sizeof(Vector) % sizeof(value_type) == 0, "a vector is a whole number of the tile's elements");
    static_assert(
        one_access(sizeof(Vector), alignof(Vector)),
        "a vector moves in one access only when it is 2, 4, 8 or 16 bytes and aligned to its size (float4, not "
        "a struct of four floats)");
    static_assert(aligned_for<L, sizeof(Vector)>, "the layout tears vectors of this size");
    check_bounds(row < L::rows && column + sizeof(Vector) / sizeof(value_type) <= L::columns &&
                 column % (sizeof(Vector) / sizeof(value_type)) == 0);
    return *reinterpret_cast<Vector*>(base() + L::offset(row, column));
  }

#ifdef __CUDACC__
  __device__ std::uint32_t shared_address(std::uint32_t row, std::uint32_t column) const {
    check_bounds(row < L::rows && column < L::columns);
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(base())) + L::offset(row, column);
  }

  template <unsigned Bytes>
  __device__ std::uint32_t copy_address(std::uint32_t row, std::uint32_t column) const {
    static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16, "cp.async copies 4, 8 or 16 bytes");
    static_assert(aligned_for<L, Bytes>, "the layout tears copies of this size");
    return shared_address(row, column);
  }

  __device__ std::uint32_t row_address(std::uint32_t row, std::uint32_t column) const {
    static_assert(aligned_for<L, 16>, "the layout tears the 16-byte rows of ldmatrix and stmatrix");
    return shared_address(row, column);
  }

  template <unsigned Matrices, MatrixOrder Order = MatrixOrder::down_then_right>
  __device__ std::uint32_t matrix_address(std::uint32_t row, std::uint32_t column, std::uint32_t lane) const {
    const Coordinate place = matrix_row<Matrices, Order>(lane, 16 / sizeof(value_type));
    return row_address(row + place.row, column + place.column);
  }
#endif

 private:
  LANEBANK_HOST_DEVICE unsigned char* base() const { return static_cast<const Self*>(this)->base(); }
};

}  // namespace detail

/// A tile's memory itself, to be declared __shared__. No constructor runs; the contents are whatever was there.
template <class L>
struct SharedTile : detail::TileAccess<SharedTile<L>, L> {
  alignas(L::base_alignment) unsigned char storage[L::bytes];

  LANEBANK_HOST_DEVICE unsigned char* base() const { return const_cast<unsigned char*>(storage); }
};

/// A tile on memory that lives elsewhere. A pointer, cheap to copy.
template <class L>
class Tile : public detail::TileAccess<Tile<L>, L> {
 public:
  template <std::uint32_t Alignment>
  LANEBANK_HOST_DEVICE constexpr explicit Tile(AlignedBase<Alignment> base) : base_(base.pointer) {
    static_assert(
        Alignment % L::base_alignment == 0,
        "base not aligned: the layout needs its base at a multiple of its base_alignment (8 x mode bytes for a "
        "hardware swizzle, 16 for vectors)");
  }
  template <class Other>
  LANEBANK_HOST_DEVICE constexpr Tile(const SharedTile<Other>& tile) : base_(tile.base()) {
    static_assert(same_layout<Other, L>, "one memory, one layout");
  }
  template <class Other>
  LANEBANK_HOST_DEVICE constexpr Tile(const Tile<Other>& tile) : base_(tile.base()) {
    static_assert(same_layout<Other, L>, "one memory, one layout");
  }
  template <class T>
  LANEBANK_HOST_DEVICE constexpr explicit Tile(T*) {
    static_assert(
        detail::never<T>,
        "base of unknown alignment: say how the pointer is aligned, as Tile<Layout>(aligned_base<16>(pointer))");
  }

  LANEBANK_HOST_DEVICE constexpr unsigned char* base() const { return base_; }

 private:
  unsigned char* base_ = nullptr;
};

namespace detail {

/// Where tile `index` begins when tiles of these sizes follow one another; index = count: where the last one ends.
LANEBANK_HOST_DEVICE constexpr std::uint32_t plan_offset(const std::uint32_t* sizes, const std::uint32_t* alignments,
                                                         std::size_t count, std::size_t index) {
  std::uint32_t at = 0;
  for (std::size_t i = 0; i < count; ++i) {
    at = (at + alignments[i] - 1) / alignments[i] * alignments[i];
    if (i == index) return at;
    at += sizes[i];
  }
  return at;
}

template <class... Layouts>
struct PlanSizes {
  static constexpr std::uint32_t sizes[] = {Layouts::bytes...};
  static constexpr std::uint32_t alignments[] = {Layouts::base_alignment...};
  static constexpr std::uint32_t greatest_alignment() {
    std::uint32_t result = 1;
    ((result = Layouts::base_alignment > result ? Layouts::base_alignment : result), ...);
    return result;
  }
};

template <std::size_t Index, class First, class... Rest>
struct NthType : NthType<Index - 1, Rest...> {};
template <class First, class... Rest>
struct NthType<0, First, Rest...> {
  using Type = First;
};

}  // namespace detail

/// Tiles one after the other in one piece of shared memory, each aligned as its layout asks.
template <class... Layouts>
struct SharedPlan {
  static_assert(sizeof...(Layouts) > 0, "a plan has at least one tile");
  using Sizes = detail::PlanSizes<Layouts...>;

  /// Bytes of shared memory: the third argument of a launch.
  static constexpr std::uint32_t bytes =
      detail::plan_offset(Sizes::sizes, Sizes::alignments, sizeof...(Layouts), sizeof...(Layouts));
  /// What the memory must be aligned to.
  static constexpr std::uint32_t alignment = Sizes::greatest_alignment();
  /// Where tile Index begins, in bytes from the base.
  template <std::size_t Index>
  static constexpr std::uint32_t begin = detail::plan_offset(Sizes::sizes, Sizes::alignments, sizeof...(Layouts),
                                                             Index);

  template <std::size_t Index, std::uint32_t Alignment>
  LANEBANK_HOST_DEVICE static constexpr auto tile(AlignedBase<Alignment> base) {
    static_assert(Index < sizeof...(Layouts), "the plan has no such tile");
    static_assert(Alignment % alignment == 0,
                  "base not aligned: the plan needs its base at a multiple of its alignment");
    return Tile<typename detail::NthType<Index, Layouts...>::Type>(base.template plus<begin<Index>>());
  }
};

}  // namespace lanebank
