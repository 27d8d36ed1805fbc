// The graph calls whose arguments are not the runtime's.
#include "cudart/calls.hpp"
#include "cudart/driver/context.hpp"
#include "cudart/driver/copy_box.hpp"
#include "cudart/driver/parameters.hpp"
#include "cudart/graph.hpp"
#include "cudart/launch.hpp"
#include "cudart/transfers.hpp"

namespace lanebank::cudart::driver {
namespace {

using abi::cudaErrorInvalidValue;

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

Error runtime_copy(const Memcpy3D* params, abi::Memcpy3DParms& same) {
  CopyWork work;
  if (params == nullptr) return cudaErrorInvalidValue;
  if (const Error error = box_of(*params, work, same.kind); error != cudaSuccess) return error;
  auto rows = [](std::size_t slice, std::size_t pitch) { return pitch == 0 ? 0 : slice / pitch; };
  same.srcPtr = {const_cast<std::byte*>(work.from), work.from_pitch_bytes, work.width_bytes,
                 rows(work.from_slice_bytes, work.from_pitch_bytes)};
  same.dstPtr = {work.to, work.to_pitch_bytes, work.width_bytes, rows(work.to_slice_bytes, work.to_pitch_bytes)};
  same.extent = {work.width_bytes, work.height, work.depth};
  return cudaSuccess;
}

/// A node of any kind as the runtime has it.
struct RuntimeAnyNode {
  abi::GraphNodeParams params{};
  RuntimeNode kernel;
};
Error runtime_any_node(const GraphNodeParams* params, RuntimeAnyNode& node) {
  if (params == nullptr) return cudaErrorInvalidValue;
  abi::GraphNodeParams& same = node.params;
  same.type = params->type;
  std::copy(std::begin(params->reserved0), std::end(params->reserved0), same.reserved0);
  same.reserved2 = params->reserved2;
  switch (params->type) {
    case abi::cudaGraphNodeTypeKernel: {
      const Error error = runtime_node(&params->kernel, node.kernel);
      same.kernel = node.kernel.params;
      return error;
    }
    case abi::cudaGraphNodeTypeMemcpy:
      same.memcpy = {};
      if (params->memcpy.flags != 0 || params->memcpy.reserved != 0) return cudaErrorInvalidValue;
      return runtime_copy(&params->memcpy.copyParams, same.memcpy.copyParams);
    case abi::cudaGraphNodeTypeMemset:
      same.memset = params->memset.set;
      return cudaSuccess;
    case abi::cudaGraphNodeTypeConditional:
      same.conditional = params->conditional.node;
      return cudaSuccess;
    default:  // all others are the same
      std::copy(std::begin(params->reserved1), std::end(params->reserved1), same.reserved1);
      return cudaSuccess;
  }
}

}  // namespace

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
  return when(Needs::queued, [&] {
    abi::Memcpy3DParms same;
    const Error error = runtime_copy(params, same);
    return error != cudaSuccess ? error : calls::cudaGraphAddMemcpyNode(node, graph, after, count, &same);
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

Result cuGraphRemoveDependencies(abi::Graph graph, const abi::GraphNode* from, const abi::GraphNode* to, size_t count) {
  return when(Needs::device, [&] { return calls::cudaGraphRemoveDependencies(graph, from, to, nullptr, count); });
}

Result cuGraphNodeGetDependencies(abi::GraphNode node, abi::GraphNode* nodes, size_t* count) {
  return when(Needs::device, [&] { return calls::cudaGraphNodeGetDependencies(node, nodes, nullptr, count); });
}

Result cuGraphNodeGetDependentNodes(abi::GraphNode node, abi::GraphNode* nodes, size_t* count) {
  return when(Needs::device, [&] { return calls::cudaGraphNodeGetDependentNodes(node, nodes, nullptr, count); });
}

Result cuGraphConditionalHandleCreate(std::uint64_t* handle, abi::Graph graph, Context context, unsigned value,
                                      unsigned flags) {
  return when(Needs::queued, [&]() -> Error {
    if (context == nullptr) return abi::cudaErrorDeviceUninitialized;  // the driver's CUDA_ERROR_INVALID_CONTEXT
    return calls::cudaGraphConditionalHandleCreate(handle, graph, value, flags);
  });
}

Result cuGraphAddNode(abi::GraphNode* node, abi::Graph graph, const abi::GraphNode* after, size_t count,
                      GraphNodeParams* params) {
  return cuGraphAddNode_v2(node, graph, after, nullptr, count, params);
}

Result cuGraphAddNode_v2(abi::GraphNode* node, abi::Graph graph, const abi::GraphNode* after,
                         const abi::GraphEdgeData* edges, size_t count, GraphNodeParams* params) {
  return when(Needs::queued, [&] {
    RuntimeAnyNode same;
    Error error = runtime_any_node(params, same);
    if (error == cudaSuccess) error = calls::cudaGraphAddNode(node, graph, after, edges, count, &same.params);
    if (error != cudaSuccess) return error;
    if (params->type == abi::cudaGraphNodeTypeMemAlloc) params->alloc.dptr = same.params.alloc.dptr;
    if (params->type == abi::cudaGraphNodeTypeConditional)
      params->conditional.node.phGraph_out = same.params.conditional.phGraph_out;
    return error;
  });
}

Result cuGraphNodeSetParams(abi::GraphNode node, GraphNodeParams* params) {
  return when(Needs::queued, [&] {
    RuntimeAnyNode same;
    const Error error = runtime_any_node(params, same);
    return error != cudaSuccess ? error : calls::cudaGraphNodeSetParams(node, &same.params);
  });
}

Result cuGraphExecNodeSetParams(abi::GraphExec exec, abi::GraphNode node, GraphNodeParams* params) {
  return when(Needs::queued, [&] {
    RuntimeAnyNode same;
    const Error error = runtime_any_node(params, same);
    return error != cudaSuccess ? error : calls::cudaGraphExecNodeSetParams(exec, node, &same.params);
  });
}

Result cuGraphMemcpyNodeSetParams(abi::GraphNode node, const Memcpy3D* params) {
  return when(Needs::queued, [&] {
    abi::Memcpy3DParms same;
    const Error error = runtime_copy(params, same);
    return error != cudaSuccess ? error : calls::cudaGraphMemcpyNodeSetParams(node, &same);
  });
}

Result cuGraphExecMemcpyNodeSetParams(abi::GraphExec exec, abi::GraphNode node, const Memcpy3D* params, Context) {
  return when(Needs::queued, [&] {
    abi::Memcpy3DParms same;
    const Error error = runtime_copy(params, same);
    return error != cudaSuccess ? error : calls::cudaGraphExecMemcpyNodeSetParams(exec, node, &same);
  });
}

Result cuGraphExecMemsetNodeSetParams(abi::GraphExec exec, abi::GraphNode node, const abi::MemsetParams* params,
                                      Context) {
  return when(Needs::queued, [&] { return calls::cudaGraphExecMemsetNodeSetParams(exec, node, params); });
}

Result cuGraphExecUpdate(abi::GraphExec exec, abi::Graph graph, abi::GraphNode* culprit, int* result) {
  return when(Needs::queued, [&] {
    abi::GraphExecUpdateResultInfo info{};
    const Error error = calls::cudaGraphExecUpdate(exec, graph, &info);
    if (culprit != nullptr) *culprit = info.errorNode;
    if (result != nullptr) *result = info.result;
    return error;
  });
}

}  // namespace lanebank::cudart::driver
