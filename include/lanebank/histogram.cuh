// lanebank::histogram: how often each of the 256 bytes stands in an array, one launch.
//
//   std::size_t bytes = lanebank::histogram_workspace_bytes();
//   cudaMalloc(&workspace, bytes); cudaMemset(workspace, 0, bytes);      // zero once; each call leaves it so
//   lanebank::histogram(source, count, bins, workspace, bytes, stream);  // bins: 256 unsigned or unsigned long long
//
// `bins` is overwritten. Exact. Below 2^32 bytes for bins of 32 bits, and below 2^31 for each block that the device runs
// at once (hundreds of gigabytes on an H200). Source of any alignment.
// The number of wavefronts does not depend on the bytes: see kernels/histogram_blocks.cuh.
//
// Runs in the order of the stream; nothing is allocated. One workspace serves one call at a time.
#pragma once

#include "lanebank/kernels/histogram_blocks.cuh"
#include "lanebank/kernels/status.cuh"

namespace lanebank {

/// Bytes of device memory that histogram needs, whatever the count.
constexpr std::size_t histogram_workspace_bytes() { return 16 + kernels::byte_bins * sizeof(unsigned long long); }

/// bins[b] = how many of source[0, count) are b. Workspace: 16-byte aligned, zero before the first call.
template <class Form = kernels::PrivateBins, class Shape = kernels::HistogramShape<>, class Count>
Status histogram(const unsigned char* source, std::size_t count, Count* bins, void* workspace,
                 std::size_t workspace_bytes, cudaStream_t stream = nullptr) {
  static_assert(sizeof(Count) == 4 || sizeof(Count) == 8, "bins of 32 or 64 bits");
  if ((source == nullptr && count > 0) || bins == nullptr || workspace == nullptr) return Status::null_pointer;
  const std::size_t most = std::size_t{kernels::detail::multiprocessors()} * Shape::blocks;
  if (most == 0) return Status::launch_failed;
  if (count / most >> 31 != 0 || (sizeof(Count) == 4 && count >> 32 != 0)) return Status::bad_size;
  if (!kernels::detail::aligned_to(bins, sizeof(Count)) || !kernels::detail::aligned_to(workspace, 16))
    return Status::misaligned;
  if (workspace_bytes < histogram_workspace_bytes()) return Status::workspace_too_small;
  const std::size_t bins_bytes = kernels::byte_bins * sizeof(Count);
  if (kernels::detail::overlap(bins, bins_bytes, source, count) ||
      kernels::detail::overlap(workspace, histogram_workspace_bytes(), source, count) ||
      kernels::detail::overlap(workspace, histogram_workspace_bytes(), bins, bins_bytes))
    return Status::overlapping;
  const std::size_t rows = count / 16 / Shape::threads + 1;
  const auto blocks = static_cast<unsigned>(rows < most ? rows : most);
  auto* arrived = static_cast<unsigned*>(workspace);
  auto* totals = reinterpret_cast<unsigned long long*>(static_cast<unsigned char*>(workspace) + 16);
  kernels::histogram_blocks<Form, Shape><<<blocks, Shape::threads, 0, stream>>>(source, count, bins, totals, arrived);
  return kernels::detail::launched();
}

}  // namespace lanebank
