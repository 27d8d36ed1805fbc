// What the graph calls share.
#pragma once

#include <algorithm>

#include "cudart/calls.hpp"
#include "cudart/graph.hpp"

namespace lanebank::cudart::calls {

/// Executable graphs that are alive.
struct Graphs {
  std::mutex mutex;
  std::set<GraphExec> execs;
  bool holds(GraphExec exec) const { return execs.contains(exec); }
};
Graphs& graphs();

/// Puts a node into a graph, behind nodes of the same graph.
Error add_node(GraphNode* node, Graph graph, const GraphNode* after, size_t count, Work work);

/// The node of an executable graph that came from `node`; null when there is none.
GraphNode node_of_exec(GraphExec exec, GraphNode node);

/// The work of a node, if it is of this kind.
template <class T>
T* work_of(GraphNode node) {
  return node == nullptr ? nullptr : std::get_if<T>(&node->work);
}

/// A fill, checked.
Error set_work(const MemsetParams* params, SetWork& set);

/// As a program asks for the elements of a list: as many as there is room for, the rest of the room null. Without room their
/// number.
template <class T>
Error list(const std::vector<T>& all, T* to, size_t* count) {
  if (count == nullptr) return cudaErrorInvalidValue;
  if (to == nullptr) {
    *count = all.size();
    return cudaSuccess;
  }
  const size_t given = std::min(*count, all.size());
  std::copy_n(all.begin(), given, to);
  std::fill(to + given, to + *count, T{});
  *count = all.size();
  return cudaSuccess;
}

}  // namespace lanebank::cudart::calls
