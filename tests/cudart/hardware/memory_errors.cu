// Memory calls, right and wrong.
#include "say.hpp"

__device__ int variable[4];
__constant__ int constant[4];
__managed__ int managed_variable;
static int host_variable[4];

void attributes_of(const char* title, const void* pointer) {
  cudaPointerAttributes a{};
  const cudaError_t error = cudaPointerGetAttributes(&a, pointer);
  std::printf("  attributes of %-56s %s type %d device %d device pointer %s host pointer %s\n", title, cudaGetErrorName(error),
              a.type, a.device, a.devicePointer == nullptr ? "null" : a.devicePointer == pointer ? "same" : "other",
              a.hostPointer == nullptr ? "null" : a.hostPointer == pointer ? "same" : "other");
}

void allocation() {
  std::printf("allocation\n");
  char *p = nullptr, *q = nullptr;
  SAY(cudaMalloc(&p, 0));
  SHOW(p == nullptr);
  SAY(cudaMalloc(nullptr, 16));
  SAY(cudaMalloc(&p, size_t{1} << 50));
  SAY(cudaPeekAtLastError());
  SAY(cudaGetLastError());
  SAY(cudaGetLastError());
  SAY(cudaMalloc(&p, 1000));
  SHOW(reinterpret_cast<size_t>(p) % 256);
  SAY(cudaFree(nullptr));
  SAY(cudaFree(p + 4));
  SAY(cudaFree(p));
  SAY(cudaFree(p));
  SAY(cudaFree(host_variable));
  SAY(cudaFreeHost(nullptr));
  SAY(cudaFreeHost(host_variable));
  SAY(cudaMallocHost(&p, 0));
  SHOW(p == nullptr);
  SAY(cudaMallocHost(&p, 1000));
  attributes_of("pinned host memory", p);
  attributes_of("the middle of it", p + 8);
  SAY(cudaHostGetDevicePointer(&q, p, 0));
  SHOW(p == q);
  unsigned flags = 0;
  SAY(cudaHostGetFlags(&flags, p));
  SHOW(flags);
  SAY(cudaFree(p));
  SAY(cudaFreeHost(p));
  SAY(cudaHostAlloc(&p, 64, cudaHostAllocMapped | cudaHostAllocPortable));
  SAY(cudaHostGetFlags(&flags, p));
  SHOW(flags);
  SAY(cudaFreeHost(p));
  SAY(cudaHostAlloc(&p, 64, 0x100));
  SAY(cudaMallocManaged(&p, 0));
  SAY(cudaMallocManaged(&p, 64));
  attributes_of("managed memory", p);
  SAY(cudaFree(p));
  SAY(cudaMallocManaged(&p, 64, cudaMemAttachHost));
  SAY(cudaFree(p));
  SAY(cudaMallocManaged(&p, 64, 7));
  SAY(cudaMalloc(&p, 64));
  attributes_of("device memory", p);
  attributes_of("the middle of it", p + 8);
  attributes_of("unregistered host memory", host_variable);
  attributes_of("null", nullptr);
  SAY(cudaPointerGetAttributes(nullptr, p));
  SAY(cudaFreeHost(p));
  SAY(cudaFree(p));
  SAY(cudaHostGetDevicePointer(&q, host_variable, 0));
  SAY(cudaHostGetFlags(&flags, host_variable));
  SAY(cudaHostRegister(host_variable, sizeof host_variable, 0));
  attributes_of("registered host memory", host_variable);
  SAY(cudaHostRegister(host_variable, sizeof host_variable, 0));
  SAY(cudaHostGetDevicePointer(&q, host_variable, 0));
  SAY(cudaHostUnregister(host_variable));
  SAY(cudaHostUnregister(host_variable));
  SAY(cudaHostRegister(nullptr, 16, 0));
  SAY(cudaHostRegister(host_variable, 0, 0));
  SAY(cudaGetLastError());
  for (size_t width : {1, 100, 512, 513, 1000, 4097}) {
    size_t pitch = 0;
    SAY(cudaMallocPitch(&p, &pitch, width, 3));
    SHOW(pitch);
    SAY(cudaFree(p));
  }
  size_t pitch = 0;
  SAY(cudaMallocPitch(&p, &pitch, 0, 3));
  SHOW(p == nullptr);
  SAY(cudaMallocPitch(&p, &pitch, 3, 0));
  cudaPitchedPtr pitched{};
  SAY(cudaMalloc3D(&pitched, make_cudaExtent(100, 3, 2)));
  SHOW(pitched.pitch); SHOW(pitched.xsize); SHOW(pitched.ysize);
  SAY(cudaFree(pitched.ptr));
}

void copies() {
  std::printf("copies\n");
  char *p = nullptr, *q = nullptr, host[4096] = {};
  SAY(cudaMalloc(&p, 1024));
  SAY(cudaMalloc(&q, 1024));
  SAY(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy(p, nullptr, 0, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy(nullptr, host, 16, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy(p, host, 1024, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy(p, host, 16, static_cast<cudaMemcpyKind>(5)));
  SAY(cudaMemcpy(p, host, 16, static_cast<cudaMemcpyKind>(-1)));
  SAY(cudaMemcpy(p, host, 16, cudaMemcpyDefault));
  SAY(cudaMemcpy(host, p, 16, cudaMemcpyDefault));
  SAY(cudaMemcpy(host, host + 64, 16, cudaMemcpyDefault));
  SAY(cudaMemcpy(host, host + 64, 16, cudaMemcpyHostToHost));
  SAY(cudaMemcpy(p, q, 16, cudaMemcpyDefault));
  SAY(cudaMemcpy(p, host, 16, cudaMemcpyDeviceToHost));
  SAY(cudaMemcpy(host, p, 16, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy(host, p, 16, cudaMemcpyHostToHost));
  SAY(cudaMemcpy(p, host, 16, cudaMemcpyDeviceToDevice));
  SAY(cudaMemcpy(host, host + 64, 16, cudaMemcpyDeviceToDevice));
  SAY(cudaMemcpy(p, q, 16, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy(p, q, 16, cudaMemcpyDeviceToHost));
  SAY(cudaMemcpyAsync(p, host, 16, cudaMemcpyDeviceToHost));
  SAY(cudaMemcpyAsync(p, host, 16, cudaMemcpyHostToDevice, 0));
  SAY(cudaPeekAtLastError());
  SAY(cudaGetLastError());
  std::printf("sets\n");
  SAY(cudaMemset(p, 1, 1024));
  SAY(cudaMemset(nullptr, 1, 0));
  SAY(cudaMemset(nullptr, 1, 16));
  SAY(cudaMemset(host, 1, 16));
  SAY(cudaMemsetAsync(p, 1, 16));
  SAY(cudaMemset2D(p, 32, 1, 16, 4));
  SAY(cudaMemset2D(p, 16, 1, 32, 4));
  SAY(cudaGetLastError());
  std::printf("two and three dimensions\n");
  SAY(cudaMemcpy2D(p, 32, host, 16, 16, 4, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy2D(p, 16, host, 32, 32, 4, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy2D(p, 32, host, 16, 32, 4, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy2D(p, 32, host, 16, 0, 4, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy2D(p, 32, host, 16, 16, 0, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy2D(p, size_t{1} << 40, host, 16, 16, 1, cudaMemcpyHostToDevice));
  cudaMemcpy3DParms parms{};
  parms.dstPtr = make_cudaPitchedPtr(p, 32, 32, 4);
  parms.srcPtr = make_cudaPitchedPtr(host, 16, 16, 4);
  parms.extent = make_cudaExtent(16, 4, 2);
  parms.kind = cudaMemcpyHostToDevice;
  SAY(cudaMemcpy3D(&parms));
  parms.extent = make_cudaExtent(16, 4, 0);
  SAY(cudaMemcpy3D(&parms));
  parms.extent = make_cudaExtent(32, 4, 1);
  SAY(cudaMemcpy3D(&parms));
  SAY(cudaMemcpy3D(nullptr));
  SAY(cudaGetLastError());
}

void symbols() {
  std::printf("symbols\n");
  int host[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  void* address = nullptr;
  size_t bytes = 0;
  SAY(cudaMemcpyToSymbol(variable, host, 16));
  SAY(cudaMemcpyToSymbol(variable, host, 16, 4));
  SAY(cudaMemcpyToSymbol(variable, host, 20));
  SAY(cudaMemcpyToSymbol(constant, host, 8, 8));
  SAY(cudaMemcpyFromSymbol(host, constant, 16));
  SHOW(host[2]);
  SAY(cudaMemcpyFromSymbol(host, variable, 20));
  SAY(cudaMemcpyToSymbol(variable, host, 16, 0, cudaMemcpyDeviceToHost));
  SAY(cudaMemcpyFromSymbol(host, variable, 16, 0, cudaMemcpyHostToDevice));
  SAY(cudaMemcpyToSymbol(variable, host, 16, 0, cudaMemcpyDefault));
  SAY(cudaMemcpyToSymbol(host_variable, host, 16));
  SAY(cudaGetSymbolAddress(&address, variable));
  attributes_of("a __device__ variable", address);
  SAY(cudaGetSymbolAddress(&address, constant));
  attributes_of("a __constant__ variable", address);
  SAY(cudaGetSymbolAddress(&address, host_variable));
  SAY(cudaGetSymbolSize(&bytes, constant));
  SHOW(bytes);
  SAY(cudaGetSymbolSize(&bytes, host_variable));
  SAY(cudaGetSymbolAddress(&address, managed_variable));
  attributes_of("a __managed__ variable", address);
  SHOW(address == &managed_variable);
  managed_variable = 5;
  SHOW(managed_variable);
  SAY(cudaFree(address));
  SAY(cudaGetLastError());
}

int main() {
  allocation();
  copies();
  symbols();
}
