// What a host entry point of lanebank's kernels answers. Every argument is checked first; on anything but `success`
// nothing was launched, save `launch_failed`, where cudaGetLastError() says more.
//
//   const Status status = lanebank::reduce<Sum>(...);
//   if (status != Status::success) puts(lanebank::status_name(status));
//
// Device work runs in the order of the stream and reports its own faults there, as for every launch.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace lanebank::kernels {

enum class Status {
  success,
  null_pointer,         ///< a pointer that is needed is null
  bad_size,             ///< an extent is zero or out of the kernel's range, or bytes overflow
  bad_pitch,            ///< a pitch is below the width
  misaligned,           ///< a pointer or pitch is no multiple of what the function demands
  overlapping,          ///< buffers overlap where that is forbidden
  workspace_too_small,  ///< less than the size query said
  launch_failed         ///< the runtime refused the launch
};

inline const char* status_name(Status status) {
  switch (status) {
    case Status::success:
      return "success";
    case Status::null_pointer:
      return "null pointer";
    case Status::bad_size:
      return "bad size";
    case Status::bad_pitch:
      return "pitch below the width";
    case Status::misaligned:
      return "misaligned";
    case Status::overlapping:
      return "overlapping buffers";
    case Status::workspace_too_small:
      return "workspace too small";
    case Status::launch_failed:
      return "launch failed";
  }
  return "unknown";
}

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
