// From an element size known at run time to the kernels for it. Whoever includes this compiles all of them.
#pragma once

#include <cstdint>
#include <type_traits>

#include "lanebank/kernels/transpose_launch.cuh"

namespace lanebank::kernels {

/// Calls call(element size as an integral constant); cudaErrorInvalidValue for a size that is not supported.
template <class Call>
cudaError_t with_element_size(std::uint32_t bytes, const Call& call) {
  switch (bytes) {
    case 1:
      return call(std::integral_constant<unsigned, 1>{});
    case 2:
      return call(std::integral_constant<unsigned, 2>{});
    case 3:
      return call(std::integral_constant<unsigned, 3>{});
    case 4:
      return call(std::integral_constant<unsigned, 4>{});
    case 6:
      return call(std::integral_constant<unsigned, 6>{});
    case 8:
      return call(std::integral_constant<unsigned, 8>{});
    case 12:
      return call(std::integral_constant<unsigned, 12>{});
    case 16:
      return call(std::integral_constant<unsigned, 16>{});
    default:
      return cudaErrorInvalidValue;
  }
}

inline cudaError_t launch_transpose(std::uint32_t element_bytes, const TransposeSpan& span, cudaStream_t stream) {
  return with_element_size(element_bytes, [&](auto bytes) { return launch_transpose<bytes()>(span, stream); });
}

}  // namespace lanebank::kernels
