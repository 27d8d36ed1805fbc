// Graphs: work with dependences, built by stream capture or node by node.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "cudart/graph_memory.hpp"
#include "cudart/work.hpp"

namespace lanebank::cudart::abi {

/// A node; lives as long as its graph, or until it is destroyed.
struct GraphNodeTag {
  lanebank::cudart::Work work;
  std::vector<GraphNodeTag*> after;  ///< the nodes it waits for
  struct GraphTag* graph = nullptr;
  bool enabled = true;                            ///< of an executable graph: else it does nothing
  std::vector<std::vector<std::byte>> arguments;  ///< of a kernel node, as its maker gave them
  std::vector<void*> argument_pointers;
  std::map<LaunchAttributeId, LaunchAttributeValue> attributes;  ///< of a kernel node, beside those of its work
  std::optional<Memcpy3DParms> copy;                             ///< of a copy node, as its maker gave it
};

}  // namespace lanebank::cudart::abi

namespace lanebank::cudart {

/// The node of a copied graph that came from a node of its origin, graphs in nodes included.
using Twins = std::map<const abi::GraphNodeTag*, abi::GraphNode>;

/// An object of the program's that graphs keep: destroyed with its last reference.
struct UserObject {
  UserObject(void* of_program, abi::HostFunction destructor) : object(of_program), destroy(destructor) {}
  ~UserObject();
  UserObject(const UserObject&) = delete;
  UserObject& operator=(const UserObject&) = delete;

  void* object;
  abi::HostFunction destroy;
};
struct KeptObject {
  std::shared_ptr<UserObject> object;
  unsigned count = 0;
};

/// The nodes of a graph in the order in which they were made: one after all nodes that it waits for.
class GraphBody {
 public:
  GraphBody() = default;
  GraphBody(const GraphBody&) = delete;
  GraphBody& operator=(const GraphBody&) = delete;

  abi::GraphNode add(Work work, std::vector<abi::GraphNode> after);
  /// Takes a node and its edges out. False when there is no such node.
  bool remove(const abi::GraphNodeTag* node);
  const std::vector<std::unique_ptr<abi::GraphNodeTag>>& nodes() const { return nodes_; }
  bool holds(const abi::GraphNodeTag* node) const;
  /// False when one of the edges leads to the node that it leaves; then nothing is added. Other circles fail later.
  bool add_edges(const abi::GraphNode* from, const abi::GraphNode* to, std::size_t count);
  /// False when one of the edges is not there; then nothing is removed.
  bool remove_edges(const abi::GraphNode* from, const abi::GraphNode* to, std::size_t count);
  /// A copy with nodes of its own, in the same order, for a graph.
  std::shared_ptr<GraphBody> clone(Twins& twins, abi::Graph owner) const;
  /// Nodes so ordered that each comes after those it waits for.
  std::vector<const abi::GraphNodeTag*> ordered() const;
  /// Whether no node waits for itself, in this graph and those in its nodes.
  bool is_acyclic() const;
  /// All nodes before which `node`, added behind `after`, cannot run.
  static std::set<const abi::GraphNodeTag*> ancestors(const std::vector<abi::GraphNode>& after);

  /// Addresses for an allocation behind `after`: of one that ended before it, or fresh; null when there are none.
  GraphPlace place_for(std::size_t bytes, const std::vector<abi::GraphNode>& after);
  /// Whether a node may free the address: an allocation of this graph that none frees, or one of another graph.
  bool may_free(std::uint64_t address) const;
  /// `node` allocates or frees from now on.
  void begin_use(const GraphPlace& place, std::size_t bytes, const abi::GraphNodeTag* node);
  void end_use(std::uint64_t address, const abi::GraphNodeTag* node);
  /// What a launch allocates and frees, graphs in nodes included.
  void add_memory(GraphMemory::Launch& launch) const;
  /// Whether a node of this graph or of one in it is of this type.
  bool has(abi::GraphNodeType type) const;

  /// A variable that a conditional node of this graph can wait for.
  std::uint64_t make_condition(unsigned value, bool is_default);
  /// Whether a node of this graph or of one in it waits for the variable.
  bool waits_for(std::uint64_t handle) const;
  /// Whether each variable has a node that waits for it.
  bool uses_all_conditions() const;
  /// A launch begins: kernels reach the variables, which have their defaults; and its end.
  void begin_launch() const;
  void end_launch() const;

  std::map<abi::UserObjectHandle, KeptObject> objects;  ///< references of this graph

 private:
  std::vector<std::unique_ptr<abi::GraphNodeTag>> nodes_;
  std::vector<std::shared_ptr<GraphRegion>> regions_;
  std::set<std::uint64_t> freed_;  ///< allocations of other graphs
  std::vector<std::shared_ptr<struct GraphCondition>> conditions_;
};

}  // namespace lanebank::cudart

namespace lanebank::cudart::abi {

struct GraphTag {
  std::shared_ptr<lanebank::cudart::GraphBody> body = std::make_shared<lanebank::cudart::GraphBody>();
  lanebank::cudart::Twins twins;     ///< of a clone
  GraphTag* parent = nullptr;        ///< of a graph in a node: the graph of that node
  std::weak_ptr<GraphTag> instance;  ///< what the last executable graph of it runs
};

/// An executable graph: a copy.
struct GraphExecTag {
  std::shared_ptr<GraphTag> graph;
  lanebank::cudart::Twins twins;
  unsigned long long flags = 0;
};

}  // namespace lanebank::cudart::abi

namespace lanebank::cudart {

/// What a conditional node runs.
struct Conditional {
  std::uint64_t handle = 0;
  abi::GraphConditionalNodeType type = abi::cudaGraphCondTypeIf;
  std::vector<std::unique_ptr<abi::GraphTag>> bodies;
  std::vector<abi::Graph> handles;  ///< the same, as programs get them
};

/// Takes a handle for a node; false when no graph has made it, or a node has it.
bool take_condition(std::uint64_t handle);
/// The value behind a handle that a graph has made.
std::uint32_t& condition_value(std::uint64_t handle);

/// A graph of its own in a node of `parent`, copied.
std::unique_ptr<abi::GraphTag> embed(const GraphBody& body, abi::Graph parent, Twins& twins);

}  // namespace lanebank::cudart
