// Launches of kernels and of host functions.
#include "cudart/calls.hpp"
#include "cudart/launch.hpp"
#include "cudart/process.hpp"

namespace lanebank::cudart::calls {
namespace {

Error launch(const void* function, const Dim3& grid, const Dim3& block, void** arguments, size_t shared_bytes,
             Stream stream, bool cooperative) {
  KernelWork work;
  work.grid = grid;
  work.block = block;
  work.shared_bytes = shared_bytes;
  work.cooperative = cooperative;
  return submit_launch(stream, function, std::move(work), arguments);
}

}  // namespace

Error __cudaLaunchKernel(KernelHandle kernel, Dim3 grid, Dim3 block, void** arguments, size_t shared_bytes,
                         Stream stream) {
  return launch(kernel, grid, block, arguments, shared_bytes, stream, false);
}

Error cudaLaunchKernel(const void* function, Dim3 grid, Dim3 block, void** arguments, size_t shared_bytes,
                       Stream stream) {
  return launch(function, grid, block, arguments, shared_bytes, stream, false);
}

Error cudaLaunchCooperativeKernel(const void* function, Dim3 grid, Dim3 block, void** arguments, size_t shared_bytes,
                                  Stream stream) {
  return launch(function, grid, block, arguments, shared_bytes, stream, true);
}

Error cudaLaunchKernelExC(const LaunchConfig* config, const void* function, void** arguments) {
  if (config == nullptr || (config->numAttrs != 0 && config->attrs == nullptr)) return cudaErrorInvalidValue;
  KernelWork work;
  work.grid = config->gridDim;
  work.block = config->blockDim;
  work.shared_bytes = config->dynamicSmemBytes;
  Event completion = nullptr;
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const LaunchAttribute& attribute = config->attrs[i];
    switch (attribute.id) {
      case cudaLaunchAttributeClusterDimension:
        work.cluster = {attribute.val.clusterDim.x, attribute.val.clusterDim.y, attribute.val.clusterDim.z};
        if (work.cluster.x == 0) return cudaErrorInvalidClusterSize;
        break;
      case cudaLaunchAttributeCooperative:
        work.cooperative = attribute.val.cooperative != 0;
        break;
      // Kernels of a stream run one after the other: these say when a kernel may begin or what it may keep.
      case cudaLaunchAttributeIgnore:
      case cudaLaunchAttributeAccessPolicyWindow:
      case cudaLaunchAttributeSynchronizationPolicy:
      case cudaLaunchAttributeClusterSchedulingPolicyPreference:
      case cudaLaunchAttributeProgrammaticStreamSerialization:
      case cudaLaunchAttributePriority:
      case cudaLaunchAttributeMemSyncDomainMap:
      case cudaLaunchAttributeMemSyncDomain:
      case cudaLaunchAttributePreferredClusterDimension:
      case cudaLaunchAttributePreferredSharedMemoryCarveout:
        break;
      case cudaLaunchAttributeProgrammaticEvent:
        completion = attribute.val.programmaticEvent.event;
        break;
      case cudaLaunchAttributeLaunchCompletionEvent:
        completion = attribute.val.launchCompletionEvent.event;
        break;
      default:
        return cudaErrorNotSupported;
    }
  }
  const Error error = submit_launch(config->stream, function, std::move(work), arguments);
  if (error != cudaSuccess || completion == nullptr) return error;
  return Process::get().streams().record(completion, config->stream);
}

Error cudaLaunchHostFunc(Stream stream, HostFunction function, void* data) {
  if (function == nullptr) return cudaErrorInvalidValue;
  return Process::get().streams().submit(stream, HostWork{function, data});
}

Error cudaStreamAddCallback(Stream stream, StreamCallback callback, void* data, unsigned flags) {
  if (callback == nullptr || flags != 0) return cudaErrorInvalidValue;
  return Process::get().streams().submit(stream, CallbackWork{callback, stream, data});
}

}  // namespace lanebank::cudart::calls
