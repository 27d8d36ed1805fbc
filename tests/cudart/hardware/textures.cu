// Textures: nearest elements, linear filters, linear memory, layers, cube maps, gathers. See texture_cases.hpp. Ends with 1
// when a value differs.
#include <cuda_fp16.h>

#include <limits>

#include "texture_cases.hpp"

namespace {

template <class T, int dimensions>
__global__ void sample(cudaTextureObject_t texture, const float4* at, T* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 c = at[i];
  if (dimensions == 1) out[i] = tex1D<T>(texture, c.x);
  if (dimensions == 2) out[i] = tex2D<T>(texture, c.x, c.y);
  if (dimensions == 3) out[i] = tex3D<T>(texture, c.x, c.y, c.z);
}
template <class T>
__global__ void fetch(cudaTextureObject_t texture, int first, T* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = tex1Dfetch<T>(texture, first + i);
}
__global__ void layers_1d(cudaTextureObject_t texture, const float4* at, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = tex1DLayered<float>(texture, at[i].x, static_cast<int>(at[i].w));
}
__global__ void layers_2d(cudaTextureObject_t texture, const float4* at, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = tex2DLayered<float>(texture, at[i].x, at[i].y, static_cast<int>(at[i].w));
}
__global__ void cube(cudaTextureObject_t texture, const float4* at, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = texCubemap<float>(texture, at[i].x, at[i].y, at[i].z);
}
__global__ void cubes(cudaTextureObject_t texture, const float4* at, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = texCubemapLayered<float>(texture, at[i].x, at[i].y, at[i].z, static_cast<int>(at[i].w));
}
template <int component>
__global__ void gather(cudaTextureObject_t texture, const float4* at, float4* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = tex2Dgather<float4>(texture, at[i].x, at[i].y, component);
}
/// Components of one read, some of them not asked for.
__global__ void parts(cudaTextureObject_t texture, const float4* at, float4* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 a = tex2D<float4>(texture, at[i].x, at[i].y), b = tex2D<float4>(texture, at[i].x + 1, at[i].y);
  out[i] = make_float4(a.y, a.w, b.x + b.z, b.w);
}
template <class T, int dimensions>
void point_case(const char* type, int mode, bool normalised) {
  const int width = 13, height = dimensions > 1 ? 7 : 1, depth = dimensions > 2 ? 5 : 1;
  const Volume<T> volume{width, height, depth, numbers<T>(std::size_t(width) * height * depth)};
  cudaArray_t array = array_of(volume.values, width, dimensions > 1 ? height : 0, dimensions > 2 ? depth : 0);
  const cudaTextureObject_t texture = texture_of<T>(array, mode, normalised, false);
  const std::vector<float4> at = points(width, height, depth, normalised);
  float4* device_at = on_device(at);
  T* out = on_device(std::vector<T>(count));
  sample<T, dimensions><<<count / 64, 64>>>(texture, device_at, out);
  std::vector<T> host(count);
  for (int i = 0; i < count; ++i) host[i] = nearest(volume, at[i], normalised, mode, dimensions);
  char title[80];
  std::snprintf(title, sizeof title, "point %dD %s %s%s", dimensions, type, mode_names[mode], normalised ? " normalised" : "");
  compare(title, from_device(out, count), host);
  must(cudaDestroyTextureObject(texture));
  must(cudaFreeArray(array));
  must(cudaFree(out));
  must(cudaFree(device_at));
}

template <int dimensions>
void linear_case(int mode, bool normalised) {
  const int width = 13, height = dimensions > 1 ? 7 : 1, depth = dimensions > 2 ? 5 : 1;
  const Volume<float> volume{width, height, depth, small_numbers(std::size_t(width) * height * depth)};
  cudaArray_t array = array_of(volume.values, width, dimensions > 1 ? height : 0, dimensions > 2 ? depth : 0);
  const cudaTextureObject_t texture = texture_of<float>(array, mode, normalised, true);
  std::vector<float4> at = points(width, height, depth, normalised);
  for (float4& p : at) p.x += 0.0123f / (normalised ? 13 : 1), p.y -= 0.0071f / (normalised ? 7 : 1);
  float4* device_at = on_device(at);
  float* out = on_device(std::vector<float>(count));
  sample<float, dimensions><<<count / 64, 64>>>(texture, device_at, out);
  std::vector<float> host(count);
  for (int i = 0; i < count; ++i) host[i] = mixed(volume, at[i], normalised, mode, dimensions);
  char title[80];
  std::snprintf(title, sizeof title, "linear %dD %s%s", dimensions, mode_names[mode], normalised ? " normalised" : "");
  compare(title, from_device(out, count), host);
  must(cudaDestroyTextureObject(texture));
  must(cudaFreeArray(array));
  must(cudaFree(out));
  must(cudaFree(device_at));
}

/// Integers as numbers: over their largest value, the smallest signed one as -1.
template <class T>
void normalised_case(const char* type) {
  const int n = sizeof(T) == 1 ? 256 : 4096;
  std::vector<T> values(n);
  for (int i = 0; i < n; ++i) values[i] = static_cast<T>(sizeof(T) == 1 ? i : i * 16 + i % 16);
  values[1] = std::numeric_limits<T>::min(), values[2] = std::numeric_limits<T>::max();
  cudaArray_t array = array_of(values, n, 1, 0);
  const cudaTextureObject_t texture = texture_of<T>(array, clamp, false, false, cudaReadModeNormalizedFloat);
  std::vector<float4> at(n);
  for (int i = 0; i < n; ++i) at[i] = make_float4(static_cast<float>(i) + 0.5f, 0.5f, 0, 0);
  float4* device_at = on_device(at);
  float* out = on_device(std::vector<float>(n));
  sample<float, 2><<<n / 64, 64>>>(texture, device_at, out);
  std::vector<float> host(n);
  for (int i = 0; i < n; ++i)
    host[i] = static_cast<float>(std::max(-1.0, static_cast<double>(values[i]) / std::numeric_limits<T>::max()));
  char title[80];
  std::snprintf(title, sizeof title, "numbers of %s", type);
  compare(title, from_device(out, n), host);
  must(cudaDestroyTextureObject(texture));
  must(cudaFreeArray(array));
}

void halves() {
  std::vector<__half> values(32768);
  std::vector<float> host(32768);
  for (int i = 0; i < 32768; ++i) {
    const unsigned short bits = static_cast<unsigned short>(2 * i + (i >> 14));
    std::memcpy(&values[i], &bits, 2);
    host[i] = __half2float(values[i]);
  }
  cudaArray_t array = array_of(values, 256, 128, 0, 0, cudaCreateChannelDescHalf());
  const cudaTextureObject_t texture = texture_of<float>(array, clamp, false, false);
  std::vector<float4> at(32768);
  for (int i = 0; i < 32768; ++i) at[i] = make_float4(i % 256 + 0.5f, i / 256 + 0.5f, 0, 0);
  float* out = on_device(std::vector<float>(32768));
  sample<float, 2><<<512, 64>>>(texture, on_device(at), out);
  std::vector<float> device = from_device(out, 32768);
  for (int i = 0; i < 32768; ++i)  // NaNs of any kind are alike
    if (std::isnan(device[i]) && std::isnan(host[i])) device[i] = host[i] = 0;
  compare("halves", device, host);
}

void linear_memory() {
  const std::vector<int4> values = numbers<int4>(1000);
  int4* memory = on_device(values);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = memory;
  resource.res.linear.desc = cudaCreateChannelDesc<int4>();
  resource.res.linear.sizeInBytes = sizeof(int4) * 1000;
  cudaTextureDesc settings{};
  settings.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture = 0;
  must(cudaCreateTextureObject(&texture, &resource, &settings, nullptr));
  int4* out = on_device(std::vector<int4>(1024));
  fetch<<<16, 64>>>(texture, -12, out);
  std::vector<int4> host(1024);
  for (int i = 0; i < 1024; ++i) host[i] = i - 12 >= 0 && i - 12 < 1000 ? values[i - 12] : int4{};
  compare("linear memory", from_device(out, 1024), host);

  // Rows with a pitch: the same elements as rows of 25, 640 bytes apart.
  char* rows = nullptr;
  must(cudaMalloc(&rows, 640 * 40));
  must(cudaMemcpy2D(rows, 640, values.data(), 25 * sizeof(int4), 25 * sizeof(int4), 40, cudaMemcpyHostToDevice));
  cudaResourceDesc pitched{};
  pitched.resType = cudaResourceTypePitch2D;
  pitched.res.pitch2D.devPtr = rows;
  pitched.res.pitch2D.desc = cudaCreateChannelDesc<int4>();
  pitched.res.pitch2D.width = 25;
  pitched.res.pitch2D.height = 40;
  pitched.res.pitch2D.pitchInBytes = 640;
  settings.addressMode[0] = settings.addressMode[1] = cudaAddressModeClamp;
  must(cudaCreateTextureObject(&texture, &pitched, &settings, nullptr));
  const std::vector<float4> at = points(25, 40, 1, false);
  sample<int4, 2><<<count / 64, 64>>>(texture, on_device(at), out);
  const Volume<int4> volume{25, 40, 1, values};
  host.resize(count);
  for (int i = 0; i < count; ++i) host[i] = nearest(volume, at[i], false, clamp, 2);
  compare("rows with a pitch", from_device(out, count), host);
}

void layers() {
  const int width = 9, height = 5, many = 4;
  const std::vector<float> values = small_numbers(width * height * many);
  std::vector<float4> at = points(width, height, 1, false);
  for (int i = 0; i < count; ++i) at[i].w = static_cast<float>(i % (many + 2));  // the last two beyond
  float4* device_at = on_device(at);
  float* out = on_device(std::vector<float>(count));
  std::vector<float> host(count);

  cudaArray_t planes = array_of(values, width, height, many, cudaArrayLayered);
  layers_2d<<<count / 64, 64>>>(texture_of<float>(planes, clamp, false, false), device_at, out);
  const Volume<float> volume{width, height, many, values};
  for (int i = 0; i < count; ++i) {
    const int layer = std::min(i % (many + 2), many - 1);
    const Volume<float> one{width, height, 1, {values.begin() + layer * width * height, values.begin() + (layer + 1) * width * height}};
    host[i] = nearest(one, at[i], false, clamp, 2);
  }
  compare("layers 2D", from_device(out, count), host);

  cudaArray_t lines = array_of(values, width, 0, many, cudaArrayLayered);
  layers_1d<<<count / 64, 64>>>(texture_of<float>(lines, border, false, false), device_at, out);
  for (int i = 0; i < count; ++i) {
    const int layer = std::min(i % (many + 2), many - 1);
    const Volume<float> one{width, 1, 1, {values.begin() + layer * width, values.begin() + (layer + 1) * width}};
    host[i] = nearest(one, at[i], false, border, 1);
  }
  compare("layers 1D", from_device(out, count), host);
}

/// A point inside a face of a cube, and the element of it.
void cube_maps() {
  const int n = 8, cube_count = 2;
  const std::vector<float> values = small_numbers(n * n * 6 * cube_count);
  cudaArray_t one = array_of<float>({values.begin(), values.begin() + n * n * 6}, n, n, 6, cudaArrayCubemap);
  cudaArray_t two = array_of(values, n, n, 6 * cube_count, cudaArrayCubemap | cudaArrayLayered);
  std::vector<float4> at;
  std::vector<float> host_one, host_two;
  for (int cube_number = 0; cube_number < cube_count; ++cube_number)
    for (int face = 0; face < 6; ++face)
      for (int i = 0; i < n * n; ++i) {
        const float s = 2 * (i % n + 0.5f) / n - 1, t = 2 * (i / n + 0.5f) / n - 1;
        const float4 p[6] = {{1, -t, -s, 0}, {-1, -t, s, 0}, {s, 1, t, 0}, {s, -1, -t, 0}, {s, -t, 1, 0}, {-s, -t, -1, 0}};
        at.push_back(p[face]);
        at.back().w = static_cast<float>(cube_number);
        host_one.push_back(values[face * n * n + i]);
        host_two.push_back(values[(cube_number * 6 + face) * n * n + i]);
      }
  float4* device_at = on_device(at);
  float* out = on_device(std::vector<float>(at.size()));
  cube<<<static_cast<int>(at.size()) / 64, 64>>>(texture_of<float>(one, clamp, true, false), device_at, out);
  compare("cube map", from_device(out, at.size()), host_one);
  cubes<<<static_cast<int>(at.size()) / 64, 64>>>(texture_of<float>(two, clamp, true, false), device_at, out);
  compare("layers of cube maps", from_device(out, at.size()), host_two);
}

void gathers() {
  const int width = 11, height = 6;
  std::vector<float4> values(width * height);
  for (int i = 0; i < width * height; ++i) values[i] = make_float4(i, i + 1000.0f, i + 2000.0f, i + 3000.0f);
  cudaArray_t array = array_of(values, width, height, 0, cudaArrayTextureGather);
  const cudaTextureObject_t texture = texture_of<float4>(array, clamp, false, false);
  std::vector<float4> at = points(width, height, 1, false);
  for (float4& p : at) p.x += 0.03125f, p.y += 0.03125f;
  float4* device_at = on_device(at);
  float4* out = on_device(std::vector<float4>(count));
  for (int component = 0; component < 4; component += 3) {
    if (component == 0) gather<0><<<count / 64, 64>>>(texture, device_at, out);
    if (component == 3) gather<3><<<count / 64, 64>>>(texture, device_at, out);
    std::vector<float4> host(count);
    for (int k = 0; k < count; ++k) {
      const long i = static_cast<long>(std::floor(at[k].x - 0.5)), j = static_cast<long>(std::floor(at[k].y - 0.5));
      auto value = [&](long x, long y) {
        return 1000.0f * component + element(x, false, clamp, width) + width * element(y, false, clamp, height);
      };
      host[k] = make_float4(value(i, j + 1), value(i + 1, j + 1), value(i + 1, j), value(i, j));
    }
    compare(component == 0 ? "gather x" : "gather w", from_device(out, count), host);
  }
  parts<<<count / 64, 64>>>(texture, device_at, out);
  std::vector<float4> host(count);
  const Volume<float4> volume{width, height, 1, values};
  for (int i = 0; i < count; ++i) {
    float4 there = at[i];
    there.x += 1;
    const float4 a = nearest(volume, at[i], false, clamp, 2), b = nearest(volume, there, false, clamp, 2);
    host[i] = make_float4(a.y, a.w, b.x + b.z, b.w);
  }
  compare("some components", from_device(out, count), host);
}

/// What the guide leaves open: how weights are rounded, and where an element ends for coordinates just before it.
void open_questions() {
  constexpr int steps = 65536;
  float* out = on_device(std::vector<float>(steps));
  for (const int n : {2, 640}) {
    for (const bool normalised : {false, true}) {
      std::vector<float> values(n, 0), weights(steps);
      values[1] = 1;
      std::vector<float4> at(steps);
      for (int i = 0; i < steps; ++i) {
        const float x = 0.5f + static_cast<float>(i) / steps;
        at[i] = make_float4(normalised ? x / static_cast<float>(n) : x, 0, 0, 0);
      }
      const cudaTextureObject_t texture = texture_of<float>(array_of(values, n, 0, 0), clamp, normalised, true);
      sample<float, 1><<<steps / 64, 64>>>(texture, on_device(at), out);
      weights = from_device(out, steps);
      int nearest_weights = 0, cut_weights = 0, multiples = 0, edges[4] = {};
      for (int i = 0; i < steps; ++i) {
        nearest_weights += weights[i] == std::floor(i / 256.0f + 0.5f) / 256;
        cut_weights += weights[i] == std::floor(i / 256.0f) / 256;
        multiples += weights[i] * 256 == std::floor(weights[i] * 256);
        for (int k = 0; k < 4; ++k) edges[k] += weights[i] < static_cast<float>(k + 1) / 256;
      }
      std::printf("  weights of %d elements%s: %d of %d rounded to nearest, %d cut, %d multiples of 1/256; steps at %d %d %d %d\n",
                  n, normalised ? ", normalised" : "", nearest_weights, steps, cut_weights, multiples, edges[0], edges[1],
                  edges[2], edges[3]);
    }
  }

  for (const int n : {8, 100, 1000}) {
    std::vector<float> numbers(n);
    for (int i = 0; i < n; ++i) numbers[i] = static_cast<float>(i);
    cudaArray_t line = array_of(numbers, n, 0, 0);
    std::vector<float4> before, quotients;
    for (int k = 1; k <= 24; ++k)
      for (int i = 1; i <= 8; ++i) before.push_back(make_float4(static_cast<float>(i - std::ldexp(1.0, -k)), 0, 0, 0));
    before.resize(192), quotients.resize((n + 63) / 64 * 64);
    for (int i = 0; i < n; ++i) quotients[i].x = static_cast<float>(i) / static_cast<float>(n);
    sample<float, 1><<<3, 64>>>(texture_of<float>(line, clamp, false, false), on_device(before), out);
    const std::vector<float> found = from_device(out, before.size());
    int floors = 0, kept = 0;
    for (std::size_t i = 0; i < before.size(); ++i) floors += found[i] == std::floor(before[i].x);
    sample<float, 1><<<static_cast<int>(quotients.size()) / 64, 64>>>(texture_of<float>(line, clamp, true, false),
                                                                      on_device(quotients), out);
    const std::vector<float> divided = from_device(out, quotients.size());
    for (int i = 0; i < n; ++i) kept += divided[i] == i;
    std::printf("  %d elements: %d of %zu points just before an element are before it, i / n is element i for %d\n", n, floors,
                before.size(), kept);
  }
}

}  // namespace

int main() {
  std::printf("nearest elements\n");
  for (int mode : {clamp, border}) {
    point_case<float, 1>("float", mode, false);
    point_case<float, 2>("float", mode, false);
    point_case<float, 3>("float", mode, false);
  }
  for (int mode : {wrap, clamp, mirror, border}) {
    point_case<float, 1>("float", mode, true);
    point_case<float, 2>("float", mode, true);
    point_case<float, 3>("float", mode, true);
  }
  point_case<unsigned char, 2>("unsigned char", clamp, false);
  point_case<signed char, 2>("signed char", clamp, false);
  point_case<unsigned short, 2>("unsigned short", clamp, false);
  point_case<short, 2>("short", border, false);
  point_case<uchar4, 2>("uchar4", clamp, false);
  point_case<short2, 2>("short2", wrap, true);
  point_case<int, 2>("int", clamp, false);
  point_case<uint2, 3>("uint2", mirror, true);
  point_case<float4, 2>("float4", clamp, false);
  normalised_case<unsigned char>("unsigned char");
  normalised_case<signed char>("signed char");
  normalised_case<unsigned short>("unsigned short");
  normalised_case<short>("short");
  halves();
  linear_memory();
  layers();
  cube_maps();
  gathers();

  std::printf("linear filters\n");
  for (int mode : {clamp, border}) {
    linear_case<1>(mode, false);
    linear_case<2>(mode, false);
    linear_case<3>(mode, false);
  }
  for (int mode : {wrap, clamp, border}) linear_case<2>(mode, true);

  std::printf("what the guide leaves open\n");
  open_questions();
  return failures == 0 ? 0 : 1;
}
