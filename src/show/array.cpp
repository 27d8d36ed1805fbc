#include "show/array.hpp"

#include <cctype>
#include <charconv>

#include "show/caret.hpp"

namespace lanebank::show {
namespace {

constexpr const char* tile_remedy =
    "Write ROWSxCOLUMNSxTYPE, for instance --tile 32x33xf32, or a declaration: --tile '__shared__ float tile[32][33]'.";
constexpr std::size_t dimension_limit = 6;

tl::unexpected<Diagnostic> wrong(const std::string& text, std::size_t index, const std::string& what,
                                 const char* remedy = tile_remedy) {
  return tl::unexpected(at_column("show.tile", text, index + 1, what, remedy));
}

Result<void> check_size(const std::string& text, const Array& array) {
  if (array.bytes() > shared_limit_bytes)
    return wrong(text, 0, "the array has more than the 227 KiB of shared memory that a block can have",
                 "Give the part that lies in shared memory at one time.");
  return {};
}

/// After `float`: a name and sizes in brackets.
Result<Array> parse_declaration(const std::string& text, std::size_t bracket, const Scope& scope) {
  std::size_t name_end = bracket;
  while (name_end > 0 && text[name_end - 1] == ' ') --name_end;
  std::size_t name_begin = name_end;
  while (name_begin > 0 && is_name(text[name_begin - 1])) --name_begin;
  if (name_begin == name_end) return wrong(text, bracket, "expected the array's name before '['");
  Array array;
  array.given = true;
  array.name = text.substr(name_begin, name_end - name_begin);
  std::string type = text.substr(0, name_begin);
  for (const std::string_view word : {"extern", "__shared__", "static", "__align__(16)", "alignas(16)",
                                      "__align__(128)", "alignas(128)", "__align__(1024)", "alignas(1024)"})
    if (const std::size_t at = type.find(word); at != std::string::npos)
      type.replace(at, word.size(), word.size(), ' ');
  array.type = element_type(type);
  if (array.type == nullptr) {
    const std::size_t at = type.find_first_not_of(' ');
    return wrong(text, at == std::string::npos ? 0 : at, "unknown element type");
  }
  std::size_t at = bracket;
  while (at < text.size() && text[at] == '[') {
    const std::size_t close = text.find(']', at);
    if (close == std::string::npos) return wrong(text, text.size(), "expected ']', found the end");
    if (array.sizes.size() == dimension_limit) return wrong(text, at, "more than 6 dimensions");
    if (text.find_first_not_of(' ', at + 1) == close) {
      if (!array.sizes.empty()) return wrong(text, close, "only the first size may be left out");
      array.sizes.push_back(0);
    } else {
      const Result<Arithmetic> size = Arithmetic::parse(text, at + 1, close, scope.names());
      if (!size) return tl::unexpected(size.error());
      const auto values = scope.values(Block{}, 0, 0);
      if (!values) return tl::unexpected(values.error());
      const Result<std::int64_t> value = size->evaluate(*values);
      if (!value) return tl::unexpected(value.error());
      if (*value < 1 || *value > shared_limit_bytes) return wrong(text, at + 1, "a size of " + std::to_string(*value));
      array.sizes.push_back(static_cast<std::uint32_t>(*value));
    }
    at = close + 1;
  }
  const std::size_t rest = text.find_first_not_of(" ;", at);
  if (rest != std::string::npos) return wrong(text, rest, "expected '[' or the end, found " + found_at(text, rest));
  if (const Result<void> fits = check_size(text, array); !fits) return tl::unexpected(fits.error());
  return array;
}

}  // namespace

std::uint64_t Array::bytes() const {
  if (sizes.empty()) return 0;
  std::uint64_t bytes = type->bytes;
  for (const std::uint32_t size : sizes) bytes = std::min<std::uint64_t>(bytes * size, std::uint64_t{1} << 40);
  return bytes;
}

std::string Array::text() const {
  std::string text;
  for (const std::uint32_t size : sizes)
    if (size != 0) text += (text.empty() ? "" : "x") + std::to_string(size);
  return text + (text.empty() ? "" : " ") + std::string(type->name);
}

Result<std::uint32_t> parse_offset(const std::string& text, unsigned element_bytes) {
  std::uint32_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string unit(stop, text.data() + text.size());
  const bool elements = unit == "e" || unit == "elements";
  if (error != std::errc{} || value > shared_limit_bytes ||
      (!unit.empty() && unit != "B" && unit != "bytes" && !elements))
    return tl::unexpected(at_column("show.offset", text, 1, "expected an offset into shared memory",
                                    "Write bytes (256 or 256B) or elements (64e), at most 227 KiB."));
  return elements ? value * element_bytes : value;
}

Result<Array> parse_array(const std::string& text, const Scope& scope) {
  if (text.size() > 400) return wrong(text, 400, "longer than 400 characters");
  if (const std::size_t bracket = text.find('['); bracket != std::string::npos)
    return parse_declaration(text, bracket, scope);
  Array array;
  array.given = true;
  std::size_t at = 0;
  if (const std::size_t equals = text.find('='); equals != std::string::npos) {
    array.name = text.substr(0, equals);
    for (std::size_t i = 0; i < equals; ++i)
      if (!is_name(text[i])) return wrong(text, i, "expected a name before '=', found " + found_at(text, i));
    at = equals + 1;
  }
  const std::size_t end = std::min(text.find('@'), text.size());
  while (at < end && std::isdigit(static_cast<unsigned char>(text[at])) != 0) {
    std::uint32_t size = 0;
    const auto [stop, error] = std::from_chars(text.data() + at, text.data() + end, size);
    if (error != std::errc{} || size == 0 || size > shared_limit_bytes)
      return wrong(text, at, "expected a size from 1 to 232448");
    array.sizes.push_back(size);
    if (array.sizes.size() > dimension_limit) return wrong(text, at, "more than 6 dimensions");
    at = static_cast<std::size_t>(stop - text.data());
    if (at >= end || text[at] != 'x')
      return wrong(text, at, "expected 'x' and a size or a type, found " + (at < end ? found_at(text, at) : "the end"));
    ++at;
  }
  array.type = element_type(std::string_view(text).substr(at, end - at));
  if (array.type == nullptr)
    return wrong(text, at, at >= end ? "expected a type, found the end" : "unknown element type");
  if (end < text.size()) {
    const Result<std::uint32_t> base = parse_offset(text.substr(end + 1), array.type->bytes);
    if (!base) return wrong(text, end + 1, "expected an offset in bytes, or in elements as 64e");
    array.base_bytes = *base;
  }
  if (const Result<void> fits = check_size(text, array); !fits) return tl::unexpected(fits.error());
  return array;
}

}  // namespace lanebank::show
