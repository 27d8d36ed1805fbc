// The part of the text report that says what bounds the time of each kernel.
#pragma once

#include <string>
#include <vector>

#include "report/digest.hpp"
#include "report/paint.hpp"

namespace lanebank::report {

/// "8.1 us": three figures.
std::string time_text(double seconds);
/// "12 %", and never 0 % of something.
std::string share_text(double share);

/// A table with a row for each kernel whose launches have an estimate; empty if none has.
std::string bottleneck_text(const std::vector<KernelDigest>& kernels, const Paint& paint, std::size_t width);

}  // namespace lanebank::report
