// Half precision, bfloat16 and 8-bit floats: arithmetic, comparison, conversion.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#define MAP(S, T, name, expression)                                              \
  extern "C" __global__ void name(const S* in, T* out, int n) {                  \
    S x = in[threadIdx.x], y = in[threadIdx.x + 32], z = in[threadIdx.x + 64];   \
    out[threadIdx.x] = expression;                                               \
  }
#define SCALAR(T, n)                                                                                              \
  MAP(T, T, n##_add, __hadd(x, y)) MAP(T, T, n##_sub, __hsub(x, y)) MAP(T, T, n##_mul, __hmul(x, y))             \
  MAP(T, T, n##_div, __hdiv(x, y)) MAP(T, T, n##_fma, __hfma(x, y, z)) MAP(T, T, n##_fma_sat, __hfma_sat(x, y, z)) \
  MAP(T, T, n##_fma_relu, __hfma_relu(x, y, z)) MAP(T, T, n##_add_sat, __hadd_sat(x, y)) MAP(T, T, n##_neg, __hneg(x)) \
  MAP(T, T, n##_abs, __habs(x)) MAP(T, T, n##_max, __hmax(x, y)) MAP(T, T, n##_min, __hmin(x, y))                \
  MAP(T, T, n##_max_nan, __hmax_nan(x, y)) MAP(T, T, n##_min_nan, __hmin_nan(x, y)) MAP(T, T, n##_sqrt, hsqrt(x)) \
  MAP(T, T, n##_rsqrt, hrsqrt(x)) MAP(T, T, n##_rcp, hrcp(x)) MAP(T, T, n##_exp, hexp(x)) MAP(T, T, n##_exp2, hexp2(x)) \
  MAP(T, T, n##_log, hlog(x)) MAP(T, T, n##_sin, hsin(x)) MAP(T, T, n##_cos, hcos(x)) MAP(T, T, n##_floor, hfloor(x)) \
  MAP(T, T, n##_ceil, hceil(x)) MAP(T, T, n##_rint, hrint(x)) MAP(T, T, n##_trunc, htrunc(x)) \
  MAP(T, int, n##_eq, __heq(x, y)) MAP(T, int, n##_lt, __hlt(x, y) + 2 * __hge(x, z)) MAP(T, int, n##_ltu, __hltu(x, y)) \
  MAP(T, int, n##_nan, __hisnan(x)) MAP(T, int, n##_ne, __hne(x, y) ? 3 : __hgtu(y, z)) MAP(T, T, n##_select, x < y ? z : x) \
  MAP(T, T, n##_expression, x * y - z * T(2.5f) + T(0.1f))
#define PACKED(T, n)                                                                                              \
  MAP(T, T, n##_add, __hadd2(x, y)) MAP(T, T, n##_sub, __hsub2(x, y)) MAP(T, T, n##_mul, __hmul2(x, y))          \
  MAP(T, T, n##_div, __h2div(x, y)) MAP(T, T, n##_fma, __hfma2(x, y, z)) MAP(T, T, n##_fma_sat, __hfma2_sat(x, y, z)) \
  MAP(T, T, n##_fma_relu, __hfma2_relu(x, y, z)) MAP(T, T, n##_mul_sat, __hmul2_sat(x, y)) MAP(T, T, n##_neg, __hneg2(x)) \
  MAP(T, T, n##_abs, __habs2(x)) MAP(T, T, n##_max, __hmax2(x, y)) MAP(T, T, n##_min_nan, __hmin2_nan(x, y))     \
  MAP(T, T, n##_exp2, h2exp2(x)) MAP(T, T, n##_rint, h2rint(x)) MAP(T, T, n##_cmp, __hlt2(x, y)) MAP(T, T, n##_cmp_ne, __hneu2(x, y)) \
  MAP(T, unsigned, n##_mask, __hle2_mask(x, y)) MAP(T, unsigned, n##_mask_gtu, __hgtu2_mask(x, y)) MAP(T, int, n##_any, __hbeq2(x, y) + 2 * __hbgtu2(y, z)) \
  MAP(T, T, n##_swap, __lowhigh2highlow(x)) MAP(T, T, n##_low, __low2##T##_low(x)) MAP(T, T, n##_mixed, __hfma2(__lowhigh2highlow(x), y, __hneg2(z)))
#define __low2__half2_low(x) __low2half2(x)
#define __low2__nv_bfloat162_low(x) __low2bfloat162(x)
SCALAR(__half, half) SCALAR(__nv_bfloat16, bf16)
PACKED(__half2, half2) PACKED(__nv_bfloat162, bf162)

#define CONVERTED(T, n, from, to)                                                                            \
  MAP(T, float, n##_to_float, from##2float(x)) MAP(float, T, n##_from_float, __float2##to##_rn(x))          \
  MAP(float, T, n##_from_float_rz, __float2##to##_rz(x)) MAP(float, T, n##_from_float_ru, __float2##to##_ru(x)) \
  MAP(T, int, n##_to_int, from##2int_rn(x)) MAP(T, int, n##_to_int_rz, from##2int_rz(x)) MAP(T, short, n##_to_short, from##2short_rz(x)) \
  MAP(T, unsigned, n##_to_uint, from##2uint_ru(x)) MAP(T, unsigned short, n##_to_ushort, from##2ushort_rd(x))  \
  MAP(T, long long, n##_to_ll, from##2ll_rz(x)) MAP(T, unsigned long long, n##_to_ull, from##2ull_rn(x))     \
  MAP(int, T, n##_from_int, __int2##to##_rn(x)) MAP(unsigned, T, n##_from_uint, __uint2##to##_rz(x))         \
  MAP(short, T, n##_from_short, __short2##to##_rn(x)) MAP(unsigned short, T, n##_from_ushort, __ushort2##to##_ru(x)) \
  MAP(long long, T, n##_from_ll, __ll2##to##_rn(x)) MAP(unsigned long long, T, n##_from_ull, __ull2##to##_rd(x)) \
  MAP(double, T, n##_from_double, __double2##to(x)) MAP(T, signed char, n##_to_char, from##2char_rz(x)) MAP(T, unsigned char, n##_to_uchar, from##2uchar_rz(x))
CONVERTED(__half, half, __half, half)
CONVERTED(__nv_bfloat16, bf16, __bfloat16, bfloat16)
MAP(float2, __half2, pack_half, __float22half2_rn(x)) MAP(float2, __nv_bfloat162, pack_bf16, __float22bfloat162_rn(x))
MAP(__half2, float2, unpack_half, __half22float2(x)) MAP(__nv_bfloat162, float2, unpack_bf16, __bfloat1622float2(x))
MAP(__half, double, half_to_double, (double)__half2float(x)) MAP(__half, __nv_bfloat16, half_to_bf16, __float2bfloat16(__half2float(x)))
MAP(float, __nv_fp8_storage_t, to_e4m3, __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3)) MAP(float, __nv_fp8_storage_t, to_e5m2, __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E5M2))
MAP(float2, __nv_fp8x2_storage_t, to_e4m3x2, __nv_cvt_float2_to_fp8x2(x, __NV_SATFINITE, __NV_E4M3))
MAP(float2, __nv_fp8x2_storage_t, to_e5m2x2, __nv_cvt_float2_to_fp8x2(x, __NV_SATFINITE, __NV_E5M2))
MAP(__half2_raw, __nv_fp8x2_storage_t, half_to_e4m3x2, __nv_cvt_halfraw2_to_fp8x2(x, __NV_SATFINITE, __NV_E4M3))
MAP(__nv_fp8x2_storage_t, __half2_raw, from_e4m3x2, __nv_cvt_fp8x2_to_halfraw2(x, __NV_E4M3)) MAP(__nv_fp8x2_storage_t, __half2_raw, from_e5m2x2, __nv_cvt_fp8x2_to_halfraw2(x, __NV_E5M2))
MAP(__nv_fp8_storage_t, __half_raw, from_e4m3, __nv_cvt_fp8_to_halfraw(x, __NV_E4M3))
MAP(__half, __half, half_tanh, htanh(x))
#if __CUDA_ARCH__ >= 800 || !defined(__CUDA_ARCH__)
MAP(__nv_bfloat16, __nv_bfloat16, bf16_tanh, htanh(x))
#endif
extern "C" __global__ void half_atomics(__half2* a, __nv_bfloat162* b, __half* c, __nv_bfloat16* d, __half2* out) {
  atomicAdd(a, out[1]);
  out[threadIdx.x] = atomicAdd(a + 1, out[2]);
  atomicAdd(b, b[7]);
  atomicAdd(c, c[5]);
  atomicAdd(d, d[5]);
}
