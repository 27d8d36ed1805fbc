// CUDA arrays and texture objects by way of the driver interface: what goes in comes out, and what a kernel reads.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <vector>

namespace {

int wrong = 0;

void expect(bool holds, const char* what) {
  if (!holds) std::printf("wrong: %s\n", what), ++wrong;
}
#define EXPECT(condition) expect((condition), #condition)
#define OK(call) expect((call) == CUDA_SUCCESS, #call)

__global__ void read(cudaTextureObject_t texture, float* out) {
  out[threadIdx.x] = tex2D<float>(texture, (threadIdx.x % 8 + 0.5f) / 8, (threadIdx.x / 8 + 0.5f) / 4);
}
__global__ void add_one(cudaSurfaceObject_t surface) {
  unsigned char v;
  surf2Dread(&v, surface, threadIdx.x % 8, threadIdx.x / 8);
  surf2Dwrite(static_cast<unsigned char>(v + 1), surface, threadIdx.x % 8, threadIdx.x / 8);
}
__global__ void read_line(cudaTextureObject_t texture, int* out) { out[threadIdx.x] = tex1Dfetch<int>(texture, threadIdx.x); }

std::vector<unsigned char> bytes(int n) {
  std::vector<unsigned char> values(n);
  for (int i = 0; i < n; ++i) values[i] = static_cast<unsigned char>(7 * i + 1);
  return values;
}

void planes() {
  CUDA_ARRAY3D_DESCRIPTOR wanted{};
  wanted.Width = 8, wanted.Height = 4, wanted.Format = CU_AD_FORMAT_UNSIGNED_INT8, wanted.NumChannels = 1;
  wanted.Flags = CUDA_ARRAY3D_SURFACE_LDST;
  CUarray array = nullptr;
  OK(cuArray3DCreate(&array, &wanted));
  CUDA_ARRAY3D_DESCRIPTOR found{};
  OK(cuArray3DGetDescriptor(&found, array));
  EXPECT(found.Width == 8 && found.Height == 4 && found.Depth == 0 && found.NumChannels == 1);
  EXPECT(found.Format == CU_AD_FORMAT_UNSIGNED_INT8 && found.Flags == CUDA_ARRAY3D_SURFACE_LDST);

  const std::vector<unsigned char> values = bytes(32);
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST, copy.srcHost = values.data(), copy.srcPitch = 8;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY, copy.dstArray = array;
  copy.WidthInBytes = 8, copy.Height = 4;
  OK(cuMemcpy2D(&copy));
  copy.Height = 5;
  EXPECT(cuMemcpy2D(&copy) == CUDA_ERROR_INVALID_VALUE);

  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY, resource.res.array.hArray = array;
  CUDA_TEXTURE_DESC settings{};
  settings.flags = CU_TRSF_NORMALIZED_COORDINATES;
  CUtexObject texture = 0;
  OK(cuTexObjectCreate(&texture, &resource, &settings, nullptr));
  CUDA_RESOURCE_DESC back{};
  OK(cuTexObjectGetResourceDesc(&back, texture));
  EXPECT(back.resType == CU_RESOURCE_TYPE_ARRAY && back.res.array.hArray == array);
  CUDA_TEXTURE_DESC said{};
  OK(cuTexObjectGetTextureDesc(&said, texture));
  EXPECT(said.flags == settings.flags);
  CUDA_RESOURCE_VIEW_DESC view{};
  OK(cuTexObjectGetResourceViewDesc(&view, texture));  // as the runtime's call on an H200: there is none, and no error

  CUdeviceptr out = 0;
  OK(cuMemAlloc(&out, 128));
  read<<<1, 32>>>(texture, reinterpret_cast<float*>(out));
  float numbers[32];
  OK(cuMemcpyDtoH(numbers, out, sizeof numbers));
  for (int i = 0; i < 32; ++i) EXPECT(numbers[i] == static_cast<float>(values[i] / 255.0));
  OK(cuTexObjectDestroy(texture));
  settings.filterMode = CU_TR_FILTER_MODE_LINEAR, settings.flags = CU_TRSF_READ_AS_INTEGER;
  EXPECT(cuTexObjectCreate(&texture, &resource, &settings, nullptr) == CUDA_ERROR_INVALID_VALUE);

  CUsurfObject surface = 0;
  OK(cuSurfObjectCreate(&surface, &resource));
  OK(cuSurfObjectGetResourceDesc(&back, surface));
  EXPECT(back.res.array.hArray == array);
  add_one<<<1, 32>>>(surface);
  CUDA_MEMCPY3D out_copy{};
  std::vector<unsigned char> now(32);
  out_copy.srcMemoryType = CU_MEMORYTYPE_ARRAY, out_copy.srcArray = array;
  out_copy.dstMemoryType = CU_MEMORYTYPE_HOST, out_copy.dstHost = now.data(), out_copy.dstPitch = 8, out_copy.dstHeight = 4;
  out_copy.WidthInBytes = 8, out_copy.Height = 4, out_copy.Depth = 1;
  OK(cuMemcpy3D(&out_copy));
  for (int i = 0; i < 32; ++i) EXPECT(now[i] == static_cast<unsigned char>(values[i] + 1));
  OK(cuSurfObjectDestroy(surface));
  OK(cuArrayDestroy(array));
  EXPECT(cuArrayDestroy(array) == CUDA_ERROR_INVALID_HANDLE);
}

void lines() {
  CUDA_ARRAY_DESCRIPTOR wanted{};
  wanted.Width = 32, wanted.Format = CU_AD_FORMAT_SIGNED_INT16, wanted.NumChannels = 2;
  CUarray one = nullptr, two = nullptr;
  OK(cuArrayCreate(&one, &wanted));
  OK(cuArrayCreate(&two, &wanted));
  CUDA_ARRAY_DESCRIPTOR found{};
  OK(cuArrayGetDescriptor(&found, one));
  EXPECT(found.Width == 32 && found.Height == 0 && found.NumChannels == 2);
  const std::vector<unsigned char> values = bytes(128);
  std::vector<unsigned char> now(128);
  CUdeviceptr device = 0;
  OK(cuMemAlloc(&device, 128));
  OK(cuMemcpyHtoA(one, 0, values.data(), 128));
  OK(cuMemcpyAtoA(two, 0, one, 64, 64));
  OK(cuMemcpyAtoD(device, two, 0, 64));
  OK(cuMemcpyDtoA(two, 64, device, 64));
  OK(cuMemcpyAtoH(now.data(), two, 0, 128));
  for (int i = 0; i < 128; ++i) EXPECT(now[i] == values[64 + i % 64]);
  EXPECT(cuMemcpyHtoA(one, 4, values.data(), 128) == CUDA_ERROR_INVALID_VALUE);
  OK(cuMemcpyHtoAAsync(two, 0, values.data(), 128, nullptr));
  OK(cuMemcpyAtoHAsync(now.data(), two, 0, 128, nullptr));
  EXPECT(now == values);

  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_LINEAR;
  resource.res.linear.devPtr = device, resource.res.linear.sizeInBytes = 128;
  resource.res.linear.format = CU_AD_FORMAT_SIGNED_INT32, resource.res.linear.numChannels = 1;
  CUDA_TEXTURE_DESC settings{};
  settings.flags = CU_TRSF_READ_AS_INTEGER;
  OK(cuMemcpyHtoD(device, values.data(), 128));
  CUtexObject texture = 0;
  OK(cuTexObjectCreate(&texture, &resource, &settings, nullptr));
  CUDA_RESOURCE_DESC back{};
  OK(cuTexObjectGetResourceDesc(&back, texture));
  EXPECT(back.res.linear.format == CU_AD_FORMAT_SIGNED_INT32 && back.res.linear.devPtr == device);
  CUdeviceptr out = 0;
  OK(cuMemAlloc(&out, 128));
  read_line<<<1, 32>>>(texture, reinterpret_cast<int*>(out));
  OK(cuMemcpyDtoH(now.data(), out, 128));
  EXPECT(now == values);
  wanted.NumChannels = 3;
  EXPECT(cuArrayCreate(&one, &wanted) == CUDA_ERROR_INVALID_VALUE);
}

}  // namespace

int main() {
  OK(cuInit(0));
  cudaFree(nullptr);  // the primary context
  planes();
  lines();
  std::printf("%s\n", wrong == 0 ? "all right" : "not right");
  return wrong == 0 ? 0 : 1;
}
