// Stores that convert to a surface's format (sust.p): edge values of every format, of one, two and four channels. With an
// argument, the bytes are written to that file.
#include <cstdint>
#include <vector>

#include "hash.hpp"
#include "say.hpp"

namespace {

constexpr unsigned width = 64, height = 3;
std::FILE* values = nullptr;

/// Registers of element x: edge values, by channel.
__device__ unsigned operand(unsigned x, unsigned channel) {
  constexpr unsigned edges[] = {0,          1,          0x7f,       0x80,       0x81,       0xff,       0x100,      0x7fff,     0x8000,     0xffff,
                                0x10000,    0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0xffffff80, 0xffffff7f, 0xffff8000, 0xffff7fff, 0x3f800000,
                                0xbf800000, 0x3f000000, 0xbf000000, 0x3dcccccd, 0x477fe000, 0x477ff000, 0x477fefff, 0x47800000, 0x33800000, 0x33000000,
                                0x33000001, 0x387fc000, 0x387fe000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f812345, 0x3f801000, 0x3f803000, 0x3f802fff,
                                0x3b808081, 0x3b008081, 0x3b000000, 0x3f7f8000, 0x3f7fffff, 0x3f7f7f7f, 0x40000000, 0xc0000000, 0x00000400, 0x12345678};
  constexpr unsigned count = sizeof edges / sizeof edges[0];
  return edges[(x + 7 * channel) % count];
}

__global__ void store_1(cudaSurfaceObject_t surface) {
  const unsigned x = threadIdx.x;
  asm volatile("sust.p.2d.b32.zero [%0, {%1, %2}], {%3};" ::"l"(surface), "r"(x), "r"(0), "r"(operand(x, 0)) : "memory");
}
__global__ void store_2(cudaSurfaceObject_t surface) {
  const unsigned x = threadIdx.x;
  asm volatile("sust.p.2d.v2.b32.clamp [%0, {%1, %2}], {%3, %4};" ::"l"(surface), "r"(x), "r"(1), "r"(operand(x, 0)), "r"(operand(x, 1)) : "memory");
}
__global__ void store_4(cudaSurfaceObject_t surface) {
  const unsigned x = threadIdx.x;
  asm volatile("sust.p.2d.v4.b32.zero [%0, {%1, %2}], {%3, %4, %5, %6};" ::"l"(surface), "r"(x), "r"(2), "r"(operand(x, 0)),
               "r"(operand(x, 1)), "r"(operand(x, 2)), "r"(operand(x, 3))
               : "memory");
}

void format(const char* name, cudaChannelFormatDesc desc) {
  cudaArray_t array = nullptr;
  const cudaError_t made = cudaMallocArray(&array, &desc, width, height, cudaArraySurfaceLoadStore);
  if (made != cudaSuccess) return void(std::printf("%s: %s\n", name, cudaGetErrorName(made)));
  const unsigned bytes = (desc.x + desc.y + desc.z + desc.w) / 8, row = width * bytes;
  std::vector<unsigned char> memory(row * height, 0xcc);
  cudaMemcpy2DToArray(array, 0, 0, memory.data(), row, row, height, cudaMemcpyHostToDevice);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface = 0;
  const cudaError_t object = cudaCreateSurfaceObject(&surface, &resource);
  if (object != cudaSuccess) return void(std::printf("%s: %s\n", name, cudaGetErrorName(object)));
  store_1<<<1, width>>>(surface);
  store_2<<<1, width + 2>>>(surface);
  store_4<<<1, width>>>(surface);
  std::printf("%s: %s\n", name, cudaGetErrorName(cudaDeviceSynchronize()));
  cudaMemcpy2DFromArray(memory.data(), row, array, 0, 0, row, height, cudaMemcpyDeviceToHost);
  // Which of the threads that are clamped to the last element of row 1 comes last is left open.
  for (unsigned y = 0; y < height; ++y)
    std::printf("  row %u %016llx\n", y, static_cast<unsigned long long>(hash_of(memory.data() + y * row, y == 1 ? row - bytes : row)));
  if (values != nullptr) std::fwrite(memory.data(), 1, memory.size(), values);
  cudaDestroySurfaceObject(surface);
  cudaFreeArray(array);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) values = std::fopen(argv[1], "wb");
  const cudaChannelFormatKind kinds[] = {cudaChannelFormatKindSigned, cudaChannelFormatKindUnsigned, cudaChannelFormatKindFloat};
  const char* names[] = {"signed", "unsigned", "float"};
  for (unsigned kind = 0; kind < 3; ++kind)
    for (int bits : {8, 16, 32}) {
      if (kind == 2 && bits == 8) continue;
      for (int channels : {1, 2, 4}) {
        char name[64];
        std::snprintf(name, sizeof name, "%s %d x %d", names[kind], bits, channels);
        format(name, cudaCreateChannelDesc(bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0, channels > 2 ? bits : 0, kinds[kind]));
      }
    }
  if (values != nullptr) std::fclose(values);
}
