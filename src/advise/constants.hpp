// What the constants of a source text can be worth.
//
// Both sides of an #if are in the text and -D is not seen, so that a name may have several values: all that the text allows
// are given, and the caller chooses by what it knows (the array's bytes).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "advise/source_text.hpp"

namespace lanebank::advise {

class Constants {
 public:
  /// Of that function of the text: its own constants, those outside of functions, and `known`, which come before them (the
  /// arguments of a template).
  Constants(const SourceText& source, std::size_t function, std::map<std::string, std::int64_t> known);

  /// All values of an expression, ascending; empty if it cannot be evaluated. At most `value_limit` are looked at.
  std::vector<std::int64_t> values_of(std::string_view expression) const;

  static constexpr std::size_t value_limit = 16;

 private:
  std::vector<std::int64_t> values_of(std::string_view expression, unsigned depth, std::size_t& work) const;
  std::vector<std::int64_t> named(const std::string& name, unsigned depth, std::size_t& work) const;

  const SourceText& source_;
  std::size_t function_;
  std::map<std::string, std::int64_t> known_;
};

/// "32" of "(int)32", "(unsigned int)32" or "32u"; types and anything else give none.
std::vector<std::int64_t> template_value(std::string_view argument);

/// "(int)0", "float" of "void tr<(int)0, float>(const float *)"; the arguments of the first name that has any.
std::vector<std::string> template_arguments(std::string_view kernel);

}  // namespace lanebank::advise
