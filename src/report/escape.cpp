#include "report/escape.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace lanebank::report {
namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";

struct Decoded {
  std::uint32_t point = 0;
  std::size_t bytes = 0;  ///< 0: the first byte begins no character
};

Decoded decode_utf8(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return {};
  std::uint32_t point = first & (0xffu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; i++) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    point = point << 6 | (byte(i) & 0x3fu);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (point < least[bytes] || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) return {};
  return {point, bytes};
}

bool is_harmless(std::uint32_t point) {
  if (point < 0x20 || (point >= 0x7f && point < 0xa0)) return false;
  if ((point >= 0x202a && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069)) return false;
  return point != 0x2028 && point != 0x2029 && (point & 0xfffe) != 0xfffe;
}

}  // namespace

std::string clean(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const Decoded next = decode_utf8(text);
    if (text[0] == '\n' || text[0] == '\t' || text[0] == '\r')
      result += ' ';
    else if (next.bytes == 0 || !is_harmless(next.point))
      result += replacement;
    else
      result += text.substr(0, next.bytes);
    text.remove_prefix(next.bytes == 0 ? 1 : next.bytes);
  }
  return result;
}

std::string cut(std::string text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  std::size_t end = bytes < 3 ? 0 : bytes - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) end--;
  text.resize(end);
  return text + "...";
}

std::string xml(std::string_view text) {
  std::string result;
  for (const char c : clean(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string markdown(std::string_view text) {
  std::string result;
  for (const char c : clean(text)) {
    if (c == '&' || c == '<' || c == '>') {
      result += c == '&' ? "&amp;" : c == '<' ? "&lt;" : "&gt;";
    } else if (c == '@') {
      result += "&#64;";  // a backslash does not keep GitHub from seeing a mention
    } else {
      if (std::string_view("\\`*_{}[]()#+-!|~$").find(c) != std::string_view::npos) result += '\\';
      result += c;
    }
  }
  return result;
}

std::string markdown_code(std::string_view text) {
  std::string code = clean(text);
  std::size_t longest = 0, run = 0;
  for (const char c : code) {
    run = c == '`' ? run + 1 : 0;
    longest = run > longest ? run : longest;
  }
  // A bar ends a table cell even in a code span; GitHub takes the backslash away again in tables only.
  for (std::size_t at = 0; (at = code.find('|', at)) != std::string::npos; at += 2) code.insert(at, 1, '\\');
  const std::string fence(longest + 1, '`'), gap = longest > 0 ? " " : "";
  return fence + gap + (code.empty() ? " " : code) + gap + fence;
}

std::string uri_path(std::string_view path) {
  constexpr std::string_view kept = "-._~/";
  std::string result;
  for (const char c : path) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter || kept.find(c) != std::string_view::npos)
      result += c;
    else
      result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return result;
}

}  // namespace lanebank::report
