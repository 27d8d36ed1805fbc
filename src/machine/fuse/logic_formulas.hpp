// Every function of three bits as a formula of AND, AND-NOT, OR, XOR and NOT, with the fewest operations.
//
// A function is its table, as LOP3 has it: bit 4a + 2b + c is its value, so that a is 0xf0, b 0xcc and c 0xaa.
#pragma once

#include <array>
#include <cstdint>

namespace lanebank::machine::fuse {

struct LogicFormula {
  enum Kind : std::uint8_t { none, operand, invert, conjunction, and_not, disjunction, exclusive };
  Kind kind = none;           ///< operand: a, b or c; invert: of x; and_not: ~x & y
  std::uint8_t x = 0, y = 0;  ///< tables
  std::uint8_t operations = 0;
};

/// By table; those of 0x00 and 0xff, constants, are `none`.
const std::array<LogicFormula, 256>& logic_formulas();

}  // namespace lanebank::machine::fuse
