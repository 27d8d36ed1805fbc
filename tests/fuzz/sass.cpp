// Any 16 bytes decode and print, on every architecture.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "sass/instruction.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 20) return 0;
  std::byte code[16];
  std::memcpy(code, data, sizeof code);
  std::uint32_t address;
  std::memcpy(&address, data + 16, sizeof address);
  for (unsigned architecture : {75u, 80u, 86u, 89u, 90u}) {
    lanebank::sass::Instruction instruction =
        lanebank::sass::decode(lanebank::sass::word_at(code), address, architecture);
    if (lanebank::sass::disassemble(instruction, architecture).empty()) std::abort();
  }
  return 0;
}
