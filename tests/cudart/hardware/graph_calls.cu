// Graph calls beyond the nodes: what is read back and changed, nodes and edges taken out, objects that graphs keep.
#include "say.hpp"

#include <vector>

__device__ int numbers[4];
__global__ void add(int* p, int n) { *p += n; }

namespace {

int told = 0;
void tell(void* number) { told += *static_cast<int*>(number); }
void destroy(void*) {}

int* device_numbers() {
  int* p = nullptr;
  cudaMalloc(&p, 64);
  cudaMemset(p, 0, 64);
  return p;
}

int number(const int* p) {
  int n = -1;
  cudaMemcpy(&n, p, sizeof n, cudaMemcpyDeviceToHost);
  return n;
}

cudaGraphNode_t add_kernel(cudaGraph_t graph, std::vector<cudaGraphNode_t> after, int* p, int n) {
  void* arguments[] = {&p, &n};
  cudaKernelNodeParams launch{};
  launch.func = reinterpret_cast<void*>(add);
  launch.gridDim = launch.blockDim = dim3(1);
  launch.kernelParams = arguments;
  cudaGraphNode_t node = nullptr;
  const cudaError_t error = cudaGraphAddKernelNode(&node, graph, after.data(), after.size(), &launch);
  if (error != cudaSuccess) print_call("cudaGraphAddKernelNode", error);
  return node;
}

/// All kinds of nodes through one call.
void one_call() {
  cudaGraph_t graph = nullptr, child = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaGraphNode_t set = nullptr, kernel = nullptr, copy = nullptr, host = nullptr, inner = nullptr, empty = nullptr,
                  recorded = nullptr, waited = nullptr, allocated = nullptr, freed = nullptr, wrong = nullptr;
  cudaEvent_t event = nullptr;
  int *p = device_numbers(), n = 5, result = 0, one = 1;
  SAY(cudaEventCreate(&event));
  SAY(cudaGraphCreate(&graph, 0));
  SAY(cudaGraphCreate(&child, 0));
  add_kernel(child, {}, p, 100);
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeMemset;
  params.memset.dst = p;
  params.memset.value = 7;
  params.memset.elementSize = 4;
  params.memset.width = 4;
  params.memset.height = 1;
  SAY(cudaGraphAddNode(&set, graph, nullptr, nullptr, 0, &params));
  void* arguments[] = {&p, &n};
  params = {};
  params.type = cudaGraphNodeTypeKernel;
  params.kernel.func = reinterpret_cast<void*>(add);
  params.kernel.gridDim = dim3(1);
  params.kernel.blockDim = dim3(1);
  params.kernel.kernelParams = arguments;
  SAY(cudaGraphAddNode(&kernel, graph, &set, nullptr, 1, &params));
  params = {};
  params.type = cudaGraphNodeTypeGraph;
  params.graph.graph = child;
  SAY(cudaGraphAddNode(&inner, graph, &kernel, nullptr, 1, &params));
  params = {};
  params.type = cudaGraphNodeTypeMemcpy;
  params.memcpy.copyParams.srcPtr = make_cudaPitchedPtr(p, 4, 4, 1);
  params.memcpy.copyParams.dstPtr = make_cudaPitchedPtr(&result, 4, 4, 1);
  params.memcpy.copyParams.extent = make_cudaExtent(4, 1, 1);
  params.memcpy.copyParams.kind = cudaMemcpyDeviceToHost;
  SAY(cudaGraphAddNode(&copy, graph, &inner, nullptr, 1, &params));
  params.memcpy.flags = 1;
  SAY(cudaGraphAddNode(&wrong, graph, &inner, nullptr, 1, &params));
  params = {};
  params.type = cudaGraphNodeTypeHost;
  params.host.fn = tell;
  params.host.userData = &one;
  SAY(cudaGraphAddNode(&host, graph, &copy, nullptr, 1, &params));
  params = {};
  params.type = cudaGraphNodeTypeEmpty;
  SAY(cudaGraphAddNode(&empty, graph, &host, nullptr, 1, &params));
  params = {};
  params.type = cudaGraphNodeTypeEventRecord;
  params.eventRecord.event = event;
  SAY(cudaGraphAddNode(&recorded, graph, &empty, nullptr, 1, &params));
  params = {};
  params.type = cudaGraphNodeTypeWaitEvent;
  params.eventWait.event = event;
  SAY(cudaGraphAddNode(&waited, graph, &recorded, nullptr, 1, &params));
  params = {};
  params.type = cudaGraphNodeTypeMemAlloc;
  params.alloc.poolProps.allocType = cudaMemAllocationTypePinned;
  params.alloc.poolProps.location = {cudaMemLocationTypeDevice, 0};
  params.alloc.bytesize = 16;
  SAY(cudaGraphAddNode(&allocated, graph, &waited, nullptr, 1, &params));
  void* const address = params.alloc.dptr;
  SHOW(address != nullptr);
  params = {};
  params.type = cudaGraphNodeTypeMemFree;
  params.free.dptr = address;
  SAY(cudaGraphAddNode(&freed, graph, &allocated, nullptr, 1, &params));
  params = {};
  params.type = static_cast<cudaGraphNodeType>(12);
  SAY(cudaGraphAddNode(&wrong, graph, nullptr, nullptr, 0, &params));
  params.type = cudaGraphNodeTypeCount;
  SAY(cudaGraphAddNode(&wrong, graph, nullptr, nullptr, 0, &params));
  SAY(cudaGraphInstantiate(&exec, graph, 0));
  SAY(cudaGraphLaunch(exec, nullptr));
  SAY(cudaDeviceSynchronize());
  SHOW(result); SHOW(told);

  cudaEvent_t other = nullptr, read = nullptr;
  SAY(cudaEventCreate(&other));
  SAY(cudaGraphEventRecordNodeGetEvent(recorded, &read));
  SHOW(read == event);
  SAY(cudaGraphEventWaitNodeGetEvent(waited, &read));
  SHOW(read == event);
  SAY(cudaGraphEventRecordNodeGetEvent(waited, &read));
  SAY(cudaGraphEventRecordNodeSetEvent(recorded, other));
  SAY(cudaGraphEventWaitNodeSetEvent(waited, other));
  SAY(cudaGraphEventRecordNodeGetEvent(recorded, &read));
  SHOW(read == other);
  SAY(cudaGraphExecEventRecordNodeSetEvent(exec, recorded, other));
  SAY(cudaGraphExecEventWaitNodeSetEvent(exec, waited, other));
  SAY(cudaEventQuery(other));
  SAY(cudaGraphLaunch(exec, nullptr));
  SAY(cudaDeviceSynchronize());
  SAY(cudaEventQuery(other));

  cudaMemcpy3DParms back{};
  SAY(cudaGraphMemcpyNodeGetParams(copy, &back));
  SHOW(back.srcPtr.ptr == p); SHOW(back.dstPtr.ptr == &result); SHOW(back.extent.width); SHOW(back.kind);
  SAY(cudaGraphMemcpyNodeGetParams(set, &back));
  int elsewhere = 0;
  back.dstPtr.ptr = &elsewhere;
  SAY(cudaGraphExecMemcpyNodeSetParams(exec, copy, &back));
  SAY(cudaGraphLaunch(exec, nullptr));
  SAY(cudaDeviceSynchronize());
  SHOW(elsewhere);
  SAY(cudaGraphMemcpyNodeSetParams(copy, &back));
  params = {};
  params.type = cudaGraphNodeTypeHost;
  params.host.fn = tell;
  params.host.userData = &n;
  SAY(cudaGraphExecNodeSetParams(exec, host, &params));
  SAY(cudaGraphExecNodeSetParams(exec, copy, &params));
  SAY(cudaGraphNodeSetParams(host, &params));
  SAY(cudaGraphNodeSetParams(copy, &params));
  SAY(cudaGraphLaunch(exec, nullptr));
  SAY(cudaDeviceSynchronize());
  SHOW(told);

  cudaGraph_t embedded = nullptr;
  SAY(cudaGraphChildGraphNodeGetGraph(inner, &embedded));
  SHOW(embedded != child);
  size_t count = 0;
  SAY(cudaGraphGetNodes(embedded, nullptr, &count));
  SHOW(count);
  SAY(cudaGraphChildGraphNodeGetGraph(copy, &embedded));
  cudaGraph_t replacement = nullptr;
  SAY(cudaGraphCreate(&replacement, 0));
  add_kernel(replacement, {}, p, 1000);
  SAY(cudaGraphExecChildGraphNodeSetParams(exec, inner, replacement));
  SAY(cudaGraphLaunch(exec, nullptr));
  SAY(cudaDeviceSynchronize());
  SHOW(elsewhere);
  add_kernel(replacement, {}, p, 1000);
  SAY(cudaGraphExecChildGraphNodeSetParams(exec, inner, replacement));
}

/// Edges and nodes read back and taken out.
void edges() {
  cudaGraph_t graph = nullptr, copy = nullptr;
  cudaGraphExec_t exec = nullptr;
  int* p = device_numbers();
  SAY(cudaGraphCreate(&graph, 0));
  const cudaGraphNode_t a = add_kernel(graph, {}, p, 1), b = add_kernel(graph, {a}, p, 10),
                        c = add_kernel(graph, {a, b}, p, 100);
  cudaGraphNode_t list[4] = {};
  size_t count = 0;
  SAY(cudaGraphNodeGetDependencies(c, nullptr, nullptr, &count));
  SHOW(count);
  count = 4;
  SAY(cudaGraphNodeGetDependencies(c, list, nullptr, &count));
  SHOW(count); SHOW(list[0] == a); SHOW(list[1] == b); SHOW(list[2] == nullptr); SHOW(list[3] == nullptr);
  count = 1;
  SAY(cudaGraphNodeGetDependencies(c, list, nullptr, &count));
  SHOW(count);
  count = 4;
  SAY(cudaGraphNodeGetDependentNodes(a, list, nullptr, &count));
  SHOW(count); SHOW(list[0] == b); SHOW(list[1] == c);
  count = 0;
  SAY(cudaGraphNodeGetDependentNodes(c, nullptr, nullptr, &count));
  SHOW(count);
  SAY(cudaGraphNodeGetDependencies(c, nullptr, nullptr, nullptr));
  SAY(cudaGraphNodeGetDependencies(nullptr, nullptr, nullptr, &count));
  SAY(cudaGraphClone(&copy, graph));
  cudaGraphNode_t twin = nullptr, wrong = nullptr;
  SAY(cudaGraphNodeFindInClone(&twin, b, copy));
  SHOW(twin != nullptr); SHOW(twin != b);
  SAY(cudaGraphNodeFindInClone(&wrong, b, graph));
  SAY(cudaGraphNodeFindInClone(&wrong, twin, copy));
  SAY(cudaGraphRemoveDependencies(graph, &a, &c, nullptr, 1));
  SAY(cudaGraphRemoveDependencies(graph, &a, &c, nullptr, 1));
  SAY(cudaGraphAddDependencies(graph, &a, &b, nullptr, 1));
  SAY(cudaGraphAddDependencies(graph, &c, &a, nullptr, 1));
  SAY(cudaGraphAddDependencies(graph, &a, &a, nullptr, 1));
  SAY(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &count));
  SHOW(count);
  SAY(cudaGraphInstantiate(&exec, graph, 0));
  SAY(cudaGraphDestroyNode(b));
  SAY(cudaGraphGetNodes(graph, nullptr, &count));
  SHOW(count);
  SAY(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &count));
  SHOW(count);
  SAY(cudaGraphLaunch(exec, nullptr));
  SAY(cudaDeviceSynchronize());
  SHOW(number(p));
  cudaGraphExecUpdateResultInfo info{};
  SAY(cudaGraphExecUpdate(exec, graph, &info));
  SHOW(info.result);
  SAY(cudaGraphInstantiate(&exec, graph, 0));
  SAY(cudaGraphLaunch(exec, nullptr));
  SAY(cudaDeviceSynchronize());
  SHOW(number(p));
  SAY(cudaGraphInstantiate(&exec, copy, 0));
  SAY(cudaGraphLaunch(exec, nullptr));
  SAY(cudaDeviceSynchronize());
  SHOW(number(p));
}

void enabled() {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  int *p = device_numbers(), one = 1, host = 0;
  unsigned is_on = 9;
  cudaGraphNode_t call = nullptr, copy = nullptr;
  SAY(cudaGraphCreate(&graph, 0));
  const cudaGraphNode_t a = add_kernel(graph, {}, p, 1), b = add_kernel(graph, {a}, p, 10);
  cudaHostNodeParams on_host{tell, &one};
  SAY(cudaGraphAddHostNode(&call, graph, &b, 1, &on_host));
  SAY(cudaGraphAddMemcpyNode1D(&copy, graph, &b, 1, &host, p, 4, cudaMemcpyDeviceToHost));
  SAY(cudaGraphInstantiate(&exec, graph, 0));
  SAY(cudaGraphNodeGetEnabled(exec, a, &is_on));
  SHOW(is_on);
  SAY(cudaGraphNodeSetEnabled(exec, a, 0));
  SAY(cudaGraphNodeGetEnabled(exec, a, &is_on));
  SHOW(is_on);
  SAY(cudaGraphLaunch(exec, nullptr));
  SAY(cudaDeviceSynchronize());
  SHOW(number(p)); SHOW(host);
  SAY(cudaGraphNodeSetEnabled(exec, copy, 0));
  SAY(cudaGraphNodeSetEnabled(exec, a, 2));
  SAY(cudaGraphNodeGetEnabled(exec, a, &is_on));
  SHOW(is_on);
  SAY(cudaGraphLaunch(exec, nullptr));
  SAY(cudaDeviceSynchronize());
  SHOW(number(p)); SHOW(host);
  SAY(cudaGraphNodeSetEnabled(exec, call, 0));
  SAY(cudaGraphNodeGetEnabled(exec, call, &is_on));
  SAY(cudaGraphNodeSetEnabled(nullptr, a, 0));
  SAY(cudaGraphNodeGetEnabled(exec, a, nullptr));
}

void kernel_attributes() {
  cudaGraph_t graph = nullptr;
  int* p = device_numbers();
  SAY(cudaGraphCreate(&graph, 0));
  const cudaGraphNode_t a = add_kernel(graph, {}, p, 1), b = add_kernel(graph, {a}, p, 10);
  cudaKernelNodeAttrValue value{};
  SAY(cudaGraphKernelNodeGetAttribute(a, cudaKernelNodeAttributeCooperative, &value));
  SHOW(value.cooperative);
  value.cooperative = 1;
  SAY(cudaGraphKernelNodeSetAttribute(a, cudaKernelNodeAttributeCooperative, &value));
  SAY(cudaGraphKernelNodeGetAttribute(a, cudaKernelNodeAttributeCooperative, &value));
  SHOW(value.cooperative);
  value = {};
  SAY(cudaGraphKernelNodeGetAttribute(a, cudaKernelNodeAttributePriority, &value));
  SHOW(value.priority);
  value.priority = -3;
  SAY(cudaGraphKernelNodeSetAttribute(a, cudaKernelNodeAttributePriority, &value));
  SAY(cudaGraphKernelNodeCopyAttributes(b, a));
  value = {};
  SAY(cudaGraphKernelNodeGetAttribute(b, cudaKernelNodeAttributePriority, &value));
  SHOW(value.priority);
  value = {};
  SAY(cudaGraphKernelNodeGetAttribute(b, cudaKernelNodeAttributeAccessPolicyWindow, &value));
  SHOW(value.accessPolicyWindow.num_bytes);
  value.accessPolicyWindow.base_ptr = p;
  value.accessPolicyWindow.num_bytes = 64;
  value.accessPolicyWindow.hitRatio = 0.5f;
  value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
  SAY(cudaGraphKernelNodeSetAttribute(b, cudaKernelNodeAttributeAccessPolicyWindow, &value));
  value = {};
  SAY(cudaGraphKernelNodeGetAttribute(b, cudaKernelNodeAttributeAccessPolicyWindow, &value));
  SHOW(value.accessPolicyWindow.num_bytes); SHOW(value.accessPolicyWindow.base_ptr == p);
  value = {};
  value.clusterDim.x = 1;
  value.clusterDim.y = value.clusterDim.z = 1;
  SAY(cudaGraphKernelNodeSetAttribute(b, cudaLaunchAttributeClusterDimension, &value));
  value = {};
  SAY(cudaGraphKernelNodeGetAttribute(b, cudaLaunchAttributeClusterDimension, &value));
  SHOW(value.clusterDim.x);
  SAY(cudaGraphKernelNodeGetAttribute(nullptr, cudaKernelNodeAttributePriority, &value));
  SAY(cudaGraphKernelNodeGetAttribute(a, cudaLaunchAttributeSynchronizationPolicy, &value));
  cudaGraphNode_t empty = nullptr;
  SAY(cudaGraphAddEmptyNode(&empty, graph, nullptr, 0));
  SAY(cudaGraphKernelNodeGetAttribute(empty, cudaKernelNodeAttributePriority, &value));
  SAY(cudaGraphKernelNodeCopyAttributes(empty, a));
}

void symbols() {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaGraphNode_t in = nullptr, out = nullptr, wrong = nullptr;
  int *p = device_numbers(), values[4] = {1, 2, 3, 4}, host[2] = {};
  SAY(cudaMemcpy(p, values, sizeof values, cudaMemcpyHostToDevice));
  SAY(cudaGraphCreate(&graph, 0));
  SAY(cudaGraphAddMemcpyNodeToSymbol(&in, graph, nullptr, 0, numbers, p, 16, 0, cudaMemcpyDeviceToDevice));
  SAY(cudaGraphAddMemcpyNodeToSymbol(&wrong, graph, nullptr, 0, numbers, p, 16, 4, cudaMemcpyDeviceToDevice));
  SAY(cudaGraphAddMemcpyNodeFromSymbol(&out, graph, &in, 1, host, numbers, 8, 4, cudaMemcpyDeviceToHost));
  SAY(cudaGraphInstantiate(&exec, graph, 0));
  SAY(cudaGraphLaunch(exec, nullptr));
  SAY(cudaDeviceSynchronize());
  SHOW(host[0]); SHOW(host[1]);
  SAY(cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, out, host, numbers, 4, 12, cudaMemcpyDeviceToHost));
  SAY(cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, in, numbers, p, 8, 8, cudaMemcpyDeviceToDevice));
  SAY(cudaGraphLaunch(exec, nullptr));
  SAY(cudaDeviceSynchronize());
  SHOW(host[0]); SHOW(host[1]);
  SAY(cudaGraphMemcpyNodeSetParamsFromSymbol(out, host, numbers, 8, 0, cudaMemcpyDeviceToHost));
  SAY(cudaGraphMemcpyNodeSetParamsToSymbol(in, numbers, p, 16, 0, cudaMemcpyDeviceToDevice));
  SAY(cudaGraphInstantiate(&exec, graph, 0));
  SAY(cudaGraphLaunch(exec, nullptr));
  SAY(cudaDeviceSynchronize());
  SHOW(host[0]); SHOW(host[1]);
}

void objects() {
  cudaGraph_t graph = nullptr;
  cudaUserObject_t object = nullptr, other = nullptr;
  int one = 1, ten = 10;
  SAY(cudaUserObjectCreate(&object, &one, destroy, 0, cudaUserObjectNoDestructorSync));
  SAY(cudaUserObjectCreate(&object, &one, destroy, 1, 0));
  SAY(cudaUserObjectCreate(&object, &one, nullptr, 1, cudaUserObjectNoDestructorSync));
  SAY(cudaUserObjectCreate(nullptr, &one, destroy, 1, cudaUserObjectNoDestructorSync));
  SAY(cudaUserObjectCreate(&object, &one, destroy, 2, cudaUserObjectNoDestructorSync));
  SAY(cudaUserObjectCreate(&other, &ten, destroy, 1, cudaUserObjectNoDestructorSync));
  SAY(cudaUserObjectRetain(object, 0));
  SAY(cudaUserObjectRetain(object, 1));
  SAY(cudaUserObjectRelease(object, 2));
  SAY(cudaGraphCreate(&graph, 0));
  add_kernel(graph, {}, device_numbers(), 1);
  SAY(cudaGraphRetainUserObject(graph, object, 0, 0));
  SAY(cudaGraphRetainUserObject(graph, object, 1, 2));
  SAY(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
  SAY(cudaGraphRetainUserObject(graph, other, 1, 0));
}

}  // namespace

int main() {
  in_a_process("one call", one_call);
  in_a_process("edges", edges);
  in_a_process("enabled", enabled);
  in_a_process("kernel attributes", kernel_attributes);
  in_a_process("symbols", symbols);
  in_a_process("objects", objects);
}
