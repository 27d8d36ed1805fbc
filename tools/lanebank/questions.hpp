// Short questions on a terminal: each asked again until its answer can be used.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>

#include "base/diagnostic.hpp"
#include "solve/layout.hpp"

namespace lanebank::tools {

class Questions {
 public:
  Questions(std::istream& answers, std::ostream& questions) : answers_(answers), questions_(questions) {}

  /// `read` returns what is wrong with the answer, or nothing. Errors: "ask.end", the answers end; "ask.answer", none of 20
  /// could be used.
  template <class Read>
  Result<void> ask(const std::string& question, Read read) {
    for (unsigned i = 0; i < attempts; ++i) {
      const std::optional<std::string> line = next(question);
      if (!line) return ended(question);
      const std::string wrong = read(*line);
      if (wrong.empty()) return {};
      complain(wrong);
    }
    return unusable();
  }

  /// Yes or no.
  Result<bool> ask_whether(const std::string& question);

 private:
  static constexpr unsigned attempts = 20;
  std::optional<std::string> next(const std::string& question);  ///< without blanks around it; none at the end
  void complain(const std::string& wrong);
  static tl::unexpected<Diagnostic> ended(const std::string& question);
  static tl::unexpected<Diagnostic> unusable();

  std::istream& answers_;
  std::ostream& questions_;
};

/// Without blanks around it.
std::string trimmed(const std::string& line);

/// Answers into a tile: "64x96"; "2", "half", "float". They return what is wrong, or nothing.
std::string read_shape(const std::string& line, solve::Tile& tile);
std::string read_element(const std::string& line, solve::Tile& tile);

}  // namespace lanebank::tools
