#include "report/paint.hpp"

#include <algorithm>

namespace lanebank::report {

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string shortened(const std::string& text, std::size_t width) {
  if (columns(text) <= width) return text;
  if (width <= 3) return std::string(width, '.');
  std::size_t bytes = 0, seen = 0;
  while (bytes < text.size() && seen < width - 3) {
    bytes++;
    while (bytes < text.size() && (static_cast<unsigned char>(text[bytes]) & 0xc0) == 0x80) bytes++;
    seen++;
  }
  return text.substr(0, bytes) + "...";
}

std::string shortened_front(const std::string& text, std::size_t width) {
  const std::size_t all = columns(text);
  if (all <= width) return text;
  if (width <= 3) return std::string(width, '.');
  std::size_t bytes = 0;
  for (std::size_t dropped = 0; bytes < text.size() && dropped < all - (width - 3); dropped++) {
    bytes++;
    while (bytes < text.size() && (static_cast<unsigned char>(text[bytes]) & 0xc0) == 0x80) bytes++;
  }
  return "..." + text.substr(bytes);
}

std::string printable(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return result;
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  const std::size_t room = width > indent + 20 ? width - indent : 20;
  std::string result, line;
  auto flush = [&] {
    if (!line.empty()) result += std::string(indent, ' ') + line + "\n";
    line.clear();
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string word(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
    if (word.empty()) continue;
    if (!line.empty() && columns(line) + 1 + columns(word) > room) flush();
    line += (line.empty() ? "" : " ") + word;
  }
  flush();
  return result;
}

std::vector<std::string> Table::lines() const {
  std::vector<std::size_t> width(align_.size(), 0);
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); i++) width[i] = std::max(width[i], columns(row[i]));
  std::vector<std::string> result;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); i++) {
      if (width[i] == 0) continue;  // a column that says nothing
      const std::string pad(width[i] - columns(row[i]), ' ');
      if (!line.empty()) line += "  ";
      line += align_[i] == Align::left ? row[i] + pad : pad + row[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    result.push_back(std::move(line));
  }
  return result;
}

}  // namespace lanebank::report
