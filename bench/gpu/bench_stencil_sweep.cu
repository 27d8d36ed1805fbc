// The shapes of the stencils' fast form, beside copies of the same array: what stencil.cuh takes is chosen from these rows.
// Every shape is checked before it is timed.
//
//   nvcc -std=c++17 -O3 -arch=sm_90a -split-compile 0 -I include bench/gpu/bench_stencil_sweep.cu -o bench_stencil_sweep
//   ./bench_stencil_sweep
//   ./bench_stencil_sweep once      one launch of each, for ncu
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
    return "pieces: " + text(Shape::across, "across, ") + text(Shape::warps / Shape::across, "down, ") +
           text(Shape::thread_rows, "rows, ") + text(Shape::blocks, "blocks");
  else
    return "boxes: " + text(Shape::across, "across, ") + text(Shape::down, "down, ") +
           text(Shape::thread_rows, "rows, ") + text(Shape::blocks, "blocks") + (Shape::sliced ? ", sliced" : "");
}
template <class Shape>
std::string name_3d() {
  const std::string size = text(Shape::across, "across, ") + text(Shape::down, "down, ") + text(Shape::rows, "rows, ");
  if constexpr (Shape::way == StencilWay::pieces)
    return "pieces: " + size + text(Shape::deep, "deep, ") + text(Shape::planes, "planes, ") +
           text(Shape::blocks, "blocks, group ") + std::to_string(Shape::group);
  else
    return "boxes: " + size + text(Shape::blocks, "blocks, ") + text(Shape::ahead, "ahead, chunk ") +
           std::to_string(Shape::chunk) + ", group " + std::to_string(Shape::group) +
           (Shape::sync == BoxSync::warps ? ", apart" : "");
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
template <unsigned Down, unsigned Rows, unsigned Blocks, unsigned Ahead, unsigned Chunk, unsigned Across = 1,
          unsigned Group = 0>
using Boxes = Stencil3dBoxes<Down, Rows, Blocks, Ahead, Chunk, together, Across, Group>;
template <unsigned Down, unsigned Rows, unsigned Blocks, unsigned Ahead, unsigned Chunk, unsigned Across = 1,
          unsigned Group = 0>
using Apart = Stencil3dBoxes<Down, Rows, Blocks, Ahead, Chunk, apart, Across, Group>;

void sweep_2d(kernel_bench::Bench& bench, Extents size) {
  {
    StencilCase<2, 1> one(size);
    add_shapes<Stencil2dShape<8, 16, 1, 6>, Stencil2dPieces<2, 4, 4, 4>, Stencil2dPieces<4, 2, 2, 6>,
               Stencil2dBoxes<8, 8, 5>, Stencil2dBoxes<4, 8, 5, 2>, Stencil2dBoxes<2, 8, 5, 4>>(one);
    one.measure(bench, size_name(2, 1, size), samples);
  }
  StencilCase<2, 4> one(size);
  add_shapes<Stencil2dPieces<2, 4, 8, 2>, Stencil2dPieces<4, 2, 8, 2>, Stencil2dPieces<4, 1, 8, 4>,
             Stencil2dBoxes<8, 8, 3>, Stencil2dBoxes<4, 8, 3, 2>, Stencil2dBoxes<4, 16, 3, 1>>(one);
  add_shapes<Stencil2dBoxes<8, 8, 3, 1, true>, Stencil2dBoxes<8, 8, 2, 1, true>, Stencil2dBoxes<4, 8, 6, 1, true>,
             Stencil2dBoxes<4, 8, 3, 2, true>, Stencil2dBoxes<2, 8, 3, 4, true>, Stencil2dBoxes<8, 8, 1, 2, true>,
             Stencil2dBoxes<8, 4, 4, 1, true>, Stencil2dBoxes<4, 4, 4, 2, true>, Stencil2dBoxes<16, 4, 2, 1, true>,
             Stencil2dBoxes<8, 4, 2, 2, true>>(one);
  one.measure(bench, size_name(2, 4, size), samples);
}

void sweep_7(kernel_bench::Bench& bench, Extents size) {
  StencilCase<3, 1> one(size);
  add_shapes<Boxes<8, 2, 3, 4, 16>, Boxes<8, 2, 3, 4, 8>, Boxes<8, 2, 3, 4, 11>, Boxes<8, 2, 2, 6, 16>,
             Boxes<8, 2, 2, 6, 32>, Boxes<8, 2, 2, 6, 512>, Boxes<8, 2, 3, 4, 16, 1, 12>>(one);
  add_shapes<Boxes<8, 1, 3, 4, 16, 2>, Boxes<4, 2, 3, 4, 16, 2>, Boxes<8, 2, 1, 4, 16, 2>, Boxes<8, 2, 2, 3, 16, 2>,
             Boxes<4, 4, 2, 3, 16, 2>, Boxes<4, 2, 2, 3, 16, 4>, Boxes<2, 4, 2, 3, 16, 4>, Boxes<2, 2, 2, 4, 16, 4>,
             Boxes<2, 4, 1, 3, 16, 8>, Boxes<2, 4, 1, 3, 64, 8>, Boxes<4, 2, 1, 3, 32, 8>>(one);
  add_shapes<Apart<8, 2, 3, 4, 16>, Apart<4, 2, 3, 4, 16, 2>, Apart<4, 2, 2, 3, 16, 4>, Apart<16, 1, 2, 4, 16>>(one);
  add_shapes<Boxes<8, 2, 2, 6, 6>, Boxes<8, 2, 2, 6, 6, 1, 4>, Boxes<8, 2, 2, 6, 6, 1, 8>, Boxes<4, 2, 4, 6, 6>,
             Boxes<4, 2, 2, 6, 6, 2>, Boxes<4, 2, 2, 6, 6, 2, 8>, Boxes<2, 2, 2, 6, 6, 4>, Boxes<2, 2, 2, 6, 6, 4, 16>,
             Boxes<8, 2, 3, 4, 4, 1, 8>, Boxes<8, 2, 3, 4, 4>, Boxes<4, 2, 2, 10, 10>, Boxes<4, 2, 2, 10, 10, 1, 8>>(one);
  add_shapes<Stencil3dPieces<8, 1, 2, 2, 3, 1, 0>, Stencil3dPieces<8, 1, 2, 2, 3, 1, 8>,
             Stencil3dPieces<8, 1, 1, 2, 4, 1, 8>, Stencil3dPieces<4, 1, 2, 2, 3, 2, 0>,
             Stencil3dPieces<4, 1, 2, 2, 3, 2, 8>, Stencil3dPieces<4, 1, 2, 4, 2, 2, 0>,
             Stencil3dPieces<4, 1, 2, 4, 2, 2, 8>, Stencil3dPieces<8, 1, 2, 4, 2, 1, 0>,
             Stencil3dPieces<8, 1, 2, 4, 2, 1, 8>, Stencil3dPieces<2, 1, 2, 2, 3, 4, 0>,
             Stencil3dPieces<2, 1, 2, 4, 2, 4, 8>, Stencil3dPieces<4, 1, 1, 8, 2, 2, 4>,
             Stencil3dPieces<8, 1, 4, 2, 2, 1, 4>, Stencil3dPieces<8, 2, 2, 2, 1, 1, 4>,
             Stencil3dPieces<4, 2, 2, 2, 1, 2, 8>>(one);
  one.measure(bench, size_name(3, 1, size), samples);
}
void sweep_13(kernel_bench::Bench& bench, Extents size) {
  StencilCase<3, 2> one(size);
  add_shapes<Boxes<8, 2, 3, 2, 16>, Boxes<8, 2, 3, 2, 32>, Boxes<8, 2, 2, 4, 16>, Boxes<8, 2, 2, 4, 32>,
             Boxes<16, 2, 1, 4, 16>, Boxes<16, 2, 1, 4, 32>, Boxes<16, 2, 1, 4, 64>, Boxes<8, 2, 1, 4, 32, 2>,
             Boxes<8, 4, 1, 4, 32>, Boxes<16, 1, 2, 3, 32>, Apart<16, 1, 2, 4, 32>, Apart<16, 2, 1, 4, 32>,
             Apart<8, 2, 1, 5, 32, 2>, Apart<8, 2, 2, 5, 32>>(one);
  one.measure(bench, size_name(3, 2, size), samples);
}
void sweep_25(kernel_bench::Bench& bench, Extents size) {
  StencilCase<3, 4> one(size);
  add_shapes<Apart<16, 2, 1, 3, 128>, Apart<16, 2, 1, 3, 64>, Apart<16, 2, 1, 3, 256>, Apart<16, 2, 1, 3, 0>,
             Boxes<16, 2, 1, 3, 128>, Apart<16, 2, 1, 2, 128>, Apart<8, 4, 1, 3, 128>, Apart<8, 2, 1, 3, 128, 2>,
             Apart<8, 2, 1, 2, 64, 2>, Apart<4, 4, 1, 3, 128, 2>, Apart<12, 3, 1, 2, 128>>(one);
  one.measure(bench, size_name(3, 4, size), samples);
}

}  // namespace

int main(int argc, char** argv) {
  if (kernel_bench::has_argument(argc, argv, "once")) samples = 0;
  kernel_bench::print_machine();
  kernel_bench::print_header();
  kernel_bench::Bench bench;
  const Extents plane{16384, 16384, 1, 16384}, volume{1024, 512, 512, 1024};
  sweep_2d(bench, plane);
  sweep_7(bench, volume);
  sweep_13(bench, volume);
  sweep_25(bench, volume);
  kernel_bench::print_end();
}
