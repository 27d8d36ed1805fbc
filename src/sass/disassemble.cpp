// The text of an instruction, drawn from the pictures of the instruction table.
#include <charconv>
#include <cmath>
#include <utility>

#include "sass/picture.hpp"
#include "sass/table.hpp"

namespace lanebank::sass {
namespace {

using picture::Cursor;
using picture::Field;

constexpr std::string_view named_list(std::string_view name) {
#define LANEBANK_SASS_LIST(list, words) \
  if (name == #list) return words;
#include "sass/instructions.def"
  return {};
}

/// One evaluation a row: compilers limit the steps of each.
template <std::size_t n>
constexpr bool row_is_well_formed =
    picture::well_formed(rows[n].modifiers, ".", named_list) && picture::well_formed(rows[n].operands, ", ",
                                                                                     named_list);

template <std::size_t... n>
constexpr bool pictures_are_well_formed(std::index_sequence<n...>) {
  constexpr bool each[] = {row_is_well_formed<n>...};
  for (bool well_formed : each)
    if (!well_formed) return false;
  return true;
}
static_assert(pictures_are_well_formed(std::make_index_sequence<row_count>{}),
              "a picture of instructions.def does not keep to the language of picture.hpp");

std::string special_register(unsigned number, unsigned architecture) {
#define LANEBANK_SASS_SPECIAL_REGISTER(value, name, first, last) \
  if (number == value && architecture >= first && architecture <= last) return name;
#include "sass/special_registers.def"
  return "SR" + std::to_string(number);
}

std::string hexadecimal(std::uint64_t value) {
  char digits[16];
  return "0x" + std::string(digits, std::to_chars(digits, digits + sizeof digits, value, 16).ptr);
}

std::string signed_hexadecimal(std::int64_t value) {
  return value < 0 ? "-" + hexadecimal(0 - static_cast<std::uint64_t>(value)) : hexadecimal(value);
}

/// Twenty significant digits; from 1e9 on with an exponent. Names end in a blank that a following operand keeps.
std::string real(double value, bool quiet = true) {
  if (std::isnan(value)) return std::string(std::signbit(value) ? "-" : "+") + (quiet ? "QNAN " : "SNAN ");
  if (std::isinf(value)) return value < 0 ? "-INF " : "+INF ";
  if (value == 0 && std::signbit(value)) return "-0.0 ";
  char digits[64];
  std::chars_format format = std::fabs(value) >= 1e9 ? std::chars_format::scientific : std::chars_format::general;
  return {digits, std::to_chars(digits, digits + sizeof digits, value, format, 20).ptr};
}

/// `bits` as an IEEE number of the given fraction width; no host conversion can quiet a signalling NaN.
std::string real_bits(std::uint64_t bits, unsigned exponent_width, unsigned fraction_width) {
  std::uint64_t fraction = bits & ((std::uint64_t{1} << fraction_width) - 1);
  std::uint64_t exponent = bits >> fraction_width & ((1u << exponent_width) - 1);
  bool negative = bits >> (fraction_width + exponent_width) & 1;
  int bias = (1 << (exponent_width - 1)) - 1;
  double sign = negative ? -1.0 : 1.0;
  if (exponent == (1u << exponent_width) - 1) {
    if (fraction == 0) return real(sign * HUGE_VAL);
    return real(std::copysign(std::nan(""), sign), fraction >> (fraction_width - 1));
  }
  double significand = static_cast<double>(fraction + (exponent ? std::uint64_t{1} << fraction_width : 0));
  int power = static_cast<int>(exponent ? exponent : 1) - bias - static_cast<int>(fraction_width);
  return real(sign * std::ldexp(significand, power));
}

/// The numbers of the set bits, highest first: {5,4,0}.
std::string bit_list(std::uint64_t bits) {
  std::string text;
  for (int n = 63; n >= 0; --n)
    if (bits >> n & 1) text += (text.empty() ? "{" : ",") + std::to_string(n);
  return text + "}";
}

/// One piece of text and whether it stands for zero (RZ, URZ, PT, 0), for sums and optional operands.
struct Text {
  std::string text;
  bool zero = false;
};

/// What stands in front of a register: bits whose value decides, or the sign bits of the operand.
struct Signs {
  char sign = 0;  ///< '-', '~' or '!'
  bool absolute = false;
  int sign_bit = -1, absolute_bit = -1;
};

class Painter {
 public:
  Painter(const Instruction& instruction, unsigned architecture)
      : word_(instruction.word),
        address_(instruction.address),
        architecture_(architecture),
        form_(static_cast<unsigned>(word_.bits(9, 12))) {}

  /// The items of `text`, those that print something, joined by `separator`; zero if that is one zero.
  Text list(std::string_view text, std::string_view separator) {
    Text result;
    while (!text.empty()) {
      Cursor cursor{picture::split(text, separator == "." ? " " : ", ")};
      cursor.spaces();
      Text next = item(cursor, separator);
      if (next.text.empty()) continue;
      result.zero = next.zero && result.text.empty();
      if (!result.text.empty()) result.text += separator;
      result.text += next.text;
    }
    return result;
  }

 private:
  Text item(Cursor& cursor, std::string_view separator) {
    Text result;
    while (!cursor.done()) {
      Text next = piece(cursor, separator);
      if (cursor.eat('?') && next.zero) return {};
      result.zero = result.zero || next.zero;
      result.text += next.text;
    }
    return result;
  }

  Text piece(Cursor& cursor, std::string_view separator) {
    switch (cursor.peek()) {
      case '(':
        return alternatives(picture::bracketed(cursor, '(', ')'), separator);
      case '{':
        return choice(picture::bracketed(cursor, '{', '}'), separator != ".");
      case '<':
        return choice(picture::bracketed(cursor, '<', '>'), false);
      case '\'': {
        cursor.skip(1);
        Text quoted{std::string(cursor.take([](char c) { return c != '\''; }))};
        cursor.skip(1);
        return quoted;
      }
      case '[':
        if (cursor.peek(1) == '+') return sum(picture::bracketed(cursor, '[', ']'));
        break;
    }
    if (separator == ".") return {std::string(cursor.take([](char c) { return c != ' ' && c != '{' && c != '('; }))};
    Signs signs = read_signs(cursor);
    if (!picture::is_letter(cursor.peek())) {
      Text literal{std::string(cursor.text.substr(0, 1))};
      cursor.skip(1);
      return literal;
    }
    std::string_view name = cursor.take(picture::is_letter);
    return token(name, cursor, signs);
  }

  Text alternatives(std::string_view inside, std::string_view separator) {
    while (!inside.empty()) {
      Cursor cursor{picture::split(inside, ";")};
      if (!picture::condition(cursor, word_, architecture_)) continue;
      return list(cursor.text, separator);
    }
    return {};
  }

  Text choice(std::string_view inside, bool dotted) {
    Cursor cursor{inside};
    std::uint64_t value = picture::field(cursor).value(word_);
    cursor.spaces();
    if (cursor.eat('=')) cursor = {named_list(cursor.text)};
    std::string_view word = "?";
    for (std::uint64_t n = 0; !cursor.done(); ++n) {
      std::string_view next = cursor.take([](char c) { return c != ' '; });
      cursor.spaces();
      if (n == value) word = next;
    }
    if (word == "-") return {};
    std::string text = word == "?" ? "INVALID" + std::to_string(value) : std::string(word);
    return {dotted ? "." + text : text};
  }

  Text sum(std::string_view inside) {
    inside.remove_prefix(1);
    std::string result, fallback;
    while (!inside.empty()) {
      Cursor cursor{picture::split(inside, ", ")};
      cursor.spaces();
      bool stay = cursor.eat('=');
      Text term = item(cursor, ", ");
      if (term.text.empty()) continue;
      if (fallback.empty()) fallback = term.text;
      if (term.zero && !stay) continue;
      if (!result.empty()) result += "+";
      result += term.text;
    }
    return {"[" + (result.empty() ? fallback : result) + "]"};
  }

  static Signs read_signs(Cursor& cursor) {
    Signs signs;
    for (;;) {
      char c = cursor.peek();
      char after = cursor.peek(1);
      bool flag = (c == '-' || c == '~' || c == '!' || c == '|') &&
                  (picture::is_digit(after) || picture::is_letter(after) || after == '|');
      if (!flag) return signs;
      cursor.skip(1);
      int bit = picture::is_digit(after) ? static_cast<int>(picture::number(cursor)) : -1;
      if (c == '|')
        signs.absolute = true, signs.absolute_bit = bit;
      else
        signs.sign = c, signs.sign_bit = bit;
    }
  }

  /// `core` with sign and bars, as the bits say; the defaults are the sign bits of the operand's place.
  Text with_signs(Text core, const Signs& signs, unsigned sign_bit = 0, unsigned absolute_bit = 0) const {
    bool bars = signs.absolute && word_.bit(signs.absolute_bit < 0 ? absolute_bit : signs.absolute_bit);
    bool sign = signs.sign && word_.bit(signs.sign_bit < 0 ? sign_bit : signs.sign_bit);
    if (bars) core.text = "|" + core.text + "|";
    if (sign) core.text = signs.sign + core.text, core.zero = false;
    return core;
  }

  Text vector_register(unsigned first) const {
    auto number = static_cast<unsigned>(word_.bits(first, first + 8));
    if (number == 255) return {"RZ", true};
    return {"R" + std::to_string(number)};
  }
  Text uniform_register(unsigned first, unsigned further = 0) const {
    auto number = static_cast<unsigned>(word_.bits(first, first + 6)) + further;
    if (number == 63) return {"URZ", true};
    return {"UR" + std::to_string(number)};
  }
  Text predicate(unsigned first, const char* prefix) const {
    auto number = static_cast<unsigned>(word_.bits(first, first + 3));
    if (number == 7) return {prefix + std::string("T"), true};
    return {prefix + std::to_string(number)};
  }

  /// A predicate that is stored as 7 minus its number.
  Text inverted_predicate(unsigned first, const char* prefix) const {
    auto number = static_cast<unsigned>(word_.bits(first, first + 3));
    if (number == 0) return {prefix + std::string("T"), true};
    return {prefix + std::to_string(7 - number)};
  }

  Text immediate(char type) const {
    auto bits = static_cast<std::uint32_t>(word_.bits(32, 64));
    switch (type) {
      case 'i':
        return {signed_hexadecimal(static_cast<std::int32_t>(bits))};
      case 'f':
        return {real_bits(bits, 8, 23)};
      case 'd':
        return {real_bits(std::uint64_t{bits} << 32, 11, 52)};
      case 'h':
      case 'k':
        return {real_bits(bits >> 16, 5, 10) + ", " + real_bits(bits & 0xffff, 5, 10)};
      case 'v':
        return {real_bits(bits & 0xffff, 5, 10)};
      case 'b':
      case 'l':
        return {real_bits(bits >> 16, 8, 7) + ", " + real_bits(bits & 0xffff, 8, 7)};
      default:
        return {hexadecimal(bits)};
    }
  }

  /// With halves a blank stands before the offset.
  Text constant(bool half) const {
    std::string offset = std::string(half ? " [" : "[") + signed_hexadecimal(4 * word_.signed_bits(40, 54)) + "]";
    if (word_.bit(91)) return {"cx[" + uniform_register(32).text + "][" + hexadecimal(4 * word_.bits(40, 54)) + "]"};
    return {"c[" + hexadecimal(word_.bits(54, 59)) + "]" + offset};
  }

  /// Slot b: a register, an immediate, a constant or a uniform register, as the form says.
  Text slot(char type, bool uniform, const Signs& signs) const {
    switch (form_) {
      case 2:
      case 4:
        return immediate(type);
      case 3:
      case 5:
        return with_signs(constant(type == 'h' || type == 'b' || type == 'v'), signs, 63, 62);
      case 6:
      case 7:
        return with_signs(uniform_register(32), signs, 63, 62);
      default:
        return with_signs(uniform ? uniform_register(32) : vector_register(32), signs, 63, 62);
    }
  }

  Text operand(char place, char type, bool uniform, const Signs& signs) const {
    bool swapped = form_ == 2 || form_ == 3 || form_ == 7, half = type == 'h' || type == 'b' || type == 'v';
    bool half_signs = half || type == 'k' || type == 'l';
    auto reg = [&](unsigned first) { return uniform ? uniform_register(first) : vector_register(first); };
    if (place == 'd') return reg(16);
    if (place == 'a') return half_of(with_signs(reg(24), signs, 72, 73), half, 74);
    if (place == 's' || (place == 'b') != swapped)
      return half_of(slot(type, uniform, signs), half && form_ != 2 && form_ != 4, 60);
    if (half_signs) return half_of(with_signs(reg(64), signs, 84, 83), half, 81);
    return with_signs(reg(64), signs, 75, 74);
  }

  /// A register of halves says which of them both lanes of the operation read.
  Text half_of(Text core, bool half, unsigned first) const {
    static constexpr const char* names[] = {"", ".F32", ".H0_H0", ".H1_H1"};
    if (half) core.text += names[word_.bits(first, first + 2)];
    return core;
  }

  Text token(std::string_view name, Cursor& cursor, const Signs& signs) {
    auto at = [&] { return picture::number(cursor); };
    if (name == "R") return with_signs(vector_register(at()), signs);
    if (name == "U") return with_signs(uniform_register(at()), signs);
    if (name == "N") return with_signs(inverted_predicate(at(), "UP"), signs);
    if (name == "M") return with_signs(inverted_predicate(at(), "P"), signs);
    if (name == "W") return uniform_register(at(), 1);
    if (name == "P") return with_signs(predicate(at(), "P"), signs);
    if (name == "Q") return with_signs(predicate(at(), "UP"), signs);
    if (name == "SR")
      return {special_register(static_cast<unsigned>(picture::field(cursor, 8).value(word_)), architecture_)};
    if (name == "B") return {"B" + std::to_string(picture::field(cursor, 4).value(word_))};
    if (name == "SB") return {"SB" + std::to_string(picture::field(cursor, 3).value(word_))};
    if (picture::is_digit(cursor.peek())) return numeric(name[0], picture::field(cursor));
    bool uniform = name.size() > 1 && name[0] == 'u';
    if (uniform) name.remove_prefix(1);
    return operand(name[0], name.size() > 1 ? name[1] : 'u', uniform, signs);
  }

  Text numeric(char kind, const Field& field) const {
    std::uint64_t value = field.value(word_);
    switch (kind) {
      case 'i':
        return {signed_hexadecimal(field.signed_value(word_)), value == 0};
      case 'n':
        return {std::to_string(value), value == 0};
      case 'y':
        return {hexadecimal(4 * value)};
      case 'o':
        return {signed_hexadecimal(4 * field.signed_value(word_))};
      case 'm':
        return {bit_list(value), value == 0};
      case 'p':
        return {signed_hexadecimal(std::int64_t{address_} + 16 + field.signed_value(word_))};
      case 't':
        return {signed_hexadecimal(std::int64_t{address_} + 16 + 4 * field.signed_value(word_))};
      default:
        return {hexadecimal(value), value == 0};
    }
  }

  const Word& word_;
  std::uint32_t address_;
  unsigned architecture_, form_;
};

std::string guard(const Word& word, bool uniform) {
  auto number = static_cast<unsigned>(word.bits(12, 15));
  bool negated = word.bit(15);
  if (number == 7 && !negated) return {};
  std::string text = negated ? "@!" : "@";
  if (uniform) text += 'U';
  text += 'P';
  text += number == 7 ? 'T' : static_cast<char>('0' + number);
  return text + " ";
}

}  // namespace

std::string disassemble(const Instruction& instruction, unsigned architecture) {
  if (instruction.row == no_row)
    return "?? " + hexadecimal(instruction.word.low) + " " + hexadecimal(instruction.word.high);
  const RowInfo& row = info(instruction.row);
  Painter painter(instruction, architecture);
  std::string text = guard(instruction.word, row.match.uniform_guard) + std::string(row.mnemonic);
  if (std::string modifiers = painter.list(row.modifiers, ".").text; !modifiers.empty()) text += "." + modifiers;
  if (std::string operands = painter.list(row.operands, ", ").text; !operands.empty()) text += " " + operands;
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

}  // namespace lanebank::sass
