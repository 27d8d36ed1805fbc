// Star stencils in two and three dimensions against a copy of the same array.
//
//   nvcc -std=c++17 -O3 -arch=sm_90a -I include bench/gpu/bench_stencil.cu -o bench_stencil
//   ./bench_stencil [--quick] [sweep]                        sweep: block shapes of the fast form instead
//
// Bytes: width x height x depth floats, read once and written once. of_peer: the faster copy's time / the
// contender's, where the copies are device-to-device memcpy and a kernel of 16 bytes per thread.
#include "kernel_bench.cuh"
#include "lanebank/stencil.cuh"

using namespace lanebank;
using namespace lanebank::kernels;
using kernel_bench::Buffer;
using kernel_bench::Contender;

namespace {

unsigned samples = 30;

struct Extents {
  std::size_t width, height, depth, pitch;
};

void demand(Status status) {
  if (status == Status::success) return;
  std::fprintf(stderr, "%s\n", status_name(status));
  std::exit(1);
}

struct Unit {
  __device__ float operator()(std::uint32_t x) const { return static_cast<float>(x) * 0x1p-31f - 1.0f; }
};

/// A thread per element, the same terms in the same order.
template <unsigned Axes, unsigned R>
__global__ void plain(const float* in, float* out, Extents size, StarWeights<Axes, R> weights) {
  const long long x = blockIdx.x * 128 + threadIdx.x, y = blockIdx.y, z = blockIdx.z;
  if (x >= static_cast<long long>(size.width)) return;
  const auto at = [&](long long i, long long j, long long k) {
    const bool inside = i >= 0 && j >= 0 && k >= 0 && i < static_cast<long long>(size.width) &&
                        j < static_cast<long long>(size.height) && k < static_cast<long long>(size.depth);
    return inside ? in[(k * static_cast<long long>(size.height) + j) * static_cast<long long>(size.pitch) + i] : 0.0f;
  };
  float sum = weights.center * at(x, y, z);
  for (int d = 1; d <= static_cast<int>(R); ++d) {
    sum = fmaf(weights.axis[0][d - 1], at(x - d, y, z), sum);
    sum = fmaf(weights.axis[0][d - 1], at(x + d, y, z), sum);
    sum = fmaf(weights.axis[1][d - 1], at(x, y - d, z), sum);
    sum = fmaf(weights.axis[1][d - 1], at(x, y + d, z), sum);
    if (Axes == 2) continue;
    sum = fmaf(weights.axis[Axes - 1][d - 1], at(x, y, z - d), sum);
    sum = fmaf(weights.axis[Axes - 1][d - 1], at(x, y, z + d), sum);
  }
  out[(z * static_cast<long long>(size.height) + y) * static_cast<long long>(size.pitch) + x] = sum;
}

template <unsigned Axes, unsigned R>
class StencilCase {
 public:
  explicit StencilCase(Extents size)
      : size_(size), count_(size.pitch * size.height * size.depth), source_(count_), target_(count_), wanted_(count_) {
    kernel_bench::fill(source_, Unit{});
    weights_.center = 0.5f;
    for (unsigned a = 0; a < Axes; ++a)
      for (unsigned d = 0; d < R; ++d)
        weights_.axis[a][d] = 0.1f + 0.03f * static_cast<float>(a) - 0.02f * static_cast<float>(d);
    const dim3 grid(static_cast<unsigned>((size.width + 127) / 128), static_cast<unsigned>(size.height),
                    static_cast<unsigned>(size.depth));
    plain<Axes, R><<<grid, 128>>>(source_.get(), wanted_.get(), size_, weights_);
    GPU_CHECK(cudaDeviceSynchronize());
    const std::size_t bytes = count_ * sizeof(float);
    contenders_.push_back(
        {"memcpy", moved(), [=](cudaStream_t stream) {
           GPU_CHECK(cudaMemcpyAsync(target_.get(), source_.get(), bytes, cudaMemcpyDeviceToDevice, stream));
         }});
    contenders_.push_back(
        {"copy, 16 bytes", moved(), [=](cudaStream_t stream) {
           gpu_bench::copy_vectors<<<static_cast<unsigned>((bytes / 16 + 255) / 256), 256, 0, stream>>>(
               reinterpret_cast<uint4*>(target_.get()), reinterpret_cast<const uint4*>(source_.get()), bytes / 16);
         }});
  }
  StencilCase(const StencilCase&) = delete;
  StencilCase& operator=(const StencilCase&) = delete;

  template <class Form, class Shape>
  void add(const char* name) {
    contenders_.push_back({name, moved(), [this](cudaStream_t stream) {
                             if constexpr (Axes == 2)
                               demand(stencil_2d<Form, Shape>(source_.get(), size_.pitch, target_.get(), size_.pitch,
                                                              size_.width, size_.height, weights_, stream));
                             else
                               demand(stencil_3d<Form, Shape>(source_.get(), size_.pitch, target_.get(), size_.pitch,
                                                              size_.width, size_.height, size_.depth, weights_,
                                                              stream));
                           }});
    GPU_CHECK(cudaMemset(target_.get(), 0, count_ * sizeof(float)));
    contenders_.back().run(nullptr);
    GPU_CHECK(cudaDeviceSynchronize());
    kernel_bench::demand_equal(name, target_, wanted_, count_);
  }
  void measure(kernel_bench::Bench& bench, const std::string& name) {
    bench.measure(contenders_, samples);
    const std::size_t peer = contenders_[0].median_ms() < contenders_[1].median_ms() ? 0 : 1;
    kernel_bench::print_rows(Axes == 2 ? "stencil2d" : "stencil3d", name, contenders_, peer);
    kernel_bench::add_target(Axes == 2 ? "stencil 2-D of copy" : "stencil 3-D of copy", contenders_, peer,
                            Axes == 2 ? 0.95 : 0.88);
  }

 private:
  double moved() const { return 2.0 * static_cast<double>(size_.width * size_.height * size_.depth * sizeof(float)); }
  Extents size_;
  std::size_t count_;
  Buffer<float> source_, target_, wanted_;
  StarWeights<Axes, R> weights_{};
  std::vector<Contender> contenders_;
};

std::string size_name(unsigned axes, unsigned radius, Extents size) {
  std::string name = std::to_string(axes * 2 * radius + 1) + " points ";
  name += std::to_string(size.width) + "x" + std::to_string(size.height);
  return axes == 2 ? name : name + "x" + std::to_string(size.depth);
}

template <unsigned R>
void bench_2d(kernel_bench::Bench& bench, Extents size) {
  StencilCase<2, R> one(size);
  one.template add<NeighboursShuffle, void>("lanebank");
  one.template add<NeighboursSwizzled, void>("lanebank, swizzled words");
  one.template add<NeighboursWords, void>("lanebank, plain words");
  one.measure(bench, size_name(2, R, size));
}

template <unsigned R>
void bench_3d(kernel_bench::Bench& bench, Extents size) {
  StencilCase<3, R> one(size);
  one.template add<NeighboursShuffle, void>("lanebank");
  one.template add<NeighboursSwizzled, void>("lanebank, swizzled words");
  one.template add<NeighboursWords, void>("lanebank, plain words");
  one.measure(bench, size_name(3, R, size));
}

void sweep_2d(kernel_bench::Bench& bench, Extents size) {
  {
    StencilCase<2, 1> one(size);
    one.add<NeighboursShuffle, Stencil2dShape<8, 32, 2, 5>>("marching: 8 warps, 32 rows, batch 2, 5 blocks");
    one.add<NeighboursShuffle, Stencil2dShape<8, 16, 1, 6>>("marching: 8, 16, 1, 6");
    one.add<NeighboursShuffle, Stencil2dPieces<1, 8, 4, 4>>("pieces: 1 across, 8 down, 4 rows, 4 blocks");
    one.add<NeighboursShuffle, Stencil2dPieces<2, 4, 4, 4>>("pieces: 2 across, 4 down, 4 rows, 4 blocks");
    one.add<NeighboursShuffle, Stencil2dPieces<8, 1, 4, 4>>("pieces: 8 across, 1 down, 4 rows, 4 blocks");
    one.add<NeighboursShuffle, Stencil2dPieces<2, 4, 4, 5>>("pieces: 2 across, 4 down, 4 rows, 5 blocks");
    one.add<NeighboursShuffle, Stencil2dPieces<2, 4, 8, 4>>("pieces: 2 across, 4 down, 8 rows, 4 blocks");
    one.add<NeighboursShuffle, Stencil2dPieces<1, 8, 8, 3>>("pieces: 1 across, 8 down, 8 rows, 3 blocks");
    one.add<NeighboursShuffle, Stencil2dPieces<2, 2, 4, 8>>("pieces: 2 across, 2 down, 4 rows, 8 blocks");
    one.add<NeighboursShuffle, Stencil2dPieces<4, 2, 2, 6>>("pieces: 4 across, 2 down, 2 rows, 6 blocks");
    one.add<NeighboursShuffle, Stencil2dBoxes<8, 8, 5>>("boxes: 8 warps, 8 rows, 5 blocks");
    one.add<NeighboursShuffle, Stencil2dBoxes<8, 8, 6>>("boxes: 8 warps, 8 rows, 6 blocks");
    one.add<NeighboursShuffle, Stencil2dBoxes<8, 4, 8>>("boxes: 8 warps, 4 rows, 8 blocks");
    one.add<NeighboursShuffle, Stencil2dBoxes<4, 8, 8>>("boxes: 4 warps, 8 rows, 8 blocks");
    one.add<NeighboursShuffle, Stencil2dBoxes<4, 16, 6>>("boxes: 4 warps, 16 rows, 6 blocks");
    one.measure(bench, size_name(2, 1, size));
  }
  StencilCase<2, 4> one(size);
  one.add<NeighboursShuffle, Stencil2dShape<8, 32, 4, 4>>("marching: 8 warps, 32 rows, batch 4, 4 blocks");
  one.add<NeighboursShuffle, Stencil2dPieces<2, 4, 4, 2>>("pieces: 2 across, 4 down, 4 rows, 2 blocks");
  one.add<NeighboursShuffle, Stencil2dPieces<1, 8, 4, 2>>("pieces: 1 across, 8 down, 4 rows, 2 blocks");
  one.add<NeighboursShuffle, Stencil2dPieces<2, 4, 8, 2>>("pieces: 2 across, 4 down, 8 rows, 2 blocks");
  one.add<NeighboursShuffle, Stencil2dPieces<1, 8, 8, 2>>("pieces: 1 across, 8 down, 8 rows, 2 blocks");
  one.add<NeighboursShuffle, Stencil2dPieces<4, 1, 4, 4>>("pieces: 4 across, 1 down, 4 rows, 4 blocks");
  one.add<NeighboursShuffle, Stencil2dPieces<2, 2, 8, 4>>("pieces: 2 across, 2 down, 8 rows, 4 blocks");
  one.add<NeighboursShuffle, Stencil2dPieces<2, 4, 2, 3>>("pieces: 2 across, 4 down, 2 rows, 3 blocks");
  one.add<NeighboursShuffle, Stencil2dBoxes<8, 8, 3>>("boxes: 8 warps, 8 rows, 3 blocks");
  one.add<NeighboursShuffle, Stencil2dBoxes<4, 8, 6>>("boxes: 4 warps, 8 rows, 6 blocks");
  one.add<NeighboursShuffle, Stencil2dBoxes<8, 4, 4>>("boxes: 8 warps, 4 rows, 4 blocks");
  one.add<NeighboursShuffle, Stencil2dBoxes<4, 16, 4>>("boxes: 4 warps, 16 rows, 4 blocks");
  one.add<NeighboursShuffle, Stencil2dBoxes<8, 8, 2>>("boxes: 8 warps, 8 rows, 2 blocks");
  one.measure(bench, size_name(2, 4, size));
}

template <class Shape>
std::string shape_name() {
  const auto text = [](unsigned n) { return std::to_string(n); };
  if constexpr (Shape::way == StencilWay::pieces)
    return "pieces: " + text(Shape::down) + " down, " + text(Shape::deep) + " deep, " + text(Shape::rows) + " rows, " +
           text(Shape::planes) + " planes, " + text(Shape::blocks) + " blocks";
  else
    return "boxes: " + text(Shape::warps) + " warps, " + text(Shape::rows) + " rows, " + text(Shape::blocks) +
           " blocks, " + text(Shape::ahead) + " ahead, chunk " + text(Shape::chunk) +
           (Shape::sync == BoxSync::warps ? ", apart" : "");
}

template <class... Shapes, unsigned R>
void add_shapes(StencilCase<3, R>& one) {
  (one.template add<NeighboursShuffle, Shapes>(shape_name<Shapes>().c_str()), ...);
}

void sweep_3d(kernel_bench::Bench& bench, Extents size) {
  constexpr BoxSync apart = BoxSync::warps;
  {
    StencilCase<3, 1> one(size);
    add_shapes<Stencil3dPieces<8, 1, 2, 2, 3>, Stencil3dPieces<8, 1, 1, 2, 4>, Stencil3dPieces<8, 1, 1, 2, 5>,
               Stencil3dPieces<16, 1, 1, 2, 2>, Stencil3dPieces<8, 1, 3, 2, 2>, Stencil3dPieces<12, 1, 2, 2, 2>,
               Stencil3dPieces<16, 1, 2, 2, 1>, Stencil3dPieces<16, 2, 1, 2, 1>, Stencil3dPieces<4, 2, 2, 2, 3>>(one);
    add_shapes<Stencil3dBoxes<8, 2, 3, 4>, Stencil3dBoxes<8, 2, 3, 4, 16>, Stencil3dBoxes<8, 2, 3, 4, 32>,
               Stencil3dBoxes<8, 2, 3, 4, 64>, Stencil3dBoxes<8, 2, 4, 3, 32>, Stencil3dBoxes<8, 4, 2, 3, 32>>(one);
    add_shapes<Stencil3dBoxes<8, 2, 3, 4, 0, apart>, Stencil3dBoxes<8, 2, 3, 5, 32, apart>,
               Stencil3dBoxes<8, 2, 3, 5, 64, apart>, Stencil3dBoxes<8, 2, 4, 3, 32, apart>,
               Stencil3dBoxes<8, 4, 2, 4, 32, apart>, Stencil3dBoxes<8, 4, 2, 4, 64, apart>,
               Stencil3dBoxes<8, 3, 3, 3, 32, apart>, Stencil3dBoxes<16, 1, 2, 4, 32, apart>,
               Stencil3dBoxes<16, 1, 2, 6, 0, apart>, Stencil3dBoxes<16, 2, 2, 3, 32, apart>,
               Stencil3dBoxes<4, 4, 4, 3, 32, apart>>(one);
    one.measure(bench, size_name(3, 1, size));
  }
  StencilCase<3, 4> one(size);
  add_shapes<Stencil3dBoxes<12, 2, 1, 2>, Stencil3dBoxes<16, 1, 1, 3>, Stencil3dBoxes<12, 2, 1, 2, 128>,
             Stencil3dBoxes<12, 2, 1, 3, 0, apart>, Stencil3dBoxes<12, 2, 1, 3, 64, apart>,
             Stencil3dBoxes<12, 2, 1, 3, 128, apart>, Stencil3dBoxes<16, 1, 1, 4, 0, apart>,
             Stencil3dBoxes<16, 2, 1, 3, 0, apart>, Stencil3dBoxes<16, 2, 1, 3, 128, apart>,
             Stencil3dBoxes<12, 3, 1, 2, 0, apart>, Stencil3dBoxes<11, 3, 1, 3, 0, apart>,
             Stencil3dBoxes<8, 2, 2, 3, 0, apart>, Stencil3dBoxes<8, 2, 2, 3, 128, apart>,
             Stencil3dBoxes<8, 4, 1, 3, 0, apart>, Stencil3dBoxes<12, 2, 1, 4, 0, apart>,
             Stencil3dBoxes<13, 2, 1, 3, 0, apart>>(one);
  one.measure(bench, size_name(3, 4, size));
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = kernel_bench::has_argument(argc, argv, "--quick");
  if (quick) samples = 10;
  kernel_bench::print_machine();
  kernel_bench::print_header();
  kernel_bench::Bench bench;
  const Extents plane{16384, 16384, 1, 16384}, volume{1024, 512, 512, 1024};
  if (kernel_bench::has_argument(argc, argv, "sweep")) {
    sweep_2d(bench, plane);
    sweep_3d(bench, volume);
    return 0;
  }
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
