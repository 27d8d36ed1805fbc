// What a graph holds: its nodes, its edges, and what is taken out of it.
#include <algorithm>

#include "cudart/calls.hpp"
#include "cudart/calls/graph_parts.hpp"
#include "cudart/process.hpp"

namespace lanebank::cudart::calls {
namespace {

bool are_nodes(Graph graph, const GraphNode* from, const GraphNode* to, size_t count) {
  if (graph == nullptr || (count != 0 && (from == nullptr || to == nullptr))) return false;
  for (size_t i = 0; i < count; ++i)
    if (!graph->body->holds(from[i]) || !graph->body->holds(to[i])) return false;
  return true;
}

bool has_edge(GraphNode from, GraphNode to) {
  return std::find(to->after.begin(), to->after.end(), from) != to->after.end();
}

/// Graphs that allocate are built in one direction.
bool is_fixed(Graph graph) {
  return graph->body->has(cudaGraphNodeTypeMemAlloc) || graph->body->has(cudaGraphNodeTypeMemFree);
}

Error give(const std::vector<GraphNode>& all, GraphNode* nodes, GraphEdgeData* edges, size_t* count) {
  if (count == nullptr) return cudaErrorInvalidValue;
  if (edges != nullptr) std::fill(edges, edges + std::min(*count, all.size()), GraphEdgeData{});
  const size_t room = nodes == nullptr ? all.size() : *count;
  const Error error = list(all, nodes, count);
  *count = std::min(*count, room);
  return error;
}

}  // namespace

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

Error cudaGraphAddDependencies(Graph graph, const GraphNode* from, const GraphNode* to, const GraphEdgeData*,
                               size_t count) {
  if (!are_nodes(graph, from, to, count)) return cudaErrorInvalidValue;
  for (size_t i = 0; i < count; ++i)
    if (has_edge(from[i], to[i])) return cudaErrorInvalidValue;
  return graph->body->add_edges(from, to, count) ? cudaSuccess : cudaErrorInvalidValue;
}

Error cudaGraphRemoveDependencies(Graph graph, const GraphNode* from, const GraphNode* to, const GraphEdgeData*,
                                  size_t count) {
  if (graph != nullptr && is_fixed(graph)) return cudaErrorNotSupported;
  if (!are_nodes(graph, from, to, count)) return cudaErrorInvalidValue;
  return graph->body->remove_edges(from, to, count) ? cudaSuccess : cudaErrorInvalidValue;
}

Error cudaGraphNodeGetDependencies(GraphNode node, GraphNode* nodes, GraphEdgeData* edges, size_t* count) {
  return node == nullptr ? cudaErrorInvalidValue : give(node->after, nodes, edges, count);
}

Error cudaGraphNodeGetDependentNodes(GraphNode node, GraphNode* nodes, GraphEdgeData* edges, size_t* count) {
  if (node == nullptr || node->graph == nullptr) return cudaErrorInvalidValue;
  std::vector<GraphNode> followers;
  for (const auto& other : node->graph->body->nodes())
    if (has_edge(node, other.get())) followers.push_back(other.get());
  return give(followers, nodes, edges, count);
}

Error cudaGraphDestroyNode(GraphNode node) {
  if (node == nullptr || node->graph == nullptr) return cudaErrorInvalidValue;
  if (is_fixed(node->graph)) return cudaErrorNotSupported;
  return node->graph->body->remove(node) ? cudaSuccess : cudaErrorInvalidValue;
}

Error cudaGraphNodeFindInClone(GraphNode* twin, GraphNode original, Graph clone) {
  if (twin == nullptr || original == nullptr || clone == nullptr) return cudaErrorInvalidValue;
  const auto found = clone->twins.find(original);
  if (found == clone->twins.end()) return cudaErrorInvalidValue;
  *twin = found->second;
  return cudaSuccess;
}

Error cudaGraphChildGraphNodeGetGraph(GraphNode node, Graph* graph) {
  const auto* work = work_of<ChildWork>(node);
  if (work == nullptr || graph == nullptr) return cudaErrorInvalidValue;
  *graph = work->graph.get();
  return cudaSuccess;
}

}  // namespace lanebank::cudart::calls
