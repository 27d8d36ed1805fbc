// Decoding a kernel and everything it can reach into operations.
#pragma once

#include <memory>

#include "base/diagnostic.hpp"
#include "machine/launch_state.hpp"

namespace lanebank::machine {

/// The program of a kernel of a loaded module. Instructions that cannot be executed become operations
/// that fault when they run.
Result<std::shared_ptr<Program>> build_program(const Module& module, std::uint32_t function, bool with_runs = true);

/// Fills in the operands that come from constant banks.
void resolve_constants(Program& program, const LaunchState& launch);

}  // namespace lanebank::machine
