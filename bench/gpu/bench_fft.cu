// Batched transforms of 16 to 4096 complex floats against cuFFT and a copy.
//
//   nvcc -std=c++17 -O3 -arch=sm_90a -I include bench/gpu/bench_fft.cu -lcufft -o bench_fft
//   ./bench_fft [--quick] [sweep]                            sweep: blocks per multiprocessor, staging
//
// Bytes: batch x N x 8, read once and written once; 1 GiB each way. of_peer: cuFFT's time / the contender's. Before
// timing the result is compared with cuFFT's: the root mean square of the difference, of the result's, is at most 5e-7.
#include <cufft.h>

#include <cmath>

#include "kernel_bench.cuh"
#include "lanebank/fft.cuh"

using namespace lanebank;
using namespace lanebank::kernels;
using kernel_bench::Buffer;
using kernel_bench::Contender;

namespace {

unsigned samples = 30;
constexpr std::size_t total = std::size_t{1} << 27;

void demand(bool right, const char* what) {
  if (right) return;
  std::fprintf(stderr, "WRONG: %s\n", what);
  std::exit(1);
}

struct Noise {
  __device__ float operator()(std::uint32_t x) const { return static_cast<float>(x) * 0x1p-31f - 1.0f; }
};

__global__ void add_norms(const float2* a, const float2* b, std::size_t count, double* norms) {
  double difference = 0, size = 0;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += std::size_t{gridDim.x} * blockDim.x) {
    const double x = a[i].x - b[i].x, y = a[i].y - b[i].y;
    difference += x * x + y * y;
    size += double{b[i].x} * b[i].x + double{b[i].y} * b[i].y;
  }
  atomicAdd(norms, difference);
  atomicAdd(norms + 1, size);
}

struct Arrays {
  Buffer<float> memory{2 * total};
  Buffer<float2> target{total}, wanted{total};
  const float2* source() const { return reinterpret_cast<const float2*>(memory.get()); }
  void compare(const char* what) const {
    const Buffer<double> norms(2);
    add_norms<<<2048, 256>>>(target.get(), wanted.get(), total, norms.get());
    double found[2];
    GPU_CHECK(cudaMemcpy(found, norms.get(), sizeof found, cudaMemcpyDeviceToHost));
    demand(found[1] > 0 && std::sqrt(found[0] / found[1]) <= 5e-7, what);
  }
};

template <unsigned N, class Form, unsigned Blocks, bool Staged = FftPlan<N>::staged>
void add(std::vector<Contender>& contenders, const Arrays& arrays, const char* name) {
  contenders.push_back({name, 16.0 * total, [&arrays](cudaStream_t stream) {
                          demand(fft<N, Form, Blocks, Staged>(arrays.source(), arrays.target.get(), total / N,
                                                              FftDirection::forward, stream) == Status::success,
                                 "launch");
                        }});
  GPU_CHECK(cudaMemset(arrays.target.get(), 0, total * sizeof(float2)));
  contenders.back().run(nullptr);
  GPU_CHECK(cudaDeviceSynchronize());
  arrays.compare(name);
}

template <unsigned N>
void bench_size(kernel_bench::Bench& bench, const Arrays& arrays, bool sweep) {
  cufftHandle plan;
  demand(cufftPlan1d(&plan, N, CUFFT_C2C, static_cast<int>(total / N)) == CUFFT_SUCCESS, "cufftPlan1d");
  const auto cufft = [&](float2* target, cudaStream_t stream) {
    demand(cufftSetStream(plan, stream) == CUFFT_SUCCESS &&
               cufftExecC2C(plan, const_cast<float2*>(arrays.source()), target, CUFFT_FORWARD) == CUFFT_SUCCESS,
           "cufftExecC2C");
  };
  cufft(arrays.wanted.get(), nullptr);
  GPU_CHECK(cudaDeviceSynchronize());
  std::vector<Contender> contenders;
  contenders.push_back({"cufft", 16.0 * total, [&](cudaStream_t stream) { cufft(arrays.target.get(), stream); }});
  constexpr unsigned chosen = FftPlan<N>::blocks;
  if (sweep) {
    add<N, FftSwizzled, chosen - 1>(contenders, arrays, ("blocks " + std::to_string(chosen - 1)).c_str());
    add<N, FftSwizzled, chosen>(contenders, arrays, ("blocks " + std::to_string(chosen)).c_str());
    add<N, FftSwizzled, chosen + 1>(contenders, arrays, ("blocks " + std::to_string(chosen + 1)).c_str());
    if constexpr (FftPlan<N>::threads <= 32) {
      constexpr bool other = !FftPlan<N>::staged;
      add<N, FftSwizzled, chosen, other>(contenders, arrays, other ? "staged" : "not staged");
    }
  } else {
    add<N, FftSwizzled, chosen>(contenders, arrays, "lanebank");
    add<N, FftPlain, chosen>(contenders, arrays, "lanebank, no swizzle");
  }
  contenders.push_back(gpu_bench::copy_contender(arrays.target.get(), arrays.source(), 8 * total));
  bench.measure(contenders, samples);
  kernel_bench::print_rows("fft", "N " + std::to_string(N), contenders, 0);
  kernel_bench::add_target("fft of cuFFT", contenders, 0, 0.95);
  cufftDestroy(plan);
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = kernel_bench::has_argument(argc, argv, "--quick");
  const bool sweep = kernel_bench::has_argument(argc, argv, "sweep");
  if (quick) samples = 10;
  kernel_bench::print_machine();
  kernel_bench::print_header();
  kernel_bench::Bench bench;
  const Arrays arrays;
  kernel_bench::fill(arrays.memory, Noise{});
  bench_size<16>(bench, arrays, sweep);
  bench_size<32>(bench, arrays, sweep);
  bench_size<64>(bench, arrays, sweep);
  bench_size<128>(bench, arrays, sweep);
  bench_size<256>(bench, arrays, sweep);
  bench_size<512>(bench, arrays, sweep);
  bench_size<1024>(bench, arrays, sweep);
  bench_size<2048>(bench, arrays, sweep);
  bench_size<4096>(bench, arrays, sweep);
  kernel_bench::print_end();
}
