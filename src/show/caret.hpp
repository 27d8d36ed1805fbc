// Errors in what was typed, with the place marked below it:
//
//   column 8: expected ']', found the end
//       s[2*tid
//              ^
#pragma once

#include <cctype>
#include <string>
#include <string_view>

#include "base/diagnostic.hpp"

namespace lanebank::show {

/// What names begin with, and what they go on with.
inline bool is_name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
inline bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// `column` from 1; `what` in one line.
Diagnostic at_column(std::string id, std::string_view text, std::size_t column, const std::string& what,
                     std::string remedy);

/// "'x'", "the end", or "a character that is not ASCII".
std::string found_at(std::string_view text, std::size_t index);

}  // namespace lanebank::show
