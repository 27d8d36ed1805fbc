// C++ and CUDA source text as far as an edit needs it: words with their places, constants, and functions with their bodies.
//
// This is a scanner, not a compiler: both sides of an #if are seen, macros with parameters are not expanded. Any text is
// accepted, and work grows with its length only.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lanebank::advise {

/// A half-open range of bytes of a text.
struct Span {
  std::size_t begin = 0, end = 0;
  std::string_view in(std::string_view text) const { return text.substr(begin, end - begin); }
  bool holds(std::size_t at) const { return begin <= at && at < end; }
  bool operator==(const Span&) const = default;
};

struct Token {
  enum class Kind : unsigned char { name, number, literal, sign };
  Kind kind = Kind::sign;  ///< a sign is one character; a literal a string or character with its quotes
  Span place;
};

/// A constant with the text of its value: constexpr int T = 16, B{8};  const ...;  #define T 16.
struct ConstantText {
  std::string name;
  Span value;
  std::size_t function = 0;  ///< index into SourceText::functions; no_function outside of all
};

struct TemplateParameter {
  std::string name;
  bool is_type = false;
};

/// A function with a body, at namespace scope or in a class.
struct FunctionText {
  std::string name;
  std::size_t begin = 0;  ///< of its first word, "template" included
  Span body;              ///< with its braces
  std::vector<TemplateParameter> parameters;
};

inline constexpr std::size_t no_function = static_cast<std::size_t>(-1);

struct SourceText {
  std::string_view text;
  std::vector<Token> tokens;  ///< comments and preprocessor lines left out
  std::vector<ConstantText> constants;
  std::vector<FunctionText> functions;  ///< in order

  std::string_view word(std::size_t token) const {
    return token < tokens.size() ? tokens[token].place.in(text) : std::string_view{};
  }
  /// From 1.
  std::size_t line_of(std::size_t byte) const;
  /// Index of the function whose body holds the byte; no_function if none does.
  std::size_t function_at(std::size_t byte) const;
};

/// Views into `text`.
SourceText scan_source(std::string_view text);

/// Index of the token that closes the bracket at `open`, one of ( [ {; tokens.size() if there is none.
std::size_t closing_token(const SourceText& source, std::size_t open);

}  // namespace lanebank::advise
