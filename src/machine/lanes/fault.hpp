// Faults and stops, shared by all SIMD levels (defined once, in scheduler.cpp).
#pragma once

#include "machine/warp.hpp"

namespace lanebank::machine {

/// Records the launch's first fault and ends the running split; the operation returns its result.
const Operation* raise_fault(Warp& w, const Operation* op, Fault::Kind kind, unsigned lane, std::uint64_t address,
                             std::string message);
/// The same; without a std::string, whose destructor the compiler may leave out of line in a file of one SIMD level.
const Operation* raise_fault(Warp& w, const Operation* op, Fault::Kind kind, unsigned lane, std::uint64_t address,
                             const char* message);

/// An operation that cannot be executed, and why.
const Operation* raise_unsupported(Warp& w, const Operation* op, const char* reason);

}  // namespace lanebank::machine
