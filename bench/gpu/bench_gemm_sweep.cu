// The kernels of lanebank::gemm over the sizes that are theirs to choose: columns of a block, stages, blocks in a cluster, order
// of tiles. bfloat16, A * B^T, standard normal numbers. Every variant is checked against cuBLAS before it is timed.
//
//   nvcc -O3 -std=c++17 -arch=sm_90a -lineinfo -I include -I bench/gpu bench/gpu/bench_gemm_sweep.cu -lcublas -o bench_gemm_sweep
//   ./bench_gemm_sweep            4096 and 8192
//   ./bench_gemm_sweep --quick    4096, 10 samples
#include "gemm_bench.cuh"

using namespace gemm_bench;
using namespace lanebank::kernels;
using lanebank::MatrixB;

namespace {

constexpr auto n_by_k = MatrixB::n_by_k;
using Contenders = std::vector<gpu_bench::Contender>;

template <class Shape>
void add_wgmma(Contenders& all, const Problem& problem, std::uint32_t group) {
  const std::string name = "wgmma 128x" + std::to_string(Shape::block_n) + ", " + std::to_string(Shape::stages) +
                           " stages, " + std::to_string(Shape::panels) + " panels, cluster " +
                           std::to_string(Shape::cluster) + ", group " + std::to_string(group);
  all.push_back(contender(name, problem, [group](const Matrices& x, cudaStream_t stream) {
    return launch_wgmma<Shape>(x, group, gemm_device(), stream);
  }));
}
template <class Shape>
void add_ring(Contenders& all, const Problem& problem, std::uint32_t group) {
  const std::string name = "mma_ring " + std::to_string(Shape::block_m) + "x" + std::to_string(Shape::block_n) + ", " +
                           std::to_string(Shape::stages) + " stages, group " + std::to_string(group);
  all.push_back(contender(name, problem, [group](const Matrices& x, cudaStream_t stream) {
    return launch_mma_ring<Shape>(x, group, gemm_device(), stream);
  }));
}
template <class Shape>
void add_multistage(Contenders& all, const Problem& problem, std::uint32_t group) {
  const std::string name = "multistage " + std::to_string(Shape::block_m) + "x" + std::to_string(Shape::block_n) +
                           ", " + std::to_string(Shape::stages) + " stages, group " + std::to_string(group);
  all.push_back(contender(name, problem, [group](const Matrices& x, cudaStream_t stream) {
    return launch_multistage<Shape, true>(x, group, stream);
  }));
}

int sweep(gpu_bench::Bench& bench, cublasHandle_t handle, unsigned n, unsigned samples) {
  const Problem problem(n, n, n, 8, n_by_k);
  Contenders all;
  for (const std::uint32_t group : {1, 4, 8, 16}) add_wgmma<WgmmaShape<n_by_k, 256, 4, 2>>(all, problem, group);
  for (const std::uint32_t group : {8, 16}) add_wgmma<WgmmaShape<n_by_k, 256, 3, 2, 4>>(all, problem, group);
  for (const std::uint32_t group : {8, 16}) add_wgmma<WgmmaShape<n_by_k, 256, 4, 1>>(all, problem, group);
  add_wgmma<WgmmaShape<n_by_k, 128, 6, 2>>(all, problem, 8);
  for (const std::uint32_t group : {8, 16, 32}) add_ring<MmaRingShape<n_by_k, 256, 4>>(all, problem, group);
  add_ring<MmaRingShape<n_by_k, 256, 3>>(all, problem, 16);
  for (const std::uint32_t group : {8, 11}) add_ring<MmaRingShape<n_by_k, 256, 3, 6>>(all, problem, group);
  for (const std::uint32_t group : {8, 16}) add_multistage<MultistageShape<n_by_k, 128, 256, 4>>(all, problem, group);
  add_multistage<MultistageShape<n_by_k, 128, 256, 3>>(all, problem, 16);
  add_multistage<MultistageShape<n_by_k, 256, 128, 4>>(all, problem, 8);
  problem.cublas(handle, problem.wanted, bench.stream());
  GPU_CHECK(cudaStreamSynchronize(bench.stream()));
  int failures = 0;
  for (const auto& one : all) failures += !problem.right(one, bench.stream());
  all.insert(all.begin(),
             {"cuBLAS", problem.bytes(), [&](cudaStream_t stream) { problem.cublas(handle, problem.x.c, stream); }});
  bench.measure(all, samples);
  const double cublas = teraflops(all.front(), problem.flops());
  for (const auto& one : all) print_row("sweep " + std::to_string(n), one, problem.flops(), cublas, "cuBLAS");
  return failures;
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
  print_machine("before");
  std::printf("family,case,contender,bytes,ms,TFLOPs,of_peer\n");
  gpu_bench::Bench bench;
  cublasHandle_t handle = nullptr;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 1;
  int failures = sweep(bench, handle, 4096, quick ? 10 : 20);
  if (!quick) failures += sweep(bench, handle, 8192, 20);
  cublasDestroy(handle);
  print_machine("after");
  return failures != 0;
}
