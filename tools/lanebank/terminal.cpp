#include "terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstring>

namespace lanebank::tools {

Terminal terminal_of(int descriptor, const std::function<const char*(const char*)>& variable) {
  Terminal terminal;
  terminal.is_terminal = ::isatty(descriptor) == 1;
  if (!terminal.is_terminal) return terminal;
  const char* no_color = variable("NO_COLOR");
  const char* type = variable("TERM");
  terminal.color = !(no_color && *no_color) && !(type && std::strcmp(type, "dumb") == 0);
  struct winsize size {};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) terminal.width = size.ws_col;
  return terminal;
}

}  // namespace lanebank::tools
