// The ladder of transposes, step by step: every element checked, then timed.
//
//   nvcc -std=c++17 -lineinfo -arch=sm_90 -I include examples/transpose_ladder.cu -o ladder
//   ./ladder                    sizes 1024, 4096, 16384: times from CUDA events, GB/s read and written
//   ./ladder 2048               one size
//   lanebank run -- ./ladder 128 once
//                               one launch of each step and no times: its bank conflicts without a GPU. The lines
//                               "predicts" say what the compiler counted for the shared memory of each step.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "lanebank/host_device.hpp"
#include "lanebank/kernels/transpose_ladder.cuh"
#include "lanebank/kernels/transpose_launch.cuh"
#include "lanebank/kernels/transpose_tma.cuh"

namespace {

using namespace lanebank::kernels;

struct Step {
  std::string name;
  unsigned tile_edge;                  // of the tile that the predictions are for
  unsigned wavefronts = 0, ideal = 0;  // of one tile, stores and loads
  std::function<void(float*, const float*, unsigned)> run;
};

template <class Layout, class... Patterns>
Step predicted(const char* name, std::function<void(float*, const float*, unsigned)> run) {
  return {name, Layout::rows, (lanebank::wavefronts<Layout, Patterns> + ...),
          (lanebank::ideal_wavefronts<Layout, Patterns> + ...), std::move(run)};
}

template <class Layout, TileMemory Memory = TileMemory::of_the_kernel>
Step shared(const char* name) {
  return predicted<Layout, StoredRows, LoadedColumns>(
      name, [](float* to, const float* from, unsigned n) { launch_shared<Layout, Memory>(to, from, n); });
}

/// transpose_tiles with tiles of 64 KiB: dynamic shared memory beyond the usual 48 KiB.
using LargeTile = TransposeTile<4, TileSize<128, 128, 512, 3>>;
static_assert(LargeTile::is_clean && LargeTile::Layout::bytes == 64 * 1024);

template <class T>
void run_tiles(float* to, const float* from, unsigned n) {
  TransposeSpan span;
  span.source = reinterpret_cast<const unsigned char*>(from);
  span.target = reinterpret_cast<unsigned char*>(to);
  span.rows = span.columns = n;
  span.source_pitch = span.target_pitch = std::uint64_t{n} * 4;
  if (launch_tiles<T>(span, nullptr) != cudaSuccess) std::exit(1);
}

template <class T>
Step tiles(const char* name) {
  Step step = predicted<typename T::Layout, typename T::Stores, typename T::Loads>(name, &run_tiles<T>);
  return step;
}

void run_tma(float* to, const float* from, unsigned n) {
  CUtensorMap map;
  if (!encode_tma(map, from, n)) std::exit(1);
  launch_tma(to, map, n);
}

std::vector<Step> steps() {
  return {
      {"naive", 32, 0, 0, [](float* to, const float* from, unsigned n) { launch_naive(to, from, n); }},
      shared<PlainTile<>>("baseline 32"),
      shared<PaddedTile<>>("padding 32"),
      shared<PaddedTile<>, TileMemory::of_the_launch>("padding 32, dynamic"),
      shared<XorTile<>>("swizzle 32"),
      shared<DiagonalTile<>>("diagonal 32"),
      shared<PlainTile<16>>("baseline 16"),
      shared<PaddedTile<16>>("padding 16"),
      shared<XorTile<16>>("swizzle 16"),
      predicted<PlainTile<>, StoredVectors, LoadedVectors>(
          "vector, textbook",
          [](float* to, const float* from, unsigned n) { launch_vector<PlainTile<>>(to, from, n); }),
      predicted<VectorTile, StoredVectors, LoadedVectors>(
          "vector, cured", [](float* to, const float* from, unsigned n) { launch_vector<VectorTile>(to, from, n); }),
      {"shuffle", 32, 0, 0, [](float* to, const float* from, unsigned n) { launch_shuffle(to, from, n); }},
      predicted<TmaTile, TmaLoads>("tma", &run_tma),
      tiles<TransposeTile<4, TileSize<64, 64, 512, 4>>>("tiles 64 x 64"),
      tiles<LargeTile>("tiles 128 x 128, 64 KiB"),
  };
}

struct Matrices {
  unsigned n;
  std::size_t bytes;
  float *from = nullptr, *to = nullptr;
  explicit Matrices(unsigned n) : n(n), bytes(std::size_t{n} * n * sizeof(float)) {
    cudaMalloc(&from, bytes);
    cudaMalloc(&to, bytes);
  }
  ~Matrices() {
    cudaFree(from);
    cudaFree(to);
  }
};

/// Element i of the source, as bits: a different one for every i, and nothing like its neighbours.
LANEBANK_HOST_DEVICE inline std::uint32_t element(std::uint32_t i) {
  i = (i ^ i >> 16) * 0x7feb352du;
  i = (i ^ i >> 15) * 0x846ca68bu;
  return i ^ i >> 16;
}

__global__ void fill(std::uint32_t* source, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) source[i] = element(static_cast<std::uint32_t>(i));
}

/// Adds the elements of an n x n target that are not what they should be. Reads along the rows of the target.
__global__ void count_wrong(const std::uint32_t* target, unsigned n, unsigned* wrong) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= std::size_t{n} * n) return;
  const std::size_t row = i / n, column = i % n;
  if (target[i] != element(static_cast<std::uint32_t>(column * n + row))) atomicAdd(wrong, 1u);
}

unsigned blocks_of(std::size_t count) { return static_cast<unsigned>((count + 255) / 256); }

/// Every element, by its bits. On the GPU, or with `on_cpu` without a launch but the step's own.
bool right(const Step& step, const Matrices& m, bool on_cpu) {
  const std::size_t count = std::size_t{m.n} * m.n;
  std::vector<std::uint32_t> host(on_cpu ? count : 0);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = element(static_cast<std::uint32_t>(i));
  if (on_cpu)
    cudaMemcpy(m.from, host.data(), m.bytes, cudaMemcpyHostToDevice);
  else
    fill<<<blocks_of(count), 256>>>(reinterpret_cast<std::uint32_t*>(m.from), count);
  cudaMemset(m.to, 0xff, m.bytes);
  step.run(m.to, m.from, m.n);
  unsigned wrong = 0;
  if (!on_cpu) {
    unsigned* counter = nullptr;
    cudaMalloc(&counter, sizeof wrong);
    cudaMemset(counter, 0, sizeof wrong);
    count_wrong<<<blocks_of(count), 256>>>(reinterpret_cast<const std::uint32_t*>(m.to), m.n, counter);
    const cudaError_t error = cudaMemcpy(&wrong, counter, sizeof wrong, cudaMemcpyDeviceToHost);
    cudaFree(counter);
    return error == cudaSuccess && wrong == 0;
  }
  if (cudaMemcpy(host.data(), m.to, m.bytes, cudaMemcpyDeviceToHost) != cudaSuccess) return false;
  for (std::size_t y = 0; y < m.n; ++y)
    for (std::size_t x = 0; x < m.n; ++x)
      wrong += host[x * m.n + y] != element(static_cast<std::uint32_t>(y * m.n + x));
  return wrong == 0;
}

double median_ms(const Step& step, const Matrices& m) {
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  std::vector<float> times(21);
  for (float& time : times) {
    cudaEventRecord(begin);
    step.run(m.to, m.from, m.n);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    cudaEventElapsedTime(&time, begin, end);
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

int climb(unsigned n, bool once) {
  const Matrices m(n);
  int wrong = 0;
  for (const Step& step : steps()) {
    const bool ok = right(step, m, once);
    wrong += !ok;
    if (once) {
      const unsigned tiles = n / step.tile_edge * (n / step.tile_edge);
      std::printf("predicts %u %u %s: %s\n", step.wavefronts * tiles, step.ideal * tiles, step.name.c_str(),
                  ok ? "right" : "WRONG");
    } else {
      const double ms = median_ms(step, m);
      std::printf("%6u %-26s %9.4f ms %8.1f GB/s  %s\n", n, step.name.c_str(), ms, 2.0 * m.bytes / ms * 1e-6,
                  ok ? "right" : "WRONG");
    }
  }
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  const bool once = argc > 2 && std::strcmp(argv[2], "once") == 0;
  std::vector<unsigned> sizes = {1024, 4096, 16384};
  if (argc > 1) sizes = {static_cast<unsigned>(std::atoi(argv[1]))};
  int wrong = 0;
  for (const unsigned n : sizes) {
    if (n == 0 || n % 128 != 0) {
      std::fprintf(stderr, "sizes are multiples of 128\n");
      return 2;
    }
    wrong += climb(n, once);
  }
  return wrong != 0;
}
