#include "base/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

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

std::string kernel_without_scopes(std::string_view kernel) {
  const auto is_word = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return std::isalnum(byte) != 0 || c == '_' || byte >= 0x80;
  };
  if (kernel.starts_with("void ")) kernel.remove_prefix(5);
  std::string result;
  for (std::size_t i = 0; i < kernel.size();) {
    const char c = kernel[i];
    if (kernel.substr(i).starts_with("::")) {
      // The scope that was just written goes; an instance of a template says too much and stays.
      for (const std::string_view unnamed : {"(anonymous namespace)", "<unnamed>"})
        if (result.ends_with(unnamed)) result.resize(result.size() - unnamed.size());
      if (result.ends_with('>')) result += "::";
      while (!result.empty() && is_word(result.back())) result.pop_back();
      i += 2;
      continue;
    }
    if (c == '(') {
      // A cast stands before a number.
      const std::size_t end = kernel.substr(0, i + 256).find(')', i);
      const bool is_cast = end != std::string_view::npos && end + 1 < kernel.size() &&
                           (std::isdigit(static_cast<unsigned char>(kernel[end + 1])) != 0 || kernel[end + 1] == '-');
      if (is_cast) {
        i = end + 1;
        continue;
      }
    }
    result += c;
    ++i;
  }
  return result;
}

std::string kernel_in_short(std::string_view kernel, std::size_t most_bytes) {
  if (kernel.size() <= most_bytes) return std::string(kernel);
  std::string text = kernel_title(kernel_without_scopes(kernel));
  if (text.size() <= most_bytes) return text;
  std::size_t bytes = most_bytes - std::min<std::size_t>(most_bytes, 3);
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xc0) == 0x80) --bytes;
  return text.substr(0, bytes) + "...";
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
