// lanebank::gemm and the steps that lead to it, beside cuBLAS and a loop of nothing but mma.sync. bfloat16, standard normal
// numbers. Every kernel is checked against cuBLAS before it is timed.
//
//   nvcc -O3 -std=c++17 -arch=sm_90a -lineinfo -I include -I bench/gpu bench/gpu/bench_gemm.cu -lcublas -o bench_gemm
//   ./bench_gemm            4096 and 8192, odd sizes, A * B, the ladder at 4096
//   ./bench_gemm --quick    4096, 10 samples
//   ./bench_gemm --no-pairs     without the kernel whose blocks share B
//   ./bench_gemm once [n]   one launch of each kernel, for ncu:  ncu --clock-control none -k regex:gemm ./bench_gemm once
//
// Kernels by mma.sync are measured by the loop, the others by cuBLAS.
#include "gemm_bench.cuh"
#include "lanebank/kernels/gemm_steps.cuh"
#include "targets.cuh"

using namespace gemm_bench;
using lanebank::GemmKernel;
using lanebank::MatrixB;

namespace {

int failures = 0;
unsigned samples = 30;
bool with_pairs = true;

template <MatrixB B>
auto call(GemmKernel kernel) {
  return [kernel](const Matrices& x, cudaStream_t stream) { return lanebank::gemm<B>(x, stream, kernel); };
}

/// The kernels of lanebank::gemm on a problem.
template <MatrixB B>
void add_kernels(std::vector<gpu_bench::Contender>& all, const Problem& problem) {
  if (with_pairs) all.push_back(contender("wgmma, pairs of blocks", problem, call<B>(GemmKernel::wgmma_pairs)));
  all.push_back(contender("wgmma", problem, call<B>(GemmKernel::wgmma)));
  all.push_back(contender("mma.sync, copy engine", problem, call<B>(GemmKernel::mma_ring)));
  all.push_back(contender("mma.sync, cp.async", problem, call<B>(GemmKernel::multistage)));
}
void add_steps(std::vector<gpu_bench::Contender>& all, const Problem& problem) {
  using namespace lanebank::kernels;
  all.push_back(step_contender("step: ldmatrix, swizzled", problem, gemm_steps_swizzled<Bfloat, Bfloat>));
  all.push_back(step_contender("step: ldmatrix, padded", problem, gemm_steps_padded<Bfloat, Bfloat>));
  all.push_back(step_contender("step: wmma, conflicts", problem, gemm_wmma<Bfloat, Bfloat>));
}

/// What a case's figures mean for the targets. Rates of the products, of cuBLAS and of the loop.
void add_targets(const std::string& name, const std::vector<gpu_bench::Contender>& all, double flops, double cublas,
                 double loop) {
  const bool large = name.find("8192 ") == 0;
  if (!large && name.find("4096 ") != 0) return;
  const std::string best = with_pairs ? "wgmma, pairs of blocks" : "wgmma";
  for (const auto& one : all) {
    if (one.name == best) gpu_bench::targets().add("gemm wgmma bf16 of cuBLAS", teraflops(one, flops) / cublas, 0.98);
    if (large && one.name == "mma.sync, copy engine")
      gpu_bench::targets().add("gemm mma.sync bf16 8192 of a loop of mma.sync", teraflops(one, flops) / loop, 0.87);
  }
}

void run_case(gpu_bench::Bench& bench, cublasHandle_t handle, const std::string& name, const Problem& problem,
              std::vector<gpu_bench::Contender> all) {
  problem.cublas(handle, problem.wanted, bench.stream());
  GPU_CHECK(cudaStreamSynchronize(bench.stream()));
  for (const auto& one : all) failures += !problem.right(one, bench.stream());
  all.insert(all.begin(),
             {"cuBLAS", problem.bytes(), [&](cudaStream_t stream) { problem.cublas(handle, problem.x.c, stream); }});
  const MmaLoop mma(problem.flops());
  all.push_back(mma.contender("mma.sync loop", 1.f));
  all.push_back(mma.contender("mma.sync loop, zeros", 0.f));
  bench.measure(all, samples);
  const double cublas = teraflops(all.front(), problem.flops()), loop = teraflops(all[all.size() - 2], mma.flops());
  add_targets(name, all, problem.flops(), cublas, loop);
  for (const auto& one : all) {
    const bool is_loop = one.name.find("loop") != std::string::npos;
    const bool by_mma = is_loop || one.name.find("mma.sync") == 0 || one.name.find("step") == 0;
    print_row(name, one, is_loop ? mma.flops() : problem.flops(), by_mma ? loop : cublas,
              by_mma ? "the mma.sync loop" : "cuBLAS");
  }
}

template <MatrixB B>
void run_square(gpu_bench::Bench& bench, cublasHandle_t handle, unsigned n, bool steps) {
  const Problem problem(n, n, n, 8, B);
  std::vector<gpu_bench::Contender> all;
  add_kernels<B>(all, problem);
  if (steps) add_steps(all, problem);
  run_case(bench, handle, std::to_string(n) + (B == MatrixB::n_by_k ? " A*B^T" : " A*B"), problem, all);
}

/// Sizes that end inside tiles: rows at multiples of 16 bytes, and anywhere.
void run_odd(gpu_bench::Bench& bench, cublasHandle_t handle) {
  for (const std::uint64_t pitch : {8, 1}) {
    const Problem problem(4001, 4003, 4007, pitch, MatrixB::n_by_k);
    run_case(bench, handle, pitch == 8 ? "4001x4003x4007 pitch 8" : "4001x4003x4007 pitch 1", problem,
             {contender("automatic", problem,
                        call<MatrixB::n_by_k>(with_pairs || pitch == 1 ? GemmKernel::automatic : GemmKernel::wgmma))});
  }
}

void run_once(unsigned n) {
  const Problem problem(n, n, n, 8, MatrixB::n_by_k);
  std::vector<gpu_bench::Contender> all;
  add_kernels<MatrixB::n_by_k>(all, problem);
  add_steps(all, problem);
  for (const auto& one : all) one.run(nullptr);
  GPU_CHECK(cudaDeviceSynchronize());
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "once") {
    run_once(argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 4096);
    return 0;
  }
  const bool quick = what == "--quick";
  if (quick) samples = 10;
  if (what == "--no-pairs") with_pairs = false;
  print_machine("before");
  std::printf("family,case,contender,bytes,ms,TFLOPs,of_peer\n");
  gpu_bench::Bench bench;
  cublasHandle_t handle = nullptr;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 1;
  run_square<MatrixB::n_by_k>(bench, handle, 4096, true);
  if (!quick) {
    run_square<MatrixB::n_by_k>(bench, handle, 8192, false);
    run_square<MatrixB::k_by_n>(bench, handle, 4096, false);
    run_square<MatrixB::k_by_n>(bench, handle, 8192, false);
    run_odd(bench, handle);
  }
  cublasDestroy(handle);
  print_machine("after");
  gpu_bench::targets().print();
  return failures != 0;
}
