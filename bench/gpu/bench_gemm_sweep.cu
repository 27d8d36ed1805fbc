// The kernels of lanebank::gemm over the sizes that are theirs to choose: columns of a block, stages, blocks in a cluster, order
// of tiles. bfloat16, A * B^T, standard normal numbers. Every variant is checked against cuBLAS before it is timed.
//
//   nvcc -O3 -std=c++17 -arch=sm_90a -lineinfo -I include -I bench/gpu bench/gpu/bench_gemm_sweep.cu -lcublas -o bench_gemm_sweep
//   ./bench_gemm_sweep            4096 and 8192
//   ./bench_gemm_sweep --quick    4096, 10 samples
//   ./bench_gemm_sweep mma        kernels by mma.sync and the copy engine only, against a loop of nothing but mma.sync
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
  const std::string low = Shape::low_m < Shape::block_m ? " and " + std::to_string(Shape::low_m) : "";
  const std::string name = "mma_ring " + std::to_string(Shape::block_m) + low + "x" + std::to_string(Shape::block_n) +
                           ", " + std::to_string(Shape::stages) + " stages, lead " + std::to_string(Shape::lead) + " at " +
                           std::to_string(Shape::ask_at) + ", group " + std::to_string(group);
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

/// One height of tiles and two; when the next stage is asked for, and the order of tiles.
void add_rings(Contenders& all, const Problem& problem) {
  for (const std::uint32_t group : {8, 16}) add_ring<MmaRingShape<n_by_k, 256, 4, 4, 3, 12>>(all, problem, group);
  add_ring<MmaRingShape<n_by_k, 256, 3, 6, 2, 14>>(all, problem, 11);
  for (const std::uint32_t group : {4, 8, 11, 16, 20, 40})
    add_ring<MmaRingShape<n_by_k, 256, 3, 6, 2, 14, 4>>(all, problem, group);
  add_ring<MmaRingShape<n_by_k, 256, 3, 6, 2, 8, 4>>(all, problem, 11);
  add_ring<MmaRingShape<n_by_k, 256, 3, 6, 2, 11, 4>>(all, problem, 11);
  add_ring<MmaRingShape<n_by_k, 256, 3, 6, 2, 17, 4>>(all, problem, 11);
  add_ring<MmaRingShape<n_by_k, 256, 3, 6, 2, 20, 4>>(all, problem, 11);
  add_ring<MmaRingShape<n_by_k, 256, 3, 6, 1, 1, 4>>(all, problem, 11);
}

int sweep_mma(gpu_bench::Bench& bench, cublasHandle_t handle, unsigned n, unsigned samples) {
  const Problem problem(n, n, n, 8, n_by_k);
  Contenders all;
  add_rings(all, problem);
  problem.cublas(handle, problem.wanted, bench.stream());
  GPU_CHECK(cudaStreamSynchronize(bench.stream()));
  int failures = 0;
  for (const auto& one : all) failures += !problem.right(one, bench.stream());
  const MmaLoop loop(problem.flops());
  all.insert(all.begin(), loop.contender("mma.sync loop", 1.f));
  bench.measure(all, samples);
  const double peer = teraflops(all.front(), loop.flops());
  for (const auto& one : all)
    print_row("sweep mma " + std::to_string(n), one, &one == &all.front() ? loop.flops() : problem.flops(), peer,
              "the mma.sync loop");
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
  int failures = 0;
  if (argc > 1 && std::strcmp(argv[1], "mma") == 0) {
    for (const unsigned n : {8192u, 4096u}) failures += sweep_mma(bench, handle, n, 10);
  } else {
    failures += sweep(bench, handle, 4096, quick ? 10 : 20);
    if (!quick) failures += sweep(bench, handle, 8192, 20);
  }
  cublasDestroy(handle);
  print_machine("after");
  return failures != 0;
}
