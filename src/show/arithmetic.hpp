// Integer parts of CUDA code: solve::Expression, and what people write around it: casts to integer types, min, max, abs
// and the swizzles of articles and of CuTe.
//
//   (int)threadIdx.x / 4      static_cast<unsigned>(tid) % 8      min(tid, 15)
//   swizzle<3,1,3>(row * 16 + col)           articles' order S, B, M: i ^ ((i >> S) & (((1 << B) - 1) << M))
//   Swizzle<1,3,3>{}(row * 16 + col)         CuTe's order B, M, S: the same here
//
// Both swizzles take and give an index of whatever is indexed; no unit is hidden in them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "solve/expression.hpp"

namespace lanebank::show {

class Arithmetic {
 public:
  /// Reads text[begin, end). Errors: "show.*" or "expression.*", with a caret below the whole text.
  static Result<Arithmetic> parse(std::string_view text, std::size_t begin, std::size_t end,
                                  const std::vector<std::string>& names);

  /// `values`: one per name, in order.
  Result<std::int64_t> evaluate(const std::vector<std::int64_t>& values) const;

  bool uses(std::size_t name) const;
  std::size_t begin() const { return begin_; }

 private:
  friend class ArithmeticParser;
  enum class Function : std::uint8_t { minimum, maximum, absolute, swizzle };
  struct Call {
    Function function = Function::minimum;
    std::size_t column = 1;
    unsigned shift = 0, bits = 0, mask_base = 0;  ///< swizzle
    std::vector<Arithmetic> arguments;
  };

  Result<std::int64_t> value_of(const Call& call, const std::vector<std::int64_t>& values) const;
  Diagnostic placed(const Diagnostic& error) const;

  std::string text_;  ///< the whole, for messages
  std::size_t begin_ = 0, name_count_ = 0;
  std::vector<Call> calls_;                    ///< their values follow the names'
  std::vector<solve::Expression> expression_;  ///< one
};

}  // namespace lanebank::show
