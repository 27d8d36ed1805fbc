// Linked with -lcuda: driver functions beside the runtime, and one that lanebank does not have.
#include <cuda.h>
#include <cuda_runtime.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

__global__ void add(int* p, int n) { p[threadIdx.x] += n; }

static int failures = 0;
#define CHECK(condition) \
  do { if (!(condition)) { ++failures; std::printf("line %d: %s\n", __LINE__, #condition); } } while (0)
#define OK(call) CHECK((call) == CUDA_SUCCESS)

static void devices() {
  int count = 0, major = 0, version = 0;
  CUdevice device = -1, current = -1;
  CUcontext context = nullptr, primary = nullptr;
  char name[64] = "";
  size_t total = 0, free_bytes = 0, all_bytes = 0;
  OK(cuInit(0));
  CHECK(cuInit(1) == CUDA_ERROR_INVALID_VALUE);
  OK(cuDriverGetVersion(&version));
  CHECK(version >= 13000);
  OK(cuDeviceGetCount(&count));
  OK(cuDeviceGet(&device, 0));
  CHECK(cuDeviceGet(&current, 7) == CUDA_ERROR_INVALID_DEVICE);
  OK(cuDeviceGetName(name, sizeof name, device));
  OK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
  OK(cuDeviceTotalMem(&total, device));
  OK(cuDevicePrimaryCtxRetain(&primary, device));
  OK(cuCtxSetCurrent(primary));
  OK(cuMemGetInfo(&free_bytes, &all_bytes));
  CHECK(total == all_bytes && free_bytes < total);
  OK(cuCtxGetCurrent(&context));
  CHECK(context != nullptr && context == primary);
  OK(cuCtxGetDevice(&current));
  CHECK(current == device);
  OK(cuDevicePrimaryCtxRelease(device));
  std::printf("%d x %s, %d.x\n", count, name, major);
}

static void memory() {
  CUdeviceptr p = 0, q = 0;
  CUstream stream = nullptr;
  int host[4] = {1, 2, 3, 4};
  OK(cuMemAlloc(&p, sizeof host));
  OK(cuMemAlloc(&q, sizeof host));
  CHECK(cuMemAlloc(&q, 0) == CUDA_ERROR_INVALID_VALUE);
  OK(cuMemcpyHtoD(p, host, sizeof host));
  add<<<1, 4>>>(reinterpret_cast<int*>(p), 10);
  OK(cuMemcpyDtoD(q, p, sizeof host));
  OK(cuMemcpyDtoH(host, q, sizeof host));
  CHECK(host[0] == 11 && host[3] == 14);
  OK(cuStreamCreate(&stream, 0));
  host[0] = 5;
  OK(cuMemcpyHtoDAsync(p, host, sizeof host, stream));
  OK(cuMemcpyDtoDAsync(q, p, sizeof host, stream));
  OK(cuMemcpyDtoHAsync(host + 1, q, 4, stream));
  OK(cuStreamSynchronize(stream));
  OK(cuStreamDestroy(stream));
  CHECK(host[1] == 5);
  OK(cuMemsetD32(p, 0x01020304, 4));
  OK(cuMemsetD16(p, 0x0506, 2));
  OK(cuMemsetD8(p, 7, 1));
  CHECK(cuMemsetD32(p + 2, 0, 1) == CUDA_ERROR_INVALID_VALUE);
  OK(cuCtxSynchronize());
  cudaMemcpy(host, reinterpret_cast<void*>(p), sizeof host, cudaMemcpyDeviceToHost);
  CHECK(host[0] == 0x05060507 && host[3] == 0x01020304);
  CHECK(cuMemFree(p + 4) == CUDA_ERROR_INVALID_VALUE);
  OK(cuMemFree(p));
  OK(cuMemFree(q));
}

static void names() {
  const char* text = nullptr;
  OK(cuGetErrorName(CUDA_ERROR_OUT_OF_MEMORY, &text));
  CHECK(std::strcmp(text, "CUDA_ERROR_OUT_OF_MEMORY") == 0);
  OK(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text));
  CHECK(std::strcmp(text, "out of memory") == 0);
  CHECK(cuGetErrorName(static_cast<CUresult>(12345), &text) == CUDA_ERROR_INVALID_VALUE);
  void* function = nullptr;
  CUdriverProcAddressQueryResult status{};
  OK(cuGetProcAddress("cuMemAlloc", &function, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &status));
  CUdeviceptr p = 0;
  OK(reinterpret_cast<CUresult (*)(CUdeviceptr*, size_t)>(function)(&p, 16));
  OK(cuMemFree(p));
  CUtensorMap map;
  cuuint64_t dims[1] = {64};
  cuuint32_t box[1] = {64}, steps[1] = {1};
  cuuint64_t strides[1] = {0};
  OK(cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 1, nullptr, dims, strides, box, steps,
                            CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                            CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
}

/// A fatbin that stands beside the program, and the older form of a call.
static void more() {
  char path[4096] = "", bytes[1 << 16] = "";
  if (readlink("/proc/self/exe", path, sizeof path - 64) < 0) return;
  std::strcpy(std::strrchr(path, '/') + 1, "library.fatbin");
  std::FILE* file = std::fopen(path, "rb");
  CHECK(file != nullptr && std::fread(bytes, 1, sizeof bytes, file) > 100);
  if (file != nullptr) std::fclose(file);
  CUmodule module = nullptr;
  CUfunction scale = nullptr;
  OK(cuModuleLoadFatBinary(&module, bytes));
  OK(cuModuleGetFunction(&scale, module, "scale"));
  OK(cuModuleUnload(module));
  void* function = nullptr;
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  CUgraphNode culprit = nullptr;
  char log[8] = "old";
  OK(cuGetProcAddress("cuGraphInstantiate_v2", &function, 12000, CU_GET_PROC_ADDRESS_DEFAULT, nullptr));
  OK(cuGraphCreate(&graph, 0));
  using Instantiate = CUresult (*)(CUgraphExec*, CUgraph, CUgraphNode*, char*, size_t);
  OK(reinterpret_cast<Instantiate>(function)(&exec, graph, &culprit, log, sizeof log));
  CHECK(culprit == nullptr && log[0] == 0);
  OK(cuGraphExecDestroy(exec));
  OK(cuGraphDestroy(graph));
}

/// Physical memory that is mapped at two places is one memory, and keeps its content without a map.
static void virtual_memory() {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  CUmemAccessDesc access{properties.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  size_t bytes = 0;
  CUdeviceptr range = 0;
  CUmemGenericAllocationHandle handle = 0;
  int host[4] = {1, 2, 3, 4};
  OK(cuMemGetAllocationGranularity(&bytes, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  OK(cuMemAddressReserve(&range, 2 * bytes, 0, 0, 0));
  CHECK(range % bytes == 0);
  CHECK(cuMemcpyHtoD(range, host, sizeof host) != CUDA_SUCCESS);
  OK(cuMemCreate(&handle, bytes, &properties, 0));
  CHECK(cuMemCreate(&handle, 100, &properties, 0) == CUDA_ERROR_INVALID_VALUE);
  CUmemAllocationProp read{};
  OK(cuMemGetAllocationPropertiesFromHandle(&read, handle));
  CHECK(read.location.type == CU_MEM_LOCATION_TYPE_DEVICE && read.type == CU_MEM_ALLOCATION_TYPE_PINNED);
  OK(cuMemMap(range, bytes, 0, handle, 0));
  CHECK(cuMemMap(range, bytes, 0, handle, 0) == CUDA_ERROR_INVALID_VALUE);
  OK(cuMemMap(range + bytes, bytes, 0, handle, 0));
  OK(cuMemSetAccess(range, 2 * bytes, &access, 1));
  OK(cuMemcpyHtoD(range, host, sizeof host));
  add<<<1, 4>>>(reinterpret_cast<int*>(range + bytes), 10);
  OK(cuMemcpyDtoH(host, range, sizeof host));
  CHECK(host[0] == 11 && host[3] == 14);
  OK(cuMemUnmap(range, bytes));
  CHECK(cuMemcpyDtoH(host, range, sizeof host) != CUDA_SUCCESS);
  host[0] = 0;
  OK(cuMemcpyDtoH(host, range + bytes, sizeof host));
  CHECK(host[0] == 11);
  CHECK(cuMemAddressFree(range, 2 * bytes) == CUDA_ERROR_INVALID_VALUE);
  OK(cuMemRelease(handle));
  OK(cuMemUnmap(range + bytes, bytes));
  OK(cuMemAddressFree(range, 2 * bytes));
}

static int calls_of_host = 0;
static void count_call(void* by) { calls_of_host += *static_cast<int*>(by); }

static CUfunction add_function() {
  cudaFunction_t function = nullptr;
  CHECK(cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(add)) == cudaSuccess);
  return reinterpret_cast<CUfunction>(function);
}

/// Nodes of graphs, read and changed.
static void graph_nodes() {
  CUcontext context = nullptr;
  CUgraph graph = nullptr, child = nullptr, copy_of_graph = nullptr, embedded = nullptr;
  CUgraphNode set = nullptr, kernel = nullptr, other = nullptr, copy = nullptr, call = nullptr, recorded = nullptr,
              waited = nullptr, inner = nullptr, twin = nullptr, list[2] = {};
  CUgraphExec exec = nullptr;
  CUevent event = nullptr, second = nullptr, read = nullptr;
  CUdeviceptr p = 0;
  int host = 0, elsewhere = 0, one = 1, ten = 10;
  OK(cuCtxGetCurrent(&context));
  OK(cuMemAlloc(&p, 16));
  OK(cuEventCreate(&event, 0));
  OK(cuEventCreate(&second, 0));
  OK(cuGraphCreate(&graph, 0));
  OK(cuGraphCreate(&child, 0));
  CUDA_MEMSET_NODE_PARAMS fill{};
  fill.dst = p;
  fill.value = 5;
  fill.elementSize = 4;
  fill.width = fill.height = 1;
  OK(cuGraphAddMemsetNode(&set, graph, nullptr, 0, &fill, context));
  void* arguments[] = {&p, &one};
  CUDA_KERNEL_NODE_PARAMS launch{};
  launch.func = add_function();
  launch.gridDimX = launch.gridDimY = launch.gridDimZ = launch.blockDimX = launch.blockDimY = launch.blockDimZ = 1;
  launch.kernelParams = arguments;
  OK(cuGraphAddKernelNode(&kernel, graph, &set, 1, &launch));
  OK(cuGraphAddKernelNode(&other, graph, &kernel, 1, &launch));
  CUDA_MEMCPY3D copied{};
  copied.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copied.srcDevice = p;
  copied.dstMemoryType = CU_MEMORYTYPE_HOST;
  copied.dstHost = &host;
  copied.WidthInBytes = 4;
  copied.Height = copied.Depth = 1;
  OK(cuGraphAddMemcpyNode(&copy, graph, &other, 1, &copied, context));
  CUDA_HOST_NODE_PARAMS on_host{count_call, &one}, host_read{};
  OK(cuGraphAddHostNode(&call, graph, &copy, 1, &on_host));
  OK(cuGraphAddEventRecordNode(&recorded, graph, &call, 1, event));
  OK(cuGraphAddEventWaitNode(&waited, graph, &recorded, 1, event));
  OK(cuGraphAddChildGraphNode(&inner, graph, &waited, 1, child));
  OK(cuGraphChildGraphNodeGetGraph(inner, &embedded));
  CHECK(embedded != child && embedded != nullptr);
  size_t count = 2;
  OK(cuGraphNodeGetDependencies(kernel, list, nullptr, &count));
  CHECK(count == 1 && list[0] == set);
  OK(cuGraphNodeGetDependentNodes(kernel, list, nullptr, &count));
  CHECK(count == 1 && list[0] == other);
  OK(cuGraphClone(&copy_of_graph, graph));
  OK(cuGraphNodeFindInClone(&twin, kernel, copy_of_graph));
  CHECK(twin != kernel);
  OK(cuGraphHostNodeGetParams(call, &host_read));
  CHECK(host_read.userData == &one);
  CUDA_MEMSET_NODE_PARAMS fill_read{};
  OK(cuGraphMemsetNodeGetParams(set, &fill_read));
  CHECK(fill_read.value == 5 && fill_read.dst == p);
  OK(cuGraphEventRecordNodeGetEvent(recorded, &read));
  CHECK(read == event);
  OK(cuGraphEventWaitNodeGetEvent(waited, &read));
  CHECK(read == event);
  CUkernelNodeAttrValue value{};
  value.priority = -1;
  OK(cuGraphKernelNodeSetAttribute(kernel, CU_KERNEL_NODE_ATTRIBUTE_PRIORITY, &value));
  OK(cuGraphKernelNodeCopyAttributes(other, kernel));
  value.priority = 0;
  OK(cuGraphKernelNodeGetAttribute(other, CU_KERNEL_NODE_ATTRIBUTE_PRIORITY, &value));
  CHECK(value.priority == -1);
  OK(cuGraphInstantiate(&exec, graph, 0));
  OK(cuGraphLaunch(exec, nullptr));
  OK(cuCtxSynchronize());
  CHECK(host == 7 && calls_of_host == 1);
  cuuint64_t flags = 9;
  OK(cuGraphExecGetFlags(exec, &flags));
  CHECK(flags == 0);

  unsigned is_on = 9;
  OK(cuGraphNodeSetEnabled(exec, other, 0));
  OK(cuGraphNodeGetEnabled(exec, other, &is_on));
  CHECK(is_on == 0);
  fill.value = 20;
  on_host.userData = &ten;
  copied.dstHost = &elsewhere;
  OK(cuGraphExecMemsetNodeSetParams(exec, set, &fill, context));
  OK(cuGraphExecHostNodeSetParams(exec, call, &on_host));
  OK(cuGraphExecMemcpyNodeSetParams(exec, copy, &copied, context));
  OK(cuGraphExecEventRecordNodeSetEvent(exec, recorded, second));
  OK(cuGraphExecEventWaitNodeSetEvent(exec, waited, second));
  OK(cuGraphExecChildGraphNodeSetParams(exec, inner, child));
  CUgraphNodeParams any{};
  any.type = CU_GRAPH_NODE_TYPE_KERNEL;
  arguments[1] = &ten;
  any.kernel.func = add_function();
  any.kernel.gridDimX = any.kernel.gridDimY = any.kernel.gridDimZ = 1;
  any.kernel.blockDimX = any.kernel.blockDimY = any.kernel.blockDimZ = 1;
  any.kernel.kernelParams = arguments;
  OK(cuGraphExecNodeSetParams(exec, kernel, &any));
  OK(cuGraphLaunch(exec, nullptr));
  OK(cuCtxSynchronize());
  CHECK(host == 7 && elsewhere == 30 && calls_of_host == 11);

  OK(cuGraphMemsetNodeSetParams(set, &fill));
  OK(cuGraphHostNodeSetParams(call, &on_host));
  OK(cuGraphMemcpyNodeSetParams(copy, &copied));
  OK(cuGraphNodeSetParams(kernel, &any));
  OK(cuGraphEventRecordNodeSetEvent(recorded, second));
  OK(cuGraphEventWaitNodeSetEvent(waited, second));
  CUgraphExecUpdateResultInfo info{};
  OK(cuGraphExecUpdate(exec, graph, &info));
  CHECK(info.result == CU_GRAPH_EXEC_UPDATE_SUCCESS);
  OK(cuGraphLaunch(exec, nullptr));
  OK(cuCtxSynchronize());
  CHECK(elsewhere == 31 && calls_of_host == 21);
  OK(cuGraphRemoveDependencies(graph, &waited, &inner, nullptr, 1));
  OK(cuGraphDestroyNode(inner));
  OK(cuGraphGetNodes(graph, nullptr, &count));
  CHECK(count == 7);

  calls_of_host = 0;
  CUuserObject object = nullptr;
  OK(cuUserObjectCreate(&object, &one, count_call, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
  OK(cuUserObjectRetain(object, 1));
  OK(cuGraphRetainUserObject(graph, object, 2, CU_GRAPH_USER_OBJECT_MOVE));
  OK(cuGraphReleaseUserObject(graph, object, 1));
  CHECK(cuUserObjectRelease(object, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(calls_of_host == 0);
  OK(cuGraphDestroy(graph));
  CHECK(calls_of_host == 1);
  OK(cuGraphExecDestroy(exec));
}

/// Memory of graphs, and levels of a mipmapped array.
static void graph_memory() {
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  CUgraphNode allocated = nullptr, freed = nullptr;
  CUDA_MEM_ALLOC_NODE_PARAMS params{}, read{};
  params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  params.poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  params.bytesize = size_t{64} << 20;
  OK(cuGraphCreate(&graph, 0));
  OK(cuGraphAddMemAllocNode(&allocated, graph, nullptr, 0, &params));
  OK(cuGraphAddMemFreeNode(&freed, graph, &allocated, 1, params.dptr));
  OK(cuGraphMemAllocNodeGetParams(allocated, &read));
  CHECK(read.dptr == params.dptr && read.bytesize == params.bytesize);
  CUdeviceptr address = 0;
  OK(cuGraphMemFreeNodeGetParams(freed, &address));
  CHECK(address == params.dptr);
  OK(cuGraphInstantiate(&exec, graph, 0));
  OK(cuGraphLaunch(exec, nullptr));
  OK(cuCtxSynchronize());
  cuuint64_t bytes = 0;
  OK(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT, &bytes));
  CHECK(bytes == params.bytesize);
  OK(cuDeviceGraphMemTrim(0));
  OK(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT, &bytes));
  CHECK(bytes == 0);
  OK(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH, &bytes));
  OK(cuGraphExecDestroy(exec));

  CUmipmappedArray mipmap = nullptr;
  CUarray level = nullptr;
  CUDA_ARRAY3D_DESCRIPTOR elements{}, of_level{};
  elements.Width = 16;
  elements.Height = 8;
  elements.Format = CU_AD_FORMAT_FLOAT;
  elements.NumChannels = 1;
  OK(cuMipmappedArrayCreate(&mipmap, &elements, 3));
  OK(cuMipmappedArrayGetLevel(&level, mipmap, 1));
  OK(cuArray3DGetDescriptor(&of_level, level));
  CHECK(of_level.Width == 8 && of_level.Height == 4);
  OK(cuMipmappedArrayDestroy(mipmap));
}

int main() {
  devices();
  memory();
  names();
  more();
  virtual_memory();
  graph_nodes();
  graph_memory();
  const void* table = &failures;
  const CUuuid unknown{};
  CHECK(cuGetExportTable(&table, &unknown) != CUDA_SUCCESS);
  CHECK(table == nullptr);
  CUgreenCtx green;
  CHECK(cuGreenCtxDestroy(green = nullptr) == CUDA_ERROR_NOT_SUPPORTED);
  std::printf("%s\n", failures == 0 ? "all right" : "wrong");
}
