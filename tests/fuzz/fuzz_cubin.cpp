// A cubin from its ELF header to linked code, line chains and shared arrays.
#include <cstdint>
#include <span>

#include "image/cubin.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lanebank::image;
  auto cubin = read_cubin(std::as_bytes(std::span(data, size)));
  if (!cubin) return 0;
  Placement place{0x1000, 0x2000, 0x3000, 0x4000, [](std::string_view name) {
                    return name.empty() ? std::nullopt : std::optional<std::uint64_t>(0x5000);
                  }};
  (void)link(*cubin, place);
  std::size_t asked = 0;
  for (const Function& function : cubin->functions)
    for (const LineTable::Row& row : function.lines.rows)
      if (++asked < 100) (void)function.lines.find(row.offset_bytes);
  return 0;
}
