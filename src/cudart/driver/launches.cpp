// Launches and occupancy.
#include <cstring>

#include "cudart/calls.hpp"
#include "cudart/driver/context.hpp"
#include "cudart/driver/parameters.hpp"
#include "cudart/launch.hpp"
#include "cudart/occupancy.hpp"

namespace lanebank::cudart::driver {

using abi::cudaErrorInvalidValue;

Error packed_parameters(void** extra, std::vector<std::byte>& block) {
  const void* buffer = nullptr;
  const size_t* bytes = nullptr;
  for (; *extra != nullptr; extra += 2) {
    const auto key = reinterpret_cast<std::uintptr_t>(*extra);
    if (key == 1)
      buffer = extra[1];
    else if (key == 2)
      bytes = static_cast<const size_t*>(extra[1]);
    else
      return cudaErrorInvalidValue;
  }
  if (bytes == nullptr || (buffer == nullptr && *bytes != 0)) return cudaErrorInvalidValue;
  const auto* first = static_cast<const std::byte*>(buffer);
  block.assign(first, first + *bytes);
  return cudaSuccess;
}

namespace {

Error launch(Function function, KernelWork work, abi::Stream stream, void** arguments, void** extra) {
  const KernelLookup found = find_kernel(function);
  if (found.error != cudaSuccess) return found.error;
  if (arguments != nullptr && extra != nullptr) return cudaErrorInvalidValue;
  if (arguments == nullptr && extra == nullptr && !found.code().parameters.empty()) return cudaErrorInvalidValue;
  if (extra != nullptr) {
    if (const Error error = packed_parameters(extra, work.parameters); error != cudaSuccess) return error;
    work.parameters.resize(found.code().parameter_bytes);
  }
  return submit_launch(stream, function, std::move(work), arguments);
}

KernelWork work_of(unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                   unsigned block_z, unsigned shared_bytes) {
  KernelWork work;
  work.grid = {grid_x, grid_y, grid_z};
  work.block = {block_x, block_y, block_z};
  work.shared_bytes = shared_bytes;
  return work;
}

abi::LaunchConfig runtime_config(const LaunchConfig& config) {
  return {{config.gridDimX, config.gridDimY, config.gridDimZ},
          {config.blockDimX, config.blockDimY, config.blockDimZ},
          config.sharedMemBytes,
          config.hStream,
          config.attrs,
          config.numAttrs};
}

}  // namespace

Result cuLaunchKernel(Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                      unsigned block_y, unsigned block_z, unsigned shared_bytes, abi::Stream stream, void** arguments,
                      void** extra) {
  return when(Needs::queued, [&] {
    return launch(function, work_of(grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes), stream, arguments,
                  extra);
  });
}

Result cuLaunchCooperativeKernel(Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                                 unsigned block_y, unsigned block_z, unsigned shared_bytes, abi::Stream stream,
                                 void** arguments) {
  return when(Needs::queued, [&] {
    KernelWork work = work_of(grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes);
    work.cooperative = true;
    return launch(function, std::move(work), stream, arguments, nullptr);
  });
}

Result cuLaunchKernelEx(const LaunchConfig* config, Function function, void** arguments, void** extra) {
  return when(Needs::queued, [&]() -> Error {
    if (config == nullptr) return cudaErrorInvalidValue;
    if (extra == nullptr) {
      const abi::LaunchConfig same = runtime_config(*config);
      return calls::cudaLaunchKernelExC(&same, function, arguments);
    }
    if (config->numAttrs != 0) return cudaErrorInvalidValue;
    return launch(function,
                  work_of(config->gridDimX, config->gridDimY, config->gridDimZ, config->blockDimX, config->blockDimY,
                          config->blockDimZ, config->sharedMemBytes),
                  config->hStream, arguments, extra);
  });
}

Result cuOccupancyMaxPotentialBlockSize(int* grid, int* block, Function function, size_t (*shared_of)(int threads),
                                        size_t shared_bytes, int limit) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, function, shared_of, shared_bytes, limit, 0);
}

Result cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, Function function,
                                                 size_t (*shared_of)(int threads), size_t shared_bytes, int limit,
                                                 unsigned) {
  return when(Needs::queued, [&]() -> Error {
    if (grid == nullptr || block == nullptr) return cudaErrorInvalidValue;
    const KernelLookup found = find_kernel(function);
    if (found.error != cudaSuccess) return found.error;
    const DeviceModel& model = Process::get().model();
    int most = static_cast<int>(max_threads(model, found.code()));
    if (limit > 0) most = std::min(most, limit);
    int best_threads = 0, best_blocks = 0;
    // From the largest block on: a smaller one must keep more threads on the multiprocessor to be taken.
    for (int threads = (most + 31) / 32 * 32; threads > 0; threads -= 32) {
      const int tried = std::min(threads, most);
      const size_t bytes = shared_of != nullptr ? shared_of(tried) : shared_bytes;
      const int blocks = static_cast<int>(active_blocks(model, found.code(), static_cast<unsigned>(tried), bytes));
      if (blocks * tried > best_blocks * best_threads) {
        best_blocks = blocks;
        best_threads = tried;
      }
    }
    *block = best_threads;
    *grid = best_blocks * model.attribute(attribute_multiprocessors);
    return cudaSuccess;
  });
}

Result cuOccupancyMaxActiveClusters(int* clusters, Function function, const LaunchConfig* config) {
  return when(Needs::queued, [&]() -> Error {
    if (config == nullptr) return cudaErrorInvalidValue;
    const abi::LaunchConfig same = runtime_config(*config);
    return calls::cudaOccupancyMaxActiveClusters(clusters, function, &same);
  });
}

Result cuOccupancyMaxPotentialClusterSize(int* size, Function function, const LaunchConfig* config) {
  return when(Needs::queued, [&]() -> Error {
    if (config == nullptr) return cudaErrorInvalidValue;
    const abi::LaunchConfig same = runtime_config(*config);
    return calls::cudaOccupancyMaxPotentialClusterSize(size, function, &same);
  });
}

}  // namespace lanebank::cudart::driver
