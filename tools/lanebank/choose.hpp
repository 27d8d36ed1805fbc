// `lanebank choose`, apart from argv.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>

#include "advise/choose.hpp"

namespace lanebank::tools {

struct ChooseArguments {
  std::string tile;                                                            ///< "32x33xf32"; empty: asked
  std::string write, read;                                                     ///< empty: asked, or row and column
  std::optional<bool> memory_tight, maximum_speed, fixed_block, vectors, tma;  ///< none: asked, or no
  bool ask = false;
  std::string json;  ///< a file, or - for standard output in place of the text
  unsigned architecture = 90;
};

/// Exit code 0 or 125. The answer goes to `out`, messages and questions to `err`.
int run_choose(const ChooseArguments& arguments, std::istream& input, std::ostream& out, std::ostream& err);

}  // namespace lanebank::tools
