// Launches, occupancy, and the graph calls whose arguments are not the runtime's.
#include <cstring>

#include "cudart/calls.hpp"
#include "cudart/driver/context.hpp"
#include "cudart/driver/copy_box.hpp"
#include "cudart/launch.hpp"
#include "cudart/occupancy.hpp"
#include "cudart/transfers.hpp"

namespace lanebank::cudart::driver {
namespace {

using abi::cudaErrorInvalidValue;

/// The parameter block that `extra` names: {1, pointer, 2, pointer to its size, 0}.
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

/// The runtime's form of a kernel node. `arguments` keeps what `extra` held.
struct RuntimeNode {
  abi::KernelNodeParams params;
  std::vector<std::byte> block;
  std::vector<void*> arguments;
};
Error runtime_node(const KernelNodeParams* params, RuntimeNode& node) {
  if (params == nullptr) return cudaErrorInvalidValue;
  const Function function = params->func != nullptr ? params->func : params->kern;
  const KernelLookup found = find_kernel(function);
  if (found.error != cudaSuccess) return found.error;
  node.params = {const_cast<void*>(function),
                 {params->gridDimX, params->gridDimY, params->gridDimZ},
                 {params->blockDimX, params->blockDimY, params->blockDimZ},
                 params->sharedMemBytes,
                 params->kernelParams,
                 nullptr};
  if (params->extra == nullptr) return cudaSuccess;
  if (params->kernelParams != nullptr) return cudaErrorInvalidValue;
  if (const Error error = packed_parameters(params->extra, node.block); error != cudaSuccess) return error;
  node.block.resize(found.code().parameter_bytes);
  for (const image::Parameter& parameter : found.code().parameters)
    node.arguments.push_back(node.block.data() + parameter.offset_bytes);
  node.params.kernelParams = node.arguments.data();
  return cudaSuccess;
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

Result cuGraphAddDependencies(abi::Graph graph, const abi::GraphNode* from, const abi::GraphNode* to, size_t count) {
  return when(Needs::device, [&] { return calls::cudaGraphAddDependencies(graph, from, to, nullptr, count); });
}

Result cuGraphGetEdges(abi::Graph graph, abi::GraphNode* from, abi::GraphNode* to, size_t* count) {
  return when(Needs::device, [&] { return calls::cudaGraphGetEdges(graph, from, to, nullptr, count); });
}

Result cuGraphAddKernelNode_v2(abi::GraphNode* node, abi::Graph graph, const abi::GraphNode* after, size_t count,
                               const KernelNodeParams* params) {
  return when(Needs::queued, [&] {
    RuntimeNode same;
    const Error error = runtime_node(params, same);
    return error != cudaSuccess ? error : calls::cudaGraphAddKernelNode(node, graph, after, count, &same.params);
  });
}

Result cuGraphAddMemcpyNode(abi::GraphNode* node, abi::Graph graph, const abi::GraphNode* after, size_t count,
                            const Memcpy3D* params, Context) {
  return when(Needs::queued, [&]() -> Error {
    if (params == nullptr) return cudaErrorInvalidValue;
    CopyWork work;
    abi::MemcpyKind kind = abi::cudaMemcpyDefault;
    if (const Error error = box_of(*params, work, kind); error != cudaSuccess) return error;
    abi::Memcpy3DParms same;
    same.srcPtr = {const_cast<std::byte*>(work.from), work.from_pitch_bytes, work.width_bytes,
                   work.from_slice_bytes / work.from_pitch_bytes};
    same.dstPtr = {work.to, work.to_pitch_bytes, work.width_bytes, work.to_slice_bytes / work.to_pitch_bytes};
    same.extent = {work.width_bytes, work.height, work.depth};
    same.kind = kind;
    return calls::cudaGraphAddMemcpyNode(node, graph, after, count, &same);
  });
}

Result cuGraphAddMemsetNode(abi::GraphNode* node, abi::Graph graph, const abi::GraphNode* after, size_t count,
                            const abi::MemsetParams* params, Context) {
  return when(Needs::queued, [&] { return calls::cudaGraphAddMemsetNode(node, graph, after, count, params); });
}

Result cuGraphInstantiate_v2(abi::GraphExec* exec, abi::Graph graph, abi::GraphNode* culprit, char* log, size_t room) {
  return when(Needs::queued, [&] {
    if (culprit != nullptr) *culprit = nullptr;
    if (log != nullptr && room != 0) *log = '\0';
    return calls::cudaGraphInstantiate(exec, graph, 0);
  });
}

Result cuGraphKernelNodeGetParams_v2(abi::GraphNode node, KernelNodeParams* params) {
  return when(Needs::queued, [&]() -> Error {
    if (params == nullptr) return cudaErrorInvalidValue;
    abi::KernelNodeParams same;
    if (const Error error = calls::cudaGraphKernelNodeGetParams(node, &same); error != cudaSuccess) return error;
    *params = {same.func,         same.gridDim.x,  same.gridDim.y,  same.gridDim.z,
               same.blockDim.x,   same.blockDim.y, same.blockDim.z, same.sharedMemBytes,
               same.kernelParams, nullptr,         nullptr,         nullptr};
    return cudaSuccess;
  });
}

Result cuGraphKernelNodeSetParams_v2(abi::GraphNode node, const KernelNodeParams* params) {
  return when(Needs::queued, [&] {
    RuntimeNode same;
    const Error error = runtime_node(params, same);
    return error != cudaSuccess ? error : calls::cudaGraphKernelNodeSetParams(node, &same.params);
  });
}

Result cuGraphExecKernelNodeSetParams_v2(abi::GraphExec exec, abi::GraphNode node, const KernelNodeParams* params) {
  return when(Needs::queued, [&] {
    RuntimeNode same;
    const Error error = runtime_node(params, same);
    return error != cudaSuccess ? error : calls::cudaGraphExecKernelNodeSetParams(exec, node, &same.params);
  });
}

}  // namespace lanebank::cudart::driver
