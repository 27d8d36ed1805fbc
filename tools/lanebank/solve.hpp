// `lanebank solve PROBLEM.json`: the best layout for given access patterns (src/solve/solve.hpp).
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

#include "base/diagnostic.hpp"

namespace lanebank::tools {

struct SolveArguments {
  std::string problem;        ///< a file, or - for standard input
  std::string json;           ///< a file, or - for standard output in place of the text
  std::string order = "bbs";  ///< of swizzles: "bbs" or "sbm"
  std::uint32_t unit_bytes = 1;
  std::string swizzle;  ///< "A,B,C" to be counted besides, in `order` and unit
  std::string save;     ///< --ask: where the problem goes
  bool map = false, ask = false;
  unsigned architecture = 90;
  std::uint64_t work = 0;  ///< 0: the solver's own limit
};

/// Exit code 0 or 125. The answer goes to `out`, messages and questions to `err`.
int run_solve(const SolveArguments& arguments, std::istream& input, std::ostream& out, std::ostream& err);

/// Asks for a tile and its patterns, a line each; the text of the problem file. A question is asked again until its
/// answer can be used; the end of `input` is a Diagnostic.
Result<std::string> ask_problem(std::istream& input, std::ostream& questions);

}  // namespace lanebank::tools
