// Writing uniform registers: URZ takes nothing.
#pragma once

#include "machine/lanes/lane.hpp"

namespace lanebank::machine::LANEBANK_SIMD {
namespace {

inline constexpr unsigned uniform_zero = 63;

LANEBANK_INLINE void set_uniform(Warp& w, unsigned d, std::uint32_t value) {
  w.uniform[d] = value;
  w.uniform[uniform_zero] = 0;
}

LANEBANK_INLINE void set_uniform_pair(Warp& w, unsigned d, std::uint64_t value) {
  w.uniform[d] = static_cast<std::uint32_t>(value);
  w.uniform[d + 1] = static_cast<std::uint32_t>(value >> 32);
  w.uniform[uniform_zero] = w.uniform[uniform_zero + 1] = 0;
}

}  // namespace
}  // namespace lanebank::machine::LANEBANK_SIMD
