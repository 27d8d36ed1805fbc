// Symbols of hostile programs.
#include <cstdint>
#include <string_view>

#include "session/kernel_name.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)lanebank::session::kernel_name({reinterpret_cast<const char*>(data), size});
  return 0;
}
