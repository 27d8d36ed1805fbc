// Direct convolution, the conflict-free form against the one with conflicts.
//
//   nvcc -std=c++17 -O3 -arch=sm_90a -I include bench/gpu/bench_convolution.cu -o bench_convolution
//   ./bench_convolution [--quick]
//
// The column of bytes holds floating-point operations, 2 batch outputs inputs K K height width; GBps therefore GFLOP/s.
// of_peer: the time of the form with conflicts / the contender's. Results are compared with a plain kernel, exactly.
#include "kernel_bench.cuh"
#include "lanebank/convolution.cuh"

using namespace lanebank;
using namespace lanebank::kernels;
using kernel_bench::Buffer;
using kernel_bench::Contender;

namespace {

unsigned samples = 30;

struct Size {
  int batch, inputs, outputs, height, width;
};

struct Noise {
  __device__ float operator()(std::uint32_t x) const { return static_cast<float>(x) * 0x1p-31f - 1.0f; }
};

template <int K>
__global__ void plain(const float* in, const float* weights, float* out, Size s) {
  const int x = blockIdx.x * 128 + threadIdx.x, y = blockIdx.y, o = blockIdx.z % s.outputs, n = blockIdx.z / s.outputs;
  if (x >= s.width) return;
  float sum = 0;
  for (int c = 0; c < s.inputs; ++c)
    for (int i = 0; i < K; ++i)
      for (int j = 0; j < K; ++j) {
        const int row = y + i - K / 2, column = x + j - K / 2;
        if (row >= 0 && column >= 0 && row < s.height && column < s.width)
          sum = fmaf(weights[((o * s.inputs + c) * K + i) * K + j],
                     in[((std::size_t{1} * n * s.inputs + c) * s.height + row) * s.width + column], sum);
      }
  out[((std::size_t{1} * n * s.outputs + o) * s.height + y) * s.width + x] = sum;
}

template <int K, class Form>
void add(std::vector<Contender>& contenders, const char* name, Size s, const Buffer<float>& in,
         const Buffer<float>& weights, const Buffer<float>& out, const Buffer<float>& wanted) {
  const double operations = 2.0 * K * K * s.batch * s.outputs * s.inputs * s.height * s.width;
  contenders.push_back({name, operations, [&, s](cudaStream_t stream) {
                          kernel_bench::demand(convolution<K, Form>(in.get(), weights.get(), out.get(), s.batch, s.inputs,
                                                                    s.outputs, s.height, s.width, stream));
                        }});
  GPU_CHECK(cudaMemset(out.get(), 0, out.count * sizeof(float)));
  contenders.back().run(nullptr);
  GPU_CHECK(cudaDeviceSynchronize());
  kernel_bench::demand_equal(name, out, wanted, out.count);
}

template <int K>
void bench_size(kernel_bench::Bench& bench, Size s) {
  const std::size_t plane = static_cast<std::size_t>(s.height) * s.width;
  const Buffer<float> in(plane * s.batch * s.inputs), weights(static_cast<std::size_t>(s.outputs) * s.inputs * K * K);
  const Buffer<float> out(plane * s.batch * s.outputs), wanted(out.count);
  kernel_bench::fill(in, Noise{});
  kernel_bench::fill(weights, Noise{});
  plain<K>
      <<<dim3((s.width + 127) / 128, s.height, s.batch * s.outputs), 128>>>(in.get(), weights.get(), wanted.get(), s);
  GPU_CHECK(cudaDeviceSynchronize());
  std::vector<Contender> contenders;
  add<K, WindowWide>(contenders, "lanebank, wide windows", s, in, weights, out, wanted);
  add<K, WindowSquare>(contenders, "lanebank", s, in, weights, out, wanted);
  bench.measure(contenders, samples);
  const std::string name = std::to_string(K) + "x" + std::to_string(K) + " " + std::to_string(s.batch) + "x" +
                           std::to_string(s.inputs) + "->" + std::to_string(s.outputs) + " " +
                           std::to_string(s.height) + "x" + std::to_string(s.width);
  kernel_bench::print_rows("convolution", name, contenders, 0);
}

}  // namespace

int main(int argc, char** argv) {
  if (kernel_bench::has_argument(argc, argv, "--quick")) samples = 10;
  kernel_bench::print_machine();
  kernel_bench::print_header();
  kernel_bench::Bench bench;
  bench_size<3>(bench, {32, 64, 64, 112, 112});
  bench_size<3>(bench, {16, 64, 96, 113, 115});
  bench_size<5>(bench, {16, 32, 64, 112, 112});
  kernel_bench::print_machine();
}
