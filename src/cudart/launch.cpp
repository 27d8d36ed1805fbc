#include "cudart/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/check.hpp"
#include "base/words.hpp"
#include "cudart/occupancy.hpp"
#include "cudart/process.hpp"
#include "cudart/transfers.hpp"
#include "session/kernel_name.hpp"
#include "session/launch_report.hpp"

namespace lanebank::cudart {
namespace {

using Kind = machine::Fault::Kind;

Error error_of(Kind kind) {
  switch (kind) {
    case Kind::illegal_address:
    case Kind::shared_out_of_bounds:
    case Kind::local_out_of_bounds:
      return abi::cudaErrorIllegalAddress;
    case Kind::misaligned_address:
      return abi::cudaErrorMisalignedAddress;
    case Kind::illegal_instruction:
      return abi::cudaErrorIllegalInstruction;
    case Kind::assertion:
      return abi::cudaErrorAssert;
    case Kind::invalid_pc:
      return abi::cudaErrorInvalidPc;
    case Kind::stack_overflow:
      return abi::cudaErrorIllegalAddress;
    case Kind::deadlock:
      return abi::cudaErrorLaunchTimeout;
    case Kind::trap:
    case Kind::unsupported:
      return abi::cudaErrorLaunchFailure;
  }
  return abi::cudaErrorLaunchFailure;
}

std::string place(std::uint64_t index, const std::uint32_t (&dims)[3]) {
  return "(" + std::to_string(index % dims[0]) + "," + std::to_string(index / dims[0] % dims[1]) + "," +
         std::to_string(index / dims[0] / dims[1]) + ")";
}

/// One message per fault: what, where in the source, which thread.
void tell_fault(const machine::LaunchRequest& request, const machine::LaunchOutcome& outcome) {
  const machine::Fault& fault = *outcome.fault;
  const findings::FaultReport report = session::make_fault_report(request, outcome.info, fault);
  const image::Function& function = request.module->cubin.functions[request.function];
  std::string text = "kernel " + kernel_in_short(session::kernel_name(function.symbol).full) +
                     " stopped: " + report.message + "\n  at ";
  if (!report.file.empty()) text += report.file + ":" + std::to_string(report.line) + ", ";
  text += fmt::format("instruction address 0x{:x}", report.address);
  if (!report.function.empty()) text += " of " + report.function;
  text += ", block " + place(fault.block, request.grid) + ", thread " + place(fault.thread, request.block);
  if (report.file.empty()) text += "\n  compile with -lineinfo to see the source line";
  tell(text);
}

bool exceeds(const abi::Dim3& dims, const std::uint32_t (&limits)[3]) {
  return dims.x == 0 || dims.y == 0 || dims.z == 0 || dims.x > limits[0] || dims.y > limits[1] || dims.z > limits[2];
}

}  // namespace

KernelLookup find_kernel(const void* function) {
  if (function == nullptr) return {nullptr, abi::cudaErrorInvalidDeviceFunction};
  Process& process = Process::get();
  std::shared_ptr<Kernel> kernel = process.registry().kernel(process.engine(), function);
  if (!kernel) return {nullptr, abi::cudaErrorInvalidResourceHandle};
  if (!*kernel->code) {
    const bool no_code = kernel->code->error().id.starts_with("code.");
    return {kernel, no_code ? abi::cudaErrorNoKernelImageForDevice : abi::cudaErrorInvalidKernelImage};
  }
  return {kernel, cudaSuccess};
}

std::vector<std::byte> pack_parameters(const image::Function& function, void* const* arguments) {
  std::vector<std::byte> block(function.parameter_bytes);
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const image::Parameter& parameter = function.parameters[i];
    LANEBANK_CHECK(std::uint64_t{parameter.offset_bytes} + parameter.size_bytes <= block.size(), function.symbol);
    if (arguments == nullptr || arguments[i] == nullptr) continue;
    std::memcpy(block.data() + parameter.offset_bytes, arguments[i], parameter.size_bytes);
  }
  return block;
}

abi::Dim3 cluster_of(const Kernel& kernel, const image::Function& function, const abi::Dim3& asked) {
  if (asked.x != 0) return asked;
  if (function.required_cluster[0] != 0)
    return {function.required_cluster[0], std::max(function.required_cluster[1], 1u),
            std::max(function.required_cluster[2], 1u)};
  const int* set = kernel.settings.required_cluster;
  if (set[0] > 0)
    return {static_cast<unsigned>(set[0]), static_cast<unsigned>(std::max(set[1], 1)),
            static_cast<unsigned>(std::max(set[2], 1))};
  return {1, 1, 1};
}

Error check_cluster(const Kernel& kernel, const image::Function& function, const abi::Dim3& cluster) {
  const bool own = function.required_cluster[0] != 0;
  const abi::Dim3 fixed = cluster_of(kernel, function, {0, 0, 0});
  if (own && (cluster.x != fixed.x || cluster.y != fixed.y || cluster.z != fixed.z))
    return abi::cudaErrorInvalidClusterSize;
  if (cluster.x > 16 || cluster.y > 16 || cluster.z > 16) return abi::cudaErrorInvalidClusterSize;
  const unsigned blocks = cluster.x * cluster.y * cluster.z;
  if (blocks == 0 || blocks > (kernel.settings.non_portable_cluster ? 16u : 8u))
    return abi::cudaErrorInvalidClusterSize;
  return cudaSuccess;
}

Error check_launch(const Kernel& kernel, const image::Function& function, const KernelWork& work) {
  const DeviceModel& model = Process::get().model();
  if (exceeds(work.grid, model.max_grid) || exceeds(work.block, model.max_block)) return abi::cudaErrorInvalidValue;
  const std::uint64_t threads = std::uint64_t{work.block.x} * work.block.y * work.block.z;
  if (threads > static_cast<std::uint64_t>(model.attribute(attribute_max_threads_per_block)))
    return abi::cudaErrorInvalidValue;
  if (function.max_threads_per_block != 0 && threads > function.max_threads_per_block)
    return abi::cudaErrorInvalidValue;
  if (threads > max_threads(model, function)) return abi::cudaErrorLaunchOutOfResources;
  if (work.shared_bytes > max_dynamic_shared_bytes(model, kernel, function)) return abi::cudaErrorInvalidValue;
  const abi::Dim3 cluster = cluster_of(kernel, function, work.cluster);
  if ((cluster.x != 1 || cluster.y != 1 || cluster.z != 1) && model.attribute(attribute_cluster_launch) == 0)
    return abi::cudaErrorNotSupported;
  if (const Error error = check_cluster(kernel, function, cluster); error != cudaSuccess) return error;
  if (work.grid.x % cluster.x != 0 || work.grid.y % cluster.y != 0 || work.grid.z % cluster.z != 0)
    return abi::cudaErrorInvalidClusterSize;
  if (work.cooperative) {
    const std::uint64_t blocks = std::uint64_t{work.grid.x} * work.grid.y * work.grid.z;
    const std::uint64_t room = std::uint64_t{active_blocks(model, function, threads, work.shared_bytes)} *
                               static_cast<std::uint64_t>(model.attribute(attribute_multiprocessors));
    if (blocks > room) return abi::cudaErrorCooperativeLaunchTooLarge;
  }
  return cudaSuccess;
}

Error submit_launch(abi::Stream stream, const void* name, KernelWork work, void* const* arguments) {
  const KernelLookup found = find_kernel(name);
  if (found.error != cudaSuccess) return found.error;
  if (const Error error = check_launch(*found.kernel, found.code(), work); error != cudaSuccess) return error;
  work.function = found.kernel->host;
  if (work.parameters.empty()) work.parameters = pack_parameters(found.code(), arguments);
  return Process::get().streams().submit(stream, std::move(work));
}

Error run_kernel(const KernelWork& work) {
  Process& process = Process::get();
  if (process.is_spoiled()) return cudaSuccess;
  const KernelLookup found = find_kernel(work.function);
  if (found.error != cudaSuccess) return found.error;
  const abi::Dim3 cluster = cluster_of(*found.kernel, found.code(), work.cluster);
  const session::KernelReference& reference = **found.kernel->code;
  machine::LaunchRequest request{
      .module = reference.module,
      .function = reference.function,
      .grid = {work.grid.x, work.grid.y, work.grid.z},
      .block = {work.block.x, work.block.y, work.block.z},
      .cluster = {cluster.x, cluster.y, cluster.z},
      .dynamic_shared_bytes = static_cast<std::uint32_t>(work.shared_bytes),
      .parameters = work.parameters,
      .clustered = work.cluster.x != 0,
      .cooperative = work.cooperative,
      .stack_bytes = static_cast<std::uint32_t>(process.limits[abi::cudaLimitStackSize]),
  };
  const std::uint64_t threads = std::uint64_t{work.block.x} * work.block.y * work.block.z;
  auto outcome = process.engine().launch(request, block_room(process.model(), found.code(), threads));
  if (!outcome) {
    process.tell_unless_reported(outcome.error());
    return abi::cudaErrorLaunchFailure;
  }
  if (outcome->fault) {
    if (outcome->fault->kind == Kind::assertion) process.print_assertion(outcome->fault->message);
    tell_fault(request, *outcome);
    process.fault(error_of(outcome->fault->kind));
  }
  return cudaSuccess;
}

namespace {

Error run_graph(const abi::GraphTag& graph) {
  for (const abi::GraphNodeTag* node : graph.body->ordered()) {
    if (!node->enabled) continue;
    if (const Error error = run(node->work); error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

}  // namespace

Error run(const Work& work) {
  struct {
    Error operator()(const KernelWork& kernel) { return run_kernel(kernel); }
    Error operator()(const CopyWork& copy) {
      if (!Process::get().is_spoiled()) perform(copy);
      return cudaSuccess;
    }
    Error operator()(const SetWork& set) {
      if (!Process::get().is_spoiled()) perform(set);
      return cudaSuccess;
    }
    Error operator()(const HostWork& host) {
      host.function(host.data);
      return cudaSuccess;
    }
    Error operator()(const CallbackWork& work) {
      work.callback(work.stream, cudaSuccess, work.data);
      return cudaSuccess;
    }
    Error operator()(const ChildWork& child) { return run_graph(*child.graph); }
    Error operator()(const ConditionalWork& work) {
      const Conditional& conditional = *work.conditional;
      const std::uint32_t& value = condition_value(conditional.handle);
      const auto& bodies = conditional.bodies;
      switch (conditional.type) {
        case abi::cudaGraphCondTypeIf:
          return value != 0 ? run_graph(*bodies[0]) : bodies.size() > 1 ? run_graph(*bodies[1]) : cudaSuccess;
        case abi::cudaGraphCondTypeSwitch:
          return value < bodies.size() ? run_graph(*bodies[value]) : cudaSuccess;
        case abi::cudaGraphCondTypeWhile:
          break;
      }
      while (value != 0 && !Process::get().is_spoiled())
        if (const Error error = run_graph(*bodies[0]); error != cudaSuccess) return error;
      return cudaSuccess;
    }
    Error operator()(const RecordWork& record) { return Process::get().streams().record(record.event, nullptr); }
    Error operator()(const EmptyWork&) { return cudaSuccess; }
  } runner;
  return std::visit(runner, work);
}

}  // namespace lanebank::cudart
