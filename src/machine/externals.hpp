// Functions that device code calls but no cubin holds: printf, assert, malloc, free, cudaGraphSetConditional.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "machine/warp.hpp"

namespace lanebank::machine {

/// The variable of a graph's condition: an allocation of its own, of kind `module`. Its address is the handle that kernels set
/// it by.
struct Condition {
  static constexpr std::uint64_t is_one = 0x6e6f697469646e6f;  ///< no other allocation of this size begins so
  std::uint64_t mark = 0;
  std::uint32_t value = 0;
  std::uint32_t launches = 0;  ///< of its graph that are running: outside of them kernels do not reach it
};

/// Address (in the external window) of a runtime function of the device; nullopt: not one we know.
std::optional<std::uint64_t> external_address(std::string_view symbol);

/// Runs external function `number` for the running split (arguments R4.., return address in R20:R21) and
/// gives the operation to go on with; nullptr after a fault.
const Operation* call_external(Warp& w, const Operation* op, unsigned number);

}  // namespace lanebank::machine
