#include "advise/source_text.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace lanebank::advise {
namespace {

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) { source_.text = text; }

  SourceText run() {
    words();
    functions();
    constants();
    return std::move(source_);
  }

 private:
  std::size_t end_of(std::string_view what, std::size_t from) const {
    const std::size_t at = text_.find(what, from);
    return at == std::string_view::npos ? text_.size() : at + what.size();
  }

  void words() {
    bool line_begins = true;
    for (std::size_t i = 0; i < text_.size();) {
      const char c = text_[i];
      if (c == '\n') {
        line_begins = true;
        ++i;
      } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
        ++i;
      } else if (text_.substr(i, 2) == "//") {
        i = std::min(text_.find('\n', i), text_.size());
      } else if (text_.substr(i, 2) == "/*") {
        i = end_of("*/", i + 2);
      } else if (c == '#' && line_begins) {
        i = directive(i);
      } else {
        line_begins = false;
        i = word(i);
      }
    }
  }

  std::size_t word(std::size_t i) {
    const char c = text_[i];
    std::size_t end = i + 1;
    Token::Kind kind = Token::Kind::sign;
    if (begins_name(c)) {
      kind = Token::Kind::name;
      while (end < text_.size() && in_name(text_[end])) ++end;
      if (end < text_.size() && text_[end] == '"' && text_[end - 1] == 'R') {
        kind = Token::Kind::literal;
        end = raw_string(end);
      }
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      kind = Token::Kind::number;
      while (end < text_.size() && (in_name(text_[end]) || text_[end] == '.' || text_[end] == '\'')) ++end;
    } else if (c == '"' || c == '\'') {
      kind = Token::Kind::literal;
      while (end < text_.size() && text_[end] != c && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, text_.size());
    }
    source_.tokens.push_back({kind, {i, end}});
    return end;
  }

  std::size_t raw_string(std::size_t quote) const {
    const std::size_t open = text_.find('(', quote);
    if (open == std::string_view::npos || open - quote > 17) return quote + 1;
    return end_of(")" + std::string(text_.substr(quote + 1, open - quote - 1)) + "\"", open);
  }

  /// A preprocessor line with those that a backslash joins to it.
  std::size_t directive(std::size_t begin) {
    std::size_t end = begin;
    while (end < text_.size() && text_[end] != '\n') end += text_[end] == '\\' && end + 1 < text_.size() ? 2 : 1;
    define({begin + 1, end});
    return end;
  }

  void define(Span line) {
    std::size_t at = line.begin;
    const auto skip = [&] {
      while (at < line.end && is_blank(text_[at])) ++at;
    };
    skip();
    constexpr std::string_view keyword = "define";
    if (text_.substr(at, keyword.size()) != keyword) return;
    at += keyword.size();
    skip();
    const std::size_t name = at;
    while (at < line.end && in_name(text_[at])) ++at;
    const std::size_t name_end = at;
    if (name == name_end || at >= line.end || !is_blank(text_[at])) return;  // nothing defined, or with parameters
    skip();
    std::size_t end = std::min({text_.find("//", at), text_.find("/*", at), line.end});
    while (end > at && std::isspace(static_cast<unsigned char>(text_[end - 1])) != 0) --end;
    if (end > at)
      source_.constants.push_back({std::string(text_.substr(name, name_end - name)), {at, end}, no_function});
  }

  bool is(std::size_t token, std::string_view word) const { return source_.word(token) == word; }

  /// Bodies of functions: braces behind a parameter list, with nothing but namespaces and classes around them.
  void functions() {
    std::size_t begin = 0;  // of the statement
    for (std::size_t i = 0; i < source_.tokens.size(); ++i) {
      if (is(i, ";") || is(i, "}")) begin = i + 1;
      if (!is(i, "{")) continue;
      FunctionText function;
      if (header(begin, i, function)) {
        const std::size_t close = closing_token(source_, i);
        const std::size_t end = close < source_.tokens.size() ? source_.tokens[close].place.end : text_.size();
        function.body = {source_.tokens[i].place.begin, end};
        source_.functions.push_back(std::move(function));
        i = close;
      } else if (!opens_scope(begin, i)) {
        i = closing_token(source_, i);  // an initialiser
        continue;
      }
      begin = i + 1;
    }
  }

  bool opens_scope(std::size_t begin, std::size_t brace) const {
    for (std::size_t i = begin; i < brace; ++i)
      for (const std::string_view word : {"namespace", "extern", "struct", "class", "union"})
        if (is(i, word)) return true;
    return begin == brace;
  }

  /// The tokens [begin, brace) as the head of a function.
  bool header(std::size_t begin, std::size_t brace, FunctionText& function) const {
    std::size_t i = begin;
    while (is(i, "template") && is(i + 1, "<")) i = template_parameters(i + 1, function.parameters);
    for (; i < brace; ++i) {
      if (is(i, "=") || is(i, "namespace")) return false;
      if (!is(i, "(")) continue;
      const std::string_view name = i > begin ? source_.word(i - 1) : std::string_view{};
      const bool attribute = name.starts_with("__") || name == "alignas" || name == "decltype" || name == "noexcept";
      if (attribute || name.empty() || !begins_name(name.front())) {
        i = closing_token(source_, i);
        continue;
      }
      function.name = name;
      function.begin = source_.tokens[begin].place.begin;
      return true;
    }
    return false;
  }

  /// From the '<' on; the token behind the '>' that closes it.
  std::size_t template_parameters(std::size_t open, std::vector<TemplateParameter>& parameters) const {
    unsigned angles = 0, others = 0;
    std::size_t first = open + 1, name = 0;
    bool fallback = false;
    for (std::size_t i = open; i < source_.tokens.size(); ++i) {
      if (is(i, "(") || is(i, "[") || is(i, "{")) ++others;
      if (is(i, ")") || is(i, "]") || is(i, "}")) others -= others != 0 ? 1 : 0;
      if (others != 0) continue;
      if (is(i, "<")) ++angles;
      if (is(i, ";")) return i;
      const bool ends = is(i, ">") && angles == 1;
      if (is(i, "=") && angles == 1) fallback = true;
      if ((is(i, ",") && angles == 1) || ends) {
        if (name > first)
          parameters.push_back({std::string(source_.word(name)), is(first, "class") || is(first, "typename")});
        else
          parameters.push_back({});
        first = i + 1;
        fallback = false;
      } else if (!fallback && source_.tokens[i].kind == Token::Kind::name) {
        name = i;
      }
      if (is(i, ">") && --angles == 0) return i + 1;
    }
    return source_.tokens.size();
  }

  void constants() {
    for (std::size_t i = 0; i < source_.tokens.size(); ++i)
      if (is(i, "constexpr") || is(i, "const")) declarators(i + 1);
  }

  /// NAME = value or NAME{value}, with commas between.
  void declarators(std::size_t i) {
    constexpr std::size_t type_limit = 8;  // words before the name
    const std::size_t first = i;
    while (source_.tokens.size() > i + 1) {
      if (source_.tokens[i].kind != Token::Kind::name && !is(i, ":")) return;
      const bool braced = is(i + 1, "{");
      if (!is(i + 1, "=") && !braced) {
        if (++i > first + type_limit) return;
        continue;
      }
      std::size_t end = i + 2;
      unsigned depth = braced ? 1 : 0;
      for (; end < source_.tokens.size(); ++end) {
        if (depth == 0 && (is(end, ",") || is(end, ";"))) break;
        if (is(end, "(") || is(end, "[") || is(end, "{")) ++depth;
        if (is(end, ")") || is(end, "]") || is(end, "}")) {
          if (depth == 0) return;
          if (--depth == 0 && braced) break;
        }
      }
      if (end >= source_.tokens.size() || end == i + 2) return;
      const Span value{source_.tokens[i + 2].place.begin, source_.tokens[end - 1].place.end};
      source_.constants.push_back({std::string(source_.word(i)), value, source_.function_at(value.begin)});
      if (braced) ++end;
      if (!is(end, ",")) return;
      return declarators(end + 1);
    }
  }

  std::string_view text_;
  SourceText source_;
};

}  // namespace

std::size_t SourceText::line_of(std::size_t byte) const {
  return 1 + static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(byte), '\n'));
}

std::size_t SourceText::function_at(std::size_t byte) const {
  const auto after = std::upper_bound(functions.begin(), functions.end(), byte,
                                      [](std::size_t at, const FunctionText& f) { return at < f.body.begin; });
  if (after == functions.begin()) return no_function;
  const auto index = static_cast<std::size_t>(after - functions.begin()) - 1;
  return functions[index].body.holds(byte) ? index : no_function;
}

SourceText scan_source(std::string_view text) { return Scanner(text).run(); }

std::size_t closing_token(const SourceText& source, std::size_t open) {
  std::size_t depth = 0;
  for (std::size_t i = open; i < source.tokens.size(); ++i) {
    const std::string_view word = source.word(i);
    if (word == "(" || word == "[" || word == "{") ++depth;
    if (word == ")" || word == "]" || word == "}") {
      if (depth <= 1) return i;
      --depth;
    }
  }
  return source.tokens.size();
}

}  // namespace lanebank::advise
