#include "solve/expression.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace lanebank::solve {
namespace {

bool is_name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }

std::string column_text(std::size_t column) { return "column " + std::to_string(column); }

std::string listed(const std::vector<std::string>& names) {
  std::string result;
  for (const std::string& name : names) result += (result.empty() ? "" : ", ") + name;
  return result.empty() ? "none" : result;
}

}  // namespace

/// Recursive descent; binary operators by precedence climbing.
class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, const std::vector<std::string>& variables)
      : text_(text), variables_(variables) {}

  Result<Expression> run() {
    const Result<std::uint32_t> root = condition();
    if (!root) return tl::unexpected(root.error());
    skip_blanks();
    if (at_ < text_.size()) return unexpected("an operator or the end");
    if (expression_.nodes_.size() > Expression::node_limit)
      return fail("expression.length", column_text(1),
                  "more than " + std::to_string(Expression::node_limit) + " numbers, names and operators",
                  "Simplify the expression.");
    return std::move(expression_);
  }

 private:
  using Operation = Expression::Operation;
  using Node = Expression::Node;
  struct Binary {
    std::string_view word;
    unsigned level;
    Operation operation;
  };
  /// Longer words first, so that "<<" is not read as "<".
  static constexpr std::array<Binary, 18> binaries = {{{"||", 1, Operation::logical_or},
                                                       {"&&", 2, Operation::logical_and},
                                                       {"==", 6, Operation::equal},
                                                       {"!=", 6, Operation::not_equal},
                                                       {"<<", 8, Operation::shift_left},
                                                       {">>", 8, Operation::shift_right},
                                                       {"<=", 7, Operation::less_equal},
                                                       {">=", 7, Operation::greater_equal},
                                                       {"|", 3, Operation::bit_or},
                                                       {"^", 4, Operation::bit_xor},
                                                       {"&", 5, Operation::bit_and},
                                                       {"<", 7, Operation::less},
                                                       {">", 7, Operation::greater},
                                                       {"+", 9, Operation::add},
                                                       {"-", 9, Operation::subtract},
                                                       {"*", 10, Operation::multiply},
                                                       {"/", 10, Operation::divide},
                                                       {"%", 10, Operation::remainder}}};

  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }

  tl::unexpected<Diagnostic> unexpected(const std::string& wanted) const {
    const std::string found = at_ >= text_.size()                    ? "the end"
                              : text_[at_] > ' ' && text_[at_] < 127 ? std::string("'") + text_[at_] + "'"
                                                                     : "a character that is none of C's operators";
    return fail("expression.syntax", column_text(at_ + 1), "expected " + wanted + ", found " + found,
                "Write it as in C: numbers, names, + - * / % << >> & ^ | ~ comparisons, && || ?: and parentheses.");
  }

  std::uint32_t add(Operation operation, std::size_t column, std::int64_t value = 0, std::uint32_t first = 0,
                    std::uint32_t second = 0, std::uint32_t third = 0) {
    expression_.nodes_.push_back({operation, static_cast<std::uint32_t>(column), value, first, second, third});
    return static_cast<std::uint32_t>(expression_.nodes_.size() - 1);
  }

  Result<std::uint32_t> condition() {
    if (++depth_ > Expression::depth_limit)
      return fail("expression.depth", column_text(at_ + 1), "more than 100 levels of nesting",
                  "Simplify the expression.");
    Result<std::uint32_t> result = binary(1);
    skip_blanks();
    if (result && at_ < text_.size() && text_[at_] == '?') {
      const std::size_t column = ++at_;
      const Result<std::uint32_t> yes = condition();
      if (!yes) return yes;
      skip_blanks();
      if (at_ >= text_.size() || text_[at_] != ':') return unexpected("':'");
      ++at_;
      const Result<std::uint32_t> no = condition();
      if (!no) return no;
      result = add(Operation::choice, column, 0, *result, *yes, *no);
    }
    --depth_;
    return result;
  }

  const Binary* next_binary() {
    skip_blanks();
    for (const Binary& row : binaries)
      if (text_.substr(at_).starts_with(row.word)) return &row;
    return nullptr;
  }

  Result<std::uint32_t> binary(unsigned level) {
    Result<std::uint32_t> left = unary();
    while (left) {
      const Binary* row = next_binary();
      if (row == nullptr || row->level < level) break;
      const std::size_t column = at_ + 1;
      at_ += row->word.size();
      const Result<std::uint32_t> right = binary(row->level + 1);
      if (!right) return right;
      left = add(row->operation, column, 0, *left, *right);
    }
    return left;
  }

  Result<std::uint32_t> unary() {
    skip_blanks();
    if (at_ >= text_.size()) return unexpected("a number, a name or '('");
    const std::size_t column = at_ + 1;
    const char c = text_[at_];
    if (c == '+' || c == '-' || c == '!' || c == '~') {
      if (++depth_ > Expression::depth_limit)
        return fail("expression.depth", column_text(column), "more than 100 levels of nesting",
                    "Simplify the expression.");
      ++at_;
      const Result<std::uint32_t> operand = unary();
      if (!operand) return operand;
      --depth_;
      return add(c == '+'   ? Operation::plus
                 : c == '-' ? Operation::minus
                 : c == '!' ? Operation::logical_not
                            : Operation::complement,
                 column, 0, *operand);
    }
    if (c == '(') {
      ++at_;
      const Result<std::uint32_t> inside = condition();
      if (!inside) return inside;
      skip_blanks();
      if (at_ >= text_.size() || text_[at_] != ')') return unexpected("')'");
      ++at_;
      return inside;
    }
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) return number();
    if (is_name_start(c)) return variable();
    return unexpected("a number, a name or '('");
  }

  Result<std::uint32_t> number() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    std::string_view digits = text_.substr(begin, at_ - begin);
    const int base = digits.starts_with("0x") || digits.starts_with("0X") ? 16 : 10;
    if (base == 16) digits.remove_prefix(2);
    while (!digits.empty() &&
           (digits.back() == 'u' || digits.back() == 'U' || digits.back() == 'l' || digits.back() == 'L'))
      digits.remove_suffix(1);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (error != std::errc{} || end != digits.data() + digits.size() ||
        (base == 10 && digits.size() > 1 && digits[0] == '0'))
      return fail("expression.number", column_text(begin + 1), "not a whole number below 2^63",
                  "Write it in decimal without leading zeros, or as 0x and hexadecimal digits.");
    return add(Operation::number, begin + 1, value);
  }

  Result<std::uint32_t> variable() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    const auto known = std::find(variables_.begin(), variables_.end(), name);
    if (known == variables_.end())
      return fail("expression.name", column_text(begin + 1),
                  "unknown name '" + std::string(name.substr(0, 40)) + (name.size() > 40 ? "..'" : "'"),
                  "Known here: " + listed(variables_) + ".");
    return add(Operation::variable, begin + 1, known - variables_.begin());
  }

  std::string_view text_;
  const std::vector<std::string>& variables_;
  std::size_t at_ = 0;
  unsigned depth_ = 0;
  Expression expression_;
};

Result<Expression> Expression::parse(std::string_view text, std::vector<std::string> variables) {
  if (text.size() > length_limit)
    return fail("expression.length", column_text(length_limit + 1),
                "longer than " + std::to_string(length_limit) + " characters", "Simplify the expression.");
  return ExpressionParser(text, variables).run();
}

bool Expression::uses(std::size_t variable) const {
  return std::any_of(nodes_.begin(), nodes_.end(), [&](const Node& node) {
    return node.operation == Operation::variable && node.value == static_cast<std::int64_t>(variable);
  });
}

Result<std::int64_t> Expression::evaluate(std::span<const std::int64_t> values) const {
  return value_of(nodes_.back(), values);
}

namespace {

tl::unexpected<Diagnostic> overflow(std::uint32_t column) {
  return fail("expression.overflow", column_text(column), "the value does not fit 64 bits",
              "Coordinates are small numbers: is the expression meant so?");
}

}  // namespace

Result<std::int64_t> Expression::value_of(const Node& node, std::span<const std::int64_t> values) const {
  if (node.operation == Operation::number) return node.value;
  if (node.operation == Operation::variable) return values[static_cast<std::size_t>(node.value)];
  const Result<std::int64_t> first = value_of(nodes_[node.first], values);
  if (!first) return first;
  const std::int64_t a = *first;
  std::int64_t result = 0;
  switch (node.operation) {
    case Operation::plus:
      return a;
    case Operation::minus:
      return __builtin_sub_overflow(std::int64_t{0}, a, &result) ? overflow(node.column) : Result<std::int64_t>(result);
    case Operation::logical_not:
      return a == 0;
    case Operation::complement:
      return ~a;
    case Operation::choice:
      return value_of(nodes_[a != 0 ? node.second : node.third], values);
    case Operation::logical_and:
      if (a == 0) return 0;
      break;
    case Operation::logical_or:
      if (a != 0) return 1;
      break;
    default:
      break;
  }
  const Result<std::int64_t> second = value_of(nodes_[node.second], values);
  if (!second) return second;
  const std::int64_t b = *second;
  bool wrong = false;
  switch (node.operation) {
    case Operation::add:
      wrong = __builtin_add_overflow(a, b, &result);
      break;
    case Operation::subtract:
      wrong = __builtin_sub_overflow(a, b, &result);
      break;
    case Operation::multiply:
      wrong = __builtin_mul_overflow(a, b, &result);
      break;
    case Operation::divide:
    case Operation::remainder:
      if (b == 0)
        return fail("expression.zero", column_text(node.column), "division by zero",
                    "The divisor must not be 0 for any lane and loop value.");
      if (b == -1)
        return node.operation == Operation::remainder                ? Result<std::int64_t>(0)
               : __builtin_sub_overflow(std::int64_t{0}, a, &result) ? overflow(node.column)
                                                                     : Result<std::int64_t>(result);
      return node.operation == Operation::divide ? a / b : a % b;
    case Operation::shift_left:
    case Operation::shift_right:
      if (b < 0 || b > 63)
        return fail("expression.shift", column_text(node.column), "a shift by " + std::to_string(b),
                    "Shift by 0 to 63.");
      if (node.operation == Operation::shift_right) return a >> b;
      if (a == 0) return 0;
      wrong = b == 63 || __builtin_mul_overflow(a, std::int64_t{1} << b, &result);
      break;
    case Operation::less:
      return a < b;
    case Operation::less_equal:
      return a <= b;
    case Operation::greater:
      return a > b;
    case Operation::greater_equal:
      return a >= b;
    case Operation::equal:
      return a == b;
    case Operation::not_equal:
      return a != b;
    case Operation::bit_and:
      return a & b;
    case Operation::bit_xor:
      return a ^ b;
    case Operation::bit_or:
      return a | b;
    default:
      return b != 0;  // && and ||
  }
  if (wrong) return overflow(node.column);
  return result;
}

}  // namespace lanebank::solve
