// What the tests of the kernels share: arrays on the device, random data from a printed seed, one line per case.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

namespace kernel_test {

/// Repeatable random words.
struct Random {
  std::uint64_t state;
  explicit Random(std::uint64_t seed) : state(seed) {}
  std::uint32_t next() {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<std::uint32_t>(state >> 33);
  }
  /// In [-limit, limit].
  int within(int limit) { return static_cast<int>(next() % (2u * static_cast<unsigned>(limit) + 1)) - limit; }
  /// In [-1, 1).
  float unit() { return static_cast<float>(next()) / 1073741824.0f - 1.0f; }
};

/// An array on the device, `skipped` elements behind an allocation's begin.
template <class T>
class Device {
 public:
  explicit Device(std::size_t count, std::size_t skipped = 0) : count_(count), skipped_(skipped) {
    cudaMalloc(&memory_, (count + skipped + 1) * sizeof(T));
    cudaMemset(memory_, 0, (count + skipped + 1) * sizeof(T));
  }
  Device(const std::vector<T>& values, std::size_t skipped = 0) : Device(values.size(), skipped) {
    if (!values.empty()) cudaMemcpy(get(), values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  ~Device() { cudaFree(memory_); }
  T* get() const { return memory_ + skipped_; }
  std::vector<T> values() const {
    std::vector<T> result(count_);
    if (cudaMemcpy(result.data(), get(), count_ * sizeof(T), cudaMemcpyDeviceToHost) != cudaSuccess) {
      std::printf("device fault: %s\n", cudaGetErrorString(cudaGetLastError()));
      std::memset(static_cast<void*>(result.data()), 0xa5, count_ * sizeof(T));
    }
    return result;
  }

 private:
  T* memory_ = nullptr;
  std::size_t count_, skipped_;
};

template <class T>
std::size_t differences(const std::vector<T>& found, const std::vector<T>& wanted) {
  std::size_t wrong = found.size() != wanted.size();
  for (std::size_t i = 0; wrong == 0 && i < found.size(); ++i)
    wrong += std::memcmp(&found[i], &wanted[i], sizeof(T)) != 0;
  return wrong;
}

/// Prints a case's line; 1 when it is wrong.
inline int report(const char* name, std::size_t size, bool right) {
  std::printf("%-44s %9zu: %s\n", name, size, right ? "right" : "WRONG");
  return right ? 0 : 1;
}

}  // namespace kernel_test
