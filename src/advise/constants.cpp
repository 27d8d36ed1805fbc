#include "advise/constants.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

#include "show/arithmetic.hpp"

namespace lanebank::advise {
namespace {

constexpr unsigned depth_limit = 12;
constexpr std::size_t work_limit = 4096;  ///< expressions evaluated for one value
constexpr std::size_t length_limit = 400;

/// The names of an expression, each once; those behind :: or . are no constants.
std::vector<std::string> names_in(std::string_view expression) {
  std::vector<std::string> names;
  for (const Token& token : scan_source(expression).tokens) {
    if (token.kind != Token::Kind::name) continue;
    std::string name(token.place.in(expression));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

void add(std::vector<std::int64_t>& values, std::int64_t value) {
  const auto at = std::lower_bound(values.begin(), values.end(), value);
  if ((at == values.end() || *at != value) && values.size() < Constants::value_limit) values.insert(at, value);
}

/// Without the suffixes that only C++ knows: 16u, 32UL.
std::string without_suffixes(std::string_view expression) {
  std::string result;
  for (std::size_t i = 0; i < expression.size(); ++i) {
    const char c = expression[i];
    const bool suffix = c == 'u' || c == 'U' || c == 'l' || c == 'L';
    if (suffix && !result.empty()) {
      std::size_t first = result.size();
      while (first > 0 && std::isalnum(static_cast<unsigned char>(result[first - 1])) != 0) --first;
      if (first < result.size() && std::isdigit(static_cast<unsigned char>(result[first])) != 0) continue;
    }
    if (c != '\n' && c != '\\') result += c;
  }
  return result;
}

}  // namespace

Constants::Constants(const SourceText& source, std::size_t function, std::map<std::string, std::int64_t> known)
    : source_(source), function_(function), known_(std::move(known)) {}

std::vector<std::int64_t> Constants::values_of(std::string_view expression) const {
  std::size_t work = 0;
  return values_of(expression, 0, work);
}

std::vector<std::int64_t> Constants::named(const std::string& name, unsigned depth, std::size_t& work) const {
  if (const auto at = known_.find(name); at != known_.end()) return {at->second};
  std::vector<std::int64_t> local, global;
  for (const ConstantText& constant : source_.constants) {
    if (constant.name != name || (constant.function != no_function && constant.function != function_)) continue;
    std::vector<std::int64_t>& all = constant.function == no_function ? global : local;
    for (const std::int64_t value : values_of(constant.value.in(source_.text), depth + 1, work)) add(all, value);
  }
  return local.empty() ? global : local;
}

std::vector<std::int64_t> Constants::values_of(std::string_view expression, unsigned depth, std::size_t& work) const {
  if (depth > depth_limit || expression.size() > length_limit || ++work > work_limit) return {};
  const std::string text = without_suffixes(expression);
  std::vector<std::string> names;
  std::vector<std::vector<std::int64_t>> choices;
  for (std::string& name : names_in(text)) {
    std::vector<std::int64_t> values = named(name, depth, work);
    if (values.empty()) continue;  // a type in a cast, or unknown, which the expression then says
    names.push_back(std::move(name));
    choices.push_back(std::move(values));
  }
  const Result<show::Arithmetic> parsed = show::Arithmetic::parse(text, 0, text.size(), names);
  if (!parsed) return {};
  std::vector<std::int64_t> result;
  std::vector<std::size_t> turn(names.size());
  for (;;) {
    if (++work > work_limit) return {};
    std::vector<std::int64_t> values;
    for (std::size_t i = 0; i < names.size(); ++i) values.push_back(choices[i][turn[i]]);
    if (const Result<std::int64_t> value = parsed->evaluate(values)) add(result, *value);
    std::size_t i = 0;
    while (i < turn.size() && ++turn[i] == choices[i].size()) turn[i++] = 0;
    if (i == turn.size()) return result;
  }
}

std::vector<std::int64_t> template_value(std::string_view argument) {
  if (argument.starts_with('(')) argument.remove_prefix(std::min(argument.find(')'), argument.size() - 1) + 1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(argument.data(), argument.data() + argument.size(), value);
  const bool whole = std::all_of(end, argument.data() + argument.size(),
                                 [](char c) { return c == 'u' || c == 'U' || c == 'l' || c == 'L'; });
  if (error != std::errc{} || !whole) return {};
  return {value};
}

std::vector<std::string> template_arguments(std::string_view kernel) {
  std::vector<std::string> result;
  const std::size_t open = kernel.find('<');
  const std::size_t parameters = kernel.find('(');
  if (open == std::string_view::npos || parameters < open) return result;
  unsigned depth = 0;
  std::size_t first = open + 1;
  for (std::size_t i = open; i < kernel.size(); ++i) {
    const char c = kernel[i];
    if (c == '<' || c == '(' || c == '[') ++depth;
    const bool closes = c == '>' || c == ')' || c == ']';
    if (depth == 1 && (c == ',' || (closes && c == '>'))) {
      while (first < i && kernel[first] == ' ') ++first;
      if (first < i) result.emplace_back(kernel.substr(first, i - first));
      first = i + 1;
    }
    if (closes && --depth == 0) break;
  }
  return result;
}

}  // namespace lanebank::advise
