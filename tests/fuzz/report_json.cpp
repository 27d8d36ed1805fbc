// Report files and baselines from elsewhere.
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/check.hpp"
#include "findings/accepted.hpp"
#include "report/baseline.hpp"
#include "report/github.hpp"
#include "report/html.hpp"
#include "report/json.hpp"
#include "report/junit.hpp"
#include "report/markdown.hpp"
#include "report/sarif.hpp"
#include "report/text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto sources = std::make_shared<lanebank::report::Sources>();
  const auto baseline = lanebank::report::read_baseline(text, "baseline.json", sources);
  auto report = lanebank::report::read_json(text);
  if (!report) return 0;
  if (baseline) lanebank::findings::accept_known(*report, {}, *baseline);
  try {
    (void)lanebank::report::write_baseline(report->findings, *sources);
    (void)lanebank::report::write_json(*report, {true, true});
    (void)lanebank::report::write_text(*report);
    lanebank::report::Sources lines([](const std::string&) { return std::optional<std::string>("a\nb\nc\n"); });
    (void)lanebank::report::write_html(*report, lines);
    (void)lanebank::report::write_sarif(*report, lines);
    (void)lanebank::report::write_junit(*report);
    (void)lanebank::report::write_github(*report);
    if (lanebank::report::write_markdown(*report).size() > 65'536) __builtin_trap();
  } catch (const lanebank::InternalError&) {
    // totals that are not the sum of their parts
  }
  return 0;
}
