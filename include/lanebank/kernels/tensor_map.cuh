// Tensor maps, for the copy engine (copy_engine.cuh). The driver's encoder is found through the runtime, so nothing but libcudart
// is linked. Host code.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace lanebank::kernels {

/// A tensor of `Rank` dimensions in global memory, the fastest first, and the box that one instruction copies.
template <unsigned Rank>
struct TensorBox {
  CUtensorMapDataType type;
  const void* address;               ///< a multiple of 16
  cuuint64_t extents[Rank];          ///< elements
  cuuint64_t pitch_bytes[Rank - 1];  ///< of dimensions 1 and up, multiples of 16
  cuuint32_t box[Rank];              ///< elements
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
  CUtensorMapL2promotion promotion = CU_TENSOR_MAP_L2_PROMOTION_L2_256B;
};

/// The map of a tensor; elements outside read as zero. False where the driver refuses or cannot be asked.
template <unsigned Rank>
bool encode_tensor_map(CUtensorMap& map, const TensorBox<Rank>& tensor) {
  using Encode = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                              const cuuint64_t*, const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave,
                              CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
  static const auto encode = [] {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
    const cudaError_t error =
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result);
    return error == cudaSuccess && result == cudaDriverEntryPointSuccess ? reinterpret_cast<Encode>(found) : nullptr;
  }();
  cuuint32_t steps[Rank];
  for (cuuint32_t& step : steps) step = 1;
  return encode != nullptr &&
         encode(&map, tensor.type, Rank, const_cast<void*>(tensor.address), tensor.extents, tensor.pitch_bytes,
                tensor.box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, tensor.swizzle, tensor.promotion,
                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

}  // namespace lanebank::kernels
