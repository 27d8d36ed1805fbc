// lanebank::stencil_2d and stencil_3d against loops on the CPU, bit for bit: the same fused multiply-adds in the same
// order. Ramps and random data, sizes that end inside tiles, pitches. With the argument `conflicts`: the form that
// shows them.
#include "lanebank/stencil.cuh"

#include <cmath>

#include "kernel_test.cuh"

using namespace lanebank;
using kernel_test::Device;
using kernel_test::Random;
using kernels::NeighboursShuffle;
using kernels::NeighboursSwizzled;
using kernels::NeighboursWords;

namespace {

constexpr std::uint64_t seed = 20261130;

struct Size {
  int width, height, depth, pitch;
};

template <unsigned Axes, unsigned R>
std::vector<float> reference(const std::vector<float>& in, Size size, const StarWeights<Axes, R>& weights,
                             float outside) {
  std::vector<float> out(in.size(), outside);
  const auto at = [&](int x, int y, int z) {
    const bool inside = x >= 0 && y >= 0 && z >= 0 && x < size.width && y < size.height && z < size.depth;
    return inside ? in[(static_cast<std::size_t>(z) * size.height + y) * size.pitch + x] : 0.0f;
  };
  for (int z = 0; z < size.depth; ++z)
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x) {
        float sum = weights.center * at(x, y, z);
        for (int d = 1; d <= static_cast<int>(R); ++d) {
          sum = std::fmaf(weights.axis[0][d - 1], at(x - d, y, z), sum);
          sum = std::fmaf(weights.axis[0][d - 1], at(x + d, y, z), sum);
          sum = std::fmaf(weights.axis[1][d - 1], at(x, y - d, z), sum);
          sum = std::fmaf(weights.axis[1][d - 1], at(x, y + d, z), sum);
          if (Axes == 2) continue;
          sum = std::fmaf(weights.axis[Axes - 1][d - 1], at(x, y, z - d), sum);
          sum = std::fmaf(weights.axis[Axes - 1][d - 1], at(x, y, z + d), sum);
        }
        out[(static_cast<std::size_t>(z) * size.height + y) * size.pitch + x] = sum;
      }
  return out;
}

template <unsigned Axes, unsigned R>
StarWeights<Axes, R> some_weights() {
  StarWeights<Axes, R> weights{0.5f, {}};
  for (unsigned a = 0; a < Axes; ++a)
    for (unsigned d = 0; d < R; ++d)
      weights.axis[a][d] = 0.1f + 0.03f * static_cast<float>(a) - 0.02f * static_cast<float>(d);
  return weights;
}

template <class Form, class Shape, unsigned Axes, unsigned R>
int check(const char* name, Size size, bool random) {
  Random numbers(seed);
  std::vector<float> in(static_cast<std::size_t>(size.pitch) * size.height * size.depth);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = random ? numbers.unit() : static_cast<float>(i % 1009);
  const auto weights = some_weights<Axes, R>();
  const Device<float> source(in), target(std::vector<float>(in.size(), -7.0f));
  const std::size_t pitch = size.pitch, width = size.width, height = size.height;
  Status status;
  if constexpr (Axes == 2)
    status = stencil_2d<Form, Shape>(source.get(), pitch, target.get(), pitch, width, height, weights);
  else
    status = stencil_3d<Form, Shape>(source.get(), pitch, target.get(), pitch, width, height, size.depth, weights);
  const bool right = status == Status::success &&
                     kernel_test::differences(target.values(), reference<Axes, R>(in, size, weights, -7.0f)) == 0;
  return kernel_test::report(name, in.size(), right);
}

int check_arguments() {
  const Device<float> source(4096), target(4096);
  const auto weights = some_weights<2, 1>();
  const auto call = [&](const float* from, std::size_t from_pitch, float* to, std::size_t to_pitch, std::size_t width,
                        std::size_t height) {
    return stencil_2d(from, from_pitch, to, to_pitch, width, height, weights);
  };
  const std::size_t huge = std::size_t{1} << 62;
  bool right = call(nullptr, 32, target.get(), 32, 32, 32) == Status::null_pointer &&
               call(source.get(), 32, nullptr, 32, 32, 32) == Status::null_pointer &&
               call(source.get(), 32, target.get(), 32, 0, 32) == Status::bad_size &&
               call(source.get(), 32, target.get(), 32, 32, 0) == Status::bad_size &&
               call(source.get(), huge, target.get(), huge, 32, 32) == Status::bad_size &&
               call(source.get(), 28, target.get(), 32, 32, 32) == Status::bad_pitch &&
               call(source.get(), 32, target.get(), 28, 32, 32) == Status::bad_pitch &&
               call(source.get(), 34, target.get(), 32, 32, 32) == Status::misaligned &&
               call(source.get() + 1, 32, target.get(), 32, 32, 32) == Status::misaligned &&
               call(source.get(), 32, source.get() + 512, 32, 32, 32) == Status::overlapping &&
               stencil_3d(source.get(), 32, target.get(), 32, 32, 8, 0, some_weights<3, 1>()) == Status::bad_size &&
               stencil_3d(source.get(), 32, source.get(), 32, 32, 8, 8, some_weights<3, 1>()) == Status::overlapping;
  for (const float value : target.values()) right &= value == 0.0f;  // nothing was launched
  return kernel_test::report("bad arguments", 12, right);
}

}  // namespace

int main(int argc, char** argv) {
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  using Flat = kernels::Stencil2dShape<2, 8, 4, 4>;
  using Deep = kernels::Stencil3dShape<4, 1, 3>;
  using Pieces = kernels::Stencil2dPieces<2, 2, 4, 4>;
  using FlatBoxes = kernels::Stencil2dBoxes<2, 8, 4>;
  using Blocks = kernels::Stencil3dPieces<2, 2, 2, 2, 4>;
  using Boxes = kernels::Stencil3dBoxes<4, 2, 1, 2>;
  using Apart = kernels::Stencil3dBoxes<3, 2, 1, 1, 11, kernels::BoxSync::warps>;
  using Margins = kernels::Stencil3dBoxes<4, 2, 1, 2, 5, kernels::BoxSync::block, 4>;
  using ApartMargins = kernels::Stencil3dBoxes<3, 2, 1, 1, 11, kernels::BoxSync::warps, 4>;
  using RowsApart = kernels::Stencil3dBoxes<16, 1, 2, 4, 8>;
  const bool conflicts = argc > 1 && std::strcmp(argv[1], "conflicts") == 0;
  if (conflicts)
    return check<NeighboursWords, Flat, 2, 2>("words, plane, 9 points", {300, 19, 1, 304}, true) +
               check<NeighboursWords, Deep, 3, 1>("words, volume, 7 points", {256, 8, 6, 256}, true) !=
           0;
  int wrong = check_arguments();
  wrong += check<NeighboursShuffle, Flat, 2, 1>("plane, 5 points, ramp", {512, 32, 1, 512}, false);
  wrong += check<NeighboursShuffle, Flat, 2, 1>("plane, 5 points", {1, 1, 1, 4}, true);
  wrong += check<NeighboursShuffle, Flat, 2, 1>("plane, 5 points", {257, 13, 1, 264}, true);
  wrong += check<NeighboursSwizzled, Flat, 2, 2>("swizzled, plane, 9 points", {387, 21, 1, 388}, true);
  wrong += check<NeighboursShuffle, Flat, 2, 4>("plane, 17 points", {258, 19, 1, 260}, true);
  wrong += check<NeighboursShuffle, Deep, 3, 1>("volume, 7 points, ramp", {256, 8, 8, 256}, false);
  wrong += check<NeighboursShuffle, Deep, 3, 1>("volume, 7 points", {131, 7, 5, 132}, true);
  wrong += check<NeighboursSwizzled, Deep, 3, 1>("swizzled, volume, 7 points", {128, 8, 6, 128}, true);
  wrong += check<NeighboursShuffle, Deep, 3, 4>("volume, 25 points", {129, 9, 13, 132}, true);
  wrong += check<NeighboursShuffle, Pieces, 2, 1>("pieces, 5 points, ramp", {512, 32, 1, 512}, false);
  wrong += check<NeighboursShuffle, Pieces, 2, 1>("pieces, 5 points", {1, 1, 1, 4}, true);
  wrong += check<NeighboursSwizzled, Pieces, 2, 2>("swizzled, pieces, 9 points", {387, 21, 1, 388}, true);
  wrong += check<NeighboursShuffle, Pieces, 2, 4>("pieces, 17 points", {515, 27, 1, 516}, true);
  wrong += check<NeighboursShuffle, FlatBoxes, 2, 1>("boxes, 5 points, ramp", {512, 32, 1, 512}, false);
  wrong += check<NeighboursSwizzled, FlatBoxes, 2, 1>("swizzled, boxes, 5 points", {1, 1, 1, 4}, true);
  wrong += check<NeighboursSwizzled, FlatBoxes, 2, 4>("swizzled, boxes, 17 points", {387, 21, 1, 388}, true);
  wrong += check<NeighboursShuffle, FlatBoxes, 2, 4>("boxes, 17 points", {515, 27, 1, 516}, true);
  wrong += check<NeighboursShuffle, Blocks, 3, 1>("pieces, 7 points, ramp", {256, 8, 8, 256}, false);
  wrong += check<NeighboursShuffle, Blocks, 3, 1>("pieces, 7 points", {387, 13, 9, 388}, true);
  wrong += check<NeighboursSwizzled, Blocks, 3, 2>("swizzled, pieces, 13 points", {387, 15, 10, 388}, true);
  wrong += check<NeighboursShuffle, Boxes, 3, 1>("boxes, 7 points, ramp", {256, 8, 8, 256}, false);
  wrong += check<NeighboursShuffle, Boxes, 3, 1>("boxes, 7 points", {131, 9, 5, 132}, true);
  wrong += check<NeighboursSwizzled, Boxes, 3, 1>("swizzled, boxes, 7 points", {128, 8, 11, 128}, true);
  wrong += check<NeighboursShuffle, Boxes, 3, 4>("boxes, 25 points", {129, 9, 13, 132}, true);
  wrong += check<NeighboursShuffle, Apart, 3, 1>("boxes, warps apart, 7 points", {131, 9, 29, 132}, true);
  wrong += check<NeighboursSwizzled, Apart, 3, 2>("boxes, warps apart, 13 points", {128, 8, 37, 128}, true);
  wrong += check<NeighboursShuffle, Margins, 3, 1>("boxes with margins, 7 points", {387, 21, 12, 388}, true);
  wrong += check<NeighboursSwizzled, Margins, 3, 2>("swizzled, boxes with margins, 13 points", {256, 9, 7, 256}, true);
  wrong += check<NeighboursShuffle, ApartMargins, 3, 4>("boxes with margins, apart, 25 points", {387, 9, 23, 388}, true);
  // Here the compiler leaves out the sums of a warp by BRA.U, which goes for all lanes or for none.
  wrong += check<NeighboursShuffle, RowsApart, 3, 1>("boxes, a row a warp, 7 points", {4, 20, 10, 4}, true);
  wrong += check<NeighboursShuffle, Blocks, 3, 1>("pieces that end with the rows", {384, 13, 9, 384}, true);
  wrong += check<NeighboursShuffle, Pieces, 2, 4>("pieces that end with the rows, 17 points", {512, 27, 1, 512}, true);
  wrong += check<NeighboursShuffle, void, 2, 4>("as chosen, 17 points", {643, 70, 1, 644}, true);
  wrong += check<NeighboursShuffle, void, 3, 1>("as chosen, 7 points", {387, 37, 19, 388}, true);
  wrong += check<NeighboursShuffle, void, 3, 2>("as chosen, 13 points", {260, 37, 19, 260}, true);
  wrong += check<NeighboursShuffle, void, 2, 3>("as chosen, 13 points", {131, 70, 1, 132}, true);
  wrong += check<NeighboursShuffle, void, 3, 3>("as chosen, 19 points", {131, 27, 9, 132}, true);
  return wrong != 0;
}
