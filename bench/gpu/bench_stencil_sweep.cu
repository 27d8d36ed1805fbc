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
std::string streams() {
  return "streams: " + text(Shape::across, "across, ") + text(Shape::down, "down, ") + text(Shape::rows, "rows, ") +
         text(Shape::steps, "steps, ") + text(Shape::ahead, "ahead, ") + text(Shape::halo_ahead, "ahead of the halo, ") +
         text(Shape::blocks, "blocks");
}
template <class Shape>
std::string name_2d() {
  if constexpr (Shape::way == StencilWay::streams)
    return streams<Shape>();
  else if constexpr (Shape::way == StencilWay::marching)
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
  if constexpr (Shape::way == StencilWay::streams) {
    return streams<Shape>();
  } else {
    const std::string size =
        text(Shape::across, "across, ") + text(Shape::down, "down, ") + text(Shape::rows, "rows, ");
    if constexpr (Shape::way == StencilWay::pieces)
      return "pieces: " + size + text(Shape::deep, "deep, ") + text(Shape::planes, "planes, ") +
             text(Shape::blocks, "blocks");
    else
      return "boxes: " + size + text(Shape::blocks, "blocks, ") + text(Shape::ahead, "ahead, chunk ") +
             std::to_string(Shape::chunk) + (Shape::sync == BoxSync::warps ? ", apart" : "");
  }
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
template <unsigned Down, unsigned Rows, unsigned Blocks, unsigned Ahead, unsigned Chunk, unsigned Across = 1>
using Boxes = Stencil3dBoxes<Down, Rows, Blocks, Ahead, Chunk, together, Across>;
template <unsigned Down, unsigned Rows, unsigned Blocks, unsigned Ahead, unsigned Chunk, unsigned Across = 1>
using Apart = Stencil3dBoxes<Down, Rows, Blocks, Ahead, Chunk, apart, Across>;
/// Of a plane: warps across, steps, steps ahead, blocks.
template <unsigned Across, unsigned Steps, unsigned Ahead, unsigned Blocks, unsigned EdgesAhead = 1>
using Flat = StencilStreams<1, 1, Steps, Ahead, Blocks, Across, EdgesAhead>;

void sweep_2d(kernel_bench::Bench& bench, Extents size) {
  {
    StencilCase<2, 1> one(size);
    add_shapes<Stencil2dShape<8, 16, 1, 6>, Stencil2dPieces<2, 4, 4, 4>, Stencil2dPieces<4, 2, 2, 6>,
               Stencil2dBoxes<8, 8, 5>, Flat<8, 12, 3, 3>>(one);
    one.measure(bench, size_name(2, 1, size), samples);
  }
  StencilCase<2, 4> one(size);
  add_shapes<Stencil2dPieces<2, 4, 8, 2>, Stencil2dBoxes<8, 8, 3>, Stencil2dBoxes<8, 8, 2>, Stencil2dBoxes<4, 8, 5>,
             Stencil2dBoxes<4, 8, 4>, Stencil2dBoxes<4, 16, 3>, Stencil2dBoxes<4, 8, 3, 2>,
             Stencil2dBoxes<8, 8, 2, 1, true>, Flat<8, 24, 3, 2>, Flat<8, 48, 3, 2>, Flat<8, 28, 5, 2>,
             Flat<4, 20, 1, 5>>(one);
  one.measure(bench, size_name(2, 4, size), samples);
}

void sweep_7(kernel_bench::Bench& bench, Extents size) {
  StencilCase<3, 1> one(size);
  add_shapes<Stencil3dPieces<8, 1, 2, 2, 3>, Stencil3dPieces<8, 1, 1, 2, 4>, Stencil3dPieces<8, 1, 2, 4, 2>,
             Stencil3dPieces<8, 1, 1, 4, 3>, Stencil3dPieces<8, 1, 2, 3, 2>>(one);
  add_shapes<Boxes<8, 2, 3, 4, 8>, Boxes<8, 2, 3, 4, 12>, Boxes<8, 2, 3, 4, 16>, Boxes<8, 2, 2, 6, 8>,
             Boxes<8, 2, 2, 6, 16>, Boxes<8, 2, 1, 4, 16, 2>, Boxes<8, 2, 4, 3, 8>, Boxes<8, 2, 3, 5, 8>,
             Boxes<16, 2, 1, 6, 16>, Boxes<16, 2, 2, 3, 16>, Boxes<8, 4, 2, 3, 16>, Boxes<8, 2, 2, 8, 8>,
             Apart<16, 1, 2, 4, 16>, Boxes<4, 4, 3, 4, 8>>(one);
  add_shapes<StencilStreams<8, 2, 8, 1, 2>, StencilStreams<8, 2, 16, 1, 2>, StencilStreams<8, 2, 6, 3, 2>,
             StencilStreams<8, 2, 8, 1, 3>, StencilStreams<16, 2, 8, 1, 1>, StencilStreams<8, 1, 8, 1, 3>,
             StencilStreams<8, 1, 8, 1, 4>, StencilStreams<16, 1, 8, 1, 2>>(one);
  one.measure(bench, size_name(3, 1, size), samples);
}
void sweep_13(kernel_bench::Bench& bench, Extents size) {
  StencilCase<3, 2> one(size);
  add_shapes<Boxes<8, 2, 2, 4, 16>, Boxes<8, 2, 2, 4, 8>, Boxes<8, 2, 2, 5, 16>, Boxes<16, 2, 1, 4, 12>,
             Boxes<16, 2, 1, 4, 16>, Boxes<16, 2, 1, 4, 32>, Boxes<16, 2, 1, 6, 16>, Boxes<8, 4, 1, 4, 32>,
             Boxes<8, 4, 1, 6, 16>, Apart<16, 2, 1, 5, 16>, StencilStreams<8, 1, 12, 1, 2>,
             StencilStreams<8, 2, 6, 1, 2>>(one);
  one.measure(bench, size_name(3, 2, size), samples);
}
void sweep_25(kernel_bench::Bench& bench, Extents size) {
  StencilCase<3, 4> one(size);
  add_shapes<Boxes<16, 2, 1, 4, 128>, Boxes<16, 2, 1, 4, 64>, Boxes<16, 2, 1, 4, 32>, Boxes<16, 2, 1, 5, 64>,
             Boxes<12, 2, 1, 4, 128>, Apart<12, 2, 1, 4, 128>, Apart<8, 4, 1, 4, 128>, Boxes<8, 4, 1, 5, 64>,
             Boxes<8, 4, 1, 4, 128>, Boxes<8, 4, 1, 4, 32>>(one);
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
