// Surfaces, the rarer forms of texture instructions, and the calls that make arrays and objects. See texture_cases.hpp. Ends
// with 1 when a value differs.
#include <cuda_fp16.h>

#include "texture_cases.hpp"

namespace {

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
}

}  // namespace

int main() {
  faults();
  std::printf("forms of instructions\n");
  forms();
  more_forms();
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
