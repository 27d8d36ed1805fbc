// Integer expressions as C++ writes them, over named variables: lane >> 2, (lane & 7) * 8 + k, c ? a : b.
//
//   precedence, lowest first     ?:   ||   &&   |   ^   &   == !=   < <= > >=   << >>   + -   * / %   unary + - ! ~   ( )
//
// Numbers are decimal or 0x hexadecimal; values are 64-bit signed. Every operation is checked: overflow, division by
// zero and shifts by less than 0 or more than 63 are errors with the column of the operator. ?:, && and || evaluate
// only the side that they need.
//
//   const auto row = Expression::parse("lane % 8 + 8 * k", {"lane", "k"});
//   const std::int64_t values[] = {9, 2};
//   row->evaluate(values) == 17
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"

namespace lanebank::solve {

class Expression {
 public:
  static constexpr std::size_t length_limit = 4096;  ///< characters
  static constexpr unsigned depth_limit = 100;       ///< nested parentheses, signs and conditions
  static constexpr std::size_t node_limit = 512;     ///< numbers, names and operators

  /// Errors: "expression.*", `where` = "column N", from 1.
  static Result<Expression> parse(std::string_view text, std::vector<std::string> variables);

  /// `values`: one per variable of `parse`, in its order.
  Result<std::int64_t> evaluate(std::span<const std::int64_t> values) const;

  /// Does the value depend on the variable of that index?
  bool uses(std::size_t variable) const;

 private:
  friend class ExpressionParser;
  enum class Operation : std::uint8_t {
    number,
    variable,
    plus,
    minus,
    logical_not,
    complement,
    add,
    subtract,
    multiply,
    divide,
    remainder,
    shift_left,
    shift_right,
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    not_equal,
    bit_and,
    bit_xor,
    bit_or,
    logical_and,
    logical_or,
    choice,
  };
  struct Node {
    Operation operation;
    std::uint32_t column = 1;
    std::int64_t value = 0;                          ///< number; index of the variable
    std::uint32_t first = 0, second = 0, third = 0;  ///< operands, as indices of nodes_
  };

  Result<std::int64_t> value_of(const Node& node, std::span<const std::int64_t> values) const;

  std::vector<Node> nodes_;  ///< the last one is the root
};

}  // namespace lanebank::solve
