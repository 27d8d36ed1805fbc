// Arrays that are written through a swizzle and read another way, from the access records of a launch.
//
// Stores go through the swizzle f ^ ((f & mask) >> shift) if undoing it makes the addresses of all of them a sum of the same steps, one
// for each bit of the lane, and they were not without. Reads that follow the swizzle become alike too. If some do and others do
// not, or if reads are alike as they are and not after undoing, those do not follow it. Programs may mean that (butterflies, bit
// reversals), so it is no error by itself.
#pragma once

#include <cstdint>
#include <vector>

#include "checks/conflicts.hpp"

namespace lanebank::checks {

struct SwizzleMismatch {
  std::int32_t array = no_array;
  unsigned bits = 0, base = 0, shift = 0;  ///< as Swizzle<Bits, Base, Shift>, on bytes from the array's start
  std::uint32_t store = 0;                 ///< an instruction that writes through it
  std::uint32_t load = 0;                  ///< the first that does not read through it
  unsigned following = 0, others = 0;      ///< instructions that read
};

/// At most one for each array.
std::vector<SwizzleMismatch> swizzle_mismatches(const ConflictReport& report, const std::vector<SharedArray>& arrays);

}  // namespace lanebank::checks
