// The matrix products of bench/bottleneck.py, as bottleneck_forms.cu has the other kernels.
//
//   nvcc -std=c++17 -O3 -arch=sm_90a -lineinfo -I include -I bench/gpu bench/gpu/bottleneck_forms_gemm.cu -o bottleneck_forms_gemm
#include <cuda_bf16.h>

#include "bottleneck_forms.cuh"
#include "lanebank/kernels/gemm_steps.cuh"

using namespace bottleneck_forms;
using namespace lanebank;
using namespace lanebank::kernels;

namespace {

void products() {
  using Bfloat = __nv_bfloat16;
  constexpr std::uint32_t n = 4096;
  const Memory<Bfloat> a(std::size_t{n} * n), b(std::size_t{n} * n), c(std::size_t{n} * n);
  GemmMatrices<Bfloat, Bfloat> x;
  x.a = a.at, x.b = b.at, x.c = c.at;
  x.m = x.n = x.k = x.a_pitch = x.b_pitch = x.c_pitch = n;
  constexpr unsigned tiles = n / 128 * (n / 128);
  const auto step = [](const char* contender) { name("gemm", "4096 A*B^T", contender); };
  step("step: wmma, conflicts"), gemm_wmma<Bfloat, Bfloat><<<tiles, 128>>>(x, 8);
  step("step: ldmatrix, padded"), gemm_steps_padded<Bfloat, Bfloat><<<tiles, 128>>>(x, 8);
  step("step: ldmatrix, swizzled"), gemm_steps_swizzled<Bfloat, Bfloat><<<tiles, 128>>>(x, 8);
  check(cudaGetLastError());
}

}  // namespace

int main() {
  products();
  check(cudaDeviceSynchronize());
}
