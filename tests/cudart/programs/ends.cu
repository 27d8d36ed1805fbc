// Launches one kernel, then ends in the way that the argument names.
#include <cuda_runtime.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

__global__ void one(int* p) { *p = 1; }

static void launch() {
  int* p;
  cudaMalloc(&p, 4);
  one<<<1, 1>>>(p);
  int value = 0;
  cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost);
  std::printf("launched %d\n", value);
  std::fflush(stdout);
}

struct AtExit {
  ~AtExit() { launch(); }
};

int main(int argc, char** argv) {
  const char* way = argc > 1 ? argv[1] : "return";
  if (!std::strcmp(way, "fork")) {  // CUDA begins in the children
    for (int i = 0; i < 2; ++i)
      if (fork() == 0) {
        launch();
        _exit(0);
      }
    while (wait(nullptr) > 0) {}
    launch();
    return 0;
  }
  if (!std::strcmp(way, "exec")) {
    launch();
    execl("/proc/self/exe", argv[0], "return", nullptr);
  }
  if (!std::strcmp(way, "destructor")) {
    static AtExit at_exit;
    return 0;
  }
  if (!std::strcmp(way, "threads")) {
    std::thread a(launch), b(launch), c(launch);
    a.join(), b.join(), c.join();
    return 0;
  }
  launch();
  if (!std::strcmp(way, "abort")) std::abort();
  if (!std::strcmp(way, "_exit")) _exit(3);
  if (!std::strcmp(way, "kill")) raise(SIGKILL);
  if (!std::strcmp(way, "segv")) *static_cast<volatile int*>(nullptr) = 1;
  return 0;
}
