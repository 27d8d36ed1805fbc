#include "findings/short_name.hpp"

#include <algorithm>

namespace lanebank::findings {

std::string_view short_name(std::string_view kernel) {
  if (kernel.starts_with("void ")) kernel.remove_prefix(5);
  // The last part outside template arguments ("<unnamed>" is a part too), before the parameters.
  std::size_t begin = 0, end = kernel.size();
  int depth = 0;
  for (std::size_t n = 0; n < kernel.size(); ++n) {
    const char c = kernel[n];
    if (c == '<' && depth++ == 0 && end == kernel.size()) end = n;
    if (c == '>') --depth;
    if (depth > 0) continue;
    if (c == ':') begin = n + 1, end = kernel.size();
    if (c != '(') continue;
    end = std::min(end, n);
    break;
  }
  return begin < end ? kernel.substr(begin, end - begin) : kernel;
}

}  // namespace lanebank::findings
