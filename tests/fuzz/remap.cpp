// Words of --remap and the layouts that they mean.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "advise/byte_map.hpp"
#include "advise/remap.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::uint32_t element_bytes = 1u << data[0] % 5, size_bytes = data[1] * 16u;
  const auto remap = lanebank::advise::read_remap(std::string(reinterpret_cast<const char*>(data) + 2, size - 2));
  if (!remap || size_bytes == 0) return 0;
  const auto layout = lanebank::solve::layout_from(remap->layout, size_bytes, element_bytes, 8);
  if (!layout) return 0;
  const auto map = lanebank::advise::ByteMap::of(*layout);
  if (map && map->size_bytes() != size_bytes) std::abort();
  const std::string text = lanebank::solve::layout_text(*layout);
  const auto again = lanebank::solve::read_layout_text(text);
  if (!again) std::abort();
  const auto same = lanebank::solve::layout_from(*again, size_bytes, element_bytes, 8);
  if (!same || !(*same == *layout)) std::abort();
  return 0;
}
