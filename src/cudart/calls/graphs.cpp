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

/// Executable graphs that are alive.
struct Graphs {
  std::mutex mutex;
  std::set<GraphExec> execs;
};
Graphs& graphs() {
  static Graphs* const all = new Graphs;
  return *all;
}

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

template <class T>
Error list(const std::vector<T>& all, T* to, size_t* count) {
  if (count == nullptr) return cudaErrorInvalidValue;
  if (to != nullptr) {
    std::copy_n(all.begin(), std::min(*count, all.size()), to);
    std::fill(to + std::min(*count, all.size()), to + *count, T{});
  }
  *count = all.size();
  return cudaSuccess;
}

void take(GraphExecTag& exec, const GraphTag& graph) {
  exec.body = graph.body->clone();
  exec.origin.clear();
  for (const auto& node : graph.body->nodes()) exec.origin.push_back(node.get());
}

bool alive(GraphExec exec) { return graphs().execs.contains(exec); }

}  // namespace

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
  if (!alive(exec)) return nullptr;
  auto found = std::find(exec->origin.begin(), exec->origin.end(), node);
  if (found == exec->origin.end()) return nullptr;
  return exec->body->nodes()[static_cast<size_t>(found - exec->origin.begin())].get();
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
  if (graph == nullptr) return cudaErrorInvalidValue;
  delete graph;
  return cudaSuccess;
}

Error cudaGraphClone(Graph* copy, Graph graph) {
  if (copy == nullptr || graph == nullptr) return cudaErrorInvalidValue;
  *copy = new GraphTag;
  (*copy)->body = graph->body->clone();
  for (const auto& node : (*copy)->body->nodes()) node->graph = *copy;
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
  const Error error = check(Process::get().memory(), copy, params->kind);
  return error != cudaSuccess ? error : add_node(node, graph, after, count, copy);
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
  if (child == nullptr) return cudaErrorInvalidValue;
  return add_node(node, graph, after, count, ChildWork{child->body->clone()});
}

Error cudaGraphAddDependencies(Graph graph, const GraphNode* from, const GraphNode* to, const GraphEdgeData*,
                               size_t count) {
  if (graph == nullptr || (count != 0 && (from == nullptr || to == nullptr))) return cudaErrorInvalidValue;
  for (size_t i = 0; i < count; ++i)
    if (!graph->body->holds(from[i]) || !graph->body->holds(to[i])) return cudaErrorInvalidValue;
  return graph->body->add_edges(from, to, count) ? cudaSuccess : cudaErrorInvalidValue;
}

Error cudaGraphGetNodes(Graph graph, GraphNode* nodes, size_t* count) {
  if (graph == nullptr) return cudaErrorInvalidValue;
  std::vector<GraphNode> all;
  for (const auto& node : graph->body->nodes()) all.push_back(node.get());
  return list(all, nodes, count);
}

Error cudaGraphGetRootNodes(Graph graph, GraphNode* nodes, size_t* count) {
  if (graph == nullptr) return cudaErrorInvalidValue;
  std::vector<GraphNode> roots;
  for (const auto& node : graph->body->nodes())
    if (node->after.empty()) roots.push_back(node.get());
  return list(roots, nodes, count);
}

Error cudaGraphGetEdges(Graph graph, GraphNode* from, GraphNode* to, GraphEdgeData* edges, size_t* count) {
  if (graph == nullptr || count == nullptr || (from == nullptr) != (to == nullptr)) return cudaErrorInvalidValue;
  std::vector<GraphNode> starts, ends;
  for (const auto& node : graph->body->nodes())
    for (GraphNode before : node->after) {
      starts.push_back(before);
      ends.push_back(node.get());
    }
  size_t room = *count;
  if (from != nullptr) list(starts, from, &room);
  if (edges != nullptr) std::fill(edges, edges + std::min(*count, starts.size()), GraphEdgeData{});
  return list(ends, to, count);
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
  keep_arguments(*node, *function, params->kernelParams);
  node->work = std::move(work);
  return cudaSuccess;
}

Error cudaGraphInstantiate(GraphExec* exec, Graph graph, unsigned long long) {
  if (exec == nullptr || graph == nullptr) return cudaErrorInvalidValue;
  auto made = std::make_unique<GraphExecTag>();
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
  std::lock_guard lock(graphs().mutex);
  if (graphs().execs.erase(exec) == 0) return cudaErrorInvalidValue;
  delete exec;
  return cudaSuccess;
}

Error cudaGraphExecUpdate(GraphExec exec, Graph graph, GraphExecUpdateResultInfo* info) {
  constexpr int success = 0, topology_changed = 2, type_changed = 3;
  std::lock_guard lock(graphs().mutex);
  if (!alive(exec) || graph == nullptr) return cudaErrorInvalidValue;
  const auto &old_nodes = exec->body->nodes(), &new_nodes = graph->body->nodes();
  int result = old_nodes.size() == new_nodes.size() ? success : topology_changed;
  GraphNode culprit = nullptr;
  for (size_t i = 0; i < new_nodes.size() && result == success; ++i) {
    if (old_nodes[i]->after.size() != new_nodes[i]->after.size())
      result = topology_changed;
    else if (old_nodes[i]->work.index() != new_nodes[i]->work.index())
      result = type_changed;
    if (result != success) culprit = new_nodes[i].get();
  }
  if (info != nullptr) *info = {result, culprit, nullptr};
  if (result != success) return cudaErrorGraphExecUpdateFailure;
  take(*exec, *graph);
  return cudaSuccess;
}

Error cudaGraphExecKernelNodeSetParams(GraphExec exec, GraphNode node, const KernelNodeParams* params) {
  return cudaGraphKernelNodeSetParams(node_of_exec(exec, node), params);
}

Error cudaGraphLaunch(GraphExec exec, Stream stream) {
  std::shared_ptr<const GraphBody> body;
  {
    std::lock_guard lock(graphs().mutex);
    if (!alive(exec)) return cudaErrorInvalidValue;
    body = exec->body;
  }
  return Process::get().streams().submit(stream, ChildWork{std::move(body)});
}

Error cudaGraphUpload(GraphExec exec, Stream stream) {
  std::lock_guard lock(graphs().mutex);
  if (!alive(exec)) return cudaErrorInvalidValue;
  return Process::get().streams().find(stream) == nullptr ? cudaErrorInvalidResourceHandle : cudaSuccess;
}

}  // namespace lanebank::cudart::calls
