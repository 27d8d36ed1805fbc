// cuTensorMapEncodeTiled: what it takes was measured on an H200 (tests/cudart/hardware/tensor_map.h200.txt);
// what it writes is machine::TensorMap.
#pragma once

#include <cstdint>

namespace lanebank::cudart {

/// Arguments as the driver's function has them; the enumerations as numbers.
struct TensorMapRequest {
  int data_type = 0;
  std::uint32_t rank = 0;
  void* address = nullptr;
  const std::uint64_t* extents = nullptr;       ///< elements, `rank` of them, fastest first
  const std::uint64_t* stride_bytes = nullptr;  ///< `rank` - 1
  const std::uint32_t* box = nullptr;           ///< elements
  const std::uint32_t* element_strides = nullptr;
  int interleave = 0, swizzle = 0, l2_promotion = 0, fill = 0;
};

/// Fills the 128 bytes at `map`. False (CUDA_ERROR_INVALID_VALUE) for arguments that the driver refuses.
bool encode_tensor_map(void* map, const TensorMapRequest& request);

}  // namespace lanebank::cudart
