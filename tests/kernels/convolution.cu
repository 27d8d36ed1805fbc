// lanebank::convolution against loops on the CPU, bit for bit: the same fused multiply-adds in the same order. With
// the argument `conflicts`: the windows and weights that show them.
#include "lanebank/convolution.cuh"

#include <cmath>

#include "kernel_test.cuh"

using namespace lanebank;
using kernel_test::Device;
using kernel_test::Random;

namespace {

constexpr std::uint64_t seed = 20261130;

struct Size {
  int batch, inputs, outputs, height, width;
};

template <unsigned K>
std::vector<float> reference(const std::vector<float>& in, const std::vector<float>& weights, Size s) {
  std::vector<float> out;
  const int k = K;
  for (int n = 0; n < s.batch; ++n)
    for (int o = 0; o < s.outputs; ++o)
      for (int y = 0; y < s.height; ++y)
        for (int x = 0; x < s.width; ++x) {
          float sum = 0;
          for (int c = 0; c < s.inputs; ++c)
            for (int i = 0; i < k; ++i)
              for (int j = 0; j < k; ++j) {
                const int row = y + i - k / 2, column = x + j - k / 2;
                if (row < 0 || column < 0 || row >= s.height || column >= s.width) continue;
                sum = std::fmaf(weights[((o * s.inputs + c) * k + i) * k + j],
                                in[((n * s.inputs + c) * s.height + row) * s.width + column], sum);
              }
          out.push_back(sum);
        }
  return out;
}

template <unsigned K, class Form>
int check(const char* name, Size s, bool random) {
  Random numbers(seed);
  std::vector<float> in(s.batch * s.inputs * s.height * s.width), weights(s.outputs * s.inputs * K * K);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = random ? numbers.unit() : static_cast<float>(i % 1009);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = random ? numbers.unit() : static_cast<float>(i % 17);
  const std::vector<float> wanted = reference<K>(in, weights, s);
  const Device<float> source(in), filters(weights), target(wanted.size());
  const bool right = convolution<K, Form>(source.get(), filters.get(), target.get(), s.batch, s.inputs, s.outputs,
                                          s.height, s.width) == Status::success &&
                     kernel_test::differences(target.values(), wanted) == 0;
  return kernel_test::report(name, wanted.size(), right);
}

int check_arguments() {
  const Device<float> a(4096), b(4096), c(4096);
  const auto call = [](const float* from, const float* weights, float* to, std::size_t batch, std::size_t inputs,
                       std::size_t height) { return convolution<3>(from, weights, to, batch, inputs, 1, height, 8); };
  auto* odd = reinterpret_cast<float*>(reinterpret_cast<unsigned char*>(a.get()) + 1);
  const std::size_t huge = std::size_t{1} << 40;
  bool right = call(nullptr, b.get(), c.get(), 1, 1, 8) == Status::null_pointer &&
               call(a.get(), nullptr, c.get(), 1, 1, 8) == Status::null_pointer &&
               call(a.get(), b.get(), nullptr, 1, 1, 8) == Status::null_pointer &&
               call(a.get(), b.get(), c.get(), 0, 1, 8) == Status::bad_size &&
               call(a.get(), b.get(), c.get(), 1, 0, 8) == Status::bad_size &&
               call(a.get(), b.get(), c.get(), 1, 1, huge) == Status::bad_size &&
               call(odd, b.get(), c.get(), 1, 1, 8) == Status::misaligned &&
               call(a.get(), b.get(), a.get() + 8, 1, 1, 8) == Status::overlapping &&
               call(a.get(), c.get() + 60, c.get(), 1, 1, 8) == Status::overlapping;
  for (const float value : c.values()) right &= value == 0.0f;  // nothing was launched
  return kernel_test::report("bad arguments", 9, right);
}

}  // namespace

int main(int argc, char**) {
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  if (argc > 1)
    return check<3, kernels::WindowWide>("wide windows, 3 x 3", {1, 8, 32, 16, 16}, true) +
               check<5, kernels::WindowWide>("wide windows, 5 x 5", {1, 3, 5, 19, 17}, true) !=
           0;
  using Form = kernels::WindowSquare;
  int wrong = check_arguments();
  wrong += check<3, Form>("3 x 3, pattern", {1, 8, 32, 16, 16}, false);
  wrong += check<3, Form>("3 x 3", {2, 11, 37, 21, 35}, true);
  wrong += check<3, Form>("3 x 3", {3, 1, 1, 1, 1}, true);
  wrong += check<5, Form>("5 x 5", {1, 3, 9, 18, 33}, true);
  return wrong != 0;
}
