#include "cudart/graph.hpp"

#include <algorithm>
#include <utility>

#include "cudart/process.hpp"
#include "machine/externals.hpp"

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
    abi::GraphNodeType operator()(const ConditionalWork&) { return abi::cudaGraphNodeTypeConditional; }
    abi::GraphNodeType operator()(const EmptyWork& empty) { return empty.type; }
  } type;
  return std::visit(type, work);
}

namespace {

/// Calls `body` with each graph inside of a node.
template <class Body>
void each_inside(const abi::GraphNodeTag& node, Body body) {
  if (const auto* child = std::get_if<ChildWork>(&node.work)) body(*child->graph);
  if (const auto* conditional = std::get_if<ConditionalWork>(&node.work))
    for (const auto& graph : conditional->conditional->bodies) body(*graph);
}

}  // namespace

abi::GraphNode GraphBody::add(Work work, std::vector<abi::GraphNode> after) {
  auto node = std::make_unique<abi::GraphNodeTag>();
  node->work = std::move(work);
  node->after = std::move(after);
  nodes_.push_back(std::move(node));
  return nodes_.back().get();
}

bool GraphBody::remove(const abi::GraphNodeTag* node) {
  const auto found = std::find_if(nodes_.begin(), nodes_.end(), [&](const auto& own) { return own.get() == node; });
  if (found == nodes_.end()) return false;
  for (const auto& other : nodes_) std::erase(other->after, node);
  nodes_.erase(found);
  return true;
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

bool GraphBody::is_acyclic() const {
  bool found = ordered().size() == nodes_.size();
  for (const auto& node : nodes_)
    each_inside(*node, [&](const abi::GraphTag& graph) { found = found && graph.body->is_acyclic(); });
  return found;
}

std::set<const abi::GraphNodeTag*> GraphBody::ancestors(const std::vector<abi::GraphNode>& after) {
  std::set<const abi::GraphNodeTag*> all;
  std::vector<const abi::GraphNodeTag*> open(after.begin(), after.end());
  while (!open.empty()) {
    const abi::GraphNodeTag* node = open.back();
    open.pop_back();
    if (all.insert(node).second) open.insert(open.end(), node->after.begin(), node->after.end());
  }
  return all;
}

bool GraphBody::add_edges(const abi::GraphNode* from, const abi::GraphNode* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if (from[i] == to[i]) return false;
  for (std::size_t i = 0; i < count; ++i) to[i]->after.push_back(from[i]);
  return true;
}

bool GraphBody::remove_edges(const abi::GraphNode* from, const abi::GraphNode* to, std::size_t count) {
  auto edge = [&](std::size_t i) { return std::find(to[i]->after.begin(), to[i]->after.end(), from[i]); };
  for (std::size_t i = 0; i < count; ++i)
    if (edge(i) == to[i]->after.end()) return false;
  for (std::size_t i = 0; i < count; ++i)
    if (edge(i) != to[i]->after.end()) to[i]->after.erase(edge(i));
  return true;
}

GraphPlace GraphBody::place_for(std::size_t bytes, const std::vector<abi::GraphNode>& after) {
  const auto before = ancestors(after);
  for (const auto& region : regions_)
    if (const std::uint64_t address = region->place_for(bytes, before)) return {region, address};
  const auto fresh = GraphMemory::get().reserve(bytes);
  return {fresh, fresh ? fresh->address : 0};
}

bool GraphBody::may_free(std::uint64_t address) const {
  for (const auto& region : regions_)
    if (region->contains(address)) return region->open_use(address) != nullptr;
  return GraphMemory::get().find(address) != nullptr;
}

void GraphBody::begin_use(const GraphPlace& place, std::size_t bytes, const abi::GraphNodeTag* node) {
  if (std::find(regions_.begin(), regions_.end(), place.region) == regions_.end()) regions_.push_back(place.region);
  place.region->uses.push_back({place.address, bytes, node, nullptr});
}

void GraphBody::end_use(std::uint64_t address, const abi::GraphNodeTag* node) {
  for (const auto& region : regions_)
    if (GraphRegion::Use* use = region->open_use(address)) return void(use->end = node);
  freed_.insert(address);
}

void GraphBody::add_memory(GraphMemory::Launch& launch) const {
  launch.allocated.insert(regions_.begin(), regions_.end());
  launch.freed.insert(freed_.begin(), freed_.end());
  for (const auto& node : nodes_)
    each_inside(*node, [&](const abi::GraphTag& graph) { graph.body->add_memory(launch); });
}

bool GraphBody::has(abi::GraphNodeType type) const {
  return std::any_of(nodes_.begin(), nodes_.end(), [&](const auto& node) {
    bool found = type_of(node->work) == type;
    each_inside(*node, [&](const abi::GraphTag& graph) { found = found || graph.body->has(type); });
    return found;
  });
}

namespace {

/// All handles of conditions: whether a node has it.
struct Conditions {
  std::mutex mutex;
  std::map<std::uint64_t, bool> taken;
};
Conditions& conditions() {
  static Conditions* const all = new Conditions;
  return *all;
}

machine::Condition& condition_of(std::uint64_t handle) { return *reinterpret_cast<machine::Condition*>(handle); }

}  // namespace

/// The variable of a condition, in memory that kernels reach through its handle alone.
struct GraphCondition {
  GraphCondition(unsigned value, bool is_default) : standard(value), resets(is_default) {
    handle = Process::get().memory().allocate(sizeof(machine::Condition), machine::MemoryKind::module);
    if (handle == 0) return;
    condition_of(handle) = {machine::Condition::is_one, value, 0};
    std::lock_guard lock(conditions().mutex);
    conditions().taken[handle] = false;
  }
  ~GraphCondition() {
    if (handle == 0) return;
    {
      std::lock_guard lock(conditions().mutex);
      conditions().taken.erase(handle);
    }
    Process::get().memory().free(handle);
  }
  GraphCondition(const GraphCondition&) = delete;
  GraphCondition& operator=(const GraphCondition&) = delete;

  std::uint64_t handle = 0;
  unsigned standard;
  bool resets;
};

std::uint64_t GraphBody::make_condition(unsigned value, bool is_default) {
  auto condition = std::make_shared<GraphCondition>(value, is_default);
  if (condition->handle != 0) conditions_.push_back(condition);
  return condition->handle;
}

bool take_condition(std::uint64_t handle) {
  std::lock_guard lock(conditions().mutex);
  const auto found = conditions().taken.find(handle);
  return found != conditions().taken.end() && !std::exchange(found->second, true);
}

bool GraphBody::waits_for(std::uint64_t handle) const {
  return std::any_of(nodes_.begin(), nodes_.end(), [&](const auto& node) {
    const auto* work = std::get_if<ConditionalWork>(&node->work);
    bool found = work != nullptr && work->conditional->handle == handle;
    each_inside(*node, [&](const abi::GraphTag& graph) { found = found || graph.body->waits_for(handle); });
    return found;
  });
}

bool GraphBody::uses_all_conditions() const {
  return std::all_of(conditions_.begin(), conditions_.end(), [&](const auto& own) { return waits_for(own->handle); });
}

void GraphBody::begin_launch() const {
  for (const auto& condition : conditions_) {
    machine::Condition& variable = condition_of(condition->handle);
    ++variable.launches;
    if (condition->resets) variable.value = condition->standard;
  }
  for (const auto& node : nodes_) each_inside(*node, [](const abi::GraphTag& graph) { graph.body->begin_launch(); });
}

void GraphBody::end_launch() const {
  for (const auto& condition : conditions_) --condition_of(condition->handle).launches;
  for (const auto& node : nodes_) each_inside(*node, [](const abi::GraphTag& graph) { graph.body->end_launch(); });
}

std::uint32_t& condition_value(std::uint64_t handle) { return condition_of(handle).value; }

std::unique_ptr<abi::GraphTag> embed(const GraphBody& body, abi::Graph parent, Twins& twins) {
  auto graph = std::make_unique<abi::GraphTag>();
  graph->body = body.clone(twins, graph.get());
  graph->parent = parent;
  return graph;
}

std::shared_ptr<GraphBody> GraphBody::clone(Twins& twins, abi::Graph owner) const {
  auto copy = std::make_shared<GraphBody>();
  for (const auto& node : nodes_) {
    abi::GraphNode twin = copy->add(node->work, {});
    if (auto* child = std::get_if<ChildWork>(&twin->work)) child->graph = embed(*child->graph->body, owner, twins);
    if (auto* work = std::get_if<ConditionalWork>(&twin->work)) {
      auto conditional = std::make_shared<Conditional>();
      conditional->handle = work->conditional->handle;
      conditional->type = work->conditional->type;
      for (const auto& graph : work->conditional->bodies) {
        conditional->bodies.push_back(embed(*graph->body, owner, twins));
        conditional->handles.push_back(conditional->bodies.back().get());
      }
      work->conditional = std::move(conditional);
    }
    twin->graph = owner;
    twin->enabled = node->enabled;
    twin->arguments = node->arguments;
    twin->attributes = node->attributes;
    twin->copy = node->copy;
    twins[node.get()] = twin;
  }
  for (const auto& node : nodes_)
    for (const abi::GraphNodeTag* before : node->after) twins[node.get()]->after.push_back(twins.at(before));
  copy->objects = objects;
  copy->regions_ = regions_;
  copy->freed_ = freed_;
  copy->conditions_ = conditions_;
  return copy;
}

}  // namespace lanebank::cudart
