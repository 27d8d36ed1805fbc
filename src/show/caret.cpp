#include "show/caret.hpp"

#include <algorithm>

namespace lanebank::show {
namespace {

constexpr std::size_t shown_limit = 100;  ///< characters of a long text around the mark

}  // namespace

Diagnostic at_column(std::string id, std::string_view text, std::size_t column, const std::string& what,
                     std::string remedy) {
  const std::size_t mark = std::min(column == 0 ? 0 : column - 1, text.size());
  const std::size_t begin = mark > shown_limit / 2 && text.size() > shown_limit ? mark - shown_limit / 2 : 0;
  std::string line(text.substr(begin, shown_limit));
  for (char& c : line)
    if (c < ' ' || c > '~') c = '?';
  std::string drawn = what + "\n    " + line + "\n    " + std::string(mark - begin, ' ') + "^";
  return {std::move(id), "column " + std::to_string(mark + 1), std::move(drawn), std::move(remedy)};
}

std::string found_at(std::string_view text, std::size_t index) {
  if (index >= text.size()) return "the end";
  const char c = text[index];
  return c > ' ' && c <= '~' ? std::string("'") + c + "'" : "a blank or a character that is not ASCII";
}

}  // namespace lanebank::show
