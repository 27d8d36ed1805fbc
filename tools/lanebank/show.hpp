// `lanebank show`, apart from argv.
#pragma once

#include <iosfwd>
#include <string>

#include "show/show.hpp"
#include "show/text.hpp"
#include "terminal.hpp"

namespace lanebank::tools {

struct ShowArguments {
  show::Request request;
  show::TextOptions text;
  std::string json;  ///< a file, "-" for standard output, empty for none
  std::string svg;
  unsigned width = 0;  ///< 0: of the terminal
};

/// Answers on `out`; problems of the input go to `err`. `input` is read where an expression is "-". Exit code 0 or 125.
int run_show(ShowArguments arguments, std::istream& input, std::ostream& out, std::ostream& err,
             const Terminal& terminal);

}  // namespace lanebank::tools
