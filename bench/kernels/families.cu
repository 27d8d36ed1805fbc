// Kernels of this library at sizes that take lanebank a while: what bench/programs.py times.
//
//   families NAME      three launches of one family; the first also pays for reading the kernel
#include <cuda_bf16.h>

#include <cstdio>
#include <cstring>
#include <type_traits>

#include "lanebank/fft.cuh"
#include "lanebank/gemm.cuh"
#include "lanebank/histogram.cuh"
#include "lanebank/kernels/gemm_steps.cuh"
#include "lanebank/reduce.cuh"
#include "lanebank/scan.cuh"
#include "lanebank/stencil.cuh"

namespace {

constexpr std::size_t count = std::size_t{1} << 22;
constexpr unsigned launches = 3;

/// Device memory whose elements go from -1 to 1 where they are floats of any kind, else from 0 to 255.
template <class T>
T* memory(std::size_t elements) {
  T* result = nullptr;
  if (cudaMallocManaged(&result, elements * sizeof(T)) != cudaSuccess) return nullptr;
  for (std::size_t i = 0; i < elements; ++i) {
    const auto number = static_cast<float>(static_cast<int>(i * 2654435761u >> 16 & 255) - 128) / 128;
    if constexpr (std::is_integral_v<T>)
      result[i] = static_cast<T>(i * 2654435761u >> 16 & 255);
    else if constexpr (std::is_same_v<T, float2>)
      result[i] = {number, number};
    else
      result[i] = T(number);
  }
  return result;
}
template <class T>
T* zeros(std::size_t elements) {
  T* result = memory<T>(elements);
  std::memset(result, 0, elements * sizeof(T));
  return result;
}

lanebank::GemmMatrices<__nv_bfloat16, __nv_bfloat16> matrices(unsigned n) {
  lanebank::GemmMatrices<__nv_bfloat16, __nv_bfloat16> x;
  x.a = memory<__nv_bfloat16>(n * n);
  x.b = memory<__nv_bfloat16>(n * n);
  x.c = memory<__nv_bfloat16>(n * n);
  x.m = x.n = x.k = x.a_pitch = x.b_pitch = x.c_pitch = n;
  return x;
}

template <class F>
bool repeat(F launch) {
  bool well = true;
  for (unsigned i = 0; i < launches; ++i) well &= launch() && cudaDeviceSynchronize() == cudaSuccess;
  return well;
}

bool run(const char* name) {
  using namespace lanebank;
  const auto is = [name](const char* other) { return std::strcmp(name, other) == 0; };
  const auto done = [](Status status) { return status == Status::success; };
  if (is("reduce")) {
    const std::size_t bytes = reduce_workspace_bytes<float>();
    const float* source = memory<float>(count);
    float* result = memory<float>(1);
    void* workspace = zeros<char>(bytes);
    return repeat([&] { return done(reduce<kernels::Sum>(source, count, result, workspace, bytes)); });
  }
  if (is("scan")) {
    const std::size_t bytes = scan_workspace_bytes<int>(count);
    const int* source = memory<int>(count);
    int* target = memory<int>(count);
    void* workspace = zeros<char>(bytes);
    return repeat([&] { return done(inclusive_scan(source, target, count, workspace, bytes)); });
  }
  if (is("histogram")) {
    const unsigned char* source = memory<unsigned char>(count);
    unsigned* bins = memory<unsigned>(256);
    void* workspace = zeros<char>(histogram_workspace_bytes());
    return repeat([&] { return done(histogram(source, count, bins, workspace, histogram_workspace_bytes())); });
  }
  if (is("fft")) {
    const float2* source = memory<float2>(count);
    float2* target = memory<float2>(count);
    return repeat([&] { return done(fft(1024, source, target, count / 1024)); });
  }
  if (is("stencil")) {
    const float* source = memory<float>(count);
    float* target = memory<float>(count);
    return repeat([&] { return done(stencil_3d(source, 256, target, 256, 256, 128, 128, StarWeights<3, 1>{})); });
  }
  const auto x = matrices(512);
  if (is("wmma") || is("ldmatrix")) {
    const auto kernel = is("wmma") ? kernels::gemm_wmma<__nv_bfloat16, __nv_bfloat16>
                                   : kernels::gemm_steps_swizzled<__nv_bfloat16, __nv_bfloat16>;
    return repeat([&] {
      kernel<<<16, 128>>>(x, 4);
      return cudaGetLastError() == cudaSuccess;
    });
  }
  if (is("cp.async")) return repeat([&] { return done(gemm(x, nullptr, GemmKernel::multistage)); });
  if (is("mma.sync")) return repeat([&] { return done(gemm(x, nullptr, GemmKernel::mma_ring)); });
  if (is("wgmma")) return repeat([&] { return done(gemm(x, nullptr, GemmKernel::wgmma)); });
  return false;
}

}  // namespace

int main(int arguments, char** argument) {
  const bool well = arguments == 2 && run(argument[1]);
  if (!well) std::fprintf(stderr, "families: %s failed\n", arguments == 2 ? argument[1] : "no name:");
  return well ? 0 : 1;
}
