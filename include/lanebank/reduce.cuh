// lanebank::reduce: the sum, the least or the greatest of an array, one launch.
//
//   std::size_t bytes = lanebank::reduce_workspace_bytes<float>();          // a few KiB
//   cudaMalloc(&workspace, bytes); cudaMemset(workspace, 0, bytes);      // zero once; each call leaves it so
//   lanebank::reduce<lanebank::Sum>(source, count, result, workspace, bytes, stream);
//
// Elements: int, unsigned, float, double. `result` is one T of device memory. An empty array gives the identity. The
// order of operations depends on count and device only, so floating-point results repeat bit for bit; on 132
// multiprocessors an element goes through at most count / 1,000,000 + 40 additions. Min and Max pass over NaNs.
//
// Runs in the order of the stream; nothing is allocated. One workspace serves one call at a time (calls on one stream
// may share it). Source of any alignment; 16 bytes are read at a time where it is a multiple of 16.
#pragma once

#include "lanebank/kernels/reduce_blocks.cuh"
#include "lanebank/kernels/status.cuh"

namespace lanebank {

using kernels::Max;
using kernels::Min;
using kernels::Sum;

/// Bytes of device memory that reduce needs on the current device, whatever the count. 0 when there is no device.
template <class T, class Shape = kernels::ReduceShape<>>
std::size_t reduce_workspace_bytes() {
  const std::size_t blocks = std::size_t{kernels::detail::multiprocessors()} * Shape::blocks * Shape::waves;
  return blocks == 0 ? 0 : 16 + blocks * sizeof(T);
}

/// *result = Op over source[0, count). Workspace: 16-byte aligned, zero before the first call.
template <class Op, class Tree = void, class Shape = kernels::ReduceShape<>, class T>
Status reduce(const T* source, std::size_t count, T* result, void* workspace, std::size_t workspace_bytes,
              cudaStream_t stream = nullptr) {
  using Form = std::conditional_t<std::is_void_v<Tree>, kernels::TreeShuffle<Shape::threads>, Tree>;
  std::size_t source_bytes = 0;
  if ((source == nullptr && count > 0) || result == nullptr || workspace == nullptr) return Status::null_pointer;
  if (!kernels::detail::multiply(count, sizeof(T), source_bytes)) return Status::bad_size;
  if (!kernels::detail::aligned_to(source, sizeof(T)) || !kernels::detail::aligned_to(result, sizeof(T)) ||
      !kernels::detail::aligned_to(workspace, 16))
    return Status::misaligned;
  const std::size_t needed = reduce_workspace_bytes<T, Shape>();
  if (needed == 0) return Status::launch_failed;
  if (workspace_bytes < needed) return Status::workspace_too_small;
  if (kernels::detail::overlap(workspace, needed, source, source_bytes) ||
      kernels::detail::overlap(workspace, needed, result, sizeof(T)))
    return Status::overlapping;

  // No more blocks than rows of vectors: small arrays take few blocks, the same few in every run.
  const std::size_t rows = source_bytes / 16 / Shape::threads + 1;
  const std::size_t most = (needed - 16) / sizeof(T);
  const auto blocks = static_cast<unsigned>(rows < most ? rows : most);
  auto* arrived = static_cast<unsigned*>(workspace);
  auto* partials = reinterpret_cast<T*>(static_cast<unsigned char*>(workspace) + 16);
  if (kernels::detail::aligned_to(source, 16))
    kernels::reduce_blocks<Op, Form, Shape, true>
        <<<blocks, Shape::threads, 0, stream>>>(source, count, result, partials, arrived);
  else
    kernels::reduce_blocks<Op, Form, Shape, false>
        <<<blocks, Shape::threads, 0, stream>>>(source, count, result, partials, arrived);
  return kernels::detail::launched();
}

}  // namespace lanebank
