#include "base/words.hpp"

namespace lanebank {

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

std::string counted(std::uint64_t number, const char* one, const char* many) {
  return grouped(number) + " " + (number == 1 ? one : many);
}

std::string kernel_title(std::string_view kernel) {
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    const char c = kernel[i];
    if (c == '<') ++depth;
    if (c == '>') --depth;
    if (depth != 0) continue;
    if (c == '(' && i != begin) return std::string(kernel.substr(begin, i - begin));
    if (c == ' ' || c == ':') begin = i + 1;
  }
  return std::string(kernel.substr(begin));
}

}  // namespace lanebank
