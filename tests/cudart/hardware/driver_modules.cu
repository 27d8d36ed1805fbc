// Modules of every form, their functions, launches, occupancy, links, libraries and graphs of the driver interface.
#include <string>

#include "say_driver.hpp"

/// A file beside the program, with a zero behind it.
static std::string file_beside(const char* name) {
  char path[4096] = "";
  if (readlink("/proc/self/exe", path, sizeof path - 64) < 0) return {};
  std::strcpy(std::strrchr(path, '/') + 1, name);
  return path;
}
static std::string text_of(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return {};
  static char bytes[1 << 20];
  const size_t size = std::fread(bytes, 1, sizeof bytes, file);
  std::fclose(file);
  return {bytes, size};
}

const char* const ptx = R"(
.version 8.0
.target sm_75
.address_size 64
.global .align 4 .u32 counter = 5;
.visible .entry add(.param .u64 p, .param .u32 n)
{
  .reg .b32 %r<5>;
  .reg .b64 %d<4>;
  ld.param.u64 %d1, [p];
  ld.param.u32 %r1, [n];
  cvta.to.global.u64 %d2, %d1;
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %d3, %r2, 4;
  add.s64 %d2, %d2, %d3;
  ld.global.u32 %r3, [%d2];
  ld.global.u32 %r4, [counter];
  add.s32 %r3, %r3, %r1;
  add.s32 %r3, %r3, %r4;
  st.global.u32 [%d2], %r3;
  ret;
}
)";

/// Runs `add` or `scale` on {1, 2, 3, 4} and shows the last value.
void run(CUfunction function) {
  CUdeviceptr p = 0;
  int host[4] = {1, 2, 3, 4}, n = 10;
  cuMemAlloc(&p, 16);
  cuMemcpyHtoD(p, host, 16);
  void* arguments[] = {&p, &n};
  SAY(cuLaunchKernel(function, 1, 1, 1, 4, 1, 1, 0, nullptr, arguments, nullptr));
  SAY(cuMemcpyDtoH(host, p, 16));
  SHOW(host[3]);
  cuMemFree(p);
}

void modules() {
  for (const char* name : {"library.fatbin", "library.cubin", "library.ptx"}) {
    std::printf("  %s\n", name);
    const std::string path = file_beside(name), bytes = text_of(path);
    SHOW(bytes.size() > 100);
    CUmodule module = nullptr, same = nullptr;
    CUfunction function = nullptr, list[4] = {};
    CUdeviceptr factor = 0;
    size_t size = 0;
    unsigned count = 9;
    SAY(cuModuleLoad(&module, path.c_str()));
    SAY(cuModuleGetFunction(&function, module, "scale"));
    run(function);
    SAY(cuModuleGetFunctionCount(&count, module));
    SHOW(count);
    SAY(cuModuleEnumerateFunctions(list, 1, module));
    SHOW(list[0] == function);
    SAY(cuModuleGetGlobal(&factor, &size, module, "factor"));
    SHOW(size);
    SAY(cuMemsetD32(factor, 100, 1));
    run(function);
    SAY(cuFuncGetModule(&same, function));
    SHOW(same == module);
    SAY(cuModuleUnload(module));
    SAY(cuModuleLoadData(&module, bytes.c_str()));
    SAY(cuModuleGetFunction(&function, module, "scale"));
    run(function);
    SAY(cuModuleUnload(module));
  }
}

void wrong_modules() {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  CUdeviceptr p = 0;
  size_t bytes = 0;
  SAY(cuModuleLoad(&module, "no/such/file"));
  SAY(cuModuleLoadData(&module, nullptr));
  SAY(cuModuleLoadData(nullptr, ptx));
  SAY(cuModuleLoadData(&module, ptx));
  SAY(cuModuleGetFunction(&function, module, "no_such_kernel"));
  SAY(cuModuleGetFunction(&function, nullptr, "add"));
  SAY(cuModuleGetFunction(nullptr, module, "add"));
  SAY(cuModuleGetFunction(&function, module, nullptr));
  SAY(cuModuleGetGlobal(&p, &bytes, module, "no_such_variable"));
  SAY(cuModuleGetGlobal(&p, &bytes, module, "counter"));
  SAY(cuModuleGetGlobal(nullptr, &bytes, module, "counter"));
  SAY(cuModuleGetGlobal(&p, nullptr, module, "counter"));
  SAY(cuModuleUnload(nullptr));
  SAY(cuModuleUnload(module));
}

void broken_code() {
  CUmodule module = nullptr;
  const std::string broken = std::string(ptx).replace(std::string(ptx).find("add.s32"), 7, "odd.s32");
  char log[512] = "x", info[512] = "x";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_INFO_LOG_BUFFER,
                            CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log), info, reinterpret_cast<void*>(sizeof info)};
  SAY(cuModuleLoadData(&module, broken.c_str()));
  SAY(cuModuleLoadDataEx(&module, broken.c_str(), 4, options, values));
  SHOW(std::strlen(log) > 20);
  SHOW(std::strlen(info));
  SAY(cuModuleLoadData(&module, ""));
  SAY(cuModuleLoadData(&module, "this is not code of any kind"));
}

void functions() {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  const char* name = nullptr;
  int value = 9;
  size_t offset = 9, size = 9;
  CUfunctionLoadingState state{};
  SAY(cuModuleLoadDataEx(&module, ptx, 0, nullptr, nullptr));
  SAY(cuModuleGetFunction(&function, module, "add"));
  SAY(cuFuncGetName(&name, function));
  std::printf("  %s\n", name);
  SAY(cuFuncGetParamInfo(function, 1, &offset, &size));
  SHOW(offset); SHOW(size);
  SAY(cuFuncGetParamInfo(function, 2, &offset, &size));
  SAY(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function));
  SHOW(value);
  SAY(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function));
  SHOW(value);
  SAY(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, function));
  SHOW(value);
  SAY(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_BINARY_VERSION, function));
  SHOW(value);
  SAY(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, function));
  SHOW(value);
  SAY(cuFuncGetAttribute(&value, static_cast<CUfunction_attribute>(99), function));
  SAY(cuFuncGetAttribute(nullptr, CU_FUNC_ATTRIBUTE_NUM_REGS, function));
  SAY(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, nullptr));
  SAY(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000));
  SAY(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1000000));
  SAY(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_NUM_REGS, 10));
  SAY(cuFuncSetCacheConfig(function, CU_FUNC_CACHE_PREFER_L1));
  SAY(cuFuncSetSharedMemConfig(function, CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE));
  SAY(cuFuncLoad(function));
  SAY(cuFuncIsLoaded(&state, function));
  SHOW(state);
}

size_t no_shared(int) { return 0; }

void launches() {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  CUdeviceptr p = 0;
  int host[4] = {1, 2, 3, 4}, n = 10, blocks = 9, threads = 9, clusters = 9;
  size_t shared = 9;
  cuModuleLoadData(&module, ptx);
  cuModuleGetFunction(&function, module, "add");
  cuMemAlloc(&p, 16);
  cuMemcpyHtoD(p, host, 16);
  void* arguments[] = {&p, &n};
  struct {
    CUdeviceptr p;
    int n;
  } packed{p, 20};
  size_t packed_size = 12;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &packed_size,
                   CU_LAUNCH_PARAM_END};
  SAY(cuLaunchKernel(function, 1, 1, 1, 4, 1, 1, 0, nullptr, nullptr, extra));
  SAY(cuMemcpyDtoH(host, p, 16));
  SHOW(host[3]);
  SAY(cuLaunchKernel(function, 1, 1, 1, 4, 1, 1, 0, nullptr, arguments, extra));
  SAY(cuLaunchKernel(function, 1, 1, 1, 4, 1, 1, 0, nullptr, nullptr, nullptr));
  SAY(cuLaunchKernel(nullptr, 1, 1, 1, 4, 1, 1, 0, nullptr, arguments, nullptr));
  SAY(cuLaunchKernel(function, 0, 1, 1, 4, 1, 1, 0, nullptr, arguments, nullptr));
  SAY(cuLaunchKernel(function, 1, 1, 1, 2048, 1, 1, 0, nullptr, arguments, nullptr));
  SAY(cuLaunchKernel(function, 1, 70000, 1, 4, 1, 1, 0, nullptr, arguments, nullptr));
  SAY(cuLaunchKernel(function, 1, 1, 1, 4, 1, 1, 1 << 20, nullptr, arguments, nullptr));
  SAY(cuLaunchCooperativeKernel(function, 1, 1, 1, 4, 1, 1, 0, nullptr, arguments));
  SAY(cuLaunchCooperativeKernel(function, 1000000, 1, 1, 4, 1, 1, 0, nullptr, arguments));
  CUlaunchConfig config{};
  config.gridDimX = config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.blockDimX = 4;
  SAY(cuLaunchKernelEx(&config, function, arguments, nullptr));
  SAY(cuLaunchKernelEx(&config, function, nullptr, extra));
  CUlaunchAttribute attribute{};
  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute.value.clusterDim.x = 2;
  attribute.value.clusterDim.y = attribute.value.clusterDim.z = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  SAY(cuLaunchKernelEx(&config, function, arguments, nullptr));
  config.gridDimX = 2;
  SAY(cuLaunchKernelEx(&config, function, arguments, nullptr));
  SAY(cuLaunchKernelEx(nullptr, function, arguments, nullptr));
  SAY(cuMemcpyDtoH(host, p, 4));
  SAY(cuOccupancyMaxActiveClusters(&clusters, function, &config));
  SAY(cuOccupancyMaxPotentialClusterSize(&clusters, function, &config));
  SHOW(clusters);
  SAY(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 128, 0));
  SHOW(blocks);
  SAY(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, function, 128, 1024, 0));
  SHOW(blocks);
  SAY(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nullptr, 128, 0));
  SAY(cuOccupancyMaxPotentialBlockSize(&blocks, &threads, function, no_shared, 0, 0));
  SHOW(blocks); SHOW(threads);
  SAY(cuOccupancyMaxPotentialBlockSize(&blocks, &threads, function, nullptr, 4096, 300));
  SHOW(blocks); SHOW(threads);
  SAY(cuOccupancyMaxPotentialBlockSizeWithFlags(&blocks, &threads, function, nullptr, 0, 0, 0));
  SHOW(blocks); SHOW(threads);
  SAY(cuOccupancyAvailableDynamicSMemPerBlock(&shared, function, 2, 128));
  SHOW(shared);
}

void faults() {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  CUdeviceptr nowhere = 0x1000, p = 0;
  int n = 1;
  cuModuleLoadData(&module, ptx);
  cuModuleGetFunction(&function, module, "add");
  void* arguments[] = {&nowhere, &n};
  SAY(cuLaunchKernel(function, 1, 1, 1, 4, 1, 1, 0, nullptr, arguments, nullptr));
  SAY(cuCtxSynchronize());
  SAY(cuMemAlloc(&p, 16));
  SAY(cuModuleLoadData(&module, ptx));
}

void links() {
  CUlinkState state = nullptr;
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  void* cubin = nullptr;
  size_t size = 0;
  SAY(cuLinkCreate(0, nullptr, nullptr, &state));
  SAY(cuLinkAddData(state, CU_JIT_INPUT_PTX, const_cast<char*>(ptx), std::strlen(ptx) + 1, "add.ptx", 0, nullptr, nullptr));
  SAY(cuLinkComplete(state, &cubin, &size));
  SHOW(size > 100);
  SHOW(std::memcmp(cubin, "\177ELF", 4));
  SAY(cuModuleLoadData(&module, cubin));
  SAY(cuModuleGetFunction(&function, module, "add"));
  run(function);
  SAY(cuLinkDestroy(state));
  SAY(cuLinkCreate(0, nullptr, nullptr, &state));
  SAY(cuLinkAddFile(state, CU_JIT_INPUT_PTX, file_beside("library.ptx").c_str(), 0, nullptr, nullptr));
  SAY(cuLinkComplete(state, &cubin, &size));
  SAY(cuModuleLoadData(&module, cubin));
  SAY(cuModuleGetFunction(&function, module, "scale"));
  run(function);
  SAY(cuLinkDestroy(state));
  SAY(cuLinkCreate(0, nullptr, nullptr, &state));
  SAY(cuLinkAddFile(state, CU_JIT_INPUT_PTX, "no/such/file", 0, nullptr, nullptr));
  SAY(cuLinkAddData(state, CU_JIT_INPUT_PTX, nullptr, 0, "nothing", 0, nullptr, nullptr));
  SAY(cuLinkDestroy(state));
  SAY(cuLinkCreate(0, nullptr, nullptr, nullptr));
}

void libraries() {
  CUlibrary library = nullptr, same = nullptr;
  CUkernel kernel = nullptr, list[4] = {};
  CUfunction function = nullptr;
  CUmodule module = nullptr;
  CUdeviceptr counter = 0;
  const char* name = nullptr;
  size_t size = 0, offset = 0;
  unsigned count = 9;
  int value = 9;
  SAY(cuLibraryLoadFromFile(&library, file_beside("library.cubin").c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  SAY(cuLibraryUnload(library));
  SAY(cuLibraryLoadFromFile(&library, "no/such/file", nullptr, nullptr, 0, nullptr, nullptr, 0));
  SAY(cuLibraryLoadData(&library, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
  SAY(cuLibraryGetKernelCount(&count, library));
  SHOW(count);
  SAY(cuLibraryEnumerateKernels(list, 4, library));
  SAY(cuLibraryGetKernel(&kernel, library, "add"));
  SAY(cuLibraryGetKernel(&list[3], library, "no_such_kernel"));
  SAY(cuKernelGetName(&name, kernel));
  std::printf("  %s\n", name);
  SAY(cuKernelGetParamInfo(kernel, 0, &offset, &size));
  SHOW(size);
  SAY(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel, 0));
  SHOW(value);
  SAY(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel, 1000));
  SAY(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 60000, kernel, 0));
  SAY(cuKernelSetCacheConfig(kernel, CU_FUNC_CACHE_PREFER_SHARED, 0));
  SAY(cuKernelGetLibrary(&same, kernel));
  SHOW(same == library);
  SAY(cuKernelGetFunction(&function, kernel));
  run(function);
  run(reinterpret_cast<CUfunction>(kernel));
  SAY(cuLibraryGetModule(&module, library));
  SAY(cuModuleGetFunction(&function, module, "add"));
  SAY(cuLibraryGetGlobal(&counter, &size, library, "counter"));
  SHOW(size);
  SAY(cuLibraryUnload(library));
}

int host_calls = 0;
void count_call(void*) { ++host_calls; }

void graphs() {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  CUdeviceptr p = 0;
  CUstream stream = nullptr;
  int host[4] = {0, 0, 0, 0}, n = 1, m = 100;
  cuModuleLoadData(&module, ptx);
  cuModuleGetFunction(&function, module, "add");
  cuMemAlloc(&p, 16);
  cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
  CUcontext context = nullptr;
  cuCtxGetCurrent(&context);
  CUgraph graph = nullptr, copy = nullptr;
  CUgraphExec exec = nullptr;
  CUgraphNode set = nullptr, kernel = nullptr, back = nullptr, call = nullptr, empty = nullptr, child = nullptr;
  CUgraphNodeType type{};
  size_t count = 9;
  SAY(cuGraphCreate(&graph, 0));
  CUDA_MEMSET_NODE_PARAMS fill{p, 0, 7, 4, 4, 1};
  SAY(cuGraphAddMemsetNode(&set, graph, nullptr, 0, &fill, context));
  void* arguments[] = {&p, &n};
  CUDA_KERNEL_NODE_PARAMS node{};
  node.func = function;
  node.gridDimX = node.gridDimY = node.gridDimZ = node.blockDimY = node.blockDimZ = 1;
  node.blockDimX = 4;
  node.kernelParams = arguments;
  SAY(cuGraphAddKernelNode(&kernel, graph, &set, 1, &node));
  CUDA_MEMCPY3D deep{};
  deep.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  deep.srcDevice = p;
  deep.dstMemoryType = CU_MEMORYTYPE_HOST;
  deep.dstHost = host;
  deep.srcPitch = deep.dstPitch = deep.WidthInBytes = 16;
  deep.srcHeight = deep.dstHeight = deep.Height = deep.Depth = 1;
  SAY(cuGraphAddMemcpyNode(&back, graph, &kernel, 1, &deep, context));
  CUDA_HOST_NODE_PARAMS on_host{count_call, nullptr};
  SAY(cuGraphAddHostNode(&call, graph, nullptr, 0, &on_host));
  SAY(cuGraphAddDependencies(graph, &back, &call, nullptr, 1));
  SAY(cuGraphAddEmptyNode(&empty, graph, &call, 1));
  SAY(cuGraphGetNodes(graph, nullptr, &count));
  SHOW(count);
  SAY(cuGraphGetRootNodes(graph, nullptr, &count));
  SHOW(count);
  SAY(cuGraphGetEdges(graph, nullptr, nullptr, nullptr, &count));
  SHOW(count);
  SAY(cuGraphNodeGetType(back, &type));
  SHOW(type);
  SAY(cuGraphInstantiateWithFlags(&exec, graph, 0));
  SAY(cuGraphUpload(exec, stream));
  SAY(cuGraphLaunch(exec, stream));
  SAY(cuStreamSynchronize(stream));
  SHOW(host[0]); SHOW(host_calls);
  CUDA_KERNEL_NODE_PARAMS got{};
  SAY(cuGraphKernelNodeGetParams(kernel, &got));
  SHOW(got.func == function); SHOW(got.blockDimX);
  arguments[1] = &m;
  SAY(cuGraphExecKernelNodeSetParams(exec, kernel, &node));
  SAY(cuGraphLaunch(exec, stream));
  SAY(cuStreamSynchronize(stream));
  SHOW(host[0]); SHOW(host_calls);
  SAY(cuGraphKernelNodeSetParams(kernel, &node));
  CUgraphExecUpdateResultInfo info{};
  SAY(cuGraphExecUpdate(exec, graph, &info));
  SHOW(info.result);
  SAY(cuGraphExecDestroy(exec));
  SAY(cuGraphClone(&copy, graph));
  SAY(cuGraphAddChildGraphNode(&child, copy, nullptr, 0, graph));
  CUDA_GRAPH_INSTANTIATE_PARAMS with{};
  SAY(cuGraphInstantiateWithParams(&exec, copy, &with));
  SHOW(with.result_out);
  SAY(cuGraphExecDestroy(exec));
  SAY(cuGraphDestroy(copy));
  SAY(cuGraphDestroy(graph));
  SAY(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  CUstreamCaptureStatus status{};
  cuuint64_t id = 0;
  const CUgraphNode* after = nullptr;
  const CUgraphEdgeData* edges = nullptr;
  SAY(cuStreamIsCapturing(stream, &status));
  SHOW(status);
  SAY(cuLaunchKernel(function, 1, 1, 1, 4, 1, 1, 0, stream, arguments, nullptr));
  SAY(cuStreamGetCaptureInfo(stream, &status, &id, &copy, &after, &edges, &count));
  SHOW(count);
  SAY(cuStreamUpdateCaptureDependencies(stream, nullptr, nullptr, 0, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
  SAY(cuStreamEndCapture(stream, &graph));
  SAY(cuGraphDestroy(graph));
  SAY(cuGraphCreate(&graph, 0));
  SAY(cuStreamBeginCaptureToGraph(stream, graph, nullptr, nullptr, 0, CU_STREAM_CAPTURE_MODE_RELAXED));
  SAY(cuStreamEndCapture(stream, &copy));
  SHOW(copy == graph);
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  SAY(cuThreadExchangeStreamCaptureMode(&mode));
  SHOW(mode);
}

int main() {
  in_a_context("modules", modules);
  in_a_context("wrong uses of modules", wrong_modules);
  in_a_context("broken code", broken_code);
  in_a_context("functions", functions);
  in_a_context("launches", launches);
  in_a_context("faults", faults);
  in_a_context("links", links);
  in_a_context("libraries", libraries);
  in_a_context("graphs", graphs);
}
