// What the programs of bench/bottleneck.py share: the lines that name launches, device memory that is never filled.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "lanebank/status.hpp"

namespace bottleneck_forms {

inline void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}
inline void check(lanebank::Status status) {
  if (status == lanebank::Status::success) return;
  std::fprintf(stderr, "%s\n", status_name(status));
  std::exit(1);
}

template <class T>
struct Memory {
  explicit Memory(std::size_t count) { check(cudaMalloc(&at, count * sizeof(T))); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { cudaFree(at); }
  T* at = nullptr;
};

inline void name(const std::string& family, const std::string& what, const char* contender) {
  std::printf("launch %s|%s|%s\n", family.c_str(), what.c_str(), contender);
}

}  // namespace bottleneck_forms
