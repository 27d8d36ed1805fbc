// Swizzles: bijections of byte offsets that XOR some address bits into others, with the unit in the type.
//
// Swizzle<Bits, Base, Shift>, CuTe's convention, on BYTE offsets. `Bits` bits starting at bit Base + Shift (Y) are XORed
// into the bits starting at Base (Z); the low Base bits and everything else stay:
//
//   offset   0bxxxx YYY xxxx ZZZ xxxx        Swizzle<3, 4, 7>: Bits = 3, Base = 4, Shift = 7
//                   ^-------->^              Z becomes Z ^ Y: runs of 1 << Base bytes are kept together and move
//                     Shift     ^--^ Base
//
//   Swizzle<B, M, S>(x) = x ^ ((x & ((2^B - 1) << (M + S))) >> S)        S < 0: Y lies below Z, and is shifted left
//
// The same map is written in other units. The bits are then counted from another place, so that Swizzle<3, 3, 3> of a
// tensor of halves is Swizzle<3, 4, 3> in bytes. Here each form says its unit, and a number without unit does not compile:
//
//   Swizzle<Bits, Base, Shift>              byte offsets                              takes ByteOffset
//   ElementSwizzle<T, Bits, Base, Shift>    indices of T, CuTe's order                takes ElementIndex<T>
//   SwizzleSbm<T, S, B, M>                  indices of T, as articles write it        takes ElementIndex<T>
//   swizzle_sbm<S, B, M>(index)             the articles' function: ((i >> S) & ((2^B - 1) << M)) ^ i
//                                           = CuTe's <B, M, S> in the same unit
//   ...::Bytes                              the same map on byte offsets, a Swizzle<>
//   SwizzleXor<Term...>                     several terms at once, each from the ORIGINAL offset:
//                                           x ^ (Term1(x) ^ x) ^ (Term2(x) ^ x) ^ ...
//   F2Map<Row0, Row1, ...>                  any invertible linear map: bit i of the result = parity(Row_i & x); bits
//                                           above the last row stay
//   HardwareSwizzle<32 | 64 | 128>          what TMA and wgmma do to ADDRESS bits; Swizzle<1|2|3, 4, 3>
//
// Smallest example:
//
//   static_assert(lanebank::Swizzle<3, 4, 3>::apply(0x80) == 0x90);
//   static_assert(lanebank::swizzle_sbm<3, 1, 3>(lanebank::ElementIndex<short>{64}).value == 72);
//
// Every map has: apply(bytes), Bytes, is_identity, and
//   contiguous_bytes  aligned runs of so many bytes are moved as a whole: wider vectors are torn
//   block_bytes       aligned blocks of so many bytes are mapped onto themselves: a tile of whole blocks is not left
//   period_bytes      2^(highest bit that plays a part + 1): the map of `base + x` is `base` + the map of x exactly
//                     for bases that are multiples of it
//
// Absolute against offset XOR. The hardware XORs bits of the shared-memory ADDRESS; code XORs bits of the OFFSET from
// the tile's base. They agree when the base is a multiple of period_bytes: 256, 512, 1024 for the modes 32, 64, 128.
// `Absolute<Map>` demands that of the base (base_alignment); HardwareSwizzle demands it always.
//
// What it does not do: it knows no tile; layout.hpp applies maps to the offsets of one.
// C++17, constexpr, host and device code, no dependencies.
#pragma once

#include <cstdint>
#include <type_traits>

#include "lanebank/f2.hpp"
#include "lanebank/host_device.hpp"

namespace lanebank {

/// A distance in bytes from the base of a tile.
struct ByteOffset {
  std::uint32_t value = 0;
};

/// A number of elements of type T from the base of a tile.
template <class T>
struct ElementIndex {
  std::uint32_t value = 0;
};

/// The byte offset of an element.
template <class T>
LANEBANK_HOST_DEVICE constexpr ByteOffset byte_offset(ElementIndex<T> index) {
  return ByteOffset{index.value * static_cast<std::uint32_t>(sizeof(T))};
}

namespace detail {

template <class...>
inline constexpr bool always_false = false;

template <class T>
inline constexpr bool is_element_index = false;
template <class T>
inline constexpr bool is_element_index<ElementIndex<T>> = true;

LANEBANK_HOST_DEVICE constexpr bool is_power_of_two(std::uint32_t x) { return x != 0 && (x & (x - 1)) == 0; }

/// log2 of the largest power of two that divides x; x != 0.
LANEBANK_HOST_DEVICE constexpr int trailing_zeros(std::uint32_t x) {
  int count = 0;
  while ((x >> count & 1) == 0) ++count;
  return count;
}

/// Where a <Bits, Base, Shift> reads and writes, in whatever unit.
template <int Bits, int Base, int Shift>
struct SwizzleBits {
  static_assert(Bits >= 0 && Base >= 0, "a swizzle's Bits and Base are numbers of bits, so not negative");
  static_assert(Bits == 0 || (Shift >= 0 ? Shift : -Shift) >= Bits,
                "a swizzle's shift must be at least its Bits: else some bits are source and target at once");
  static_assert(Base + Bits + (Shift >= 0 ? Shift : -Shift) <= 31, "a swizzle's bits must lie inside 31 address bits");
  static constexpr int source_bit = Shift >= 0 ? Base + Shift : Base;
  static constexpr int target_bit = Shift >= 0 ? Base : Base - Shift;
  static constexpr std::uint32_t target_mask = ((std::uint32_t{1} << Bits) - 1) << target_bit;
  static constexpr int top_bit = (source_bit > target_bit ? source_bit : target_bit) + Bits;

  LANEBANK_HOST_DEVICE static constexpr std::uint32_t apply(std::uint32_t x) {
    if constexpr (Bits == 0)
      return x;
    else if constexpr (Shift >= 0)
      return x ^ (x >> Shift & target_mask);
    else
      return x ^ (x << -Shift & target_mask);
  }
};

}  // namespace detail

/// CuTe's swizzle on byte offsets; the page above. Its own inverse.
template <int Bits, int Base, int Shift>
struct Swizzle {
  using Fields = detail::SwizzleBits<Bits, Base, Shift>;
  using Bytes = Swizzle;
  static constexpr int bits = Bits, base = Base, shift = Shift;
  static constexpr bool is_identity = Bits == 0;
  static constexpr std::uint32_t contiguous_bytes = std::uint32_t{1} << Base;
  static constexpr std::uint32_t block_bytes = is_identity ? 1 : std::uint32_t{1} << (Fields::target_bit + Bits);
  static constexpr std::uint32_t period_bytes = is_identity ? 1 : std::uint32_t{1} << Fields::top_bit;
  static constexpr std::uint32_t base_alignment = 1;

  /// On a byte offset, where the unit is known from the context.
  LANEBANK_HOST_DEVICE static constexpr std::uint32_t apply(std::uint32_t offset_bytes) {
    return Fields::apply(offset_bytes);
  }
  LANEBANK_HOST_DEVICE constexpr ByteOffset operator()(ByteOffset offset) const {
    return ByteOffset{apply(offset.value)};
  }
  template <class Other>
  constexpr ByteOffset operator()(Other) const {
    static_assert(
        detail::always_false<Other>,
        "Swizzle<Bits, Base, Shift> takes a ByteOffset: for indices of elements use ElementSwizzle or SwizzleSbm");
    return ByteOffset{};
  }
};

/// CuTe's swizzle on indices of elements: of T a power of two bytes.
template <class T, int Bits, int Base, int Shift>
struct ElementSwizzle {
  static_assert(detail::is_power_of_two(sizeof(T)),
                "a swizzle of element indices is one of bytes only for elements of 1, 2, 4, 8 or 16 bytes");
  using Bytes = Swizzle<Bits, Base + detail::trailing_zeros(sizeof(T)), Shift>;
  static constexpr bool is_identity = Bytes::is_identity;
  static constexpr std::uint32_t contiguous_bytes = Bytes::contiguous_bytes;
  static constexpr std::uint32_t block_bytes = Bytes::block_bytes;
  static constexpr std::uint32_t period_bytes = Bytes::period_bytes;
  static constexpr std::uint32_t base_alignment = 1;

  /// On a byte offset: layouts call it so.
  LANEBANK_HOST_DEVICE static constexpr std::uint32_t apply(std::uint32_t offset_bytes) {
    return Bytes::apply(offset_bytes);
  }
  LANEBANK_HOST_DEVICE constexpr ElementIndex<T> operator()(ElementIndex<T> index) const {
    return ElementIndex<T>{detail::SwizzleBits<Bits, Base, Shift>::apply(index.value)};
  }
  template <class Other>
  constexpr ElementIndex<T> operator()(Other) const {
    static_assert(detail::always_false<Other>,
                  "a swizzle of element indices takes the ElementIndex of its own element type: for bytes use ::Bytes");
    return ElementIndex<T>{};
  }
};

/// The articles' order of parameters, on indices of T.
template <class T, int S, int B, int M>
using SwizzleSbm = ElementSwizzle<T, B, M, S>;

/// swizzle<S, B, M> as articles write it: ((i >> S) & ((2^B - 1) << M)) ^ i, on an ElementIndex.
template <int S, int B, int M, class Index>
LANEBANK_HOST_DEVICE constexpr Index swizzle_sbm(Index index) {
  static_assert(detail::is_element_index<Index>,
                "swizzle_sbm<S, B, M> takes an ElementIndex: for byte offsets use Swizzle<Bits, Base, Shift>");
  if constexpr (detail::is_element_index<Index>) {
    return Index{detail::SwizzleBits<B, M, S>::apply(index.value)};
  } else {
    return index;
  }
}

namespace detail {

/// Calls Map::apply; a function object for f2_matrix.
template <class Map>
struct Apply {
  LANEBANK_HOST_DEVICE constexpr std::uint32_t operator()(std::uint32_t x) const { return Map::apply(x); }
};

/// What a list of maps has together.
template <class... Maps>
struct MapList {
  LANEBANK_HOST_DEVICE static constexpr std::uint32_t contiguous_bytes() {
    std::uint32_t result = 0x80000000u;
    ((result = !Maps::is_identity && Maps::contiguous_bytes < result ? Maps::contiguous_bytes : result), ...);
    return result;
  }
  LANEBANK_HOST_DEVICE static constexpr std::uint32_t block_bytes() {
    std::uint32_t result = 1;
    ((result = Maps::block_bytes > result ? Maps::block_bytes : result), ...);
    return result;
  }
  LANEBANK_HOST_DEVICE static constexpr std::uint32_t period_bytes() {
    std::uint32_t result = 1;
    ((result = Maps::period_bytes > result ? Maps::period_bytes : result), ...);
    return result;
  }
  LANEBANK_HOST_DEVICE static constexpr std::uint32_t base_alignment() {
    std::uint32_t result = 1;
    ((result = Maps::base_alignment > result ? Maps::base_alignment : result), ...);
    return result;
  }
};

/// x with the change of every term.
template <class... Terms>
struct XorTerms {
  LANEBANK_HOST_DEVICE static constexpr std::uint32_t apply(std::uint32_t x) {
    return x ^ ((Terms::apply(x) ^ x) ^ ...);
  }
};

/// The number of low bits that are themselves and play no other part.
LANEBANK_HOST_DEVICE constexpr int kept_bits(const F2Matrix& matrix) {
  for (unsigned j = 0; j < matrix.size; ++j)
    for (unsigned i = 0; i < matrix.size; ++i)
      if ((matrix.rows[i] >> j & 1) != (i == j ? 1 : 0) || (i == j && matrix.rows[i] != std::uint32_t{1} << i))
        return static_cast<int>(j);
  return static_cast<int>(matrix.size);
}

/// One above the highest bit that is not itself.
LANEBANK_HOST_DEVICE constexpr int changed_bits(const F2Matrix& matrix) {
  unsigned top = matrix.size;
  while (top > 0 && matrix.rows[top - 1] == std::uint32_t{1} << (top - 1)) --top;
  return static_cast<int>(top);
}

/// One above the highest bit that is not itself or plays a part in another.
LANEBANK_HOST_DEVICE constexpr int used_bits(const F2Matrix& matrix) {
  unsigned top = static_cast<unsigned>(changed_bits(matrix));
  for (unsigned i = 0; i < matrix.size; ++i)
    for (unsigned j = top; j < matrix.size; ++j)
      if (i != j && (matrix.rows[i] >> j & 1) != 0) top = j + 1;
  return static_cast<int>(top);
}

/// The bits of x that row i of the matrix takes from bit i + Distance, for all i: one diagonal of the matrix.
template <int Distance, std::uint32_t... Rows>
LANEBANK_HOST_DEVICE constexpr std::uint32_t diagonal_mask() {
  std::uint32_t mask = 0;
  int i = 0;
  ((mask |= (i + Distance >= 0 && i + Distance < 32 ? (Rows >> ((i + Distance) & 31) & 1) : 0) << i, ++i), ...);
  return mask;
}

template <int Distance, std::uint32_t... Rows>
LANEBANK_HOST_DEVICE constexpr std::uint32_t diagonal_term(std::uint32_t x) {
  constexpr std::uint32_t mask = diagonal_mask<Distance, Rows...>();
  if constexpr (mask == 0)
    return 0;
  else if constexpr (Distance >= 0)
    return x >> Distance & mask;
  else
    return x << -Distance & mask;
}

template <std::uint32_t... Rows, int... Index>
LANEBANK_HOST_DEVICE constexpr std::uint32_t f2_apply(std::uint32_t x, std::integer_sequence<int, Index...>) {
  constexpr int size = sizeof...(Rows);
  constexpr std::uint32_t above = size == 32 ? 0 : ~((std::uint64_t{1} << size) - 1) & 0xffffffffu;
  return (x & above) ^ (diagonal_term<Index - (size - 1), Rows...>(x) ^ ...);
}

}  // namespace detail

/// Several swizzles at once, each computed from the original offset. The terms are maps of bytes.
template <class... Terms>
struct SwizzleXor {
  static_assert(sizeof...(Terms) > 0, "a SwizzleXor needs a term");
  using Bytes = SwizzleXor;
  static constexpr bool is_identity = (Terms::is_identity && ...);
  static constexpr std::uint32_t contiguous_bytes = detail::MapList<Terms...>::contiguous_bytes();
  static constexpr std::uint32_t block_bytes = detail::MapList<Terms...>::block_bytes();
  static constexpr std::uint32_t period_bytes = detail::MapList<Terms...>::period_bytes();
  static constexpr std::uint32_t base_alignment = detail::MapList<Terms...>::base_alignment();
  static_assert(f2_matrix(31, detail::Apply<detail::XorTerms<Terms...>>{}).rank() == 31,
                "the terms of a SwizzleXor must together be invertible: with these, two offsets share an address");

  LANEBANK_HOST_DEVICE static constexpr std::uint32_t apply(std::uint32_t offset_bytes) {
    return detail::XorTerms<Terms...>::apply(offset_bytes);
  }
  LANEBANK_HOST_DEVICE constexpr ByteOffset operator()(ByteOffset offset) const {
    return ByteOffset{apply(offset.value)};
  }
};

/// Any invertible linear map of the low bits of a byte offset: bit i of the result = parity(Row_i & offset). The first
/// row is that of bit 0. In device code each diagonal of the matrix with a 1 in it costs a shift and a logical operation.
template <std::uint32_t... Rows>
struct F2Map {
  static_assert(sizeof...(Rows) > 0 && sizeof...(Rows) <= 31, "an F2Map has 1 to 31 rows, one per address bit");
  static_assert(((Rows >> sizeof...(Rows) == 0) && ...), "a row of an F2Map selects a bit that the map does not have");
  using Bytes = F2Map;

  static constexpr F2Matrix matrix_value{sizeof...(Rows), {Rows...}};
  LANEBANK_HOST_DEVICE static constexpr F2Matrix matrix() { return F2Matrix{sizeof...(Rows), {Rows...}}; }
  static_assert(F2Matrix{sizeof...(Rows), {Rows...}}.rank() == sizeof...(Rows),
                "an F2Map must be invertible: the rows given depend on one another, so two offsets share an address");

  static constexpr bool is_identity = detail::changed_bits(matrix_value) == 0;
  static constexpr std::uint32_t contiguous_bytes = std::uint32_t{1} << detail::kept_bits(matrix_value);
  static constexpr std::uint32_t block_bytes = std::uint32_t{1} << detail::changed_bits(matrix_value);
  static constexpr std::uint32_t period_bytes = std::uint32_t{1} << detail::used_bits(matrix_value);
  static constexpr std::uint32_t base_alignment = 1;

  LANEBANK_HOST_DEVICE static constexpr std::uint32_t apply(std::uint32_t offset_bytes) {
    return detail::f2_apply<Rows...>(offset_bytes, std::make_integer_sequence<int, 2 * sizeof...(Rows) - 1>{});
  }
  LANEBANK_HOST_DEVICE constexpr ByteOffset operator()(ByteOffset offset) const {
    return ByteOffset{apply(offset.value)};
  }
};

/// The map computed on addresses: as the map, for tiles whose base is a multiple of its period.
template <class Map>
struct Absolute : Map {
  using Bytes = Absolute;
  static constexpr std::uint32_t base_alignment = Map::Bytes::period_bytes;
};

/// What TMA and wgmma do to the addresses of a tile with rows of `Mode` bytes: the 16-byte chunk of a 128-byte line is
/// XORed with bits 7.. of the address. An XOR of address bits: the base must be a multiple of 8 x Mode bytes.
template <unsigned Mode>
struct HardwareSwizzle : Absolute<Swizzle<Mode == 128  ? 3
                                          : Mode == 64 ? 2
                                                       : 1,
                                          4, 3>> {
  static_assert(Mode == 32 || Mode == 64 || Mode == 128, "the hardware's swizzles are those of 32, 64 and 128 bytes");
  using Bytes = HardwareSwizzle;
  static constexpr unsigned mode_bytes = Mode;
};

}  // namespace lanebank
