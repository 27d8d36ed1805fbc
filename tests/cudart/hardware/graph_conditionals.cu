// Conditional nodes of graphs: what the calls answer, and what runs.
#include "say.hpp"

#include <vector>

#include <cuda.h>

__global__ void set(cudaGraphConditionalHandle handle, unsigned value) { cudaGraphSetConditional(handle, value); }
__global__ void set_from(cudaGraphConditionalHandle handle, const unsigned* value) {
  if (threadIdx.x == 7) cudaGraphSetConditional(handle, *value);
}
__global__ void add(int* p, int n) { *p += n; }
/// Counts down, and keeps the condition true until 0.
__global__ void count_down(cudaGraphConditionalHandle handle, int* left) { cudaGraphSetConditional(handle, --*left); }
/// For an outer loop: sets the inner one going again.
__global__ void begin_inner(int* left, int n) { *left = n; }

namespace {

int* device_numbers(int count) {
  int* p = nullptr;
  cudaMalloc(&p, count * sizeof *p);
  cudaMemset(p, 0, count * sizeof *p);
  return p;
}

int number(const int* p) {
  int n = -1;
  cudaMemcpy(&n, p, sizeof n, cudaMemcpyDeviceToHost);
  return n;
}

void put(int* p, int n) { cudaMemcpy(p, &n, sizeof n, cudaMemcpyHostToDevice); }

template <class... T>
cudaGraphNodeParams kernel_node(void* function, unsigned threads, std::vector<void*>& pointers, T&... arguments) {
  pointers = {static_cast<void*>(&arguments)...};
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeKernel;
  params.kernel.func = function;
  params.kernel.gridDim = dim3(1);
  params.kernel.blockDim = dim3(threads);
  params.kernel.kernelParams = pointers.data();
  return params;
}

template <class... T>
cudaGraphNode_t add_kernel(cudaGraph_t graph, std::vector<cudaGraphNode_t> after, unsigned threads, void* function,
                           T... arguments) {
  std::vector<void*> pointers;
  cudaGraphNodeParams params = kernel_node(function, threads, pointers, arguments...);
  cudaGraphNode_t node = nullptr;
  const cudaError_t error = cudaGraphAddNode(&node, graph, after.data(), nullptr, after.size(), &params);
  if (error != cudaSuccess) print_call("a kernel node", error);
  return node;
}

cudaGraphNodeParams condition(cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type, unsigned size) {
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeConditional;
  params.conditional.handle = handle;
  params.conditional.type = type;
  params.conditional.size = size;
  return params;
}

void* code(void (*kernel)(cudaGraphConditionalHandle, unsigned)) { return reinterpret_cast<void*>(kernel); }
void* code(void (*kernel)(cudaGraphConditionalHandle, const unsigned*)) { return reinterpret_cast<void*>(kernel); }
void* code(void (*kernel)(cudaGraphConditionalHandle, int*)) { return reinterpret_cast<void*>(kernel); }
void* code(void (*kernel)(int*, int)) { return reinterpret_cast<void*>(kernel); }

void handles() {
  cudaGraph_t graph = nullptr, other = nullptr;
  cudaGraphConditionalHandle handle = 0, second = 0, foreign = 0;
  SAY(cudaGraphCreate(&graph, 0));
  SAY(cudaGraphCreate(&other, 0));
  SAY(cudaGraphConditionalHandleCreate(nullptr, graph, 0, 0));
  SAY(cudaGraphConditionalHandleCreate(&handle, nullptr, 0, 0));
  SAY(cudaGraphConditionalHandleCreate(&handle, graph, 0, 2));
  SAY(cudaGraphConditionalHandleCreate(&handle, graph, 5, 0));
  SAY(cudaGraphConditionalHandleCreate(&second, graph, 5, cudaGraphCondAssignDefault));
  SAY(cudaGraphConditionalHandleCreate(&foreign, other, 0, 0));
  SHOW(handle != second);
  cudaGraphNode_t node = nullptr;
  cudaGraphNodeParams params = condition(handle, cudaGraphCondTypeIf, 0);
  SAY(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params));
  params = condition(handle, cudaGraphCondTypeIf, 3);
  SAY(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params));
  params = condition(handle, cudaGraphCondTypeWhile, 2);
  SAY(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params));
  params = condition(handle, cudaGraphCondTypeSwitch, 0);
  SAY(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params));
  params = condition(handle, static_cast<cudaGraphConditionalNodeType>(3), 1);
  SAY(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params));
  params = condition(0, cudaGraphCondTypeIf, 1);
  SAY(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params));
  params = condition(foreign, cudaGraphCondTypeIf, 1);
  SAY(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params));
  params = condition(handle, cudaGraphCondTypeIf, 1);
  params.reserved0[0] = 1;
  SAY(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params));
  params = condition(handle, cudaGraphCondTypeIf, 1);
  SAY(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, nullptr));
  SAY(cudaGraphAddNode(nullptr, graph, nullptr, nullptr, 0, &params));
}

/// What a graph with conditions may and may not do.
void rules() {
  cudaGraph_t graph = nullptr, parent = nullptr, copy = nullptr;
  cudaGraphConditionalHandle handle = 0;
  cudaGraphNode_t node = nullptr, inner = nullptr;
  cudaGraphExec_t exec = nullptr, second = nullptr;
  int* p = device_numbers(1);
  SAY(cudaGraphCreate(&graph, 0));
  SAY(cudaGraphCreate(&parent, 0));
  SAY(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
  SAY(cudaGraphInstantiate(&exec, graph, 0));  // a handle that no node uses
  cudaGraphNodeParams params = condition(handle, cudaGraphCondTypeIf, 1);
  SAY(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params));
  cudaGraph_t body = params.conditional.phGraph_out[0];
  SAY(cudaGraphClone(&copy, graph));
  SAY(cudaGraphAddChildGraphNode(&inner, parent, nullptr, 0, graph));
  cudaHostNodeParams call{[](void*) {}, nullptr};
  SAY(cudaGraphAddHostNode(&inner, body, nullptr, 0, &call));
  cudaMemAllocNodeParams allocation{};
  allocation.poolProps.allocType = cudaMemAllocationTypePinned;
  allocation.poolProps.location = {cudaMemLocationTypeDevice, 0};
  allocation.bytesize = 16;
  SAY(cudaGraphAddMemAllocNode(&inner, body, nullptr, 0, &allocation));
  cudaEvent_t event = nullptr;
  SAY(cudaEventCreate(&event));
  SAY(cudaGraphAddEventRecordNode(&inner, body, nullptr, 0, event));
  SAY(cudaGraphInstantiate(&second, body, 0));
  size_t count = 9;
  SAY(cudaGraphGetNodes(body, nullptr, &count));
  SHOW(count);
  (void)p;
}

void instances() {
  cudaGraph_t graph = nullptr;
  cudaGraphConditionalHandle handle = 0;
  cudaGraphNode_t node = nullptr;
  cudaGraphExec_t exec = nullptr, second = nullptr;
  int* p = device_numbers(1);
  SAY(cudaGraphCreate(&graph, 0));
  SAY(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
  cudaGraphNodeParams params = condition(handle, cudaGraphCondTypeIf, 1);
  SAY(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params));
  SAY(cudaGraphInstantiate(&exec, graph, 0));  // an empty body
  SAY(cudaGraphLaunch(exec, nullptr));
  SAY(cudaDeviceSynchronize());
  SAY(cudaGraphInstantiate(&second, graph, 0));
  SAY(cudaGraphExecDestroy(exec));
  add_kernel(params.conditional.phGraph_out[0], {}, 1, code(add), p, 3);
  SAY(cudaGraphInstantiate(&second, graph, 0));
  SAY(cudaGraphLaunch(second, nullptr));
  SAY(cudaGraphLaunch(second, nullptr));
  SAY(cudaDeviceSynchronize());
  SHOW(number(p));
  SAY(cudaGraphDestroy(graph));
  SAY(cudaGraphLaunch(second, nullptr));
  SAY(cudaDeviceSynchronize());
  SHOW(number(p));
  SAY(cudaGraphExecDestroy(second));
}

/// A kernel sets the condition of an if with an else, and of one without.
void branches() {
  cudaGraph_t graph = nullptr;
  cudaGraphConditionalHandle both = 0, one = 0;
  cudaGraphNode_t node = nullptr, last = nullptr;
  cudaGraphExec_t exec = nullptr;
  int *p = device_numbers(4), *value = p + 3;
  SAY(cudaGraphCreate(&graph, 0));
  SAY(cudaGraphConditionalHandleCreate(&both, graph));
  SAY(cudaGraphConditionalHandleCreate(&one, graph));
  const cudaGraphNode_t first =
      add_kernel(graph, {}, 32, code(set_from), both, reinterpret_cast<const unsigned*>(value));
  const cudaGraphNode_t again =
      add_kernel(graph, {first}, 8, code(set_from), one, reinterpret_cast<const unsigned*>(value));
  cudaGraphNodeParams params = condition(both, cudaGraphCondTypeIf, 2);
  SAY(cudaGraphAddNode(&node, graph, &again, nullptr, 1, &params));
  add_kernel(params.conditional.phGraph_out[0], {}, 1, code(add), p, 1);
  add_kernel(params.conditional.phGraph_out[1], {}, 1, code(add), p, 100);
  params = condition(one, cudaGraphCondTypeIf, 1);
  SAY(cudaGraphAddNode(&last, graph, &node, nullptr, 1, &params));
  add_kernel(params.conditional.phGraph_out[0], {}, 1, code(add), p + 1, 1);
  add_kernel(graph, {last}, 1, code(add), p + 2, 1);
  SAY(cudaGraphInstantiate(&exec, graph, 0));
  for (const int tried : {0, 1, 2, -1, 0x100}) {
    put(value, tried);
    SAY(cudaGraphLaunch(exec, nullptr));
    SAY(cudaDeviceSynchronize());
    SHOW(tried); SHOW(number(p)); SHOW(number(p + 1)); SHOW(number(p + 2));
  }
}

/// Loops, one in the other: the outer runs 3 times, the inner 4 times in each.
void loops() {
  cudaGraph_t graph = nullptr;
  cudaGraphConditionalHandle outer = 0, inner = 0;
  cudaGraphNode_t node = nullptr, in_it = nullptr;
  cudaGraphExec_t exec = nullptr;
  int *p = device_numbers(4), *outer_left = p + 1, *inner_left = p + 2;
  SAY(cudaGraphCreate(&graph, 0));
  SAY(cudaGraphConditionalHandleCreate(&outer, graph, 1, cudaGraphCondAssignDefault));
  SAY(cudaGraphConditionalHandleCreate(&inner, graph, 0, 0));
  cudaGraphNodeParams params = condition(outer, cudaGraphCondTypeWhile, 1);
  SAY(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params));
  cudaGraph_t body = params.conditional.phGraph_out[0];
  const cudaGraphNode_t ready = add_kernel(body, {}, 1, code(begin_inner), inner_left, 4);
  const cudaGraphNode_t on = add_kernel(body, {ready}, 1, code(set), inner, 1u);
  params = condition(inner, cudaGraphCondTypeWhile, 1);
  SAY(cudaGraphAddNode(&in_it, body, &on, nullptr, 1, &params));
  cudaGraph_t inner_body = params.conditional.phGraph_out[0];
  const cudaGraphNode_t added = add_kernel(inner_body, {}, 1, code(add), p, 1);
  add_kernel(inner_body, {added}, 1, code(count_down), inner, inner_left);
  add_kernel(body, {in_it}, 1, code(count_down), outer, outer_left);
  SAY(cudaGraphInstantiate(&exec, graph, 0));
  for (int run = 0; run < 2; ++run) {
    put(outer_left, 3);
    SAY(cudaGraphLaunch(exec, nullptr));
    SAY(cudaDeviceSynchronize());
    SHOW(number(p)); SHOW(number(outer_left)); SHOW(number(inner_left));
  }
}

void switches() {
  cudaGraph_t graph = nullptr;
  cudaGraphConditionalHandle handle = 0;
  cudaGraphNode_t node = nullptr;
  cudaGraphExec_t exec = nullptr;
  int *p = device_numbers(2), *value = p + 1;
  SAY(cudaGraphCreate(&graph, 0));
  SAY(cudaGraphConditionalHandleCreate(&handle, graph));
  const cudaGraphNode_t first =
      add_kernel(graph, {}, 8, code(set_from), handle, reinterpret_cast<const unsigned*>(value));
  cudaGraphNodeParams params = condition(handle, cudaGraphCondTypeSwitch, 3);
  SAY(cudaGraphAddNode(&node, graph, &first, nullptr, 1, &params));
  for (int body = 0; body < 3; ++body)
    add_kernel(params.conditional.phGraph_out[body], {}, 1, code(add), p, body == 0 ? 1 : body == 1 ? 10 : 100);
  SAY(cudaGraphInstantiate(&exec, graph, 0));
  for (const int tried : {0, 1, 2, 3, 1, -1}) {
    put(value, tried);
    SAY(cudaGraphLaunch(exec, nullptr));
    SAY(cudaDeviceSynchronize());
    SHOW(tried); SHOW(number(p));
  }
}

/// Handles keep their default at each launch only if they say so; one default of a switch.
void defaults() {
  cudaGraph_t graph = nullptr;
  cudaGraphConditionalHandle handle = 0;
  cudaGraphNode_t node = nullptr;
  cudaGraphExec_t exec = nullptr;
  int* p = device_numbers(1);
  SAY(cudaGraphCreate(&graph, 0));
  SAY(cudaGraphConditionalHandleCreate(&handle, graph, 2, cudaGraphCondAssignDefault));
  cudaGraphNodeParams params = condition(handle, cudaGraphCondTypeSwitch, 3);
  SAY(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params));
  for (int body = 0; body < 3; ++body) {
    const cudaGraphNode_t added =
        add_kernel(params.conditional.phGraph_out[body], {}, 1, code(add), p, body == 2 ? 100 : 1);
    add_kernel(params.conditional.phGraph_out[body], {added}, 1, code(set), handle, 0u);
  }
  SAY(cudaGraphInstantiate(&exec, graph, 0));
  SAY(cudaGraphLaunch(exec, nullptr));
  SAY(cudaGraphLaunch(exec, nullptr));
  SAY(cudaDeviceSynchronize());
  SHOW(number(p));
}

/// A condition in the middle of a capture, its body captured too, with a copy and a set in it.
void captures() {
  cudaStream_t stream = nullptr, side = nullptr;
  cudaGraph_t graph = nullptr, ended = nullptr;
  cudaGraphConditionalHandle handle = 0;
  cudaGraphExec_t exec = nullptr;
  cudaStreamCaptureStatus status{};
  const cudaGraphNode_t* after = nullptr;
  size_t count = 0;
  int *p = device_numbers(4), *left = p + 1;
  SAY(cudaStreamCreate(&stream));
  SAY(cudaStreamCreate(&side));
  SAY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  add<<<1, 1, 0, stream>>>(p, 1000);
  SAY(cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph, &after, nullptr, &count));
  SHOW(count);
  SAY(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
  cudaGraphNode_t node = nullptr;
  cudaGraphNodeParams params = condition(handle, cudaGraphCondTypeWhile, 1);
  SAY(cudaGraphAddNode(&node, graph, after, nullptr, count, &params));
  cudaGraph_t body = params.conditional.phGraph_out[0];
  SAY(cudaStreamBeginCaptureToGraph(side, body, nullptr, nullptr, 0, cudaStreamCaptureModeRelaxed));
  add<<<1, 1, 0, side>>>(p, 1);
  SAY(cudaMemcpyAsync(p + 2, p, 4, cudaMemcpyDeviceToDevice, side));
  SAY(cudaMemsetAsync(p + 3, 1, 4, side));
  count_down<<<1, 1, 0, side>>>(handle, left);
  SAY(cudaStreamEndCapture(side, nullptr));
  SAY(cudaStreamUpdateCaptureDependencies(stream, &node, nullptr, 1, cudaStreamSetCaptureDependencies));
  add<<<1, 1, 0, stream>>>(p, 100000);
  SAY(cudaStreamEndCapture(stream, &ended));
  SHOW(ended == graph);
  SAY(cudaGraphGetNodes(ended, nullptr, &count));
  SHOW(count);
  SAY(cudaGraphGetNodes(body, nullptr, &count));
  SHOW(count);
  SAY(cudaGraphInstantiate(&exec, ended, 0));
  put(left, 5);
  SAY(cudaGraphLaunch(exec, stream));
  SAY(cudaStreamSynchronize(stream));
  SHOW(number(p)); SHOW(number(left)); SHOW(number(p + 2)); SHOW(number(p + 3));
}

/// Nodes of bodies change in the executable graph as others do.
void changes() {
  cudaGraph_t graph = nullptr;
  cudaGraphConditionalHandle handle = 0;
  cudaGraphNode_t node = nullptr;
  cudaGraphExec_t exec = nullptr;
  int *p = device_numbers(1), ten = 10, hundred = 100;
  SAY(cudaGraphCreate(&graph, 0));
  SAY(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
  cudaGraphNodeParams params = condition(handle, cudaGraphCondTypeIf, 1);
  SAY(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params));
  const cudaGraphNode_t inner = add_kernel(params.conditional.phGraph_out[0], {}, 1, code(add), p, 1);
  SAY(cudaGraphInstantiate(&exec, graph, 0));
  std::vector<void*> pointers;
  cudaGraphNodeParams changed = kernel_node(code(add), 1, pointers, p, ten);
  SAY(cudaGraphExecNodeSetParams(exec, inner, &changed));
  SAY(cudaGraphLaunch(exec, nullptr));
  SAY(cudaDeviceSynchronize());
  SHOW(number(p));
  changed = kernel_node(code(add), 1, pointers, p, hundred);
  SAY(cudaGraphNodeSetParams(inner, &changed));
  cudaGraphExecUpdateResultInfo info{};
  SAY(cudaGraphExecUpdate(exec, graph, &info));
  SHOW(info.result);
  SAY(cudaGraphLaunch(exec, nullptr));
  SAY(cudaDeviceSynchronize());
  SHOW(number(p));
}

template <class F>
F driver_function(const char* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  const cudaError_t error = cudaGetDriverEntryPointByVersion(name, &function, 13000, cudaEnableDefault, &found);
  std::printf("  %-70s %s %d\n", name, cudaGetErrorName(error), static_cast<int>(found));
  return reinterpret_cast<F>(function);
}

/// The driver's calls, found by name.
void by_the_driver() {
  int *p = device_numbers(2), *left = p + 1;
  const auto create = driver_function<decltype(&cuGraphCreate)>("cuGraphCreate");
  const auto create_handle = driver_function<decltype(&cuGraphConditionalHandleCreate)>("cuGraphConditionalHandleCreate");
  const auto add_node = driver_function<decltype(&cuGraphAddNode)>("cuGraphAddNode");
  const auto instantiate = driver_function<decltype(&cuGraphInstantiateWithFlags)>("cuGraphInstantiateWithFlags");
  const auto launch = driver_function<decltype(&cuGraphLaunch)>("cuGraphLaunch");
  const auto current = driver_function<decltype(&cuCtxGetCurrent)>("cuCtxGetCurrent");
  CUcontext context = nullptr;
  CUgraph graph = nullptr;
  CUgraphNode node = nullptr, inner = nullptr, last = nullptr;
  CUgraphConditionalHandle handle = 0;
  CUgraphExec exec = nullptr;
  cudaFunction_t add_function = nullptr, count_function = nullptr;
  SHOW(current(&context));
  SAY(cudaGetFuncBySymbol(&add_function, code(add)));
  SAY(cudaGetFuncBySymbol(&count_function, code(count_down)));
  SHOW(create(&graph, 0));
  SHOW(create_handle(&handle, graph, nullptr, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
  SHOW(create_handle(&handle, graph, context, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
  CUgraphNodeParams params{};
  params.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  params.conditional.handle = handle;
  params.conditional.type = CU_GRAPH_COND_TYPE_WHILE;
  params.conditional.size = 1;
  params.conditional.ctx = context;
  SHOW(add_node(&node, graph, nullptr, nullptr, 0, &params));
  CUgraph body = params.conditional.phGraph_out[0];
  int n = 7;
  void* arguments[] = {&p, &n};
  CUgraphNodeParams kernel{};
  kernel.type = CU_GRAPH_NODE_TYPE_KERNEL;
  kernel.kernel.func = reinterpret_cast<CUfunction>(add_function);
  kernel.kernel.gridDimX = kernel.kernel.gridDimY = kernel.kernel.gridDimZ = 1;
  kernel.kernel.blockDimX = kernel.kernel.blockDimY = kernel.kernel.blockDimZ = 1;
  kernel.kernel.kernelParams = arguments;
  SHOW(add_node(&inner, body, nullptr, nullptr, 0, &kernel));
  void* counts[] = {&handle, &left};
  kernel.kernel.func = reinterpret_cast<CUfunction>(count_function);
  kernel.kernel.kernelParams = counts;
  SHOW(add_node(&last, body, &inner, nullptr, 1, &kernel));
  SHOW(instantiate(&exec, graph, 0));
  put(left, 6);
  SHOW(launch(exec, nullptr));
  SAY(cudaDeviceSynchronize());
  SHOW(number(p)); SHOW(number(left));
}

/// A handle that is none.
void wrong_handle() {
  alarm(60);
  set<<<1, 1>>>(0x1234, 1);
  SAY(cudaGetLastError());
  SAY(cudaDeviceSynchronize());
}

/// A handle set by a kernel that runs outside of the graph.
void outside() {
  alarm(60);
  cudaGraph_t graph = nullptr;
  cudaGraphConditionalHandle handle = 0;
  cudaGraphNode_t node = nullptr;
  cudaGraphExec_t exec = nullptr;
  int* p = device_numbers(1);
  SAY(cudaGraphCreate(&graph, 0));
  SAY(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
  cudaGraphNodeParams params = condition(handle, cudaGraphCondTypeIf, 1);
  SAY(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params));
  add_kernel(params.conditional.phGraph_out[0], {}, 1, code(add), p, 1);
  SAY(cudaGraphInstantiate(&exec, graph, 0));
  set<<<1, 1>>>(handle, 1);
  SAY(cudaDeviceSynchronize());
  SAY(cudaGraphLaunch(exec, nullptr));
  SAY(cudaDeviceSynchronize());
  SHOW(number(p));
}

}  // namespace

int main() {
  in_a_process("handles", handles);
  in_a_process("rules", rules);
  in_a_process("instances", instances);
  in_a_process("branches", branches);
  in_a_process("loops", loops);
  in_a_process("switches", switches);
  in_a_process("defaults", defaults);
  in_a_process("captures", captures);
  in_a_process("changes", changes);
  in_a_process("by the driver", by_the_driver);
  in_a_process("wrong handle", wrong_handle);
  in_a_process("outside", outside);
}
