// Graphs built node by node, and their launches.
#include <algorithm>
#include <cstring>

#include "cudart/calls.hpp"
#include "cudart/calls/graph_parts.hpp"
#include "cudart/launch.hpp"
#include "cudart/process.hpp"
#include "cudart/transfers.hpp"

namespace lanebank::cudart::calls {
namespace {

constexpr unsigned long long auto_free = 1, all_flags = 15;  // cudaGraphInstantiateFlag...

Error kernel_work(const KernelNodeParams* params, KernelWork& work, const image::Function*& function) {
  if (params == nullptr) return cudaErrorInvalidValue;
  if (params->extra != nullptr) return cudaErrorNotSupported;
  const KernelLookup found = find_kernel(params->func);
  if (found.error != cudaSuccess) return found.error;
  work.grid = params->gridDim;
  work.block = params->blockDim;
  work.shared_bytes = params->sharedMemBytes;
  if (const Error error = check_launch(*found.kernel, found.code(), work); error != cudaSuccess) return error;
  function = &found.code();
  work.function = found.kernel->host;
  work.parameters = pack_parameters(*function, params->kernelParams);
  return cudaSuccess;
}

/// A kernel node keeps copies of its arguments, for cudaGraphKernelNodeGetParams.
void keep_arguments(GraphNodeTag& node, const image::Function& function, void* const* arguments) {
  node.arguments.clear();
  for (size_t i = 0; i < function.parameters.size() && arguments != nullptr; ++i) {
    const auto* first = static_cast<const std::byte*>(arguments[i]);
    node.arguments.emplace_back(first, first + function.parameters[i].size_bytes);
  }
}

/// The nodes of two graphs of the same shape, in pairs.
void pair(const GraphBody& before, const GraphBody& now, Twins& twins) {
  for (size_t i = 0; i < now.nodes().size(); ++i) {
    const GraphNodeTag& old = *before.nodes()[i];
    GraphNode node = now.nodes()[i].get();
    twins[&old] = node;
    if (const auto* child = std::get_if<ChildWork>(&old.work))
      pair(*child->graph->body, *std::get<ChildWork>(node->work).graph->body, twins);
    if (const auto* work = std::get_if<ConditionalWork>(&old.work))
      for (size_t n = 0; n < work->conditional->bodies.size(); ++n)
        pair(*work->conditional->bodies[n]->body, *std::get<ConditionalWork>(node->work).conditional->bodies[n]->body,
             twins);
  }
}

/// Makes the executable graph one of `graph`. Nodes of graphs that it came from before, of the same shape, stay its nodes.
void take(GraphExecTag& exec, GraphTag& graph) {
  auto made = std::make_shared<GraphTag>();
  Twins twins, successors;
  made->body = graph.body->clone(twins, made.get());
  if (exec.graph) pair(*exec.graph->body, *made->body, successors);
  for (const auto& [origin, node] : exec.twins)
    if (const auto found = successors.find(node); found != successors.end()) twins.emplace(origin, found->second);
  exec.graph = made;
  exec.twins = std::move(twins);
  graph.instance = made;
}

/// Graphs with memory or conditions are for one executable graph at a time, and are not copied otherwise.
bool is_unique(const GraphTag& graph) {
  return graph.body->has(cudaGraphNodeTypeMemAlloc) || graph.body->has(cudaGraphNodeTypeMemFree) ||
         graph.body->has(cudaGraphNodeTypeConditional);
}

/// The first difference that an executable graph cannot be changed over.
struct Difference {
  int result = 0;  ///< cudaGraphExecUpdateResult
  GraphNode node = nullptr;
};
Difference compare(const GraphBody& old_body, const GraphBody& new_body) {
  constexpr int topology_changed = 2, type_changed = 3;
  const auto &old_nodes = old_body.nodes(), &new_nodes = new_body.nodes();
  if (old_nodes.size() != new_nodes.size()) return {topology_changed, nullptr};
  for (size_t i = 0; i < new_nodes.size(); ++i) {
    const GraphNodeTag &before = *old_nodes[i], &now = *new_nodes[i];
    if (before.after.size() != now.after.size()) return {topology_changed, new_nodes[i].get()};
    if (type_of(before.work) != type_of(now.work)) return {type_changed, new_nodes[i].get()};
    if (const auto* child = std::get_if<ChildWork>(&now.work)) {
      const Difference inside = compare(*std::get<ChildWork>(before.work).graph->body, *child->graph->body);
      if (inside.result != 0) return inside;
    }
    if (const auto* work = std::get_if<ConditionalWork>(&now.work)) {
      const auto &old_bodies = std::get<ConditionalWork>(before.work).conditional->bodies,
                 &bodies = work->conditional->bodies;
      if (old_bodies.size() != bodies.size()) return {topology_changed, new_nodes[i].get()};
      for (size_t n = 0; n < bodies.size(); ++n)
        if (const Difference inside = compare(*old_bodies[n]->body, *bodies[n]->body); inside.result != 0)
          return inside;
    }
  }
  return {};
}

}  // namespace

Graphs& graphs() {
  static Graphs* const all = new Graphs;
  return *all;
}

Error add_node(GraphNode* node, Graph graph, const GraphNode* after, size_t count, Work work) {
  if (node == nullptr || graph == nullptr || (count != 0 && after == nullptr)) return cudaErrorInvalidValue;
  for (size_t i = 0; i < count; ++i)
    if (!graph->body->holds(after[i])) return cudaErrorInvalidValue;
  *node = graph->body->add(std::move(work), {after, after + count});
  (*node)->graph = graph;
  return cudaSuccess;
}

GraphNode node_of_exec(GraphExec exec, GraphNode node) {
  std::lock_guard lock(graphs().mutex);
  if (!graphs().holds(exec)) return nullptr;
  const auto found = exec->twins.find(node);
  return found == exec->twins.end() ? nullptr : found->second;
}

Error set_work(const MemsetParams* params, SetWork& set) {
  if (params == nullptr) return cudaErrorInvalidValue;
  const unsigned size = params->elementSize;
  if (size != 1 && size != 2 && size != 4) return cudaErrorInvalidValue;
  set = {.to = static_cast<std::byte*>(params->dst),
         .value = params->value,
         .element_bytes = size,
         .width_bytes = params->width * size,
         .height = params->height,
         .pitch_bytes = params->pitch};
  return check(Process::get().memory(), set);
}

Error cudaGraphCreate(Graph* graph, unsigned flags) {
  if (graph == nullptr || flags != 0) return cudaErrorInvalidValue;
  *graph = new GraphTag;
  return cudaSuccess;
}

Error cudaGraphDestroy(Graph graph) {
  if (graph == nullptr || graph->parent != nullptr) return cudaErrorInvalidValue;
  delete graph;
  return cudaSuccess;
}

Error cudaGraphClone(Graph* copy, Graph graph) {
  if (copy == nullptr || graph == nullptr) return cudaErrorInvalidValue;
  if (is_unique(*graph)) return cudaErrorNotSupported;
  *copy = new GraphTag;
  (*copy)->body = graph->body->clone((*copy)->twins, *copy);
  return cudaSuccess;
}

Error cudaGraphAddKernelNode(GraphNode* node, Graph graph, const GraphNode* after, size_t count,
                             const KernelNodeParams* params) {
  KernelWork work;
  const image::Function* function = nullptr;
  if (const Error error = kernel_work(params, work, function); error != cudaSuccess) return error;
  if (const Error error = add_node(node, graph, after, count, std::move(work)); error != cudaSuccess) return error;
  keep_arguments(**node, *function, params->kernelParams);
  return cudaSuccess;
}

Error cudaGraphAddMemcpyNode1D(GraphNode* node, Graph graph, const GraphNode* after, size_t count, void* to,
                               const void* from, size_t bytes, MemcpyKind kind) {
  const CopyWork copy = linear(to, from, bytes);
  const Error error = check(Process::get().memory(), copy, kind);
  return error != cudaSuccess ? error : add_node(node, graph, after, count, copy);
}

Error cudaGraphAddMemcpyNode(GraphNode* node, Graph graph, const GraphNode* after, size_t count,
                             const Memcpy3DParms* params) {
  CopyWork copy;
  if (const Error error = box(params, copy); error != cudaSuccess) return error;
  Error error = check(Process::get().memory(), copy, params->kind);
  if (error == cudaSuccess) error = add_node(node, graph, after, count, copy);
  if (error == cudaSuccess) (*node)->copy = *params;
  return error;
}

Error cudaGraphAddMemsetNode(GraphNode* node, Graph graph, const GraphNode* after, size_t count,
                             const MemsetParams* params) {
  SetWork set;
  const Error error = set_work(params, set);
  return error != cudaSuccess ? error : add_node(node, graph, after, count, set);
}

Error cudaGraphAddHostNode(GraphNode* node, Graph graph, const GraphNode* after, size_t count,
                           const HostNodeParams* params) {
  if (params == nullptr || params->fn == nullptr) return cudaErrorInvalidValue;
  return add_node(node, graph, after, count, HostWork{params->fn, params->userData});
}

Error cudaGraphAddEmptyNode(GraphNode* node, Graph graph, const GraphNode* after, size_t count) {
  return add_node(node, graph, after, count, EmptyWork{});
}

Error cudaGraphAddChildGraphNode(GraphNode* node, Graph graph, const GraphNode* after, size_t count, Graph child) {
  if (child == nullptr || graph == nullptr) return cudaErrorInvalidValue;
  if (is_unique(*child)) return cudaErrorNotSupported;
  Twins twins;
  return add_node(node, graph, after, count, ChildWork{embed(*child->body, graph, twins)});
}

Error cudaGraphNodeGetType(GraphNode node, GraphNodeType* type) {
  if (node == nullptr || type == nullptr) return cudaErrorInvalidValue;
  *type = type_of(node->work);
  return cudaSuccess;
}

Error cudaGraphKernelNodeGetParams(GraphNode node, KernelNodeParams* params) {
  if (node == nullptr || params == nullptr) return cudaErrorInvalidValue;
  const auto* work = std::get_if<KernelWork>(&node->work);
  if (work == nullptr) return cudaErrorInvalidValue;
  if (node->arguments.empty()) {  // a captured node has only the packed block
    const KernelLookup found = find_kernel(work->function);
    if (found.error != cudaSuccess) return found.error;
    for (const image::Parameter& parameter : found.code().parameters) {
      const std::byte* first = work->parameters.data() + parameter.offset_bytes;
      node->arguments.emplace_back(first, first + parameter.size_bytes);
    }
  }
  node->argument_pointers.clear();
  for (auto& argument : node->arguments) node->argument_pointers.push_back(argument.data());
  *params = {const_cast<void*>(work->function), work->grid, work->block, static_cast<unsigned>(work->shared_bytes),
             node->argument_pointers.data(),    nullptr};
  return cudaSuccess;
}

Error cudaGraphKernelNodeSetParams(GraphNode node, const KernelNodeParams* params) {
  if (node == nullptr || !std::holds_alternative<KernelWork>(node->work)) return cudaErrorInvalidValue;
  KernelWork work;
  const image::Function* function = nullptr;
  if (const Error error = kernel_work(params, work, function); error != cudaSuccess) return error;
  const auto& old = std::get<KernelWork>(node->work);
  work.cluster = old.cluster;
  work.cooperative = old.cooperative;
  keep_arguments(*node, *function, params->kernelParams);
  node->work = std::move(work);
  return cudaSuccess;
}

Error cudaGraphInstantiate(GraphExec* exec, Graph graph, unsigned long long flags) {
  if (exec == nullptr || graph == nullptr || (flags & ~all_flags) != 0) return cudaErrorInvalidValue;
  if (graph->parent != nullptr) return cudaErrorNotSupported;
  if (!graph->body->uses_all_conditions() || !graph->body->is_acyclic()) return cudaErrorInvalidValue;
  if (is_unique(*graph) && !graph->instance.expired()) return cudaErrorNotSupported;
  auto made = std::make_unique<GraphExecTag>();
  made->flags = flags;
  take(*made, *graph);
  std::lock_guard lock(graphs().mutex);
  *exec = made.release();
  graphs().execs.insert(*exec);
  return cudaSuccess;
}

Error cudaGraphInstantiateWithFlags(GraphExec* exec, Graph graph, unsigned long long flags) {
  return cudaGraphInstantiate(exec, graph, flags);
}

Error cudaGraphInstantiateWithParams(GraphExec* exec, Graph graph, GraphInstantiateParams* params) {
  if (params == nullptr) return cudaErrorInvalidValue;
  const Error error = cudaGraphInstantiate(exec, graph, params->flags);
  params->errNode_out = nullptr;
  params->result_out = error == cudaSuccess ? 0 : 1;
  return error;
}

Error cudaGraphExecDestroy(GraphExec exec) {
  {
    std::lock_guard lock(graphs().mutex);
    if (graphs().execs.erase(exec) == 0) return cudaErrorInvalidValue;
  }
  delete exec;  // without the lock: destructors of the program may follow
  return cudaSuccess;
}

Error cudaGraphExecGetFlags(GraphExec exec, unsigned long long* flags) {
  std::lock_guard lock(graphs().mutex);
  if (!graphs().holds(exec) || flags == nullptr) return cudaErrorInvalidValue;
  *flags = exec->flags;
  return cudaSuccess;
}

Error cudaGraphExecUpdate(GraphExec exec, Graph graph, GraphExecUpdateResultInfo* info) {
  std::lock_guard lock(graphs().mutex);
  if (!graphs().holds(exec) || graph == nullptr) return cudaErrorInvalidValue;
  const Difference difference = compare(*exec->graph->body, *graph->body);
  if (info != nullptr) *info = {difference.result, difference.node, nullptr};
  if (difference.result != 0) return cudaErrorGraphExecUpdateFailure;
  take(*exec, *graph);
  return cudaSuccess;
}

Error cudaGraphExecKernelNodeSetParams(GraphExec exec, GraphNode node, const KernelNodeParams* params) {
  return cudaGraphKernelNodeSetParams(node_of_exec(exec, node), params);
}

Error cudaGraphExecChildGraphNodeSetParams(GraphExec exec, GraphNode node, Graph child) {
  GraphNode own = node_of_exec(exec, node);
  auto* work = own == nullptr ? nullptr : std::get_if<ChildWork>(&own->work);
  if (work == nullptr || child == nullptr) return cudaErrorInvalidValue;
  if (is_unique(*child)) return cudaErrorNotSupported;
  if (compare(*work->graph->body, *child->body).result != 0) return cudaErrorGraphExecUpdateFailure;
  Twins twins;
  work->graph = embed(*child->body, own->graph, twins);
  return cudaSuccess;
}

Error cudaGraphLaunch(GraphExec exec, Stream stream) {
  GraphMemory::Launch launch;
  std::shared_ptr<GraphTag> graph;
  {
    std::lock_guard lock(graphs().mutex);
    if (!graphs().holds(exec)) return cudaErrorInvalidValue;
    graph = exec->graph;
    launch.frees_first = (exec->flags & auto_free) != 0;
  }
  Streams& streams = Process::get().streams();
  launch.stream = streams.find(stream);
  if (launch.stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (launch.stream->capture) {
    if (is_unique(*graph)) return cudaErrorNotSupported;
    Twins twins;
    return streams.submit(stream, ChildWork{embed(*graph->body, launch.stream->capture->graph, twins)});
  }
  graph->body->add_memory(launch);
  if (const Error error = GraphMemory::get().begin(launch); error != cudaSuccess) return error;
  graph->body->begin_launch();
  const Error error = streams.submit(stream, ChildWork{graph});
  graph->body->end_launch();
  GraphMemory::get().end(launch);
  return error;
}

Error cudaGraphUpload(GraphExec exec, Stream stream) {
  std::lock_guard lock(graphs().mutex);
  if (!graphs().holds(exec)) return cudaErrorInvalidValue;
  return Process::get().streams().find(stream) == nullptr ? cudaErrorInvalidResourceHandle : cudaSuccess;
}

}  // namespace lanebank::cudart::calls
