// Calls a function that lanebank does not implement, twice; with an argument reads a mipmapped array by gradients, which it does
// not know.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void read(cudaTextureObject_t texture, float* out) {
  *out = tex2DGrad<float>(texture, 0.5f, 0.5f, make_float2(0.5f, 0.25f), make_float2(0, 0.5f));
}

static void read_by_gradients() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeMipmappedArray;
  cudaMallocMipmappedArray(&resource.res.mipmap.mipmap, &format, make_cudaExtent(16, 16, 0), 2);
  cudaTextureDesc description{};
  description.normalizedCoords = 1;
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &resource, &description, nullptr);
  float* out = nullptr;
  cudaMalloc(&out, sizeof *out);
  read<<<1, 1>>>(texture, out);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}

int main(int count, char**) {
  if (count > 1) return read_by_gradients(), 0;
  int* p = nullptr;
  cudaMalloc(&p, 16);
  cudaIpcMemHandle_t handle;
  const cudaError_t first = cudaIpcGetMemHandle(&handle, p);
  const cudaError_t second = cudaIpcGetMemHandle(&handle, p);
  std::printf("%s %s %s\n", cudaGetErrorName(first), cudaGetErrorName(second), cudaGetErrorName(cudaGetLastError()));
}
