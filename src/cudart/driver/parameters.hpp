// Parameter blocks as launches of the driver interface give them.
#pragma once

#include <cstddef>
#include <vector>

#include "cudart/abi.hpp"

namespace lanebank::cudart::driver {

/// The parameter block that `extra` names: {1, pointer, 2, pointer to its size, 0}.
abi::Error packed_parameters(void** extra, std::vector<std::byte>& block);

}  // namespace lanebank::cudart::driver
