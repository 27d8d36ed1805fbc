// Measuring kernels on a GPU, by rules that are believed: every contender is run in turn, sample by sample, so that clocks and
// temperature are the same for all; the L2 cache is overwritten before each sample; a sample is the time between two
// events on the stream, with a delay kernel in front so that the launch itself is not in it; at least 30 samples.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace gpu_bench {

#define GPU_CHECK(call)                                                                                  \
  do {                                                                                                   \
    const cudaError_t gpu_error = (call);                                                                \
    if (gpu_error != cudaSuccess) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(gpu_error)); \
      std::exit(1);                                                                                      \
    }                                                                                                    \
  } while (0)

struct Contender {
  std::string name;
  double bytes;  ///< moved per call, read and written
  std::function<void(cudaStream_t)> run;
  std::vector<float> milliseconds = {};

  double median_ms() const {
    std::vector<float> sorted = milliseconds;
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<long>(sorted.size() / 2), sorted.end());
    return sorted[sorted.size() / 2];
  }
  double gigabytes_per_second() const { return bytes / median_ms() * 1e-6; }
};

static __global__ void delay(long long cycles) {
  const long long began = clock64();
  while (clock64() - began < cycles) {
  }
}

class Bench {
 public:
  Bench() {
    int device = 0, l2 = 0;
    GPU_CHECK(cudaGetDevice(&device));
    GPU_CHECK(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, device));
    flush_bytes_ = static_cast<std::size_t>(l2) * 2;
    GPU_CHECK(cudaMalloc(&flush_, flush_bytes_));
    GPU_CHECK(cudaEventCreate(&begin_));
    GPU_CHECK(cudaEventCreate(&end_));
    GPU_CHECK(cudaStreamCreate(&stream_));
  }
  cudaStream_t stream() const { return stream_; }

  void measure(std::vector<Contender>& contenders, unsigned samples = 30) {
    for (Contender& one : contenders) one.run(stream_);
    for (unsigned sample = 0; sample < samples; ++sample)
      for (Contender& one : contenders) {
        GPU_CHECK(cudaMemsetAsync(flush_, static_cast<int>(sample), flush_bytes_, stream_));
        delay<<<1, 1, 0, stream_>>>(20000);
        GPU_CHECK(cudaEventRecord(begin_, stream_));
        one.run(stream_);
        GPU_CHECK(cudaEventRecord(end_, stream_));
        GPU_CHECK(cudaEventSynchronize(end_));
        float elapsed = 0;
        GPU_CHECK(cudaEventElapsedTime(&elapsed, begin_, end_));
        one.milliseconds.push_back(elapsed);
      }
    GPU_CHECK(cudaGetLastError());
  }

 private:
  void* flush_ = nullptr;
  std::size_t flush_bytes_ = 0;
  cudaEvent_t begin_{}, end_{};
  cudaStream_t stream_{};
};

/// The copy that others are measured by: 16 bytes per thread (faster than several on an H200).
static __global__ void __launch_bounds__(256) copy_vectors(uint4* target, const uint4* source, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * 256 + threadIdx.x;
  if (i < count) target[i] = source[i];
}

/// That copy as a contender: `bytes`, a multiple of 16, from `source` to `target`.
inline Contender copy_contender(void* target, const void* source, std::size_t bytes) {
  return {"copy, 16 bytes", 2.0 * static_cast<double>(bytes), [=](cudaStream_t stream) {
            copy_vectors<<<static_cast<unsigned>((bytes / 16 + 255) / 256), 256, 0, stream>>>(
                static_cast<uint4*>(target), static_cast<const uint4*>(source), bytes / 16);
          }};
}

/// Card, versions, clocks, power and temperature now, as lines of comment in CSV; `when` says which of several.
inline void print_machine(const char* when = "") {
  cudaDeviceProp properties{};
  int driver = 0, runtime = 0, device = 0;
  GPU_CHECK(cudaGetDevice(&device));
  GPU_CHECK(cudaGetDeviceProperties(&properties, device));
  GPU_CHECK(cudaDriverGetVersion(&driver));
  GPU_CHECK(cudaRuntimeGetVersion(&runtime));
  std::printf("# %s%s%s, %d multiprocessors, driver API %d, runtime %d\n", when, *when != 0 ? ": " : "",
              properties.name, properties.multiProcessorCount, driver, runtime);
  std::fflush(stdout);
  if (FILE* pipe = popen("nvidia-smi --query-gpu=driver_version,clocks.sm,clocks.mem,power.draw,power.limit,"
                         "temperature.gpu --format=csv,noheader 2>/dev/null",
                         "r")) {
    char line[256];
    while (std::fgets(line, sizeof line, pipe) != nullptr)
      std::printf("# driver, SM clock, memory clock, power, limit, temperature: %s", line);
    pclose(pipe);
  }
}

}  // namespace gpu_bench
