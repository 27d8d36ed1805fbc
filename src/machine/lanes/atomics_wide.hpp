// Exchanges and compare-and-swaps of 16 bytes, as atomics.cpp lowers them (sm_90, atom.b128).
#pragma once

#include "machine/lanes/lane.hpp"

namespace lanebank::machine::LANEBANK_SIMD {

/// Operation::detail[1] of one: it compares.
inline constexpr std::uint8_t wide_compares = 1;

const Operation* atomic_wide_shared(Warp& w, const Operation* op);
const Operation* atomic_wide_global(Warp& w, const Operation* op);
const Operation* atomic_wide_generic(Warp& w, const Operation* op);

}  // namespace lanebank::machine::LANEBANK_SIMD
