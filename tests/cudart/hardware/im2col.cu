// Tensor copies of image columns (im2col): which pixels a copy takes, where it puts them, and which arguments
// cuTensorMapEncodeIm2col takes. Element number n of a tensor holds n + 1, so that 0 is what was filled.
#include <cuda.h>

#include <cstdint>
#include <string>
#include <vector>

#include "hash.hpp"
#include "say.hpp"

typedef CUresult (*Encode)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*, const cuuint64_t*, const int*,
                           const int*, cuuint32_t, cuuint32_t, const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle,
                           CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
Encode encode = nullptr;
char* base = nullptr;

struct Place {
  int at[5];       // c, w, (h, (d,)) n
  uint16_t by[3];  // offsets of w, h, d
};

#define LOAD(rank) "cp.async.bulk.tensor." rank ".shared::cluster.global.mbarrier::complete_tx::bytes.im2col [%0], "
#define STORE(rank) "cp.async.bulk.tensor." rank ".global.shared::cta.bulk_group.im2col_no_offs "
#define ADD(rank) "cp.reduce.async.bulk.tensor." rank ".global.shared::cta.add.bulk_group.im2col_no_offs "

__global__ void load(const __grid_constant__ CUtensorMap map, unsigned rank, Place place, unsigned bytes, unsigned* out) {
  extern __shared__ __align__(1024) unsigned words[];
  __shared__ uint64_t barrier;
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(words)),
                 wait = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
  for (unsigned i = threadIdx.x; i < bytes / 4; i += 32) words[i] = 0xdeadbeef;
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(wait));
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    const int* at = place.at;
    const uint16_t* by = place.by;
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(wait), "r"(bytes));
    if (rank == 3)
      asm volatile(LOAD("3d") "[%1, {%2, %3, %4}], [%5], {%6};" ::"r"(to), "l"(&map), "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(wait),
                   "h"(by[0]));
    else if (rank == 4)
      asm volatile(LOAD("4d") "[%1, {%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"(to), "l"(&map), "r"(at[0]), "r"(at[1]), "r"(at[2]),
                   "r"(at[3]), "r"(wait), "h"(by[0]), "h"(by[1]));
    else
      asm volatile(LOAD("5d") "[%1, {%2, %3, %4, %5, %6}], [%7], {%8, %9, %10};" ::"r"(to), "l"(&map), "r"(at[0]), "r"(at[1]),
                   "r"(at[2]), "r"(at[3]), "r"(at[4]), "r"(wait), "h"(by[0]), "h"(by[1]), "h"(by[2]));
  }
  unsigned complete = 0;
  for (unsigned n = 0; n < 100000 && complete == 0; ++n)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }"
                 : "=r"(complete)
                 : "r"(wait)
                 : "memory");
  for (unsigned i = threadIdx.x; i < bytes / 4; i += 32) out[i] = words[i];
}

__global__ void store(const __grid_constant__ CUtensorMap map, bool adds, Place place, unsigned bytes) {
  extern __shared__ __align__(1024) unsigned words[];
  const unsigned from = static_cast<unsigned>(__cvta_generic_to_shared(words));
  for (unsigned i = threadIdx.x; i < bytes / 4; i += 32) words[i] = 1000000 + i;
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  if (threadIdx.x != 0) return;
  const int* at = place.at;
  if (adds)
    asm volatile(ADD("4d") "[%0, {%1, %2, %3, %4}], [%5];" ::"l"(&map), "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(from) : "memory");
  else
    asm volatile(STORE("4d") "[%0, {%1, %2, %3, %4}], [%5];" ::"l"(&map), "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(from) : "memory");
  asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
}

struct Request {
  CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_UINT32;
  cuuint32_t rank = 4;
  cuuint64_t dims[5] = {8, 7, 5, 3, 2};
  cuuint64_t strides[4] = {32, 32 * 7, 32 * 35, 32 * 105};
  int lower[3] = {-1, -1, -1}, upper[3] = {-1, -1, -1};
  cuuint32_t channels = 4, pixels = 64;
  cuuint32_t steps[5] = {1, 1, 1, 1, 1};
  CUtensorMapInterleave interleave = CU_TENSOR_MAP_INTERLEAVE_NONE;
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
  CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
  int make(CUtensorMap* map) const {
    return encode(map, type, rank, base, dims, strides, lower, upper, channels, pixels, steps, interleave, swizzle,
                  CU_TENSOR_MAP_L2_PROMOTION_NONE, fill);
  }
  void extents(std::initializer_list<cuuint64_t> list) {
    rank = 0;
    cuuint64_t bytes = 4;
    for (const cuuint64_t dim : list) {
      if (rank != 0) strides[rank - 1] = bytes;
      dims[rank++] = dim;
      bytes *= dim;
    }
  }
  cuuint64_t elements() const {
    cuuint64_t n = 1;
    for (unsigned k = 0; k < rank; ++k) n *= dims[k];
    return n;
  }
};

void number_elements(const Request& r) {
  std::vector<unsigned> values(r.elements());
  for (unsigned n = 0; n < values.size(); ++n) values[n] = n + 1;
  cudaMemcpy(base, values.data(), 4 * values.size(), cudaMemcpyHostToDevice);
}

/// One load: the tensor's coordinates of the first channel of each pixel, "-" where it was filled; a hash of all.
template <class Change>
void loads(const char* title, Place place, Change change) {
  Request r;
  change(r);
  alignas(64) CUtensorMap map;
  const int made = r.make(&map);
  if (made != 0) return void(std::printf("%s: no map, %d\n", title, made));
  number_elements(r);
  const unsigned bytes = r.channels * r.pixels * 4;
  unsigned* out;
  cudaMalloc(&out, bytes);
  cudaFuncSetAttribute(load, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 16);
  load<<<1, 32, bytes>>>(map, r.rank, place, bytes, out);
  const cudaError_t error = cudaDeviceSynchronize();
  std::vector<unsigned> words(bytes / 4);
  cudaMemcpy(words.data(), out, bytes, cudaMemcpyDeviceToHost);
  std::printf("%s: %s %016llx\n ", title, cudaGetErrorName(error), static_cast<unsigned long long>(hash_of(words.data(), bytes)));
  for (unsigned p = 0; p < r.pixels && error == cudaSuccess; ++p) {
    unsigned value = words[p * r.channels];
    for (unsigned c = 1; c < r.channels && value == 0; ++c) value = words[p * r.channels + c];
    if (value == 0) {
      std::printf(" -");
      continue;
    }
    cuuint64_t n = value - 1;
    for (unsigned k = 0; k < r.rank; ++k) {
      std::printf("%s%llu", k == 0 ? " " : ".", static_cast<unsigned long long>(n % r.dims[k]));
      n /= r.dims[k];
    }
  }
  std::printf("\n");
  cudaFree(out);
}

template <class Change>
void stores(const char* title, bool adds, Place place, Change change) {
  Request r;
  change(r);
  alignas(64) CUtensorMap map;
  const int made = r.make(&map);
  if (made != 0) return void(std::printf("%s: no map, %d\n", title, made));
  number_elements(r);
  store<<<1, 32, 1 << 14>>>(map, adds, place, r.channels * r.pixels * 4);
  const cudaError_t error = cudaDeviceSynchronize();
  std::vector<unsigned> words(r.elements());
  cudaMemcpy(words.data(), base, 4 * words.size(), cudaMemcpyDeviceToHost);
  std::printf("%s: %s %016llx\n ", title, cudaGetErrorName(error), static_cast<unsigned long long>(hash_of(words.data(), 4 * words.size())));
  unsigned shown = 0;
  for (unsigned n = 0; n < words.size() && shown < 24; ++n)
    if (words[n] != n + 1) std::printf(" %u:%u", n, words[n] - 1000000 - (adds ? n + 1 : 0)), ++shown;
  std::printf("\n");
}

template <class Change>
void encodes(const std::string& title, Change change) {
  Request r;
  change(r);
  alignas(64) CUtensorMap map;
  std::printf("  %-60s %d\n", title.c_str(), r.make(&map));
}

bool find_encoder() {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult query{};
  if (cudaMalloc(&base, 1 << 20) != cudaSuccess) return false;
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeIm2col", &function, 12000, cudaEnableDefault, &query);
  encode = reinterpret_cast<Encode>(function);
  return encode != nullptr;
}

/// In a process of its own: some of these end with a fault.
template <class Body>
void alone(Body body) {
  in_a_process("alone", [&] {
    if (find_encoder())
      body();
    else
      std::printf("no cuTensorMapEncodeIm2col\n");
  });
}

void maps() {
  encodes("the base case", [](Request&) {});
  for (cuuint32_t rank : {1u, 2u, 3u, 5u, 6u}) encodes("rank " + std::to_string(rank), [&](Request& r) { r.rank = rank; });
  for (cuuint32_t n : {0u, 1u, 2u, 3u, 8u, 12u, 256u, 257u}) encodes("channels " + std::to_string(n), [&](Request& r) { r.channels = n; });
  for (cuuint32_t n : {0u, 1u, 256u, 1024u, 1025u}) encodes("pixels " + std::to_string(n), [&](Request& r) { r.pixels = n; });
  for (int corner : {-129, -128, -7, -6, 0, 6, 7, 127, 128}) {
    encodes("lower[0] " + std::to_string(corner), [&](Request& r) { r.lower[0] = corner; });
    encodes("upper[0] " + std::to_string(corner), [&](Request& r) { r.upper[0] = corner; });
  }
  for (int corner : {-32769, -32768, 32767, 32768})
    encodes("rank 3, lower[0] " + std::to_string(corner), [&](Request& r) { r.rank = 3, r.lower[0] = corner; });
  for (int corner : {-17, -16, -3, 15, 16})
    encodes("rank 5, lower[2] " + std::to_string(corner), [&](Request& r) { r.rank = 5, r.lower[2] = corner; });
  for (cuuint32_t step : {0u, 2u, 8u, 9u})
    for (unsigned k : {0u, 1u, 3u})
      encodes("steps[" + std::to_string(k) + "] " + std::to_string(step), [&](Request& r) { r.steps[k] = step; });
  for (int swizzle = 0; swizzle <= 3; ++swizzle)
    for (cuuint32_t channels : {4u, 8u, 16u, 32u, 36u})
      encodes("swizzle " + std::to_string(swizzle) + " channels " + std::to_string(channels),
              [&](Request& r) { r.swizzle = static_cast<CUtensorMapSwizzle>(swizzle), r.channels = channels; });
  for (int interleave = 1; interleave <= 2; ++interleave)
    encodes("interleave " + std::to_string(interleave), [&](Request& r) { r.interleave = static_cast<CUtensorMapInterleave>(interleave); });

}

void take() {
  const auto same = [](Request&) {};
  loads("3 x 3, first column", {{0, -1, -1, 0}, {0, 0}}, same);
  loads("3 x 3, offsets 1, 2", {{0, -1, -1, 0}, {1, 2}}, same);
  loads("3 x 3, offsets 2, 1, upper channels", {{4, -1, -1, 0}, {2, 1}}, same);
  loads("from the middle", {{0, 3, 2, 1}, {0, 0}}, same);
  loads("beyond the last image", {{0, 3, 2, 2}, {1, 1}}, same);
  loads("offsets 7, 9", {{0, -1, -1, 0}, {7, 9}}, same);
  loads("channels beyond the last", {{4, 0, 0, 0}, {0, 0}}, [](Request& r) { r.channels = 8; });
  loads("corners 0", {{0, 0, 0, 0}, {0, 0}}, [](Request& r) { r.lower[0] = r.lower[1] = r.upper[0] = r.upper[1] = 0; });
  loads("upper corners 1, 2", {{0, -1, -1, 0}, {0, 0}}, [](Request& r) { r.upper[0] = 1, r.upper[1] = 2; });
  loads("lower corners -2, 1", {{0, -2, 1, 0}, {0, 0}}, [](Request& r) { r.lower[0] = -2, r.lower[1] = 1; });
  loads("steps 2, 1", {{0, -1, -1, 0}, {0, 0}}, [](Request& r) { r.steps[1] = 2; });
  loads("steps 1, 2", {{0, -1, -1, 0}, {0, 0}}, [](Request& r) { r.steps[2] = 2; });
  loads("steps 3, 2, offsets 1, 1", {{0, -1, -1, 0}, {1, 1}}, [](Request& r) { r.steps[1] = 3, r.steps[2] = 2; });
  loads("200 pixels", {{0, -1, -1, 0}, {0, 0}}, [](Request& r) { r.pixels = 200; });
  loads("rank 3", {{0, -1, 0}, {0}}, [](Request& r) { r.extents({8, 10, 3}); });
  loads("rank 3, offset 2, step 2", {{4, 1, 1}, {2}}, [](Request& r) { r.extents({8, 10, 3}), r.steps[1] = 2; });
  loads("rank 5", {{0, -1, -1, -1, 0}, {0, 0, 0}}, [](Request& r) { r.extents({8, 4, 3, 4, 2}), r.pixels = 96; });
  loads("rank 5, offsets 2, 1, 1", {{0, 1, -1, 0, 0}, {2, 1, 1}}, [](Request& r) { r.extents({8, 4, 3, 4, 2}), r.pixels = 96; });
  for (int swizzle = 1; swizzle <= 3; ++swizzle)
    loads(("swizzle " + std::to_string(swizzle)).c_str(), {{0, -1, -1, 0}, {1, 1}}, [&](Request& r) {
      r.extents({32, 7, 5, 3});
      r.swizzle = static_cast<CUtensorMapSwizzle>(swizzle), r.channels = 4u << swizzle;
    });
  loads("NaN outside", {{0, -1, -1, 0}, {0, 0}}, [](Request& r) {
    r.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32, r.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
  });
}

int main() {
  alone(maps);
  alone(take);
  const auto same = [](Request&) {};
  const auto whole = [](Request& r) { r.lower[0] = r.lower[1] = r.upper[0] = r.upper[1] = 0; };
  alone([&] { loads("from an image that is not there", {{0, 0, 0, 3}, {0, 0}}, same); });
  alone([&] { loads("image -1", {{0, 2, 2, -1}, {0, 0}}, same); });
  alone([&] { loads("offsets 255, 255", {{0, -1, -1, 0}, {255, 255}}, same); });
  alone([&] { loads("w beyond the corner", {{0, 6, 0, 0}, {0, 0}}, same); });
  alone([&] { loads("w far beyond the corner", {{0, 9, 1, 0}, {0, 0}}, same); });
  alone([&] { loads("w before the corner", {{0, -3, 0, 0}, {0, 0}}, same); });
  alone([&] { loads("h beyond the corner", {{0, 0, 4, 0}, {0, 0}}, same); });
  alone([&] { loads("h far beyond the corner", {{0, 0, 8, 0}, {0, 0}}, same); });
  alone([&] { loads("h before the corner", {{0, 0, -3, 0}, {0, 0}}, same); });
  alone([&] { loads("channels before the first", {{-4, 0, 0, 0}, {0, 0}}, [](Request& r) { r.channels = 8; }); });
  alone([&] { loads("steps of images 2", {{0, -1, -1, 0}, {0, 0}}, [](Request& r) { r.steps[3] = 2, r.pixels = 128; }); });
  alone([&] { loads("steps of channels 2", {{0, -1, -1, 0}, {0, 0}}, [](Request& r) { r.steps[0] = 2; }); });
  alone([&] { stores("stores", false, {{0, 0, 0, 0}, {}}, whole); });
  alone([&] { stores("stores from the middle", false, {{4, 3, 2, 1}, {}}, whole); });
  alone([&] { stores("adds", true, {{4, 3, 2, 1}, {}}, whole); });
  alone([&] { stores("stores over corners", false, {{0, 0, 0, 0}, {}}, same); });
  alone([&] { stores("stores beyond the last image", false, {{0, 3, 3, 2}, {}}, whole); });
}
