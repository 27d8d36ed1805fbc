// Columns and colours of a terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lanebank::report {

/// Columns that a UTF-8 text takes on a terminal: code points, one each (names and numbers hold no wide ones).
std::size_t columns(std::string_view text);

/// `text` in at most `width` columns, its end replaced by "..." where it is longer.
std::string shortened(const std::string& text, std::size_t width);

/// The same with its beginning replaced: of a path the end says most.
std::string shortened_front(const std::string& text, std::size_t width);

/// Control characters replaced by "?": names from a program must not steer the terminal.
std::string printable(std::string_view text);

/// `text` broken between words into lines of at most `width` columns, `indent` spaces before each.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width);

/// Escape sequences, or nothing.
class Paint {
 public:
  explicit Paint(bool on) : on_(on) {}
  std::string bold(const std::string& text) const { return wrap("1", text); }
  std::string dim(const std::string& text) const { return wrap("2", text); }
  std::string red(const std::string& text) const { return wrap("31", text); }
  std::string green(const std::string& text) const { return wrap("32", text); }
  std::string yellow(const std::string& text) const { return wrap("33", text); }

 private:
  std::string wrap(const char* code, const std::string& text) const {
    return on_ ? std::string("\033[") + code + "m" + text + "\033[0m" : text;
  }
  bool on_;
};

/// Cells in aligned columns, two spaces between them.
class Table {
 public:
  enum class Align { left, right };
  explicit Table(std::vector<Align> columns) : align_(std::move(columns)) {}
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  /// The rows as lines, without indent. Trailing blanks are cut.
  std::vector<std::string> lines() const;

 private:
  std::vector<Align> align_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace lanebank::report
