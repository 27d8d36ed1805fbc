// Star stencils in two and three dimensions against a copy of the same array.
//
//   nvcc -std=c++17 -O3 -arch=sm_90a -I include bench/gpu/bench_stencil.cu -o bench_stencil
//   ./bench_stencil [--quick]
//
// bench_stencil_sweep.cu tries the shapes of the fast form.
#include "stencil_bench.cuh"

using namespace stencil_bench;

namespace {

unsigned samples = 30;

template <unsigned R>
void bench_2d(kernel_bench::Bench& bench, Extents size) {
  StencilCase<2, R> one(size);
  one.template add<NeighboursShuffle, void>("lanebank");
  one.template add<NeighboursSwizzled, void>("lanebank, swizzled words");
  one.template add<NeighboursWords, void>("lanebank, plain words");
  one.measure(bench, size_name(2, R, size), samples);
}

template <unsigned R>
void bench_3d(kernel_bench::Bench& bench, Extents size) {
  StencilCase<3, R> one(size);
  one.template add<NeighboursShuffle, void>("lanebank");
  one.template add<NeighboursSwizzled, void>("lanebank, swizzled words");
  one.template add<NeighboursWords, void>("lanebank, plain words");
  one.measure(bench, size_name(3, R, size), samples);
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = kernel_bench::has_argument(argc, argv, "--quick");
  if (quick) samples = 10;
  kernel_bench::print_machine();
  kernel_bench::print_header();
  kernel_bench::Bench bench;
  const Extents plane{16384, 16384, 1, 16384}, volume{1024, 512, 512, 1024};
  bench_2d<1>(bench, plane);
  bench_2d<2>(bench, plane);
  bench_3d<1>(bench, volume);
  bench_3d<4>(bench, volume);
  if (!quick) {
    bench_2d<4>(bench, plane);
    bench_2d<1>(bench, {16381, 16383, 1, 16384});
    bench_3d<2>(bench, volume);
    bench_3d<1>(bench, {1021, 509, 515, 1024});
  }
  kernel_bench::print_end();
}
