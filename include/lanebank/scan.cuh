// lanebank::inclusive_scan, lanebank::exclusive_scan: all prefix sums of an array (or least, or greatest elements),
// one launch.
//
//   inclusive   target[i] = source[0] + ... + source[i]
//   exclusive   target[i] = source[0] + ... + source[i - 1]
//
//   std::size_t bytes = lanebank::scan_workspace_bytes<int>(count);
//   cudaMalloc(&workspace, bytes); cudaMemset(workspace, 0, bytes);   // zero once; each call makes it ready
//   lanebank::inclusive_scan(source, target, count, workspace, bytes, stream);
//
// Elements: int, unsigned, float (4 bytes). In place allowed; overlapping otherwise not. Up to 2^31 - 1 tiles of
// 20,480 elements. A workspace may be larger than needed, and so serve calls of several counts and types, one call at
// a time. Integer results are exact (modulo 2^32). Floating-point sums depend on how far each tile had to look back,
// so their last bits may differ from run to run.
//
// Runs in the order of the stream; nothing is allocated. 16 bytes are moved at a time where source and target are
// multiples of 16.
#pragma once

#include "lanebank/kernels/scan_tiles.cuh"
#include "lanebank/kernels/status.cuh"

namespace lanebank {

using kernels::Max;
using kernels::Min;
using kernels::Sum;

/// Bytes of device memory that a scan of `count` elements needs; 0 for a count out of range.
template <class T, class Shape = kernels::ScanShape<>>
std::size_t scan_workspace_bytes(std::size_t count) {
  const std::size_t tiles = count / Shape::template tile<T> + (count % Shape::template tile<T> != 0);
  return tiles > 0x7fffffff ? 0 : 16 + tiles * sizeof(std::uint64_t);
}

/// The scan of either kind; the page above. Workspace: 16-byte aligned, zero before the first call.
template <bool Inclusive, class Op = kernels::Sum, template <class, unsigned> class Form = kernels::ExchangeNone,
          class Shape = kernels::ScanShape<>, class T>
Status scan(const T* source, T* target, std::size_t count, void* workspace, std::size_t workspace_bytes,
            cudaStream_t stream = nullptr) {
  std::size_t bytes = 0;
  if (((source == nullptr || target == nullptr) && count > 0) || workspace == nullptr) return Status::null_pointer;
  const std::size_t needed = scan_workspace_bytes<T, Shape>(count);
  if (!kernels::detail::multiply(count, sizeof(T), bytes) || needed == 0) return Status::bad_size;
  if (!kernels::detail::aligned_to(source, sizeof(T)) || !kernels::detail::aligned_to(target, sizeof(T)) ||
      !kernels::detail::aligned_to(workspace, 16))
    return Status::misaligned;
  if (workspace_bytes < needed) return Status::workspace_too_small;
  if ((source != target && kernels::detail::overlap(source, bytes, target, bytes)) ||
      kernels::detail::overlap(workspace, needed, source, bytes) ||
      kernels::detail::overlap(workspace, needed, target, bytes))
    return Status::overlapping;
  if (count == 0) return Status::success;

  const auto tiles = static_cast<unsigned>((count - 1) / Shape::template tile<T> + 1);
  auto* ticket = static_cast<std::uint64_t*>(workspace);
  auto* states = ticket + 2;
  const bool aligned = kernels::detail::aligned_to(source, 16) && kernels::detail::aligned_to(target, 16);
  if (aligned)
    kernels::scan_tiles<Inclusive, Op, Form, Shape, true>
        <<<tiles, Shape::threads, 0, stream>>>(source, target, count, ticket, states);
  else
    kernels::scan_tiles<Inclusive, Op, Form, Shape, false>
        <<<tiles, Shape::threads, 0, stream>>>(source, target, count, ticket, states);
  return kernels::detail::launched();
}

template <class T>
Status inclusive_scan(const T* source, T* target, std::size_t count, void* workspace, std::size_t workspace_bytes,
                      cudaStream_t stream = nullptr) {
  return scan<true>(source, target, count, workspace, workspace_bytes, stream);
}

template <class T>
Status exclusive_scan(const T* source, T* target, std::size_t count, void* workspace, std::size_t workspace_bytes,
                      cudaStream_t stream = nullptr) {
  return scan<false>(source, target, count, workspace, workspace_bytes, stream);
}

}  // namespace lanebank
