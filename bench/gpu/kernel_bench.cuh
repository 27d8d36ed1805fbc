// What the benchmarks of the kernels' families share: the machine's line, data, comparison, rows.
//
// stdout, CSV:  family,case,contender,bytes,ms,GBps,of_peer     GBps: bytes (read and written, each once) / median time
//               target,<what>,<figure>,<goal>                   at the end (targets.cuh)
// stderr:       the same as a table
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>

#include "gpu_bench.cuh"
#include "lanebank/status.hpp"
#include "targets.cuh"

namespace kernel_bench {

using gpu_bench::Bench;
using gpu_bench::Contender;
using gpu_bench::print_machine;

/// Ends the program when a call was refused.
inline void demand(lanebank::Status status) {
  if (status == lanebank::Status::success) return;
  std::fprintf(stderr, "%s\n", status_name(status));
  std::exit(1);
}

inline void print_header() { std::printf("family,case,contender,bytes,ms,GBps,of_peer\n"); }

/// A row for each contender; `peer`: index of the one that the others are divided by.
inline void print_rows(const char* family, const std::string& name, const std::vector<Contender>& contenders,
                       std::size_t peer) {
  for (const Contender& one : contenders) {
    const double of_peer = contenders[peer].median_ms() / one.median_ms();
    std::printf("%s,\"%s\",\"%s\",%.0f,%.5f,%.0f,%.3f\n", family, name.c_str(), one.name.c_str(), one.bytes,
                one.median_ms(), one.gigabytes_per_second(), of_peer);
    std::fprintf(stderr, "%-10s %-28s %-30s %9.4f ms %7.0f GB/s %7.3f\n", family, name.c_str(), one.name.c_str(),
                 one.median_ms(), one.gigabytes_per_second(), of_peer);
  }
  std::fflush(stdout);
}

/// The figure of contender "lanebank", where there is one, counts for a target.
inline void add_target(const char* what, const std::vector<Contender>& contenders, std::size_t peer, double goal) {
  for (const Contender& one : contenders)
    if (one.name == "lanebank") gpu_bench::targets().add(what, contenders[peer].median_ms() / one.median_ms(), goal);
}

/// At the end of a program.
inline void print_end() {
  print_machine();
  gpu_bench::targets().print();
}

/// Device memory, freed at the end.
template <class T>
struct Buffer {
  explicit Buffer(std::size_t count) : count(count) {
    GPU_CHECK(cudaMalloc(&memory, count * sizeof(T)));
    GPU_CHECK(cudaMemset(memory, 0, count * sizeof(T)));
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { cudaFree(memory); }
  T* get() const { return memory; }
  T* memory = nullptr;
  std::size_t count;
};

/// Repeatable data: hash(index) as `Make` makes a T of it.
template <class T, class Make>
__global__ void fill_kernel(T* target, std::size_t count, Make make) {
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += std::size_t{gridDim.x} * blockDim.x) {
    std::uint64_t x = (i + 1) * 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    target[i] = make(static_cast<std::uint32_t>((x ^ x >> 27) >> 16));
  }
}
template <class T, class Make>
void fill(const Buffer<T>& buffer, Make make) {
  fill_kernel<<<2048, 256>>>(buffer.get(), buffer.count, make);
  GPU_CHECK(cudaDeviceSynchronize());
}

template <class T>
__global__ void count_differences(const T* a, const T* b, std::size_t count, unsigned long long* differences) {
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += std::size_t{gridDim.x} * blockDim.x)
    if (a[i] != b[i]) atomicAdd(differences, 1ull);
}

/// Ends the program when the buffers differ anywhere in the first `count` elements.
template <class T>
void demand_equal(const char* what, const Buffer<T>& a, const Buffer<T>& b, std::size_t count) {
  const Buffer<unsigned long long> found(1);
  count_differences<<<2048, 256>>>(a.get(), b.get(), count, found.get());
  unsigned long long differences = 0;
  GPU_CHECK(cudaMemcpy(&differences, found.get(), sizeof differences, cudaMemcpyDeviceToHost));
  if (differences == 0) return;
  std::fprintf(stderr, "WRONG: %s: %llu of %zu differ\n", what, differences, count);
  std::exit(1);
}

inline bool has_argument(int argc, char** argv, const char* word) {
  for (int i = 1; i < argc; ++i)
    if (std::strcmp(argv[i], word) == 0) return true;
  return false;
}

}  // namespace kernel_bench
