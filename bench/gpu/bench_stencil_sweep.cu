// The shapes of the stencils' fast form, beside copies of the same array: what stencil.cuh takes is chosen from these rows.
// Every shape is checked before it is timed.
//
//   nvcc -std=c++17 -O3 -arch=sm_90a -split-compile 0 -I include bench/gpu/bench_stencil_sweep.cu -o bench_stencil_sweep
//   ./bench_stencil_sweep
//   ./bench_stencil_sweep once      one launch of each, for ncu
//   ./bench_stencil_sweep once small    the same on small arrays, for lanebank run
#include "stencil_bench.cuh"

using namespace stencil_bench;

namespace {

unsigned samples = 10;

std::string text(unsigned number, const char* unit) { return std::to_string(number) + " " + unit; }

template <class Shape>
std::string name_2d() {
  if constexpr (Shape::way == StencilWay::marching)
    return "marching: " + text(Shape::warps, "warps, ") + text(Shape::rows, "rows, ") + text(Shape::blocks, "blocks");
  else if constexpr (Shape::way == StencilWay::pieces)
    return "pieces: " + text(Shape::across, "across, ") + text(Shape::down, "down, ") +
           text(Shape::thread_rows, "rows, ") + text(Shape::blocks, "blocks");
  else
    return "boxes: " + text(Shape::warps, "warps, ") + text(Shape::thread_rows, "rows, ") +
           text(Shape::blocks, "blocks");
}
template <class Shape>
std::string name_3d() {
  if constexpr (Shape::way == StencilWay::pieces)
    return "pieces: " + text(Shape::down, "down, ") + text(Shape::deep, "deep, ") + text(Shape::rows, "rows, ") +
           text(Shape::planes, "planes, ") + text(Shape::blocks, "blocks");
  else
    return "boxes: " + text(Shape::warps, "warps, ") + text(Shape::rows, "rows, ") + text(Shape::blocks, "blocks, ") +
           text(Shape::ahead, "ahead, chunk ") + std::to_string(Shape::chunk) +
           (Shape::margin > 0 ? ", margin" : "") + (Shape::sync == BoxSync::warps ? ", apart" : "");
}
template <class... Shapes, unsigned Axes, unsigned R>
void add_shapes(StencilCase<Axes, R>& one) {
  const auto name = [](auto shape) {
    using Shape = decltype(shape);
    if constexpr (Axes == 2)
      return name_2d<Shape>();
    else
      return name_3d<Shape>();
  };
  (one.template add<NeighboursShuffle, Shapes>(name(Shapes{}).c_str()), ...);
}

constexpr BoxSync together = BoxSync::block, apart = BoxSync::warps;

void sweep_2d(kernel_bench::Bench& bench, Extents size) {
  {
    StencilCase<2, 1> one(size);
    add_shapes<Stencil2dShape<8, 16, 1, 6>, Stencil2dPieces<2, 4, 4, 4>, Stencil2dPieces<4, 2, 2, 6>,
               Stencil2dBoxes<8, 8, 5>>(one);
    one.measure(bench, size_name(2, 1, size), samples);
  }
  StencilCase<2, 4> one(size);
  add_shapes<Stencil2dPieces<2, 4, 8, 2>, Stencil2dBoxes<8, 8, 3>, Stencil2dBoxes<8, 8, 2>, Stencil2dBoxes<4, 8, 5>,
             Stencil2dBoxes<4, 8, 4>, Stencil2dBoxes<4, 16, 3>>(one);
  one.measure(bench, size_name(2, 4, size), samples);
}

void sweep_7(kernel_bench::Bench& bench, Extents size) {
  StencilCase<3, 1> one(size);
  add_shapes<Stencil3dPieces<8, 1, 2, 2, 3>, Stencil3dPieces<8, 1, 1, 2, 4>, Stencil3dPieces<8, 1, 2, 4, 2>,
             Stencil3dPieces<8, 1, 1, 4, 3>, Stencil3dPieces<8, 1, 2, 3, 2>>(one);
  add_shapes<Stencil3dBoxes<8, 2, 4, 3, 8>, Stencil3dBoxes<8, 2, 3, 4, 8>, Stencil3dBoxes<8, 2, 3, 4, 12>,
             Stencil3dBoxes<8, 2, 3, 4, 16>, Stencil3dBoxes<8, 2, 2, 6, 16>, Stencil3dBoxes<16, 2, 1, 6, 16>,
             Stencil3dBoxes<16, 2, 2, 3, 16>, Stencil3dBoxes<8, 4, 2, 3, 16>, Stencil3dBoxes<16, 1, 2, 4, 16, apart>,
             Stencil3dBoxes<4, 4, 3, 4, 8>>(one);
  add_shapes<Stencil3dBoxes<8, 2, 3, 4, 8, together, 4>, Stencil3dBoxes<8, 2, 3, 4, 16, together, 4>,
             Stencil3dBoxes<8, 2, 2, 6, 16, together, 4>, Stencil3dBoxes<16, 1, 2, 4, 16, apart, 4>>(one);
  one.measure(bench, size_name(3, 1, size), samples);
}
void sweep_13(kernel_bench::Bench& bench, Extents size) {
  StencilCase<3, 2> one(size);
  add_shapes<Stencil3dBoxes<8, 2, 2, 4, 16>, Stencil3dBoxes<8, 2, 2, 4, 8>, Stencil3dBoxes<8, 2, 3, 3, 8>,
             Stencil3dBoxes<16, 2, 1, 4, 12>, Stencil3dBoxes<16, 2, 1, 4, 16>>(one);
  add_shapes<Stencil3dBoxes<8, 2, 2, 4, 16, together, 4>, Stencil3dBoxes<16, 2, 1, 4, 16, together, 4>,
             Stencil3dBoxes<16, 2, 1, 4, 32, together, 4>, Stencil3dBoxes<16, 2, 1, 4, 32, apart, 4>,
             Stencil3dBoxes<8, 4, 1, 4, 32, together, 4>, Stencil3dBoxes<16, 1, 2, 4, 32, apart, 4>>(one);
  one.measure(bench, size_name(3, 2, size), samples);
}
void sweep_25(kernel_bench::Bench& bench, Extents size) {
  StencilCase<3, 4> one(size);
  add_shapes<Stencil3dBoxes<16, 2, 1, 4, 128>, Stencil3dBoxes<16, 2, 1, 4, 32>, Stencil3dBoxes<8, 4, 1, 4, 32>>(one);
  add_shapes<Stencil3dBoxes<16, 2, 1, 3, 128, apart, 4>, Stencil3dBoxes<16, 2, 1, 3, 64, apart, 4>,
             Stencil3dBoxes<16, 2, 1, 3, 256, apart, 4>, Stencil3dBoxes<16, 2, 1, 3, 128, together, 4>,
             Stencil3dBoxes<8, 4, 1, 3, 128, apart, 4>>(one);
  one.measure(bench, size_name(3, 4, size), samples);
}

}  // namespace

int main(int argc, char** argv) {
  if (kernel_bench::has_argument(argc, argv, "once")) samples = 0;
  kernel_bench::print_machine();
  kernel_bench::print_header();
  kernel_bench::Bench bench;
  const bool small = kernel_bench::has_argument(argc, argv, "small");
  const Extents plane = small ? Extents{3330, 200, 1, 3332} : Extents{16384, 16384, 1, 16384};
  const Extents volume = small ? Extents{1668, 84, 50, 1668} : Extents{1024, 512, 512, 1024};
  sweep_2d(bench, plane);
  sweep_7(bench, volume);
  sweep_13(bench, volume);
  sweep_25(bench, volume);
  kernel_bench::print_end();
}
