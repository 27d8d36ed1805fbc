// Streams, events, capture and graphs, devices and limits: right and wrong calls.
#include "say.hpp"

__global__ void add(int* p, int n) { p[threadIdx.x] += n; }
void CUDART_CB host_function(void* data) { ++*static_cast<int*>(data); }
void CUDART_CB callback(cudaStream_t, cudaError_t status, void* data) { *static_cast<int*>(data) += 10 + status; }

void streams() {
  std::printf("streams\n");
  cudaStream_t s = nullptr;
  unsigned flags = 9;
  int priority = 9, calls = 0;
  SAY(cudaStreamCreate(nullptr));
  SAY(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  SAY(cudaStreamGetFlags(s, &flags));
  SHOW(flags);
  SAY(cudaStreamGetPriority(s, &priority));
  SHOW(priority);
  SAY(cudaStreamDestroy(s));
  SAY(cudaStreamCreateWithFlags(&s, 5));
  SAY(cudaStreamCreateWithPriority(&s, 0, -100));
  SAY(cudaStreamGetPriority(s, &priority));
  SHOW(priority);
  SAY(cudaStreamCreateWithPriority(&s, 0, 100));
  SAY(cudaStreamGetPriority(s, &priority));
  SHOW(priority);
  SAY(cudaStreamSynchronize(0));
  SAY(cudaStreamSynchronize(cudaStreamPerThread));
  SAY(cudaStreamQuery(cudaStreamLegacy));
  SAY(cudaStreamGetFlags(0, &flags));
  SHOW(flags);
  SAY(cudaStreamDestroy(0));
  SAY(cudaStreamDestroy(cudaStreamLegacy));
  SAY(cudaLaunchHostFunc(s, host_function, &calls));
  SAY(cudaStreamAddCallback(s, callback, &calls, 0));
  SAY(cudaStreamAddCallback(s, callback, &calls, 1));
  SAY(cudaStreamAddCallback(s, nullptr, &calls, 0));
  SAY(cudaStreamSynchronize(s));
  SHOW(calls);
  SAY(cudaGetLastError());
  SAY(cudaStreamQuery(s));
  SAY(cudaStreamDestroy(s));
}

void events() {
  std::printf("events\n");
  cudaEvent_t e = nullptr, f = nullptr, untimed = nullptr;
  float ms = -1;
  SAY(cudaEventCreate(nullptr));
  SAY(cudaEventCreate(&e));
  SAY(cudaEventCreate(&f));
  SAY(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  cudaEvent_t bad = nullptr;
  SAY(cudaEventCreateWithFlags(&bad, 0x100));
  SAY(cudaEventCreateWithFlags(&bad, cudaEventInterprocess));
  SAY(cudaGetLastError());
  SAY(cudaEventQuery(e));
  SAY(cudaEventSynchronize(e));
  SAY(cudaEventElapsedTime(&ms, e, f));
  SAY(cudaEventRecord(e));
  SAY(cudaEventElapsedTime(&ms, e, f));
  SAY(cudaEventSynchronize(e));
  SAY(cudaEventElapsedTime(&ms, e, f));
  SAY(cudaEventRecord(f));
  SAY(cudaEventSynchronize(f));
  SAY(cudaEventElapsedTime(&ms, e, f));
  SHOW(ms >= 0 && ms < 1000);
  SAY(cudaEventElapsedTime(&ms, f, e));
  SHOW(ms <= 0 && ms > -1000);
  SAY(cudaEventElapsedTime(&ms, e, e));
  SHOW(ms == 0);
  SAY(cudaEventElapsedTime(nullptr, e, f));
  SAY(cudaEventRecord(untimed));
  SAY(cudaEventSynchronize(untimed));
  SAY(cudaEventElapsedTime(&ms, e, untimed));
  SAY(cudaEventQuery(nullptr));
  SAY(cudaEventRecord(nullptr));
  SAY(cudaEventSynchronize(nullptr));
  SAY(cudaEventDestroy(nullptr));
  SAY(cudaStreamWaitEvent(0, e, 0));
  SAY(cudaStreamWaitEvent(0, nullptr, 0));
  SAY(cudaStreamWaitEvent(0, e, 5));
  SAY(cudaEventDestroy(e));
  SAY(cudaGetLastError());
}

void devices() {
  std::printf("devices\n");
  int value = 0;
  size_t bytes = 0;
  cudaDeviceProp properties{};
  SAY(cudaSetDevice(1000));
  SAY(cudaSetDevice(-1));
  SAY(cudaGetDevice(nullptr));
  SAY(cudaGetDeviceCount(nullptr));
  SAY(cudaGetDeviceProperties(&properties, 1000));
  SAY(cudaGetDeviceProperties(nullptr, 0));
  SAY(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 1000));
  SAY(cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0));
  SAY(cudaDeviceCanAccessPeer(&value, 0, 0));
  SHOW(value);
  SAY(cudaDeviceCanAccessPeer(&value, 0, 1000));
  SAY(cudaDeviceEnablePeerAccess(0, 0));
  SAY(cudaDeviceDisablePeerAccess(0));
  SAY(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
  SAY(cudaDeviceGetLimit(&bytes, cudaLimitStackSize));
  SHOW(bytes);
  SAY(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
  SAY(cudaDeviceGetLimit(&bytes, cudaLimitMallocHeapSize));
  SHOW(bytes);
  SAY(cudaDeviceSetLimit(static_cast<cudaLimit>(77), 1));
  SAY(cudaDeviceGetLimit(&bytes, static_cast<cudaLimit>(77)));
  SAY(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
  cudaFuncCache cache{};
  SAY(cudaDeviceGetCacheConfig(&cache));
  SHOW(cache);
  SAY(cudaFuncSetCacheConfig(add, cudaFuncCachePreferShared));
  SAY(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
  unsigned flags = 0;
  SAY(cudaGetDeviceFlags(&flags));
  SHOW(flags);
  SAY(cudaSetDeviceFlags(0x1000));
  std::printf("  %s %s\n", cudaGetErrorName(static_cast<cudaError_t>(12345)), cudaGetErrorString(static_cast<cudaError_t>(12345)));
  SAY(cudaGetLastError());
}

void capture() {
  std::printf("capture\n");
  cudaStream_t s, t;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaStreamCaptureStatus status{};
  cudaEvent_t fork_event, join_event;
  int *p = nullptr, host[32] = {};
  void* q = nullptr;
  size_t nodes = 0;
  SAY(cudaStreamCreate(&s));
  SAY(cudaStreamCreate(&t));
  SAY(cudaEventCreateWithFlags(&fork_event, cudaEventDisableTiming));
  SAY(cudaEventCreateWithFlags(&join_event, cudaEventDisableTiming));
  SAY(cudaMalloc(&p, 128));
  SAY(cudaMemset(p, 0, 128));
  SAY(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal));
  SAY(cudaStreamEndCapture(s, &graph));
  SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  SAY(cudaStreamIsCapturing(s, &status));
  SHOW(status);
  add<<<1, 32, 0, s>>>(p, 1);
  SAY(cudaEventRecord(fork_event, s));
  SAY(cudaStreamWaitEvent(t, fork_event, 0));
  add<<<1, 32, 0, t>>>(p, 2);
  SAY(cudaEventRecord(join_event, t));
  SAY(cudaStreamWaitEvent(s, join_event, 0));
  SAY(cudaMemcpyAsync(host, p, 128, cudaMemcpyDeviceToHost, s));
  SAY(cudaStreamEndCapture(s, &graph));
  SHOW(host[0]);
  SAY(cudaGraphGetNodes(graph, nullptr, &nodes));
  SHOW(nodes);
  SAY(cudaGraphInstantiate(&exec, graph, 0));
  SAY(cudaGraphLaunch(exec, s));
  SAY(cudaGraphLaunch(exec, s));
  SAY(cudaStreamSynchronize(s));
  SHOW(host[0]);
  SAY(cudaGraphExecDestroy(exec));
  SAY(cudaGraphDestroy(graph));
  SAY(cudaGetLastError());
  std::printf("calls that end a capture\n");
  SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  SAY(cudaMalloc(&q, 16));
  SAY(cudaStreamIsCapturing(s, &status));
  SHOW(status);
  SAY(cudaStreamEndCapture(s, &graph));
  SHOW(graph == nullptr);
  SAY(cudaGetLastError());
  SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  SAY(cudaStreamSynchronize(s));
  SAY(cudaStreamIsCapturing(s, &status));
  SHOW(status);
  SAY(cudaStreamEndCapture(s, &graph));
  SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
  SAY(cudaMalloc(&q, 16));
  SAY(cudaMemcpy(p, host, 16, cudaMemcpyHostToDevice));
  SAY(cudaStreamIsCapturing(s, &status));
  SHOW(status);
  SAY(cudaStreamEndCapture(s, &graph));
  SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
  SAY(cudaDeviceSynchronize());
  SAY(cudaStreamEndCapture(s, &graph));
  SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
  SAY(cudaStreamEndCapture(s, &graph));
  SAY(cudaGraphInstantiate(&exec, graph, 0));
  SAY(cudaGraphLaunch(exec, s));
  SAY(cudaGraphLaunch(nullptr, s));
  SAY(cudaGraphInstantiate(&exec, nullptr, 0));
  SAY(cudaGetLastError());
}

void pools() {
  std::printf("pools\n");
  cudaStream_t s;
  void* p = nullptr;
  unsigned long long value = 1;
  cudaMemPool_t pool = nullptr;
  SAY(cudaStreamCreate(&s));
  SAY(cudaMallocAsync(&p, 1000, s));
  SAY(cudaMemsetAsync(p, 0, 1000, s));
  SAY(cudaFreeAsync(p, s));
  SAY(cudaStreamSynchronize(s));
  SAY(cudaMallocAsync(&p, 1000, s));
  SAY(cudaFree(p));
  SAY(cudaFreeAsync(p, s));
  SAY(cudaFreeAsync(nullptr, s));
  SAY(cudaMallocAsync(&p, 0, s));
  SHOW(p == nullptr);
  SAY(cudaMallocAsync(&p, size_t{1} << 50, s));
  SAY(cudaGetLastError());
  SAY(cudaDeviceGetDefaultMemPool(&pool, 0));
  for (int attribute = 0; attribute <= 9; ++attribute) {
    value = 77;
    std::printf("  attribute %d\n", attribute);
    SAY(cudaMemPoolGetAttribute(pool, static_cast<cudaMemPoolAttr>(attribute), &value));
    if (attribute <= 4) SHOW(value);
  }
  value = ~0ull;
  SAY(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &value));
  SAY(cudaMemPoolTrimTo(pool, 0));
  SAY(cudaMemPoolDestroy(pool));
  cudaMemPoolProps props{};
  props.allocType = cudaMemAllocationTypePinned;
  props.location = {cudaMemLocationTypeDevice, 0};
  SAY(cudaMemPoolCreate(&pool, &props));
  SAY(cudaMallocFromPoolAsync(&p, 1000, pool, s));
  SAY(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &value));
  SHOW(value);
  SAY(cudaFreeAsync(p, s));
  SAY(cudaStreamSynchronize(s));
  SAY(cudaMemPoolDestroy(pool));
  props.allocType = cudaMemAllocationTypeInvalid;
  SAY(cudaMemPoolCreate(&pool, &props));
  SAY(cudaGetLastError());
}

void managed() {
  std::printf("managed memory\n");
  int* p = nullptr;
  int value = 0;
  SAY(cudaMallocManaged(&p, 1 << 20));
  cudaMemLocation device{cudaMemLocationTypeDevice, 0}, host{cudaMemLocationTypeHost, 0}, wrong{cudaMemLocationTypeDevice, 1000};
  SAY(cudaMemPrefetchAsync(p, 1 << 20, device, 0, 0));
  SAY(cudaMemPrefetchAsync(p, 1 << 20, host, 0, 0));
  SAY(cudaMemPrefetchAsync(p, 1 << 20, wrong, 0, 0));
  SAY(cudaMemPrefetchAsync(&value, 4, device, 0, 0));
  SAY(cudaMemAdvise(p, 1 << 20, cudaMemAdviseSetReadMostly, device));
  SAY(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeReadMostly, p, 1 << 20));
  SHOW(value);
  SAY(cudaMemAdvise(p, 1 << 20, static_cast<cudaMemoryAdvise>(99), device));
  SAY(cudaStreamAttachMemAsync(0, p, 0, cudaMemAttachGlobal));
  p[0] = 40;
  add<<<1, 1>>>(p, 2);
  SAY(cudaDeviceSynchronize());
  SHOW(p[0]);
  SAY(cudaFree(p));
}

int main() {
  streams();
  events();
  devices();
  capture();
  pools();
  managed();
}
