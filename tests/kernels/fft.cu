// lanebank::fft against the sum in double precision: impulses exactly, random numbers to the tolerance of fft.cuh,
// both directions, in place, batches that end inside a block. With the argument `conflicts`: the exchange that shows
// them.
#include "lanebank/fft.cuh"

#include <cmath>
#include <complex>

#include "kernel_test.cuh"

using namespace lanebank;
using kernel_test::Device;
using kernel_test::Random;

namespace {

constexpr std::uint64_t seed = 20261130;
constexpr double tolerance = 3e-7;  // root mean square, of the result's
using Complex = std::complex<double>;

/// The sum itself, for one transform.
std::vector<Complex> reference(const float2* in, unsigned n, int sign) {
  std::vector<Complex> roots(n), out(n);
  for (unsigned k = 0; k < n; ++k) roots[k] = std::polar(1.0, sign * 2 * 3.14159265358979323846 * k / n);
  for (unsigned k = 0; k < n; ++k) {
    double re = 0, im = 0;
    for (unsigned i = 0; i < n; ++i) {
      const Complex w = roots[i * k % n];
      re += in[i].x * w.real() - in[i].y * w.imag();
      im += in[i].x * w.imag() + in[i].y * w.real();
    }
    out[k] = {re, im};
  }
  return out;
}

template <unsigned N, class Form>
int check(std::size_t batch, FftDirection direction, bool in_place) {
  Random random(seed + N);
  std::vector<float2> in(batch * N);
  for (float2& one : in) one = {random.unit(), random.unit()};
  const Device<float2> source(in), target(in.size());
  float2* to = in_place ? source.get() : target.get();
  bool right = fft<N, Form>(source.get(), to, batch, direction) == Status::success;
  const std::vector<float2> found = in_place ? source.values() : target.values();
  double error = 0, size = 0, worst = 0;
  for (std::size_t b = 0; b < batch; ++b) {
    const auto wanted = reference(&in[b * N], N, direction == FftDirection::forward ? -1 : 1);
    for (unsigned k = 0; k < N; ++k) {
      const Complex difference = Complex(found[b * N + k].x, found[b * N + k].y) - wanted[k];
      error += std::norm(difference);
      size += std::norm(wanted[k]);
      worst = std::fmax(worst, std::abs(difference));
    }
  }
  const double relative = std::sqrt(error / size), greatest = worst / std::sqrt(size / static_cast<double>(batch * N));
  right &= relative <= tolerance && greatest <= 10 * tolerance;
  char name[64];
  std::snprintf(name, sizeof name, "N %u %s%s error %.1e worst %.1e", N,
                direction == FftDirection::forward ? "forward" : "inverse", in_place ? " in place" : "", relative,
                greatest);
  return kernel_test::report(name, batch, right);
}

/// An impulse at n = 1: out[k] = exp(-2 pi i k / N); its quarter points are exact.
int check_impulse() {
  constexpr unsigned n = 256;
  std::vector<float2> in(n, float2{0, 0});
  in[1] = {1, 0};
  const Device<float2> source(in), target(n);
  bool right = fft(n, source.get(), target.get(), 1) == Status::success;
  const auto out = target.values();
  right &= out[0].x == 1 && out[0].y == 0 && out[n / 2].x == -1 && out[n / 2].y == 0 && out[n / 4].y == -1;
  for (unsigned k = 0; k < n; ++k) right &= std::fabs(out[k].x - std::cos(2 * 3.14159265358979323846 * k / n)) < 2e-7;
  return kernel_test::report("impulse", n, right);
}

int check_arguments() {
  const Device<float2> source(64), target(64);
  auto* odd = reinterpret_cast<float2*>(reinterpret_cast<unsigned char*>(source.get()) + 4);
  bool right = fft(16, nullptr, target.get(), 1) == Status::null_pointer &&
               fft(16, source.get(), nullptr, 1) == Status::null_pointer &&
               fft(24, source.get(), target.get(), 1) == Status::bad_size &&
               fft(8192, source.get(), target.get(), 1) == Status::bad_size &&
               fft(16, source.get(), target.get(), ~std::size_t{0} / 64) == Status::bad_size &&
               fft(16, odd, target.get(), 1) == Status::misaligned &&
               fft(16, source.get(), source.get() + 8, 1) == Status::overlapping &&
               fft(16, nullptr, nullptr, 0) == Status::success;
  for (const float2 value : target.values()) right &= value.x == 0.0f && value.y == 0.0f;  // nothing was launched
  return kernel_test::report("bad arguments", 8, right);
}

}  // namespace

int main(int argc, char**) {
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  if (argc > 1)
    return check<64, kernels::FftPlain>(33, FftDirection::forward, false) +
               check<4096, kernels::FftPlain>(1, FftDirection::forward, false) !=
           0;
  using Form = kernels::FftSwizzled;
  int wrong = check_arguments() + check_impulse();
  wrong += check<16, Form>(150, FftDirection::forward, false);
  wrong += check<32, Form>(65, FftDirection::inverse, false);
  wrong += check<64, Form>(40, FftDirection::forward, true);
  wrong += check<128, Form>(33, FftDirection::forward, false);
  wrong += check<256, Form>(17, FftDirection::inverse, true);
  wrong += check<512, Form>(5, FftDirection::forward, false);
  wrong += check<1024, Form>(5, FftDirection::forward, false);
  wrong += check<2048, Form>(3, FftDirection::inverse, true);
  wrong += check<4096, Form>(2, FftDirection::forward, false);
  return wrong != 0;
}
