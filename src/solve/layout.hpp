// A layout of a 2-D tile as a value: every family, evaluated at run time.
//
//   offset(row, column) = byte offset of the element's first byte from the tile's base
//
// The base is aligned to `alignment_bytes()`. In terms of the flat offset  f = row x pitch + column x element_bytes:
//
//   family        offset
//   identity      f with pitch = columns x element_bytes
//   padding       f with a longer pitch; with panels also: columns are cut into panels of `panel_columns`, each stored as
//                 a tile of its own, panel_stride_bytes apart
//   diagonal      f of (row, (column + step x row) mod columns)
//   xor           f of (row, column ^ unit x (row >> row_shift & (2^bits - 1))): stays inside the row
//   swizzle       s(f), one Swizzle
//   any-pitch     s(f), s = Swizzle<min(a,b), m, max(a,b)> for a pitch of 2^a x odd units of 2^m bytes, 128 = 2^(b+m)
//   xor2          f ^ d1(f) ^ d2(f): both terms are computed from the original f
//   padding+xor   s(f) with a longer pitch
//   linear        bit i of the offset = parity(f & matrix[i])
//   hardware      the swizzles of TMA and wgmma: panels as wide as the mode, then s = Swizzle<log2(mode / 16), 4, 3>
//
// Smallest example:
//   const auto tile = Layout::swizzled({64, 96, 2}, {2, 4, 3});
//   tile.offset(1, 0) == (192 ^ 16), notation(tile).cuda ...        (notation.hpp)
//
// Units: bytes, unless a name says otherwise. Rows and columns count elements.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace lanebank::solve {

/// In the order of rising index cost. `hardware` is a candidate only where an engine fixes the layout.
enum class Family : std::uint8_t {
  identity,
  padding,
  diagonal,
  xor_row,
  swizzle,
  any_pitch,
  xor2,
  padding_xor,
  linear,
  hardware,
};
inline constexpr unsigned family_count = 10;

/// "identity", "padding", "diagonal", "xor", "swizzle", "any-pitch", "xor2", "padding+xor", "linear", "hardware".
std::string_view name_of(Family family);
std::optional<Family> family_named(std::string_view name);

struct Tile {
  std::uint32_t rows = 0, columns = 0, element_bytes = 0;
  std::uint32_t row_bytes() const { return columns * element_bytes; }
  std::uint32_t size_bytes() const { return rows * row_bytes(); }
  bool operator==(const Tile&) const = default;
};

/// CuTe's order, on byte offsets: XORs the `bits` bits from base + shift on into those from base on. A negative shift
/// takes them from below.
struct Swizzle {
  unsigned bits = 0, base = 0;
  int shift = 0;

  /// The bits that are read.
  constexpr std::uint32_t source_mask() const {
    const std::uint32_t ones = (std::uint32_t{1} << bits) - 1;
    return shift >= 0 ? ones << (base + static_cast<unsigned>(shift)) : ones << base;
  }
  /// What is XORed into `offset`.
  constexpr std::uint32_t term(std::uint32_t offset) const {
    const std::uint32_t source = offset & source_mask();
    return shift >= 0 ? source >> shift : source << -shift;
  }
  constexpr std::uint32_t operator()(std::uint32_t offset) const { return offset ^ term(offset); }
  bool operator==(const Swizzle&) const = default;
};

/// The family xor: columns in units of `unit_elements`; the low `bits` bits of row >> row_shift are XORed in.
struct RowXor {
  std::uint32_t unit_elements = 1;
  unsigned row_shift = 0, bits = 0;
  bool operator==(const RowXor&) const = default;
};

/// Bit i of the result is parity(offset & matrix[i]); bits from matrix.size() on stay.
std::uint32_t transformed(const std::vector<std::uint32_t>& matrix, std::uint32_t offset);

class Layout {
 public:
  static Layout row_major(const Tile& tile);
  static Layout padded(const Tile& tile, std::uint32_t pad_bytes);
  /// Panels of `panel_columns` (divides columns), rows of a panel padded by `row_pad_bytes`, panels by `panel_pad_bytes`.
  static Layout panels(const Tile& tile, std::uint32_t panel_columns, std::uint32_t row_pad_bytes,
                       std::uint32_t panel_pad_bytes);
  static Layout diagonal(const Tile& tile, std::uint32_t step_elements);
  static Layout row_xor(const Tile& tile, const RowXor& how);
  static Layout swizzled(const Tile& tile, const Swizzle& swizzle);
  /// `unit_bytes`: 4, 8 or 16, dividing the pitch.
  static Layout any_pitch(const Tile& tile, std::uint32_t unit_bytes);
  static Layout two_term(const Tile& tile, const Swizzle& first, const Swizzle& second);
  static Layout padded_swizzled(const Tile& tile, std::uint32_t pad_bytes, const Swizzle& swizzle);
  static Layout linear(const Tile& tile, std::vector<std::uint32_t> matrix);
  /// `mode_bytes`: 32, 64 or 128, dividing the pitch or equal to it.
  static Layout hardware(const Tile& tile, std::uint32_t mode_bytes);

  std::uint32_t offset(std::uint32_t row, std::uint32_t column) const;

  /// What a declaration takes: whole rows with their padding, and at least the largest offset + element_bytes.
  std::uint32_t bytes() const;
  /// What the base must be a multiple of for the figures to hold.
  std::uint32_t alignment_bytes() const;
  /// Estimated integer instructions per index beyond row x pitch + column: 0 for identity and padding, 2 per XOR term.
  unsigned index_instructions() const;

  Family family() const { return family_; }
  const Tile& tile() const { return tile_; }
  std::uint32_t pitch_bytes() const { return pitch_bytes_; }
  /// Bytes between a row's end and the next row.
  std::uint32_t pad_bytes() const { return pitch_bytes_ - panel_columns_ * tile_.element_bytes; }
  std::uint32_t panel_columns() const { return panel_columns_; }
  std::uint32_t panel_count() const { return tile_.columns / panel_columns_; }
  std::uint32_t panel_stride_bytes() const { return panel_stride_bytes_; }
  std::uint32_t step_elements() const { return step_elements_; }
  const RowXor& row_xor() const { return row_xor_; }
  /// The XOR terms: one of swizzle, any-pitch, padding+xor and hardware, two of xor2.
  const std::vector<Swizzle>& terms() const { return terms_; }
  const std::vector<std::uint32_t>& matrix() const { return matrix_; }
  std::uint32_t mode_bytes() const { return mode_bytes_; }

  bool operator==(const Layout&) const = default;

 private:
  Layout(Family family, const Tile& tile);

  Family family_;
  Tile tile_;
  std::uint32_t pitch_bytes_ = 0, panel_columns_ = 0, panel_stride_bytes_ = 0;
  std::uint32_t step_elements_ = 0, mode_bytes_ = 0;
  RowXor row_xor_;
  std::vector<Swizzle> terms_;
  std::vector<std::uint32_t> matrix_;
};

}  // namespace lanebank::solve
