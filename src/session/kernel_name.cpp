#include "session/kernel_name.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

namespace lanebank::session {
namespace {

constexpr unsigned deepest = 128;          // nesting of a name; deeper ones are not printed here
constexpr std::size_t longest = 1u << 16;  // characters of any part: substitutions can grow without bound

/// Thrown where the grammar is left; the caller falls back.
struct Unknown {};

/// A type around the place where a declarator would stand: "void (*" and ")(int)".
struct Type {
  enum class Shape { plain, pointer, function, array };
  std::string left, right;
  Shape shape = Shape::plain;

  std::string text() const {
    return shape == Shape::function || shape == Shape::array ? left + " " + right : left + right;
  }
};

Type plain(std::string text) { return {std::move(text), {}, Type::Shape::plain}; }

/// `type` with a declarator mark ("*", "&", "&&") added.
Type pointer_to(Type type, std::string_view mark) {
  if (type.left.empty() || (type.left.back() != '*' && type.left.back() != '&')) type.left += ' ';
  if (type.shape == Type::Shape::function || type.shape == Type::Shape::array) {
    type.left += '(';
    type.right.insert(0, ")");
  }
  type.left += mark;
  type.shape = Type::Shape::pointer;
  return type;
}

Type qualified(Type type, const std::string& qualifiers) {
  if (type.shape == Type::Shape::pointer)
    type.left += qualifiers;
  else if (type.shape == Type::Shape::function)
    type.right += " " + qualifiers;
  else
    type.left = qualifiers + " " + type.left;
  return type;
}

struct Spelling {
  std::string_view code, text;
};

constexpr Spelling builtin_types[] = {
#define LANEBANK_ITANIUM_TYPE(code, text) {code, text},
#include "session/itanium_names.def"
};

constexpr Spelling operators[] = {
#define LANEBANK_ITANIUM_OPERATOR(code, text) {code, text},
#include "session/itanium_names.def"
};

constexpr Spelling standard_names[] = {
#define LANEBANK_ITANIUM_STANDARD(code, text) {code, text},
#include "session/itanium_names.def"
};

/// Reads one mangled name from front to back.
class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  KernelName kernel() {
    if (!take("_Z")) throw Unknown{};
    KernelName name;
    name.full = encoding(&name.base);
    if (!rest_.empty() && rest_.front() != '.') throw Unknown{};  // ".suffix" of cloned functions is dropped
    return name;
  }

 private:
  struct Name {
    std::string text, base;
    std::string qualifiers;      // of a member function: " const"
    bool has_arguments = false;  // ends in template arguments: a return type follows
    bool has_no_return = false;  // constructors, destructors, conversions
  };

  /// Counts nesting.
  struct Level {
    explicit Level(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > deepest) throw Unknown{};
    }
    ~Level() { parser_.depth_--; }
    Parser& parser_;
  };

  bool at(char c) const { return !rest_.empty() && rest_.front() == c; }
  bool at(std::string_view text) const { return rest_.substr(0, text.size()) == text; }
  bool take(std::string_view text) {
    if (!at(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  void expect(std::string_view text) {
    if (!take(text)) throw Unknown{};
  }
  char next() {
    if (rest_.empty()) throw Unknown{};
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  bool at_digit() const { return !rest_.empty() && is_digit(rest_.front()); }

  std::string_view digits() {
    std::size_t count = 0;
    while (count < rest_.size() && is_digit(rest_[count])) count++;
    if (count == 0) throw Unknown{};
    const std::string_view text = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return text;
  }
  std::size_t number() {
    const std::string_view text = digits();
    if (text.size() > 8) throw Unknown{};
    return std::strtoul(std::string(text).c_str(), nullptr, 10);
  }
  /// "_" is 0, "n_" is n + 1, in base 10 or 36.
  std::size_t sequence(unsigned base) {
    std::size_t value = 0;
    bool any = false;
    while (!at('_')) {
      const char c = next();
      unsigned digit;
      if (is_digit(c))
        digit = static_cast<unsigned>(c - '0');
      else if (base == 36 && c >= 'A' && c <= 'Z')
        digit = static_cast<unsigned>(c - 'A') + 10;
      else
        throw Unknown{};
      value = value * base + digit;
      any = true;
      if (value > 100000) throw Unknown{};
    }
    next();
    return any ? value + 1 : 0;
  }

  const Type& remember(const Type& type) {
    if (type.left.size() + type.right.size() > longest || known_.size() > 4096) throw Unknown{};
    known_.push_back(type);
    return type;
  }

  static void append(std::string& list, const std::string& item) {
    if (!list.empty()) list += ", ";
    list += item;
    if (list.size() > longest) throw Unknown{};
  }

  std::string encoding(std::string* base = nullptr) {
    Level level(*this);
    const Name function = name();
    if (base) *base = function.base;
    if (rest_.empty() || at('E') || at('.')) return function.text;
    Type result = plain("");
    if (function.has_arguments && !function.has_no_return) result = type();
    std::string text = result.left;
    if (!text.empty() && text.back() != '*' && text.back() != '&') text += " ";
    return text + function.text + "(" + parameters() + ")" + function.qualifiers + result.right;
  }

  /// Types up to the end of the list; a lone `void` is no parameter.
  std::string parameters() {
    std::string list;
    if (take("v") && (rest_.empty() || at('E') || at('.'))) return list;
    while (!rest_.empty() && !at('E') && !at('.')) {
      if (at("@") || at("RE") || at("OE")) break;  // a reference qualifier before the end of a function type
      append(list, type().text());
    }
    return list;
  }

  Name name() {
    Level level(*this);
    if (take("N")) return nested();
    if (take("Z")) return local();
    if (at('S') && !at("St")) {
      Name result;
      result.text = result.base = substitution().text();
      return with_arguments(std::move(result), false);
    }
    const bool standard = take("St");
    Name result = unqualified("");
    if (standard) result.text = "std::" + result.text;
    return with_arguments(std::move(result), true);
  }

  Name with_arguments(Name result, bool is_new) {
    if (!at('I')) return result;
    if (is_new) remember(plain(result.text));
    result.text += arguments();
    result.has_arguments = true;
    return result;
  }

  std::string qualifiers() {
    std::string list;
    const bool is_restrict = take("r"), is_volatile = take("V"), is_const = take("K");
    if (is_const) list += "const ";
    if (is_volatile) list += "volatile ";
    if (is_restrict) list += "__restrict__ ";
    if (!list.empty()) list.pop_back();
    return list;
  }

  Name nested() {
    Name result;
    std::string own = qualifiers();
    if (!own.empty()) own = " " + own;
    if (take("R"))
      own += " &";
    else if (take("O"))
      own += " &&";
    while (!take("E")) {
      if (at('I')) {
        if (result.text.empty()) throw Unknown{};
        result.text += arguments();
        result.has_arguments = true;
      } else {
        result.has_arguments = false;
        if (at('S') && !at("St")) {
          if (!result.text.empty()) throw Unknown{};
          result.text = substitution().text();
          result.base = result.text.substr(result.text.rfind(':') + 1);
          continue;  // already known
        }
        if (take("St")) {
          result.text = "std";
          continue;
        }
        if (at('T')) {
          result.text = result.base = template_parameter();
        } else {
          const Name part = unqualified(result.base);
          result.text += (result.text.empty() ? "" : "::") + part.text;
          result.base = part.base;
          result.has_no_return = part.has_no_return;
        }
      }
      if (!at('E')) remember(plain(result.text));
    }
    result.qualifiers = own;
    return result;
  }

  /// Something declared in a function.
  Name local() {
    const std::string function = encoding();
    expect("E");
    Name result;
    if (take("s")) {
      discriminator();
      result.text = function + "::string literal";
      return result;
    }
    if (take("d")) sequence(10);  // in a default argument
    result = name();
    discriminator();
    result.text = function + "::" + result.text;
    return result;
  }

  void discriminator() {
    if (take("__")) {
      number();
      expect("_");
    } else if (at('_') && rest_.size() > 1 && is_digit(rest_[1])) {
      rest_.remove_prefix(2);
    }
  }

  /// One component. `enclosing` names the class, for constructors.
  Name unqualified(const std::string& enclosing) {
    Name result;
    take("L");  // internal linkage
    if (at_digit()) {
      const std::size_t length = number();
      if (length == 0 || length > rest_.size()) throw Unknown{};
      result.text = std::string(rest_.substr(0, length));
      rest_.remove_prefix(length);
      if (result.text.rfind("_GLOBAL__N_", 0) == 0) result.text = "<unnamed>";
    } else if (take("Ul")) {
      const std::string list = lambda_parameters();
      result.text = "[lambda(" + list + ") (instance " + std::to_string(sequence(10) + 1) + ")]";
    } else if (take("Ut")) {
      result.text = "[unnamed type (instance " + std::to_string(sequence(10) + 1) + ")]";
    } else if (at('C') && rest_.size() > 1 && is_digit(rest_[1])) {
      rest_.remove_prefix(2);
      result.text = enclosing;
      result.has_no_return = true;
    } else if (at('D') && rest_.size() > 1 && is_digit(rest_[1])) {
      rest_.remove_prefix(2);
      result.text = "~" + enclosing;
      result.has_no_return = true;
    } else if (take("cv")) {
      result.text = "operator " + type().text();
      result.has_no_return = true;
    } else {
      result.text = operator_name();
    }
    result.base = result.text;
    while (take("B")) {  // ABI tags
      const std::size_t length = number();
      if (length > rest_.size()) throw Unknown{};
      rest_.remove_prefix(length);
    }
    return result;
  }

  std::string lambda_parameters() {
    std::string list;
    if (take("vE")) return list;
    while (!take("E")) append(list, type().text());
    return list;
  }

  std::string operator_name() {
    for (const Spelling& row : operators)
      if (take(row.code)) return "operator " + std::string(row.text);
    throw Unknown{};
  }

  std::string template_parameter() {
    expect("T");
    return "T" + std::to_string(sequence(10) + 1);
  }

  Type substitution() {
    expect("S");
    for (const Spelling& row : standard_names)
      if (take(row.code)) return plain(std::string(row.text));
    const std::size_t index = sequence(36);
    if (index >= known_.size()) throw Unknown{};
    return known_[index];
  }

  std::string arguments() {
    Level level(*this);
    expect("I");
    std::string list;
    while (!take("E")) argument(list);
    return "<" + list + ">";
  }

  void argument(std::string& list) {
    Level level(*this);
    if (take("J")) {
      while (!take("E")) argument(list);
    } else if (take("L")) {
      append(list, literal());
    } else if (take("X")) {  // an expression: only the forms that are literals
      expect("L");
      append(list, literal());
      expect("E");
    } else {
      append(list, type().text());
    }
  }

  /// After "L": a type and a value, or an entity.
  std::string literal() {
    if (take("_Z")) {
      const std::string text = encoding();
      expect("E");
      return "&" + text;
    }
    const std::string of = type().text();
    std::string value = take("n") ? "-" : "";
    while (!at('E')) {
      const char c = next();
      if (!is_digit(c) && !(c >= 'a' && c <= 'f')) throw Unknown{};
      value += c;
    }
    expect("E");
    return "(" + of + ")" + (value.empty() ? "0" : value);
  }

  Type type() {
    Level level(*this);
    for (const Spelling& row : builtin_types)
      if (take(row.code)) return plain(std::string(row.text));
    if (at('r') || at('V') || at('K')) {
      const std::string list = qualifiers();
      return remember(qualified(type(), list));
    }
    if (take("P")) return remember(pointer_to(type(), "*"));
    if (take("R")) return remember(pointer_to(type(), "&"));
    if (take("O")) return remember(pointer_to(type(), "&&"));
    if (take("C")) return remember(plain(type().text() + " _Complex"));
    if (take("F")) return remember(function_type());
    if (take("A")) return remember(array_type());
    if (take("M")) return remember(member_pointer());
    if (take("Dp")) return remember(plain(type().text() + "..."));
    if (take("DF16b")) return plain("__bf16");
    if (take("DF16_")) return plain("_Float16");
    if (take("Dv")) {
      const std::size_t elements = number();
      expect("_");
      return remember(plain(type().text() + " __vector(" + std::to_string(elements) + ")"));
    }
    if (take("u")) return remember(plain(unqualified("").text));
    if (at('T')) {
      const Type parameter = remember(plain(template_parameter()));
      return at('I') ? remember(plain(parameter.text() + arguments())) : parameter;
    }
    if (at('S') && !at("St")) {
      const Type known = substitution();
      return at('I') ? remember(plain(known.text() + arguments())) : known;
    }
    return remember(plain(name().text));
  }

  Type function_type() {
    take("Y");
    const Type result = type();
    std::string list = parameters(), reference;
    if (take("R"))
      reference = " &";
    else if (take("O"))
      reference = " &&";
    expect("E");
    return {result.left, "(" + list + ")" + reference + result.right, Type::Shape::function};
  }

  Type array_type() {
    std::string bound;
    if (!at('_')) bound = std::string(digits());
    expect("_");
    const Type element = type();
    return {element.left, "[" + bound + "]" + element.right, Type::Shape::array};
  }

  Type member_pointer() {
    const std::string of = type().text();
    Type member = type();
    if (member.shape == Type::Shape::function) {
      member.left += " (" + of + "::*";
      member.right = ")" + member.right;
    } else {
      member.left += " " + of + "::*";
    }
    member.shape = Type::Shape::pointer;
    return member;
  }

  std::string_view rest_;
  std::vector<Type> known_;
  unsigned depth_ = 0;
};

}  // namespace

KernelName kernel_name(std::string_view symbol) {
  try {
    return Parser(symbol).kernel();
  } catch (const Unknown&) {
  }
  const std::string whole(symbol);
  int status = 0;
  std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(whole.c_str(), nullptr, nullptr, &status), std::free);
  KernelName name{text ? text.get() : whole, {}};
  std::string_view base = std::string_view(name.full).substr(0, name.full.find_first_of("<("));
  base.remove_prefix(std::min(base.size(), base.find_last_of(": ") + 1));
  name.base = std::string(base);
  return name;
}

}  // namespace lanebank::session
