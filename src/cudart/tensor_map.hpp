// cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col: what they take was measured on an H200
// (tests/cudart/hardware/tensor_map.h200.txt, im2col.h200.txt);
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

/// Of image columns: `box` of the request is not used.
struct Im2colRequest {
  TensorMapRequest tensor;
  const int *lower_corner = nullptr, *upper_corner = nullptr;  ///< of the box of pixels, `rank` - 2
  std::uint32_t channels = 0, pixels = 0;                      ///< of a copy
};

/// Fills the 128 bytes at `map`. False (CUDA_ERROR_INVALID_VALUE) for arguments that the driver refuses.
bool encode_tensor_map(void* map, const TensorMapRequest& request);
bool encode_im2col_map(void* map, const Im2colRequest& request);

}  // namespace lanebank::cudart
