// Lines of the user's source files, where these are at hand. Who has files gives a reader; formats ask for lines.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lanebank::report {

/// A file's text as lines fit for any format (escape.hpp), each cut to `longest_line` bytes.
struct SourceText {
  static constexpr std::size_t longest_line = 400, largest_file = 4 << 20;
  std::vector<std::string> lines;
};

class Sources {
 public:
  /// The whole content of a file as a report names it; nothing where it cannot be read.
  using Reader = std::function<std::optional<std::string>(const std::string& file)>;

  Sources() = default;
  explicit Sources(Reader reader) : reader_(std::move(reader)) {}

  /// nullptr: not at hand, larger than `largest_file`, or no text. Each file is read once.
  const SourceText* file(const std::string& name);
  /// nullptr: no such file or line. Lines count from 1.
  const std::string* line(const std::string& name, std::uint32_t number);

 private:
  Reader reader_;
  std::map<std::string, std::optional<SourceText>> texts_;
};

}  // namespace lanebank::report
