// The small language in which instructions.def describes the text of an instruction.
//
// A picture is a list of items. In the column `operands` items stand between ", " and print so; in the
// column `modifiers` they stand between spaces and each prints after a dot. An item that prints nothing
// leaves no separator. An item is a row of pieces:
//
//   R24 U32      register, uniform register; RZ, URZ when all bits are ones. W64: the uniform register after
//   P81 Q81      predicate, uniform predicate; PT, UPT. M64 N87: the same, stored as 7 - number
//   B16 SB44     convergence barrier, scoreboard
//   a b c d      register operands of the ALU: d at 16, a at 24, b and c where the operand form puts them
//   ua ub uc ud  the same of the uniform datapath
//   bi bf bd bh bb   b whose immediate is signed, float, double, two halves, two bfloat16 (else unsigned);
//                so a and c. With h and b the register says which half it means: R5.H1_H1; k and l: not.
//                v: like h with the low half alone
//   s            slot b in every form; si sf sd sh sb
//   x53:58       the bits as an unsigned number, hexadecimal; i40:64 as a signed one
//   n53:58       decimal
//   t34:82       branch target: address of the next instruction + 4 times the signed number
//   p24:82       the same with the number taken as it is
//   o34:82       4 times the signed number; y34:82 4 times the unsigned one
//   m32:38       the numbers of the set bits: {5,4,0}
//   {75:77 U8 U16 - ?}   the word that the bits select, in operands after a dot; "-": nothing, "?": not used.
//                <75:77 ..> prints without dot. A named list (LANEBANK_SASS_LIST) stands as {75:77 =name}
//   'text'       the text. Plain words of the column `modifiers` need no quotes; nor do [ and ]
//   [+ x, y, z]  an address: terms joined by "+"; zero registers and zero numbers are left out, but the first
//                stays when all are zero, and a term after = always
//   (condition x, y; condition z; w)   the first alternative whose condition holds; the last may have none
//
// In front of a register or predicate: "-72" a minus when bit 72 is set, "~72", "!90" likewise, "|73" bars
// around it. Without number they use the sign bits of the operand: - and ~ 72, 63 or 75, | 73, 62 or 74.
// Behind it: "?" leaves the item out when the register or predicate is the zero or true one.
//
// A condition is `bit`, `!bit`, `bits=number`, `bits!=number`, `bits=2^n` (2 to 2^30, not 2^16), `@80` (from
// sm_80 on), `!@80`, several joined by "&". Bits are `n`, `first:end`, or several of them joined by "+", the
// lowest first.
#pragma once

#include <cstdint>
#include <string_view>

#include "sass/instruction.hpp"

namespace lanebank::sass::picture {

/// A string_view that is eaten from the front.
struct Cursor {
  std::string_view text;

  constexpr bool done() const { return text.empty(); }
  constexpr char peek(std::size_t n = 0) const { return n < text.size() ? text[n] : '\0'; }
  constexpr void skip(std::size_t n) { text.remove_prefix(n < text.size() ? n : text.size()); }
  constexpr bool eat(char c) {
    if (peek() != c) return false;
    skip(1);
    return true;
  }
  constexpr void spaces() {
    while (peek() == ' ') skip(1);
  }
  /// The longest front of which `accept` holds, eaten.
  template <typename Accept>
  constexpr std::string_view take(Accept accept) {
    std::size_t n = 0;
    while (n < text.size() && accept(text[n])) ++n;
    std::string_view front = text.substr(0, n);
    skip(n);
    return front;
  }
};

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

constexpr unsigned number(Cursor& cursor) {
  unsigned value = 0;
  for (char c : cursor.take(is_digit)) value = value * 10 + static_cast<unsigned>(c - '0');
  return value;
}

/// A field of the word: up to four runs of bits, the lowest first.
struct Field {
  struct Run {
    std::uint8_t first = 0, end = 0;
  } runs[4];
  unsigned count = 0;

  constexpr unsigned width() const {
    unsigned bits = 0;
    for (unsigned n = 0; n < count; ++n) bits += runs[n].end - runs[n].first;
    return bits;
  }
  constexpr std::uint64_t value(const Word& word) const {
    std::uint64_t result = 0;
    unsigned at = 0;
    for (unsigned n = 0; n < count; ++n) {
      result |= word.bits(runs[n].first, runs[n].end) << at;
      at += runs[n].end - runs[n].first;
    }
    return result;
  }
  constexpr std::int64_t signed_value(const Word& word) const {
    std::uint64_t sign = std::uint64_t{1} << (width() - 1);
    return static_cast<std::int64_t>((value(word) ^ sign) - sign);
  }
};

/// Reads `16`, `73:76`, `16:24+34:82`; count 0 when there is none.
constexpr Field field(Cursor& cursor, unsigned default_width = 1) {
  Field result;
  while (is_digit(cursor.peek()) && result.count < 4) {
    unsigned first = number(cursor);
    unsigned end = cursor.eat(':') ? number(cursor) : first + default_width;
    result.runs[result.count++] = {static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(end)};
    if (!(cursor.peek() == '+' && is_digit(cursor.peek(1)))) break;
    cursor.skip(1);
  }
  return result;
}

/// The front of `text` up to `separator` (or all) outside brackets and quotes; both are eaten.
constexpr std::string_view split(std::string_view& text, std::string_view separator) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t n = 0; n < text.size(); ++n) {
    char c = text[n];
    if (c == '\'') quoted = !quoted;
    if (quoted) continue;
    if (depth == 0 && text.substr(n).starts_with(separator)) {
      std::string_view front = text.substr(0, n);
      text.remove_prefix(n + separator.size());
      return front;
    }
    if (c == '(' || c == '{' || c == '<') ++depth;
    if (c == '[' && n + 1 < text.size() && text[n + 1] == '+') ++depth;
    if (c == ')' || c == '}' || c == '>') --depth;
    if (c == ']' && depth > 0) --depth;
  }
  std::string_view all = text;
  text = {};
  return all;
}

/// The bracket that `cursor` stands on, with its contents (without the brackets), eaten.
constexpr std::string_view bracketed(Cursor& cursor, char open, char close) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t n = 0; n < cursor.text.size(); ++n) {
    char c = cursor.text[n];
    if (c == '\'') quoted = !quoted;
    if (quoted) continue;
    if (c == open) ++depth;
    if (c == close && --depth == 0) {
      std::string_view inside = cursor.text.substr(1, n - 1);
      cursor.skip(n + 1);
      return inside;
    }
  }
  cursor.skip(cursor.text.size());
  return {};
}

/// Evaluates the condition at the front of an alternative and eats it; without one it holds.
constexpr bool condition(Cursor& cursor, const Word& word, unsigned architecture) {
  auto starts_term = [](char c) { return is_digit(c) || c == '@'; };
  bool holds = true;
  cursor.spaces();
  while (starts_term(cursor.peek()) || (cursor.peek() == '!' && starts_term(cursor.peek(1)))) {
    // "!90P87" is a predicate, not a condition: conditions end at a space or "&".
    Cursor ahead = cursor;
    bool negated = ahead.eat('!');
    if (ahead.eat('@')) {
      bool reached = architecture >= number(ahead);
      holds = holds && reached != negated;
      cursor = ahead;
      if (!cursor.eat('&')) break;
      continue;
    }
    Field bits = field(ahead);
    bool unequal = ahead.peek() == '!' && ahead.peek(1) == '=';
    if (unequal) ahead.skip(1);
    bool compared = ahead.eat('=');
    std::uint64_t expected = compared ? number(ahead) : 0;
    bool power = compared && ahead.peek() == '^';
    if (power) ahead.skip(2);
    if (!(ahead.done() || ahead.peek() == ' ' || ahead.peek() == '&')) return holds;
    std::uint64_t value = bits.value(word);
    bool term = power      ? value > 1 && value < 0x80000000u && value != 0x10000 && (value & (value - 1)) == 0
                : compared ? (value == expected) != unequal
                           : value != 0;
    holds = holds && term != negated;
    cursor = ahead;
    if (!cursor.eat('&')) break;
  }
  cursor.spaces();
  return holds;
}

/// The words of a list: how many.
constexpr unsigned word_count(std::string_view words) {
  unsigned count = 0;
  for (Cursor cursor{words}; !cursor.done(); ++count) {
    cursor.take([](char c) { return c != ' '; });
    cursor.spaces();
  }
  return count;
}

/// Whether a condition, if there is one, can be read; eats it.
constexpr bool well_formed_condition(Cursor& cursor) {
  cursor.spaces();
  bool conditional = is_digit(cursor.peek()) || cursor.peek() == '@' ||
                     (cursor.peek() == '!' && (is_digit(cursor.peek(1)) || cursor.peek(1) == '@'));
  std::size_t before = cursor.text.size();
  condition(cursor, Word{}, 90);
  if (!conditional) return true;
  // "!90P87" starts like a condition and is none.
  return cursor.text.size() < before ? !(is_digit(cursor.peek()) && cursor.peek(1) == ':')
                                     : is_letter(cursor.peek(3)) || is_letter(cursor.peek(2));
}

constexpr bool well_formed(std::string_view text, std::string_view separator,
                           std::string_view (*named)(std::string_view));

constexpr bool well_formed_choice(std::string_view inside, std::string_view (*named)(std::string_view)) {
  Cursor cursor{inside};
  Field bits = field(cursor);
  if (bits.count == 0 || !cursor.eat(' ')) return false;
  if (cursor.eat('=')) cursor.text = named(cursor.text);
  unsigned words = word_count(cursor.text);
  return words >= 2 && words <= (1u << bits.width());
}

constexpr bool well_formed_token(Cursor& cursor) {
  std::string_view name = cursor.take(is_letter);
  if (is_digit(cursor.peek())) {
    Field bits = field(cursor);
    for (std::string_view known :
         {"R", "U", "W", "P", "Q", "M", "N", "SR", "B", "SB", "x", "i", "n", "t", "p", "o", "y", "m"})
      if (name == known) return bits.count > 0 && bits.runs[0].end <= 105;
    return false;
  }
  if (name.size() > 1 && name[0] == 'u') name.remove_prefix(1);
  bool place = name.size() >= 1 && std::string_view("abcds").find(name[0]) != std::string_view::npos;
  return place && (name.size() == 1 ||
                   (name.size() == 2 && std::string_view("ifdhbklv").find(name[1]) != std::string_view::npos));
}

constexpr bool well_formed_piece(Cursor& cursor, std::string_view separator,
                                 std::string_view (*named)(std::string_view)) {
  switch (cursor.peek()) {
    case '(': {
      std::string_view inside = bracketed(cursor, '(', ')');
      while (!inside.empty()) {
        Cursor alternative{split(inside, ";")};
        if (!well_formed_condition(alternative) || !well_formed(alternative.text, separator, named)) return false;
      }
      return true;
    }
    case '{':
      return well_formed_choice(bracketed(cursor, '{', '}'), named);
    case '<':
      return well_formed_choice(bracketed(cursor, '<', '>'), named);
    case '\'':
      cursor.skip(1);
      cursor.take([](char c) { return c != '\''; });
      return cursor.eat('\'');
    case '[':
      if (cursor.peek(1) != '+') break;
      return well_formed(bracketed(cursor, '[', ']').substr(1), ", ", named);
  }
  if (separator == ".") return !cursor.take([](char c) { return c != ' ' && c != '{' && c != '('; }).empty();
  while (cursor.peek() == '-' || cursor.peek() == '~' || cursor.peek() == '!' || cursor.peek() == '|') {
    cursor.skip(1);
    number(cursor);
  }
  if (is_letter(cursor.peek())) return well_formed_token(cursor);
  return cursor.eat('[') || cursor.eat(']');
}

/// Whether a picture keeps to the language; `named` gives the words of a named list.
constexpr bool well_formed(std::string_view text, std::string_view separator,
                           std::string_view (*named)(std::string_view)) {
  while (!text.empty()) {
    Cursor cursor{split(text, separator == "." ? " " : ", ")};
    cursor.spaces();
    if (cursor.peek() == '=') cursor.skip(1);
    while (!cursor.done()) {
      if (!well_formed_piece(cursor, separator, named)) return false;
      cursor.eat('?');
    }
  }
  return true;
}

}  // namespace lanebank::sass::picture
