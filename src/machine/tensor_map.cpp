#include "machine/tensor_map.hpp"

#include <iterator>

namespace lanebank::machine {
namespace {

constexpr std::uint32_t magic = 0x4c42544d;  // "MTBL"
constexpr unsigned magic_word = 16, columns_word = 17, corners_word = 18;

/// By CUtensorMapDataType: the type in a map, and bytes of an element.
struct ElementType {
  std::uint8_t code, bytes;
  bool tf32 = false;
};
constexpr ElementType element_types[] = {{0, 1}, {1, 2}, {2, 4},  {3, 4}, {4, 8},       {5, 8},      {6, 2},
                                         {7, 4}, {9, 8}, {10, 2}, {8, 4}, {7, 4, true}, {8, 4, true}};

constexpr std::uint32_t bits(std::uint32_t word, unsigned first, unsigned end) {
  return word >> first & ((1u << (end - first)) - 1);
}

}  // namespace

TensorMapWords encoded(const TensorMap& map) {
  TensorMapWords words = {};
  words[0] = static_cast<std::uint32_t>(map.address);
  words[1] = static_cast<std::uint32_t>(map.address >> 32);
  const ElementType type = map.data_type < std::size(element_types) ? element_types[map.data_type] : ElementType{15, 0};
  words[2] = (map.rank - 1u) << 4 | std::uint32_t{type.code} << 7 | std::uint32_t{map.interleave} << 11 |
             std::uint32_t{map.swizzle} << 13 | std::uint32_t{map.fill_nan} << 15 | std::uint32_t{type.tf32} << 16;
  for (unsigned n = 0; n < 4; ++n) {
    words[3 + n] = static_cast<std::uint32_t>(map.stride_bytes[n] >> 4);
    words[7] |= static_cast<std::uint32_t>(map.stride_bytes[n] >> 36 & 15) << (4 * n);
  }
  for (unsigned n = 0; n < 5; ++n) {
    words[8 + n] = map.extent[n] - 1u;
    words[13] |= ((map.element_stride[n] - 1u) & 7) << (3 * n);
    const std::uint32_t box = (map.box[n] - 1u) & 0xff;
    words[n == 0 ? 13 : 14] |= box << (n == 0 ? 24 : 8 * (n - 1));
  }
  words[magic_word] = magic;
  words[columns_word] = map.channels | std::uint32_t{map.pixels} << 16;
  for (unsigned n = 0; n < 3; ++n)
    words[corners_word + n] = static_cast<std::uint16_t>(map.lower[n]) |
                              static_cast<std::uint32_t>(static_cast<std::uint16_t>(map.upper[n])) << 16;
  return words;
}

bool decode(const TensorMapWords& words, TensorMap& map) {
  if (words[magic_word] != magic) return false;
  map = {};
  map.address = words[0] | std::uint64_t{words[1]} << 32;
  map.rank = static_cast<std::uint8_t>(bits(words[2], 4, 7) + 1);
  const std::uint32_t code = bits(words[2], 7, 11);
  for (std::size_t type = 0; type < std::size(element_types); ++type) {
    const bool tf32 = (code == 7 || code == 8) && bits(words[2], 16, 17) != 0;
    if (element_types[type].code != code || element_types[type].tf32 != tf32) continue;
    map.data_type = static_cast<std::uint8_t>(type);
    map.element_bytes = element_types[type].bytes;
  }
  map.interleave = static_cast<std::uint8_t>(bits(words[2], 11, 13));
  map.swizzle = static_cast<std::uint8_t>(bits(words[2], 13, 15) | bits(words[2], 22, 23) << 2);
  map.fill_nan = static_cast<std::uint8_t>(bits(words[2], 15, 16));
  map.channels = static_cast<std::uint16_t>(words[columns_word]);
  map.pixels = static_cast<std::uint16_t>(words[columns_word] >> 16);
  for (unsigned n = 0; n < 4; ++n)
    map.stride_bytes[n] = std::uint64_t{words[3 + n]} << 4 | std::uint64_t{bits(words[7], 4 * n, 4 * n + 4)} << 36;
  for (unsigned n = 0; n < 5; ++n) {
    map.extent[n] = words[8 + n] + 1u;
    map.element_stride[n] = static_cast<std::uint8_t>(bits(words[13], 3 * n, 3 * n + 3) + 1);
    map.box[n] = static_cast<std::uint16_t>((words[n == 0 ? 13 : 14] >> (n == 0 ? 24 : 8 * (n - 1)) & 0xff) + 1);
  }
  for (unsigned n = 0; n < 3; ++n) {
    map.lower[n] = static_cast<std::int16_t>(words[corners_word + n]);
    map.upper[n] = static_cast<std::int16_t>(words[corners_word + n] >> 16);
  }
  return true;
}

}  // namespace lanebank::machine
