// The kernels that bench/bottleneck.py holds the bottleneck estimate against: each form once, at the size that was measured.
//
//   nvcc -std=c++17 -O3 -arch=sm_90a -lineinfo -I include -I bench/gpu bench/gpu/bottleneck_forms.cu -o bottleneck_forms
//   python3 bench/bottleneck.py lanebank ./bottleneck_forms
//
// stdout: a line `launch FAMILY|CASE|CONTENDER` for each launch, in order, named as in bench/results/h200. Nothing is
// checked here: with sampled blocks there are no results, and the measuring programs checked theirs.
#include <string>
#include <vector>

#include "bottleneck_forms.cuh"
#include "lanebank/convolution.cuh"
#include "lanebank/fft.cuh"
#include "lanebank/histogram.cuh"
#include "lanebank/kernels/transpose_ladder.cuh"
#include "lanebank/reduce.cuh"
#include "lanebank/stencil.cuh"

using namespace bottleneck_forms;
using namespace lanebank;
using namespace lanebank::kernels;

namespace {

void transposes() {
  constexpr unsigned n = 16384;
  const Memory<float> from(std::size_t{n} * n), to(std::size_t{n} * n);
  const auto step = [](const char* contender) { name("ladder", "16384", contender); };
  step("naive"), launch_naive(to.at, from.at, n);
  step("baseline 32"), launch_shared<PlainTile<>>(to.at, from.at, n);
  step("padding 32"), launch_shared<PaddedTile<>>(to.at, from.at, n);
  step("swizzle 32"), launch_shared<XorTile<>>(to.at, from.at, n);
  step("diagonal 32"), launch_shared<DiagonalTile<>>(to.at, from.at, n);
  step("baseline 16"), launch_shared<PlainTile<16>>(to.at, from.at, n);
  step("padding 16"), launch_shared<PaddedTile<16>>(to.at, from.at, n);
  step("swizzle 16"), launch_shared<XorTile<16>>(to.at, from.at, n);
  step("vector, textbook"), launch_vector<PlainTile<>>(to.at, from.at, n);
  step("vector, cured"), launch_vector<VectorTile>(to.at, from.at, n);
  step("shuffle"), launch_shuffle(to.at, from.at, n);
}

template <unsigned N>
void transform() {
  constexpr std::size_t total = std::size_t{1} << 27;
  const Memory<float2> from(total), to(total);
  const std::string what = "N " + std::to_string(N);
  name("fft", what, "lanebank, no swizzle"), check(fft<N, FftPlain>(from.at, to.at, total / N));
  name("fft", what, "lanebank"), check(fft<N>(from.at, to.at, total / N));
}

void reductions(const char* type, unsigned log2_count) {
  using T = float;
  const std::size_t count = std::size_t{1} << log2_count, bytes = reduce_workspace_bytes<T>();
  const Memory<T> from(count), result(1);
  const Memory<unsigned char> space(bytes);
  const std::string what = std::string("sum ") + type + " 2^" + std::to_string(log2_count);
  name("reduce", what, "lanebank, interleaved tree");
  check(reduce<Sum, TreeInterleaved<512>>(from.at, count, result.at, space.at, bytes));
  name("reduce", what, "lanebank"), check(reduce<Sum>(from.at, count, result.at, space.at, bytes));
}

/// The bytes of bench_reduce_scan_histogram, or as unlike.
void histograms() {
  constexpr std::size_t count = std::size_t{1} << 30, chunk = std::size_t{1} << 24;
  const Memory<unsigned char> from(count), space(histogram_workspace_bytes());
  const Memory<unsigned> bins(256);
  for (const char* kind : {"uniform", "one value", "skewed"}) {
    std::vector<unsigned char> bytes(chunk);
    std::uint64_t state = 1;
    for (unsigned char& byte : bytes) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      const auto x = static_cast<unsigned>(state >> 33);
      byte = static_cast<unsigned char>(kind[0] == 'u' ? x : kind[0] == 'o' ? 77u : x & x >> 8 & x >> 16);
    }
    for (std::size_t at = 0; at < count; at += chunk)
      check(cudaMemcpy(from.at + at, bytes.data(), chunk, cudaMemcpyHostToDevice));
    const std::string what = std::string(kind) + " 2^30";
    name("histogram", what, "lanebank, one counter per bin");
    check(histogram<SharedBins>(from.at, count, bins.at, space.at, histogram_workspace_bytes()));
    name("histogram", what, "lanebank");
    check(histogram(from.at, count, bins.at, space.at, histogram_workspace_bytes()));
  }
}

template <unsigned R>
void planes() {
  constexpr std::size_t n = 16384;
  const Memory<float> from(n * n), to(n * n);
  StarWeights<2, R> weights{};
  weights.center = 1;
  const std::string what = std::to_string(4 * R + 1) + " points 16384x16384";
  const auto run = [&](const char* contender, auto form) {
    name("stencil2d", what, contender);
    check(stencil_2d<decltype(form)>(from.at, n, to.at, n, n, n, weights));
  };
  run("lanebank, plain words", NeighboursWords{});
  run("lanebank, swizzled words", NeighboursSwizzled{});
  run("lanebank", NeighboursShuffle{});
}

void convolutions() {
  constexpr std::size_t batch = 32, channels = 64, edge = 112;
  const Memory<float> from(batch * channels * edge * edge), to(batch * channels * edge * edge),
      weights(channels * channels * 9);
  const auto run = [&](const char* contender, auto form) {
    name("convolution", "3x3 32x64->64 112x112", contender);
    check(convolution<3, decltype(form)>(from.at, weights.at, to.at, batch, channels, channels, edge, edge));
  };
  run("lanebank, wide windows", WindowWide{});
  run("lanebank", WindowSquare{});
}

}  // namespace

int main() {
  transposes();
  transform<16>(), transform<32>(), transform<64>(), transform<256>(), transform<1024>(), transform<4096>();
  reductions("float", 28);
  histograms();
  planes<1>(), planes<2>();
  convolutions();
  check(cudaDeviceSynchronize());
}
