// Tensor maps of matrices, for the copy engine: boxes of 64 columns of 16-bit elements, laid down with the 128-byte swizzle.
// What it does not do: elements of other sizes. Host code.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>
#include <type_traits>

#include "lanebank/kernels/tensor_map.cuh"

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
  TensorBox<2> tensor{std::is_same_v<T, __half> ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16 : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
                      matrix,
                      {columns, rows},
                      {pitch_elements * 2},
                      {64, box_rows}};
  tensor.swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
  return encode_tensor_map(map, tensor);
}

}  // namespace lanebank::kernels
