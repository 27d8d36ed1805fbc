// What the benches of the matrix product share: matrices of standard normal numbers, cuBLAS, the check against it, the rate of
// a loop of nothing but mma.sync, and the rows that are printed.
#pragma once

#include <cublas_v2.h>
#include <cuda_bf16.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "gpu_bench.cuh"
#include "lanebank/gemm.cuh"

namespace gemm_bench {

using Bfloat = __nv_bfloat16;
using Matrices = lanebank::GemmMatrices<Bfloat, Bfloat>;

__device__ inline std::uint32_t hash(std::uint64_t x) {
  x = (x ^ x >> 31) * 0x7fb5d329728ea185ull;
  x = (x ^ x >> 27) * 0x81dadef4bc2dd44dull;
  return static_cast<std::uint32_t>(x >> 32 ^ x);
}
__device__ inline float normal(std::uint64_t i, std::uint64_t seed) {
  const float u = (hash(2 * i + seed) + 1.f) * 2.3283064e-10f, v = hash(2 * i + 1 + seed) * 2.3283064e-10f;
  return sqrtf(-2.f * logf(fminf(u, 1.f))) * cospif(2.f * v);
}
static __global__ void fill_normal(Bfloat* matrix, std::size_t count, std::uint64_t seed) {
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    matrix[i] = __float2bfloat16(normal(i, seed));
}
/// Counts elements that differ by more than one rounding to bfloat16 and the float sums' own differences.
static __global__ void count_wrong(const Bfloat* found, const Bfloat* wanted, std::uint64_t rows, std::uint64_t columns,
                                   std::uint64_t pitch, float noise, unsigned long long* wrong) {
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < rows * columns;
       i += gridDim.x * blockDim.x) {
    const std::size_t at = i / columns * pitch + i % columns;
    const float f = __bfloat162float(found[at]), w = __bfloat162float(wanted[at]);
    if (!(fabsf(f - w) <= fabsf(w) / 128 + noise)) atomicAdd(wrong, 1ull);
  }
}

/// 8 warps on every multiprocessor, each with the sums of a 64 x 64 warp tile, and nothing but mma.sync on normal numbers.
static __global__ void __launch_bounds__(256, 1) mma_loop(float* out, unsigned rounds, float scale) {
  lanebank::kernels::WarpFragments<Bfloat, lanebank::kernels::MmaRingShape<lanebank::MatrixB::n_by_k>> fragments;
  const auto random = [&](unsigned i) {
    return lanebank::kernels::pack<Bfloat>(scale * normal(threadIdx.x * 64 + 2 * i, blockIdx.x),
                                           scale * normal(threadIdx.x * 64 + 2 * i + 1, blockIdx.x));
  };
  for (unsigned i = 0; i < 16; ++i) {
    fragments.a[i / 4][i % 4] = random(i);
    fragments.b[0][i / 4][i % 4] = random(16 + i);
  }
  float sums[4][8][4] = {};
#pragma unroll 1
  for (unsigned round = 0; round < rounds; ++round)
#pragma unroll
    for (unsigned f = 0; f < 4; ++f) fragments.multiply(sums, f);
  float total = 0;
  for (const auto& row : sums)
    for (const auto& sum : row)
      for (const float x : sum) total += x;
  out[std::size_t{blockIdx.x} * 256 + threadIdx.x] = total;
}

/// The loop on every multiprocessor, for as much work as a product.
class MmaLoop {
 public:
  explicit MmaLoop(double flops_wanted) {
    GPU_CHECK(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, 0));
    GPU_CHECK(cudaMalloc(&out_, sizeof(float) * 256 * static_cast<std::size_t>(multiprocessors_)));
    rounds_ = static_cast<unsigned>(flops_wanted / flops_per_round / multiprocessors_) + 1;
  }
  ~MmaLoop() { cudaFree(out_); }
  MmaLoop(const MmaLoop&) = delete;
  MmaLoop& operator=(const MmaLoop&) = delete;
  double flops() const { return rounds_ * flops_per_round * multiprocessors_; }
  gpu_bench::Contender contender(const char* name, float scale) const {
    return {name, 0, [this, scale](cudaStream_t stream) {
              mma_loop<<<multiprocessors_, 256, 0, stream>>>(out_, rounds_, scale);
            }};
  }

 private:
  static constexpr double flops_per_round = 8.0 * 32 * 2 * 16 * 8 * 16;  // of a multiprocessor
  int multiprocessors_ = 0;
  float* out_ = nullptr;
  unsigned rounds_ = 0;
};

/// The matrices of a case, and C by cuBLAS.
struct Problem {
  Matrices x;
  Bfloat *a = nullptr, *b = nullptr, *wanted = nullptr;
  lanebank::MatrixB b_is;

  Problem(std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint64_t pitch_of, lanebank::MatrixB matrix_b)
      : b_is(matrix_b) {
    const bool n_by_k = matrix_b == lanebank::MatrixB::n_by_k;
    const auto pitch = [&](std::uint64_t width) { return (width + pitch_of - 1) / pitch_of * pitch_of; };
    x.m = m, x.n = n, x.k = k;
    x.a_pitch = pitch(k), x.b_pitch = pitch(n_by_k ? k : n), x.c_pitch = pitch(n);
    const std::size_t count_a = m * x.a_pitch, count_b = (n_by_k ? n : k) * x.b_pitch, count_c = m * x.c_pitch;
    GPU_CHECK(cudaMalloc(&a, count_a * 2));
    GPU_CHECK(cudaMalloc(&b, count_b * 2));
    GPU_CHECK(cudaMalloc(&x.c, count_c * 2));
    GPU_CHECK(cudaMalloc(&wanted, count_c * 2));
    fill_normal<<<1024, 256>>>(a, count_a, 1);
    fill_normal<<<1024, 256>>>(b, count_b, std::uint64_t{1} << 40);
    GPU_CHECK(cudaDeviceSynchronize());
    x.a = a, x.b = b;
  }
  ~Problem() { cudaFree(a), cudaFree(b), cudaFree(x.c), cudaFree(wanted); }
  Problem(const Problem&) = delete;
  Problem& operator=(const Problem&) = delete;

  double flops() const { return 2.0 * static_cast<double>(x.m) * static_cast<double>(x.n) * static_cast<double>(x.k); }
  double bytes() const { return 2.0 * static_cast<double>(x.m * x.k + x.n * x.k + x.m * x.n); }

  void cublas(cublasHandle_t handle, Bfloat* c, cudaStream_t stream) const {
    const float one = 1, zero = 0;
    cublasSetStream(handle, stream);
    const auto status =
        cublasGemmEx(handle, b_is == lanebank::MatrixB::n_by_k ? CUBLAS_OP_T : CUBLAS_OP_N, CUBLAS_OP_N,
                     static_cast<int>(x.n), static_cast<int>(x.m), static_cast<int>(x.k), &one, b, CUDA_R_16BF,
                     static_cast<int>(x.b_pitch), a, CUDA_R_16BF, static_cast<int>(x.a_pitch), &zero, c, CUDA_R_16BF,
                     static_cast<int>(x.c_pitch), CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
    if (status != CUBLAS_STATUS_SUCCESS) {
      std::fprintf(stderr, "cublasGemmEx: status %d\n", static_cast<int>(status));
      std::exit(1);
    }
  }
  /// Runs once on a poisoned C and compares with cuBLAS.
  bool right(const gpu_bench::Contender& one, cudaStream_t stream) const {
    unsigned long long *wrong = nullptr, count = 0;
    GPU_CHECK(cudaMalloc(&wrong, sizeof count));
    GPU_CHECK(cudaMemset(wrong, 0, sizeof count));
    GPU_CHECK(cudaMemset(x.c, 0xff, x.m * x.c_pitch * 2));
    GPU_CHECK(cudaDeviceSynchronize());
    one.run(stream);
    GPU_CHECK(cudaStreamSynchronize(stream));
    const float noise = std::sqrt(static_cast<float>(x.k)) / 4096;
    count_wrong<<<1024, 256>>>(x.c, wanted, x.m, x.n, x.c_pitch, noise, wrong);
    GPU_CHECK(cudaMemcpy(&count, wrong, sizeof count, cudaMemcpyDeviceToHost));
    cudaFree(wrong);
    if (count != 0)
      std::fprintf(stderr, "%s: %llu of %llu elements WRONG\n", one.name.c_str(), count,
                   static_cast<unsigned long long>(x.m * x.n));
    return count == 0;
  }
};

/// A kernel of lanebank as a contender; a refused call ends the program.
template <class Call>
gpu_bench::Contender contender(const std::string& name, const Problem& problem, Call call) {
  return {name, problem.bytes(), [name, &problem, call](cudaStream_t stream) {
            const lanebank::Status error = call(problem.x, stream);
            if (error == lanebank::Status::success) return;
            std::fprintf(stderr, "%s: %s (%s)\n", name.c_str(), status_name(error),
                         cudaGetErrorString(cudaGetLastError()));
            std::exit(1);
          }};
}

/// A kernel of gemm_steps.cuh as a contender.
inline gpu_bench::Contender step_contender(const std::string& name, const Problem& problem,
                                           void (*kernel)(Matrices, std::uint32_t)) {
  return contender(name, problem, [kernel](const Matrices& x, cudaStream_t stream) {
    const auto tiles = static_cast<unsigned>((x.m + 127) / 128 * ((x.n + 127) / 128));
    kernel<<<tiles, 128, 0, stream>>>(x, 16);
    return cudaPeekAtLastError() == cudaSuccess ? lanebank::Status::success : lanebank::Status::launch_failed;
  });
}

using gpu_bench::print_machine;

inline double teraflops(const gpu_bench::Contender& one, double flops) { return flops / one.median_ms() * 1e-9; }

/// A row: CSV on stdout, a line of the table on stderr.
inline void print_row(const std::string& name, const gpu_bench::Contender& one, double flops, double peer,
                      const char* peer_name) {
  const double rate = teraflops(one, flops);
  std::printf("gemm,%s,%s,%.0f,%.5f,%.1f,%.4f\n", name.c_str(), one.name.c_str(), one.bytes, one.median_ms(), rate,
              rate / peer);
  std::fprintf(stderr, "%-26s %-40s %9.4f ms %8.1f TFLOP/s %7.3f of %s\n", name.c_str(), one.name.c_str(),
               one.median_ms(), rate, rate / peer, peer_name);
}

}  // namespace gemm_bench
