// Graphs: work with dependences, built by stream capture or node by node.
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "cudart/work.hpp"

namespace lanebank::cudart::abi {

/// A node; lives as long as its graph.
struct GraphNodeTag {
  lanebank::cudart::Work work;
  std::vector<GraphNodeTag*> after;  ///< the nodes it waits for
  struct GraphTag* graph = nullptr;
  std::vector<std::vector<std::byte>> arguments;  ///< of a kernel node, as its maker gave them
  std::vector<void*> argument_pointers;
};

}  // namespace lanebank::cudart::abi

namespace lanebank::cudart {

/// The nodes of a graph in the order in which they were made: one after all nodes that it waits for.
class GraphBody {
 public:
  GraphBody() = default;
  GraphBody(const GraphBody&) = delete;
  GraphBody& operator=(const GraphBody&) = delete;

  abi::GraphNode add(Work work, std::vector<abi::GraphNode> after);
  const std::vector<std::unique_ptr<abi::GraphNodeTag>>& nodes() const { return nodes_; }
  bool holds(const abi::GraphNodeTag* node) const;
  /// False when one of the edges would close a circle; then nothing is added.
  bool add_edges(const abi::GraphNode* from, const abi::GraphNode* to, std::size_t count);
  /// A copy with nodes of its own, in the same order.
  std::shared_ptr<GraphBody> clone() const;
  /// Nodes so ordered that each comes after those it waits for.
  std::vector<const abi::GraphNodeTag*> ordered() const;
  /// Device memory that goes with the last graph that was made from this one.
  void own(std::uint64_t address);

 private:
  std::vector<std::unique_ptr<abi::GraphNodeTag>> nodes_;
  std::vector<std::shared_ptr<const std::uint64_t>> allocations_;
};

/// Whether the address is of memory that a graph owns. Freeing it elsewhere ends its use until the graph's next launch,
/// which finds it at the same address.
bool is_graph_memory(std::uint64_t address);

}  // namespace lanebank::cudart

namespace lanebank::cudart::abi {

struct GraphTag {
  std::shared_ptr<lanebank::cudart::GraphBody> body = std::make_shared<lanebank::cudart::GraphBody>();
};

/// An executable graph: a copy; node n of it came from node n of its origin.
struct GraphExecTag {
  std::shared_ptr<lanebank::cudart::GraphBody> body;
  std::vector<const GraphNodeTag*> origin;
};

}  // namespace lanebank::cudart::abi
