// A comparison for people, and as lanebank.verify/1.
#pragma once

#include <string>

#include "findings/report.hpp"
#include "verify/compare.hpp"

namespace lanebank::verify {

struct TextOptions {
  unsigned width = 120;  ///< columns of the terminal
  bool color = false;
  int exit_code = 0;
  std::size_t rows = 24;  ///< equal rows shown of a kernel; others are always shown
};

/// A table for each kernel, prediction and measurement side by side; why figures differ; the hardware counters; and what the
/// numbers mean, by the costliest instruction.
std::string verify_text(const findings::ProgramReport& predicted, const Comparison& comparison,
                        const TextOptions& options);

/// share/lanebank/schema/verify-1.schema.json
std::string verify_json(const findings::ProgramReport& predicted, const Comparison& comparison);

}  // namespace lanebank::verify
