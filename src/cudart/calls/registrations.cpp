// Between <<<>>> and the kernel's stub, and the start of modules.
#include "cudart/calls.hpp"
#include "cudart/launch.hpp"
#include "cudart/process.hpp"

namespace lanebank::cudart::calls {

/// The handle of a kernel is the address of its stub: it needs no code and outlives a device reset.
Error __cudaGetKernel(KernelHandle* kernel, const void* host) {
  *kernel = host;
  return cudaSuccess;
}

/// As in libcudart: nothing.
void* __cudaGetProcAddress(const char*) { return nullptr; }

char __cudaInitModule(void** fatbin) {
  Process& process = Process::get();
  process.registry().place_managed(process.engine(), fatbin);
  return 1;
}

unsigned __cudaPushCallConfiguration(Dim3 grid, Dim3 block, size_t shared_bytes, Stream stream) {
  Process::thread().configurations.push_back({grid, block, shared_bytes, stream});
  return 0;
}

Error __cudaPopCallConfiguration(Dim3* grid, Dim3* block, size_t* shared_bytes, void* stream) {
  std::vector<LaunchConfiguration>& stack = Process::thread().configurations;
  if (stack.empty()) return cudaErrorMissingConfiguration;
  const LaunchConfiguration& top = stack.back();
  *grid = top.grid;
  *block = top.block;
  *shared_bytes = top.shared_bytes;
  *static_cast<Stream*>(stream) = top.stream;
  stack.pop_back();
  return cudaSuccess;
}

}  // namespace lanebank::cudart::calls
