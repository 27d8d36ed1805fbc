// What the checks of the kernels' host functions share; what they answer stands in status.hpp.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "lanebank/status.hpp"

namespace lanebank::kernels {

using lanebank::Status;

namespace detail {

inline bool aligned_to(const void* pointer, std::size_t bytes) {
  return reinterpret_cast<std::uintptr_t>(pointer) % bytes == 0;
}

/// Do [a, a + a_bytes) and [b, b + b_bytes) share a byte? Null pointers and empty ranges share none.
inline bool overlap(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes) {
  const auto first = reinterpret_cast<std::uintptr_t>(a), second = reinterpret_cast<std::uintptr_t>(b);
  if (a == nullptr || b == nullptr || a_bytes == 0 || b_bytes == 0) return false;
  return first <= second ? second - first < a_bytes : first - second < b_bytes;
}

/// a * b into `product`; false when it does not fit.
inline bool multiply(std::size_t a, std::size_t b, std::size_t& product) {
  if (b != 0 && a > static_cast<std::size_t>(-1) / b) return false;
  product = a * b;
  return true;
}

/// Multiprocessors of the current device; 0 when there is none.
inline unsigned multiprocessors() {
  int device = 0, count = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return 0;
  if (cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device) != cudaSuccess) return 0;
  return static_cast<unsigned>(count);
}

inline Status launched() { return cudaGetLastError() == cudaSuccess ? Status::success : Status::launch_failed; }

}  // namespace detail
}  // namespace lanebank::kernels
