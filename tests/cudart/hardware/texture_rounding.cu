// How textures round: normalised coordinates, weights of linear filters, sums of elements of several types and ranges. A line
// holds a hash of the device's values, which a transcript of hardware keeps; machine/numerics/texture.hpp has the rules. With a
// path the values themselves are written there.
//
//   texture_rounding [FILE]
#include <cmath>
#include <string>

#include "texture_cases.hpp"

namespace {

std::uint32_t state = 1;
std::uint32_t next_random() {
  state = state * 1664525u + 1013904223u;
  const std::uint32_t high = state >> 16;
  state = state * 1664525u + 1013904223u;
  return high << 16 | state >> 16;
}
/// 0 to 1, a multiple of 2^-24.
float unit() { return static_cast<float>(next_random() >> 8) * (1.0f / 16777216); }

template <int dimensions>
__global__ void take(cudaTextureObject_t texture, const float4* at, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (dimensions == 1) out[i] = tex1D<float>(texture, at[i].x);
  if (dimensions == 2) out[i] = tex2D<float>(texture, at[i].x, at[i].y);
  if (dimensions == 3) out[i] = tex3D<float>(texture, at[i].x, at[i].y, at[i].z);
}

std::FILE* file = nullptr;

struct Settings {
  bool normalised;
  bool linear;
  int mode;
};

template <int dimensions, class T>
void show(const std::string& title, const Volume<T>& image, const std::vector<float4>& at, Settings settings) {
  cudaArray_t array = array_of(image.values, image.width, dimensions > 1 ? image.height : 0, dimensions > 2 ? image.depth : 0);
  const cudaTextureReadMode read = sizeof(T) == 4 ? cudaReadModeElementType : cudaReadModeNormalizedFloat;
  const cudaTextureObject_t texture = texture_of<T>(array, settings.mode, settings.normalised, settings.linear, read);
  const int n = static_cast<int>(at.size());
  float4* device_at = on_device(at);
  float* out = on_device(std::vector<float>(n));
  take<dimensions><<<(n + 127) / 128, 128>>>(texture, device_at, out, n);
  const std::vector<float> values = from_device(out, n);
  std::printf("  %-32s %5d values  %016llx\n", title.c_str(), n,
              static_cast<unsigned long long>(hash_of(values.data(), sizeof(float) * values.size())));
  if (file != nullptr) std::fwrite(values.data(), sizeof(float), values.size(), file);
  must(cudaDestroyTextureObject(texture));
  must(cudaFreeArray(array));
  must(cudaFree(device_at));
  must(cudaFree(out));
}

Volume<float> ramp(int n) {
  Volume<float> line{n, 1, 1, std::vector<float>(n)};
  for (int i = 0; i < n; ++i) line.values[i] = static_cast<float>(i);
  return line;
}
std::vector<float4> row(int n, float first, float step) {
  std::vector<float4> at(n);
  for (int i = 0; i < n; ++i) at[i] = make_float4(first + static_cast<float>(i) * step, 0, 0, 0);
  return at;
}

void weights() {
  std::printf("weights\n");
  show<1>("ramp of 16, fine", ramp(16), row(32768, 4.5f, 0x1p-14f), {false, true, clamp});
  show<1>("ramp of 4096, behind", ramp(4096), row(8192, 4000.5f, 0x1p-12f), {false, true, clamp});
  show<1>("ramp of 16, begin", ramp(16), row(8192, 0.25f, 0x1p-13f), {false, true, clamp});
}

void normalised() {
  std::printf("normalised coordinates\n");
  for (const int n : {13, 64, 100, 1000}) {
    const std::string of = " of " + std::to_string(n);
    std::vector<float4> at(8192), far(2048), edges;
    for (float4& p : at) p = make_float4(unit(), 0, 0, 0);
    for (float4& p : far) p = make_float4(unit() * 6 - 3, 0, 0, 0);
    for (int j = 0; j <= n && j < 128; ++j) {
      for (int step = -3; step <= 3; ++step) {
        float x = static_cast<float>(j) / static_cast<float>(n);
        for (int s = 0; s < std::abs(step); ++s) x = std::nextafterf(x, step < 0 ? -1.0f : 2.0f);
        edges.push_back(make_float4(x, 0, 0, 0));
      }
    }
    for (const int mode : {wrap, clamp, mirror, border})
      for (const bool linear : {false, true})
        show<1>((linear ? "linear " : "nearest ") + std::string(mode_names[mode]) + of, ramp(n), at, {true, linear, mode});
    for (const int mode : {wrap, mirror})
      for (const bool linear : {false, true})
        show<1>((linear ? "far, linear " : "far, nearest ") + std::string(mode_names[mode]) + of, ramp(n), far,
                {true, linear, mode});
    for (const int mode : {wrap, clamp, mirror, border})
      show<1>("edges " + std::string(mode_names[mode]) + of, ramp(n), edges, {true, false, mode});
  }
}

template <class T>
Volume<T> cut(const std::vector<T>& values, int width, int height, int depth) {
  return {width, height, depth, {values.begin(), values.begin() + width * height * depth}};
}

template <class T>
void sums_of(const char* type, const std::vector<T>& values, const std::vector<float4>& at, bool wide = false) {
  for (const int mode : {clamp, border}) {
    const std::string name = std::string(type) + " " + mode_names[mode];
    show<1>(name + " 1D", cut(values, 64, 1, 1), at, {false, true, mode});
    show<2>(name + " 2D", cut(values, 64, 8, 1), at, {false, true, mode});
    if (!wide) show<3>(name + " 3D", cut(values, 64, 8, 8), at, {false, true, mode});
  }
}

void sums() {
  std::printf("sums\n");
  constexpr int size = 64 * 8 * 8;
  std::vector<float> wide(size), units(size);
  for (float& x : wide) {
    const float part = unit() - 0.5f;
    x = part * std::exp2(static_cast<float>(next_random() % 12) - 6);
  }
  for (float& x : units) x = unit();
  std::vector<float4> at(8192);
  for (float4& p : at) {
    const float x = unit() * 64, y = unit() * 8, z = unit() * 8;
    p = make_float4(x, y, z, 0);
  }
  sums_of("float", wide, at, true);
  sums_of("float, 0 to 1", units, at);
  std::vector<unsigned char> bytes(size);
  std::vector<signed char> signed_bytes(size);
  std::vector<short> shorts(size);
  std::vector<unsigned short> words(size);
  for (auto& x : bytes) x = static_cast<unsigned char>(next_random() >> 16);
  for (auto& x : signed_bytes) x = static_cast<signed char>(next_random() >> 16);
  for (auto& x : shorts) x = static_cast<short>(next_random() >> 16);
  for (auto& x : words) x = static_cast<unsigned short>(next_random() >> 16);
  sums_of("unsigned char", bytes, at);
  sums_of("signed char", signed_bytes, at);
  sums_of("short", shorts, at);
  sums_of("unsigned short", words, at);
  std::vector<float> extreme(64), pairs(16), endless(64);
  for (int i = 0; i < 64; ++i) extreme[i] = i % 2 ? 1e-40f * static_cast<float>(i) : 1e38f;
  for (int i = 0; i < 64; ++i) endless[i] = i % 5 == 1 ? INFINITY : i % 7 == 3 ? -INFINITY : i % 11 == 4 ? NAN : -3e38f;
  for (int i = 0; i < 16; ++i) pairs[i] = i & 1 ? 1.0f : 0x1p-30f;
  show<1>("subnormal and large", cut(extreme, 64, 1, 1), at, {false, true, clamp});
  show<1>("infinite and no number", cut(endless, 64, 1, 1), at, {false, true, clamp});
  show<1>("1 and 2^-30", cut(pairs, 16, 1, 1), row(4096, 2.5f, 0x1p-10f), {false, true, clamp});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) file = std::fopen(argv[1], "wb");
  weights();
  normalised();
  sums();
  if (file != nullptr) std::fclose(file);
}
