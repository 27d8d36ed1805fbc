// The threads of a block and the names by which expressions speak of them.
//
//   tid = threadIdx.x + blockDim.x x (threadIdx.y + blockDim.y x threadIdx.z),   lane = tid % 32,   warp = tid / 32
//
// Besides threadIdx.* (tx, ty, tz), blockDim.* and the like: loop variables, each from --for, and constants or
// expressions over all names before them, from --define. A name of the user's comes before one of these.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "show/arithmetic.hpp"

namespace lanebank::show {

struct Block {
  unsigned x = 32, y = 1, z = 1;
  unsigned threads() const { return x * y * z; }
  unsigned warps() const { return (threads() + 31) / 32; }
};

/// "32", "32x8", "16x16x4": at most 1024 threads.
Result<Block> parse_block(const std::string& text);

/// A loop: values begin, begin + step, ... below end.
struct Loop {
  std::string name;
  std::int64_t begin = 0, end = 0, step = 1;
  std::uint64_t count() const;
};

/// "k=0:32", "k=0:32:4" (step), "k=7".
Result<Loop> parse_loop(const std::string& text);

/// Everything that an expression may name, and its values for a thread.
class Scope {
 public:
  /// `definitions`: "NAME=EXPRESSION" in order.
  static Result<Scope> make(const std::vector<std::string>& loops, const std::vector<std::string>& definitions);

  const std::vector<std::string>& names() const { return names_; }
  const std::vector<Loop>& loops() const { return loops_; }
  /// Does the expression need threadIdx.y, a second warp ...? Also through definitions.
  bool uses(const Arithmetic& expression, std::string_view name) const;

  /// The values of thread `tid` of the block, in the order of `names`; `turn` counts iterations of the nested loops, the
  /// last loop fastest.
  Result<std::vector<std::int64_t>> values(const Block& block, unsigned tid, std::uint64_t turn) const;
  std::uint64_t turns() const;
  /// "k=3, j=0".
  std::string turn_text(std::uint64_t turn) const;

 private:
  std::vector<std::int64_t> loop_values(std::uint64_t turn) const;

  struct Definition {
    std::size_t name = 0;
    Arithmetic expression;
  };
  std::vector<std::string> names_;
  std::vector<Loop> loops_;
  std::vector<Definition> definitions_;
};

}  // namespace lanebank::show
