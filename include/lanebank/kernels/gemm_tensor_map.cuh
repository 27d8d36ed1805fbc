// Tensor maps of matrices, for the copy engine: boxes of 64 columns of 16-bit elements, laid down with the 128-byte swizzle.
//
// The driver's function is found through the runtime, so nothing but libcudart is linked.
// What it does not do: elements of other sizes. Host code.
#pragma once

#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

namespace lanebank::kernels {

/// Can the copy engine read and write the rows of this matrix of 16-bit elements?
inline bool tensor_map_fits(const void* matrix, std::uint64_t pitch_elements) {
  return reinterpret_cast<std::uintptr_t>(matrix) % 16 == 0 && pitch_elements % 8 == 0 &&
         pitch_elements < std::uint64_t{1} << 38;
}

/// A map of rows x columns elements with boxes of box_rows x 64. False where the driver refuses or cannot be asked.
template <class T>
bool encode_tensor_map(CUtensorMap& map, const T* matrix, std::uint64_t rows, std::uint64_t columns,
                       std::uint64_t pitch_elements, std::uint32_t box_rows) {
  static_assert(sizeof(T) == 2, "maps of 16-bit elements");
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
  if (encode == nullptr) return false;
  const cuuint64_t extents[2] = {columns, rows}, strides[1] = {pitch_elements * 2};
  const cuuint32_t box[2] = {64, box_rows}, steps[2] = {1, 1};
  constexpr auto type = std::is_same_v<T, __half> ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16 : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  return encode(&map, type, 2, const_cast<T*>(matrix), extents, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

}  // namespace lanebank::kernels
