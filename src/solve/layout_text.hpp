// Layouts in one word, as options take them and reports name them.
//
//   row-major                    as it is
//   swizzle<5,2,5>               Bits, Base, Shift on byte offsets from the array's start (CuTe's order)
//   swizzle<1,4,5>^swizzle<2,5,2>   two terms, both from the original offset
//   pad+1                        1 more element behind each row
//   pad+1@32                     rows of 32 elements
//   pad+4B@32                    4 bytes
//   pad+1@32,swizzle<3,4,3>      padded rows, then the swizzle
//   diagonal+1@32                column (column + 1 * row) mod 32
//   xor<1,0,5>@32                column ^ ((row >> 0) & (2^5 - 1)) * 1
//
// Rows are those of the tile unless the word names their length.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "solve/layout.hpp"

namespace lanebank::solve {

struct LayoutText {
  enum class Kind : std::uint8_t { row_major, padding, swizzle, diagonal, xor_row };
  Kind kind = Kind::row_major;
  std::uint32_t row_elements = 0;  ///< 0: not named
  std::uint32_t pad = 0;           ///< padding
  bool pad_in_bytes = false;
  std::vector<Swizzle> terms;  ///< swizzle: one or two; padding: at most one
  std::uint32_t step_elements = 0;
  RowXor row_xor;

  /// Does the layout speak of rows, so that their length must be known?
  bool needs_rows() const { return kind != Kind::row_major && kind != Kind::swizzle; }
};

/// Errors "layout.text": with the place in the text.
Result<LayoutText> read_layout_text(std::string_view text);

/// The layout of an array of `size_bytes` whose rows are `row_elements` long (any number where the text needs none or names its
/// own). Errors "layout.rows": the array is not whole rows, "layout.leaves": bytes would leave the array, "layout.range".
Result<Layout> layout_from(const LayoutText& text, std::uint32_t size_bytes, std::uint32_t element_bytes,
                           std::uint32_t row_elements);

/// The word that `read_layout_text` reads back, with the length of rows where it has any; empty for layouts that have none (linear
/// maps, panels).
std::string layout_text(const Layout& layout);

}  // namespace lanebank::solve
