// Kernel launches: checks as the driver makes them, the parameter block, faults.
#pragma once

#include <memory>

#include "cudart/abi.hpp"
#include "cudart/registry.hpp"
#include "cudart/work.hpp"

namespace lanebank::cudart {

/// A kernel that can be launched, or the error of a call that names it.
struct KernelLookup {
  std::shared_ptr<Kernel> kernel;
  abi::Error error = abi::cudaSuccess;
  const image::Function& code() const { return ***kernel->code; }
};
KernelLookup find_kernel(const void* function);

/// The parameter block of a kernel from the pointers that a launch call gives.
std::vector<std::byte> pack_parameters(const image::Function& function, void* const* arguments);

/// The cluster that a launch will use: of the launch, else the kernel's own; all 1 without one.
abi::Dim3 cluster_of(const Kernel& kernel, const image::Function& function, const abi::Dim3& asked);

/// Whether the kernel may run in such clusters.
abi::Error check_cluster(const Kernel& kernel, const image::Function& function, const abi::Dim3& cluster);

/// What the driver answers before the launch begins.
abi::Error check_launch(const Kernel& kernel, const image::Function& function, const KernelWork& work);

/// Checks, then submits to the stream. A parameter block that the work has already is taken as it is.
abi::Error submit_launch(abi::Stream stream, const void* function, KernelWork work, void* const* arguments);

abi::Error run_kernel(const KernelWork& work);

}  // namespace lanebank::cudart
