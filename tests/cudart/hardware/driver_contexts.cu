// The driver interface before and after cuInit: devices, contexts, and the runtime beside them.
#include <cudaProfiler.h>

#include "say_driver.hpp"

void before_init() {
  int value = 9;
  CUdevice device = 9;
  CUcontext context = nullptr;
  CUdeviceptr p = 0;
  const char* text = nullptr;
  SAY(cuDriverGetVersion(&value));
  SHOW(value >= 13000);
  SAY(cuGetErrorName(CUDA_ERROR_NOT_FOUND, &text));
  std::printf("  %s\n", text);
  SAY(cuGetErrorString(CUDA_ERROR_NOT_FOUND, &text));
  std::printf("  %s\n", text);
  SAY(cuGetErrorString(static_cast<CUresult>(12345), &text));
  SAY(cuDeviceGetCount(&value));
  SAY(cuDeviceGet(&device, 0));
  SAY(cuCtxGetCurrent(&context));
  SAY(cuCtxSetCurrent(nullptr));
  SAY(cuCtxCreate(&context, nullptr, 0, 0));
  SAY(cuMemAlloc(&p, 16));
  SAY(cuCtxSynchronize());
  SAY(cuDevicePrimaryCtxRetain(&context, 0));
  SAY(cuInit(1));
  SAY(cuInit(0));
}

void devices() {
  int value = 9, other = 9;
  CUdevice device = 9;
  char name[64] = "";
  size_t bytes = 0;
  CUuuid uuid{};
  unsigned mask = 0;
  CUmemoryPool pool = nullptr, same = nullptr;
  SAY(cuInit(0));
  SAY(cuDeviceGetCount(&value));
  SAY(cuDeviceGetCount(nullptr));
  SAY(cuDeviceGet(&device, 0));
  SHOW(device);
  SAY(cuDeviceGet(&device, 1000));
  SAY(cuDeviceGet(&device, -1));
  SAY(cuDeviceGet(nullptr, 0));
  SAY(cuDeviceGetName(name, sizeof name, 0));
  std::printf("  %s\n", name);
  SAY(cuDeviceGetName(name, 7, 0));
  std::printf("  %s\n", name);
  SAY(cuDeviceGetName(name, sizeof name, 1000));
  SAY(cuDeviceTotalMem(&bytes, 0));
  SAY(cuDeviceTotalMem(&bytes, 1000));
  SAY(cuDeviceComputeCapability(&value, &other, 0));
  SHOW(value * 10 + other);
  SAY(cuDeviceComputeCapability(&value, &other, 1000));
  SAY(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
  SHOW(value);
  SAY(cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(5000), 0));
  SAY(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 1000));
  SAY(cuDeviceGetAttribute(nullptr, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
  SAY(cuDeviceGetUuid(&uuid, 0));
  SAY(cuDeviceGetUuid(nullptr, 0));
  SAY(cuDeviceGetLuid(name, &mask, 0));
  SAY(cuDeviceGetPCIBusId(name, sizeof name, 0));
  SAY(cuDeviceGetByPCIBusId(&device, name));
  SHOW(device);
  SAY(cuDeviceGetByPCIBusId(&device, "nonsense"));
  SAY(cuDeviceCanAccessPeer(&value, 0, 0));
  SHOW(value);
  SAY(cuDeviceGetP2PAttribute(&value, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 0));
  SAY(cuDeviceGetDefaultMemPool(&pool, 0));
  SAY(cuDeviceGetMemPool(&same, 0));
  SHOW(pool == same);
  SAY(cuDeviceSetMemPool(0, pool));
  SAY(cuModuleGetLoadingMode(reinterpret_cast<CUmoduleLoadingMode*>(&value)));
  SHOW(value);
}

void contexts() {
  CUcontext none = nullptr, first = nullptr, second = nullptr, current = nullptr;
  CUdevice device = 9;
  CUdeviceptr p = 0;
  CUstream stream = nullptr;
  unsigned flags = 9, version = 0;
  unsigned long long id = 0;
  size_t limit = 0;
  int least = 9, greatest = 9;
  CUfunc_cache cache{};
  CUsharedconfig shared{};
  cuInit(0);
  SAY(cuCtxGetCurrent(&current));
  SHOW(current == nullptr);
  SAY(cuCtxGetDevice(&device));
  SAY(cuMemAlloc(&p, 16));
  SAY(cuCtxSynchronize());
  SAY(cuCtxPopCurrent(&current));
  SAY(cuCtxCreate(&first, nullptr, CU_CTX_SCHED_AUTO, 0));
  SAY(cuCtxCreate(&second, nullptr, CU_CTX_SCHED_YIELD, 0));
  SAY(cuCtxCreate(&none, nullptr, 0, 1000));
  SAY(cuCtxCreate(nullptr, nullptr, 0, 0));
  SAY(cuCtxCreate(&none, nullptr, 0x10000, 0));
  SAY(cuCtxGetCurrent(&current));
  SHOW(current == second);
  SAY(cuCtxGetDevice(&device));
  SHOW(device);
  SAY(cuCtxGetDevice(nullptr));
  SAY(cuCtxGetFlags(&flags));
  SHOW(flags & CU_CTX_SCHED_MASK);
  SAY(cuCtxGetApiVersion(first, &version));
  SHOW(version);
  SAY(cuCtxGetId(first, &id));
  SAY(cuCtxPopCurrent(&current));
  SHOW(current == second);
  SAY(cuCtxGetCurrent(&current));
  SHOW(current == first);
  SAY(cuCtxPushCurrent(second));
  SAY(cuCtxPushCurrent(nullptr));
  SAY(cuCtxSetCurrent(first));
  SAY(cuCtxAttach(&current, 0));
  SHOW(current == first);
  SAY(cuCtxDetach(first));
  SAY(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  SAY(cuStreamGetCtx(stream, &current));
  SHOW(current == first);
  SAY(cuStreamDestroy(stream));
  SAY(cuCtxGetLimit(&limit, CU_LIMIT_STACK_SIZE));
  SHOW(limit);
  SAY(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
  SAY(cuCtxGetLimit(&limit, CU_LIMIT_STACK_SIZE));
  SHOW(limit);
  SAY(cuCtxGetLimit(&limit, static_cast<CUlimit>(77)));
  SAY(cuCtxGetCacheConfig(&cache));
  SHOW(cache);
  SAY(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_SHARED));
  SAY(cuCtxGetSharedMemConfig(&shared));
  SHOW(shared);
  SAY(cuCtxSetSharedMemConfig(CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE));
  SAY(cuCtxGetStreamPriorityRange(&least, &greatest));
  SHOW(least); SHOW(greatest);
  SAY(cuCtxResetPersistingL2Cache());
  SAY(cuProfilerStart());
  SAY(cuProfilerStop());
  SAY(cuCtxDestroy(second));
  SAY(cuCtxDestroy(nullptr));
  SAY(cuCtxGetCurrent(&current));
  SHOW(current == first);
  SAY(cuCtxDestroy(first));
  SAY(cuCtxGetCurrent(&current));
  SHOW(current == nullptr);
  SAY(cuCtxSynchronize());
}

void primary() {
  CUcontext context = nullptr, current = nullptr;
  unsigned flags = 9;
  int active = 9, *p = nullptr;
  CUdeviceptr q = 0;
  cuInit(0);
  SAY(cuDevicePrimaryCtxGetState(0, &flags, &active));
  SHOW(flags); SHOW(active);
  SAY(cuDevicePrimaryCtxRelease(0));
  SAY(cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_BLOCKING_SYNC));
  SAY(cuDevicePrimaryCtxRetain(&context, 0));
  SAY(cuDevicePrimaryCtxRetain(&context, 1000));
  SAY(cuDevicePrimaryCtxRetain(nullptr, 0));
  SAY(cuDevicePrimaryCtxGetState(0, &flags, &active));
  SHOW(flags); SHOW(active);
  SAY(cuCtxGetCurrent(&current));
  SHOW(current == nullptr);
  SAY(cuCtxSetCurrent(context));
  SAY(cuMemAlloc(&q, 64));
  SAY(cuMemFree(q));
  SAY(cudaMalloc(&p, 64));
  SAY(cuMemFree(reinterpret_cast<CUdeviceptr>(p)));
  SAY(cuDevicePrimaryCtxRelease(0));
  SAY(cuDevicePrimaryCtxReset(0));
}

/// The runtime gives its thread the primary context.
void runtime_first() {
  CUcontext current = nullptr, context = nullptr;
  CUdeviceptr p = 0;
  int count = 0;
  SAY(cudaGetDeviceCount(&count));
  SAY(cudaFree(nullptr));
  SAY(cuCtxGetCurrent(&current));
  SHOW(current != nullptr);
  SAY(cuMemAlloc(&p, 64));
  SAY(cudaFree(reinterpret_cast<void*>(p)));
  SAY(cuDevicePrimaryCtxRetain(&context, 0));
  SHOW(context == current);
  SAY(cuCtxSynchronize());
}

void functions_by_name() {
  void* function = nullptr;
  CUdriverProcAddressQueryResult status{};
  cuInit(0);
  SAY(cuGetProcAddress("cuMemAlloc", &function, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &status));
  SHOW(function != nullptr); SHOW(status);
  SAY(cuGetProcAddress("cuNoSuchCall", &function, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &status));
  SHOW(function != nullptr); SHOW(status);
  SAY(cuGetProcAddress("cuStreamBeginCaptureToGraph", &function, 11000, CU_GET_PROC_ADDRESS_DEFAULT, &status));
  SHOW(function != nullptr); SHOW(status);
}

int main() {
  in_a_process("before cuInit", before_init);
  in_a_process("devices", devices);
  in_a_process("contexts", contexts);
  in_a_process("the primary context", primary);
  in_a_process("the runtime first", runtime_first);
  in_a_process("functions by name", functions_by_name);
}
