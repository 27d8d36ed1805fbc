#include "advise/byte_map.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace lanebank::advise {

ByteMap::ByteMap(std::vector<std::uint32_t> to, std::uint32_t bytes) : to_(std::move(to)), bytes_(bytes) {
  together_.assign(to_.size(), 1);
  for (std::size_t byte = to_.size(); byte-- > 1;)
    if (to_[byte] == to_[byte - 1] + 1) together_[byte - 1] = together_[byte] + 1;
}

ByteMap ByteMap::identity(std::uint32_t size_bytes) {
  std::vector<std::uint32_t> to(size_bytes);
  std::iota(to.begin(), to.end(), 0u);
  return ByteMap(std::move(to), size_bytes);
}

Result<ByteMap> ByteMap::of(const solve::Layout& layout) {
  const solve::Tile& tile = layout.tile();
  std::vector<std::uint32_t> to;
  to.reserve(tile.size_bytes());
  for (std::uint32_t row = 0; row < tile.rows; ++row)
    for (std::uint32_t column = 0; column < tile.columns; ++column) {
      const std::uint32_t offset = layout.offset(row, column);
      for (std::uint32_t byte = 0; byte < tile.element_bytes; ++byte) to.push_back(offset + byte);
    }
  const std::uint32_t last = to.empty() ? 0 : *std::max_element(to.begin(), to.end());
  std::vector<bool> taken(to.empty() ? 0 : std::size_t{last} + 1);
  for (const std::uint32_t place : to) {
    if (taken[place])
      return fail("remap.collision", "", "the layout puts two bytes at offset " + std::to_string(place),
                  "Choose a swizzle whose source and target bits do not overlap.");
    taken[place] = true;
  }
  return ByteMap(std::move(to), layout.bytes());
}

}  // namespace lanebank::advise
