// Lines that a hostile program writes into the channel, and what is then counted from them.
#include <cstdint>
#include <string_view>

#include "advise/remap.hpp"
#include "report/channel.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  lanebank::report::ChannelReader reader;
  reader.take(line);
  lanebank::findings::ProgramReport report;
  reader.finish(report);
  std::vector<lanebank::advise::RemapRequest> remaps;
  for (const char* text : {"tile=pad+1", "smem=swizzle<3,4,3>", "tile=swizzle<5,2,5>"})
    if (auto remap = lanebank::advise::read_remap(text)) remaps.push_back(*remap);
  lanebank::advise::apply_remaps(report, remaps, {{"smem", 8, 2}});
  if (auto record = lanebank::report::decode(line)) (void)lanebank::report::encode(*record);
  return 0;
}
