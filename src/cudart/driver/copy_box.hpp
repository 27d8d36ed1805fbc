// The boxes that the driver's 2-D and 3-D copies name.
#pragma once

#include "cudart/driver_abi.hpp"
#include "cudart/work.hpp"

namespace lanebank::cudart::driver {

/// The copy's box and direction; fails on rows wider than a pitch and on what leaves an array.
abi::Error box_of(const Memcpy3D& copy, CopyWork& work, abi::MemcpyKind& kind);
abi::Error box_of(const Memcpy2D& copy, CopyWork& work, abi::MemcpyKind& kind);

}  // namespace lanebank::cudart::driver
