// C++ names as the demangler prints them.
#pragma once

#include <string>
#include <string_view>

namespace lanebank::image {

/// `symbol` itself where it is no mangled name, or longer than 4 KiB.
std::string demangled(std::string_view symbol);

}  // namespace lanebank::image
