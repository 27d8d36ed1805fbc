// Graph nodes of memory and events, and nodes that are read and changed.
#include "say.hpp"

__global__ void add(int* p, int n) { p[threadIdx.x] += n; }

int told = 0;
void tell(void* number) { told += *static_cast<int*>(number); }

void memory_nodes() {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaGraphNode_t allocation = nullptr, set = nullptr, kernel = nullptr, copy = nullptr, end = nullptr, wrong = nullptr;
  cudaGraphNodeType type{};
  int host[4] = {};
  SAY(cudaGraphCreate(&graph, 0));
  cudaMemAllocNodeParams params{};
  params.bytesize = 16;
  SAY(cudaGraphAddMemAllocNode(&wrong, graph, nullptr, 0, &params));
  params.poolProps.allocType = cudaMemAllocationTypePinned;
  params.poolProps.location = {cudaMemLocationTypeDevice, 0};
  SAY(cudaGraphAddMemAllocNode(&wrong, graph, nullptr, 0, nullptr));
  SAY(cudaGraphAddMemAllocNode(&allocation, graph, nullptr, 0, &params));
  SHOW(params.dptr != nullptr);
  cudaMemsetParams fill{};
  fill.dst = params.dptr;
  fill.value = 7;
  fill.elementSize = 4;
  fill.width = 4;
  fill.height = 1;
  SAY(cudaGraphAddMemsetNode(&set, graph, &allocation, 1, &fill));
  int n = 10;
  void* arguments[] = {&params.dptr, &n};
  cudaKernelNodeParams launch{};
  launch.func = reinterpret_cast<void*>(add);
  launch.gridDim = dim3(1);
  launch.blockDim = dim3(4);
  launch.kernelParams = arguments;
  SAY(cudaGraphAddKernelNode(&kernel, graph, &set, 1, &launch));
  SAY(cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, host, params.dptr, 16, cudaMemcpyDeviceToHost));
  SAY(cudaGraphAddMemFreeNode(&end, graph, &copy, 1, params.dptr));
  SAY(cudaGraphNodeGetType(allocation, &type));
  SHOW(type);
  SAY(cudaGraphNodeGetType(end, &type));
  SHOW(type);
  cudaMemAllocNodeParams read{};
  void* freed = nullptr;
  SAY(cudaGraphMemAllocNodeGetParams(allocation, &read));
  SHOW(read.bytesize); SHOW(read.dptr == params.dptr);
  SAY(cudaGraphMemFreeNodeGetParams(end, &freed));
  SHOW(freed == params.dptr);
  SAY(cudaGraphInstantiate(&exec, graph, 0));
  SAY(cudaGraphLaunch(exec, nullptr));
  SAY(cudaDeviceSynchronize());
  SHOW(host[0]); SHOW(host[3]);
  SAY(cudaGraphLaunch(exec, nullptr));
  SAY(cudaDeviceSynchronize());
  SHOW(host[0]);
  SAY(cudaGraphExecDestroy(exec));
  SAY(cudaGraphDestroy(graph));
}

void changes() {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaGraphNode_t set = nullptr, copy = nullptr, call = nullptr, recorded = nullptr, waited = nullptr;
  cudaEvent_t event = nullptr;
  int *p = nullptr, host[4] = {}, other[4] = {}, one = 1, hundred = 100;
  SAY(cudaMalloc(&p, 16));
  SAY(cudaEventCreate(&event));
  SAY(cudaGraphCreate(&graph, 0));
  cudaMemsetParams fill{};
  fill.dst = p;
  fill.value = 5;
  fill.elementSize = 4;
  fill.width = 4;
  fill.height = 1;
  SAY(cudaGraphAddMemsetNode(&set, graph, nullptr, 0, &fill));
  SAY(cudaGraphAddMemcpyNode1D(&copy, graph, &set, 1, host, p, 16, cudaMemcpyDeviceToHost));
  cudaHostNodeParams on_host{tell, &one};
  SAY(cudaGraphAddHostNode(&call, graph, &copy, 1, &on_host));
  SAY(cudaGraphAddEventRecordNode(&recorded, graph, &call, 1, event));
  SAY(cudaGraphAddEventWaitNode(&waited, graph, &recorded, 1, event));
  cudaGraphNodeType type{};
  SAY(cudaGraphNodeGetType(recorded, &type));
  SHOW(type);
  SAY(cudaGraphNodeGetType(waited, &type));
  SHOW(type);
  cudaHostNodeParams host_read{};
  SAY(cudaGraphHostNodeGetParams(call, &host_read));
  SHOW(host_read.userData == &one);
  SAY(cudaGraphHostNodeGetParams(set, &host_read));
  cudaMemsetParams fill_read{};
  SAY(cudaGraphMemsetNodeGetParams(set, &fill_read));
  SHOW(fill_read.value); SHOW(fill_read.width); SHOW(fill_read.elementSize);
  SAY(cudaGraphInstantiate(&exec, graph, 0));
  SAY(cudaGraphLaunch(exec, nullptr));
  SAY(cudaEventSynchronize(event));
  SAY(cudaDeviceSynchronize());
  SHOW(host[3]); SHOW(told);
  fill.value = 6;
  on_host.userData = &hundred;
  SAY(cudaGraphExecMemsetNodeSetParams(exec, set, &fill));
  SAY(cudaGraphExecMemcpyNodeSetParams1D(exec, copy, other, p, 16, cudaMemcpyDeviceToHost));
  SAY(cudaGraphExecHostNodeSetParams(exec, call, &on_host));
  SAY(cudaGraphExecHostNodeSetParams(exec, set, &on_host));
  SAY(cudaGraphLaunch(exec, nullptr));
  SAY(cudaDeviceSynchronize());
  SHOW(host[3]); SHOW(other[3]); SHOW(told);
  fill.value = 8;
  SAY(cudaGraphMemsetNodeSetParams(set, &fill));
  SAY(cudaGraphMemcpyNodeSetParams1D(copy, other, p, 8, cudaMemcpyDeviceToHost));
  SAY(cudaGraphHostNodeSetParams(call, &on_host));
  SAY(cudaGraphMemsetNodeSetParams(copy, &fill));
  SAY(cudaGraphExecDestroy(exec));
  SAY(cudaGraphInstantiate(&exec, graph, 0));
  SAY(cudaGraphLaunch(exec, nullptr));
  SAY(cudaDeviceSynchronize());
  SHOW(other[1]); SHOW(other[3]); SHOW(told);
  SAY(cudaGraphExecDestroy(exec));
  SAY(cudaGraphDestroy(graph));
}

/// A stream that joined a capture and was waited for may be destroyed before the capture ends.
void streams_in_captures() {
  cudaStream_t origin = nullptr, side = nullptr;
  cudaEvent_t begun = nullptr, done = nullptr;
  cudaGraph_t graph = nullptr;
  size_t count = 0;
  int* p = nullptr;
  SAY(cudaMalloc(&p, 16));
  SAY(cudaStreamCreateWithFlags(&origin, cudaStreamNonBlocking));
  SAY(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
  SAY(cudaEventCreate(&begun));
  SAY(cudaEventCreate(&done));
  SAY(cudaStreamBeginCapture(origin, cudaStreamCaptureModeGlobal));
  SAY(cudaEventRecord(begun, origin));
  SAY(cudaStreamWaitEvent(side, begun, 0));
  SAY(cudaMemsetAsync(p, 0, 16, side));
  SAY(cudaEventRecord(done, side));
  SAY(cudaStreamWaitEvent(origin, done, 0));
  SAY(cudaStreamDestroy(side));
  SAY(cudaStreamEndCapture(origin, &graph));
  SAY(cudaGraphGetNodes(graph, nullptr, &count));
  SHOW(count);
}

int main() {
  in_a_process("memory nodes", memory_nodes);
  in_a_process("changes", changes);
  in_a_process("streams in captures", streams_in_captures);
}
