#include "kernel_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <random>

#include "base/words.hpp"
#include "machine/numerics/binary16.hpp"
#include "output.hpp"
#include "show/element_type.hpp"

namespace lanebank::tools {

using machine::numerics::Brain;
using machine::numerics::Half;
using Kind = NumberType::Kind;

namespace {

constexpr NumberType types[] = {
    {"i8", Kind::signed_integer, 1},
    {"s8", Kind::signed_integer, 1},
    {"char", Kind::signed_integer, 1},
    {"int8_t", Kind::signed_integer, 1},
    {"u8", Kind::unsigned_integer, 1},
    {"uint8_t", Kind::unsigned_integer, 1},
    {"bool", Kind::unsigned_integer, 1},
    {"byte", Kind::unsigned_integer, 1},
    {"i16", Kind::signed_integer, 2},
    {"s16", Kind::signed_integer, 2},
    {"short", Kind::signed_integer, 2},
    {"int16_t", Kind::signed_integer, 2},
    {"u16", Kind::unsigned_integer, 2},
    {"ushort", Kind::unsigned_integer, 2},
    {"uint16_t", Kind::unsigned_integer, 2},
    {"i32", Kind::signed_integer, 4},
    {"s32", Kind::signed_integer, 4},
    {"int", Kind::signed_integer, 4},
    {"int32_t", Kind::signed_integer, 4},
    {"u32", Kind::unsigned_integer, 4},
    {"unsigned", Kind::unsigned_integer, 4},
    {"uint", Kind::unsigned_integer, 4},
    {"uint32_t", Kind::unsigned_integer, 4},
    {"i64", Kind::signed_integer, 8},
    {"s64", Kind::signed_integer, 8},
    {"int64_t", Kind::signed_integer, 8},
    {"long", Kind::signed_integer, 8},
    {"long long", Kind::signed_integer, 8},
    {"u64", Kind::unsigned_integer, 8},
    {"uint64_t", Kind::unsigned_integer, 8},
    {"size_t", Kind::unsigned_integer, 8},
    {"f16", Kind::floating, 2},
    {"half", Kind::floating, 2},
    {"__half", Kind::floating, 2},
    {"bf16", Kind::brain, 2},
    {"__nv_bfloat16", Kind::brain, 2},
    {"nv_bfloat16", Kind::brain, 2},
    {"f32", Kind::floating, 4},
    {"float", Kind::floating, 4},
    {"f64", Kind::floating, 8},
    {"double", Kind::floating, 8},
};

bool is_whole(const NumberType& type) {
  return type.kind == Kind::signed_integer || type.kind == Kind::unsigned_integer;
}

tl::unexpected<Diagnostic> wrong(const std::string& what, const std::string& remedy = {}) {
  return fail("kernel.argument", "", what, remedy);
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = std::min(text.find(at, begin), text.size());
    parts.push_back(trimmed(text.substr(begin, end - begin)));
    if (end == text.size()) return parts;
    begin = end + 1;
  }
}

template <class T>
void append(std::vector<std::byte>& bytes, T value) {
  const auto* first = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), first, first + sizeof value);
}

/// The last bytes of a two's complement number.
void append_whole(std::vector<std::byte>& bytes, const NumberType& type, std::uint64_t value) {
  const auto* first = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), first, first + type.bytes);
}

void append_floating(std::vector<std::byte>& bytes, const NumberType& type, double value) {
  if (type.bytes == 8) return append(bytes, value);
  const auto single = static_cast<float>(value);
  if (type.bytes == 4) return append(bytes, single);
  append(bytes, static_cast<std::uint16_t>(type.kind == Kind::brain ? Brain::narrow(single) : Half::narrow(single)));
}

Result<double> read_floating(std::string_view text, const show::Scope& scope) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (!text.empty() && error == std::errc{} && end == text.data() + text.size()) return value;
  return read_whole(text, scope).map([](std::int64_t whole) { return static_cast<double>(whole); });
}

/// Whether the type has the number; unsigned ones may be given as the signed number with the same bits.
bool holds(const NumberType& type, std::int64_t value) {
  if (type.bytes == 8) return true;
  const std::int64_t range = std::int64_t{1} << (8 * type.bytes);
  return value >= -range / 2 && value < (type.kind == Kind::signed_integer ? range / 2 : range);
}

Result<void> append_number(std::vector<std::byte>& bytes, const NumberType& type, std::string_view text,
                           const show::Scope& scope) {
  if (!is_whole(type))
    return read_floating(text, scope).map([&](double value) { append_floating(bytes, type, value); });
  std::uint64_t large = 0;  // above what an expression has
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), large);
  if (type.bytes == 8 && error == std::errc{} && end == text.data() + text.size()) {
    append_whole(bytes, type, large);
    return {};
  }
  return read_whole(text, scope).and_then([&](std::int64_t value) -> Result<void> {
    if (!holds(type, value)) return wrong(std::to_string(value) + " does not fit into " + std::string(type.name));
    append_whole(bytes, type, static_cast<std::uint64_t>(value));
    return {};
  });
}

/// One content, of `count` numbers.
class Filler {
 public:
  Filler(const NumberType& type, const show::Scope& scope, std::uint64_t count)
      : type_(type), scope_(scope), count_(count) {}

  Result<std::vector<std::byte>> fill(std::string_view text) {
    const std::vector<std::string_view> words = split(text, ':');
    if (text.empty() || text == "zero") return std::vector<std::byte>(count_ * type_.bytes);
    bytes_.reserve(count_ * type_.bytes);
    if (words[0] == "iota") return iota(words);
    if (words[0] == "random") return random(words);
    return numbers(split(text, ','));
  }

 private:
  Result<std::vector<std::byte>> iota(const std::vector<std::string_view>& words) {
    if (words.size() > 3) return wrong("expected iota, iota:FIRST or iota:FIRST:STEP");
    double parts[] = {0, 1};
    for (std::size_t i = 1; i < words.size(); ++i) {
      const auto part = read_floating(words[i], scope_);
      if (!part) return tl::unexpected(part.error());
      parts[i - 1] = *part;
      if (is_whole(type_) && (*part != std::floor(*part) || std::abs(*part) > 0x1p53))
        return wrong("'" + std::string(words[i]) + "' is no whole number");
    }
    for (std::uint64_t i = 0; i < count_; ++i)
      if (is_whole(type_))
        append_whole(bytes_, type_,
                     static_cast<std::uint64_t>(static_cast<std::int64_t>(parts[0])) +
                         i * static_cast<std::uint64_t>(static_cast<std::int64_t>(parts[1])));
      else
        append_floating(bytes_, type_, parts[0] + static_cast<double>(i) * parts[1]);
    return std::move(bytes_);
  }

  Result<std::vector<std::byte>> random(const std::vector<std::string_view>& words) {
    if (words.size() != 2 && words.size() != 4) return wrong("expected random:SEED or random:SEED:LOW:HIGH");
    const auto seed = read_whole(words[1], scope_);
    if (!seed) return tl::unexpected(seed.error());
    double low = is_whole(type_) ? 0 : -1, high = is_whole(type_) ? 99 : 1;
    if (words.size() == 4) {
      const auto first = read_floating(words[2], scope_), last = read_floating(words[3], scope_);
      if (!first || !last) return tl::unexpected((first ? last : first).error());
      low = *first, high = *last;
    }
    if (!(low <= high) || !std::isfinite(high - low) || (is_whole(type_) && std::max(-low, high) > 0x1p53))
      return wrong("random numbers need LOW <= HIGH");
    // Not std::uniform_..._distribution, which differs between libraries.
    std::mt19937_64 generator(static_cast<std::uint64_t>(*seed));
    for (std::uint64_t i = 0; i < count_; ++i) {
      const double part = static_cast<double>(generator() >> 11) * 0x1p-53;  // 0 <= part < 1
      if (is_whole(type_))
        append_whole(bytes_, type_,
                     static_cast<std::uint64_t>(static_cast<std::int64_t>(low + std::floor(part * (high - low + 1)))));
      else
        append_floating(bytes_, type_, low + part * (high - low));
    }
    return std::move(bytes_);
  }

  Result<std::vector<std::byte>> numbers(const std::vector<std::string_view>& words) {
    for (const std::string_view word : words)
      if (auto added = append_number(bytes_, type_, word, scope_); !added) return tl::unexpected(added.error());
    if (words.size() == count_) return std::move(bytes_);
    if (words.size() != 1)
      return wrong(counted(words.size(), "number", "numbers") + " for " + counted(count_, "element", "elements"));
    const std::vector<std::byte> one = bytes_;
    bytes_.resize(count_ * one.size());
    for (std::size_t i = 0; i < count_; ++i) std::copy(one.begin(), one.end(), bytes_.begin() + i * one.size());
    return std::move(bytes_);
  }

  const NumberType& type_;
  const show::Scope& scope_;
  std::uint64_t count_ = 0;  ///< of numbers; buffer_limit_bytes bounds their bytes
  std::vector<std::byte> bytes_;
};

/// The bytes of a file; `bytes`: as many as there must be.
Result<std::vector<std::byte>> file_content(const std::string& path, std::optional<std::uint64_t> bytes,
                                            unsigned element_bytes) {
  const auto content = content_of(path);
  if (!content) return tl::unexpected(content.error());
  if (bytes && content->size() != *bytes)
    return wrong(path + " has " + grouped(content->size()) + " bytes, the buffer " + grouped(*bytes));
  if (content->size() % element_bytes != 0)
    return wrong(path + " has " + grouped(content->size()) + " bytes, no multiple of an element's " +
                 std::to_string(element_bytes));
  const auto* first = reinterpret_cast<const std::byte*>(content->data());
  return std::vector<std::byte>(first, first + content->size());
}

/// "@0" or "@0+4096".
Result<GivenArgument> read_same(std::string_view text, const show::Scope& scope) {
  const std::size_t plus = std::min(text.find('+'), text.size());
  const auto of = read_whole(text.substr(1, plus - 1), scope);
  const auto offset = plus == text.size() ? Result<std::int64_t>(0) : read_whole(text.substr(plus + 1), scope);
  if (!of || !offset || *of < 0 || *offset < 0)
    return wrong("expected @ARGUMENT or @ARGUMENT+BYTES", "Arguments count from 0.");
  GivenArgument given;
  given.argument = session::KernelArgument::same_as(static_cast<std::size_t>(*of), static_cast<std::uint64_t>(*offset));
  return given;
}

/// What stands in front of "=".
struct Declaration {
  const NumberType* type = nullptr;
  unsigned components = 1;             ///< of a vector type
  std::optional<std::uint64_t> count;  ///< of numbers; none: by the file
  bool is_buffer = false;
};

Result<Declaration> read_declaration(std::string_view text, const show::Scope& scope) {
  const std::size_t bracket = std::min(text.find_first_of("[{"), text.size());
  const std::string name(trimmed(text.substr(0, bracket)));
  Declaration declaration;
  declaration.type = number_type(name);
  if (!declaration.type)
    return wrong("'" + name + "' is no type",
                 "Types are i8 to i64, u8 to u64, f16, bf16, f32, f64 and CUDA's names of them.");
  if (const show::ElementType* vector = show::element_type(name)) declaration.components = vector->components;
  std::uint64_t elements = 1;
  if (bracket < text.size()) {
    declaration.is_buffer = text[bracket] == '[';
    if (text.back() != (declaration.is_buffer ? ']' : '}'))
      return wrong("'" + std::string(text.substr(bracket)) + "' does not end where it should");
    const std::string_view size = trimmed(text.substr(bracket + 1, text.size() - bracket - 2));
    if (size.empty()) return declaration;
    const auto count = read_whole(size, scope);
    if (!count) return tl::unexpected(count.error());
    if (*count < 0 || static_cast<std::uint64_t>(*count) > buffer_limit_bytes / 16)
      return wrong(std::to_string(*count) + " elements are not from 0 to " + grouped(buffer_limit_bytes / 16));
    elements = static_cast<std::uint64_t>(*count);
  }
  declaration.count = elements * declaration.components;
  return declaration;
}

Result<GivenArgument> read(std::string_view text, const show::Scope& scope) {
  if (text.starts_with('@')) return read_same(text, scope);
  GivenArgument given;
  if (text == "null" || text == "nullptr") {
    given.argument = session::KernelArgument::value(static_cast<void*>(nullptr));
    return given;
  }
  const std::size_t equals = std::min(text.find('='), text.size());
  given.declared = std::string(trimmed(text.substr(0, equals)));
  const auto declaration = read_declaration(given.declared, scope);
  if (!declaration) return tl::unexpected(declaration.error());
  given.type = declaration->type;
  const std::string_view content = trimmed(text.substr(std::min(text.size(), equals + 1)));
  const bool from_file = content.starts_with("file:") || content.starts_with("file=");
  if (!declaration->count && !from_file) return wrong("only a file tells the size", "Give one: f32[1024].");
  if (content.empty() && !declaration->is_buffer) return wrong("has no value", "Give one: i32=1024.");
  const unsigned element_bytes = given.type->bytes * declaration->components;
  std::optional<std::uint64_t> bytes;
  if (declaration->count) bytes = *declaration->count * given.type->bytes;
  auto made = from_file ? file_content(std::string(content.substr(5)), bytes, element_bytes)
                        : Filler(*given.type, scope, *declaration->count).fill(content);
  if (!made) return tl::unexpected(made.error());
  if (declaration->is_buffer)
    given.argument = session::KernelArgument::buffer(std::move(*made));
  else
    given.argument.bytes = std::move(*made);
  return given;
}

template <class T>
T value_at(const std::vector<std::byte>& bytes, std::uint64_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof value, sizeof value);
  return value;
}

std::string element_text(const NumberType& type, const std::vector<std::byte>& bytes, std::uint64_t index) {
  if (!is_whole(type)) {
    if (type.bytes == 8) return fmt::format("{}", value_at<double>(bytes, index));
    if (type.bytes == 4) return fmt::format("{}", value_at<float>(bytes, index));
    const std::uint32_t bits = value_at<std::uint16_t>(bytes, index);
    return fmt::format("{}", type.kind == Kind::brain ? Brain::widen(bits) : Half::widen(bits));
  }
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + index * type.bytes, type.bytes);
  if (type.kind == Kind::unsigned_integer) return std::to_string(value);
  const unsigned above = 64 - 8 * type.bytes;
  return std::to_string(static_cast<std::int64_t>(value << above) >> above);
}

}  // namespace

const NumberType* number_type(std::string_view name) {
  const auto named = [](std::string_view wanted) {
    const auto* found =
        std::find_if(std::begin(types), std::end(types), [&](const auto& t) { return t.name == wanted; });
    return found == std::end(types) ? nullptr : found;
  };
  if (const NumberType* found = named(name)) return found;
  const show::ElementType* type = show::element_type(name);
  if (!type) return nullptr;
  const NumberType* component = named(type->component);
  return component ? component : named(type->name);
}

Result<std::int64_t> read_whole(std::string_view text, const show::Scope& scope) {
  const auto expression = show::Arithmetic::parse(text, 0, text.size(), scope.names());
  if (!expression) return tl::unexpected(expression.error());
  const auto values = scope.values({}, 0, 0);
  if (!values) return tl::unexpected(values.error());
  return expression->evaluate(*values);
}

Result<GivenArgument> read_argument(const std::string& text, const show::Scope& scope) {
  return read(trimmed(text), scope).map_error([&](Diagnostic problem) {
    problem.where = "--arg '" + text + "'" + (problem.where.empty() ? "" : ", " + problem.where);
    return problem;
  });
}

std::string elements_text(const NumberType& type, const std::vector<std::byte>& bytes, std::uint64_t most) {
  const std::uint64_t count = bytes.size() / type.bytes, shown = std::min(count, most);
  std::string text;
  for (std::uint64_t i = 0; i < shown; ++i) text += (i == 0 ? "" : " ") + element_text(type, bytes, i);
  if (shown < count) text += " ... (" + grouped(count) + " in all)";
  return text;
}

}  // namespace lanebank::tools
