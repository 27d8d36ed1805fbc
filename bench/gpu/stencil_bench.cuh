// What the benches of the stencils share: a case with its copies, its reference and its contenders.
//
// Bytes: width x height x depth floats, read once and written once. of_peer: the faster copy's time / the
// contender's, where the copies are device-to-device memcpy and a kernel of 16 bytes per thread.
#pragma once

#include "kernel_bench.cuh"
#include "lanebank/stencil.cuh"

namespace stencil_bench {

using namespace lanebank;
using namespace lanebank::kernels;
using kernel_bench::Buffer;
using kernel_bench::Contender;
using kernel_bench::demand;

struct Extents {
  std::size_t width, height, depth, pitch;
};

struct Unit {
  __device__ float operator()(std::uint32_t x) const { return static_cast<float>(x) * 0x1p-31f - 1.0f; }
};

/// The reference: a thread per element, the same terms in the same order.
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
    contenders_.push_back(gpu_bench::copy_contender(target_.get(), source_.get(), bytes));
    contenders_.back().bytes = moved();
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
  void measure(kernel_bench::Bench& bench, const std::string& name, unsigned samples) {
    if (samples == 0) return;
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

inline std::string size_name(unsigned axes, unsigned radius, Extents size) {
  std::string name = std::to_string(axes * 2 * radius + 1) + " points ";
  name += std::to_string(size.width) + "x" + std::to_string(size.height);
  return axes == 2 ? name : name + "x" + std::to_string(size.depth);
}

}  // namespace stencil_bench
