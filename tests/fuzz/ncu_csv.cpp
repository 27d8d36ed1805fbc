// Pages of Nsight Compute: any bytes give launches that can be compared and printed, or a Diagnostic with place and remedy.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "../report/sample.hpp"
#include "verify/formats.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lanebank;
  std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
  auto launches = verify::read_ncu_csv(in, "f.csv");
  if (!launches) {
    const Diagnostic& error = launches.error();
    if (error.id.rfind("ncu.", 0) != 0 || error.where.rfind("f.csv", 0) != 0 || error.what.empty() ||
        error.remedy.empty())
      std::abort();
    return 0;
  }
  static const findings::ProgramReport predicted = [] {
    findings::ProgramReport report;
    report.launches = {test::plain_launch(0), test::clean_launch(1)};
    return report;
  }();
  if (auto both = verify::joined(*launches, *launches); both && both->size() > launches->size()) std::abort();
  const verify::Comparison comparison = verify::compare(predicted, std::move(*launches), true);
  const verify::Totals& total = comparison.total;
  if (total.equal + total.explained + total.unexplained != total.rows) std::abort();
  if (verify::verify_text(predicted, comparison, {}).empty() || verify::verify_json(predicted, comparison).empty())
    std::abort();
  return 0;
}
