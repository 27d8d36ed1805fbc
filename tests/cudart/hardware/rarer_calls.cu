// Calls that programs make less often, right and wrong.
#include <cuda_profiler_api.h>

#include "say.hpp"

__device__ int variable[4];
__global__ void add(int* p, int n) { p[threadIdx.x] += n; }

void devices() {
  std::printf("devices\n");
  int device = 9, value = 9;
  char text[32] = "";
  cudaDeviceProp properties{};
  SAY(cudaChooseDevice(&device, &properties));
  SHOW(device);
  SAY(cudaChooseDevice(nullptr, &properties));
  SAY(cudaInitDevice(0, 0, 0));
  SAY(cudaInitDevice(1000, 0, 0));
  int list[] = {0};
  SAY(cudaSetValidDevices(list, 1));
  SAY(cudaDeviceGetPCIBusId(text, sizeof text, 0));
  SHOW(std::strlen(text));
  SAY(cudaDeviceGetByPCIBusId(&device, text));
  SHOW(device);
  SAY(cudaDeviceGetPCIBusId(text, 4, 0));
  SAY(cudaDeviceGetPCIBusId(text, sizeof text, 1000));
  SAY(cudaDeviceGetByPCIBusId(&device, "0000:ff:1f.0"));
  SAY(cudaDeviceGetByPCIBusId(&device, "nonsense"));
  SAY(cudaDriverGetVersion(&value));
  SHOW(value);
  SAY(cudaDriverGetVersion(nullptr));
  SAY(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 0));
  SAY(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 1000));
  SAY(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte));
  cudaSharedMemConfig shared{};
  SAY(cudaDeviceGetSharedMemConfig(&shared));
  SHOW(shared);
  SAY(cudaFuncSetSharedMemConfig(reinterpret_cast<const void*>(add), cudaSharedMemBankSizeFourByte));
  SAY(cudaFuncSetCacheConfig(reinterpret_cast<const void*>(add), static_cast<cudaFuncCache>(9)));
  SAY(cudaCtxResetPersistingL2Cache());
  SAY(cudaDeviceFlushGPUDirectRDMAWrites(cudaFlushGPUDirectRDMAWritesTargetCurrentDevice, cudaFlushGPUDirectRDMAWritesToOwner));
  SAY(cudaProfilerStart());
  SAY(cudaProfilerStop());
  int blocks = 0;
  SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, add, 128, 0, cudaOccupancyDisableCachingOverride));
  SHOW(blocks);
  SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, add, 128, 0, 8));
  cudaKernel_t kernel = nullptr;
  SAY(cudaGetKernel(&kernel, reinterpret_cast<const void*>(add)));
  SAY(cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000, 0));
  SAY(cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000, 1000));
  cudaFuncAttributes attributes{};
  SAY(cudaFuncGetAttributes(&attributes, add));
  SHOW(attributes.maxDynamicSharedSizeBytes);
  SAY(cudaGetLastError());
}

void copies() {
  std::printf("copies\n");
  unsigned char *p = nullptr, *q = nullptr, host[64], back[64];
  cudaStream_t s;
  for (int i = 0; i < 64; ++i) host[i] = static_cast<unsigned char>(i);
  SAY(cudaMalloc(&p, 64));
  SAY(cudaMalloc(&q, 64));
  SAY(cudaStreamCreate(&s));
  SAY(cudaMemset(p, 0, 64));
  SAY(cudaMemcpy2DAsync(p, 16, host, 8, 4, 3, cudaMemcpyHostToDevice, s));
  SAY(cudaMemcpyPeer(q, 0, p, 0, 64));
  SAY(cudaMemcpyPeer(q, 0, p, 1000, 64));
  SAY(cudaMemcpyPeerAsync(q, 0, p, 0, 64, s));
  SAY(cudaMemcpyAsync(back, q, 64, cudaMemcpyDeviceToHost, s));
  SAY(cudaStreamSynchronize(s));
  SHOW(back[3]); SHOW(back[4]); SHOW(back[16]); SHOW(back[34]);
  cudaMemcpy3DParms parms{};
  parms.srcPtr = make_cudaPitchedPtr(host, 8, 8, 2);
  parms.dstPtr = make_cudaPitchedPtr(p, 16, 16, 2);
  parms.extent = make_cudaExtent(8, 2, 2);
  parms.kind = cudaMemcpyHostToDevice;
  SAY(cudaMemcpy3DAsync(&parms, s));
  cudaMemcpy3DPeerParms peer{};
  peer.srcPtr = make_cudaPitchedPtr(p, 16, 16, 2);
  peer.dstPtr = make_cudaPitchedPtr(q, 16, 16, 2);
  peer.extent = make_cudaExtent(16, 2, 2);
  SAY(cudaMemcpy3DPeer(&peer));
  SAY(cudaMemcpy3DPeerAsync(&peer, s));
  peer.srcDevice = 1000;
  SAY(cudaMemcpy3DPeer(&peer));
  SAY(cudaMemcpyAsync(back, q, 64, cudaMemcpyDeviceToHost, s));
  SAY(cudaStreamSynchronize(s));
  SHOW(back[7]); SHOW(back[16]); SHOW(back[32]); SHOW(back[55]);
  SAY(cudaMemset2DAsync(p, 16, 7, 3, 2, s));
  SAY(cudaMemset3DAsync(make_cudaPitchedPtr(p, 16, 16, 2), 9, make_cudaExtent(2, 1, 2), s));
  SAY(cudaMemcpyAsync(back, p, 64, cudaMemcpyDeviceToHost, s));
  SAY(cudaStreamSynchronize(s));
  SHOW(back[0]); SHOW(back[2]); SHOW(back[18]); SHOW(back[32]); SHOW(back[34]);
  int four[4] = {1, 2, 3, 4}, out[4] = {};
  SAY(cudaMemcpyToSymbolAsync(variable, four, 16, 0, cudaMemcpyHostToDevice, s));
  SAY(cudaMemcpyFromSymbolAsync(out, variable, 8, 8, cudaMemcpyDeviceToHost, s));
  SAY(cudaStreamSynchronize(s));
  SHOW(out[0]); SHOW(out[1]); SHOW(out[2]);
  SAY(cudaGetLastError());
}

void streams() {
  std::printf("streams\n");
  cudaStream_t s, t;
  int device = 9, calls = 0;
  unsigned long long first = 0, second = 0, id = 0;
  SAY(cudaStreamCreate(&s));
  SAY(cudaStreamCreate(&t));
  SAY(cudaStreamGetDevice(s, &device));
  SHOW(device);
  SAY(cudaStreamGetId(s, &first));
  SAY(cudaStreamGetId(t, &second));
  SHOW(first != second);
  cudaLaunchAttributeValue value{}, copy{};
  value.syncPolicy = cudaSyncPolicySpin;
  SAY(cudaStreamSetAttribute(s, cudaLaunchAttributeSynchronizationPolicy, &value));
  SAY(cudaStreamCopyAttributes(t, s));
  SAY(cudaStreamGetAttribute(t, cudaLaunchAttributeSynchronizationPolicy, &copy));
  SHOW(copy.syncPolicy);
  cudaEvent_t e;
  SAY(cudaEventCreate(&e));
  SAY(cudaEventRecordWithFlags(e, s, cudaEventRecordDefault));
  SAY(cudaEventRecordWithFlags(e, s, 9));
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  SAY(cudaThreadExchangeStreamCaptureMode(&mode));
  SHOW(mode);
  SAY(cudaThreadExchangeStreamCaptureMode(&mode));
  SHOW(mode);
  auto count = [](void* data) { ++*static_cast<int*>(data); };
  cudaGraph_t graph = nullptr, captured = nullptr;
  cudaStreamCaptureStatus status{};
  const cudaGraphNode_t* after = nullptr;
  size_t nodes = 9;
  SAY(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t empty;
  SAY(cudaGraphAddEmptyNode(&empty, graph, nullptr, 0));
  SAY(cudaStreamGetCaptureInfo(s, &status));
  SHOW(status);
  SAY(cudaStreamBeginCaptureToGraph(s, graph, &empty, nullptr, 1, cudaStreamCaptureModeGlobal));
  SAY(cudaLaunchHostFunc(s, count, &calls));
  SAY(cudaStreamGetCaptureInfo(s, &status, &id, &captured, &after, nullptr, &nodes));
  SHOW(status); SHOW(id != 0); SHOW(captured == graph); SHOW(nodes);
  SAY(cudaStreamUpdateCaptureDependencies(s, &empty, nullptr, 1, cudaStreamSetCaptureDependencies));
  SAY(cudaLaunchHostFunc(s, count, &calls));
  SAY(cudaStreamEndCapture(s, &captured));
  SHOW(captured == graph);
  size_t edges = 0;
  SAY(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
  SHOW(edges);
  SAY(cudaStreamUpdateCaptureDependencies(s, &empty, nullptr, 1, cudaStreamSetCaptureDependencies));
  cudaGraphExec_t exec;
  SAY(cudaGraphInstantiateWithFlags(&exec, graph, 0));
  SAY(cudaGraphUpload(exec, s));
  SAY(cudaGraphLaunch(exec, s));
  SAY(cudaStreamSynchronize(s));
  SHOW(calls);
  SAY(cudaGetLastError());
}

void graphs() {
  std::printf("graphs\n");
  int *p = nullptr, host[4] = {1, 2, 3, 4}, out[4] = {}, ten = 10, twenty = 20;
  cudaGraph_t graph, child, clone;
  cudaGraphNode_t in, kernel_node, child_node, out_node, spare;
  SAY(cudaMalloc(&p, 16));
  SAY(cudaGraphCreate(&child, 0));
  cudaKernelNodeParams kernel{};
  void* arguments[] = {&p, &ten};
  kernel.func = reinterpret_cast<void*>(add);
  kernel.gridDim = dim3(1);
  kernel.blockDim = dim3(4);
  kernel.kernelParams = arguments;
  SAY(cudaGraphAddKernelNode(&kernel_node, child, nullptr, 0, &kernel));
  SAY(cudaGraphCreate(&graph, 0));
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(host, 16, 4, 1);
  copy.dstPtr = make_cudaPitchedPtr(p, 16, 4, 1);
  copy.extent = make_cudaExtent(16, 1, 1);
  copy.kind = cudaMemcpyHostToDevice;
  SAY(cudaGraphAddMemcpyNode(&in, graph, nullptr, 0, &copy));
  SAY(cudaGraphAddChildGraphNode(&child_node, graph, &in, 1, child));
  SAY(cudaGraphAddMemcpyNode1D(&out_node, graph, &child_node, 1, out, p, 16, cudaMemcpyDeviceToHost));
  cudaGraphNodeType type{};
  SAY(cudaGraphNodeGetType(child_node, &type));
  SHOW(type);
  SAY(cudaGraphNodeGetType(in, &type));
  SHOW(type);
  SAY(cudaGraphClone(&clone, graph));
  cudaGraphExec_t exec;
  cudaGraphInstantiateParams params{};
  SAY(cudaGraphInstantiateWithParams(&exec, clone, &params));
  SHOW(params.result_out);
  SAY(cudaGraphLaunch(exec, 0));
  SAY(cudaDeviceSynchronize());
  SHOW(out[0]); SHOW(out[3]);
  arguments[1] = &twenty;
  SAY(cudaGraphKernelNodeSetParams(kernel_node, &kernel));
  SAY(cudaGraphKernelNodeSetParams(in, &kernel));
  cudaGraph_t other;
  SAY(cudaGraphCreate(&other, 0));
  SAY(cudaGraphAddEmptyNode(&spare, other, nullptr, 0));
  cudaGraphExecUpdateResultInfo info{};
  SAY(cudaGraphExecUpdate(exec, other, &info));
  SHOW(info.result != cudaGraphExecUpdateSuccess);
  SAY(cudaGraphExecUpdate(exec, graph, &info));
  SHOW(info.result);
  SAY(cudaGraphAddChildGraphNode(&child_node, graph, nullptr, 0, nullptr));
  SAY(cudaGraphAddHostNode(&spare, graph, nullptr, 0, nullptr));
  SAY(cudaGraphExecDestroy(exec));
  SAY(cudaGraphDestroy(clone));
  SAY(cudaGraphDestroy(graph));
  SAY(cudaGetLastError());
}

void pools() {
  std::printf("pools\n");
  cudaMemPool_t standard = nullptr, current = nullptr, made = nullptr;
  cudaMemLocation here{cudaMemLocationTypeDevice, 0};
  SAY(cudaDeviceGetMemPool(&current, 0));
  SAY(cudaMemGetDefaultMemPool(&standard, &here, cudaMemAllocationTypePinned));
  SHOW(current == standard);
  cudaMemPoolProps props{};
  props.allocType = cudaMemAllocationTypePinned;
  props.location = here;
  SAY(cudaMemPoolCreate(&made, &props));
  SAY(cudaDeviceSetMemPool(0, made));
  SAY(cudaMemGetMemPool(&current, &here, cudaMemAllocationTypePinned));
  SHOW(current == made);
  SAY(cudaMemSetMemPool(&here, cudaMemAllocationTypePinned, standard));
  SAY(cudaDeviceGetMemPool(&current, 0));
  SHOW(current == standard);
  cudaMemAccessFlags flags{};
  SAY(cudaMemPoolGetAccess(&flags, made, &here));
  SHOW(flags);
  cudaMemAccessDesc access{here, cudaMemAccessFlagsProtReadWrite};
  SAY(cudaMemPoolSetAccess(made, &access, 1));
  access.location.id = 1000;
  SAY(cudaMemPoolSetAccess(made, &access, 1));
  int *p = nullptr, read_mostly = 9, preferred = 9;
  SAY(cudaMallocManaged(&p, 4096));
  void* data[] = {&read_mostly, &preferred};
  size_t sizes[] = {4, 4};
  cudaMemRangeAttribute attributes[] = {cudaMemRangeAttributeReadMostly, cudaMemRangeAttributePreferredLocation};
  SAY(cudaMemRangeGetAttributes(data, sizes, attributes, 2, p, 4096));
  SHOW(read_mostly); SHOW(preferred);
  SAY(cudaMemRangeGetAttributes(nullptr, sizes, attributes, 2, p, 4096));
  SAY(cudaGetLastError());
}

/// Several copies or prefetches in one call.
void batches() {
  std::printf("batches\n");
  cudaStream_t stream = nullptr;
  int *p = nullptr, *q = nullptr, *managed = nullptr, host[4] = {1, 2, 3, 4}, back[4] = {};
  SAY(cudaStreamCreate(&stream));
  SAY(cudaMalloc(&p, 16));
  SAY(cudaMalloc(&q, 16));
  SAY(cudaMallocManaged(&managed, 4096));
  cudaMemcpyAttributes attributes[2]{};
  attributes[0].srcAccessOrder = cudaMemcpySrcAccessOrderDuringApiCall;
  attributes[1].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  size_t first[2] = {0, 1}, sizes[2] = {16, 8}, zero[2] = {16, 0}, wrong[2] = {0, 2}, backwards[2] = {1, 0};
  void* to[2] = {p, q};
  const void* from[2] = {host, host + 2};
  SAY(cudaMemcpyBatchAsync(to, from, sizes, 2, attributes, first, 2, stream));
  SAY(cudaStreamSynchronize(stream));
  SAY(cudaMemcpy(back, p, 16, cudaMemcpyDeviceToHost));
  SHOW(back[0]); SHOW(back[3]);
  SAY(cudaMemcpy(back, q, 8, cudaMemcpyDeviceToHost));
  SHOW(back[0]); SHOW(back[1]);
  SAY(cudaMemcpyBatchAsync(to, from, sizes, 2, attributes, first, 1, stream));
  SAY(cudaMemcpyBatchAsync(to, from, sizes, 2, attributes, first, 2, nullptr));
  SAY(cudaMemcpyBatchAsync(to, from, sizes, 0, attributes, first, 1, stream));
  SAY(cudaMemcpyBatchAsync(to, from, sizes, 2, attributes, first, 0, stream));
  SAY(cudaMemcpyBatchAsync(to, from, zero, 2, attributes, first, 2, stream));
  SAY(cudaMemcpyBatchAsync(to, from, sizes, 2, attributes, wrong, 2, stream));
  SAY(cudaMemcpyBatchAsync(to, from, sizes, 2, attributes, backwards, 2, stream));
  SAY(cudaMemcpyBatchAsync(nullptr, from, sizes, 2, attributes, first, 2, stream));
  SAY(cudaMemcpyBatchAsync(to, from, sizes, 2, nullptr, first, 2, stream));
  attributes[1].srcAccessOrder = cudaMemcpySrcAccessOrderInvalid;
  SAY(cudaMemcpyBatchAsync(to, from, sizes, 2, attributes, first, 2, stream));
  attributes[1].srcAccessOrder = cudaMemcpySrcAccessOrderAny;
  attributes[1].flags = 2;
  SAY(cudaMemcpyBatchAsync(to, from, sizes, 2, attributes, first, 2, stream));
  cudaMemLocation location{cudaMemLocationTypeDevice, 0};
  void* list[1] = {managed};
  size_t bytes[1] = {4096}, at[1] = {0};
  SAY(cudaMemPrefetchBatchAsync(list, bytes, 1, &location, at, 1, 0, stream));
  SAY(cudaMemPrefetchBatchAsync(list, bytes, 1, &location, at, 1, 1, stream));
  SAY(cudaMemPrefetchBatchAsync(to, sizes, 1, &location, at, 1, 0, stream));
  SAY(cudaMemDiscardBatchAsync(list, bytes, 1, 0, stream));
  SAY(cudaMemDiscardAndPrefetchBatchAsync(list, bytes, 1, &location, at, 1, 0, stream));
  SAY(cudaStreamSynchronize(stream));
  SAY(cudaGetLastError());
}

/// Libraries of kernels stand beside the program: NAME.fatbin, NAME.cubin, NAME.ptx.
void libraries() {
  std::printf("libraries\n");
  char path[4096] = "";
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 32);
  for (const char* kind : {".fatbin", ".cubin", ".ptx"}) {
    std::printf("  a %s file\n", kind);
    std::strcpy(std::strrchr(path, '/') + 1, "library");
    std::strcat(path, kind);
    std::FILE* file = std::fopen(path, "rb");
    static char bytes[1 << 20];
    const size_t size = file == nullptr ? 0 : std::fread(bytes, 1, sizeof bytes - 1, file);
    if (file != nullptr) std::fclose(file);
    SHOW(size > 100);
    bytes[size] = 0;
    cudaLibrary_t from_file = nullptr, from_memory = nullptr;
    SAY(cudaLibraryLoadFromFile(&from_file, path, nullptr, nullptr, 0, nullptr, nullptr, 0));
    SAY(cudaLibraryLoadData(&from_memory, bytes, nullptr, nullptr, 0, nullptr, nullptr, 0));
    for (cudaLibrary_t library : {from_file, from_memory}) {
      unsigned count = 9;
      cudaKernel_t kernel = nullptr, list[4] = {};
      SAY(cudaLibraryGetKernelCount(&count, library));
      SHOW(count);
      SAY(cudaLibraryEnumerateKernels(list, 4, library));
      SAY(cudaLibraryGetKernel(&kernel, library, "scale"));
      SAY(cudaLibraryGetKernel(&list[3], library, "no_such_kernel"));
      int *p = nullptr, host[4] = {1, 2, 3, 4}, n = 5;
      cudaMalloc(&p, 16);
      cudaMemcpy(p, host, 16, cudaMemcpyHostToDevice);
      int* factor = nullptr;
      size_t factor_bytes = 0;
      SAY(cudaLibraryGetGlobal(reinterpret_cast<void**>(&factor), &factor_bytes, library, "factor"));
      SHOW(factor_bytes);
      SAY(cudaLibraryGetGlobal(reinterpret_cast<void**>(&factor), &factor_bytes, library, "no_such_variable"));
      void* arguments[] = {&p, &n};
      SAY(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(1), dim3(4), arguments, 0, 0));
      SAY(cudaMemcpy(host, p, 16, cudaMemcpyDeviceToHost));
      SHOW(host[0]); SHOW(host[3]);
      SAY(cudaLibraryUnload(library));
    }
  }
  cudaLibrary_t library = nullptr;
  SAY(cudaLibraryLoadFromFile(&library, "no/such/file", nullptr, nullptr, 0, nullptr, nullptr, 0));
  SAY(cudaLibraryLoadData(&library, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0));
  SAY(cudaGetLastError());
  (void)length;
}

int main() {
  devices();
  copies();
  streams();
  graphs();
  pools();
  batches();
  libraries();
}
