// Sweeps of the multi-function unit, instruction by instruction: run it on a GPU and under `lanebank run`.
//
//   nvcc -std=c++17 -cubin -gencode arch=compute_90a,code=sm_90a -o mufu_dump.cubin mufu_dump.cu
//   nvcc -std=c++17 -gencode arch=compute_90a,code=sm_90a -o mufu_dump mufu_dump.cu
//   ./mufu_dump mufu_dump.cubin           prints the table that data/mufu_h200.def holds
//   ./mufu_dump mufu_dump.cubin FOLDER    also writes the words of each sweep to FOLDER/name.u32 (800 MB)
//
// PTX reaches MUFU.SIN and MUFU.COS only through a multiplication, and names some functions with scaling around
// them. So the kernel holds a conversion (F2I.S8) in MUFU's place, and the program puts the instruction's opcode and
// fields there before it loads the cubin: the registers and the scheduling stay.
//
// How the coefficients of mufu_segments.def follow: in a segment the result is (K + c1 x + c2 square(x)) >> n. A
// least-squares fit of the words in a segment, in units of 2^-n, gives c1 and c2 to far less than a unit; with them
// rounded, each word bounds K from both sides, and the intersection of the bounds of all words is not empty, a few
// units wide at most. All K of a function then agree in their low bits: c0 above one rounding constant.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "mufu_ranges.hpp"

extern "C" __global__ void sweep(unsigned first, unsigned step, unsigned* out) {
  const unsigned i = blockIdx.x * 256 + threadIdx.x;
  unsigned result;
  asm volatile("cvt.rni.sat.s8.f32 %0, %1;" : "=r"(result) : "f"(__uint_as_float(first + step * i)));
  out[i] = result;
}

#define CHECK(call)                                                                                         \
  do {                                                                                                      \
    const cudaError_t error = (call);                                                                       \
    if (error != cudaSuccess) return std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error)), 1; \
  } while (0)

/// Puts MUFU where the conversion stands; false unless there is exactly one.
static bool put_mufu(std::vector<char>& image, unsigned function, unsigned format) {
  unsigned found = 0;
  for (std::size_t at = 0; at + 16 <= image.size(); at += 8) {
    std::uint64_t word[2];
    std::memcpy(word, &image[at], 16);
    if ((word[0] & 0xffff) != 0x7305 || (word[1] & 0xffffffff) != 0x00202100) continue;
    word[0] = (word[0] & ~std::uint64_t{0xffff}) | 0x7308;
    word[1] = (word[1] & ~std::uint64_t{0xffffffff}) | function << 10 | format << 8;
    std::memcpy(&image[at], word, 16);
    ++found;
  }
  return found == 1;
}

static int run(const std::vector<char>& cubin, const char* folder, const char* name, unsigned function, unsigned format, unsigned first, unsigned step, unsigned count) {
  std::vector<char> image = cubin;
  if (!put_mufu(image, function, format)) return std::fprintf(stderr, "no conversion to replace\n"), 1;
  cudaLibrary_t library;
  cudaKernel_t kernel;
  CHECK(cudaLibraryLoadData(&library, image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  CHECK(cudaLibraryGetKernel(&kernel, library, "sweep"));
  unsigned* out;
  CHECK(cudaMalloc(&out, std::size_t{4} * count));
  void* arguments[] = {&first, &step, &out};
  CHECK(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(count / 256), dim3(256), arguments, 0, nullptr));
  std::vector<unsigned> words(count);
  CHECK(cudaMemcpy(words.data(), out, std::size_t{4} * count, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(out));
  CHECK(cudaLibraryUnload(library));
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a over words of 32 bits
  for (const unsigned word : words) hash = (hash ^ word) * 0x100000001b3u;
  std::printf("LANEBANK_MUFU_RECORDED(%s, 0x%016llx)\n", name, static_cast<unsigned long long>(hash));
  if (folder != nullptr) std::ofstream(std::string(folder) + "/" + name + ".u32", std::ios::binary).write(reinterpret_cast<const char*>(words.data()), std::streamsize{4} * count);
  return 0;
}

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: mufu_dump CUBIN [FOLDER]\n"), 1;
  std::ifstream file(argv[1], std::ios::binary);
  const std::vector<char> cubin((std::istreambuf_iterator<char>(file)), {});
  const char* folder = argc > 2 ? argv[2] : nullptr;
  std::printf("// Sweeps of mufu_ranges.hpp on an H200: name and 64-bit FNV-1a hash of the words. Made by mufu_dump.cu.\n");
#define SWEEP(name, function, format, first, step, count) \
  if (run(cubin, folder, #name, function, format, first, step, count)) return 1;
  MUFU_SPREAD(SWEEP)
  MUFU_DENSE(SWEEP)
}
