// Report files from elsewhere.
#include <cstdint>
#include <string_view>

#include "base/check.hpp"
#include "report/json.hpp"
#include "report/text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto report = lanebank::report::read_json({reinterpret_cast<const char*>(data), size});
  if (!report) return 0;
  try {
    (void)lanebank::report::write_json(*report, {true, true});
    (void)lanebank::report::write_text(*report);
  } catch (const lanebank::InternalError&) {
    // totals that are not the sum of their parts
  }
  return 0;
}
