// Calls with the arguments that they have in CUDA 12 (runtime_calls_12.def).
#pragma once

#include <cstddef>

#include "cudart/abi_graph.hpp"

namespace lanebank::cudart::calls12 {

using namespace abi;
using std::size_t;

Error cudaGraphAddDependencies(Graph graph, const GraphNode* from, const GraphNode* to, size_t count);
Error cudaGraphAddNode(GraphNode* node, Graph graph, const GraphNode* after, size_t count, GraphNodeParams* params);
Error cudaGraphGetEdges(Graph graph, GraphNode* from, GraphNode* to, size_t* count);
Error cudaGraphNodeGetDependencies(GraphNode node, GraphNode* nodes, size_t* count);
Error cudaGraphNodeGetDependentNodes(GraphNode node, GraphNode* nodes, size_t* count);
Error cudaGraphRemoveDependencies(Graph graph, const GraphNode* from, const GraphNode* to, size_t count);
Error cudaMemAdvise(const void* address, size_t bytes, MemAdvise advice, int device);
Error cudaMemcpyBatchAsync(void** to, void** from, size_t* bytes, size_t count, MemcpyAttributes* attributes,
                           size_t* first, size_t groups, size_t* failed, Stream stream);
Error cudaMemPrefetchAsync(const void* address, size_t bytes, int device, Stream stream);
Error cudaPointerGetAttributes(PointerAttributes12* attributes, const void* address);
Error cudaRuntimeGetVersion(int* version);
Error cudaStreamGetCaptureInfo(Stream stream, StreamCaptureStatus* status, unsigned long long* id);
Error cudaStreamUpdateCaptureDependencies(Stream stream, GraphNode* nodes, size_t count, unsigned flags);

}  // namespace lanebank::cudart::calls12
