// Nodes of every kind through one structure.
#include <algorithm>

#include "cudart/calls.hpp"
#include "cudart/calls/graph_parts.hpp"
#include "cudart/process.hpp"

namespace lanebank::cudart::calls {
namespace {

bool is_clear(const GraphNodeParams& params) {
  return std::all_of(std::begin(params.reserved0), std::end(params.reserved0), [](int word) { return word == 0; }) &&
         params.reserved2 == 0;
}

bool is_clear(const MemcpyNodeParams& params) {
  return params.flags == 0 &&
         std::all_of(std::begin(params.reserved), std::end(params.reserved), [](int word) { return word == 0; });
}

/// The graph becomes the node's, and its handle stays good.
Error add_moved(GraphNode* node, Graph graph, const GraphNode* after, size_t count, Graph child) {
  if (child == nullptr || graph == nullptr || child == graph || child->parent != nullptr) return cudaErrorInvalidValue;
  if (child->body->has(cudaGraphNodeTypeConditional)) return cudaErrorNotSupported;
  const Error error = add_node(node, graph, after, count, ChildWork{});
  if (error != cudaSuccess) return error;
  std::get<ChildWork>((*node)->work).graph.reset(child);
  child->parent = graph;
  return cudaSuccess;
}

Error add_conditional(GraphNode* node, Graph graph, const GraphNode* after, size_t count,
                      ConditionalNodeParams& params) {
  const unsigned size = params.size;
  const bool fits = params.type == cudaGraphCondTypeIf      ? size == 1 || size == 2
                    : params.type == cudaGraphCondTypeWhile ? size == 1
                                                            : params.type == cudaGraphCondTypeSwitch && size != 0;
  if (graph == nullptr || !fits || !take_condition(params.handle)) return cudaErrorInvalidValue;
  auto conditional = std::make_shared<Conditional>();
  conditional->handle = params.handle;
  conditional->type = params.type;
  for (unsigned n = 0; n < size; ++n) {
    conditional->bodies.push_back(std::make_unique<GraphTag>());
    conditional->bodies.back()->parent = graph;
    conditional->handles.push_back(conditional->bodies.back().get());
  }
  const Error error = add_node(node, graph, after, count, ConditionalWork{conditional});
  if (error == cudaSuccess) params.phGraph_out = conditional->handles.data();
  return error;
}

}  // namespace

Error cudaGraphConditionalHandleCreate(std::uint64_t* handle, Graph graph, unsigned value, unsigned flags) {
  constexpr unsigned assign_default = 1;
  if (handle == nullptr || graph == nullptr || flags > assign_default) return cudaErrorInvalidValue;
  *handle = graph->body->make_condition(value, flags == assign_default);
  return *handle == 0 ? cudaErrorMemoryAllocation : cudaSuccess;
}

Error cudaGraphAddNode(GraphNode* node, Graph graph, const GraphNode* after, const GraphEdgeData*, size_t count,
                       GraphNodeParams* params) {
  if (params == nullptr || node == nullptr || graph == nullptr || !is_clear(*params)) return cudaErrorInvalidValue;
  switch (params->type) {
    case cudaGraphNodeTypeKernel:
      return cudaGraphAddKernelNode(node, graph, after, count, &params->kernel);
    case cudaGraphNodeTypeMemcpy:
      if (!is_clear(params->memcpy)) return cudaErrorInvalidValue;
      return cudaGraphAddMemcpyNode(node, graph, after, count, &params->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
      return cudaGraphAddMemsetNode(node, graph, after, count, &params->memset);
    case cudaGraphNodeTypeHost:
      return cudaGraphAddHostNode(node, graph, after, count, &params->host);
    case cudaGraphNodeTypeGraph:
      if (params->graph.ownership == 0)
        return cudaGraphAddChildGraphNode(node, graph, after, count, params->graph.graph);
      if (params->graph.ownership != 1) return cudaErrorInvalidValue;
      return add_moved(node, graph, after, count, params->graph.graph);
    case cudaGraphNodeTypeEmpty:
      return cudaGraphAddEmptyNode(node, graph, after, count);
    case cudaGraphNodeTypeWaitEvent:
      return cudaGraphAddEventWaitNode(node, graph, after, count, params->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
      return cudaGraphAddEventRecordNode(node, graph, after, count, params->eventRecord.event);
    case cudaGraphNodeTypeMemAlloc:
      return cudaGraphAddMemAllocNode(node, graph, after, count, &params->alloc);
    case cudaGraphNodeTypeMemFree:
      return cudaGraphAddMemFreeNode(node, graph, after, count, params->free.dptr);
    case cudaGraphNodeTypeConditional:
      return add_conditional(node, graph, after, count, params->conditional);
  }
  return cudaErrorInvalidValue;
}

Error cudaGraphNodeSetParams(GraphNode node, GraphNodeParams* params) {
  if (node == nullptr || params == nullptr || !is_clear(*params)) return cudaErrorInvalidValue;
  if (type_of(node->work) != params->type) return cudaErrorInvalidValue;
  switch (params->type) {
    case cudaGraphNodeTypeKernel:
      return cudaGraphKernelNodeSetParams(node, &params->kernel);
    case cudaGraphNodeTypeMemcpy:
      if (!is_clear(params->memcpy)) return cudaErrorInvalidValue;
      return cudaGraphMemcpyNodeSetParams(node, &params->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
      return cudaGraphMemsetNodeSetParams(node, &params->memset);
    case cudaGraphNodeTypeHost:
      return cudaGraphHostNodeSetParams(node, &params->host);
    case cudaGraphNodeTypeWaitEvent:
      return cudaGraphEventWaitNodeSetEvent(node, params->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
      return cudaGraphEventRecordNodeSetEvent(node, params->eventRecord.event);
    default:
      return cudaErrorInvalidValue;
  }
}

Error cudaGraphExecNodeSetParams(GraphExec exec, GraphNode node, GraphNodeParams* params) {
  if (params != nullptr && params->type == cudaGraphNodeTypeGraph)
    return cudaGraphExecChildGraphNodeSetParams(exec, node, params->graph.graph);
  return cudaGraphNodeSetParams(node_of_exec(exec, node), params);
}

}  // namespace lanebank::cudart::calls
