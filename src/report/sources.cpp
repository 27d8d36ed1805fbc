#include "report/sources.hpp"

#include <algorithm>

#include "report/escape.hpp"

namespace lanebank::report {
namespace {

constexpr std::size_t tab_columns = 4;

/// Tabs to the next multiple of `tab_columns`: a format that shows lines knows no tabs.
std::string expanded(std::string_view line) {
  std::string result;
  for (const char c : line) {
    if (c == '\t')
      result.append(tab_columns - result.size() % tab_columns, ' ');
    else if (c != '\r')
      result += c;
  }
  return result;
}

std::optional<SourceText> source_text(const std::string& content) {
  if (content.size() > SourceText::largest_file || content.find('\0') != std::string::npos) return std::nullopt;
  SourceText text;
  for (std::size_t begin = 0; begin < content.size();) {
    const std::size_t end = std::min(content.find('\n', begin), content.size());
    // What is cut away is not read: a line may be as long as the file.
    const std::string_view line =
        std::string_view(content).substr(begin, std::min(end - begin, 4 * SourceText::longest_line));
    text.lines.push_back(cut(clean(expanded(line)), SourceText::longest_line));
    begin = end + 1;
  }
  return text;
}

}  // namespace

const SourceText* Sources::file(const std::string& name) {
  if (!reader_ || name.empty()) return nullptr;
  const auto [at, is_new] = texts_.try_emplace(name);
  if (is_new)
    if (const auto content = reader_(name)) at->second = source_text(*content);
  return at->second ? &*at->second : nullptr;
}

const std::string* Sources::line(const std::string& name, std::uint32_t number) {
  const SourceText* text = file(name);
  return text && number >= 1 && number <= text->lines.size() ? &text->lines[number - 1] : nullptr;
}

}  // namespace lanebank::report
