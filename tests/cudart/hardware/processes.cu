// Forks, device printf, and ends without synchronising.
#include "say.hpp"

__global__ void say_hello(int n) { printf("hello from the device %d\n", n); }
__global__ void store(int* p, int n) { *p = n; }

int main() {
  in_a_process("printf order", [] {
    std::printf("  host 1\n");
    say_hello<<<1, 2>>>(1);
    std::printf("  host 2\n");
    SAY(cudaDeviceSynchronize());
    std::printf("  host 3\n");
  });
  in_a_process("printf, synchronised by a copy", [] {
    int *p = nullptr, host = 0;
    cudaMalloc(&p, 4);
    say_hello<<<1, 1>>>(2);
    std::printf("  host 1\n");
    SAY(cudaMemcpy(&host, p, 4, cudaMemcpyDeviceToHost));
    std::printf("  host 2\n");
    SAY(cudaDeviceSynchronize());
    std::printf("  host 3\n");
  });
  in_a_process("printf, synchronised by an event", [] {
    cudaEvent_t e;
    cudaEventCreate(&e);
    say_hello<<<1, 1>>>(3);
    cudaEventRecord(e);
    std::printf("  host 1\n");
    SAY(cudaEventSynchronize(e));
    std::printf("  host 2\n");
    SAY(cudaDeviceReset());
    std::printf("  host 3\n");
  });
  in_a_process("a fault without a call after it", [] {
    int *p = nullptr, *q = nullptr;
    SAY(cudaMalloc(&p, 4));
    store<<<1, 1>>>(nullptr, 1);
    usleep(200000);
    SAY(cudaPeekAtLastError());
    SAY(cudaMalloc(&q, 4));
  });
  std::printf("fork after the first call\n");
  int* p = nullptr;
  SAY(cudaMalloc(&p, 4));
  std::fflush(stdout);
  if (fork() == 0) {
    int* q = nullptr;
    int count = 0, host = 0;
    SAY(cudaMalloc(&q, 4));
    SAY(cudaGetLastError());
    SAY(cudaGetLastError());
    SAY(cudaGetDeviceCount(&count));
    SAY(cudaGetDevice(&count));
    SAY(cudaSetDevice(0));
    SAY(cudaMemcpy(&host, p, 4, cudaMemcpyDeviceToHost));
    store<<<1, 1>>>(p, 1);
    SAY(cudaGetLastError());
    SAY(cudaDeviceSynchronize());
    SAY(cudaRuntimeGetVersion(&count));
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  wait(&status);
  store<<<1, 1>>>(p, 7);
  int host = 0;
  SAY(cudaMemcpy(&host, p, 4, cudaMemcpyDeviceToHost));
  SHOW(host);
}
