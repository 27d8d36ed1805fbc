// Proofs about a layout alone: every element has a place of its own, inside the tile's bytes, and vectors are not torn.
//
//   static_assert(lanebank::is_bijective<L>);       no two elements share a byte
//   static_assert(lanebank::in_bounds<L>);          offset + element_bytes <= L::bytes for all elements
//   static_assert(lanebank::aligned_for<L, 16>);    each 16-byte vector of a row (from a column that is a multiple of its
//                                                   elements) begins at a multiple of 16 and lies in one piece, in order
//   static_assert(lanebank::same_layout<A, B>);     A and B put every element at the same place
//
// By enumeration of the whole tile, in the compiler. A proof is true or does not compile: the message names the elements
// and their offsets as template arguments (evidence.hpp). Where a plain answer is wanted, say for `if constexpr`,
// namespace `holds` has the same names, true or false.
//
// Bank conflicts: proofs.hpp. What it does not do: sizes known only at run time.
// C++17, constexpr, no dependencies; evaluated by the compiler.
#pragma once

#include <cstdint>

#include "lanebank/constexpr_search.hpp"
#include "lanebank/evidence.hpp"

namespace lanebank {

/// Two elements, or two lanes' bytes, share a place. See evidence.hpp.
template <class First, class Second, class Offset, class Layout>
struct elements_share_a_place;
/// An element's bytes do not lie inside the tile's.
template <class Element, class Offset, class Layout>
struct element_beyond_the_tile;
/// A vector does not lie in one piece at a multiple of its size.
template <class Vector, class VectorBegin, class FirstElsewhere, class Offset, class Layout>
struct torn_vector;
/// Two layouts of one tile put an element at different places.
template <class Element, class OffsetWritten, class OffsetRead, class Written, class Read>
struct two_layouts_for_one_tile;

namespace detail {

template <class...>
inline constexpr bool never = false;

/// An element, or none.
struct Place {
  bool found = false;
  std::uint32_t row = 0, column = 0, offset = 0;
};
struct Clash {
  bool found = false;
  Place first, second;
};

/// Which elements' places are taken; a place is element_bytes wide.
template <std::uint32_t Places>
struct Taken {
  std::uint32_t words[(Places + 31) / 32] = {};
  Place beyond;      ///< first element outside
  Place misaligned;  ///< first element not at a multiple of its size
  Place repeated;    ///< first element whose place was taken
};

template <class L>
inline constexpr std::uint32_t element_count = L::rows* L::columns;

/// Marks elements [first, last) in row order.
template <class L, class State>
constexpr State mark(State state, std::uint32_t first, std::uint32_t last) {
  std::uint32_t row = first / L::columns, column = first % L::columns;
  for (std::uint32_t i = first; i < last; ++i) {
    const std::uint32_t offset = L::offset(row, column), place = offset / L::element_bytes;
    if (offset + L::element_bytes > L::bytes) {
      if (!state.beyond.found) state.beyond = Place{true, row, column, offset};
    } else if (offset % L::element_bytes != 0) {
      if (!state.misaligned.found) state.misaligned = Place{true, row, column, offset};
    } else if ((state.words[place / 32] >> place % 32 & 1) != 0) {
      if (!state.repeated.found) state.repeated = Place{true, row, column, offset};
    } else {
      state.words[place / 32] |= std::uint32_t{1} << place % 32;
    }
    if (++column == L::columns) column = 0, ++row;
  }
  return state;
}

template <class L, std::uint32_t Step>
constexpr auto marked();
/// The state after steps 0..Step.
template <class L, std::uint32_t Step>
inline constexpr auto marked_after = marked<L, Step>();

template <class L, std::uint32_t Step>
constexpr auto marked() {
  constexpr std::uint32_t first = Step * elements_per_step;
  constexpr std::uint32_t last =
      first + elements_per_step < element_count<L> ? first + elements_per_step : element_count<L>;
  if constexpr (Step == 0)
    return mark<L>(Taken<L::bytes / L::element_bytes + 1>{}, first, last);
  else
    return mark<L>(marked_after<L, Step - 1>, first, last);
}

template <class L>
inline constexpr auto all_marked = marked_after<L, (element_count<L> - 1) / elements_per_step>;

/// Finds the first element at an offset.
template <class L, std::uint32_t Offset>
struct FindElement {
  static constexpr Place find(std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t i = first; i < last; ++i)
      if (L::offset(i / L::columns, i % L::columns) == Offset)
        return Place{true, i / L::columns, i % L::columns, Offset};
    return Place{};
  }
};

/// Finds the first element that does not lie where its vector of Bytes should put it; `first` is the vector's begin,
/// `second` the element.
template <class L, unsigned Bytes>
struct FindTorn {
  static_assert(Bytes > 0 && (Bytes & (Bytes - 1)) == 0, "a vector is a power of two of bytes");
  static_assert(Bytes % L::element_bytes == 0, "a vector is a whole number of elements");
  static constexpr std::uint32_t elements = Bytes / L::element_bytes;

  static constexpr Clash find(std::uint32_t first, std::uint32_t last) {
    std::uint32_t row = first / L::columns, column = first % L::columns;
    Place vector{true, row, column / elements * elements, L::offset(row, column / elements * elements)};
    for (std::uint32_t i = first; i < last; ++i) {
      const std::uint32_t offset = L::offset(row, column), place = column % elements;
      if (place == 0) vector = Place{true, row, column, offset};
      if (offset != vector.offset + place * L::element_bytes || vector.offset % Bytes != 0)
        return Clash{true, vector, Place{true, row, column, offset}};
      if (++column == L::columns) column = 0, ++row;
    }
    return Clash{};
  }
};

/// Finds the first element that A and B put at different places.
template <class A, class B>
struct FindDifference {
  static_assert(A::rows == B::rows && A::columns == B::columns && A::element_bytes == B::element_bytes,
                "two layouts of one tile have the same rows, columns and element size");

  static constexpr Clash find(std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t i = first; i < last; ++i) {
      const std::uint32_t row = i / A::columns, column = i % A::columns;
      const std::uint32_t a = A::offset(row, column), b = B::offset(row, column);
      if (a != b) return Clash{true, Place{true, row, column, a}, Place{true, row, column, b}};
    }
    return Clash{};
  }
};

template <class L, unsigned Bytes>
constexpr Clash first_torn() {
  return first_found<FindTorn<L, Bytes>, element_count<L>>();
}

template <class A, class B>
constexpr Clash first_difference() {
  return first_found<FindDifference<A, B>, element_count<A>>();
}
}  // namespace detail

/// The proofs as plain answers.
namespace holds {

template <class L>
inline constexpr bool is_bijective =
    !lanebank::detail::all_marked<L>.repeated.found && !lanebank::detail::all_marked<L>.misaligned.found;
template <class L>
inline constexpr bool in_bounds = !lanebank::detail::all_marked<L>.beyond.found;
template <class L, unsigned Bytes>
inline constexpr bool aligned_for = !lanebank::detail::first_torn<L, Bytes>().found;
template <class A, class B>
inline constexpr bool same_layout = !lanebank::detail::first_difference<A, B>().found;
template <class A>
inline constexpr bool same_layout<A, A> = true;

}  // namespace holds

template <class First, class Second, class Offset, class Layout>
struct elements_share_a_place {
  static_assert(detail::never<Layout>,
                "not a bijection: two elements of the tile lie at the same byte offset; the arguments of "
                "elements_share_a_place name the elements and the offset");
  static constexpr bool value = true;
};
template <class Element, class Offset, class Layout>
struct element_beyond_the_tile {
  static_assert(detail::never<Layout>,
                "beyond the tile: an element does not lie inside the layout's bytes; the arguments of "
                "element_beyond_the_tile name the element and its offset");
  static constexpr bool value = true;
};
template <class Vector, class VectorBegin, class FirstElsewhere, class Offset, class Layout>
struct torn_vector {
  static_assert(
      detail::never<Layout>,
      "torn vector: the layout does not keep vectors of this many bytes together at a multiple of their size; the "
      "arguments of torn_vector name the vector's first element, the first one elsewhere and its offset");
  static constexpr bool value = true;
};
template <class Element, class OffsetWritten, class OffsetRead, class Written, class Read>
struct two_layouts_for_one_tile {
  static_assert(
      detail::never<Element>,
      "two layouts for one tile: what is written through one is read elsewhere through the other; the arguments of "
      "two_layouts_for_one_tile name the first such element, both offsets and both layouts");
  static constexpr bool value = true;
};

namespace detail {

using namespace evidence;

template <class L, bool Holds = holds::is_bijective<L>>
struct ProveBijective {
  static constexpr bool value = true;
};
template <class L>
struct SharedPlace {
  static constexpr bool repeated = all_marked<L>.repeated.found;
  static constexpr Place second = repeated ? all_marked<L>.repeated : all_marked<L>.misaligned;
  static constexpr Place first = repeated ? first_found<FindElement<L, second.offset>, element_count<L>>() : second;
  using Type = elements_share_a_place<element<first.row, first.column>, element<second.row, second.column>,
                                      byte_offset_is<second.offset>, L>;
};
template <class L>
struct ProveBijective<L, false> : SharedPlace<L>::Type {};

template <class L, bool Holds = holds::in_bounds<L>>
struct ProveInBounds {
  static constexpr bool value = true;
};
template <class L>
struct ProveInBounds<L, false> : element_beyond_the_tile<element<all_marked<L>.beyond.row, all_marked<L>.beyond.column>,
                                                         byte_offset_is<all_marked<L>.beyond.offset>, L> {};

template <class L, unsigned Bytes, bool Holds = holds::aligned_for<L, Bytes>>
struct ProveAligned {
  static constexpr bool value = true;
};
template <class L, unsigned Bytes>
struct TornPlace {
  static constexpr Clash clash = first_torn<L, Bytes>();
  using Type = torn_vector<bytes<Bytes>, element<clash.first.row, clash.first.column>,
                           element<clash.second.row, clash.second.column>, byte_offset_is<clash.second.offset>, L>;
};
template <class L, unsigned Bytes>
struct ProveAligned<L, Bytes, false> : TornPlace<L, Bytes>::Type {};

template <class A, class B, bool Holds = holds::same_layout<A, B>>
struct ProveSame {
  static constexpr bool value = true;
};
template <class A, class B>
struct DifferentPlace {
  static constexpr Clash clash = first_difference<A, B>();
  using Type = two_layouts_for_one_tile<element<clash.first.row, clash.first.column>,
                                        byte_offset_is<clash.first.offset>, byte_offset_is<clash.second.offset>, A, B>;
};
template <class A, class B>
struct ProveSame<A, B, false> : DifferentPlace<A, B>::Type {};

template <class L, class... Patterns>
struct ProvePatternsInBounds;  // proofs.hpp

template <class L, class... Patterns>
struct ProveAllInBounds {
  static constexpr bool value = ProveInBounds<L>::value && ProvePatternsInBounds<L, Patterns...>::value;
};
template <class L>
struct ProveAllInBounds<L> : ProveInBounds<L> {};

}  // namespace detail

/// No two elements share a byte.
template <class L>
inline constexpr bool is_bijective = detail::ProveBijective<L>::value;

/// All elements lie inside the layout's bytes; with patterns (proofs.hpp): so does all that they access.
template <class L, class... Patterns>
inline constexpr bool in_bounds = detail::ProveAllInBounds<L, Patterns...>::value;

/// Vectors of Bytes along the rows lie in one piece, at a multiple of Bytes from the base.
template <class L, unsigned Bytes>
inline constexpr bool aligned_for = detail::ProveAligned<L, Bytes>::value;

/// Both layouts put every element at the same place: what one writes, the other may read.
template <class A, class B>
inline constexpr bool same_layout = detail::ProveSame<A, B>::value;

}  // namespace lanebank
