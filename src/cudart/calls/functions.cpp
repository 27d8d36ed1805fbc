// What is known of kernels: attributes, parameters, occupancy.
#include <algorithm>

#include "cudart/calls.hpp"
#include "cudart/launch.hpp"
#include "cudart/occupancy.hpp"
#include "cudart/process.hpp"

namespace lanebank::cudart::calls {
namespace {

/// cudaGetKernel and cudaGetFuncBySymbol take only what the program registered.
Error give_handle(const void** handle, const void* host) {
  if (handle == nullptr) return cudaErrorInvalidValue;
  const KernelLookup found = find_kernel(host);
  if (!found.kernel) return cudaErrorInvalidDeviceFunction;
  if (found.error == cudaSuccess) *handle = found.kernel->host;
  return found.error;
}

Error set_attribute(Kernel& kernel, const image::Function& function, FuncAttribute attribute, int value) {
  const DeviceModel& model = Process::get().model();
  KernelSettings& settings = kernel.settings;
  switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize: {
      const int most =
          model.attribute(attribute_shared_per_block_optin) - static_cast<int>(function.static_shared_bytes);
      if (value < 0 || value > most) return cudaErrorInvalidValue;
      settings.max_dynamic_shared_bytes = static_cast<std::uint32_t>(value);
      return cudaSuccess;
    }
    case cudaFuncAttributePreferredSharedMemoryCarveout:
      if (value < -1 || value > 100) return cudaErrorInvalidValue;
      settings.carveout_percent = value;
      return cudaSuccess;
    case cudaFuncAttributeClusterDimMustBeSet:
      return cudaErrorInvalidValue;  // says how the kernel was compiled
    case cudaFuncAttributeRequiredClusterWidth:
    case cudaFuncAttributeRequiredClusterHeight:
    case cudaFuncAttributeRequiredClusterDepth:
      if (function.required_cluster[0] != 0) return cudaErrorNotPermitted;
      if (value < 0) return cudaErrorInvalidValue;
      settings.required_cluster[attribute - cudaFuncAttributeRequiredClusterWidth] = value;
      return cudaSuccess;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
      settings.non_portable_cluster = value != 0;
      return cudaSuccess;
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
      settings.cluster_policy = value;
      return cudaSuccess;
  }
  return cudaErrorInvalidValue;
}

bool is_attribute(FuncAttribute attribute) {
  return attribute >= cudaFuncAttributeMaxDynamicSharedMemorySize &&
         attribute <= cudaFuncAttributeClusterSchedulingPolicyPreference;
}

abi::Dim3 cluster_asked(const LaunchConfig& config) {
  for (unsigned i = 0; i < config.numAttrs; ++i)
    if (config.attrs[i].id == cudaLaunchAttributeClusterDimension) {
      const auto& dims = config.attrs[i].val.clusterDim;
      return {dims.x, dims.y, dims.z};
    }
  return {0, 0, 0};
}

}  // namespace

Error cudaGetKernel(KernelHandle* kernel, const void* host) { return give_handle(kernel, host); }
Error cudaGetFuncBySymbol(const void** function, const void* host) { return give_handle(function, host); }

Error cudaFuncGetName(const char** name, const void* function) {
  if (name == nullptr) return cudaErrorInvalidValue;
  const KernelLookup found = find_kernel(function);
  if (found.error == cudaSuccess) *name = found.kernel->symbol.c_str();
  return found.error;
}

Error cudaFuncGetParamInfo(const void* function, size_t index, size_t* offset, size_t* bytes) {
  if (offset == nullptr) return cudaErrorInvalidValue;
  const KernelLookup found = find_kernel(function);
  if (found.error != cudaSuccess) return found.error;
  const auto& parameters = found.code().parameters;
  if (index >= parameters.size()) return cudaErrorInvalidValue;
  *offset = parameters[index].offset_bytes;
  if (bytes != nullptr) *bytes = parameters[index].size_bytes;
  return cudaSuccess;
}

Error cudaFuncGetAttributes(FuncAttributes* attributes, const void* function) {
  if (attributes == nullptr) return cudaErrorInvalidValue;
  const KernelLookup found = find_kernel(function);
  if (found.error != cudaSuccess) return found.error;
  const DeviceModel& model = Process::get().model();
  const image::Function& code = found.code();
  const KernelSettings& settings = found.kernel->settings;
  const image::Cubin& cubin = (*found.kernel->code)->module->cubin;
  *attributes = {};
  attributes->sharedSizeBytes = code.static_shared_bytes;
  attributes->constSizeBytes = cubin.constant3.size();
  attributes->localSizeBytes = code.frame_bytes;
  attributes->maxThreadsPerBlock = static_cast<int>(max_threads(model, code));
  attributes->numRegs = static_cast<int>(code.registers);
  attributes->ptxVersion = attributes->binaryVersion = static_cast<int>(cubin.architecture);
  attributes->maxDynamicSharedSizeBytes = static_cast<int>(max_dynamic_shared_bytes(model, *found.kernel, code));
  attributes->preferredShmemCarveout = settings.carveout_percent;
  attributes->clusterDimMustBeSet = code.required_cluster[0] != 0;
  int* required[3] = {&attributes->requiredClusterWidth, &attributes->requiredClusterHeight,
                      &attributes->requiredClusterDepth};
  for (int i = 0; i < 3; ++i)
    *required[i] =
        code.required_cluster[0] != 0 ? static_cast<int>(code.required_cluster[i]) : settings.required_cluster[i];
  attributes->clusterSchedulingPolicyPreference = settings.cluster_policy;
  attributes->nonPortableClusterSizeAllowed = settings.non_portable_cluster;
  return cudaSuccess;
}

Error cudaFuncSetAttribute(const void* function, FuncAttribute attribute, int value) {
  if (!is_attribute(attribute)) return cudaErrorInvalidValue;
  const KernelLookup found = find_kernel(function);
  return found.error != cudaSuccess ? found.error : set_attribute(*found.kernel, found.code(), attribute, value);
}

Error cudaKernelSetAttributeForDevice(KernelHandle kernel, FuncAttribute attribute, int value, int device) {
  return device == 0 ? cudaFuncSetAttribute(kernel, attribute, value) : cudaErrorInvalidDevice;
}

Error cudaFuncSetCacheConfig(const void* function, int preference) {
  if (preference < 0 || preference > 3) return cudaErrorInvalidValue;
  const KernelLookup found = find_kernel(function);
  if (found.error == cudaSuccess) found.kernel->settings.cache_preference = preference;
  return found.error;
}

Error cudaFuncSetSharedMemConfig(const void* function, int config) {
  return config < 0 || config > 2 ? cudaErrorInvalidValue : find_kernel(function).error;
}

Error cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* function, int blocks, int threads) {
  if (bytes == nullptr || blocks <= 0 || threads <= 0) return cudaErrorInvalidValue;
  const KernelLookup found = find_kernel(function);
  if (found.error != cudaSuccess) return found.error;
  const DeviceModel& model = Process::get().model();
  if (active_blocks(model, found.code(), static_cast<unsigned>(threads), 0) < static_cast<unsigned>(blocks))
    return cudaErrorInvalidValue;
  *bytes = std::min(available_shared_bytes(model, found.code(), static_cast<unsigned>(blocks)),
                    max_dynamic_shared_bytes(model, *found.kernel, found.code()));
  return cudaSuccess;
}

Error cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int threads,
                                                    size_t shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared_bytes, 0);
}

Error cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function, int threads,
                                                             size_t shared_bytes, unsigned flags) {
  constexpr unsigned disable_caching_override = 1;
  if (blocks == nullptr || threads <= 0 || (flags & ~disable_caching_override) != 0) return cudaErrorInvalidValue;
  const KernelLookup found = find_kernel(function);
  if (found.error != cudaSuccess) return found.error;
  *blocks = static_cast<int>(
      active_blocks(Process::get().model(), found.code(), static_cast<unsigned>(threads), shared_bytes));
  return cudaSuccess;
}

Error cudaOccupancyMaxActiveClusters(int* clusters, const void* function, const LaunchConfig* config) {
  if (clusters == nullptr || config == nullptr) return cudaErrorInvalidValue;
  const KernelLookup found = find_kernel(function);
  if (found.error != cudaSuccess) return found.error;
  const DeviceModel& model = Process::get().model();
  if (model.attribute(attribute_cluster_launch) == 0) return cudaErrorNotSupported;
  const abi::Dim3 cluster = cluster_of(*found.kernel, found.code(), cluster_asked(*config));
  if (const Error error = check_cluster(*found.kernel, found.code(), cluster); error != cudaSuccess) return error;
  const std::uint64_t threads = std::uint64_t{config->blockDim.x} * config->blockDim.y * config->blockDim.z;
  // An H200 places at most 8 blocks of clusters on a multiprocessor. How many large clusters fit depends on which
  // multiprocessors a chip has in each processing cluster; here all are taken to be one.
  const unsigned blocks = std::min(active_blocks(model, found.code(), threads, config->dynamicSmemBytes), 8u) *
                          static_cast<unsigned>(model.attribute(attribute_multiprocessors));
  *clusters = static_cast<int>(blocks / (cluster.x * cluster.y * cluster.z));
  return cudaSuccess;
}

Error cudaOccupancyMaxPotentialClusterSize(int* size, const void* function, const LaunchConfig* config) {
  if (size == nullptr || config == nullptr) return cudaErrorInvalidValue;
  const KernelLookup found = find_kernel(function);
  if (found.error != cudaSuccess) return found.error;
  if (Process::get().model().attribute(attribute_cluster_launch) == 0) return cudaErrorNotSupported;
  const abi::Dim3 cluster = cluster_of(*found.kernel, found.code(), cluster_asked(*config));
  if (const Error error = check_cluster(*found.kernel, found.code(), cluster); error != cudaSuccess) return error;
  *size = found.kernel->settings.non_portable_cluster ? 16 : 8;
  return cudaSuccess;
}

}  // namespace lanebank::cudart::calls
