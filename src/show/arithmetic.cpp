#include "show/arithmetic.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <optional>

#include "show/caret.hpp"
#include "show/element_type.hpp"

namespace lanebank::show {
namespace {

constexpr unsigned depth_limit = 40;
constexpr std::size_t call_limit = 99;  ///< in one expression: their stand-ins are told apart by two digits

/// The index of the bracket that closes the one at `open`; npos if there is none before `end`.
std::size_t closing(std::string_view text, std::size_t open, std::size_t end) {
  unsigned depth = 0;
  for (std::size_t i = open; i < end; ++i) {
    if (text[i] == '(' || text[i] == '[' || text[i] == '{') ++depth;
    if ((text[i] == ')' || text[i] == ']' || text[i] == '}') && --depth == 0) return i;
  }
  return std::string_view::npos;
}

}  // namespace

/// Replaces calls by names and casts by blanks, each as long as what it replaces, so that columns stay.
class ArithmeticParser {
 public:
  ArithmeticParser(std::string_view text, std::size_t begin, std::size_t end, const std::vector<std::string>& names,
                   unsigned depth)
      : text_(text), begin_(begin), end_(end), names_(names), depth_(depth), plain_(text.substr(begin, end - begin)) {}

  Result<Arithmetic> run() {
    if (depth_ > depth_limit) return wrong(begin_, "more than 40 calls inside one another", "Simplify the expression.");
    for (std::size_t i = begin_; i < end_;) {
      const Result<std::size_t> next = step(i);
      if (!next) return tl::unexpected(next.error());
      i = *next;
    }
    result_.text_ = text_;
    result_.begin_ = begin_;
    result_.name_count_ = names_.size();
    std::vector<std::string> all = names_;
    all.insert(all.end(), stand_ins_.begin(), stand_ins_.end());
    Result<solve::Expression> expression = solve::Expression::parse(plain_, std::move(all));
    if (!expression) return tl::unexpected(without_stand_ins(result_.placed(expression.error())));
    result_.expression_.push_back(std::move(*expression));
    return std::move(result_);
  }

 private:
  using Function = Arithmetic::Function;

  tl::unexpected<Diagnostic> wrong(std::size_t index, const std::string& what, std::string remedy) const {
    return tl::unexpected(at_column("show.expression", text_, index + 1, what, std::move(remedy)));
  }

  /// Names known to the user only.
  Diagnostic without_stand_ins(Diagnostic error) const {
    for (const std::string& name : stand_ins_) {
      const std::string listed = ", " + name;
      if (const std::size_t at = error.remedy.find(listed); at != std::string::npos)
        error.remedy.erase(at, listed.size());
    }
    return error;
  }

  std::size_t skip_blanks(std::size_t i) const {
    while (i < end_ && std::isspace(static_cast<unsigned char>(text_[i])) != 0) ++i;
    return i;
  }

  void blank(std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) plain_[i - begin_] = ' ';
  }

  /// Handles what begins at i; the index after it.
  Result<std::size_t> step(std::size_t i) {
    const char c = text_[i];
    if (c == '(') {
      const std::size_t close = closing(text_, i, end_);
      if (close != std::string_view::npos && element_type(text_.substr(i + 1, close - i - 1)) != nullptr) {
        blank(i, close + 1);
        return close + 1;
      }
      return i + 1;
    }
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      while (i < end_ && (is_name(text_[i]) || text_[i] == '.')) ++i;
      return i;
    }
    if (!is_name_start(c)) return i + 1;
    std::size_t after = i;
    while (after < end_ && (is_name(text_[after]) || text_[after] == '.' || text_.substr(after, 2) == "::"))
      after += text_.substr(after, 2) == "::" ? 2 : 1;
    std::string_view name = text_.substr(i, after - i);
    for (const std::string_view space : {"std::", "cute::"})
      if (name.starts_with(space)) name.remove_prefix(space.size());
    const std::size_t next = skip_blanks(after);
    if (next >= end_ || (text_[next] != '(' && text_[next] != '<')) return after;
    if (name == "static_cast") return cast(i, next);
    if (text_[next] == '<' && (name == "swizzle" || name == "Swizzle" || name == "swizzle_sbm"))
      return swizzle(i, next, name == "Swizzle");
    if (text_[next] == '<') return after;  // less than
    if (name == "min" || name == "max" || name == "abs" || name == "umin" || name == "umax")
      return call(i, next,
                  name.ends_with("min") ? Function::minimum
                  : name == "abs"       ? Function::absolute
                                        : Function::maximum,
                  name == "abs" ? 1 : 2, {});
    if (element_type(name) != nullptr) {
      blank(i, after);
      return next;
    }
    return wrong(i, "the function '" + std::string(name.substr(0, 40)) + "' is not known here",
                 "Known: min, max, abs, swizzle<S,B,M>(i), Swizzle<B,M,S>{}(i) and casts to integer types; or give its "
                 "value a name with --define NAME=EXPRESSION.");
  }

  /// static_cast<int>(e): only (e) is left.
  Result<std::size_t> cast(std::size_t begin, std::size_t open) {
    const std::size_t close = text_[open] == '<' ? text_.substr(0, end_).find('>', open) : std::string_view::npos;
    if (close == std::string_view::npos || element_type(text_.substr(open + 1, close - open - 1)) == nullptr)
      return wrong(open, "expected <TYPE> after static_cast, with an integer type",
                   "For instance static_cast<int>(tid).");
    blank(begin, close + 1);
    return close + 1;
  }

  /// Three numbers in < >, then {} or () of CuTe, then the argument.
  Result<std::size_t> swizzle(std::size_t begin, std::size_t open, bool cute) {
    std::size_t i = open + 1;
    unsigned numbers[3] = {};
    for (unsigned k = 0; k < 3; ++k) {
      i = skip_blanks(i);
      const auto [stop, error] = std::from_chars(text_.data() + i, text_.data() + end_, numbers[k]);
      if (error != std::errc{} || numbers[k] > 30)
        return wrong(i, "expected a number from 0 to 30, found " + found_at(text_, i),
                     cute ? "Swizzle<B,M,S>: bits, lowest target bit, shift."
                          : "swizzle<S,B,M>: shift, bits, lowest target bit.");
      i = skip_blanks(static_cast<std::size_t>(stop - text_.data()));
      const char wanted = k < 2 ? ',' : '>';
      if (i >= end_ || text_[i] != wanted)
        return wrong(i, std::string("expected '") + wanted + "', found " + (i < end_ ? found_at(text_, i) : "the end"),
                     "A swizzle has three numbers: swizzle<S,B,M>(i), or Swizzle<B,M,S>{}(i) in CuTe's order.");
      ++i;
    }
    i = skip_blanks(i);
    for (const std::string_view braces : {"{}", "()"})
      if (text_.substr(i, 2) == braces) i = skip_blanks(i + 2);
    if (i >= end_ || text_[i] != '(')
      return wrong(i, "expected '(' and the index to swizzle, found " + (i < end_ ? found_at(text_, i) : "the end"),
                   "For instance swizzle<3,1,3>(row * 16 + col).");
    const std::array<unsigned, 3> sbm = cute ? std::array<unsigned, 3>{numbers[2], numbers[0], numbers[1]}
                                             : std::array<unsigned, 3>{numbers[0], numbers[1], numbers[2]};
    if (sbm[1] + sbm[2] > 31 || sbm[0] + sbm[1] + sbm[2] > 62)
      return wrong(open, "a swizzle of bits beyond 32", "Targets are bits M to M + B - 1, sources are S higher.");
    return call(begin, i, Function::swizzle, 1, sbm);
  }

  Result<std::size_t> call(std::size_t begin, std::size_t open, Function function, std::size_t count,
                           const std::array<unsigned, 3>& sbm) {
    const std::size_t close = closing(text_, open, end_);
    if (close == std::string_view::npos)
      return wrong(end_, "expected ')', found " + found_at(text_, end_), "Close the call.");
    if (stand_ins_.size() >= call_limit) return wrong(begin, "more than 99 calls", "Simplify the expression.");
    Arithmetic::Call made{function, begin + 1, sbm[0], sbm[1], sbm[2], {}};
    std::size_t from = open + 1;
    while (from <= close) {
      const std::size_t comma = separator(from, close);
      Result<Arithmetic> argument = ArithmeticParser(text_, from, comma, names_, depth_ + 1).run();
      if (!argument) return tl::unexpected(argument.error());
      made.arguments.push_back(std::move(*argument));
      from = comma + 1;
    }
    if (made.arguments.size() != count)
      return wrong(open,
                   "expected " + std::to_string(count) + (count == 1 ? " argument" : " arguments") + ", found " +
                       std::to_string(made.arguments.size()),
                   "min(a, b), max(a, b), abs(a), swizzle<S,B,M>(i).");
    std::string stand_in = "_" + std::to_string(stand_ins_.size());
    stand_in.resize(std::max(stand_in.size(), close + 1 - begin), '_');
    plain_.replace(begin - begin_, close + 1 - begin, stand_in);
    stand_ins_.push_back(std::move(stand_in));
    result_.calls_.push_back(std::move(made));
    return close + 1;
  }

  /// The next comma outside brackets, or `close`.
  std::size_t separator(std::size_t from, std::size_t close) const {
    unsigned depth = 0;
    for (std::size_t i = from; i < close; ++i) {
      if (text_[i] == '(' || text_[i] == '[' || text_[i] == '{') ++depth;
      if (text_[i] == ')' || text_[i] == ']' || text_[i] == '}') --depth;
      if (text_[i] == '<' && text_.substr(from, i - from).find("izzle") != std::string_view::npos) {
        const std::size_t end = text_.find('>', i);
        if (end < close) i = end;
      }
      if (text_[i] == ',' && depth == 0) return i;
    }
    return close;
  }

  std::string_view text_;
  std::size_t begin_, end_;
  const std::vector<std::string>& names_;
  unsigned depth_;
  std::string plain_;
  std::vector<std::string> stand_ins_;
  Arithmetic result_;
};

Result<Arithmetic> Arithmetic::parse(std::string_view text, std::size_t begin, std::size_t end,
                                     const std::vector<std::string>& names) {
  return ArithmeticParser(text, begin, end, names, 0).run();
}

/// An error of solve::Expression, whose columns count from `begin_`, marked in the whole text.
Diagnostic Arithmetic::placed(const Diagnostic& error) const {
  std::size_t column = 1;
  const std::string_view prefix = "column ";
  if (error.where.starts_with(prefix))
    std::from_chars(error.where.data() + prefix.size(), error.where.data() + error.where.size(), column);
  std::string remedy = error.remedy;
  if (error.id == "expression.name") remedy += " Give others with --define NAME=VALUE or --for NAME=0:N.";
  return at_column(error.id, text_, begin_ + column, error.what, std::move(remedy));
}

bool Arithmetic::uses(std::size_t name) const {
  if (expression_.front().uses(name)) return true;
  return std::any_of(calls_.begin(), calls_.end(), [&](const Call& call) {
    return std::any_of(call.arguments.begin(), call.arguments.end(),
                       [&](const Arithmetic& argument) { return argument.uses(name); });
  });
}

Result<std::int64_t> Arithmetic::value_of(const Call& call, const std::vector<std::int64_t>& values) const {
  std::vector<std::int64_t> arguments;
  for (const Arithmetic& argument : call.arguments) {
    Result<std::int64_t> value = argument.evaluate(values);
    if (!value) return value;
    arguments.push_back(*value);
  }
  const std::int64_t first = arguments.front();
  switch (call.function) {
    case Function::minimum:
      return std::min(first, arguments.back());
    case Function::maximum:
      return std::max(first, arguments.back());
    case Function::absolute:
      if (first == INT64_MIN)
        return tl::unexpected(at_column("expression.overflow", text_, call.column, "the value does not fit 64 bits",
                                        "Coordinates are small numbers: is the expression meant so?"));
      return first < 0 ? -first : first;
    case Function::swizzle:
      break;
  }
  if (first < 0)
    return tl::unexpected(at_column("show.negative-swizzle", text_, call.column,
                                    "a swizzle of the negative index " + std::to_string(first),
                                    "Swizzle the whole index, from 0 on."));
  const std::int64_t mask = ((std::int64_t{1} << call.bits) - 1) << call.mask_base;
  return first ^ (first >> call.shift & mask);
}

Result<std::int64_t> Arithmetic::evaluate(const std::vector<std::int64_t>& values) const {
  std::optional<std::vector<std::int64_t>> with_calls;
  if (!calls_.empty()) {
    with_calls = std::vector<std::int64_t>(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(name_count_));
    for (const Call& call : calls_) {
      Result<std::int64_t> value = value_of(call, values);
      if (!value) return value;
      with_calls->push_back(*value);
    }
  }
  Result<std::int64_t> value = expression_.front().evaluate(with_calls ? *with_calls : values);
  if (!value) return tl::unexpected(placed(value.error()));
  return value;
}

}  // namespace lanebank::show
