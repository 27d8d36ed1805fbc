// What makes a finding the same finding after lines moved: its rule, kernel, function and array, and the text of its source line
// without blanks. Without the source: which instruction it is.
#pragma once

#include <cstdint>
#include <string>

#include "findings/report.hpp"
#include "report/sources.hpp"

namespace lanebank::report {

/// Equal for findings of equal lines in one kernel.
std::uint64_t fingerprint(const findings::Finding& finding, Sources& sources);

/// 16 digits.
std::string hex(std::uint64_t number);

}  // namespace lanebank::report
