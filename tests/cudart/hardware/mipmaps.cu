// Mipmapped arrays: their levels, and textures that read between them. Level k of most images here holds k everywhere, so that
// what a texture gives is the level of detail that it used.
#include <vector>

#include "hash.hpp"
#include "say.hpp"

namespace {

template <class T>
T* on_device(const std::vector<T>& values) {
  T* address = nullptr;
  cudaMalloc(&address, sizeof(T) * values.size());
  cudaMemcpy(address, values.data(), sizeof(T) * values.size(), cudaMemcpyHostToDevice);
  return address;
}
template <class T>
std::vector<T> from_device(const T* address, std::size_t count) {
  std::vector<T> values(count);
  cudaMemcpy(values.data(), address, sizeof(T) * count, cudaMemcpyDeviceToHost);
  return values;
}

__global__ void lod_2d(cudaTextureObject_t texture, const float4* at, float* out, int n) {
  const int i = threadIdx.x + blockDim.x * blockIdx.x;
  if (i < n) out[i] = tex2DLod<float>(texture, at[i].x, at[i].y, at[i].z);
}
__global__ void lod_1d(cudaTextureObject_t texture, const float4* at, float* out, int n) {
  const int i = threadIdx.x + blockDim.x * blockIdx.x;
  if (i < n) out[i] = tex1DLod<float>(texture, at[i].x, at[i].z);
}
__global__ void lod_3d(cudaTextureObject_t texture, const float4* at, float* out, int n) {
  const int i = threadIdx.x + blockDim.x * blockIdx.x;
  if (i < n) out[i] = tex3DLod<float>(texture, at[i].x, at[i].y, at[i].w, at[i].z);
}
__global__ void lod_layers(cudaTextureObject_t texture, const float4* at, float* out, int n) {
  const int i = threadIdx.x + blockDim.x * blockIdx.x;
  if (i < n) out[i] = tex2DLayeredLod<float>(texture, at[i].x, at[i].y, i % 3, at[i].z);
}
__global__ void plain_2d(cudaTextureObject_t texture, const float4* at, float* out, int n) {
  const int i = threadIdx.x + blockDim.x * blockIdx.x;
  if (i < n) out[i] = tex2D<float>(texture, at[i].x, at[i].y);
}
__global__ void extents_of(cudaTextureObject_t texture, int* out) {
  asm("txq.width.b32 %0, [%1];" : "=r"(out[0]) : "l"(texture));
  asm("txq.height.b32 %0, [%1];" : "=r"(out[1]) : "l"(texture));
}
__global__ void fill_surface(cudaSurfaceObject_t surface, float value) {
  surf2Dwrite(value, surface, static_cast<int>(threadIdx.x * sizeof(float)), static_cast<int>(threadIdx.y));
}

/// Puts a value into each element of a level.
template <class Value>
void fill(cudaMipmappedArray_t mipmap, unsigned level, Value value) {
  cudaArray_t array = nullptr;
  cudaExtent extent{};
  cudaChannelFormatDesc channels{};
  unsigned flags = 0;
  cudaGetMipmappedArrayLevel(&array, mipmap, level);
  cudaArrayGetInfo(&channels, &extent, &flags, array);
  const std::size_t w = extent.width, h = extent.height == 0 ? 1 : extent.height, d = extent.depth == 0 ? 1 : extent.depth;
  std::vector<float> all(w * h * d);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = value(i);
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(all.data(), w * 4, w, h);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(w, h, d);
  copy.kind = cudaMemcpyHostToDevice;
  const cudaError_t error = cudaMemcpy3D(&copy);
  if (error != cudaSuccess) print_call("cudaMemcpy3D", error);
}

cudaMipmappedArray_t numbered(cudaExtent extent, unsigned levels, unsigned flags = 0) {
  const cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t mipmap = nullptr;
  cudaMallocMipmappedArray(&mipmap, &channels, extent, levels, flags);
  for (unsigned level = 0; level < levels; ++level) fill(mipmap, level, [&](std::size_t) { return float(level); });
  return mipmap;
}

struct Settings {
  bool linear_levels = true, linear = false, normalised = true;
  float bias = 0, smallest = 0, largest = 100;
};

cudaTextureObject_t texture_of(cudaMipmappedArray_t mipmap, Settings settings) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = mipmap;
  cudaTextureDesc description{};
  for (auto& mode : description.addressMode) mode = cudaAddressModeClamp;
  description.filterMode = settings.linear ? cudaFilterModeLinear : cudaFilterModePoint;
  description.mipmapFilterMode = settings.linear_levels ? cudaFilterModeLinear : cudaFilterModePoint;
  description.normalizedCoords = settings.normalised;
  description.mipmapLevelBias = settings.bias;
  description.minMipmapLevelClamp = settings.smallest;
  description.maxMipmapLevelClamp = settings.largest;
  cudaTextureObject_t texture = 0;
  const cudaError_t error = cudaCreateTextureObject(&texture, &resource, &description, nullptr);
  if (error != cudaSuccess) print_call("cudaCreateTextureObject", error);
  return texture;
}

template <class Kernel>
std::vector<float> values_of(Kernel kernel, cudaTextureObject_t texture, const std::vector<float4>& at) {
  const int n = static_cast<int>(at.size());
  float4* points = on_device(at);
  float* out = on_device(std::vector<float>(at.size(), -1.0f));
  kernel<<<(n + 127) / 128, 128>>>(texture, points, out, n);
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) print_call("a kernel", error);
  return from_device(out, at.size());
}

void print_values(const char* title, const std::vector<float>& values) {
  std::printf("  %s\n", title);
  for (std::size_t i = 0; i < values.size(); i += 8) {
    std::printf("   ");
    for (std::size_t k = i; k < i + 8 && k < values.size(); ++k) std::printf(" %.9g", static_cast<double>(values[k]));
    std::printf("\n");
  }
  std::fflush(stdout);
}

std::vector<float4> at_levels(const std::vector<float>& levels) {
  std::vector<float4> at;
  for (const float level : levels) at.push_back(make_float4(0.5f, 0.5f, level, 0.5f));
  return at;
}

void calls() {
  const cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t mipmap = nullptr;
  cudaArray_t array = nullptr, again = nullptr;
  SAY(cudaMallocMipmappedArray(nullptr, &channels, make_cudaExtent(16, 8, 0), 3, 0));
  SAY(cudaMallocMipmappedArray(&mipmap, nullptr, make_cudaExtent(16, 8, 0), 3, 0));
  SAY(cudaMallocMipmappedArray(&mipmap, &channels, make_cudaExtent(16, 8, 0), 0, 0));
  SAY(cudaMallocMipmappedArray(&mipmap, &channels, make_cudaExtent(0, 8, 0), 3, 0));
  SAY(cudaMallocMipmappedArray(&mipmap, &channels, make_cudaExtent(40000, 8, 0), 3, 0));
  SAY(cudaMallocMipmappedArray(&mipmap, &channels, make_cudaExtent(16, 8, 0), 9, 0));
  for (unsigned level = 0; level < 9; ++level) {
    cudaExtent extent{};
    const cudaError_t error = cudaGetMipmappedArrayLevel(&array, mipmap, level);
    if (error == cudaSuccess) cudaArrayGetInfo(nullptr, &extent, nullptr, array);
    std::printf("  level %u %s %zu %zu %zu\n", level, cudaGetErrorName(error), extent.width, extent.height, extent.depth);
  }
  SAY(cudaGetMipmappedArrayLevel(&again, mipmap, 0));
  SAY(cudaGetMipmappedArrayLevel(&array, mipmap, 0));
  SHOW(again == array);
  SAY(cudaGetMipmappedArrayLevel(nullptr, mipmap, 0));
  SAY(cudaFreeArray(array));
  SAY(cudaFreeMipmappedArray(mipmap));
  SAY(cudaFreeMipmappedArray(nullptr));
  for (const cudaExtent extent : {make_cudaExtent(20, 0, 0), make_cudaExtent(20, 9, 5), make_cudaExtent(16, 16, 6)}) {
    const unsigned flags = extent.depth == 6 ? cudaArrayCubemap : 0;
    SAY(cudaMallocMipmappedArray(&mipmap, &channels, extent, 4, flags));
    for (unsigned level = 0; level < 4; ++level) {
      cudaExtent of_level{};
      unsigned read = 99;
      const cudaError_t error = cudaGetMipmappedArrayLevel(&array, mipmap, level);
      if (error == cudaSuccess) cudaArrayGetInfo(nullptr, &of_level, &read, array);
      std::printf("  level %u %s %zu %zu %zu flags %u\n", level, cudaGetErrorName(error), of_level.width, of_level.height,
                  of_level.depth, read);
    }
    SAY(cudaFreeMipmappedArray(mipmap));
  }
  SAY(cudaMallocMipmappedArray(&mipmap, &channels, make_cudaExtent(20, 10, 3), 3, cudaArrayLayered));
  SAY(cudaGetMipmappedArrayLevel(&array, mipmap, 1));
  cudaExtent extent{};
  SAY(cudaArrayGetInfo(nullptr, &extent, nullptr, array));
  SHOW(extent.width); SHOW(extent.height); SHOW(extent.depth);
}

void objects() {
  const cudaMipmappedArray_t mipmap = numbered(make_cudaExtent(64, 32, 0), 4, cudaArraySurfaceLoadStore);
  cudaResourceDesc resource{}, read{};
  cudaTextureDesc description{};
  cudaTextureObject_t texture = 0;
  cudaSurfaceObject_t surface = 0;
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = mipmap;
  description.normalizedCoords = 1;
  SAY(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  SAY(cudaGetTextureObjectResourceDesc(&read, texture));
  SHOW(read.resType); SHOW(read.res.mipmap.mipmap == mipmap);
  SAY(cudaCreateSurfaceObject(&surface, &resource));
  cudaResourceViewDesc view{};
  view.format = cudaResViewFormatFloat1;
  view.width = 64;
  view.height = 32;
  view.firstMipmapLevel = 0;
  view.lastMipmapLevel = 3;
  SAY(cudaCreateTextureObject(&texture, &resource, &description, &view));
  view.lastMipmapLevel = 4;
  SAY(cudaCreateTextureObject(&texture, &resource, &description, &view));
  int* sizes = on_device(std::vector<int>(2));
  extents_of<<<1, 1>>>(texture, sizes);
  SAY(cudaDeviceSynchronize());
  for (const int size : from_device(sizes, 2)) SHOW(size);
  cudaArray_t array = nullptr;
  SAY(cudaGetMipmappedArrayLevel(&array, mipmap, 2));
  cudaResourceDesc of_level{};
  of_level.resType = cudaResourceTypeArray;
  of_level.res.array.array = array;
  SAY(cudaCreateSurfaceObject(&surface, &of_level));
  fill_surface<<<1, dim3(16, 8)>>>(surface, 42.0f);
  SAY(cudaDeviceSynchronize());
  print_values("a level written as a surface", values_of(lod_2d, texture_of(mipmap, {}), at_levels({0, 1, 2, 3})));
  cudaTextureObject_t single = 0;
  description.normalizedCoords = 0;
  SAY(cudaCreateTextureObject(&single, &of_level, &description, nullptr));
  print_values("a level as a texture", values_of(plain_2d, single, at_levels({0, 1})));
}

void levels() {
  const cudaMipmappedArray_t mipmap = numbered(make_cudaExtent(256, 256, 0), 9);
  std::vector<float> fine, coarse, around;
  for (int n = 0; n < 64; ++n) fine.push_back(1.0f + static_cast<float>(n) / 1024.0f);
  for (int n = -8; n < 40; ++n) coarse.push_back(static_cast<float>(n) * 0.25f);
  for (const float level : {0.5f, 1.5f, 2.5f, 3.5f}) {
    for (int n = -3; n <= 4; ++n) around.push_back(level + static_cast<float>(n) / 512.0f);
  }
  Settings nearest;
  nearest.linear_levels = false;
  print_values("between levels", values_of(lod_2d, texture_of(mipmap, {}), at_levels(fine)));
  print_values("between all levels", values_of(lod_2d, texture_of(mipmap, {}), at_levels(coarse)));
  print_values("nearest levels", values_of(lod_2d, texture_of(mipmap, nearest), at_levels(coarse)));
  print_values("nearest levels around halves", values_of(lod_2d, texture_of(mipmap, nearest), at_levels(around)));
  print_values("no level asked for", values_of(plain_2d, texture_of(mipmap, {}), at_levels({0, 1})));
  Settings clamped;
  clamped.smallest = 1.3f;
  clamped.largest = 3.7f;
  print_values("clamped levels", values_of(lod_2d, texture_of(mipmap, clamped), at_levels(coarse)));
  print_values("clamped, no level asked for", values_of(plain_2d, texture_of(mipmap, clamped), at_levels({0, 1})));
  clamped.linear_levels = false;
  print_values("clamped nearest levels", values_of(lod_2d, texture_of(mipmap, clamped), at_levels(coarse)));
  Settings biased;
  biased.bias = 1.37f;
  print_values("biased levels", values_of(lod_2d, texture_of(mipmap, biased), at_levels(coarse)));
  biased.bias = -2.0f;
  print_values("levels biased down", values_of(lod_2d, texture_of(mipmap, biased), at_levels(coarse)));
  print_values("biased, no level asked for", values_of(plain_2d, texture_of(mipmap, biased), at_levels({0, 1})));
  biased.bias = 30.0f;
  print_values("bias beyond 16", values_of(lod_2d, texture_of(mipmap, biased), at_levels({-40, -20, -16, 0})));
}

std::uint32_t state = 1;
float unit() {
  state = state * 1664525u + 1013904223u;
  return static_cast<float>(state >> 8) * (1.0f / 16777216);
}

template <class Kernel>
void mixed(const char* title, Kernel kernel, cudaExtent extent, unsigned levels, unsigned flags) {
  const cudaMipmappedArray_t mipmap = numbered(extent, levels, flags);
  for (unsigned level = 0; level < levels; ++level) fill(mipmap, level, [](std::size_t) { return unit(); });
  std::vector<float4> at;
  for (int n = 0; n < 1024; ++n) {
    const float x = unit() * 1.2f - 0.1f, y = unit() * 1.2f - 0.1f, level = unit() * static_cast<float>(levels), w = unit();
    at.push_back(make_float4(x, y, level, w));
  }
  for (const bool linear : {false, true}) {
    for (const bool linear_levels : {false, true}) {
      if (linear && linear_levels && extent.depth > 3) continue;  // the last bit of four slices is not settled
      Settings settings;
      settings.linear = linear;
      settings.linear_levels = linear_levels;
      const std::vector<float> values = values_of(kernel, texture_of(mipmap, settings), at);
      std::printf("  %-10s elements %d levels %d  %016llx  %.9g %.9g %.9g %.9g\n", title, linear, linear_levels,
                  static_cast<unsigned long long>(hash_of(values.data(), sizeof(float) * values.size())),
                  static_cast<double>(values[0]), static_cast<double>(values[1]), static_cast<double>(values[2]),
                  static_cast<double>(values[3]));
    }
  }
}

void images() {
  mixed("line", lod_1d, make_cudaExtent(37, 0, 0), 5, 0);
  mixed("plane", lod_2d, make_cudaExtent(37, 22, 0), 5, 0);
  mixed("volume", lod_3d, make_cudaExtent(37, 22, 9), 5, 0);
  mixed("layers", lod_layers, make_cudaExtent(37, 22, 3), 5, cudaArrayLayered);
}

}  // namespace

int main() {
  in_a_process("calls", calls);
  in_a_process("objects", objects);
  in_a_process("levels", levels);
  in_a_process("images", images);
}
