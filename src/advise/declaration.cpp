#include "advise/declaration.hpp"

#include <algorithm>
#include <map>

#include "advise/constants.hpp"
#include "show/element_type.hpp"

namespace lanebank::advise {
namespace {

constexpr std::size_t dimension_limit = 6;
constexpr std::size_t statement_limit = 400;  ///< words

bool is_open(std::string_view word) { return word == "(" || word == "[" || word == "{"; }

/// Reads the statement around the `__shared__` at token `at`; one declaration for each declarator.
class StatementReader {
 public:
  StatementReader(const SourceText& source, std::size_t at) : source_(source), at_(at) {}

  std::vector<Declaration> run() {
    first_ = at_;
    while (first_ > 0 && at_ - first_ < 8 && !ends_statement(source_.word(first_ - 1))) --first_;
    std::size_t end = at_;
    while (end < source_.tokens.size() && end - at_ < statement_limit && source_.word(end) != ";")
      end = is_open(source_.word(end)) ? closing_token(source_, end) + 1 : end + 1;
    if (source_.word(end) != ";") return {};
    std::size_t i = head();
    std::vector<Declaration> result;
    while (i < end) {
      std::optional<Declaration> declaration = declarator(i, end);
      if (!declaration) return {};
      declaration->statement = {source_.tokens[first_].place.begin, source_.tokens[end].place.end};
      result.push_back(std::move(*declaration));
      if (source_.word(i) == ",") ++i;
    }
    for (Declaration& declaration : result) declaration.declarators = result.size();
    return result;
  }

 private:
  static bool ends_statement(std::string_view word) { return word == ";" || word == "{" || word == "}" || word == ":"; }

  /// Specifiers and type; the first token of the first declarator.
  std::size_t head() {
    std::size_t i = first_;
    unsigned angles = 0;
    for (; i < source_.tokens.size(); ++i) {
      const std::string_view word = source_.word(i), next = source_.word(i + 1);
      if (word == "__shared__" || word == "static") continue;
      if (word == "extern") {
        extern_ = true;
        continue;
      }
      if ((word == "__align__" || word == "alignas" || word == "__attribute__") && next == "(") {
        const std::size_t close = closing_token(source_, i + 1);
        if (close >= source_.tokens.size()) return close;
        alignment_ = Span{source_.tokens[i].place.begin, source_.tokens[close].place.end}.in(source_.text);
        i = close;
        continue;
      }
      if (word == "<") ++angles;
      if (word == ">" && angles != 0) --angles;
      if (angles == 0 && source_.tokens[i].kind == Token::Kind::name &&
          (next == "[" || next == "," || next == ";" || next == "="))
        return i;
      type_ += (type_.empty() || !needs_blank(i) ? "" : " ") + std::string(word);
    }
    return i;
  }

  bool needs_blank(std::size_t i) const {
    return source_.tokens[i].kind == Token::Kind::name && source_.tokens[i - 1].kind == Token::Kind::name;
  }

  std::optional<Declaration> declarator(std::size_t& i, std::size_t end) const {
    if (source_.tokens[i].kind != Token::Kind::name) return std::nullopt;
    Declaration result;
    result.name = source_.word(i);
    result.type = type_;
    result.alignment = alignment_;
    result.is_extern = extern_;
    result.declarator = source_.tokens[i].place;
    result.line = source_.line_of(result.declarator.begin);
    result.function = source_.function_at(result.declarator.begin);
    ++i;
    while (i < end && source_.word(i) == "[") {
      const std::size_t close = closing_token(source_, i);
      if (close >= end || result.sizes.size() == dimension_limit) return std::nullopt;
      result.sizes.push_back({source_.tokens[i].place.end, source_.tokens[close].place.begin});
      result.declarator.end = source_.tokens[close].place.end;
      i = close + 1;
    }
    if (i < end && source_.word(i) != ",") return std::nullopt;
    return result;
  }

  const SourceText& source_;
  std::size_t at_, first_ = 0;
  bool extern_ = false;
  std::string type_, alignment_;
};

ArrayUse::Kind kind_of_use(const SourceText& source, std::size_t token, std::size_t sizes) {
  std::size_t i = token + 1, subscripts = 0;
  while (source.word(i) == "[" && subscripts < sizes) {
    i = closing_token(source, i) + 1;
    ++subscripts;
  }
  if (subscripts < sizes || sizes == 0) return ArrayUse::Kind::pointer;
  const bool address =
      token > 0 && source.word(token - 1) == "&" &&
      !(token > 1 && (source.tokens[token - 2].kind != Token::Kind::sign || source.word(token - 2) == ")" ||
                      source.word(token - 2) == "]" || source.word(token - 2) == "&"));
  return address ? ArrayUse::Kind::address : ArrayUse::Kind::element;
}

void find_uses(const SourceText& source, Declaration& declaration) {
  if (declaration.function == no_function) return;
  const Span body = source.functions[declaration.function].body;
  for (std::size_t i = 0; i < source.tokens.size(); ++i) {
    const Span place = source.tokens[i].place;
    if (!body.holds(place.begin) || place.begin < declaration.statement.end) continue;
    if (source.tokens[i].kind != Token::Kind::name || source.word(i) != declaration.name) continue;
    const std::string_view before = i > 0 ? source.word(i - 1) : std::string_view{};
    if (before == "." || before == ">" || before == ":") continue;  // a member of something
    declaration.uses.push_back({kind_of_use(source, i, declaration.sizes.size()), source.line_of(place.begin)});
  }
}

std::string places(const std::vector<Declaration>& all) {
  std::string text;
  for (const Declaration& declaration : all) text += (text.empty() ? "" : ", ") + std::to_string(declaration.line);
  return text;
}

bool is_kernel(const SourceText& source, std::size_t function) {
  const FunctionText& text = source.functions[function];
  return Span{text.begin, text.body.begin}.in(source.text).find("__global__") != std::string_view::npos;
}

/// The arguments of the kernel's template by parameter.
std::map<std::string, std::string> arguments_of(const SourceText& source, const Declaration& declaration,
                                                std::string_view kernel, bool types) {
  std::map<std::string, std::string> result;
  if (declaration.function == no_function) return result;
  const std::vector<TemplateParameter>& parameters = source.functions[declaration.function].parameters;
  const std::vector<std::string> arguments = template_arguments(kernel);
  for (std::size_t i = 0; i < std::min(parameters.size(), arguments.size()); ++i)
    if (parameters[i].is_type == types) result[parameters[i].name] = arguments[i];
  return result;
}

std::map<std::string, std::string> type_arguments(const SourceText& source, const Declaration& declaration,
                                                  std::string_view kernel) {
  return arguments_of(source, declaration, kernel, true);
}

std::map<std::string, std::int64_t> value_arguments(const SourceText& source, const Declaration& declaration,
                                                    std::string_view kernel) {
  std::map<std::string, std::int64_t> result;
  for (const auto& [name, argument] : arguments_of(source, declaration, kernel, false))
    if (const std::vector<std::int64_t> value = template_value(argument); !value.empty()) result[name] = value.front();
  return result;
}

/// Bytes of a type's value, from its name; 0: unknown. Of a template parameter, from its argument.
std::uint32_t type_bytes(const std::string& type, const std::map<std::string, std::string>& types) {
  const show::ElementType* known = show::element_type(type);
  if (known != nullptr) return known->bytes;
  const auto at = types.find(type);
  if (at == types.end()) return 0;
  known = show::element_type(at->second);
  return known == nullptr ? 0 : known->bytes;
}

}  // namespace

bool Declaration::has_pointer_uses() const {
  return std::any_of(uses.begin(), uses.end(), [](const ArrayUse& use) { return use.kind == ArrayUse::Kind::pointer; });
}

Result<Declaration> find_declaration(const SourceText& source, std::string_view name, std::string_view function) {
  std::vector<Declaration> all, own;  // all: but those of other kernels
  for (std::size_t i = 0; i < source.tokens.size(); ++i) {
    if (source.word(i) != "__shared__") continue;
    for (Declaration& declaration : StatementReader(source, i).run()) {
      if (declaration.name != name) continue;
      const bool inside = declaration.function != no_function;
      if (inside && source.functions[declaration.function].name == function) own.push_back(declaration);
      const bool known = std::any_of(source.functions.begin(), source.functions.end(),
                                     [&](const FunctionText& other) { return other.name == function; });
      if (!known || !inside || !is_kernel(source, declaration.function)) all.push_back(std::move(declaration));
    }
  }
  std::vector<Declaration>& found = own.empty() ? all : own;
  if (found.empty())
    return fail("fix.declaration", "", "no __shared__ declaration of " + std::string(name) + " is in the source",
                "Name the file that declares it with --source.");
  if (found.size() > 1)
    return fail("fix.declaration", "",
                "several declarations of " + std::string(name) + " are in the source, in lines " + places(found),
                "Give the arrays different names, or put the code into its declaration by hand.");
  find_uses(source, found.front());
  return std::move(found.front());
}

std::optional<DeclaredShape> declared_shape(const SourceText& source, const Declaration& declaration,
                                            std::string_view kernel, std::uint32_t array_bytes) {
  if (declaration.sizes.empty() || declaration.is_extern) return std::nullopt;
  const std::map<std::string, std::string> types = type_arguments(source, declaration, kernel);
  const Constants constants(source, declaration.function, value_arguments(source, declaration, kernel));
  const std::uint32_t bytes = type_bytes(declaration.type, types);
  std::vector<std::vector<std::int64_t>> choices;
  for (const Span& size : declaration.sizes) {
    choices.push_back(constants.values_of(size.in(source.text)));
    if (choices.back().empty()) return std::nullopt;
  }
  std::optional<DeclaredShape> found;
  std::vector<std::size_t> turn(choices.size());
  for (std::size_t tried = 0; tried < 4096; ++tried) {
    DeclaredShape shape;
    std::uint64_t elements = 1;
    for (std::size_t i = 0; i < choices.size(); ++i) {
      const std::int64_t size = choices[i][turn[i]];
      if (size < 1 || size > array_bytes) elements = 0;
      elements = std::min<std::uint64_t>(elements * static_cast<std::uint64_t>(size), std::uint64_t{array_bytes} + 1);
      shape.sizes.push_back(static_cast<std::uint32_t>(size));
    }
    const bool fits = elements != 0 && array_bytes % elements == 0 && (bytes == 0 || elements * bytes == array_bytes);
    if (fits) {
      shape.element_bytes = static_cast<std::uint32_t>(array_bytes / elements);
      shape.element = types.contains(declaration.type) ? types.at(declaration.type) : declaration.type;
      if (found) return std::nullopt;
      found = std::move(shape);
    }
    std::size_t i = 0;
    while (i < turn.size() && ++turn[i] == choices[i].size()) turn[i++] = 0;
    if (i == turn.size()) return found;
  }
  return std::nullopt;
}

std::vector<PitchConstant> pitch_constants(const SourceText& source, const Declaration& declaration,
                                           std::string_view kernel, std::uint32_t array_elements) {
  std::vector<PitchConstant> result;
  if (declaration.sizes.size() != 1 || declaration.is_extern) return result;
  const Constants constants(source, declaration.function, value_arguments(source, declaration, kernel));
  for (const Token& token : source.tokens) {
    if (token.kind != Token::Kind::name || !declaration.sizes[0].holds(token.place.begin)) continue;
    const std::string name(token.place.in(source.text));
    const auto is_it = [&](const ConstantText& constant) { return constant.name == name; };
    const auto found = std::find_if(source.constants.begin(), source.constants.end(), is_it);
    if (found == source.constants.end() || std::any_of(found + 1, source.constants.end(), is_it)) continue;
    const std::vector<std::int64_t> values = constants.values_of(name);
    if (values.size() != 1 || values[0] < 2 || values[0] >= array_elements || array_elements % values[0] != 0) continue;
    result.push_back({name, found->value, static_cast<std::uint32_t>(values[0])});
  }
  return result;
}

}  // namespace lanebank::advise
