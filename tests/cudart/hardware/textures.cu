// Textures, surfaces and CUDA arrays: what the CUDA C++ Programming Guide says of them (appendix "Texture Fetching"),
// computed on the host, beside what the device gives. A line counts the values that differ; a hash of the device's values
// follows, which a transcript of hardware keeps. Ends with 1 when a value differs.
//
// Weights of linear filters are compared as if they were rounded to nearest, and sums as if they were rounded once; a
// difference of 1/256 of the largest step, what another rounding of the weights makes, is counted apart.
#include <cuda_fp16.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "say.hpp"

namespace {

int failures = 0;

std::uint64_t hash_of(const void* data, std::size_t bytes) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (std::size_t i = 0; i < bytes; ++i) hash = (hash ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001b3u;
  return hash;
}

template <class T>
void compare(const char* title, const std::vector<T>& device, const std::vector<T>& host) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < host.size(); ++i)
    wrong += std::memcmp(&device[i], &host[i], sizeof(T)) != 0;
  std::printf("  %-58s %zu of %zu differ  %016llx\n", title, wrong, host.size(),
              static_cast<unsigned long long>(hash_of(device.data(), sizeof(T) * device.size())));
  failures += wrong != 0;
}

/// Linear results: exact, within `step` (which another rounding of weights makes), or wrong.
void compare_linear(const char* title, const std::vector<float>& device, const std::vector<float>& host, float step) {
  std::size_t other = 0, wrong = 0;
  for (std::size_t i = 0; i < host.size(); ++i) {
    if (device[i] == host[i]) continue;
    (std::fabs(device[i] - host[i]) <= step ? other : wrong) += 1;
  }
  std::printf("  %-58s %zu of %zu wrong, %zu within a step of the weights  %016llx\n", title, wrong, host.size(), other,
              static_cast<unsigned long long>(hash_of(device.data(), sizeof(float) * device.size())));
  failures += wrong != 0;
}

void must(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::printf("stopped: %s\n", cudaGetErrorName(error));
  std::exit(2);
}

template <class T>
T* on_device(const std::vector<T>& values) {
  T* address = nullptr;
  must(cudaMalloc(&address, sizeof(T) * values.size()));
  must(cudaMemcpy(address, values.data(), sizeof(T) * values.size(), cudaMemcpyHostToDevice));
  return address;
}
template <class T>
std::vector<T> from_device(const T* address, std::size_t count) {
  std::vector<T> values(count);
  must(cudaMemcpy(values.data(), address, sizeof(T) * count, cudaMemcpyDeviceToHost));
  return values;
}

// ------------------------------------------------------------------------------------------- the guide's words

enum Mode { wrap = cudaAddressModeWrap, clamp = cudaAddressModeClamp, mirror = cudaAddressModeMirror, border = cudaAddressModeBorder };
const char* const mode_names[] = {"wrap", "clamp", "mirror", "border"};

/// The coordinate after the address mode, in elements: wrap is frac(x), mirror frac(x) or 1 - frac(x).
double elements(float coordinate, bool normalised, int mode, int n) {
  double x = coordinate;
  if (!normalised) return x;
  if (mode == wrap) x -= std::floor(x);
  if (mode == mirror) {
    const double whole = std::floor(x);
    x = std::fmod(whole, 2) == 0 ? x - whole : 1 - (x - whole);
  }
  return x * n;
}
/// Element i, of which -1 and n are neighbours that a linear filter asks for; -1 outside.
int element(long i, bool normalised, int mode, int n) {
  if (mode == border) return i < 0 || i >= n ? -1 : static_cast<int>(i);
  if (normalised && mode == wrap) return static_cast<int>(((i % n) + n) % n);
  return static_cast<int>(i < 0 ? 0 : i >= n ? n - 1 : i);
}

template <class T>
struct Volume {
  int width, height, depth;
  std::vector<T> values;
  T at(int x, int y, int z) const { return values[(std::size_t(z) * height + y) * width + x]; }
};

template <class T>
T nearest(const Volume<T>& v, const float4& at, bool normalised, int mode, int dimensions) {
  const float c[3] = {at.x, at.y, at.z};
  const int n[3] = {v.width, v.height, v.depth};
  int place[3] = {0, 0, 0};
  for (int d = 0; d < dimensions; ++d) {
    const double x = elements(c[d], normalised, mode, n[d]);
    // 1 - frac(x) of a whole x is 1: the mirror has its last element there.
    place[d] = element(static_cast<long>(std::floor(x)), normalised, mode, n[d]);
    if (place[d] < 0) return T{};
  }
  return v.at(place[0], place[1], place[2]);
}

float mixed(const Volume<float>& v, const float4& at, bool normalised, int mode, int dimensions) {
  const float c[3] = {at.x, at.y, at.z};
  const int n[3] = {v.width, v.height, v.depth};
  long first[3] = {0, 0, 0};
  double weight[3] = {0, 0, 0};
  for (int d = 0; d < dimensions; ++d) {
    const double x = elements(c[d], normalised, mode, n[d]) - 0.5;
    first[d] = static_cast<long>(std::floor(x));
    weight[d] = std::floor((x - std::floor(x)) * 256 + 0.5) / 256;
  }
  double sum = 0;
  for (int corner = 0; corner < 1 << dimensions; ++corner) {
    double part = 1;
    int place[3] = {0, 0, 0};
    for (int d = 0; d < dimensions; ++d) {
      const int next = corner >> d & 1;
      part *= next ? weight[d] : 1 - weight[d];
      place[d] = element(first[d] + next, normalised, mode, n[d]);
    }
    const bool outside = place[0] < 0 || place[1] < 0 || place[2] < 0;
    sum += outside ? 0 : part * v.at(place[0], place[1], place[2]);
  }
  return static_cast<float>(sum);
}

// ------------------------------------------------------------------------------------------------- the kernels

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
__global__ void other_forms(cudaTextureObject_t texture, const float4* at, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 c = at[i];
  out[i] = tex2DLod<float>(texture, c.x, c.y, 3.0f) + 256 * tex2DGrad<float>(texture, c.x, c.y, {1, 0}, {0, 1});
}
/// Each thread reads a texture of its own.
__global__ void chosen(const cudaTextureObject_t* textures, const float4* at, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = tex2D<float>(textures[i % 3], at[i].x, at[i].y);
}
/// The same for other instructions: gradients, gathers, integer coordinates, sizes, surfaces.
__global__ void chosen_forms(const cudaTextureObject_t* textures, const cudaSurfaceObject_t* surfaces, const float4* at,
                             float4* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const cudaTextureObject_t texture = textures[i % 3];
  const cudaSurfaceObject_t surface = surfaces[i % 2];
  const int x = i / 2 % 64, y = i / 2 / 64;
  float4 v;
  int width, fetched;
  v.x = tex2DGrad<float>(texture, at[i].x, at[i].y, {1, 0}, {0, 1});
  v.y = tex2Dgather<float4>(texture, at[i].x, at[i].y, 0).w;
  asm("{ .reg .b32 g, b, a; tex.2d.v4.s32.s32 {%0, g, b, a}, [%1, {%2, %3}]; }"
      : "=r"(fetched)
      : "l"(texture), "r"(i % 13), "r"(i % 7));
  asm("txq.width.b32 %0, [%1];" : "=r"(width) : "l"(texture));
  v.z = __int_as_float(fetched) + static_cast<float>(width);
  surf2Dread(&v.w, surface, 4 * x, y);
  surf2Dwrite(v.w + 1, surface, 4 * x, y);
  asm volatile("sured.b.add.2d.u32.trap [%0, {%1, %2}], %3;" ::"l"(surface), "r"(4 * x), "r"(y), "r"(1));
  out[i] = v;
}
__global__ void as_halves(cudaTextureObject_t texture, const float4* at, ushort4* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  ushort4 v;
  asm("tex.2d.v4.f16.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
      : "=h"(v.x), "=h"(v.y), "=h"(v.z), "=h"(v.w)
      : "l"(texture), "f"(at[i].x), "f"(at[i].y));
  out[i] = v;
}
/// Components of one read, some of them not asked for.
__global__ void parts(cudaTextureObject_t texture, const float4* at, float4* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 a = tex2D<float4>(texture, at[i].x, at[i].y), b = tex2D<float4>(texture, at[i].x + 1, at[i].y);
  out[i] = make_float4(a.y, a.w, b.x + b.z, b.w);
}
__global__ void integers(cudaTextureObject_t texture, const int4* at, int4* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int4 v;
  asm("tex.2d.v4.s32.s32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
      : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
      : "l"(texture), "r"(at[i].x), "r"(at[i].y));
  out[i] = v;
}
__global__ void sizes(cudaTextureObject_t texture, cudaSurfaceObject_t surface, int* out) {
  asm("txq.width.b32 %0, [%1];" : "=r"(out[0]) : "l"(texture));
  asm("txq.height.b32 %0, [%1];" : "=r"(out[1]) : "l"(texture));
  asm("suq.width.b32 %0, [%1];" : "=r"(out[2]) : "l"(surface));
  asm("suq.height.b32 %0, [%1];" : "=r"(out[3]) : "l"(surface));
}

template <class T, cudaSurfaceBoundaryMode mode>
__global__ void read_2d(cudaSurfaceObject_t surface, const int4* at, T* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = surf2Dread<T>(surface, at[i].x * static_cast<int>(sizeof(T)), at[i].y, mode);
}
template <class T, cudaSurfaceBoundaryMode mode>
__global__ void write_2d(cudaSurfaceObject_t surface, const int4* at, const T* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  surf2Dwrite(in[i], surface, at[i].x * static_cast<int>(sizeof(T)), at[i].y, mode);
}
/// Reads every element of a surface of each shape, and writes it back with one added.
template <int shape>
__global__ void step(cudaSurfaceObject_t surface, int width, int height, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int x = i % width, y = i / width % height, z = i / width / height;
  float v = 0;
  if (shape == 1) surf1Dread(&v, surface, 4 * x), surf1Dwrite(v + 1, surface, 4 * x);
  if (shape == 2) surf2Dread(&v, surface, 4 * x, y), surf2Dwrite(v + 1, surface, 4 * x, y);
  if (shape == 3) surf3Dread(&v, surface, 4 * x, y, z), surf3Dwrite(v + 1, surface, 4 * x, y, z);
  if (shape == 4) surf1DLayeredread(&v, surface, 4 * x, z), surf1DLayeredwrite(v + 1, surface, 4 * x, z);
  if (shape == 5) surf2DLayeredread(&v, surface, 4 * x, y, z), surf2DLayeredwrite(v + 1, surface, 4 * x, y, z);
  if (shape == 6) surfCubemapread(&v, surface, 4 * x, y, z), surfCubemapwrite(v + 1, surface, 4 * x, y, z);
  out[i] = v;
}
__global__ void reduce(cudaSurfaceObject_t surface, int value) {
  const int x = 4 * (threadIdx.x % 4);
  asm volatile("sured.b.add.2d.u32.trap [%0, {%1, %2}], %3;" ::"l"(surface), "r"(x), "r"(0), "r"(value));
  asm volatile("sured.b.min.2d.s32.trap [%0, {%1, %2}], %3;" ::"l"(surface), "r"(x), "r"(1), "r"(value - 40));
  asm volatile("sured.b.max.2d.u32.clamp [%0, {%1, %2}], %3;" ::"l"(surface), "r"(x), "r"(2), "r"(value + 7));
  asm volatile("sured.b.or.2d.b32.zero [%0, {%1, %2}], %3;" ::"l"(surface), "r"(x), "r"(3), "r"(1 << threadIdx.x));
  asm volatile("sured.b.or.2d.b32.zero [%0, {%1, %2}], %3;" ::"l"(surface), "r"(x), "r"(4), "r"(-1));
}
__global__ void write_outside(cudaSurfaceObject_t surface) { surf2Dwrite(1.0f, surface, 4 * 1000, 0); }
__global__ void read_nothing(cudaTextureObject_t texture, float* out) { *out = tex2D<float>(texture, 0, 0); }

// --------------------------------------------------------------------------------------------------- the cases

constexpr int count = 512;

/// Points from before the first to behind the last element; without normalised coordinates many of them on edges. A normalised
/// edge is a matter of rounding: see open_questions.
std::vector<float4> points(int width, int height, int depth, bool normalised) {
  std::vector<float4> all(count);
  std::uint32_t random = 12345;
  auto next = [&](int n) {
    random = random * 1664525u + 1013904223u;
    const int fine = static_cast<int>(random >> 8) % (16 * 3 * n) - 16 * n;  // sixteenths, one image to each side
    const float x = static_cast<float>(fine) / 16;
    return normalised ? (x + 0.03125f) / static_cast<float>(n) : x;
  };
  for (float4& p : all) p.x = next(width), p.y = next(height), p.z = next(depth), p.w = 0;
  return all;
}

template <class T>
cudaTextureObject_t texture_of(cudaArray_t array, int mode, bool normalised, bool linear,
                               cudaTextureReadMode read = cudaReadModeElementType) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc texture{};
  for (auto& m : texture.addressMode) m = static_cast<cudaTextureAddressMode>(mode);
  texture.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
  texture.normalizedCoords = normalised;
  texture.readMode = read;
  cudaTextureObject_t object = 0;
  must(cudaCreateTextureObject(&object, &resource, &texture, nullptr));
  return object;
}
cudaSurfaceObject_t surface_of(cudaArray_t array) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t object = 0;
  must(cudaCreateSurfaceObject(&object, &resource));
  return object;
}

/// An array of the extents, with the values.
template <class T>
cudaArray_t array_of(const std::vector<T>& values, int width, int height, int depth, unsigned flags = 0,
                     cudaChannelFormatDesc channels = cudaCreateChannelDesc<T>()) {
  cudaArray_t array = nullptr;
  const cudaExtent extent = make_cudaExtent(width, height, depth);
  must(cudaMalloc3DArray(&array, &channels, extent, flags));
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(const_cast<T*>(values.data()), sizeof(T) * width, width, std::max(height, 1));
  copy.dstArray = array;
  copy.extent = make_cudaExtent(width, std::max(height, 1), std::max(depth, 1));
  copy.kind = cudaMemcpyHostToDevice;
  must(cudaMemcpy3D(&copy));
  return array;
}

template <class T>
std::vector<T> numbers(std::size_t n) {
  std::vector<T> values(n);
  auto* bytes = reinterpret_cast<unsigned char*>(values.data());
  for (std::size_t i = 0; i < n * sizeof(T); ++i) bytes[i] = static_cast<unsigned char>((i * 2654435761u) >> 13);
  return values;
}
std::vector<float> small_numbers(std::size_t n) {
  std::vector<float> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<float>(static_cast<int>((i * 2654435761u) >> 21) % 1024) / 4;
  return values;
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
  compare_linear(title, from_device(out, count), host, dimensions * 256.0f / 256);
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

void forms() {
  const int width = 13, height = 7;
  const std::vector<float> values = small_numbers(width * height);
  const Volume<float> volume{width, height, 1, values};
  cudaArray_t array = array_of(values, width, height, 0, cudaArraySurfaceLoadStore);
  const std::vector<float4> at = points(width, height, 1, false);
  float4* device_at = on_device(at);
  float* out = on_device(std::vector<float>(count));
  std::vector<float> host(count);
  const cudaTextureObject_t plain = texture_of<float>(array, clamp, false, false);
  other_forms<<<count / 64, 64>>>(plain, device_at, out);
  for (int i = 0; i < count; ++i) host[i] = 257 * nearest(volume, at[i], false, clamp, 2);
  compare("a level, gradients", from_device(out, count), host);

  std::vector<float> more = values;
  for (float& x : more) x += 5000;
  const std::vector<cudaTextureObject_t> three = {
      plain, texture_of<float>(array, border, false, false),
      texture_of<float>(array_of(more, width, height, 0), clamp, false, false)};
  chosen<<<count / 64, 64>>>(on_device(three), device_at, out);
  for (int i = 0; i < count; ++i)
    host[i] = nearest(volume, at[i], false, i % 3 == 1 ? border : clamp, 2) + (i % 3 == 2 ? 5000 : 0);
  compare("a texture for each thread", from_device(out, count), host);

  const Volume<int4> whole{width, height, 1, numbers<int4>(width * height)};
  std::vector<int4> places(count), read(count);
  for (int i = 0; i < count; ++i) {
    places[i] = make_int4(i % 17 - 2, i / 17 % 11 - 2, 0, 0);
    const bool inside = places[i].x >= 0 && places[i].x < width && places[i].y >= 0 && places[i].y < height;
    read[i] = inside ? whole.at(places[i].x, places[i].y, 0) : int4{};
  }
  int4* out4 = on_device(std::vector<int4>(count));
  integers<<<count / 64, 64>>>(texture_of<int4>(array_of(whole.values, width, height, 0), clamp, false, false),
                               on_device(places), out4);
  compare("integer coordinates", from_device(out4, count), read);

  int* extents = on_device(std::vector<int>(4));
  sizes<<<1, 1>>>(plain, surface_of(array), extents);
  compare("sizes", from_device(extents, 4), {width, height, width, height});
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

unsigned short half_bits(float x) {
  const __half half = __float2half(x);
  unsigned short bits;
  std::memcpy(&bits, &half, 2);
  return bits;
}

void more_forms() {
  const int width = 13, height = 7;
  std::vector<float4> at = points(width, height, 1, false);
  for (float4& p : at) p.x += 0.03125f, p.y += 0.03125f;
  float4* device_at = on_device(at);
  float4* out = on_device(std::vector<float4>(count));
  std::vector<Volume<float>> volumes;
  std::vector<cudaTextureObject_t> textures;
  for (int n = 0; n < 3; ++n) {
    volumes.push_back({width, height, 1, small_numbers(width * height)});
    for (float& x : volumes[n].values) x += 1000.0f * n;
    textures.push_back(texture_of<float>(array_of(volumes[n].values, width, height, 0, cudaArrayTextureGather), clamp, false, false));
  }
  std::vector<cudaArray_t> arrays;
  std::vector<cudaSurfaceObject_t> surfaces;
  const std::vector<float> first = small_numbers(64 * 4);
  for (int n = 0; n < 2; ++n) {
    arrays.push_back(array_of(first, 64, 4, 0, cudaArraySurfaceLoadStore));
    surfaces.push_back(surface_of(arrays[n]));
  }
  chosen_forms<<<count / 64, 64>>>(on_device(textures), on_device(surfaces), device_at, out);
  std::vector<float4> host(count);
  for (int k = 0; k < count; ++k) {
    const Volume<float>& v = volumes[k % 3];
    const long i = static_cast<long>(std::floor(at[k].x - 0.5)), j = static_cast<long>(std::floor(at[k].y - 0.5));
    host[k].x = nearest(v, at[k], false, clamp, 2);
    host[k].y = v.at(element(i, false, clamp, width), element(j, false, clamp, height), 0);
    host[k].z = v.at(k % 13, k % 7, 0) + width;
    host[k].w = first[k / 2];
  }
  compare("other reads, an object for each thread", from_device(out, count), host);
  std::vector<float> now(512), expected;
  for (int n = 0; n < 2; ++n) {
    must(cudaMemcpy2DFromArray(now.data() + 256 * n, 256, arrays[n], 0, 0, 256, 4, cudaMemcpyDeviceToHost));
    for (float x : first) expected.push_back(std::nextafter(x + 1, 1e9f));
  }
  compare("stores and sums, an object for each thread", now, expected);

  const Volume<float4> fours{width, height, 1, [] {
                               std::vector<float4> values(width * height);
                               for (int i = 0; i < width * height; ++i)
                                 values[i] = make_float4(i / 3.0f, -i * 700.0f, i * 1e-7f, 2049.0f + i);
                               return values;
                             }()};
  ushort4* halves_out = on_device(std::vector<ushort4>(count));
  as_halves<<<count / 64, 64>>>(texture_of<float4>(array_of(fours.values, width, height, 0), clamp, false, false), device_at,
                                halves_out);
  std::vector<ushort4> rounded(count);
  for (int i = 0; i < count; ++i) {
    const float4 v = nearest(fours, at[i], false, clamp, 2);
    rounded[i] = make_ushort4(half_bits(v.x), half_bits(v.y), half_bits(v.z), half_bits(v.w));
  }
  compare("results as halves", from_device(halves_out, count), rounded);
}

template <class T>
void surface_case(const char* type) {
  const int width = 24, height = 6;
  const Volume<T> volume{width, height, 1, numbers<T>(width * height)};
  cudaArray_t array = array_of(volume.values, width, height, 0, cudaArraySurfaceLoadStore);
  const cudaSurfaceObject_t surface = surface_of(array);
  std::vector<int4> inside(128), around(count);
  for (int i = 0; i < 128; ++i) inside[i] = make_int4(i % width, i / width, 0, 0);
  for (int i = 0; i < count; ++i) around[i] = make_int4(i % 40 - 8, i / 40 - 3, 0, 0);
  int4 *device_inside = on_device(inside), *device_around = on_device(around);
  T* out = on_device(std::vector<T>(count));
  char title[80];

  read_2d<T, cudaBoundaryModeTrap><<<2, 64>>>(surface, device_inside, out);
  std::vector<T> host(128);
  for (int i = 0; i < 128; ++i) host[i] = volume.at(inside[i].x, inside[i].y, 0);
  std::snprintf(title, sizeof title, "surface %s inside", type);
  compare(title, from_device(out, 128), host);

  host.resize(count);
  for (bool clamps : {false, true}) {
    if (clamps) read_2d<T, cudaBoundaryModeClamp><<<count / 64, 64>>>(surface, device_around, out);
    if (!clamps) read_2d<T, cudaBoundaryModeZero><<<count / 64, 64>>>(surface, device_around, out);
    for (int i = 0; i < count; ++i) {
      const int x = std::min(std::max(around[i].x, 0), width - 1), y = std::min(std::max(around[i].y, 0), height - 1);
      const bool outside = x != around[i].x || y != around[i].y;
      host[i] = outside && !clamps ? T{} : volume.at(x, y, 0);
    }
    std::snprintf(title, sizeof title, "surface %s around, %s", type, clamps ? "clamp" : "zero");
    compare(title, from_device(out, count), host);
  }

  // Each element is written by one thread at most.
  std::vector<T> values = numbers<T>(count + 3);
  values.erase(values.begin(), values.begin() + 3);
  write_2d<T, cudaBoundaryModeZero><<<count / 64, 64>>>(surface, device_around, on_device(values));
  std::vector<T> now(width * height), expected = volume.values;
  must(cudaMemcpy2DFromArray(now.data(), width * sizeof(T), array, 0, 0, width * sizeof(T), height, cudaMemcpyDeviceToHost));
  for (int i = 0; i < count; ++i)
    if (around[i].x >= 0 && around[i].x < width && around[i].y >= 0 && around[i].y < height)
      expected[around[i].y * width + around[i].x] = values[i];
  std::snprintf(title, sizeof title, "surface %s written", type);
  compare(title, now, expected);
  must(cudaDestroySurfaceObject(surface));
  must(cudaFreeArray(array));
}

template <int shape>
void surface_shape(const char* title, int width, int height, int depth, unsigned flags) {
  const int n = width * std::max(height, 1) * std::max(depth, 1);
  const std::vector<float> values = small_numbers(n);
  cudaArray_t array = array_of(values, width, height, depth, flags | cudaArraySurfaceLoadStore);
  float* out = on_device(std::vector<float>(n));
  step<shape><<<n / 32, 32>>>(surface_of(array), width, std::max(height, 1), out);
  std::vector<float> both = from_device(out, n), host = values;
  std::vector<float> after(n);
  cudaMemcpy3DParms copy{};
  copy.srcArray = array;
  copy.dstPtr = make_cudaPitchedPtr(after.data(), sizeof(float) * width, width, std::max(height, 1));
  copy.extent = make_cudaExtent(width, std::max(height, 1), std::max(depth, 1));
  copy.kind = cudaMemcpyDeviceToHost;
  must(cudaMemcpy3D(&copy));
  both.insert(both.end(), after.begin(), after.end());
  for (int i = 0; i < n; ++i) host.push_back(values[i] + 1);
  compare(title, both, host);
}

void reductions() {
  std::vector<int> values(20);
  for (int i = 0; i < 20; ++i) values[i] = i < 4 ? 100 + i : i < 12 ? 3 : 0;
  cudaArray_t array = array_of(values, 4, 5, 0, cudaArraySurfaceLoadStore);
  must(cudaMemcpy2DToArray(array, 0, 0, values.data(), 16, 16, 5, cudaMemcpyHostToDevice));
  reduce<<<2, 32>>>(surface_of(array), 5);
  std::vector<int> now(20), host(20, -1);
  must(cudaMemcpy2DFromArray(now.data(), 16, array, 0, 0, 16, 5, cudaMemcpyDeviceToHost));
  for (int x = 0; x < 4; ++x) {
    host[x] = values[x] + 5 * 16;
    host[4 + x] = -35;
    host[8 + x] = 12;
    host[12 + x] = static_cast<int>(0x11111111u << x);
  }
  compare("reductions", now, host);
}

void calls() {
  cudaArray_t array = nullptr;
  cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>(), bytes = cudaCreateChannelDesc<unsigned char>();
  cudaChannelFormatDesc three = cudaCreateChannelDesc(8, 8, 8, 0, cudaChannelFormatKindUnsigned);
  cudaChannelFormatDesc uneven = cudaCreateChannelDesc(8, 16, 0, 0, cudaChannelFormatKindUnsigned);
  cudaChannelFormatDesc small = cudaCreateChannelDesc(8, 0, 0, 0, cudaChannelFormatKindFloat);
  SAY(cudaMallocArray(&array, &three, 8, 8));
  SAY(cudaMallocArray(&array, &uneven, 8, 8));
  SAY(cudaMallocArray(&array, &small, 8, 8));
  SAY(cudaMallocArray(&array, &floats, 0, 8));
  SAY(cudaMallocArray(&array, &floats, 1 << 30, 8));
  SAY(cudaMallocArray(&array, &floats, 8, 8, cudaArrayLayered));
  SAY(cudaMalloc3DArray(&array, &floats, make_cudaExtent(8, 0, 4), 0));
  SAY(cudaMalloc3DArray(&array, &floats, make_cudaExtent(8, 8, 5), cudaArrayCubemap));
  SAY(cudaMalloc3DArray(&array, &floats, make_cudaExtent(8, 8, 7), cudaArrayCubemap | cudaArrayLayered));
  SAY(cudaMalloc3DArray(&array, &floats, make_cudaExtent(8, 0, 0), cudaArrayTextureGather));
  SAY(cudaMallocArray(&array, &bytes, 16, 4));
  cudaChannelFormatDesc channels;
  cudaExtent extent;
  unsigned flags = 9;
  SAY(cudaArrayGetInfo(&channels, &extent, &flags, array));
  SHOW(channels.x);
  SHOW(extent.width);
  SHOW(extent.depth);
  SHOW(flags);
  SAY(cudaGetChannelDesc(&channels, array));

  char memory[256] = {};
  SAY(cudaMemcpy2DToArray(array, 8, 0, memory, 16, 9, 1, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy2DToArray(array, 0, 2, memory, 16, 16, 3, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy2DToArray(array, 0, 0, memory, 8, 16, 1, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy2DToArray(array, 0, 0, memory, 16, 16, 4, cudaMemcpyDeviceToHost));
  SAY(cudaMemcpy2DToArrayAsync(array, 0, 0, memory, 16, 16, 4, cudaMemcpyHostToDevice, nullptr));
  SAY(cudaMemcpy2DFromArray(memory, 16, array, 0, 0, 16, 5, cudaMemcpyDeviceToHost));
  SAY(cudaMemcpy2DFromArrayAsync(memory, 16, array, 0, 0, 16, 4, cudaMemcpyDeviceToHost, nullptr));

  cudaResourceDesc resource{};
  cudaTextureDesc texture{};
  cudaTextureObject_t object = 0;
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  SAY(cudaCreateTextureObject(nullptr, &resource, &texture, nullptr));
  texture.filterMode = cudaFilterModeLinear;
  SAY(cudaCreateTextureObject(&object, &resource, &texture, nullptr));
  texture.readMode = cudaReadModeNormalizedFloat;
  SAY(cudaCreateTextureObject(&object, &resource, &texture, nullptr));
  SAY(cudaGetTextureObjectResourceDesc(&resource, object));
  SAY(cudaGetTextureObjectTextureDesc(&texture, object));
  SHOW(texture.filterMode);
  SHOW(texture.normalizedCoords);
  cudaResourceViewDesc view{};
  SAY(cudaGetTextureObjectResourceViewDesc(&view, object));
  SAY(cudaDestroyTextureObject(object));
  cudaSurfaceObject_t surface = 0;
  SAY(cudaCreateSurfaceObject(&surface, &resource));
  cudaArray_t writable = nullptr;
  SAY(cudaMallocArray(&writable, &bytes, 16, 4, cudaArraySurfaceLoadStore));
  resource.res.array.array = writable;
  SAY(cudaCreateSurfaceObject(&surface, &resource));
  resource = {};
  SAY(cudaGetSurfaceObjectResourceDesc(&resource, surface));
  SHOW(resource.res.array.array == writable);
  SAY(cudaDestroySurfaceObject(surface));
  SAY(cudaFreeArray(writable));
  char* device = nullptr;
  SAY(cudaMalloc(&device, 4096));
  resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.desc = floats;
  resource.res.linear.devPtr = device + 4;
  resource.res.linear.sizeInBytes = 1024;
  texture = {};
  SAY(cudaCreateTextureObject(&object, &resource, &texture, nullptr));
  resource.res.linear.devPtr = device;
  resource.res.linear.sizeInBytes = 0;
  SAY(cudaCreateTextureObject(&object, &resource, &texture, nullptr));
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.desc = floats;
  resource.res.pitch2D.devPtr = device;
  resource.res.pitch2D.width = resource.res.pitch2D.height = 8;
  resource.res.pitch2D.pitchInBytes = 36;
  SAY(cudaCreateTextureObject(&object, &resource, &texture, nullptr));
  resource.res.pitch2D.pitchInBytes = 64;
  SAY(cudaCreateTextureObject(&object, &resource, &texture, nullptr));
  SAY(cudaDestroyTextureObject(object));
  size_t elements = 0;
  SAY(cudaDeviceGetTexture1DLinearMaxWidth(&elements, &floats, 0));
  SHOW(elements);

  // Copies between arrays, and runs of bytes that go on in the next row.
  cudaArray_t other = nullptr;
  SAY(cudaMallocArray(&other, &bytes, 16, 4));
  for (int i = 0; i < 64; ++i) memory[i] = static_cast<char>(i);
  SAY(cudaMemcpyToArray(array, 4, 1, memory, 30, cudaMemcpyHostToDevice));
  SAY(cudaMemcpyToArray(array, 4, 3, memory, 30, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy2DArrayToArray(other, 0, 0, array, 0, 0, 16, 4, cudaMemcpyDeviceToDevice));
  SAY(cudaMemcpyArrayToArray(other, 0, 0, array, 4, 1, 8, cudaMemcpyDeviceToDevice));
  SAY(cudaMemcpyFromArray(memory + 64, other, 0, 0, 64, cudaMemcpyDeviceToHost));
  SHOW(memory[64 + 7]);
  SHOW(memory[64 + 16 + 4 + 29]);
  SAY(cudaMemcpyToArrayAsync(array, 0, 0, memory, 16, cudaMemcpyHostToDevice, nullptr));
  SAY(cudaMemcpyFromArrayAsync(memory, array, 0, 0, 16, cudaMemcpyDeviceToHost, nullptr));
  SAY(cudaFreeArray(other));
  SAY(cudaFreeArray(array));
  SAY(cudaFreeArray(nullptr));
}

void faults() {
  in_a_process("a store outside a surface", [] {
    const cudaSurfaceObject_t surface = surface_of(array_of(small_numbers(64), 8, 8, 0, cudaArraySurfaceLoadStore));
    write_outside<<<1, 1>>>(surface);
    SAY(cudaDeviceSynchronize());
  });
  in_a_process("a texture that was destroyed", [] {
    const cudaTextureObject_t texture = texture_of<float>(array_of(small_numbers(64), 8, 8, 0), clamp, false, false);
    must(cudaDestroyTextureObject(texture));
    float* out = on_device(std::vector<float>(1));
    read_nothing<<<1, 1>>>(texture, out);
    std::printf("  ends with %s\n", cudaDeviceSynchronize() == cudaSuccess ? "success" : "an error");
  });
}

}  // namespace

int main() {
  faults();
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
  forms();
  more_forms();

  std::printf("linear filters\n");
  for (int mode : {clamp, border}) {
    linear_case<1>(mode, false);
    linear_case<2>(mode, false);
    linear_case<3>(mode, false);
  }
  for (int mode : {wrap, clamp, border}) linear_case<2>(mode, true);

  std::printf("what the guide leaves open\n");
  open_questions();

  std::printf("surfaces\n");
  surface_case<unsigned char>("unsigned char");
  surface_case<short>("short");
  surface_case<float>("float");
  surface_case<uchar4>("uchar4");
  surface_case<float2>("float2");
  surface_case<uint4>("uint4");
  surface_shape<1>("line", 64, 0, 0, 0);
  surface_shape<2>("plane", 32, 6, 0, 0);
  surface_shape<3>("volume", 16, 4, 6, 0);
  surface_shape<4>("lines", 32, 0, 5, cudaArrayLayered);
  surface_shape<5>("planes", 16, 4, 6, cudaArrayLayered);
  surface_shape<6>("cube", 8, 8, 6, cudaArrayCubemap);
  reductions();

  std::printf("calls\n");
  calls();
  return failures == 0 ? 0 : 1;
}
