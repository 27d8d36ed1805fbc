// `lanebank wavefronts`: any bytes give rows or a Diagnostic with place and remedy, never a crash.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "checks/wavefronts_csv.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
  std::ostringstream out;
  const lanebank::Result<void> result = lanebank::checks::predict_wavefronts(in, out, {"f.csv", 90});
  if (!result) {
    const lanebank::Diagnostic& error = result.error();
    if (error.id.rfind("csv.", 0) != 0 || error.where.rfind("f.csv", 0) != 0 || error.what.empty() ||
        error.remedy.empty())
      std::abort();
  } else if (out.str().find("predicted_wavefronts,predicted_ideal") == std::string::npos) {
    std::abort();
  }
  return 0;
}
