#include "show/element_type.hpp"

#include <iterator>

namespace lanebank::show {
namespace {

constexpr ElementType types[] = {
#define LANEBANK_ELEMENT_TYPE(name, bytes, component, components) {name, bytes, component, components},
#include "show/types.def"
};

struct Spelling {
  std::string_view written, means;
};
constexpr Spelling spellings[] = {
    {"unsigned int", "unsigned"},
    {"signed int", "int"},
    {"signed", "int"},
    {"unsigned char", "u8"},
    {"signed char", "i8"},
    {"unsigned short", "u16"},
    {"short int", "short"},
    {"unsigned short int", "u16"},
    {"unsigned long long", "u64"},
    {"long long int", "long long"},
    {"long", "i64"},
    {"unsigned long", "u64"},
    {"std::uint8_t", "uint8_t"},
    {"std::uint16_t", "uint16_t"},
    {"std::uint32_t", "uint32_t"},
    {"std::uint64_t", "uint64_t"},
    {"std::int8_t", "int8_t"},
    {"std::int16_t", "int16_t"},
    {"std::int32_t", "int32_t"},
    {"std::int64_t", "int64_t"},
    {"std::size_t", "size_t"},
    {"cutlass::half_t", "half_t"},
    {"cutlass::bfloat16_t", "bf16"},
    {"cute::half_t", "half_t"},
    {"unsigned long long int", "u64"},
};

/// The words of a type without qualifiers, one space between them.
std::string words_of(std::string_view name) {
  std::string result;
  while (!name.empty()) {
    const std::size_t begin = name.find_first_not_of(" \t");
    if (begin == std::string_view::npos) break;
    name.remove_prefix(begin);
    const std::size_t end = std::min(name.find_first_of(" \t"), name.size());
    const std::string_view word = name.substr(0, end);
    name.remove_prefix(end);
    if (word == "const" || word == "volatile" || word == "struct") continue;
    result += (result.empty() ? "" : " ") + std::string(word);
  }
  return result;
}

}  // namespace

const ElementType* element_type(std::string_view name) {
  const std::string words = words_of(name);
  std::string_view wanted = words;
  for (const Spelling& spelling : spellings)
    if (wanted == spelling.written) wanted = spelling.means;
  for (const ElementType& type : types)
    if (type.name == wanted) return &type;
  return nullptr;
}

std::string plain_type_name(unsigned bytes) {
  for (const ElementType& type : types)
    if (type.bytes == bytes) return std::string(type.name);
  return std::to_string(bytes) + "-byte elements";
}

}  // namespace lanebank::show
