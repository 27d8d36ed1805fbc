// What the graph calls share.
#pragma once

#include "cudart/calls.hpp"
#include "cudart/work.hpp"

namespace lanebank::cudart::calls {

/// Puts a node into a graph, behind nodes of the same graph.
Error add_node(GraphNode* node, Graph graph, const GraphNode* after, size_t count, Work work);

/// The node of an executable graph that came from `node`; null when there is none.
GraphNode node_of_exec(GraphExec exec, GraphNode node);

/// A fill, checked.
Error set_work(const MemsetParams* params, SetWork& set);

}  // namespace lanebank::cudart::calls
