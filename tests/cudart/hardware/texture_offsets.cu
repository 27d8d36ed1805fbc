// Texture fetches with offsets in elements, -8 to 7 and beyond: 1, 2 and 3 dimensions, layers, point and linear, integer
// coordinates, gathers. With an argument, the values are written to that file.
#include <cstdint>
#include <vector>

#include "hash.hpp"
#include "say.hpp"

namespace {

constexpr unsigned width = 32, height = 24, depth = 6, threads = 512;
std::FILE* values = nullptr;

struct At {
  float x, y, z;
  int layer, by[3];
};
__device__ unsigned mixed(unsigned x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}
/// Where thread i reads: in and around the texture; offsets in range, and beyond when `far`.
__device__ At place(bool far, bool whole) {
  const unsigned i = threadIdx.x;
  const auto one = [&](unsigned n, float extent) {
    const float x = static_cast<float>(mixed(i * 8 + n) % 65536) / 65536.0f * (extent + 8) - 4;
    return whole ? floorf(x) : x;
  };
  At at{one(0, width), one(1, height), one(2, depth), static_cast<int>(mixed(i * 8 + 3) % depth), {}};
  for (unsigned n = 0; n < 3; ++n) at.by[n] = static_cast<int>(mixed(i * 8 + 4 + n) % (far ? 64 : 16)) - (far ? 32 : 8);
  return at;
}

#define OUT "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
#define KERNEL(name, ptx, far, whole, ...)                                      \
  __global__ void name(cudaTextureObject_t texture, float4* out) {              \
    const At at = place(far, whole);                                            \
    float4 v;                                                                   \
    asm volatile(ptx : OUT : "l"(texture), __VA_ARGS__);                        \
    out[threadIdx.x] = v;                                                       \
  }
KERNEL(fetch_1d, "tex.1d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5}], {%6};", false, false, "f"(at.x), "r"(at.by[0]))
KERNEL(fetch_2d, "tex.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}], {%7,%8};", false, false, "f"(at.x), "f"(at.y), "r"(at.by[0]), "r"(at.by[1]))
KERNEL(fetch_2d_far, "tex.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}], {%7,%8};", true, false, "f"(at.x), "f"(at.y), "r"(at.by[0]), "r"(at.by[1]))
KERNEL(fetch_level, "tex.level.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}], 0f00000000, {%7,%8};", false, false, "f"(at.x), "f"(at.y), "r"(at.by[0]), "r"(at.by[1]))
KERNEL(fetch_3d, "tex.3d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6,%7,%7}], {%8,%9,%10,%10};", false, false, "f"(at.x), "f"(at.y), "f"(at.z), "r"(at.by[0]), "r"(at.by[1]), "r"(at.by[2]))
KERNEL(fetch_layers, "tex.a2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6,%7,%7}], {%8,%9};", false, false, "r"(at.layer), "f"(at.x), "f"(at.y), "r"(at.by[0]), "r"(at.by[1]))
KERNEL(whole_2d, "tex.2d.v4.f32.s32 {%0,%1,%2,%3}, [%4, {%5,%6}], {%7,%8};", false, true, "r"(int(at.x)), "r"(int(at.y)), "r"(at.by[0]), "r"(at.by[1]))
KERNEL(whole_3d, "tex.3d.v4.f32.s32 {%0,%1,%2,%3}, [%4, {%5,%6,%7,%7}], {%8,%9,%10,%10};", false, true, "r"(int(at.x)), "r"(int(at.y)), "r"(int(at.z)), "r"(at.by[0]), "r"(at.by[1]), "r"(at.by[2]))
KERNEL(whole_layers, "tex.a2d.v4.f32.s32 {%0,%1,%2,%3}, [%4, {%5,%6,%7,%7}], {%8,%9};", false, true, "r"(at.layer), "r"(int(at.x)), "r"(int(at.y)), "r"(at.by[0]), "r"(at.by[1]))
KERNEL(gather, "tld4.r.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}], {%7,%8};", false, false, "f"(at.x), "f"(at.y), "r"(at.by[0]), "r"(at.by[1]))
KERNEL(gather_far, "tld4.r.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}], {%7,%8};", true, false, "f"(at.x), "f"(at.y), "r"(at.by[0]), "r"(at.by[1]))

cudaTextureObject_t texture(unsigned dimensions, bool layers, cudaTextureFilterMode filter, cudaTextureAddressMode mode) {
  const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
  const unsigned h = dimensions > 1 ? height : 0, d = dimensions > 2 || layers ? depth : 0, rows = h == 0 ? 1 : h, slices = d == 0 ? 1 : d;
  cudaArray_t array;
  cudaMalloc3DArray(&array, &desc, {width, h, d}, layers ? cudaArrayLayered : dimensions == 2 ? cudaArrayTextureGather : 0);
  std::vector<float> elements(width * rows * slices);
  for (unsigned i = 0; i < elements.size(); ++i) elements[i] = static_cast<float>(i * 37 % 4096);
  cudaMemcpy3DParms copy{};
  copy.srcPtr = {elements.data(), width * 4, width, rows};
  copy.dstArray = array;
  copy.extent = {width, rows, slices};
  copy.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&copy);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc how{};
  for (auto& m : how.addressMode) m = mode;
  how.filterMode = filter;
  cudaTextureObject_t object = 0;
  cudaCreateTextureObject(&object, &resource, &how, nullptr);
  return object;
}

template <class Kernel>
void run(const char* name, Kernel kernel, unsigned dimensions, bool layers, float4* out) {
  for (const auto filter : {cudaFilterModePoint, cudaFilterModeLinear})
    for (const auto mode : {cudaAddressModeClamp, cudaAddressModeBorder}) {
      kernel<<<1, threads>>>(texture(dimensions, layers, filter, mode), out);
      const cudaError_t error = cudaDeviceSynchronize();
      std::vector<float4> found(threads);
      cudaMemcpy(found.data(), out, threads * sizeof(float4), cudaMemcpyDeviceToHost);
      std::printf("%s, %s, %s: %s %016llx\n", name, filter == cudaFilterModePoint ? "point" : "linear", mode == cudaAddressModeClamp ? "clamp" : "border",
                  cudaGetErrorName(error), static_cast<unsigned long long>(hash_of(found.data(), threads * sizeof(float4))));
      if (values != nullptr) std::fwrite(found.data(), sizeof(float4), threads, values);
    }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) values = std::fopen(argv[1], "wb");
  float4* out;
  cudaMalloc(&out, threads * sizeof(float4));
#define RUN(name, dimensions, layers) run(#name, name, dimensions, layers, out);
  RUN(fetch_1d, 1, false)
  RUN(fetch_2d, 2, false)
  RUN(fetch_2d_far, 2, false)
  RUN(fetch_level, 2, false)
  RUN(fetch_3d, 3, false)
  RUN(fetch_layers, 2, true)
  RUN(whole_2d, 2, false)
  RUN(whole_3d, 3, false)
  RUN(whole_layers, 2, true)
  RUN(gather, 2, false)
  RUN(gather_far, 2, false)
  if (values != nullptr) std::fclose(values);
}
