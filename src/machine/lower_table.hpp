// The lowering functions of the SIMD level that this machine runs best.
#pragma once

#include <cstddef>

#include "machine/lowering.hpp"

namespace lanebank::machine {

using Lower = void (*)(Lowering&);

/// Lowering function of a row of the instruction table, at the best SIMD level this processor has.
Lower lower_function(std::size_t row);

/// Name of that level: "v4", "v3", "v2" or "native".
const char* simd_level();

}  // namespace lanebank::machine
