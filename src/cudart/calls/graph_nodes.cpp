// Nodes of graphs beyond kernels and copies: allocations and events; reading and changing what nodes do.
#include "cudart/calls.hpp"
#include "cudart/calls/graph_parts.hpp"
#include "cudart/pools.hpp"
#include "cudart/process.hpp"
#include "cudart/transfers.hpp"

namespace lanebank::cudart::calls {
namespace {

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
  if (error != cudaSuccess) return error;
  *work = copy;
  node->copy.reset();
  return cudaSuccess;
}

Error set_copy(GraphNode node, const Memcpy3DParms* params) {
  auto* work = work_of<CopyWork>(node);
  CopyWork copy;
  if (work == nullptr) return cudaErrorInvalidValue;
  Error error = box(params, copy);
  if (error == cudaSuccess) error = check(Process::get().memory(), copy, params->kind);
  if (error != cudaSuccess) return error;
  *work = copy;
  node->copy = *params;
  return cudaSuccess;
}

/// The part of a variable that a copy means.
struct Part {
  void* address = nullptr;
  Error error = cudaSuccess;
};
Part part_of(const void* symbol, size_t bytes, size_t offset) {
  Part part;
  size_t size = 0;
  part.error = cudaGetSymbolAddress(&part.address, symbol);
  if (part.error == cudaSuccess) part.error = cudaGetSymbolSize(&size, symbol);
  if (part.error != cudaSuccess) return part;
  if (offset > size || bytes > size - offset) part.error = cudaErrorInvalidValue;
  part.address = static_cast<std::byte*>(part.address) + offset;
  return part;
}

Event* event_of(GraphNode node, GraphNodeType type) {
  if (node == nullptr || type_of(node->work) != type) return nullptr;
  if (type == cudaGraphNodeTypeEventRecord) return &std::get<RecordWork>(node->work).event;
  return &std::get<EmptyWork>(node->work).event;
}

Error get_event(GraphNode node, GraphNodeType type, Event* event) {
  const Event* own = event_of(node, type);
  if (own == nullptr || event == nullptr) return cudaErrorInvalidValue;
  *event = *own;
  return cudaSuccess;
}

Error set_event(GraphNode node, GraphNodeType type, Event event) {
  Event* own = event_of(node, type);
  if (own == nullptr || Process::get().streams().find(event) == nullptr) return cudaErrorInvalidValue;
  *own = event;
  return cudaSuccess;
}

}  // namespace

Error cudaGraphAddMemAllocNode(GraphNode* node, Graph graph, const GraphNode* after, size_t count,
                               MemAllocNodeParams* params) {
  if (params == nullptr || params->bytesize == 0 || params->poolProps.allocType != pinned_type)
    return cudaErrorInvalidValue;
  if (params->poolProps.location.type != cudaMemLocationTypeDevice) return cudaErrorInvalidValue;
  if (params->poolProps.location.id != 0) return cudaErrorInvalidDevice;
  if (node == nullptr || graph == nullptr || (count != 0 && after == nullptr)) return cudaErrorInvalidValue;
  const GraphPlace place = graph->body->place_for(params->bytesize, {after, after + count});
  if (!place.region) return cudaErrorMemoryAllocation;
  params->dptr = reinterpret_cast<void*>(place.address);
  const EmptyWork work{cudaGraphNodeTypeMemAlloc, params->dptr, params->bytesize};
  const Error error = add_node(node, graph, after, count, work);
  if (error == cudaSuccess) graph->body->begin_use(place, params->bytesize, *node);
  return error;
}

Error cudaGraphAddMemFreeNode(GraphNode* node, Graph graph, const GraphNode* after, size_t count, void* address) {
  const auto first = reinterpret_cast<std::uint64_t>(address);
  if (address == nullptr || node == nullptr || graph == nullptr || (count != 0 && after == nullptr))
    return cudaErrorInvalidValue;
  if (!graph->body->may_free(first)) return cudaErrorInvalidValue;
  const Error error = add_node(node, graph, after, count, EmptyWork{cudaGraphNodeTypeMemFree, address, 0});
  if (error == cudaSuccess) graph->body->end_use(first, *node);
  return error;
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
  return add_node(node, graph, after, count, EmptyWork{.type = cudaGraphNodeTypeWaitEvent, .event = event});
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

Error cudaGraphEventRecordNodeGetEvent(GraphNode node, Event* event) {
  return get_event(node, cudaGraphNodeTypeEventRecord, event);
}
Error cudaGraphEventRecordNodeSetEvent(GraphNode node, Event event) {
  return set_event(node, cudaGraphNodeTypeEventRecord, event);
}
Error cudaGraphEventWaitNodeGetEvent(GraphNode node, Event* event) {
  return get_event(node, cudaGraphNodeTypeWaitEvent, event);
}
Error cudaGraphEventWaitNodeSetEvent(GraphNode node, Event event) {
  return set_event(node, cudaGraphNodeTypeWaitEvent, event);
}
Error cudaGraphExecEventRecordNodeSetEvent(GraphExec exec, GraphNode node, Event event) {
  return set_event(node_of_exec(exec, node), cudaGraphNodeTypeEventRecord, event);
}
Error cudaGraphExecEventWaitNodeSetEvent(GraphExec exec, GraphNode node, Event event) {
  return set_event(node_of_exec(exec, node), cudaGraphNodeTypeWaitEvent, event);
}

Error cudaGraphMemcpyNodeGetParams(GraphNode node, Memcpy3DParms* params) {
  const auto* work = work_of<CopyWork>(node);
  if (work == nullptr || params == nullptr) return cudaErrorInvalidValue;
  if (node->copy) {
    *params = *node->copy;
    return cudaSuccess;
  }
  auto end = [&](const std::byte* address, size_t pitch, size_t slice) {
    return PitchedPtr{const_cast<std::byte*>(address), pitch, work->width_bytes, pitch == 0 ? 0 : slice / pitch};
  };
  *params = {};
  params->srcPtr = end(work->from, work->from_pitch_bytes, work->from_slice_bytes);
  params->dstPtr = end(work->to, work->to_pitch_bytes, work->to_slice_bytes);
  params->extent = {work->width_bytes, work->height, work->depth};
  params->kind = cudaMemcpyDefault;
  return cudaSuccess;
}

Error cudaGraphMemcpyNodeSetParams(GraphNode node, const Memcpy3DParms* params) { return set_copy(node, params); }

Error cudaGraphExecMemcpyNodeSetParams(GraphExec exec, GraphNode node, const Memcpy3DParms* params) {
  return set_copy(node_of_exec(exec, node), params);
}

Error cudaGraphAddMemcpyNodeToSymbol(GraphNode* node, Graph graph, const GraphNode* after, size_t count,
                                     const void* symbol, const void* from, size_t bytes, size_t offset,
                                     MemcpyKind kind) {
  const Part to = part_of(symbol, bytes, offset);
  return to.error != cudaSuccess ? to.error
                                 : cudaGraphAddMemcpyNode1D(node, graph, after, count, to.address, from, bytes, kind);
}

Error cudaGraphAddMemcpyNodeFromSymbol(GraphNode* node, Graph graph, const GraphNode* after, size_t count, void* to,
                                       const void* symbol, size_t bytes, size_t offset, MemcpyKind kind) {
  const Part from = part_of(symbol, bytes, offset);
  return from.error != cudaSuccess ? from.error
                                   : cudaGraphAddMemcpyNode1D(node, graph, after, count, to, from.address, bytes, kind);
}

Error cudaGraphMemcpyNodeSetParamsToSymbol(GraphNode node, const void* symbol, const void* from, size_t bytes,
                                           size_t offset, MemcpyKind kind) {
  const Part to = part_of(symbol, bytes, offset);
  return to.error != cudaSuccess ? to.error : set_copy(node, to.address, from, bytes, kind);
}

Error cudaGraphMemcpyNodeSetParamsFromSymbol(GraphNode node, void* to, const void* symbol, size_t bytes, size_t offset,
                                             MemcpyKind kind) {
  const Part from = part_of(symbol, bytes, offset);
  return from.error != cudaSuccess ? from.error : set_copy(node, to, from.address, bytes, kind);
}

Error cudaGraphExecMemcpyNodeSetParamsToSymbol(GraphExec exec, GraphNode node, const void* symbol, const void* from,
                                               size_t bytes, size_t offset, MemcpyKind kind) {
  return cudaGraphMemcpyNodeSetParamsToSymbol(node_of_exec(exec, node), symbol, from, bytes, offset, kind);
}

Error cudaGraphExecMemcpyNodeSetParamsFromSymbol(GraphExec exec, GraphNode node, void* to, const void* symbol,
                                                 size_t bytes, size_t offset, MemcpyKind kind) {
  return cudaGraphMemcpyNodeSetParamsFromSymbol(node_of_exec(exec, node), to, symbol, bytes, offset, kind);
}

}  // namespace lanebank::cudart::calls
