#include "cudart/graph.hpp"

#include <algorithm>
#include <map>

#include "cudart/pools.hpp"
#include "cudart/process.hpp"

namespace lanebank::cudart {

abi::GraphNodeType type_of(const Work& work) {
  struct {
    abi::GraphNodeType operator()(const KernelWork&) { return abi::cudaGraphNodeTypeKernel; }
    abi::GraphNodeType operator()(const CopyWork&) { return abi::cudaGraphNodeTypeMemcpy; }
    abi::GraphNodeType operator()(const SetWork&) { return abi::cudaGraphNodeTypeMemset; }
    abi::GraphNodeType operator()(const HostWork&) { return abi::cudaGraphNodeTypeHost; }
    abi::GraphNodeType operator()(const CallbackWork&) { return abi::cudaGraphNodeTypeHost; }
    abi::GraphNodeType operator()(const ChildWork&) { return abi::cudaGraphNodeTypeGraph; }
    abi::GraphNodeType operator()(const RecordWork&) { return abi::cudaGraphNodeTypeEventRecord; }
    abi::GraphNodeType operator()(const EmptyWork& empty) { return empty.type; }
  } type;
  return std::visit(type, work);
}

abi::GraphNode GraphBody::add(Work work, std::vector<abi::GraphNode> after) {
  auto node = std::make_unique<abi::GraphNodeTag>();
  node->work = std::move(work);
  node->after = std::move(after);
  nodes_.push_back(std::move(node));
  return nodes_.back().get();
}

bool GraphBody::holds(const abi::GraphNodeTag* node) const {
  return std::any_of(nodes_.begin(), nodes_.end(), [&](const auto& own) { return own.get() == node; });
}

std::vector<const abi::GraphNodeTag*> GraphBody::ordered() const {
  std::map<const abi::GraphNodeTag*, std::size_t> waits_for;
  std::map<const abi::GraphNodeTag*, std::vector<const abi::GraphNodeTag*>> followers;
  for (const auto& node : nodes_) {
    waits_for[node.get()] = node->after.size();
    for (const abi::GraphNodeTag* before : node->after) followers[before].push_back(node.get());
  }
  std::vector<const abi::GraphNodeTag*> order;
  for (const auto& node : nodes_)
    if (node->after.empty()) order.push_back(node.get());
  for (std::size_t i = 0; i < order.size(); ++i)
    for (const abi::GraphNodeTag* next : followers[order[i]])
      if (--waits_for[next] == 0) order.push_back(next);
  return order;
}

bool GraphBody::add_edges(const abi::GraphNode* from, const abi::GraphNode* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i]->after.push_back(from[i]);
  if (ordered().size() == nodes_.size()) return true;
  for (std::size_t i = count; i-- > 0;) to[i]->after.pop_back();
  return false;
}

namespace {

/// Addresses of memory that graphs own.
struct GraphMemory {
  std::mutex mutex;
  std::set<std::uint64_t> addresses;
};
GraphMemory& graph_memory() {
  static GraphMemory* const all = new GraphMemory;
  return *all;
}

}  // namespace

bool is_graph_memory(std::uint64_t address) {
  std::lock_guard lock(graph_memory().mutex);
  return graph_memory().addresses.contains(address);
}

void GraphBody::own(std::uint64_t address) {
  {
    std::lock_guard lock(graph_memory().mutex);
    graph_memory().addresses.insert(address);
  }
  allocations_.emplace_back(new std::uint64_t(address), [](const std::uint64_t* owned) {
    {
      std::lock_guard lock(graph_memory().mutex);
      graph_memory().addresses.erase(*owned);
    }
    if (const auto allocation = Process::get().memory().find(*owned)) {
      calls::forget_pool_allocation(*allocation);
      Process::get().memory().free(*owned);
    }
    delete owned;
  });
}

std::shared_ptr<GraphBody> GraphBody::clone() const {
  auto copy = std::make_shared<GraphBody>();
  std::map<const abi::GraphNodeTag*, abi::GraphNode> twin;
  for (const auto& node : nodes_) {
    twin[node.get()] = copy->add(node->work, {});
    twin[node.get()]->arguments = node->arguments;
  }
  for (const auto& node : nodes_)
    for (const abi::GraphNodeTag* before : node->after) twin[node.get()]->after.push_back(twin.at(before));
  copy->allocations_ = allocations_;
  return copy;
}

}  // namespace lanebank::cudart
