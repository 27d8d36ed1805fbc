// A graph as text that Graphviz draws. Names and layout are lanebank's own; a driver writes other attributes.
#include <cstdio>
#include <memory>
#include <string>

#include "cudart/calls.hpp"
#include "cudart/calls/graph_parts.hpp"
#include "cudart/launch.hpp"
#include "session/kernel_name.hpp"

namespace lanebank::cudart::calls {
namespace {

const char* type_name(GraphNodeType type) {
  switch (type) {
    case cudaGraphNodeTypeKernel:
      return "KERNEL";
    case cudaGraphNodeTypeMemcpy:
      return "MEMCPY";
    case cudaGraphNodeTypeMemset:
      return "MEMSET";
    case cudaGraphNodeTypeHost:
      return "HOST";
    case cudaGraphNodeTypeGraph:
      return "GRAPH";
    case cudaGraphNodeTypeEmpty:
      return "EMPTY";
    case cudaGraphNodeTypeWaitEvent:
      return "EVENT_WAIT";
    case cudaGraphNodeTypeEventRecord:
      return "EVENT_RECORD";
    case cudaGraphNodeTypeMemAlloc:
      return "MEM_ALLOC";
    case cudaGraphNodeTypeMemFree:
      return "MEM_FREE";
    case cudaGraphNodeTypeConditional:
      return "CONDITIONAL";
  }
  return "NODE";
}

std::string label(const GraphNodeTag& node) {
  if (const auto* work = std::get_if<KernelWork>(&node.work))
    if (const KernelLookup found = find_kernel(work->function); found.error == cudaSuccess)
      return session::kernel_name(found.code().symbol).full;
  return type_name(type_of(node.work));
}

/// Writes a graph and those in its nodes; `count` numbers graphs.
void write(const GraphBody& body, int& count, std::string& out) {
  const int number = count++;
  const std::string name = "graph_" + std::to_string(number);
  out += "subgraph cluster_" + std::to_string(number) + " {\nlabel=\"" + name + "\";\n";
  std::map<const GraphNodeTag*, std::string> names;
  for (const auto& node : body.nodes()) {
    names[node.get()] = "\"" + name + "_node_" + std::to_string(names.size()) + "\"";
    out += names[node.get()] + "[label=\"" + label(*node) + "\"];\n";
  }
  for (const auto& node : body.nodes())
    for (const GraphNodeTag* before : node->after) out += names[before] + " -> " + names[node.get()] + ";\n";
  out += "}\n";
  for (const auto& node : body.nodes()) {
    if (const auto* child = std::get_if<ChildWork>(&node->work)) write(*child->graph->body, count, out);
    if (const auto* work = std::get_if<ConditionalWork>(&node->work))
      for (const auto& graph : work->conditional->bodies) write(*graph->body, count, out);
  }
}

}  // namespace

Error cudaGraphDebugDotPrint(Graph graph, const char* path, unsigned) {
  if (graph == nullptr || path == nullptr) return cudaErrorInvalidValue;
  std::string text = "digraph dot {\n";
  int count = 0;
  write(*graph->body, count, text);
  text += "}\n";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path, "w"), std::fclose);
  if (!file || std::fwrite(text.data(), 1, text.size(), file.get()) != text.size()) return cudaErrorOperatingSystem;
  return cudaSuccess;
}

}  // namespace lanebank::cudart::calls
