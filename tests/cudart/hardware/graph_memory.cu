// Memory of graphs: what a device takes for it and gives back, addresses that are used again, and what graphs with
// such memory may not do.
#include "say.hpp"

#include <vector>

__global__ void add(int* p, int n) { *p += n; }

namespace {

constexpr size_t mebibyte = size_t{1} << 20;

void show_memory(const char* when) {
  unsigned long long figures[4] = {};
  cudaError_t errors[4];
  for (int n = 0; n < 4; ++n)
    errors[n] = cudaDeviceGetGraphMemAttribute(0, static_cast<cudaGraphMemAttributeType>(n), &figures[n]);
  for (const cudaError_t error : errors)
    if (error != cudaSuccess) print_call("cudaDeviceGetGraphMemAttribute", error);
  std::printf("  %-40s used %llu high %llu reserved %llu high %llu\n", when, figures[0], figures[1], figures[2],
              figures[3]);
  std::fflush(stdout);
}

cudaGraphNode_t allocate(cudaGraph_t graph, std::vector<cudaGraphNode_t> after, size_t bytes, char** address) {
  cudaMemAllocNodeParams params{};
  params.poolProps.allocType = cudaMemAllocationTypePinned;
  params.poolProps.location = {cudaMemLocationTypeDevice, 0};
  params.bytesize = bytes;
  cudaGraphNode_t node = nullptr;
  const cudaError_t error = cudaGraphAddMemAllocNode(&node, graph, after.data(), after.size(), &params);
  if (error != cudaSuccess) print_call("cudaGraphAddMemAllocNode", error);
  *address = static_cast<char*>(params.dptr);
  return node;
}

cudaGraphNode_t release(cudaGraph_t graph, std::vector<cudaGraphNode_t> after, void* address) {
  cudaGraphNode_t node = nullptr;
  const cudaError_t error = cudaGraphAddMemFreeNode(&node, graph, after.data(), after.size(), address);
  if (error != cudaSuccess) print_call("cudaGraphAddMemFreeNode", error);
  return node;
}

/// One allocation, freed in the graph or not.
cudaGraphExec_t simple(size_t bytes, bool frees, char** address, unsigned long long flags = 0) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaGraphCreate(&graph, 0);
  const cudaGraphNode_t node = allocate(graph, {}, bytes, address);
  if (frees) release(graph, {node}, *address);
  const cudaError_t error = cudaGraphInstantiate(&exec, graph, flags);
  if (error != cudaSuccess) print_call("cudaGraphInstantiate", error);
  cudaGraphDestroy(graph);
  return exec;
}

/// The first allocation of each size, and what is kept after it.
void sizes() {
  for (const size_t bytes : {size_t{1}, mebibyte, 2 * mebibyte, 2 * mebibyte + 1, 31 * mebibyte, 32 * mebibyte,
                             33 * mebibyte, 64 * mebibyte, 100 * mebibyte}) {
    char* address = nullptr;
    const cudaGraphExec_t exec = simple(bytes, true, &address);
    SHOW(bytes);
    show_memory("instantiated");
    SAY(cudaGraphLaunch(exec, nullptr));
    SAY(cudaDeviceSynchronize());
    show_memory("launched");
    SAY(cudaGraphExecDestroy(exec));
    show_memory("destroyed");
    SAY(cudaDeviceGraphMemTrim(0));
    show_memory("trimmed");
  }
}

/// Small allocations share what is reserved.
void small_ones() {
  std::vector<cudaGraphExec_t> execs;
  for (int n = 0; n < 4; ++n) {
    char* address = nullptr;
    execs.push_back(simple(mebibyte, false, &address));
    SAY(cudaGraphLaunch(execs.back(), nullptr));
    SAY(cudaDeviceSynchronize());
    show_memory("another MiB");
  }
}

/// Two allocations that live at the same time, and one after them.
void peak() {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  char *a = nullptr, *b = nullptr, *c = nullptr;
  SAY(cudaGraphCreate(&graph, 0));
  const cudaGraphNode_t first = allocate(graph, {}, 64 * mebibyte, &a);
  const cudaGraphNode_t second = allocate(graph, {first}, 32 * mebibyte, &b);
  const cudaGraphNode_t ends = release(graph, {release(graph, {second}, a)}, b);
  const cudaGraphNode_t third = allocate(graph, {ends}, 64 * mebibyte, &c);
  release(graph, {third}, c);
  SHOW(c == a);
  SAY(cudaGraphInstantiate(&exec, graph, 0));
  SAY(cudaGraphLaunch(exec, nullptr));
  SAY(cudaDeviceSynchronize());
  show_memory("64 and 32 MiB");
  SAY(cudaGraphLaunch(exec, nullptr));
  SAY(cudaDeviceSynchronize());
  show_memory("again");
}

void attributes() {
  unsigned long long value = 0;
  int device = 1;
  char* address = nullptr;
  SAY(cudaDeviceGetGraphMemAttribute(device, cudaGraphMemAttrUsedMemCurrent, &value));
  SAY(cudaDeviceGetGraphMemAttribute(0, static_cast<cudaGraphMemAttributeType>(4), &value));
  SAY(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, nullptr));
  SAY(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &value));
  SAY(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &value));
  SAY(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, nullptr));
  SAY(cudaDeviceSetGraphMemAttribute(device, cudaGraphMemAttrUsedMemHigh, &value));
  SAY(cudaDeviceGraphMemTrim(device));
  const cudaGraphExec_t exec = simple(64 * mebibyte, true, &address);
  SAY(cudaGraphLaunch(exec, nullptr));
  SAY(cudaDeviceSynchronize());
  SAY(cudaDeviceGraphMemTrim(0));
  show_memory("launched and trimmed");
  value = 1;
  SAY(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &value));
  value = 0;
  SAY(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &value));
  show_memory("used high set");
  SAY(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrReservedMemHigh, &value));
  show_memory("reserved high set");
}

/// Graphs launched one after the other in a stream, then in other streams before and after a wait.
void streams() {
  cudaStream_t stream[3] = {};
  cudaGraphExec_t exec[4] = {};
  char* address[4] = {};
  for (auto& one : stream) SAY(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
  for (int n = 0; n < 4; ++n) exec[n] = simple(64 * mebibyte, true, &address[n]);
  SHOW(address[0] != address[1]);
  show_memory("instantiated");
  SAY(cudaGraphLaunch(exec[0], stream[0]));
  show_memory("launched");
  SAY(cudaGraphLaunch(exec[1], stream[0]));
  show_memory("another in the stream");
  SAY(cudaDeviceSynchronize());
  SAY(cudaGraphLaunch(exec[2], stream[1]));
  show_memory("in another, waited for");
  SAY(cudaStreamSynchronize(stream[1]));
  SAY(cudaGraphLaunch(exec[3], stream[2]));
  show_memory("in a third, waited for");
  SAY(cudaDeviceSynchronize());
}

/// Memory that a graph leaves to its program.
void left_over() {
  char* address[4] = {};
  cudaGraphExec_t exec[4] = {};
  for (int n = 0; n < 4; ++n) exec[n] = simple(64 * mebibyte, false, &address[n]);
  for (int n = 0; n < 4; ++n) SAY(cudaGraphLaunch(exec[n], nullptr));
  SAY(cudaDeviceSynchronize());
  show_memory("four of 64 MiB");
  SAY(cudaGraphLaunch(exec[0], nullptr));  // its memory is in use
  SAY(cudaDeviceSynchronize());
  SAY(cudaDeviceGraphMemTrim(0));
  show_memory("trimmed");
  SAY(cudaFree(address[0]));
  show_memory("one freed");
  SAY(cudaFree(address[0]));
  SAY(cudaDeviceGraphMemTrim(0));
  show_memory("trimmed");
  SAY(cudaFreeAsync(address[1], nullptr));
  SAY(cudaDeviceSynchronize());
  SAY(cudaDeviceGraphMemTrim(0));
  show_memory("another freed in a stream, trimmed");
  SAY(cudaGraphExecDestroy(exec[2]));
  SAY(cudaMemset(address[2], 7, 1));
  char seven = 0;
  SAY(cudaMemcpy(&seven, address[2], 1, cudaMemcpyDeviceToHost));
  SHOW(seven);
  SAY(cudaFree(address[2]));
  SAY(cudaGraphLaunch(exec[0], nullptr));
  SAY(cudaDeviceSynchronize());
  show_memory("the first again");
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t frees = nullptr;
  SAY(cudaGraphCreate(&graph, 0));
  release(graph, {}, address[0]);
  SAY(cudaGraphInstantiate(&frees, graph, 0));
  SAY(cudaGraphLaunch(frees, nullptr));
  SAY(cudaDeviceSynchronize());
  show_memory("freed by a graph");
  SAY(cudaGraphLaunch(frees, nullptr));
  SAY(cudaDeviceSynchronize());
}

void automatic() {
  char* address = nullptr;
  const cudaGraphExec_t exec = simple(64 * mebibyte, false, &address, cudaGraphInstantiateFlagAutoFreeOnLaunch);
  SAY(cudaGraphLaunch(exec, nullptr));
  SAY(cudaGraphLaunch(exec, nullptr));
  SAY(cudaDeviceSynchronize());
  show_memory("launched twice");
  unsigned long long flags = 9;
  SAY(cudaGraphExecGetFlags(exec, &flags));
  SHOW(flags);
  SAY(cudaFree(address));
  SAY(cudaGraphExecDestroy(exec));
}

/// Which allocations take the address of a freed one.
void addresses() {
  cudaGraph_t graph = nullptr;
  SAY(cudaGraphCreate(&graph, 0));
  char *a = nullptr, *b = nullptr, *c = nullptr, *d = nullptr, *e = nullptr, *f = nullptr, *g = nullptr;
  const cudaGraphNode_t first = allocate(graph, {}, 4 * mebibyte, &a);
  const cudaGraphNode_t freed = release(graph, {first}, a);
  allocate(graph, {}, 4 * mebibyte, &b);  // not behind the end
  SHOW(b == a);
  allocate(graph, {freed}, 8 * mebibyte, &c);  // does not fit
  SHOW(c == a);
  const cudaGraphNode_t smaller = allocate(graph, {freed}, mebibyte, &d);
  SHOW(d == a);
  allocate(graph, {freed}, mebibyte, &e);  // beside it
  SHOW(e - a == static_cast<std::ptrdiff_t>(mebibyte)); SHOW(e == a);
  const cudaGraphNode_t third = release(graph, {smaller}, d);
  allocate(graph, {third}, mebibyte, &f);
  SHOW(f == a);
  allocate(graph, {third}, 2 * mebibyte, &g);
  SHOW(g - a == static_cast<std::ptrdiff_t>(2 * mebibyte)); SHOW(g == a);
}

/// The same in a capture, over two streams.
void captured() {
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  int *a = nullptr, *b = nullptr, *c = nullptr, host[2] = {};
  SAY(cudaStreamCreate(&stream));
  SAY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  SAY(cudaMallocAsync(&a, 64 * mebibyte, stream));
  SAY(cudaMallocAsync(&b, 64 * mebibyte, stream));
  SAY(cudaMemsetAsync(a, 0, 4, stream));
  add<<<1, 1, 0, stream>>>(a, 5);
  SAY(cudaMemcpyAsync(host, a, 4, cudaMemcpyDeviceToHost, stream));
  SAY(cudaFreeAsync(a, stream));
  SAY(cudaMallocAsync(&c, 64 * mebibyte, stream));
  SHOW(c == a);
  SAY(cudaMemcpyAsync(c, host, 4, cudaMemcpyHostToDevice, stream));
  add<<<1, 1, 0, stream>>>(c, 6);
  SAY(cudaMemcpyAsync(host + 1, c, 4, cudaMemcpyDeviceToHost, stream));
  SAY(cudaFreeAsync(b, stream));
  SAY(cudaFreeAsync(c, stream));
  SAY(cudaFreeAsync(c, stream));
  SAY(cudaStreamEndCapture(stream, &graph));
  size_t count = 0;
  SAY(cudaGraphGetNodes(graph, nullptr, &count));
  SHOW(count);
  SAY(cudaGraphInstantiate(&exec, graph, 0));
  SAY(cudaGraphLaunch(exec, stream));
  SAY(cudaStreamSynchronize(stream));
  SHOW(host[0]); SHOW(host[1]);
  show_memory("launched");
  cudaMemPool_t pool = nullptr;
  unsigned long long used = 9, reserved = 9;
  SAY(cudaDeviceGetDefaultMemPool(&pool, 0));
  SAY(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
  SAY(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved));
  SHOW(used); SHOW(reserved);
}

/// What is refused to graphs that allocate.
void rules() {
  cudaGraph_t graph = nullptr, copy = nullptr, parent = nullptr;
  cudaGraphExec_t exec = nullptr, second = nullptr;
  cudaGraphNode_t child = nullptr, empty = nullptr, wrong = nullptr;
  char* address = nullptr;
  int* outside = nullptr;
  SAY(cudaMalloc(&outside, 16));
  SAY(cudaGraphCreate(&graph, 0));
  SAY(cudaGraphCreate(&parent, 0));
  const cudaGraphNode_t node = allocate(graph, {}, 16, &address);
  SAY(cudaGraphAddEmptyNode(&empty, graph, nullptr, 0));
  SAY(cudaGraphAddMemFreeNode(&wrong, graph, nullptr, 0, address));  // not behind the allocation
  SAY(cudaGraphAddMemFreeNode(&wrong, graph, nullptr, 0, nullptr));
  SAY(cudaGraphAddMemFreeNode(&wrong, graph, &node, 1, address + 1));
  SAY(cudaGraphAddMemFreeNode(&wrong, graph, &node, 1, outside));
  cudaGraphNode_t freed = nullptr;
  SAY(cudaGraphAddMemFreeNode(&freed, graph, &node, 1, address));
  SAY(cudaGraphAddMemFreeNode(&wrong, graph, &node, 1, address));
  SAY(cudaGraphAddDependencies(graph, &node, &empty, nullptr, 1));
  SAY(cudaGraphRemoveDependencies(graph, &node, &freed, nullptr, 1));
  SAY(cudaGraphDestroyNode(freed));
  SAY(cudaGraphDestroyNode(empty));
  SAY(cudaGraphClone(&copy, graph));
  SAY(cudaGraphAddChildGraphNode(&child, parent, nullptr, 0, graph));
  SAY(cudaGraphInstantiate(&exec, graph, 0));
  SAY(cudaGraphInstantiate(&second, graph, 0));
  SAY(cudaFree(address));
  SAY(cudaFreeAsync(address, nullptr));
  SAY(cudaGraphExecDestroy(exec));
  SAY(cudaGraphInstantiate(&second, graph, 0));
  cudaGraphNodeParams moved{};
  moved.type = cudaGraphNodeTypeGraph;
  moved.graph.graph = graph;
  moved.graph.ownership = cudaGraphChildGraphOwnershipMove;
  SAY(cudaGraphExecDestroy(second));
  SAY(cudaGraphAddNode(&child, parent, nullptr, nullptr, 0, &moved));
  SAY(cudaGraphDestroy(graph));
  SAY(cudaGraphInstantiate(&second, parent, 0));
  SAY(cudaGraphLaunch(second, nullptr));
  SAY(cudaDeviceSynchronize());
}

}  // namespace

int main() {
  in_a_process("sizes", sizes);
  in_a_process("small ones", small_ones);
  in_a_process("peak", peak);
  in_a_process("attributes", attributes);
  in_a_process("streams", streams);
  in_a_process("left over", left_over);
  in_a_process("automatic", automatic);
  in_a_process("addresses", addresses);
  in_a_process("captured", captured);
  in_a_process("rules", rules);
}
