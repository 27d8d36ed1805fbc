// Nodes of graphs beyond kernels and copies: allocations and events; reading and changing what nodes do.
#include "cudart/calls.hpp"
#include "cudart/calls/graph_parts.hpp"
#include "cudart/process.hpp"
#include "cudart/transfers.hpp"

namespace lanebank::cudart::calls {
namespace {

constexpr int pinned_type = 1;  // cudaMemAllocationTypePinned

template <class T>
T* work_of(GraphNode node) {
  return node == nullptr ? nullptr : std::get_if<T>(&node->work);
}

const EmptyWork* memory_node(GraphNode node, GraphNodeType type) {
  const auto* work = work_of<EmptyWork>(node);
  return work != nullptr && work->type == type ? work : nullptr;
}

Error set_host(GraphNode node, const HostNodeParams* params) {
  auto* work = work_of<HostWork>(node);
  if (work == nullptr || params == nullptr || params->fn == nullptr) return cudaErrorInvalidValue;
  *work = {params->fn, params->userData};
  return cudaSuccess;
}

Error set_fill(GraphNode node, const MemsetParams* params) {
  auto* work = work_of<SetWork>(node);
  SetWork set;
  if (work == nullptr) return cudaErrorInvalidValue;
  const Error error = set_work(params, set);
  if (error == cudaSuccess) *work = set;
  return error;
}

Error set_copy(GraphNode node, void* to, const void* from, size_t bytes, MemcpyKind kind) {
  auto* work = work_of<CopyWork>(node);
  if (work == nullptr) return cudaErrorInvalidValue;
  const CopyWork copy = linear(to, from, bytes);
  const Error error = check(Process::get().memory(), copy, kind);
  if (error == cudaSuccess) *work = copy;
  return error;
}

}  // namespace

Error cudaGraphAddMemAllocNode(GraphNode* node, Graph graph, const GraphNode* after, size_t count,
                               MemAllocNodeParams* params) {
  if (params == nullptr || params->bytesize == 0 || params->poolProps.allocType != pinned_type)
    return cudaErrorInvalidValue;
  if (params->poolProps.location.type != cudaMemLocationTypeDevice) return cudaErrorInvalidValue;
  if (params->poolProps.location.id != 0) return cudaErrorInvalidDevice;
  Process& process = Process::get();
  const size_t total = process.model().memory_bytes, used = process.memory().used_bytes();
  if (params->bytesize > total || used > total - params->bytesize) return cudaErrorMemoryAllocation;
  const std::uint64_t found = process.memory().allocate(params->bytesize, machine::MemoryKind::device);
  if (found == 0) return cudaErrorMemoryAllocation;
  auto* address = reinterpret_cast<void*>(found);
  const EmptyWork work{cudaGraphNodeTypeMemAlloc, address, params->bytesize};
  if (const Error error = add_node(node, graph, after, count, work); error != cudaSuccess) {
    process.memory().free(found);
    return error;
  }
  // A graph's memory has one address for all its launches.
  graph->body->own(found);
  params->dptr = address;
  return cudaSuccess;
}

Error cudaGraphAddMemFreeNode(GraphNode* node, Graph graph, const GraphNode* after, size_t count, void* address) {
  if (address == nullptr) return cudaErrorInvalidValue;
  return add_node(node, graph, after, count, EmptyWork{cudaGraphNodeTypeMemFree, address, 0});
}

Error cudaGraphMemAllocNodeGetParams(GraphNode node, MemAllocNodeParams* params) {
  const EmptyWork* work = memory_node(node, cudaGraphNodeTypeMemAlloc);
  if (work == nullptr || params == nullptr) return cudaErrorInvalidValue;
  *params = {};
  params->poolProps.allocType = pinned_type;
  params->poolProps.location = {cudaMemLocationTypeDevice, 0};
  params->bytesize = work->bytes;
  params->dptr = work->address;
  return cudaSuccess;
}

Error cudaGraphMemFreeNodeGetParams(GraphNode node, void* address) {
  const EmptyWork* work = memory_node(node, cudaGraphNodeTypeMemFree);
  if (work == nullptr || address == nullptr) return cudaErrorInvalidValue;
  *static_cast<void**>(address) = work->address;
  return cudaSuccess;
}

Error cudaGraphAddEventRecordNode(GraphNode* node, Graph graph, const GraphNode* after, size_t count, Event event) {
  if (Process::get().streams().find(event) == nullptr) return cudaErrorInvalidValue;
  return add_node(node, graph, after, count, RecordWork{event});
}

Error cudaGraphAddEventWaitNode(GraphNode* node, Graph graph, const GraphNode* after, size_t count, Event event) {
  if (Process::get().streams().find(event) == nullptr) return cudaErrorInvalidValue;
  return add_node(node, graph, after, count, EmptyWork{cudaGraphNodeTypeWaitEvent, nullptr, 0});
}

Error cudaGraphHostNodeGetParams(GraphNode node, HostNodeParams* params) {
  const auto* work = work_of<HostWork>(node);
  if (work == nullptr || params == nullptr) return cudaErrorInvalidValue;
  *params = {work->function, work->data};
  return cudaSuccess;
}

Error cudaGraphHostNodeSetParams(GraphNode node, const HostNodeParams* params) { return set_host(node, params); }

Error cudaGraphMemsetNodeGetParams(GraphNode node, MemsetParams* params) {
  const auto* work = work_of<SetWork>(node);
  if (work == nullptr || params == nullptr) return cudaErrorInvalidValue;
  *params = {work->to,    work->pitch_bytes, work->value, work->element_bytes, work->width_bytes / work->element_bytes,
             work->height};
  return cudaSuccess;
}

Error cudaGraphMemsetNodeSetParams(GraphNode node, const MemsetParams* params) { return set_fill(node, params); }

Error cudaGraphMemcpyNodeSetParams1D(GraphNode node, void* to, const void* from, size_t bytes, MemcpyKind kind) {
  return set_copy(node, to, from, bytes, kind);
}

Error cudaGraphExecMemcpyNodeSetParams1D(GraphExec exec, GraphNode node, void* to, const void* from, size_t bytes,
                                         MemcpyKind kind) {
  return set_copy(node_of_exec(exec, node), to, from, bytes, kind);
}

Error cudaGraphExecMemsetNodeSetParams(GraphExec exec, GraphNode node, const MemsetParams* params) {
  return set_fill(node_of_exec(exec, node), params);
}

Error cudaGraphExecHostNodeSetParams(GraphExec exec, GraphNode node, const HostNodeParams* params) {
  return set_host(node_of_exec(exec, node), params);
}

}  // namespace lanebank::cudart::calls
