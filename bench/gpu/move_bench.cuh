// What the benchmarks of kernels that only move bytes share: the card's line, matrices on the device, a check of every element
// on the device, rows of figures.
//
//   stdout   family,case,contender,bytes,ms,GBps,of_peer     CSV; of_peer: of the faster of the two copies of the same bytes
//   stderr   the same for people, and at the end the lowest and the median figure of each group
//
// Bytes are read and written ones. A case whose result is wrong ends the program.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "gpu_bench.cuh"

namespace move_bench {

inline void print_card() {
  int runtime = 0, driver = 0;
  GPU_CHECK(cudaRuntimeGetVersion(&runtime));
  GPU_CHECK(cudaDriverGetVersion(&driver));
  std::fprintf(
      stderr, "CUDA runtime %d, driver interface %d; name, driver, SM clock, memory clock, power limit, temperature:\n",
      runtime, driver);
  const char* query =
      "nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem,power.limit,temperature.gpu "
      "--format=csv,noheader 1>&2";
  if (std::system(query) != 0) std::fprintf(stderr, "(no nvidia-smi)\n");
}

static __global__ void fill_with_hash(std::uint32_t* words, std::size_t count) {
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += std::size_t{gridDim.x} * blockDim.x) {
    std::uint32_t x = static_cast<std::uint32_t>(i) * 0x9e3779b9u;
    x = (x ^ x >> 16) * 0x85ebca6bu;
    words[i] = x ^ x >> 13;
  }
}

/// Six nested loops over elements: where element (i_0, ..., i_5) lies in the source and in the target.
struct Loops {
  std::uint64_t extent[6] = {1, 1, 1, 1, 1, 1}, source_stride[6] = {}, target_stride[6] = {};
  std::uint64_t count() const { return extent[0] * extent[1] * extent[2] * extent[3] * extent[4] * extent[5]; }
};

static __global__ void count_wrong(Loops loops, std::uint64_t count, unsigned bytes, const unsigned char* source,
                                   const unsigned char* target, unsigned long long* wrong) {
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += std::uint64_t{gridDim.x} * blockDim.x) {
    std::uint64_t rest = i;
    const unsigned char *from = source, *to = target;
    for (unsigned n = 6; n-- > 0;) {
      const std::uint64_t index = rest % loops.extent[n];
      rest /= loops.extent[n];
      from += index * loops.source_stride[n];
      to += index * loops.target_stride[n];
    }
    bool same = true;
    for (unsigned b = 0; b < bytes; ++b) same = same && from[b] == to[b];
    if (!same) atomicAdd(wrong, 1ull);
  }
}

/// Source and target of one size for all cases.
class Memory {
 public:
  explicit Memory(std::size_t bytes) : bytes_(bytes) {
    GPU_CHECK(cudaMalloc(&source_, bytes));
    GPU_CHECK(cudaMalloc(&target_, bytes));
    GPU_CHECK(cudaMalloc(&wrong_, sizeof(unsigned long long)));
    fill_with_hash<<<2048, 256>>>(reinterpret_cast<std::uint32_t*>(source_), bytes / 4);
    GPU_CHECK(cudaDeviceSynchronize());
  }
  unsigned char* source() const { return source_; }
  unsigned char* target() const { return target_; }
  std::size_t bytes() const { return bytes_; }
  void clear(std::size_t bytes) { GPU_CHECK(cudaMemset(target_, 0, bytes)); }
  void copy_to_target(std::size_t bytes) { GPU_CHECK(cudaMemcpy(target_, source_, bytes, cudaMemcpyDeviceToDevice)); }

  /// Compares every element; the loops begin so many bytes into the source and the target.
  void require_right(const char* what, const Loops& loops, unsigned element_bytes, std::size_t source_offset = 0,
                     std::size_t target_offset = 0) {
    unsigned long long wrong = 0;
    GPU_CHECK(cudaDeviceSynchronize());
    GPU_CHECK(cudaMemset(wrong_, 0, sizeof wrong));
    count_wrong<<<4096, 256>>>(loops, loops.count(), element_bytes, source_ + source_offset, target_ + target_offset,
                               wrong_);
    GPU_CHECK(cudaMemcpy(&wrong, wrong_, sizeof wrong, cudaMemcpyDeviceToHost));
    if (wrong == 0) return;
    std::fprintf(stderr, "%s: %llu elements are wrong\n", what, wrong);
    std::exit(1);
  }

 private:
  std::size_t bytes_;
  unsigned char *source_ = nullptr, *target_ = nullptr;
  unsigned long long* wrong_ = nullptr;
};

/// The two copies of so many bytes, rounded up to 16.
inline std::vector<gpu_bench::Contender> copies(const Memory& memory, std::size_t bytes) {
  const std::size_t rounded = (bytes + 15) / 16 * 16;
  unsigned char *from = memory.source(), *to = memory.target();
  return {{"memcpy", 2.0 * bytes,
           [=](cudaStream_t s) { GPU_CHECK(cudaMemcpyAsync(to, from, rounded, cudaMemcpyDeviceToDevice, s)); }},
          {"copy 16 B", 2.0 * bytes, [=](cudaStream_t s) {
             const std::size_t count = rounded / 16;
             gpu_bench::copy_vectors<<<static_cast<unsigned>((count + 255) / 256), 256, 0, s>>>(
                 reinterpret_cast<uint4*>(to), reinterpret_cast<const uint4*>(from), count);
           }}};
}

/// Prints rows and keeps the figures by group.
class Table {
 public:
  explicit Table(std::string family) : family_(std::move(family)) {
    std::printf("family,case,contender,bytes,ms,GBps,of_peer\n");
  }
  /// The first two contenders are the copies; the figure of those called `ours` goes to the group.
  void add(const std::string& name_of_group, const std::string& name,
           const std::vector<gpu_bench::Contender>& contenders, const std::string& ours = "lanebank") {
    for (const gpu_bench::Contender& c : contenders) {
      const double rate = c.gigabytes_per_second(), of_copy = rate / copy_rate(contenders);
      std::printf("%s,%s,%s,%.0f,%.5f,%.1f,%.4f\n", family_.c_str(), name.c_str(), c.name.c_str(), c.bytes,
                  c.median_ms(), rate, of_copy);
      std::fprintf(stderr, "%-44s %-34s %10.4f ms %8.1f GB/s %7.3f\n", name.c_str(), c.name.c_str(), c.median_ms(),
                   rate, of_copy);
    }
    std::fflush(stdout);
    group(name_of_group, contenders, ours);
  }
  /// The figure goes to one more group.
  void group(const std::string& name_of_group, const std::vector<gpu_bench::Contender>& contenders,
             const std::string& ours = "lanebank") {
    for (const gpu_bench::Contender& c : contenders)
      if (c.name == ours) groups_[name_of_group].push_back(c.gigabytes_per_second() / copy_rate(contenders));
  }
  void print_groups() const {
    for (const auto& [group, figures] : groups_) {
      std::vector<double> sorted = figures;
      std::sort(sorted.begin(), sorted.end());
      std::fprintf(stderr, "%-32s %3zu cases: lowest %.3f, median %.3f of copy\n", group.c_str(), sorted.size(),
                   sorted.front(), sorted[sorted.size() / 2]);
      std::printf("%s,%s,lowest,,,,%.4f\n%s,%s,median,,,,%.4f\n", family_.c_str(), group.c_str(), sorted.front(),
                  family_.c_str(), group.c_str(), sorted[sorted.size() / 2]);
    }
  }

 private:
  static double copy_rate(const std::vector<gpu_bench::Contender>& contenders) {
    return std::max(contenders[0].gigabytes_per_second(), contenders[1].gigabytes_per_second());
  }

  std::string family_;
  std::map<std::string, std::vector<double>> groups_;
};

}  // namespace move_bench
