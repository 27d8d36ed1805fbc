// The fatbin container and both decompressors.
#include <cstdint>
#include <span>

#include "image/fatbin.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lanebank::image;
  auto entries = read_fatbin(std::as_bytes(std::span(data, size)));
  if (!entries) return 0;
  for (const FatbinEntry& entry : *entries) {
    // The limit of unpack() is a gigabyte; the fuzzer is after faults, not after its own memory limit.
    if (entry.unpacked_bytes < (1u << 24)) (void)unpack(entry);
  }
  return 0;
}
