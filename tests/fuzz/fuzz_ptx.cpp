// The scanner of PTX text, and the arrays that its accesses mean.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "image/ptx.hpp"
#include "image/ptx_accesses.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lanebank::image;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  auto inside = [&](std::string_view name) {
    if (!name.empty() && (name.data() < text.data() || name.data() + name.size() > text.data() + text.size()))
      std::abort();
  };
  for (const PtxModule& module : scan_ptx(text)) {
    for (const PtxArray& array : module.arrays) inside(array.name);
    for (const PtxFunction& function : module.functions) {
      inside(function.name);
      for (const PtxArray& array : function.arrays) inside(array.name);
      for (std::string_view name : function.mentioned) inside(name);
    }
  }
  for (const PtxAccess& access : shared_accesses(text)) inside(access.symbol);
  return 0;
}
