// Lines that a hostile program writes into the channel.
#include <cstdint>
#include <string_view>

#include "report/channel.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  lanebank::report::ChannelReader reader;
  reader.take(line);
  lanebank::findings::ProgramReport report;
  reader.finish(report);
  if (auto record = lanebank::report::decode(line)) (void)lanebank::report::encode(*record);
  return 0;
}
