// Report files from elsewhere.
#include <cstdint>
#include <string_view>

#include "base/check.hpp"
#include "report/github.hpp"
#include "report/html.hpp"
#include "report/json.hpp"
#include "report/junit.hpp"
#include "report/markdown.hpp"
#include "report/sarif.hpp"
#include "report/text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto report = lanebank::report::read_json({reinterpret_cast<const char*>(data), size});
  if (!report) return 0;
  try {
    (void)lanebank::report::write_json(*report, {true, true});
    (void)lanebank::report::write_text(*report);
    lanebank::report::Sources sources([](const std::string&) { return std::optional<std::string>("a\nb\nc\n"); });
    (void)lanebank::report::write_html(*report, sources);
    (void)lanebank::report::write_sarif(*report, sources);
    (void)lanebank::report::write_junit(*report);
    (void)lanebank::report::write_github(*report);
    if (lanebank::report::write_markdown(*report).size() > 65'536) __builtin_trap();
  } catch (const lanebank::InternalError&) {
    // totals that are not the sum of their parts
  }
  return 0;
}
