#include "base/words.hpp"

#include <fmt/format.h>

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

std::string kernel_base_name(std::string_view kernel) {
  const std::string title = kernel_title(kernel);
  return title.substr(0, title.find('<'));
}

std::string time_text(double seconds) {
  constexpr struct {
    double unit;
    const char* name;
  } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
  for (const auto& [unit, name] : units) {
    if (seconds < unit && unit != 1e-9) continue;
    const double figure = seconds / unit;
    return fmt::format("{:.{}f} {}", figure, figure < 10 ? 2 : figure < 100 ? 1 : 0, name);
  }
  return "0 ns";
}

std::string share_text(double share) {
  const double percent = 100 * share;
  if (percent <= 0) return "0 %";
  if (percent < 0.1) return "< 0.1 %";
  return fmt::format("{:.{}f} %", percent, percent < 9.95 ? 1 : 0);
}

}  // namespace lanebank
