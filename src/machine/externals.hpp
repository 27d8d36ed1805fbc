// Functions that device code calls but no cubin holds: printf, assert, malloc, free.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "machine/warp.hpp"

namespace lanebank::machine {

/// Address (in the external window) of a runtime function of the device; nullopt: not one we know.
std::optional<std::uint64_t> external_address(std::string_view symbol);

/// Runs external function `number` for the running split (arguments R4.., return address in R20:R21) and
/// gives the operation to go on with; nullptr after a fault.
const Operation* call_external(Warp& w, const Operation* op, unsigned number);

}  // namespace lanebank::machine
