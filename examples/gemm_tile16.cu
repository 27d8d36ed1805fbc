// One 16 x 16 tile of halves, the operand of one mma, in three layouts; then what a conflict costs in time.
//
//   nvcc -std=c++17 -lineinfo -arch=sm_90 -I include examples/gemm_tile16.cu -o gemm_tile16
//   ./gemm_tile16                                    on a GPU: cycles are those of the device
//   lanebank run --fail-on never -- ./gemm_tile16    without one: the counts are the same, cycles are not a device's
//
//   rows of 32 bytes          0   1   2   3   4   5   6   7     eight rows of one ldmatrix; the number of 16-byte unit mod 8
//   original                  0   2   4   6   0   2   4   6     rows 0 and 4 meet: two wavefronts where one would do
//   padded by 8 halves        0   3   6   1   4   7   2   5
//   unit ^= row / 4 mod 2     0   2   4   6   1   3   5   7     no padding
//
// The second table: 32 lanes load a word each, `degree` of them from one bank, each load waiting for the one before.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

#include "lanebank/bank_model.hpp"
#include "lanebank/kernels/gemm_instructions.cuh"
#include "lanebank/layout.hpp"
#include "lanebank/proofs.hpp"
#include "lanebank/tile.hpp"

using Original = lanebank::RowMajor<half, 16, 16>;
using PaddedBy8 = lanebank::Padded<half, 16, 16, 8>;
using Swizzled16 = lanebank::Xor<half, 16, 16, 8, 1, 2>;

using Ldmatrix = lanebank::patterns::ldmatrix<4>;
static_assert(lanebank::has_wavefronts<Original, Ldmatrix, 8> && lanebank::ideal_wavefronts<Original, Ldmatrix> == 4);
using Stores = lanebank::patterns::vector_column<8, lanebank::patterns::store>;
static_assert(lanebank::conflict_free<PaddedBy8, Ldmatrix, Stores>);
static_assert(lanebank::conflict_free<Swizzled16, Ldmatrix, Stores>);

constexpr int repeats = 64;

/// One warp: c = a * b^T for 16 x 16 matrices, and the cycles of an ldmatrix that waits for the one before.
template <class Layout>
__global__ void product(const half* a, const half* b, float* c, long long* cycles) {
  __shared__ lanebank::SharedTile<Layout> tile_a, tile_b;
  const unsigned lane = threadIdx.x;
  // Down the rows first, 16 bytes each: the places of an ldmatrix, so that what is clean for one is clean for the other.
  const lanebank::Coordinate place = lanebank::matrix_row<4>(lane, 8);
  const unsigned unit = place.row * 2 + place.column / 8;
  tile_a.template vector<uint4>(place.row, place.column) = reinterpret_cast<const uint4*>(a)[unit];
  tile_b.template vector<uint4>(place.row, place.column) = reinterpret_cast<const uint4*>(b)[unit];
  __syncwarp();
  std::uint32_t address = tile_a.template matrix_address<4>(0, 0, lane), from_a[4], from_b[4];
  const long long began = clock64();
  for (int i = 0; i < repeats; ++i) {
    lanebank::kernels::ldmatrix_x4(from_a, address);
    // 0 for numbers as small as these, and the compiler cannot know.
    address += from_a[0] >> 31 & from_a[3] >> 15 & 1 & from_a[1] >> 14;
  }
  const long long ended = clock64();
  constexpr auto order = lanebank::MatrixOrder::right_then_down;
  lanebank::kernels::ldmatrix_x4(from_b, tile_b.template matrix_address<4, order>(0, 0, lane));
  for (unsigned j = 0; j < 2; ++j) {
    float sums[4] = {};
    lanebank::kernels::mma_m16n8k16<half>(sums, from_a, from_b[2 * j], from_b[2 * j + 1]);
    for (unsigned pair = 0; pair < 2; ++pair) {
      const lanebank::Coordinate at = lanebank::accumulator_pair(lane, pair);
      c[at.row * 16 + j * 8 + at.column] = sums[pair * 2];
      c[at.row * 16 + j * 8 + at.column + 1] = sums[pair * 2 + 1];
    }
  }
  if (lane == 0) *cycles = (ended - began) / repeats;
}

/// One warp: `degree` lanes share a bank. Every word holds its own number, so the next load waits for this one.
__global__ void chase(unsigned degree, long long* cycles, unsigned* last) {
  __shared__ unsigned words[32 * 32];
  for (unsigned i = threadIdx.x; i < 32 * 32; i += 32) words[i] = i;
  __syncwarp();
  unsigned word = threadIdx.x % degree * 32 + threadIdx.x / degree;
  const long long began = clock64();
  for (int i = 0; i < repeats; ++i) word = *static_cast<volatile unsigned*>(&words[word]);
  const long long ended = clock64();
  last[threadIdx.x] = word;
  if (threadIdx.x == 0) *cycles = (ended - began) / repeats;
}

template <class T>
T* on_device(const std::vector<T>& host) {
  T* device = nullptr;
  cudaMalloc(&device, host.size() * sizeof(T));
  cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
  return device;
}

template <class Layout>
bool show(const char* name) {
  std::vector<half> a(256), b(256);
  std::vector<float> c(256);
  long long cycles = 0;
  for (int i = 0; i < 256; ++i) a[i] = __int2half_rn(i % 5), b[i] = __int2half_rn(i % 7);
  half *to_a = on_device(a), *to_b = on_device(b);
  float* to_c = on_device(c);
  long long* to_cycles = on_device(std::vector<long long>(1));
  for (int run = 0; run < 2; ++run) product<Layout><<<1, 32>>>(to_a, to_b, to_c, to_cycles);  // the first fills caches
  cudaMemcpy(&cycles, to_cycles, sizeof cycles, cudaMemcpyDeviceToHost);
  bool right = cudaMemcpy(c.data(), to_c, 256 * sizeof(float), cudaMemcpyDeviceToHost) == cudaSuccess;
  for (int i = 0; i < 256; ++i) {
    float sum = 0;
    for (int k = 0; k < 16; ++k) sum += __half2float(a[i / 16 * 16 + k]) * __half2float(b[i % 16 * 16 + k]);
    right = right && c[i] == sum;
  }
  const unsigned wavefronts = lanebank::wavefronts<Layout, Ldmatrix>;
  const unsigned ideal = lanebank::ideal_wavefronts<Layout, Ldmatrix>;
  std::printf("%-20s %6u %12u %6u %8u %8lld   %s\n", name, static_cast<unsigned>(Layout::bytes), wavefronts, ideal,
              wavefronts - ideal, cycles, right ? "right" : "WRONG");
  cudaFree(to_a), cudaFree(to_b), cudaFree(to_c), cudaFree(to_cycles);
  return right;
}

bool show_degrees() {
  long long* to_cycles = on_device(std::vector<long long>(1));
  unsigned* to_last = on_device(std::vector<unsigned>(32));
  bool right = true;
  std::printf("\ndegree  wavefronts  cycles of a load\n");
  for (unsigned degree = 1; degree <= 32; ++degree) {
    lanebank::Access access;
    for (unsigned lane = 0; lane < 32; ++lane) access.addresses[lane] = (lane % degree * 32 + lane / degree) * 4;
    long long cycles = 0;
    unsigned last[32] = {};
    for (int run = 0; run < 2; ++run) chase<<<1, 32>>>(degree, to_cycles, to_last);
    cudaMemcpy(&cycles, to_cycles, sizeof cycles, cudaMemcpyDeviceToHost);
    right = cudaMemcpy(last, to_last, sizeof last, cudaMemcpyDeviceToHost) == cudaSuccess && right;
    for (unsigned lane = 0; lane < 32; ++lane) right = right && last[lane] * 4 == access.addresses[lane];
    const unsigned wavefronts = lanebank::cost(access).wavefronts;
    right = right && wavefronts == degree;
    std::printf("%6u %11u %17lld\n", degree, wavefronts, cycles);
  }
  cudaFree(to_cycles), cudaFree(to_last);
  return right;
}

int main() {
  std::printf("%-20s %6s %12s %6s %8s %8s\n", "ldmatrix.x4", "bytes", "wavefronts", "ideal", "excess", "cycles");
  bool right = show<Original>("original");
  right = show<PaddedBy8>("padded by 8 halves") && right;
  right = show<Swizzled16>("swizzled") && right;
  right = show_degrees() && right;
  std::printf("%s\n", right ? "all right" : "WRONG");
  return right ? 0 : 1;
}
