// What the host functions of lanebank's kernels answer: one vocabulary for all of them. Every argument is checked first; on
// anything but `success` nothing was launched, save `launch_failed`, where cudaGetLastError() says more.
//
//   const lanebank::Status status = lanebank::transpose(move, stream);
//   if (status != lanebank::Status::success) puts(lanebank::status_name(status));
//
// Device work runs in the order of the stream and reports its own faults there, as for every launch.
// C++17, host code, no dependencies.
#pragma once

namespace lanebank {

enum class Status : unsigned char {
  success,
  null_pointer,         ///< a pointer that is needed is null
  bad_size,             ///< an extent is out of the function's range, or bytes overflow
  bad_pitch,            ///< a pitch is below the width, so that rows or batches overlap
  misaligned,           ///< a pointer, pitch or stride is no multiple of what the function demands
  overlapping,          ///< buffers overlap where that is forbidden
  bad_element_size,     ///< no kernel for elements of so many bytes
  bad_axes,             ///< not a permutation, or of too many axes
  workspace_too_small,  ///< less than the size query said
  unsupported_device,   ///< the device is older than the function's oldest
  unsupported_kernel,   ///< the kernel asked for cannot do this here
  launch_failed,        ///< the runtime refused the launch
  // Other words for the same, of transposes and permutations.
  ok = success,
  overflow = bad_size,
  pitch_too_small = bad_pitch,
  overlap = overlapping,
  element_size = bad_element_size,
  axes = bad_axes,
};

/// The status in words.
constexpr const char* status_name(Status status) {
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
    case Status::bad_element_size:
      return "bad element size";
    case Status::bad_axes:
      return "bad axes";
    case Status::workspace_too_small:
      return "workspace too small";
    case Status::unsupported_device:
      return "unsupported device";
    case Status::unsupported_kernel:
      return "unsupported kernel";
    case Status::launch_failed:
      return "launch failed";
  }
  return "unknown";
}

}  // namespace lanebank
