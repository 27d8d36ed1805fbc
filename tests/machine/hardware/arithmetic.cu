// Results of the GPU's arithmetic, instruction by instruction, written to a file: run it on a GPU and under
// `lanebank run`, and compare the two files with compare_arithmetic.py. Operands are edge values of each format
// combined with each other, then random bits; both runs use the same.
//
//   nvcc -std=c++17 -arch=sm_90a -o arithmetic arithmetic.cu && ./arithmetic gpu.bin
//
// The file is a sequence of records: name (32 bytes, zero padded), count (32-bit), count words of 32 bits.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

#define CHECK(call)                                                                                    \
  do {                                                                                                 \
    const cudaError_t error = (call);                                                                  \
    if (error != cudaSuccess) return std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error)), 1; \
  } while (0)

// ------------------------------------------------------------------------------- operands

struct Random {
  u64 state;
  u64 operator()() {
    u64 z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
};

static std::vector<u64> with_signs(std::vector<u64> v, u64 sign) {
  const std::size_t n = v.size();
  for (std::size_t i = 0; i < n; ++i) v.push_back(v[i] | sign);
  return v;
}
static const std::vector<u64> edges32 = with_signs(
    {0, 1, 0x007fffff, 0x00800000, 0x00800001, 0x00ffffff, 0x01000000, 0x34000000, 0x33ffffff, 0x3effffff, 0x3f000000, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x3fffffff,
     0x40000000, 0x40490fdb, 0x4b000001, 0x4b7fffff, 0x4effffff, 0x4f000000, 0x4f800000, 0x5f000000, 0x5f800000, 0x7e7fffff, 0x7e800000, 0x7f000000, 0x7f7fffff, 0x7f800000, 0x7f800001,
     0x7fa12345, 0x7fc00000, 0x7fe54321, 0x1f800000, 0x20000000, 0x5e800000, 0x00000fff},
    0x80000000u);
static const std::vector<u64> edges64 = with_signs(
    {0, 1, 0x000fffffffffffffu, 0x0010000000000000u, 0x3ca0000000000000u, 0x3fdfffffffffffffu, 0x3fe0000000000000u, 0x3ff0000000000000u, 0x3ff0000000000001u, 0x4000000000000000u,
     0x41dfffffffc00000u, 0x41e0000000000000u, 0x41efffffffe00000u, 0x41f0000000000000u, 0x43dfffffffffffffu, 0x43e0000000000000u, 0x43f0000000000000u, 0x7fefffffffffffffu, 0x7ff0000000000000u,
     0x7ff0000000000001u, 0x7ff4567812345678u, 0x7ff8000000000000u, 0x7ffedcba98765432u, 0x36a0000000000000u, 0x380fffffffffffffu, 0x3810000000000000u, 0x47efffffe0000000u, 0x47effffff0000000u},
    0x8000000000000000u);
static const std::vector<u64> edges16 = with_signs({0, 1, 0x3ff, 0x400, 0x401, 0x3bff, 0x3c00, 0x3c01, 0x4000, 0x7bff, 0x7c00, 0x7c01, 0x7e00, 0x7fff, 0x3800, 0x3555, 0x7f, 0x80, 0x3f80, 0x3f81,
                                                    0x7f80, 0x7f7f, 0x7f81, 0x7fc0, 0x0c00, 0x1400, 0x6400},
                                                   0x8000u);

constexpr unsigned count = 16384;

/// Three lists of operands: all pairs of edges, then random words.
static void operands(const std::vector<u64>& edges, unsigned bits, u64 seed, std::vector<u64>& a, std::vector<u64>& b, std::vector<u64>& c) {
  Random random{seed};
  const u64 mask = bits == 64 ? ~u64{0} : (u64{1} << bits) - 1;
  a.resize(count), b.resize(count), c.resize(count);
  for (unsigned i = 0; i < count; ++i) {
    const std::size_t n = edges.size();
    a[i] = i < n * n ? edges[i / n] : random() & mask;
    b[i] = i < n * n ? edges[i % n] : random() & mask;
    c[i] = i % 3 == 0 ? random() & mask : edges[random() % n];
    if (i >= n * n && i % 4 == 0) {  // numbers of like size
      const u64 low = (u64{1} << (bits == 64 ? 54 : bits == 32 ? 26 : 12)) - 1;
      const u64 base = bits == 64 ? 0x3fc0000000000000u : bits == 32 ? 0x3e000000u : 0x3000u;
      a[i] = base + (random() & low), b[i] = base + (random() & low), c[i] = (base + (random() & low)) ^ (random() & 1) << (bits - 1);
    }
  }
}

// ------------------------------------------------------------------------------- the file

static std::FILE* out;
static void record(const char* name, const void* words, u32 number) {
  char padded[32] = {};
  std::strncpy(padded, name, sizeof padded - 1);
  std::fwrite(padded, 1, sizeof padded, out);
  std::fwrite(&number, 4, 1, out);
  std::fwrite(words, 4, number, out);
}

// ------------------------------------------------------------------------------- lane operations

template <class F, class In, class Out>
__global__ void apply(const In* a, const In* b, const In* c, Out* d) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  d[i] = F::f(a[i], b[i], c[i]);
}

template <class In>
struct Lists {
  In *a, *b, *c;
  u64* d;
  Lists(const std::vector<u64>& edges, unsigned bits, u64 seed) {
    std::vector<u64> x, y, z;
    operands(edges, bits, seed, x, y, z);
    for (auto [list, pointer] : {std::pair{&x, &a}, {&y, &b}, {&z, &c}}) {
      std::vector<In> narrow(list->begin(), list->end());
      cudaMalloc(pointer, count * sizeof(In));
      cudaMemcpy(*pointer, narrow.data(), count * sizeof(In), cudaMemcpyHostToDevice);
    }
    cudaMalloc(&d, count * 8);
  }
};

template <class F, class In, class Out>
int run(const char* name, const Lists<In>& lists) {
  apply<F, In, Out><<<count / 128, 128>>>(lists.a, lists.b, lists.c, reinterpret_cast<Out*>(lists.d));
  CHECK(cudaDeviceSynchronize());
  std::vector<u32> words(count * sizeof(Out) / 4);
  CHECK(cudaMemcpy(words.data(), lists.d, count * sizeof(Out), cudaMemcpyDeviceToHost));
  record(name, words.data(), static_cast<u32>(words.size()));
  return 0;
}

#define OP1(name, In, Out, ptx, ci, co)                                                       \
  struct name {                                                                               \
    static __device__ Out f(In a, In, In) {                                                   \
      Out d;                                                                                  \
      asm(ptx " %0, %1;" : "=" co(d) : ci(a));                                                \
      return d;                                                                               \
    }                                                                                         \
  };
#define OP2(name, In, Out, ptx, ci, co)                                                       \
  struct name {                                                                               \
    static __device__ Out f(In a, In b, In) {                                                 \
      Out d;                                                                                  \
      asm(ptx " %0, %1, %2;" : "=" co(d) : ci(a), ci(b));                                     \
      return d;                                                                               \
    }                                                                                         \
  };
#define OP3(name, In, Out, ptx, ci, co)                                                       \
  struct name {                                                                               \
    static __device__ Out f(In a, In b, In c) {                                               \
      Out d;                                                                                  \
      asm(ptx " %0, %1, %2, %3;" : "=" co(d) : ci(a), ci(b), ci(c));                          \
      return d;                                                                               \
    }                                                                                         \
  };
// X(arity, name, operand words, result words, PTX). Registers of type .b32/.b64 hold floats as well.
#define SINGLE_OPERATIONS(X)                                                                                                                        \
  X(2, add_rn, "add.rn.f32") X(2, add_rz, "add.rz.f32") X(2, add_rm, "add.rm.f32") X(2, add_rp, "add.rp.f32") X(2, add_ftz, "add.rn.ftz.f32")       \
  X(2, add_sat, "add.rn.sat.f32") X(2, add_ftz_sat, "add.rn.ftz.sat.f32") X(2, mul_rn, "mul.rn.f32") X(2, mul_rz, "mul.rz.f32")                      \
  X(2, mul_rm, "mul.rm.f32") X(2, mul_rp, "mul.rp.f32") X(2, mul_ftz, "mul.rn.ftz.f32") X(2, mul_ftz_rz, "mul.rz.ftz.f32") X(2, mul_ftz_rp, "mul.rp.ftz.f32") \
  X(2, mul_sat, "mul.rn.sat.f32") X(3, fma_rn, "fma.rn.f32") X(3, fma_rz, "fma.rz.f32") X(3, fma_rm, "fma.rm.f32") X(3, fma_rp, "fma.rp.f32")       \
  X(3, fma_ftz, "fma.rn.ftz.f32") X(3, fma_ftz_rz, "fma.rz.ftz.f32") X(3, fma_sat, "fma.rn.sat.f32") X(2, min, "min.f32") X(2, max, "max.f32")      \
  X(2, min_ftz, "min.ftz.f32") X(2, max_nan, "max.NaN.f32") X(2, min_xorsign, "min.xorsign.abs.f32") X(2, max_nan_xorsign, "max.NaN.xorsign.abs.f32") \
  X(2, set_lt, "set.lt.f32.f32") X(2, set_geu, "set.geu.f32.f32") X(2, set_num_ftz, "set.num.ftz.f32.f32") X(2, div_rn, "div.rn.f32") X(2, div_full, "div.full.f32") \
  X(1, rcp_rn, "rcp.rn.f32") X(1, sqrt_rn, "sqrt.rn.f32") X(1, sqrt_rz, "sqrt.rz.f32") X(1, rni, "cvt.rni.f32.f32") X(1, rmi, "cvt.rmi.f32.f32") X(1, rpi_ftz, "cvt.rpi.ftz.f32.f32") \
  X(1, rzi, "cvt.rzi.f32.f32") X(1, abs_ftz, "abs.ftz.f32") X(1, neg_ftz, "neg.ftz.f32")
#define UNIT_FUNCTIONS(X)                                                                                                                           \
  X(1, mufu_rcp, "rcp.approx.ftz.f32") X(1, mufu_rsq, "rsqrt.approx.ftz.f32") X(1, mufu_sqrt, "sqrt.approx.ftz.f32") X(1, mufu_ex2, "ex2.approx.ftz.f32") \
  X(1, mufu_lg2, "lg2.approx.ftz.f32") X(1, mufu_sin, "sin.approx.ftz.f32") X(1, mufu_cos, "cos.approx.ftz.f32") X(1, mufu_tanh, "tanh.approx.f32")
#define SINGLE_TO_INTEGER(X)                                                                                                                        \
  X(1, s32_rni, "cvt.rni.s32.f32") X(1, s32_rzi, "cvt.rzi.s32.f32") X(1, s32_rmi, "cvt.rmi.s32.f32") X(1, u32_rni, "cvt.rni.u32.f32") X(1, u32_rzi_ftz, "cvt.rzi.ftz.u32.f32") \
  X(1, u32_rpi, "cvt.rpi.u32.f32") X(1, s8_sat, "cvt.rzi.sat.s8.f32") X(1, u8_sat, "cvt.rni.sat.u8.f32") X(1, s16_sat, "cvt.rzi.sat.s16.f32") X(1, u16_sat, "cvt.rzi.sat.u16.f32") \
  X(1, f32_s32_rn, "cvt.rn.f32.s32") X(1, f32_s32_rz, "cvt.rz.f32.s32") X(1, f32_s32_rp, "cvt.rp.f32.s32") X(1, f32_u32_rn, "cvt.rn.f32.u32") X(1, f32_u32_rm, "cvt.rm.f32.u32") X(1, clamp_u8, "cvt.sat.u8.s32") \
  X(1, clamp_s16, "cvt.sat.s16.s32")
#define SINGLE_TO_LONG(X)                                                                                                                           \
  X(1, s64_rzi, "cvt.rzi.s64.f32") X(1, u64_rni, "cvt.rni.u64.f32") X(1, f64_f32, "cvt.f64.f32") X(1, f64_f32_ftz, "cvt.ftz.f64.f32") X(1, f64_s32, "cvt.rn.f64.s32") X(1, f64_u32, "cvt.rn.f64.u32")
#define DOUBLE_OPERATIONS(X)                                                                                                                        \
  X(2, dadd_rn, "add.rn.f64") X(2, dadd_rz, "add.rz.f64") X(2, dadd_rm, "add.rm.f64") X(2, dadd_rp, "add.rp.f64") X(2, dmul_rn, "mul.rn.f64") X(2, dmul_rz, "mul.rz.f64") \
  X(2, dmul_rm, "mul.rm.f64") X(3, dfma_rn, "fma.rn.f64") X(3, dfma_rz, "fma.rz.f64") X(3, dfma_rm, "fma.rm.f64") X(3, dfma_rp, "fma.rp.f64") X(2, dmin, "min.f64") X(2, dmax, "max.f64") \
  X(2, ddiv, "div.rn.f64") X(1, dsqrt, "sqrt.rn.f64") X(1, drni, "cvt.rni.f64.f64") X(1, drmi, "cvt.rmi.f64.f64") X(1, rcp64h, "rcp.approx.ftz.f64") X(1, rsq64h, "rsqrt.approx.ftz.f64") \
  X(1, ds64_rzi, "cvt.rzi.s64.f64") X(1, du64_rni, "cvt.rni.u64.f64") X(1, f64_s64, "cvt.rn.f64.s64") X(1, f64_u64_rz, "cvt.rz.f64.u64")
#define DOUBLE_TO_WORD(X)                                                                                                                           \
  X(1, f32_f64_rn, "cvt.rn.f32.f64") X(1, f32_f64_rz, "cvt.rz.f32.f64") X(1, f32_f64_rp, "cvt.rp.f32.f64") X(1, f32_f64_ftz, "cvt.rn.ftz.f32.f64") X(1, ds32_rzi, "cvt.rzi.s32.f64") X(1, du32_rni, "cvt.rni.u32.f64") \
  X(1, f32_s64_rn, "cvt.rn.f32.s64") X(1, f32_u64_rn, "cvt.rn.f32.u64") X(1, f32_u64_rp, "cvt.rp.f32.u64")
#define DOUBLE_COMPARISONS(X) X(2, dset_lt, "set.lt.u32.f64") X(2, dset_geu, "set.geu.u32.f64") X(2, dset_num, "set.num.u32.f64") X(2, dset_nan, "set.nan.u32.f64")
#define PAIR_OPERATIONS(X)                                                                                                                          \
  X(2, hadd2, "add.rn.f16x2") X(2, hadd2_ftz, "add.rn.ftz.f16x2") X(2, hadd2_sat, "add.rn.sat.f16x2") X(2, hmul2, "mul.rn.f16x2") X(3, hfma2, "fma.rn.f16x2") X(3, hfma2_ftz, "fma.rn.ftz.f16x2") \
  X(3, hfma2_sat, "fma.rn.sat.f16x2") X(3, hfma2_relu, "fma.rn.relu.f16x2") X(3, bfma2, "fma.rn.bf16x2") X(3, bfma2_relu, "fma.rn.relu.bf16x2") X(2, badd2, "add.rn.bf16x2") X(2, bmul2, "mul.rn.bf16x2")         \
  X(2, hmin2, "min.f16x2") X(2, hmax2, "max.f16x2") X(2, hmin2_ftz, "min.ftz.f16x2") X(2, hmax2_nan, "max.NaN.f16x2") X(2, hmin2_xorsign, "min.xorsign.abs.f16x2") X(2, bmin2, "min.bf16x2")                  \
  X(2, bmax2_nan, "max.NaN.bf16x2") X(2, hset2_lt, "set.lt.f16x2.f16x2") X(2, hset2_geu, "set.geu.u32.f16x2") X(1, hex2, "ex2.approx.f16x2") X(1, htanh, "tanh.approx.f16x2") X(1, btanh, "tanh.approx.bf16x2") X(1, bex2, "ex2.approx.ftz.bf16x2")
#define PACK_OPERATIONS(X)                                                                                                                          \
  X(2, pack_f16, "cvt.rn.f16x2.f32") X(2, pack_f16_rz, "cvt.rz.f16x2.f32") X(2, pack_f16_relu, "cvt.rn.relu.f16x2.f32") X(2, pack_bf16, "cvt.rn.bf16x2.f32") X(2, pack_bf16_rz, "cvt.rz.bf16x2.f32") \
  X(2, pack_bf16_relu, "cvt.rn.relu.bf16x2.f32") X(1, tf32, "cvt.rna.tf32.f32")

#define HALF_TO_WORD(X)                                                                                                                             \
  X(1, f32_f16, "cvt.f32.f16") X(1, s32_f16_rni, "cvt.rni.s32.f16") X(1, u32_f16_rzi, "cvt.rzi.u32.f16") X(1, f32_bf16, "cvt.f32.bf16")
#define WORD_TO_HALF(X)                                                                                                                             \
  X(1, f16_f32, "cvt.rn.f16.f32") X(1, f16_f32_rz, "cvt.rz.f16.f32") X(1, bf16_f32, "cvt.rn.bf16.f32") X(1, f16_s32, "cvt.rn.f16.s32") X(1, f16_u32_rz, "cvt.rz.f16.u32")                               \
  X(1, e4m3_f16, "cvt.rn.satfinite.e4m3x2.f16x2") X(1, e5m2_f16, "cvt.rn.satfinite.e5m2x2.f16x2") X(2, e4m3_f32, "cvt.rn.satfinite.e4m3x2.f32") X(2, e5m2_f32, "cvt.rn.satfinite.e5m2x2.f32")
#define EIGHT_BITS(X) X(1, f16_e4m3, "cvt.rn.f16x2.e4m3x2") X(1, f16_e5m2, "cvt.rn.f16x2.e5m2x2")
#define HALF_ROUNDING(X) X(1, hrni, "cvt.rni.f16.f16") X(1, hrmi, "cvt.rmi.f16.f16")

#define DEFINE_SINGLE(arity, name, ptx) OP##arity(name, u32, u32, ptx, "r", "r")
#define DEFINE_TO_LONG(arity, name, ptx) OP##arity(name, u32, u64, ptx, "r", "l")
#define DEFINE_DOUBLE(arity, name, ptx) OP##arity(name, u64, u64, ptx, "l", "l")
#define DEFINE_TO_WORD(arity, name, ptx) OP##arity(name, u64, u32, ptx, "l", "r")
#define DEFINE_HALF_TO_WORD(arity, name, ptx) OP##arity(name, u16, u32, ptx, "h", "r")
namespace operations {
SINGLE_OPERATIONS(DEFINE_SINGLE)
UNIT_FUNCTIONS(DEFINE_SINGLE)
SINGLE_TO_INTEGER(DEFINE_SINGLE)
PAIR_OPERATIONS(DEFINE_SINGLE)
PACK_OPERATIONS(DEFINE_SINGLE)
SINGLE_TO_LONG(DEFINE_TO_LONG)
DOUBLE_OPERATIONS(DEFINE_DOUBLE)
DOUBLE_TO_WORD(DEFINE_TO_WORD)
DOUBLE_COMPARISONS(DEFINE_TO_WORD)
HALF_TO_WORD(DEFINE_HALF_TO_WORD)
EIGHT_BITS(DEFINE_HALF_TO_WORD)
// Results of 16 bits, widened with zeros.
#define NARROW1(name, In, ptx, ci)                          \
  struct name {                                             \
    static __device__ u32 f(In a, In, In) {                 \
      u16 d;                                                \
      asm(ptx " %0, %1;" : "=h"(d) : ci(a));                \
      return d;                                             \
    }                                                       \
  };
#define NARROW2(name, In, ptx, ci)                          \
  struct name {                                             \
    static __device__ u32 f(In a, In b, In) {               \
      u16 d;                                                \
      asm(ptx " %0, %1, %2;" : "=h"(d) : ci(a), ci(b));     \
      return d;                                             \
    }                                                       \
  };
#define DEFINE_WORD_TO_HALF(arity, name, ptx) NARROW##arity(name, u32, ptx, "r")
#define DEFINE_HALF(arity, name, ptx) NARROW##arity(name, u16, ptx, "h")
WORD_TO_HALF(DEFINE_WORD_TO_HALF)
HALF_ROUNDING(DEFINE_HALF)
}  // namespace operations

static int lane_operations() {
  const Lists<u32> singles(edges32, 32, 1);
  const Lists<u64> doubles(edges64, 64, 2);
  std::vector<u64> pairs;
  for (const u64 x : edges16)
    for (std::size_t i = 0; i < edges16.size(); i += 7) pairs.push_back(x << 16 | edges16[(i + x) % edges16.size()]);
  const Lists<u32> halves2(pairs, 32, 3);
  const Lists<u16> halves(edges16, 16, 4);
#define RUN(arity, name, ptx, In, Out, lists) \
  if (run<operations::name, In, Out>(#name, lists)) return 1;
#define RUN_SINGLE(arity, name, ptx) RUN(arity, name, ptx, u32, u32, singles)
#define RUN_TO_LONG(arity, name, ptx) RUN(arity, name, ptx, u32, u64, singles)
#define RUN_PAIR(arity, name, ptx) RUN(arity, name, ptx, u32, u32, halves2)
#define RUN_DOUBLE(arity, name, ptx) RUN(arity, name, ptx, u64, u64, doubles)
#define RUN_TO_WORD(arity, name, ptx) RUN(arity, name, ptx, u64, u32, doubles)
#define RUN_HALF(arity, name, ptx) RUN(arity, name, ptx, u16, u32, halves)
  SINGLE_OPERATIONS(RUN_SINGLE)
  UNIT_FUNCTIONS(RUN_SINGLE)
  SINGLE_TO_INTEGER(RUN_SINGLE)
  PACK_OPERATIONS(RUN_SINGLE)
  SINGLE_TO_LONG(RUN_TO_LONG)
  PAIR_OPERATIONS(RUN_PAIR)
  DOUBLE_OPERATIONS(RUN_DOUBLE)
  DOUBLE_TO_WORD(RUN_TO_WORD)
  DOUBLE_COMPARISONS(RUN_TO_WORD)
  HALF_TO_WORD(RUN_HALF)
  EIGHT_BITS(RUN_HALF)
  HALF_ROUNDING(RUN_HALF)
  WORD_TO_HALF(RUN_SINGLE)
  return 0;
}

// ------------------------------------------------------------------------------- warp-wide products

constexpr unsigned products = 96;  ///< warps, each with operands of its own

/// a, b, c: 8 registers of 32 lanes for each warp; d: the same.
template <class F>
__global__ void multiply(const u32* a, const u32* b, const u32* c, u32* d) {
  u32 ra[8], rb[8], rc[8], rd[8] = {};
  for (unsigned i = 0; i < 8; ++i) {
    const unsigned at = (blockIdx.x * 8 + i) * 32 + threadIdx.x;
    ra[i] = a[at], rb[i] = b[at], rc[i] = c[at];
  }
  F::f(ra, rb, rc, rd);
  for (unsigned i = 0; i < 8; ++i) d[(blockIdx.x * 8 + i) * 32 + threadIdx.x] = rd[i];
}

#define F(x) __uint_as_float(x)
#define SINGLE_SUMS(d) "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
#define PRODUCT_42(name, ptx)                                                                                                        \
  struct name {                                                                                                                      \
    static __device__ void f(const u32* a, const u32* b, const u32* c, u32* d) {                                                     \
      float x[4];                                                                                                                    \
      asm(ptx " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"                                                           \
          : SINGLE_SUMS(x)                                                                                                           \
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(F(c[0])), "f"(F(c[1])), "f"(F(c[2])), "f"(F(c[3]))); \
      for (unsigned i = 0; i < 4; ++i) d[i] = __float_as_uint(x[i]);                                                                 \
    }                                                                                                                                \
  };
#define PRODUCT_21(name, ptx)                                                                                                        \
  struct name {                                                                                                                      \
    static __device__ void f(const u32* a, const u32* b, const u32* c, u32* d) {                                                     \
      float x[4];                                                                                                                    \
      asm(ptx " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};"                                                                       \
          : SINGLE_SUMS(x)                                                                                                           \
          : "r"(a[0]), "r"(a[1]), "r"(b[0]), "f"(F(c[0])), "f"(F(c[1])), "f"(F(c[2])), "f"(F(c[3])));                                 \
      for (unsigned i = 0; i < 4; ++i) d[i] = __float_as_uint(x[i]);                                                                 \
    }                                                                                                                                \
  };
PRODUCT_21(mma_f16_8, "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32")
PRODUCT_42(mma_f16_16, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32")
PRODUCT_21(mma_bf16_8, "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32")
PRODUCT_42(mma_bf16_16, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32")
PRODUCT_21(mma_tf32_4, "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32")
PRODUCT_42(mma_tf32_8, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32")
struct mma_half_16 {
  static __device__ void f(const u32* a, const u32* b, const u32* c, u32* d) {
    asm("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%8,%9};"
        : "=r"(d[0]), "=r"(d[1])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1]));
  }
};
struct mma_half_8 {
  static __device__ void f(const u32* a, const u32* b, const u32* c, u32* d) {
    asm("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3}, {%4}, {%5,%6};"
        : "=r"(d[0]), "=r"(d[1])
        : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(c[0]), "r"(c[1]));
  }
};
struct mma_s8_32 {
  static __device__ void f(const u32* a, const u32* b, const u32* c, u32* d) {
    asm("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
        : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]));
  }
};
struct mma_b1_256 {
  static __device__ void f(const u32* a, const u32* b, const u32* c, u32* d) {
    asm("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
        : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]));
  }
};
__device__ double number(const u32* r, unsigned i) { return __hiloint2double((r[2 * i + 1] & 0x800fffff) | 0x3f000000 | (r[2 * i + 1] & 0x00f00000), r[2 * i]); }
__device__ void put(u32* d, unsigned i, double x) { d[2 * i] = __double2loint(x), d[2 * i + 1] = __double2hiint(x); }
struct mma_f64_4 {
  static __device__ void f(const u32* a, const u32* b, const u32* c, u32* d) {
    double x, y;
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%4,%5};" : "=d"(x), "=d"(y) : "d"(number(a, 0)), "d"(number(b, 0)), "d"(number(c, 0)), "d"(number(c, 1)));
    put(d, 0, x), put(d, 1, y);
  }
};
struct mma_f64_8 {
  static __device__ void f(const u32* a, const u32* b, const u32* c, u32* d) {
    double x[4];
    asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
        : "=d"(x[0]), "=d"(x[1]), "=d"(x[2]), "=d"(x[3])
        : "d"(number(a, 0)), "d"(number(a, 1)), "d"(number(a, 2)), "d"(number(a, 3)), "d"(number(b, 0)), "d"(number(b, 1)), "d"(number(c, 0)), "d"(number(c, 1)), "d"(number(c, 2)), "d"(number(c, 3)));
    for (unsigned i = 0; i < 4; ++i) put(d, i, x[i]);
  }
};
struct transpose {
  static __device__ void f(const u32* a, const u32*, const u32*, u32* d) { asm("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(d[0]) : "r"(a[0])); }
};

/// What the operands look like. Three sorts by warp: like sizes; very different sizes; any bits.
enum class Kind { half, brain, tensor, word };
static u32 operand(Random& random, Kind kind, unsigned sort) {
  const u64 r = random();
  const u32 bits = static_cast<u32>(r);
  const unsigned spread = sort == 0 ? 4 : 16;
  const auto e = [&](unsigned shift, unsigned middle) { return (middle + static_cast<u32>(r >> shift) % spread - spread / 2); };
  if (sort == 2 || kind == Kind::word) return bits;
  if (kind == Kind::half) return (bits & 0x83ff83ff) | e(32, 15) << 10 | e(40, 15) << 26;
  if (kind == Kind::brain) return (bits & 0x807f807f) | e(32, 127) << 7 | e(40, 127) << 23;
  return (bits & 0x807fffff) | e(32, 127) << 23;
}

template <class F>
int product(const char* name, Kind factors, Kind sums, u64 seed) {
  Random random{seed};
  std::vector<u32> host[3] = {std::vector<u32>(products * 256), std::vector<u32>(products * 256), std::vector<u32>(products * 256)};
  for (unsigned q = 0; q < 3; ++q)
    for (unsigned i = 0; i < products * 256; ++i) host[q][i] = operand(random, q < 2 ? factors : sums, i / 256 % 3);
  u32* device[4];
  for (unsigned q = 0; q < 4; ++q) {
    CHECK(cudaMalloc(&device[q], products * 1024));
    if (q < 3) CHECK(cudaMemcpy(device[q], host[q].data(), products * 1024, cudaMemcpyHostToDevice));
  }
  multiply<F><<<products, 32>>>(device[0], device[1], device[2], device[3]);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host[0].data(), device[3], products * 1024, cudaMemcpyDeviceToHost));
  record(name, host[0].data(), products * 256);
  for (u32* pointer : device) cudaFree(pointer);
  return 0;
}

static int warp_products() {
  return product<mma_f16_8>("mma_f16_8", Kind::half, Kind::tensor, 1) || product<mma_f16_16>("mma_f16_16", Kind::half, Kind::tensor, 2) ||
         product<mma_bf16_8>("mma_bf16_8", Kind::brain, Kind::tensor, 3) || product<mma_bf16_16>("mma_bf16_16", Kind::brain, Kind::tensor, 4) ||
         product<mma_tf32_4>("mma_tf32_4", Kind::tensor, Kind::tensor, 5) || product<mma_tf32_8>("mma_tf32_8", Kind::tensor, Kind::tensor, 6) ||
         product<mma_half_16>("mma_half_16", Kind::half, Kind::half, 7) || product<mma_half_8>("mma_half_8", Kind::half, Kind::half, 8) ||
         product<mma_s8_32>("mma_s8_32", Kind::word, Kind::word, 9) || product<mma_b1_256>("mma_b1_256", Kind::word, Kind::word, 10) ||
         product<mma_f64_4>("mma_f64_4", Kind::word, Kind::word, 11) || product<mma_f64_8>("mma_f64_8", Kind::word, Kind::word, 12) ||
         product<transpose>("movmatrix", Kind::word, Kind::word, 13);
}

// ------------------------------------------------------------------------------- warpgroup products

constexpr unsigned shared_words = 12 * 1024;

/// The whole shared memory is filled from `fill`; the descriptors say what is read. d: 4 registers a thread.
template <class F>
__global__ void group_multiply(const u32* fill, u64 a, u64 b, u32* d) {
  extern __shared__ __align__(1024) u32 shared[];
  for (unsigned i = threadIdx.x; i < shared_words; i += blockDim.x) shared[i] = fill[i];
  __syncthreads();
  asm volatile("fence.proxy.async;" ::: "memory");
  const u64 base = static_cast<u64>(__cvta_generic_to_shared(shared)) >> 4;
  u32 r[4] = {fill[threadIdx.x], fill[threadIdx.x + 128], fill[threadIdx.x + 256], fill[threadIdx.x + 384]};
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  F::f(r, a + base, b + base);
  asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");
  for (unsigned i = 0; i < 4; ++i) d[threadIdx.x * 4 + i] = r[i];
}

#define GROUP(name, ptx, tail)                                                                                       \
  struct name {                                                                                                      \
    static __device__ void f(u32* r, u64 a, u64 b) {                                                                 \
      float x[4] = {F(r[0]), F(r[1]), F(r[2]), F(r[3])};                                                             \
      asm volatile(ptx " {%0,%1,%2,%3}, %4, %5, " tail ";" : "+f"(x[0]), "+f"(x[1]), "+f"(x[2]), "+f"(x[3]) : "l"(a), "l"(b)); \
      for (unsigned i = 0; i < 4; ++i) r[i] = __float_as_uint(x[i]);                                                 \
    }                                                                                                                \
  };
GROUP(group_f16, "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16", "1, 1, 1, 0, 0")
GROUP(group_f16_a, "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16", "0, 1, 1, 1, 0")
GROUP(group_f16_b, "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16", "0, 1, -1, 0, 1")
GROUP(group_f16_ab, "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16", "0, -1, 1, 1, 1")
GROUP(group_bf16, "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16", "1, 1, 1, 0, 0")
GROUP(group_tf32, "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32", "1, 1, 1")
GROUP(group_e4m3, "wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3", "1, 1, 1")
GROUP(group_e5m2, "wgmma.mma_async.sync.aligned.m64n8k32.f32.e5m2.e4m3", "1, 1, 1")
struct group_s8 {
  static __device__ void f(u32* r, u64 a, u64 b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.u8 {%0,%1,%2,%3}, %4, %5, 1;" : "+r"(r[0]), "+r"(r[1]), "+r"(r[2]), "+r"(r[3]) : "l"(a), "l"(b));
  }
};
struct group_half {
  static __device__ void f(u32* r, u64 a, u64 b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%0,%1}, %2, %3, 1, 1, 1, 0, 0;" : "+r"(r[0]), "+r"(r[1]) : "l"(a), "l"(b));
  }
};

template <class F>
int group_product(const char* name, const std::vector<u32>& fill, u64 a, u64 b) {
  u32 *words, *d;
  CHECK(cudaMalloc(&words, shared_words * 4));
  CHECK(cudaMalloc(&d, 2048));
  CHECK(cudaMemcpy(words, fill.data(), shared_words * 4, cudaMemcpyHostToDevice));
  group_multiply<F><<<1, 128, shared_words * 4>>>(words, a, b, d);
  CHECK(cudaDeviceSynchronize());
  std::vector<u32> host(512);
  CHECK(cudaMemcpy(host.data(), d, 2048, cudaMemcpyDeviceToHost));
  record(name, host.data(), 512);
  cudaFree(words), cudaFree(d);
  return 0;
}

/// Offsets from the start of shared memory, in bytes.
static u64 descriptor(u32 start, u32 leading, u32 stride, u64 swizzle) { return start >> 4 | u64{leading >> 4} << 16 | u64{stride >> 4} << 32 | swizzle << 62; }

static int group_products() {
  CHECK(cudaFuncSetAttribute(group_multiply<group_f16>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_words * 4));
  Random random{99};
  // Small integers: every sum is exact, so that only the layout matters.
  std::vector<u32> small(shared_words), numbers[3];
  const auto half_integer = [&] {
    static constexpr u32 halves[8] = {0x0000, 0x3c00, 0x4000, 0x4200, 0x4400, 0xbc00, 0xc000, 0xc200};
    return halves[random() % 8];
  };
  for (u32& word : small) word = half_integer() | half_integer() << 16;
  for (unsigned kind = 0; kind < 3; ++kind) {
    numbers[kind].resize(shared_words);
    for (unsigned i = 0; i < shared_words; ++i) numbers[kind][i] = operand(random, kind == 0 ? Kind::half : kind == 1 ? Kind::brain : Kind::tensor, 1);
  }
  std::vector<u32> eight(shared_words);
  for (u32& word : eight) word = static_cast<u32>(random()) & 0xbfbfbfbf;
  char name[32];
  for (u64 swizzle = 0; swizzle < 4; ++swizzle) {
    const u32 w = swizzle == 0 ? 1 : 16u >> swizzle;
    // K-major: 8 rows of 16 w bytes; MN-major: 64 rows are 8 / w pieces. Odd distances show exchanged offsets.
    const u64 ka = descriptor(0, swizzle ? 16 : 0x1800, 128 * w + (swizzle ? 0 : 128), swizzle), kb = descriptor(0x6000, swizzle ? 16 : 0x80, 128 * w, swizzle);
    const u64 ma = swizzle ? descriptor(0, 128 * w * 2, w == 8 ? 1024 : 128 * w * 2 * (8 / w), swizzle) : descriptor(0, 0x1800, 0x180, 0);
    const u64 mb = swizzle ? descriptor(0x6000, 2048, 2048, swizzle) : descriptor(0x6000, 0x280, 0x180, 0);
    std::snprintf(name, sizeof name, "group_k_k_%u", static_cast<unsigned>(swizzle));
    if (group_product<group_f16>(name, small, ka, kb)) return 1;
    std::snprintf(name, sizeof name, "group_mn_k_%u", static_cast<unsigned>(swizzle));
    if (group_product<group_f16_a>(name, small, ma, kb)) return 1;
    std::snprintf(name, sizeof name, "group_k_mn_%u", static_cast<unsigned>(swizzle));
    if (group_product<group_f16_b>(name, small, ka, mb)) return 1;
    std::snprintf(name, sizeof name, "group_mn_mn_%u", static_cast<unsigned>(swizzle));
    if (group_product<group_f16_ab>(name, small, ma, mb)) return 1;
    // A start inside a swizzle pattern, as loops over k use it.
    std::snprintf(name, sizeof name, "group_k_step_%u", static_cast<unsigned>(swizzle));
    if (w >= 4 && group_product<group_f16>(name, small, ka + 2, kb + 2)) return 1;
    std::snprintf(name, sizeof name, "group_s8_%u", static_cast<unsigned>(swizzle));
    if (group_product<group_s8>(name, eight, ka, kb)) return 1;
  }
  const u64 a = descriptor(0, 16, 1024, 1), b = descriptor(0x6000, 16, 1024, 1);
  return group_product<group_f16>("group_f16", numbers[0], a, b) || group_product<group_bf16>("group_bf16", numbers[1], a, b) || group_product<group_tf32>("group_tf32", numbers[2], a, b) ||
         group_product<group_half>("group_half", numbers[0], a, b) || group_product<group_e4m3>("group_e4m3", eight, a, b) || group_product<group_e5m2>("group_e5m2", eight, a, b);
}

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: arithmetic FILE\n"), 1;
  out = std::fopen(argv[1], "wb");
  if (out == nullptr) return std::perror(argv[1]), 1;
  if (lane_operations() || warp_products() || group_products()) return 1;
  return std::fclose(out);
}
