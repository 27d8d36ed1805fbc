// What the programs with textures and surfaces share: elements and points, and the words of the CUDA C++ Programming Guide
// (appendix "Texture Fetching") computed on the host, with the rounding that an H200 was found to have (texture_rounding.cu).
// A line of their output counts the values that differ from those; a hash of the device's values follows, which a transcript of
// hardware keeps.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "hash.hpp"
#include "say.hpp"

namespace {

int failures = 0;

template <class T>
void compare(const char* title, const std::vector<T>& device, const std::vector<T>& host) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < host.size(); ++i) wrong += std::memcmp(&device[i], &host[i], sizeof(T)) != 0;
  std::printf("  %-58s %zu of %zu differ  %016llx\n", title, wrong, host.size(),
              static_cast<unsigned long long>(hash_of(device.data(), sizeof(T) * device.size())));
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

enum Mode {
  wrap = cudaAddressModeWrap,
  clamp = cudaAddressModeClamp,
  mirror = cudaAddressModeMirror,
  border = cudaAddressModeBorder
};
const char* const mode_names[] = {"wrap", "clamp", "mirror", "border"};

/// The coordinate after the address mode, in elements: wrap is frac(x), mirror frac(x) or 1 - frac(x). A normalised one is cut to
/// a multiple of 2^-21 then.
double elements(float coordinate, bool normalised, int mode, int n) {
  double x = coordinate;
  if (!normalised) return x;
  if (mode == wrap) x -= std::floor(x);
  if (mode == mirror) {
    const double whole = std::floor(x);
    x = std::fmod(whole, 2) == 0 ? x - whole : 1 - (x - whole);
  }
  return std::floor(x * 2097152) / 2097152 * n;
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

/// `part` / 256 of a weight, rounded.
long share(long weight, long part) { return (weight * part + 128) / 256; }

float mixed(const Volume<float>& v, const float4& at, bool normalised, int mode, int dimensions) {
  const float c[3] = {at.x, at.y, at.z};
  const int n[3] = {v.width, v.height, v.depth};
  long first[3] = {0, 0, 0}, next[3] = {0, 0, 0};
  for (int d = 0; d < dimensions; ++d) {
    double x = elements(c[d], normalised, mode, n[d]) - 0.5;
    if (mode == clamp) x = std::min(std::max(x, 0.0), n[d] - 1.0);
    first[d] = static_cast<long>(std::floor(x));
    next[d] = static_cast<long>(std::floor((x - std::floor(x)) * 256 + 0.5));
  }
  if (dimensions == 1 && mode == border) first[1] = -1, next[1] = 128;  // a line is read as a plane's row, at y = 0
  double sum = 0;
  for (int corner = 0; corner < 8; ++corner) {
    const long slice = corner & 4 ? next[2] : 256 - next[2], right = share(slice, next[0]), left = slice - right;
    const long below = corner & 1 ? share(right, next[1]) : left - share(left, 256 - next[1]);
    const long weight = corner & 2 ? below : (corner & 1 ? right : left) - below;
    int place[3];
    for (int d = 0; d < 3; ++d) place[d] = element(first[d] + (corner >> d & 1), normalised, mode, n[d]);
    const bool outside = place[0] < 0 || place[1] < 0 || place[2] < 0;
    if (!outside && weight != 0) sum += static_cast<double>(weight) * v.at(place[0], place[1], place[2]) / 256;
  }
  return static_cast<float>(sum);
}

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
  for (std::size_t i = 0; i < n; ++i)
    values[i] = static_cast<float>(static_cast<int>((i * 2654435761u) >> 21) % 1024) / 4;
  return values;
}

}  // namespace
