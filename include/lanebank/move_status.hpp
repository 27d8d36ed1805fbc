// What lanebank::transpose and lanebank::permute answer. Anything but `ok` means: nothing was launched, or the launch failed.
// C++17, host code, no dependencies.
#pragma once

namespace lanebank {

enum class MoveStatus : unsigned char {
  ok,
  null_pointer,  ///< source or target is null and there is something to move
  element_size,  ///< not 1, 2, 3, 4, 6, 8, 12 or 16 bytes
  misaligned,    ///< a pointer, pitch or stride is not a multiple of the largest power of two that divides the element
  pitch_too_small,  ///< a pitch below the width of a row, or batches of the target that overlap
  overlap,          ///< source and target share bytes, and it is not the transpose of square matrices in place
  overflow,         ///< more than 2^31 - 1025 rows or columns, or a matrix of 2^63 bytes or more
  axes,             ///< not a permutation, or of more than 6 axes
  launch_failed,    ///< cudaGetLastError() says why
};

/// The status as a word.
constexpr const char* name(MoveStatus status) {
  switch (status) {
    case MoveStatus::ok:
      return "ok";
    case MoveStatus::null_pointer:
      return "null_pointer";
    case MoveStatus::element_size:
      return "element_size";
    case MoveStatus::misaligned:
      return "misaligned";
    case MoveStatus::pitch_too_small:
      return "pitch_too_small";
    case MoveStatus::overlap:
      return "overlap";
    case MoveStatus::overflow:
      return "overflow";
    case MoveStatus::axes:
      return "axes";
    case MoveStatus::launch_failed:
      return "launch_failed";
  }
  return "unknown";
}

}  // namespace lanebank
