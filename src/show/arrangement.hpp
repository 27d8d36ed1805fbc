// Where a layout puts the elements of an array, as a table; plain, padded or swizzled in one or more stages.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "picture/picture.hpp"
#include "solve/notation.hpp"

namespace lanebank::show {

struct Arrangement {
  std::string text;                  ///< "as written", "Swizzle<3,4,3> on byte offsets", ...
  picture::Tile tile;                ///< offsets of the elements
  std::uint32_t bytes = 0;           ///< up to the end of the last element
  std::optional<std::string> fault;  ///< not a layout at all: two elements share bytes

  std::string breaks;  ///< which stage writes which bits inside of 16-byte vectors; empty if none does

  /// The byte where byte `flat` of the row-major array lies.
  std::uint32_t place(std::uint32_t flat) const {
    return tile.offsets[flat / tile.element_bytes] + flat % tile.element_bytes;
  }
};

/// Row by row, without gaps.
Arrangement plain_arrangement(const solve::Tile& tile);
Arrangement arrangement_of(const solve::Layout& layout);

/// A layout given on the command line.
struct GivenLayout {
  std::vector<solve::Swizzle> stages;  ///< on byte offsets, one after the other
  std::vector<std::string> names;      ///< of the stages, as the user wrote them
  std::uint32_t pad_elements = 0;
  bool empty() const { return stages.empty() && pad_elements == 0; }
};
Arrangement arrangement_of(const solve::Tile& tile, const GivenLayout& given);

/// "3,4,3" in the order bbs (CuTe: bits, base, shift) or sbm (articles: shift, bits, lowest target bit), on indices of
/// `unit_bytes`.
Result<solve::Swizzle> parse_swizzle(const std::string& text, solve::SwizzleOrder order, std::uint32_t unit_bytes);

/// Both spellings: "Swizzle<1,4,3> on byte offsets = swizzle<S=3,B=1,M=3> on indices of 2 bytes".
std::string both_orders(const solve::Swizzle& swizzle, std::uint32_t element_bytes);

/// The widest vectors, up to 16 bytes, that lie whole and aligned everywhere; 0: not even elements of that size.
unsigned widest_vector_bytes(const Arrangement& arrangement);

}  // namespace lanebank::show
