// The part of the text report that says what bounds the time of each kernel.
#pragma once

#include <string>
#include <vector>

#include "report/digest.hpp"
#include "report/paint.hpp"

namespace lanebank::report {

/// A table with a row for each kernel whose launches have an estimate; empty if none has.
std::string bottleneck_text(const std::vector<KernelDigest>& kernels, const Paint& paint, std::size_t width);

}  // namespace lanebank::report
