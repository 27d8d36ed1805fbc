// Linked with -lcuda: driver functions beside the runtime, and one that lanebank does not have.
#include <cuda.h>
#include <cuda_runtime.h>

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
  OK(cuMemGetInfo(&free_bytes, &all_bytes));
  CHECK(total == all_bytes && free_bytes < total);
  OK(cuDevicePrimaryCtxRetain(&primary, device));
  OK(cuCtxGetCurrent(&context));
  CHECK(context != nullptr && context == primary);
  OK(cuCtxSetCurrent(primary));
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

int main() {
  devices();
  memory();
  names();
  CUmodule module;
  CHECK(cuModuleLoadData(&module, "") == CUDA_ERROR_NOT_SUPPORTED);
  std::printf("%s\n", failures == 0 ? "all right" : "wrong");
}
