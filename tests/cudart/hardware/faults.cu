// Kernels that fault, and what the calls after them return.
#include <cassert>

#include "say.hpp"

__global__ void null_store(int* p) { *p = 1; }
__global__ void wild_load(int* p, int* out) { *out = p[size_t{1} << 40]; }
__global__ void misaligned(char* p) { *reinterpret_cast<int*>(p + 1) = 1; }
__global__ void shared_past_the_end(int* p, int i) {
  __shared__ int words[16];
  words[threadIdx.x % 16] = 1;
  __syncthreads();
  *p = words[i];
}
__global__ void shared_misaligned(int* p, int i) {
  __shared__ __align__(8) char bytes[64];
  bytes[threadIdx.x] = 1;
  __syncthreads();
  *p = *reinterpret_cast<int*>(bytes + i);
}
__global__ void traps(int* p) { if (p) asm("trap;"); }
__global__ void asserts(int* p) { assert(p == nullptr && "p must be null"); }
__global__ void prints_then_traps(int* p) {
  printf("before the trap\n");
  if (p) asm("trap;");
}

template <class Launch>
void sequence(const char* title, Launch launch) {
  in_a_process(title, [&] {
    int *p = nullptr, *q = nullptr, host = 0, device = 0;
    float ms = 0;
    cudaStream_t stream, stream2;
    cudaEvent_t event, event2;
    size_t free_bytes, total_bytes;
    cudaFuncAttributes attributes;
    cudaDeviceProp properties;
    SAY(cudaMalloc(&p, 1024));
    SAY(cudaStreamCreate(&stream));
    SAY(cudaEventCreate(&event));
    launch(p);
    SAY(cudaPeekAtLastError());
    SAY(cudaGetLastError());
    SAY(cudaDeviceSynchronize());
    SAY(cudaPeekAtLastError());
    SAY(cudaGetLastError());
    SAY(cudaGetLastError());
    SAY(cudaDeviceSynchronize());
    SAY(cudaMalloc(&q, 1024));
    SAY(cudaMemcpy(&host, p, 4, cudaMemcpyDeviceToHost));
    SAY(cudaMemset(p, 0, 4));
    SAY(cudaGetDevice(&device));
    SAY(cudaSetDevice(0));
    SAY(cudaGetDeviceCount(&device));
    SAY(cudaGetDeviceProperties(&properties, 0));
    SAY(cudaMemGetInfo(&free_bytes, &total_bytes));
    SAY(cudaStreamCreate(&stream2));
    SAY(cudaStreamQuery(stream));
    SAY(cudaStreamSynchronize(stream));
    SAY(cudaEventCreate(&event2));
    SAY(cudaEventRecord(event, stream));
    SAY(cudaEventQuery(event));
    SAY(cudaEventElapsedTime(&ms, event, event));
    SAY(cudaFuncGetAttributes(&attributes, traps));
    traps<<<1, 1>>>(nullptr);
    SAY(cudaPeekAtLastError());
    SAY(cudaStreamDestroy(stream));
    SAY(cudaEventDestroy(event));
    SAY(cudaFree(p));
    SAY(cudaRuntimeGetVersion(&device));
    SAY(cudaDeviceReset());
    SAY(cudaPeekAtLastError());
    SAY(cudaGetLastError());
    SAY(cudaGetLastError());
    SAY(cudaMalloc(&q, 1024));
    SAY(cudaDeviceSynchronize());
  });
}

int main() {
  sequence("store through a null pointer", [](int*) { null_store<<<1, 1>>>(nullptr); });
  sequence("load from a wild address", [](int* p) { wild_load<<<1, 1>>>(p, p); });
  sequence("misaligned store", [](int* p) { misaligned<<<1, 1>>>(reinterpret_cast<char*>(p)); });
  sequence("load past the end of shared memory", [](int* p) { shared_past_the_end<<<1, 1>>>(p, 1 << 20); });
  sequence("misaligned shared load", [](int* p) { shared_misaligned<<<1, 1>>>(p, 2); });
  sequence("trap", [](int* p) { traps<<<1, 1>>>(p); });
  sequence("assert", [](int* p) { asserts<<<1, 1>>>(p); });
  sequence("printf, then trap", [](int* p) { prints_then_traps<<<1, 1>>>(p); });
}
