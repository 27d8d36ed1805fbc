// The operations of arithmetic_lists.hpp as device functions.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "arithmetic_lists.hpp"
#include "arithmetic_operands.hpp"

using namespace arithmetic;

// ------------------------------------------------------------------------------- lane operations

#define OP1(name, In, Out, ptx, ci, co)        \
  struct name {                                \
    static __device__ Out f(In a, In, In) {    \
      Out d;                                   \
      asm(ptx " %0, %1;" : "=" co(d) : ci(a)); \
      return d;                                \
    }                                          \
  };
#define OP2(name, In, Out, ptx, ci, co)                   \
  struct name {                                           \
    static __device__ Out f(In a, In b, In) {             \
      Out d;                                              \
      asm(ptx " %0, %1, %2;" : "=" co(d) : ci(a), ci(b)); \
      return d;                                           \
    }                                                     \
  };
#define OP3(name, In, Out, ptx, ci, co)                              \
  struct name {                                                      \
    static __device__ Out f(In a, In b, In c) {                      \
      Out d;                                                         \
      asm(ptx " %0, %1, %2, %3;" : "=" co(d) : ci(a), ci(b), ci(c)); \
      return d;                                                      \
    }                                                                \
  };
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
LATER_PAIRS(DEFINE_SINGLE)
LATER_WORDS(DEFINE_SINGLE)
SINGLE_TO_LONG(DEFINE_TO_LONG)
DOUBLE_OPERATIONS(DEFINE_DOUBLE)
DOUBLE_TO_WORD(DEFINE_TO_WORD)
DOUBLE_COMPARISONS(DEFINE_TO_WORD)
HALF_TO_WORD(DEFINE_HALF_TO_WORD)
EIGHT_BITS(DEFINE_HALF_TO_WORD)
// Results of 16 bits, widened with zeros.
#define NARROW1(name, In, ptx, ci)           \
  struct name {                              \
    static __device__ u32 f(In a, In, In) {  \
      u16 d;                                 \
      asm(ptx " %0, %1;" : "=h"(d) : ci(a)); \
      return d;                              \
    }                                        \
  };
#define NARROW2(name, In, ptx, ci)                      \
  struct name {                                         \
    static __device__ u32 f(In a, In b, In) {           \
      u16 d;                                            \
      asm(ptx " %0, %1, %2;" : "=h"(d) : ci(a), ci(b)); \
      return d;                                         \
    }                                                   \
  };
#define DEFINE_WORD_TO_HALF(arity, name, ptx) NARROW##arity(name, u32, ptx, "r")
#define DEFINE_HALF(arity, name, ptx) NARROW##arity(name, u16, ptx, "h")
WORD_TO_HALF(DEFINE_WORD_TO_HALF)
HALF_ROUNDING(DEFINE_HALF)
}  // namespace operations

// ------------------------------------------------------------------------------- warp-wide products

/// a, b, c: 8 registers of 32 lanes for each warp; d: the same.
template <class F>
__device__ void multiply_body(const u32* a, const u32* b, const u32* c, u32* d) {
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
#define PRODUCT_42(name, ptx)                                                                             \
  struct name {                                                                                           \
    static __device__ void f(const u32* a, const u32* b, const u32* c, u32* d) {                          \
      float x[4];                                                                                         \
      asm(ptx " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"                                \
          : SINGLE_SUMS(x)                                                                                \
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(F(c[0])), "f"(F(c[1])), \
            "f"(F(c[2])), "f"(F(c[3])));                                                                  \
      for (unsigned i = 0; i < 4; ++i) d[i] = __float_as_uint(x[i]);                                      \
    }                                                                                                     \
  };
#define PRODUCT_21(name, ptx)                                                                         \
  struct name {                                                                                       \
    static __device__ void f(const u32* a, const u32* b, const u32* c, u32* d) {                      \
      float x[4];                                                                                     \
      asm(ptx " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};"                                        \
          : SINGLE_SUMS(x)                                                                            \
          : "r"(a[0]), "r"(a[1]), "r"(b[0]), "f"(F(c[0])), "f"(F(c[1])), "f"(F(c[2])), "f"(F(c[3]))); \
      for (unsigned i = 0; i < 4; ++i) d[i] = __float_as_uint(x[i]);                                  \
    }                                                                                                 \
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
    asm("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%10,%11,%12,%13};"
        : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]));
  }
};
struct mma_b1_256 {
  static __device__ void f(const u32* a, const u32* b, const u32* c, u32* d) {
    asm("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%10,%11,%12,%13};"
        : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]));
  }
};
__device__ double number(const u32* r, unsigned i) {
  return __hiloint2double((r[2 * i + 1] & 0x800fffff) | 0x3f000000 | (r[2 * i + 1] & 0x00f00000), r[2 * i]);
}
__device__ void put(u32* d, unsigned i, double x) { d[2 * i] = __double2loint(x), d[2 * i + 1] = __double2hiint(x); }
struct mma_f64_4 {
  static __device__ void f(const u32* a, const u32* b, const u32* c, u32* d) {
    double x, y;
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%4,%5};"
        : "=d"(x), "=d"(y)
        : "d"(number(a, 0)), "d"(number(b, 0)), "d"(number(c, 0)), "d"(number(c, 1)));
    put(d, 0, x), put(d, 1, y);
  }
};
#define DOUBLE_PRODUCT(rounding)                                                                              \
  struct mma_f64_##rounding {                                                                                 \
    static __device__ void f(const u32* a, const u32* b, const u32* c, u32* d) {                              \
      double x, y;                                                                                            \
      asm("mma.sync.aligned.m8n8k4.row.col." #rounding ".f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%4,%5};"       \
          : "=d"(x), "=d"(y)                                                                                  \
          : "d"(number(a, 0)), "d"(number(b, 0)), "d"(number(c, 0)), "d"(number(c, 1)));                      \
      put(d, 0, x), put(d, 1, y);                                                                             \
    }                                                                                                         \
  };
DOUBLE_PRODUCT(rz)
DOUBLE_PRODUCT(rm)
DOUBLE_PRODUCT(rp)
struct mma_f64_8 {
  static __device__ void f(const u32* a, const u32* b, const u32* c, u32* d) {
    double x[4];
    asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
        : "=d"(x[0]), "=d"(x[1]), "=d"(x[2]), "=d"(x[3])
        : "d"(number(a, 0)), "d"(number(a, 1)), "d"(number(a, 2)), "d"(number(a, 3)), "d"(number(b, 0)),
          "d"(number(b, 1)), "d"(number(c, 0)), "d"(number(c, 1)), "d"(number(c, 2)), "d"(number(c, 3)));
    for (unsigned i = 0; i < 4; ++i) put(d, i, x[i]);
  }
};
struct movmatrix {
  static __device__ void f(const u32* a, const u32*, const u32*, u32* d) {
    asm("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(d[0]) : "r"(a[0]));
  }
};

// ------------------------------------------------------------------------------- sparse products

/// Metadata from any bits: four bits for every four elements, the places of two of them, in order (`two_of_four`) or in any
/// (`any_two_of_four`); of 32-bit elements, one of two.
__device__ inline u32 each_four_bits(u32 word, u64 table, unsigned entries) {
  u32 metadata = 0;
  for (unsigned at = 0; at < 32; at += 4) metadata |= static_cast<u32>(table >> (word >> at & 15) % entries * 4 & 15) << at;
  return metadata;
}
__device__ inline u32 two_of_four(u32 word) { return each_four_bits(word, 0xed9c84, 6); }
__device__ inline u32 any_two_of_four(u32 word) { return each_four_bits(word, 0xb763219ced84, 12); }
__device__ inline u32 one_of_two(u32 word) { return each_four_bits(word, 0xe4, 2); }
__device__ inline u32 mixed(u32 x, u32 y) {
  const u32 product = (x ^ y) * 0x9e3779b1u;
  return product ^ product >> 15;
}

#define SPARSE_C "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3])
#define SPARSE_22(ptx, metadata, selector, d)                                                  \
  asm(ptx " {%0,%1,%2,%3}, {%4,%5}, {%6,%7}, {%8,%9,%10,%11}, %12, " selector ";"              \
      : "=r"((d)[0]), "=r"((d)[1]), "=r"((d)[2]), "=r"((d)[3])                                 \
      : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]), SPARSE_C, "r"(metadata(mixed(a[7], c[7]))))
#define SPARSE_44(ptx, metadata, selector, d)                                                                  \
  asm(ptx " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9,%10,%11}, {%12,%13,%14,%15}, %16, " selector ";"              \
      : "=r"((d)[0]), "=r"((d)[1]), "=r"((d)[2]), "=r"((d)[3])                                                 \
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), SPARSE_C,      \
        "r"(metadata(mixed(a[7], c[7]))))
#define SPARSE_HALF_22(ptx, metadata, selector, d)                       \
  asm(ptx " {%0,%1}, {%2,%3}, {%4,%5}, {%6,%7}, %8, " selector ";"       \
      : "=r"((d)[0]), "=r"((d)[1])                                       \
      : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1]), "r"(metadata(mixed(a[7], c[7]))))
#define SPARSE_HALF_44(ptx, metadata, selector, d)                                                            \
  asm(ptx " {%0,%1}, {%2,%3,%4,%5}, {%6,%7,%8,%9}, {%10,%11}, %12, " selector ";"                             \
      : "=r"((d)[0]), "=r"((d)[1])                                                                            \
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(c[0]),    \
        "r"(c[1]), "r"(metadata(mixed(a[7], c[7]))))
/// Two selectors each: results 0..3 and 4..7.
#define SPARSE(name, shape, ptx, metadata, first, second)                                \
  struct name {                                                                          \
    static __device__ void f(const u32* a, const u32* b, const u32* c, u32* d) {         \
      SPARSE_##shape(ptx, metadata, first, d);                                           \
      SPARSE_##shape(ptx, metadata, second, d + 4);                                      \
    }                                                                                    \
  };
#define SP "mma.sp.sync.aligned."
#define SP_ORDERED "mma.sp::ordered_metadata.sync.aligned."
SPARSE(mma_sp_f16_16, 22, SP "m16n8k16.row.col.f32.f16.f16.f32", any_two_of_four, "0", "3")
SPARSE(mma_sp_bf16_16, 22, SP "m16n8k16.row.col.f32.bf16.bf16.f32", any_two_of_four, "1", "2")
SPARSE(mma_sp_half_16, HALF_22, SP "m16n8k16.row.col.f16.f16.f16.f16", any_two_of_four, "2", "0")
SPARSE(mma_sp_f16_32, 44, SP "m16n8k32.row.col.f32.f16.f16.f32", any_two_of_four, "0", "1")
SPARSE(mma_sp_bf16_32, 44, SP "m16n8k32.row.col.f32.bf16.bf16.f32", any_two_of_four, "0", "1")
SPARSE(mma_sp_half_32, HALF_44, SP "m16n8k32.row.col.f16.f16.f16.f16", any_two_of_four, "0", "1")
SPARSE(mma_sp_tf32_8, 22, SP "m16n8k8.row.col.f32.tf32.tf32.f32", one_of_two, "0", "3")
SPARSE(mma_sp_tf32_16, 44, SP "m16n8k16.row.col.f32.tf32.tf32.f32", one_of_two, "0", "1")
SPARSE(mma_sp_s8_32, 22, SP "m16n8k32.row.col.satfinite.s32.s8.u8.s32", any_two_of_four, "0", "1")
SPARSE(mma_sp_u8_64, 44, SP "m16n8k64.row.col.s32.u8.s8.s32", any_two_of_four, "0", "0")
SPARSE(mma_sp_s4_64, 22, SP "m16n8k64.row.col.s32.s4.u4.s32", any_two_of_four, "0", "1")
SPARSE(mma_sp_u4_128, 44, SP "m16n8k128.row.col.satfinite.s32.u4.s4.s32", any_two_of_four, "0", "0")
SPARSE(mma_spo_f16_16, 22, SP_ORDERED "m16n8k16.row.col.f32.f16.f16.f32", two_of_four, "2", "1")
SPARSE(mma_spo_f16_32, 44, SP_ORDERED "m16n8k32.row.col.f32.f16.f16.f32", two_of_four, "0", "1")
SPARSE(mma_spo_tf32_16, 44, SP_ORDERED "m16n8k16.row.col.f32.tf32.tf32.f32", one_of_two, "0", "1")
SPARSE(mma_spo_s8_64, 44, SP_ORDERED "m16n8k64.row.col.s32.s8.s8.s32", two_of_four, "0", "0")

// ------------------------------------------------------------------------------- warpgroup products

/// The whole shared memory is filled from `fill`; the descriptors say what is read. d: 4 registers a thread.
template <class F>
__device__ void group_body(const u32* fill, u64 a, u64 b, u32* d) {
  __shared__ __align__(1024) u32 shared[shared_words];
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

#define GROUP(name, ptx, tail)                                       \
  struct name {                                                      \
    static __device__ void f(u32* r, u64 a, u64 b) {                 \
      float x[4] = {F(r[0]), F(r[1]), F(r[2]), F(r[3])};             \
      asm volatile(ptx " {%0,%1,%2,%3}, %4, %5, " tail ";"           \
                   : "+f"(x[0]), "+f"(x[1]), "+f"(x[2]), "+f"(x[3])  \
                   : "l"(a), "l"(b));                                \
      for (unsigned i = 0; i < 4; ++i) r[i] = __float_as_uint(x[i]); \
    }                                                                \
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
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.u8 {%0,%1,%2,%3}, %4, %5, 1;"
                 : "+r"(r[0]), "+r"(r[1]), "+r"(r[2]), "+r"(r[3])
                 : "l"(a), "l"(b));
  }
};
struct group_half {
  static __device__ void f(u32* r, u64 a, u64 b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%0,%1}, %2, %3, 1, 1, 1, 0, 0;"
                 : "+r"(r[0]), "+r"(r[1])
                 : "l"(a), "l"(b));
  }
};

/// The same with a sparse A, whose metadata come from `fill` too.
template <class F>
__device__ void sparse_group_body(const u32* fill, u64 a, u64 b, u32* d) {
  __shared__ __align__(1024) u32 shared[shared_words];
  for (unsigned i = threadIdx.x; i < shared_words; i += blockDim.x) shared[i] = fill[i];
  __syncthreads();
  asm volatile("fence.proxy.async;" ::: "memory");
  const u64 base = static_cast<u64>(__cvta_generic_to_shared(shared)) >> 4;
  u32 r[4], factors[4];
  for (unsigned i = 0; i < 4; ++i) {
    r[i] = fill[threadIdx.x + 128 * i];
    factors[i] = fill[threadIdx.x + 128 * (i + 4)];
  }
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  F::f(r, factors, a + base, b + base, mixed(fill[threadIdx.x + 1024], threadIdx.x));
  asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");
  for (unsigned i = 0; i < 4; ++i) d[threadIdx.x * 4 + i] = r[i];
}

#define SPARSE_GROUP(name, ptx, metadata, selector, tail)                                  \
  struct name {                                                                            \
    static __device__ void f(u32* r, const u32*, u64 a, u64 b, u32 bits) {                 \
      asm volatile("wgmma.mma_async.sp.sync.aligned." ptx " {%0,%1,%2,%3}, %4, %5, %6, " selector ", " tail ";" \
                   : "+r"(r[0]), "+r"(r[1]), "+r"(r[2]), "+r"(r[3])                        \
                   : "l"(a), "l"(b), "r"(metadata(bits)));                                 \
    }                                                                                      \
  };
SPARSE_GROUP(group_sp_f16, "m64n8k32.f32.f16.f16", two_of_four, "0", "1, 1, 1, 0, 0")
SPARSE_GROUP(group_sp_f16_a, "m64n8k32.f32.f16.f16", two_of_four, "1", "0, 1, 1, 1, 0")
SPARSE_GROUP(group_sp_f16_b, "m64n8k32.f32.f16.f16", two_of_four, "1", "0, 1, -1, 0, 1")
SPARSE_GROUP(group_sp_f16_ab, "m64n8k32.f32.f16.f16", two_of_four, "0", "0, -1, 1, 1, 1")
SPARSE_GROUP(group_sp_bf16, "m64n8k32.f32.bf16.bf16", two_of_four, "1", "1, 1, 1, 0, 0")
SPARSE_GROUP(group_sp_tf32, "m64n8k16.f32.tf32.tf32", one_of_two, "0", "1, 1, 1")
SPARSE_GROUP(group_sp_tf32_1, "m64n8k16.f32.tf32.tf32", one_of_two, "1", "1, 1, 1")
SPARSE_GROUP(group_sp_e4m3, "m64n8k64.f32.e4m3.e5m2", two_of_four, "0", "1, 1, 1")
SPARSE_GROUP(group_sp_e5m2, "m64n8k64.f32.e5m2.e5m2", two_of_four, "0", "1, -1, 1")
SPARSE_GROUP(group_sp_s8, "m64n8k64.s32.s8.u8", two_of_four, "0", "1")
struct group_sp_half {
  static __device__ void f(u32* r, const u32*, u64 a, u64 b, u32 bits) {
    asm volatile("wgmma.mma_async.sp.sync.aligned.m64n8k32.f16.f16.f16 {%0,%1}, %2, %3, %4, 0, 1, 1, 1, 0, 0;"
                 : "+r"(r[0]), "+r"(r[1])
                 : "l"(a), "l"(b), "r"(two_of_four(bits)));
  }
};
#define SPARSE_GROUP_R(name, ptx, metadata, selector, tail)                                                     \
  struct name {                                                                                                 \
    static __device__ void f(u32* r, const u32* x, u64, u64 b, u32 bits) {                                      \
      asm volatile("wgmma.mma_async.sp.sync.aligned." ptx                                                       \
                   " {%0,%1,%2,%3}, {%4,%5,%6,%7}, %8, %9, " selector ", " tail ";"                              \
                   : "+r"(r[0]), "+r"(r[1]), "+r"(r[2]), "+r"(r[3])                                             \
                   : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "l"(b), "r"(metadata(bits)));                  \
    }                                                                                                           \
  };
SPARSE_GROUP_R(group_sp_r_f16, "m64n8k32.f32.f16.f16", two_of_four, "1", "1, 1, 1, 0")
SPARSE_GROUP_R(group_sp_r_e4m3, "m64n8k64.f32.e4m3.e4m3", two_of_four, "0", "1, 1, 1")
SPARSE_GROUP_R(group_sp_r_s8, "m64n8k64.s32.u8.s8.satfinite", two_of_four, "0", "1")
