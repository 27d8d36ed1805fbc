// The five classic transposes (plain, padded, XOR, diagonal, float4), each with its index arithmetic by hand and with the
// library's layouts. index_arithmetic_test.cpp holds the machine code of each pair against each other.
#include <lanebank/layout.hpp>
#include <lanebank/tile.hpp>

namespace {

constexpr int tile32 = 32;

/// mode 0: plain, 1: padded, 2: XOR, 3: diagonal
template <int mode, int size>
__device__ void by_hand(const float* in, float* out, int n) {
  constexpr int pad = mode == 1 ? 1 : 0;
  __shared__ float t[size][size + pad];
  int tx = threadIdx.x, ty = threadIdx.y;
  auto col = [](int r, int c) { return mode == 2 ? (c ^ r) : mode == 3 ? (c + r) % size : c; };
  t[ty][col(ty, tx)] = in[(size_t)(blockIdx.y * size + ty) * n + blockIdx.x * size + tx];
  __syncthreads();
  out[(size_t)(blockIdx.x * size + ty) * n + blockIdx.y * size + tx] = t[tx][col(tx, ty)];
}

template <class Layout>
__device__ void by_library(const float* in, float* out, int n) {
  constexpr int size = Layout::rows;
  __shared__ lanebank::SharedTile<Layout> t;
  int tx = threadIdx.x, ty = threadIdx.y;
  t(ty, tx) = in[(size_t)(blockIdx.y * size + ty) * n + blockIdx.x * size + tx];
  __syncthreads();
  out[(size_t)(blockIdx.x * size + ty) * n + blockIdx.y * size + tx] = t(tx, ty);
}

}  // namespace

#define LANEBANK_PAIR(name, mode, size, ...)                                                             \
  extern "C" __global__ void hand_##name(const float* in, float* out, int n) { by_hand<mode, size>(in, out, n); } \
  extern "C" __global__ void library_##name(const float* in, float* out, int n) { by_library<__VA_ARGS__>(in, out, n); }

LANEBANK_PAIR(plain_32, 0, 32, lanebank::RowMajor<float, 32, 32>)
LANEBANK_PAIR(padded_32, 1, 32, lanebank::Padded<float, 32, 32, 1>)
LANEBANK_PAIR(xor_32, 2, 32, lanebank::Xor<float, 32, 32>)
LANEBANK_PAIR(diagonal_32, 3, 32, lanebank::Diagonal<float, 32, 32>)
LANEBANK_PAIR(plain_16, 0, 16, lanebank::RowMajor<float, 16, 16>)
LANEBANK_PAIR(padded_16, 1, 16, lanebank::Padded<float, 16, 16, 1>)
LANEBANK_PAIR(xor_16, 2, 16, lanebank::Xor<float, 16, 16>)
LANEBANK_PAIR(diagonal_16, 3, 16, lanebank::Diagonal<float, 16, 16>)

// float4 on both sides, block (8, 32), four elements a thread.
extern "C" __global__ void hand_float4(const float* in, float* out, int n) {
  __shared__ float t[tile32][tile32];
  int tx = threadIdx.x, ty = threadIdx.y;
  float4 v = *(const float4*)&in[(size_t)(blockIdx.y * tile32 + ty) * n + blockIdx.x * tile32 + tx * 4];
  t[tx * 4 + 0][ty] = v.x;
  t[tx * 4 + 1][ty] = v.y;
  t[tx * 4 + 2][ty] = v.z;
  t[tx * 4 + 3][ty] = v.w;
  __syncthreads();
  float4 r;
  r.x = t[ty][tx * 4 + 0];
  r.y = t[ty][tx * 4 + 1];
  r.z = t[ty][tx * 4 + 2];
  r.w = t[ty][tx * 4 + 3];
  *(float4*)&out[(size_t)(blockIdx.x * tile32 + ty) * n + blockIdx.y * tile32 + tx * 4] = r;
}

extern "C" __global__ void library_float4(const float* in, float* out, int n) {
  __shared__ lanebank::SharedTile<lanebank::RowMajor<float, tile32, tile32>> t;
  int tx = threadIdx.x, ty = threadIdx.y;
  float4 v = *(const float4*)&in[(size_t)(blockIdx.y * tile32 + ty) * n + blockIdx.x * tile32 + tx * 4];
  t(tx * 4 + 0, ty) = v.x;
  t(tx * 4 + 1, ty) = v.y;
  t(tx * 4 + 2, ty) = v.z;
  t(tx * 4 + 3, ty) = v.w;
  __syncthreads();
  *(float4*)&out[(size_t)(blockIdx.x * tile32 + ty) * n + blockIdx.y * tile32 + tx * 4] = t.vector<float4>(ty, tx * 4);
}

// The address of a row for ldmatrix.x4 in a tile of 64x64 halves, 128-byte swizzle on the flat byte offset.
extern "C" __global__ void hand_ldmatrix(unsigned* out) {
  __shared__ __align__(1024) unsigned char t[64 * 128];
  unsigned lane = threadIdx.x;
  unsigned row = threadIdx.y * 16 + lane % 16, column = threadIdx.z * 16 + lane / 16 * 8;
  unsigned offset = row * 128 + column * 2;
  offset ^= (offset >> 3) & 0x70;
  unsigned address = (unsigned)__cvta_generic_to_shared(t) + offset;
  unsigned a, b, c, d;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(address) : "memory");
  out[lane] = a + b + c + d;
}

extern "C" __global__ void library_ldmatrix(unsigned* out) {
  __shared__ lanebank::SharedTile<lanebank::HardwareTile<short, 64, 64, 128>> t;
  unsigned lane = threadIdx.x;
  unsigned address = t.matrix_address<4>(threadIdx.y * 16, threadIdx.z * 16, lane);
  unsigned a, b, c, d;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(address) : "memory");
  out[lane] = a + b + c + d;
}
