// Layouts: where the elements of a 2-D tile lie in shared memory.
//
// A layout maps (row, column) of a tile to the BYTE OFFSET of that element's first byte from the tile's base. It is a
// type without state; everything about it is known to the compiler:
//
//   rows, columns, element_bytes   the tile
//   bytes                          the memory it takes: every offset + element_bytes <= bytes
//   base_alignment                 what the base must be a multiple of for all that the layout promises
//   contiguous_bytes               vectors of up to so many bytes, at a multiple of their size in the row, are not torn
//   offset(row, column)            row < rows and column < columns
//   value_type                     the element
//
//   Xor, rows of 4 words on 8 banks:   column   0 1 2 3            offset = row * pitch + (column ^ row) * 4
//                                      row 0    0 1 2 3   banks
//                                      row 1    5 4 7 6
//                                      row 2    2 3 0 1
//
// The types (E: element; pitch: distance of two rows; c, r: column, row):
//
//   RowMajor<E, Rows, Columns, PitchElements = Columns>            r * pitch + c * e;  bytes = Rows * pitch
//   Padded<E, Rows, Columns, PadElements>                          the same with pitch = Columns + PadElements
//   Diagonal<E, Rows, Columns, Step = 1, UnitElements = 1, PitchElements = Columns>
//                                                                  unit u becomes (u + Step * r) mod units in a row
//   Xor<E, Rows, Columns, UnitElements = 1, Bits = all, RowShift = 0, UnitShift = 0, PitchElements = Columns>
//                                                                  unit u becomes u ^ ((r >> RowShift) mod 2^Bits) << UnitShift
//   Swizzled<Inner, Map...>                                        maps of swizzle.hpp on Inner's byte offset, the first
//                                                                  one first: Map2(Map1(inner))
//   AnyPitch<E, Rows, Columns, UnitBytes = sizeof(E), PitchElements = Columns>
//                                                                  the swizzle of any pitch, no padding: see below
//   Linear<E, Rows, Columns, Row0, Row1, ...>                      F2Map<Row0, ...> on the dense row-major byte offset
//   HardwareTile<E, Rows, Columns, Mode>                           as TMA lays it down with the swizzle of Mode bytes: panels
//                                                                  of Mode bytes side by side, each Rows x Mode bytes
//   Shifted<Inner, Bytes>                                          Inner, begun so many bytes further on
//   Rounded<Inner, Bytes>                                          Inner, with its `bytes` rounded up to a multiple
//
// Padding with XOR is Swizzled<Padded<...>, Swizzle<...>> (XOR of the padded offset) or Xor with a pitch (XOR inside the
// row). Two XOR terms are Swizzled<Inner, SwizzleXor<A, B>>, both from the original offset; Swizzled<Inner, A, B> applies
// B to the result of A.
//
// AnyPitch, for a pitch of p units of 2^m bytes, p = 2^a * q with q odd, and 2^b = 128 / 2^m units in a row of the banks:
//
//   Swizzle<min(a, b), m, max(a, b)> on the flat byte offset
//
// Then 2^b consecutive rows at any column, and any 2^b units in a line from a multiple of 128 bytes, lie in different
// banks; nothing is padded. p need not be a power of two.
//
// Smallest example:
//
//   using Tile = lanebank::Xor<float, 32, 32>;
//   static_assert(Tile::offset(3, 5) == 3 * 128 + (5 ^ 3) * 4 && Tile::bytes == 4096);
//
// Units: bytes, but where a name says elements. Any type with the members above is a layout.
// Proofs about layouts: proofs.hpp. Tiles in shared memory that use them: tile.hpp.
// What it does not do: layouts whose size is known at run time only; more than two dimensions (take one tile per stage).
// C++17, constexpr, host and device code, no dependencies.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lanebank/constexpr_search.hpp"
#include "lanebank/host_device.hpp"
#include "lanebank/swizzle.hpp"

namespace lanebank {

/// The widest access of a lane, and what every tile's base is aligned to.
inline constexpr std::uint32_t vector_bytes = 16;

namespace detail {

LANEBANK_HOST_DEVICE constexpr std::uint32_t greatest(std::uint32_t a, std::uint32_t b) { return a > b ? a : b; }
LANEBANK_HOST_DEVICE constexpr std::uint32_t least(std::uint32_t a, std::uint32_t b) { return a < b ? a : b; }

/// The largest power of two that divides x, at most `vector_bytes`. A row that begins at a multiple of it holds whole
/// vectors of that many bytes.
LANEBANK_HOST_DEVICE constexpr std::uint32_t vector_divisor(std::uint32_t x) {
  return least(vector_bytes, std::uint32_t{1} << trailing_zeros(x));
}

/// What all 2-D tiles share.
template <class E, unsigned Rows, unsigned Columns>
struct Shape {
  static_assert(Rows > 0 && Columns > 0, "a tile has at least one row and one column");
  using value_type = E;
  static constexpr std::uint32_t rows = Rows, columns = Columns, element_bytes = sizeof(E);
  static constexpr std::uint32_t base_alignment = greatest(vector_bytes, alignof(E));
};

/// Rows x pitch, which offsets of 32 bits must reach.
template <unsigned Rows, unsigned PitchElements, std::size_t ElementBytes>
struct Span {
  static_assert(std::uint64_t{Rows} * PitchElements * ElementBytes < std::uint64_t{1} << 31,
                "a tile's bytes must fit into 31 bits");
  static constexpr std::uint32_t pitch_bytes = static_cast<std::uint32_t>(PitchElements * ElementBytes);
  static constexpr std::uint32_t bytes = Rows * pitch_bytes;
};

/// Bits of the largest power of two that divides the units of a row.
LANEBANK_HOST_DEVICE constexpr unsigned xor_bits(unsigned columns, unsigned unit_elements) {
  return unit_elements == 0 || columns < unit_elements ? 0
                                                       : static_cast<unsigned>(trailing_zeros(columns / unit_elements));
}

}  // namespace detail

/// Rows one after the other, PitchElements apart.
template <class E, unsigned Rows, unsigned Columns, unsigned PitchElements = Columns>
struct RowMajor : detail::Shape<E, Rows, Columns> {
  static_assert(PitchElements >= Columns, "rows overlap: the pitch must be at least the columns");
  static constexpr std::uint32_t pitch_bytes = detail::Span<Rows, PitchElements, sizeof(E)>::pitch_bytes;
  static constexpr std::uint32_t bytes = detail::Span<Rows, PitchElements, sizeof(E)>::bytes;
  static constexpr std::uint32_t contiguous_bytes = detail::vector_divisor(pitch_bytes);

  LANEBANK_HOST_DEVICE static constexpr std::uint32_t offset(std::uint32_t row, std::uint32_t column) {
    return row * pitch_bytes + column * static_cast<std::uint32_t>(sizeof(E));
  }
};

/// Rows one after the other with PadElements unused elements behind each.
template <class E, unsigned Rows, unsigned Columns, unsigned PadElements>
using Padded = RowMajor<E, Rows, Columns, Columns + PadElements>;

/// Each row rotated by Step units more than the row above.
template <class E, unsigned Rows, unsigned Columns, unsigned Step = 1, unsigned UnitElements = 1,
          unsigned PitchElements = Columns>
struct Diagonal : detail::Shape<E, Rows, Columns> {
  static_assert(UnitElements > 0 && Columns % UnitElements == 0, "a row must be a whole number of units");
  static_assert(PitchElements >= Columns, "rows overlap: the pitch must be at least the columns");
  static constexpr std::uint32_t pitch_bytes = detail::Span<Rows, PitchElements, sizeof(E)>::pitch_bytes;
  static constexpr std::uint32_t bytes = detail::Span<Rows, PitchElements, sizeof(E)>::bytes;
  static constexpr std::uint32_t contiguous_bytes =
      detail::least(detail::vector_divisor(pitch_bytes), detail::vector_divisor(UnitElements * sizeof(E)));

  LANEBANK_HOST_DEVICE static constexpr std::uint32_t offset(std::uint32_t row, std::uint32_t column) {
    return row * pitch_bytes + (column + row * (Step * UnitElements)) % Columns * static_cast<std::uint32_t>(sizeof(E));
  }
};

/// The unit of a row XORed with bits of the row's number. Stays inside the row.
template <class E, unsigned Rows, unsigned Columns, unsigned UnitElements = 1,
          unsigned Bits = detail::xor_bits(Columns, UnitElements), unsigned RowShift = 0, unsigned UnitShift = 0,
          unsigned PitchElements = Columns>
struct Xor : detail::Shape<E, Rows, Columns> {
  static_assert(detail::is_power_of_two(UnitElements), "an XOR moves units of a power of two of elements");
  static_assert(Columns % UnitElements == 0, "a row must be a whole number of units");
  static_assert(
      Bits + UnitShift <= detail::xor_bits(Columns, UnitElements),
      "XOR beyond the tile: the XORed unit would lie outside the row; the units of a row must be a multiple of "
      "2^(Bits + UnitShift)");
  static_assert(PitchElements >= Columns, "rows overlap: the pitch must be at least the columns");
  static constexpr std::uint32_t pitch_bytes = detail::Span<Rows, PitchElements, sizeof(E)>::pitch_bytes;
  static constexpr std::uint32_t bytes = detail::Span<Rows, PitchElements, sizeof(E)>::bytes;
  static constexpr std::uint32_t contiguous_bytes =
      Bits == 0 ? detail::vector_divisor(pitch_bytes)
                : detail::least(detail::vector_divisor(pitch_bytes),
                                detail::vector_divisor((std::uint32_t{UnitElements} << UnitShift) * sizeof(E)));

  LANEBANK_HOST_DEVICE static constexpr std::uint32_t offset(std::uint32_t row, std::uint32_t column) {
    constexpr int shift =
        static_cast<int>(UnitShift) + detail::trailing_zeros(UnitElements) - static_cast<int>(RowShift);
    // Of rows fewer than the XOR's there is nothing to mask.
    constexpr bool all_bits = RowShift == 0 && Rows <= std::uint64_t{1} << Bits;
    constexpr std::uint32_t mask =
        all_bits ? 0xffffffffu : ((std::uint32_t{1} << Bits) - 1) << (static_cast<int>(RowShift) + shift);
    std::uint32_t moved = column;
    if constexpr (shift >= 0)
      moved ^= row << shift & mask;
    else
      moved ^= row >> -shift & mask;
    return row * pitch_bytes + moved * static_cast<std::uint32_t>(sizeof(E));
  }
};

/// Inner, begun `Bytes` further on: the tile does not start at the base. Before a swizzle (Swizzled<Shifted<...>, Map>)
/// it is a tile at such an ADDRESS, as the hardware sees it; after one (Shifted<Swizzled<...>>) the swizzled OFFSETS move.
template <class Inner, std::uint32_t Bytes>
struct Shifted : detail::Shape<typename Inner::value_type, Inner::rows, Inner::columns> {
  static_assert(Bytes % Inner::element_bytes == 0, "a tile begins at a multiple of its element size");
  static constexpr std::uint32_t base_alignment = Inner::base_alignment;
  static constexpr std::uint32_t bytes = Inner::bytes + Bytes;
  static constexpr std::uint32_t contiguous_bytes =
      Bytes == 0 ? Inner::contiguous_bytes
                 : detail::least(Inner::contiguous_bytes, detail::vector_divisor(Bytes + (Bytes == 0)));

  LANEBANK_HOST_DEVICE static constexpr std::uint32_t offset(std::uint32_t row, std::uint32_t column) {
    return Inner::offset(row, column) + Bytes;
  }
};

/// Inner, with its memory rounded up to a multiple of `Bytes`: room for a swizzle of larger blocks.
template <class Inner, std::uint32_t Bytes>
struct Rounded : Inner {
  static_assert(Bytes > 0, "memory is rounded up to a multiple of at least one byte");
  static constexpr std::uint32_t bytes = (Inner::bytes + Bytes - 1) / Bytes * Bytes;
};

namespace detail {

/// Finds an element that the map puts past Inner's bytes.
template <class Inner, class Map>
struct FindOutside {
  struct Result {
    bool found = false;
  };
  static constexpr Result find(std::uint32_t first, std::uint32_t last) {
    std::uint32_t row = first / Inner::columns, column = first % Inner::columns;
    for (std::uint32_t i = first; i < last; ++i) {
      if (Map::apply(Inner::offset(row, column)) + Inner::element_bytes > Inner::bytes) return Result{true};
      if (++column == Inner::columns) column = 0, ++row;
    }
    return Result{};
  }
};

/// Does the map keep every element inside the first Inner::bytes bytes? Only a last, partial block can be left.
template <class Inner, class Map>
constexpr bool stays_inside() {
  if constexpr (Inner::bytes % Map::block_bytes == 0)
    return true;
  else
    return !first_found<FindOutside<Inner, Map>, Inner::rows * Inner::columns>().found;
}

/// One map on the offsets of Inner.
template <class Inner, class Map>
struct OneMap : Shape<typename Inner::value_type, Inner::rows, Inner::columns> {
  static_assert(
      Map::is_identity || Map::contiguous_bytes % Inner::element_bytes == 0,
      "the swizzle tears elements: it must keep runs of at least an element's bytes together (parameters are in "
      "bytes; for those of element indices use ElementSwizzle or SwizzleSbm)");
  static constexpr std::uint32_t base_alignment = greatest(Inner::base_alignment, Map::base_alignment);
  static constexpr std::uint32_t bytes = Inner::bytes;
  static constexpr std::uint32_t contiguous_bytes =
      Map::is_identity ? Inner::contiguous_bytes : least(Inner::contiguous_bytes, Map::contiguous_bytes);
  static_assert(
      stays_inside<Inner, Map>(),
      "XOR beyond the tile: the swizzle moves elements past the tile's bytes; make the bytes a multiple of the "
      "map's block_bytes (Rounded<Layout, block_bytes>) or take fewer bits");

  LANEBANK_HOST_DEVICE static constexpr std::uint32_t offset(std::uint32_t row, std::uint32_t column) {
    return Map::apply(Inner::offset(row, column));
  }
};

template <class Inner, class... Maps>
struct MapChain {
  using Layout = Inner;
};
template <class Inner, class Map, class... Rest>
struct MapChain<Inner, Map, Rest...> : MapChain<OneMap<Inner, Map>, Rest...> {};

/// The swizzle of a pitch; the page above.
template <class E, unsigned UnitBytes, unsigned PitchElements>
struct PitchSwizzle {
  static_assert(is_power_of_two(UnitBytes) && UnitBytes % sizeof(E) == 0 && UnitBytes <= 128,
                "a unit is a power of two of bytes, from an element to 128");
  static_assert(PitchElements * sizeof(E) % UnitBytes == 0, "a row must be a whole number of units");
  static constexpr int a = trailing_zeros(PitchElements * sizeof(E) / UnitBytes);
  static constexpr int b = trailing_zeros(128 / UnitBytes);
  using Map = Swizzle < a < b ? a : b, trailing_zeros(UnitBytes), a<b ? b : a>;
};

/// The rows and the mode's swizzle of one panel of a hardware tile, and where its panels lie.
template <class E, unsigned Rows, unsigned Columns, unsigned Mode>
struct PanelRows : Shape<E, Rows, Columns> {
  static_assert(Mode % sizeof(E) == 0 && Columns * sizeof(E) % Mode == 0,
                "a tile with a hardware swizzle is one or more panels with rows of exactly Mode bytes");
  static constexpr std::uint32_t panel_columns = Mode / sizeof(E);
  static constexpr std::uint32_t panel_bytes = Rows * Mode;
  static constexpr std::uint32_t bytes = Columns / panel_columns * panel_bytes;
  static constexpr std::uint32_t contiguous_bytes = vector_bytes;

  LANEBANK_HOST_DEVICE static constexpr std::uint32_t offset(std::uint32_t row, std::uint32_t column) {
    const std::uint32_t size = sizeof(E);
    if constexpr (Columns == panel_columns)
      return row * Mode + column * size;
    else
      return column / panel_columns * panel_bytes + row * Mode + column % panel_columns * size;
  }
};

}  // namespace detail

/// Maps on the byte offsets of Inner, the first one first.
template <class Inner, class... Maps>
struct Swizzled : detail::MapChain<Inner, Maps...>::Layout {};

/// Any pitch without padding; the page above.
template <class E, unsigned Rows, unsigned Columns, unsigned UnitBytes = sizeof(E), unsigned PitchElements = Columns>
struct AnyPitch : Swizzled<RowMajor<E, Rows, Columns, PitchElements>,
                           typename detail::PitchSwizzle<E, UnitBytes, PitchElements>::Map> {
  using Map = typename detail::PitchSwizzle<E, UnitBytes, PitchElements>::Map;
};

/// A linear map over F2 on the dense row-major byte offset; MatrixRows as F2Map's.
template <class E, unsigned Rows, unsigned Columns, std::uint32_t... MatrixRows>
struct Linear : Swizzled<RowMajor<E, Rows, Columns>, F2Map<MatrixRows...>> {};

/// A tile as TMA lays it down with a swizzle of Mode bytes and wgmma reads it: panels of Mode bytes of columns, each a
/// box of its own. The base must be a multiple of 8 x Mode bytes, and so must a panel be, where there are several.
template <class E, unsigned Rows, unsigned Columns, unsigned Mode>
struct HardwareTile : Swizzled<detail::PanelRows<E, Rows, Columns, Mode>, HardwareSwizzle<Mode>> {
  static constexpr std::uint32_t panel_columns = Mode / sizeof(E);
  static constexpr std::uint32_t panel_bytes = Rows * Mode;
  static_assert(
      panel_bytes % HardwareSwizzle<Mode>::base_alignment == 0 || Columns == panel_columns,
      "base not aligned for a hardware swizzle: each panel begins at a multiple of 8 x Mode bytes only when the "
      "rows are a multiple of 8");
};

}  // namespace lanebank
