// The part of the text report that shows one kernel in full.
#pragma once

#include <string>

#include "report/digest.hpp"
#include "report/kernel_names.hpp"
#include "report/paint.hpp"

namespace lanebank::report {

struct KernelTextOptions {
  std::size_t width = 120;
  unsigned rows = 12;                  ///< lines with excess that are shown; 0: all
  const KernelNames* names = nullptr;  ///< of the report's kernels, so that long ones differ
};

/// Title, totals, what stopped it, lines with excess with reasons and cures, lines not modelled, clean lines.
std::string kernel_text(const KernelDigest& kernel, const Paint& paint, const KernelTextOptions& options);

}  // namespace lanebank::report
