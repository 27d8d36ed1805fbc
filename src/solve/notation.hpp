// Layouts in words and as code. Every swizzle that is printed names its order and its unit.
#pragma once

#include <string>

#include "solve/layout.hpp"

namespace lanebank::solve {

/// The order in which the three numbers of a swizzle are written.
enum class SwizzleOrder : std::uint8_t {
  bits_base_shift,  ///< CuTe: target bits from base on, source bits from base + shift on
  shift_bits_base,  ///< articles' swizzle<S,B,M>(i) = ((i >> S) & (((1 << B) - 1) << M)) ^ i: the same numbers reordered
};

/// A swizzle given in `order` on indices of `unit_bytes` (a power of two), in bytes.
Swizzle swizzle_from(SwizzleOrder order, unsigned first, unsigned second, unsigned third, std::uint32_t unit_bytes);

/// "Swizzle<2,4,3> (Bits, Base, Shift in bytes)", "swizzle<3,2,3> (S, B, M on indices of 2 bytes)"; says so where the unit
/// is too coarse.
std::string to_text(const Swizzle& swizzle, SwizzleOrder order = SwizzleOrder::bits_base_shift,
                    std::uint32_t unit_bytes = 1);

/// The layout in one line: "rows padded by 4 bytes (pitch 132)", "Swizzle<2,4,3> (Bits, Base, Shift in bytes)", ...
std::string describe(const Layout& layout, SwizzleOrder order = SwizzleOrder::bits_base_shift,
                     std::uint32_t unit_bytes = 1);

struct Notation {
  std::string cuda;      ///< CUDA C++: a declaration and a constexpr index function, no dependency
  std::string cute;      ///< in CuTe's terms, in elements of the tensor; says so where CuTe has no form
  std::string lanebank;  ///< `using NAME = lanebank::...;`
};

/// The layout as code; `name` is the C++ name of the tile.
Notation notation(const Layout& layout, const std::string& name = "tile");

/// The statements that return the byte offset of element (row, column), both `unsigned`: the body of notation's function.
std::string offset_statements(const Layout& layout);

}  // namespace lanebank::solve
