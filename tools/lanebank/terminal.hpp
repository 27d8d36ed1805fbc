// What the stream of a report can show.
#pragma once

#include <functional>
#include <string>

namespace lanebank::tools {

struct Terminal {
  bool is_terminal = false;
  bool color = false;
  unsigned width = 120;
};

/// Of a file descriptor. Colours: on a terminal, unless NO_COLOR is set and not empty or TERM is "dumb".
/// `variable` looks into the environment.
Terminal terminal_of(int descriptor, const std::function<const char*(const char*)>& variable);

}  // namespace lanebank::tools
