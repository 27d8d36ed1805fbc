// Names of kernels, as people call them.
#pragma once

#include <string_view>

namespace lanebank::findings {

/// The function's own name, without scope, template arguments and parameters: "tr" of "ns::tr<(int)0>(const float *)". A view
/// into `kernel`.
std::string_view short_name(std::string_view kernel);

}  // namespace lanebank::findings
