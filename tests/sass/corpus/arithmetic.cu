// Integer, float and double arithmetic of the CUDA math API: one small kernel per function, so that the
// compiler emits every instruction that stands behind it.
#include <cuda_runtime.h>
#include <math_constants.h>

#define UNARY(T, name, expression)                       \
  extern "C" __global__ void name(const T* in, T* out) { \
    T x = in[threadIdx.x];                               \
    out[threadIdx.x] = expression;                       \
  }
#define BINARY(T, name, expression)                      \
  extern "C" __global__ void name(const T* in, T* out) { \
    T x = in[threadIdx.x], y = in[threadIdx.x + 32];     \
    out[threadIdx.x] = expression;                       \
  }
#define TERNARY(T, name, expression)                                             \
  extern "C" __global__ void name(const T* in, T* out) {                         \
    T x = in[threadIdx.x], y = in[threadIdx.x + 32], z = in[threadIdx.x + 64];   \
    out[threadIdx.x] = expression;                                               \
  }
#define CONVERT(S, T, name, expression)                  \
  extern "C" __global__ void name(const S* in, T* out) { \
    S x = in[threadIdx.x];                               \
    out[threadIdx.x] = expression;                       \
  }

#define FLOATS(f) \
  f(sinf) f(cosf) f(tanf) f(asinf) f(acosf) f(atanf) f(sinhf) f(coshf) f(tanhf) f(asinhf) f(acoshf) f(atanhf) \
  f(expf) f(exp2f) f(exp10f) f(expm1f) f(logf) f(log2f) f(log10f) f(log1pf) f(sqrtf) f(rsqrtf) f(cbrtf) f(rcbrtf) \
  f(erff) f(erfcf) f(erfinvf) f(erfcinvf) f(erfcxf) f(lgammaf) f(tgammaf) f(j0f) f(j1f) f(y0f) f(y1f) \
  f(normcdff) f(normcdfinvf) f(sinpif) f(cospif) f(floorf) f(ceilf) f(truncf) f(roundf) f(rintf) f(nearbyintf) \
  f(logbf) f(fabsf) f(__sinf) f(__cosf) f(__tanf) f(__expf) f(__exp10f) f(__logf) f(__log2f) f(__log10f) \
  f(__frcp_rn) f(__frcp_rz) f(__frcp_ru) f(__frcp_rd) f(__fsqrt_rn) f(__fsqrt_rz) f(__fsqrt_ru) f(__fsqrt_rd) f(__frsqrt_rn) \
  f(__saturatef) f(cyl_bessel_i0f) f(cyl_bessel_i1f)
#define ONE(f) UNARY(float, float_##f, f(x))
FLOATS(ONE)
#undef ONE
#define DOUBLES(f) \
  f(sin) f(cos) f(tan) f(asin) f(acos) f(atan) f(sinh) f(cosh) f(tanh) f(asinh) f(acosh) f(atanh) \
  f(exp) f(exp2) f(exp10) f(expm1) f(log) f(log2) f(log10) f(log1p) f(sqrt) f(rsqrt) f(cbrt) f(rcbrt) \
  f(erf) f(erfc) f(erfinv) f(erfcinv) f(erfcx) f(lgamma) f(tgamma) f(j0) f(j1) f(y0) f(y1) \
  f(normcdf) f(normcdfinv) f(sinpi) f(cospi) f(floor) f(ceil) f(trunc) f(round) f(rint) f(nearbyint) f(logb) f(fabs) \
  f(__drcp_rn) f(__drcp_rz) f(__drcp_ru) f(__drcp_rd) f(__dsqrt_rn) f(__dsqrt_rz) f(__dsqrt_ru) f(__dsqrt_rd)
#define ONE(f) UNARY(double, double_##f, f(x))
DOUBLES(ONE)
#undef ONE
#define TWO(f) BINARY(float, float2_##f, f(x, y))
TWO(fmaxf) TWO(fminf) TWO(fmodf) TWO(remainderf) TWO(powf) TWO(atan2f) TWO(hypotf) TWO(fdimf) TWO(copysignf) TWO(nextafterf)
TWO(__fadd_rn) TWO(__fadd_rz) TWO(__fadd_ru) TWO(__fadd_rd) TWO(__fsub_rz) TWO(__fmul_rn) TWO(__fmul_rz) TWO(__fmul_ru) TWO(__fmul_rd)
TWO(__fdividef) TWO(__fdiv_rn) TWO(__fdiv_rz) TWO(__fdiv_ru) TWO(__fdiv_rd) TWO(__powf)
#undef TWO
#define TWO(f) BINARY(double, double2_##f, f(x, y))
TWO(fmax) TWO(fmin) TWO(fmod) TWO(remainder) TWO(pow) TWO(atan2) TWO(hypot) TWO(fdim) TWO(copysign) TWO(nextafter)
TWO(__dadd_rn) TWO(__dadd_rz) TWO(__dadd_ru) TWO(__dadd_rd) TWO(__dmul_rn) TWO(__dmul_rz) TWO(__dmul_ru) TWO(__dmul_rd)
TWO(__ddiv_rn) TWO(__ddiv_rz) TWO(__ddiv_ru) TWO(__ddiv_rd)
#undef TWO
TERNARY(float, fma_rn, __fmaf_rn(x, y, z)) TERNARY(float, fma_rz, __fmaf_rz(x, y, z)) TERNARY(float, fma_ru, __fmaf_ru(x, y, z))
TERNARY(float, fma_rd, __fmaf_rd(x, y, z)) TERNARY(double, dfma_rn, __fma_rn(x, y, z)) TERNARY(double, dfma_rz, __fma_rz(x, y, z))
TERNARY(double, dfma_ru, __fma_ru(x, y, z)) TERNARY(double, dfma_rd, __fma_rd(x, y, z))
TERNARY(float, fma_negative, fmaf(-x, y, -z)) TERNARY(float, fma_saturated, __saturatef(fmaf(x, y, z)))
TERNARY(float, multiply_constant, x * 3.25f + y * -1e-30f + z * 1.5e10f) TERNARY(double, dmultiply_constant, x * 3.25 + y * -1.0 / 3 + z * 1.5e10)
BINARY(float, absolute_sum, fabsf(x) + fabsf(y)) BINARY(float, negative_absolute, -fabsf(x) - y) BINARY(float, add_saturated, __saturatef(x + y))
BINARY(float, multiply_saturated, __saturatef(x * y)) BINARY(double, dabsolute_sum, fabs(x) - fabs(y)) BINARY(double, dmultiply_negative, -x * fabs(y))
BINARY(float, float_select, x < y ? x : -y) BINARY(float, float_select_nan, isnan(x) || isinf(y) ? x : y)
BINARY(float, float_compares, (x < y) + (x <= y) * 2.f + (x == y) * 4.f + (x != y) * 8.f + !(x < y) * 16.f + !(x >= y) * 32.f + isunordered(x, y))
BINARY(double, double_compares, (x < y) + (x <= y) * 2. + (x == y) * 4. + (x != y) * 8. + !(x < y) * 16. + !(x >= y) * 32. + isunordered(x, y))
BINARY(float, clamp, fminf(fmaxf(x, -1.f), 2.5f)) TERNARY(float, three_maximum, fmaxf(fmaxf(x, y), z)) TERNARY(float, three_minimum, fminf(fminf(x, y), z))
TERNARY(float, norm3, norm3df(x, y, z)) TERNARY(float, rnorm3, rnorm3df(x, y, z)) TERNARY(double, dnorm3, norm3d(x, y, z))

#define CONVERSIONS(S, n)                                                                                    \
  CONVERT(S, signed char, n##_to_s8, (signed char)x) CONVERT(S, unsigned char, n##_to_u8, (unsigned char)x)  \
  CONVERT(S, short, n##_to_s16, (short)x) CONVERT(S, unsigned short, n##_to_u16, (unsigned short)x)          \
  CONVERT(S, int, n##_to_s32, (int)x) CONVERT(S, unsigned, n##_to_u32, (unsigned)x)                          \
  CONVERT(S, long long, n##_to_s64, (long long)x) CONVERT(S, unsigned long long, n##_to_u64, (unsigned long long)x) \
  CONVERT(S, float, n##_to_f32, (float)x) CONVERT(S, double, n##_to_f64, (double)x)
CONVERSIONS(signed char, s8) CONVERSIONS(unsigned char, u8) CONVERSIONS(short, s16) CONVERSIONS(unsigned short, u16) CONVERSIONS(int, s32)
CONVERSIONS(unsigned, u32) CONVERSIONS(long long, s64) CONVERSIONS(unsigned long long, u64) CONVERSIONS(float, f32) CONVERSIONS(double, f64)
#define ROUNDED(S, T, f) CONVERT(S, T, convert##f, f(x))
ROUNDED(float, int, __float2int_rn) ROUNDED(float, int, __float2int_ru) ROUNDED(float, int, __float2int_rd) ROUNDED(float, unsigned, __float2uint_rn)
ROUNDED(float, unsigned, __float2uint_ru) ROUNDED(float, unsigned, __float2uint_rd) ROUNDED(float, long long, __float2ll_rn)
ROUNDED(float, long long, __float2ll_ru) ROUNDED(float, unsigned long long, __float2ull_rd) ROUNDED(double, int, __double2int_rn)
ROUNDED(double, int, __double2int_ru) ROUNDED(double, unsigned, __double2uint_rd) ROUNDED(double, long long, __double2ll_rn)
ROUNDED(double, unsigned long long, __double2ull_ru) ROUNDED(double, float, __double2float_rz) ROUNDED(double, float, __double2float_ru)
ROUNDED(double, float, __double2float_rd) ROUNDED(int, float, __int2float_rz) ROUNDED(int, float, __int2float_ru) ROUNDED(int, float, __int2float_rd)
ROUNDED(unsigned, float, __uint2float_rz) ROUNDED(unsigned, float, __uint2float_ru) ROUNDED(long long, float, __ll2float_rz)
ROUNDED(unsigned long long, float, __ull2float_ru) ROUNDED(long long, double, __ll2double_rd) ROUNDED(unsigned long long, double, __ull2double_rz)
ROUNDED(double, int, __double2hiint) ROUNDED(double, int, __double2loint) ROUNDED(float, int, __float_as_int)

#define INTEGERS(T, n)                                                                                                              \
  BINARY(T, n##_divide, x / y) BINARY(T, n##_modulo, x % y) BINARY(T, n##_times, x * y) BINARY(T, n##_minimum, x < y ? x : y)      \
  BINARY(T, n##_maximum, x > y ? x : y) BINARY(T, n##_shift_left, x << y) BINARY(T, n##_shift_right, x >> y)                       \
  BINARY(T, n##_divide_constant, x / 7 + y / 1000003 + x % 10) BINARY(T, n##_divide_power, x / 16 + y % 64)                        \
  BINARY(T, n##_logic, (x & y) ^ (~x | 0x55)) BINARY(T, n##_compares, (x < y) + (x <= y) * 3 + (x == y) * 5 + (x != 7))            \
  BINARY(T, n##_clamp, x < -5 ? (T)-5 : x > y ? y : x) BINARY(T, n##_relu, (x + y) > 0 ? x + y : 0)                                \
  TERNARY(T, n##_fused, x * y + z) TERNARY(T, n##_sum3, x + y - z + 12345) TERNARY(T, n##_three_maximum, max(max(x, y), z))        \
  TERNARY(T, n##_add_minimum, min(x + y, z)) TERNARY(T, n##_add_maximum_relu, max(max(x + y, z), (T)0)) UNARY(T, n##_absolute, x < 0 ? -x : x)
INTEGERS(int, s32) INTEGERS(unsigned, u32) INTEGERS(long long, s64) INTEGERS(unsigned long long, u64) INTEGERS(short, s16) INTEGERS(unsigned char, u8)
#define TWO(f) BINARY(unsigned, u_##f, f(x, y))
TWO(__mulhi) TWO(__umulhi) TWO(__mul24) TWO(__umul24) TWO(__hadd) TWO(__rhadd) TWO(__uhadd) TWO(__urhadd)
TWO(__vadd2) TWO(__vadd4) TWO(__vaddss2) TWO(__vaddss4) TWO(__vaddus4) TWO(__vsub2) TWO(__vsub4) TWO(__vsubss4) TWO(__vabsdiffu4) TWO(__vabsdiffs2)
TWO(__vavgs4) TWO(__vavgu2) TWO(__vcmpeq4) TWO(__vcmpgts2) TWO(__vmaxs2) TWO(__vmaxs4) TWO(__vmaxu4) TWO(__vmins2) TWO(__vminu4) TWO(__vsads4) TWO(__vsadu2) TWO(__vseteq4)
#undef TWO
UNARY(unsigned, clz, __clz(x)) UNARY(unsigned, ffs_, __ffs(x)) UNARY(unsigned, popc, __popc(x)) UNARY(unsigned, brev, __brev(x))
UNARY(unsigned long long, clzll, __clzll(x)) UNARY(unsigned long long, ffsll_, __ffsll(x)) UNARY(unsigned long long, popcll, __popcll(x)) UNARY(unsigned long long, brevll, __brevll(x))
UNARY(unsigned, vabs2, __vabs2(x)) UNARY(unsigned, vneg4, __vneg4(x)) UNARY(int, bits_of, (x << 7) >> 19) UNARY(unsigned, ubits_of, (x >> 7) & 0x1ff)
TERNARY(unsigned, byte_perm, __byte_perm(x, y, z)) TERNARY(unsigned, byte_perm_constant, __byte_perm(x, y, 0x7531) + z) TERNARY(unsigned, sad, __sad(x, y, z))
TERNARY(unsigned, usad, __usad(x, y, z)) TERNARY(unsigned, funnel_l, __funnelshift_l(x, y, z)) TERNARY(unsigned, funnel_r, __funnelshift_r(x, y, z))
TERNARY(unsigned, funnel_lc, __funnelshift_lc(x, y, z)) TERNARY(unsigned, funnel_rc, __funnelshift_rc(x, y, z)) TERNARY(unsigned, fns, __fns(x, y & 31, z))
TERNARY(int, dp4a_s, __dp4a((int)x, (int)y, (int)z)) TERNARY(unsigned, dp4a_u, __dp4a(x, y, z)) TERNARY(int, dp2a_lo, __dp2a_lo((int)x, (int)y, (int)z))
TERNARY(unsigned, dp2a_hi, __dp2a_hi(x, y, z)) TERNARY(unsigned, vimax3, __vimax3_s32(x, y, z)) TERNARY(unsigned, vimax3_16, __vimax3_s16x2(x, y, z))
TERNARY(unsigned, vimin3, __vimin3_u32(x, y, z)) TERNARY(unsigned, vimax3_relu, __vimax3_s32_relu(x, y, z)) TERNARY(unsigned, viaddmax, __viaddmax_s32(x, y, z))
TERNARY(unsigned, viaddmin_u, __viaddmin_u32(x, y, z)) TERNARY(unsigned, viaddmax_16, __viaddmax_s16x2(x, y, z)) TERNARY(unsigned, viaddmax_relu, __viaddmax_s32_relu(x, y, z))
TERNARY(unsigned, viaddmin_16_relu, __viaddmin_s16x2_relu(x, y, z)) BINARY(unsigned, vimax_relu, __vimax_s32_relu(x, y)) BINARY(unsigned, vimin_16_relu, __vimin_s16x2_relu(x, y))
TERNARY(unsigned, viaddmax_u16, __viaddmax_u16x2(x, y, z)) TERNARY(unsigned, vimin3_u16, __vimin3_u16x2(x, y, z))
BINARY(long long, mul64hi, __mul64hi(x, y)) BINARY(unsigned long long, umul64hi, __umul64hi(x, y))
TERNARY(long long, wide_sum, (long long)(int)x * (int)y + z) TERNARY(unsigned long long, uwide_sum, (unsigned long long)(unsigned)x * (unsigned)y + z)

extern "C" __global__ void vibmax(const int* in, int* out, bool* which) {
  bool p, q;
  out[threadIdx.x] = __vibmax_s32(in[threadIdx.x], in[threadIdx.x + 32], &p) + __vibmin_u32(in[threadIdx.x], 9, &q);
  unsigned r = __vibmax_s16x2(in[threadIdx.x], in[threadIdx.x + 32], &p, &q);
  which[threadIdx.x] = p;
  which[threadIdx.x + 32] = q;
  out[threadIdx.x + 32] = r;
}
__constant__ int table[64];
extern "C" __global__ void constants(int* out, int a, float f, double d, unsigned long long u, short s, unsigned char c) {
  int t = threadIdx.x;
  out[t] = table[t & 63] * a + __float_as_int(f * t) + (int)(d * t) + (int)(u >> t) + s + c + table[3];
  out[t + 64] = (t & a) | (t ^ s);
  out[t + 128] = max(t, a) - min(t, (int)c) + (t << a) + (t >> c);
}
// Values that are the same in all threads: the uniform datapath.
extern "C" __global__ void uniform_values(int* out, const int* in, int a, int b, unsigned c, long long w, int n) {
  int x = blockIdx.x * a + b;
  unsigned y = (blockIdx.y ^ c) >> (b & 7);
  long long z = (long long)x * b + w;
  int bits = __popc(y) + __clz(x) + __brev(c) + __ffs(a);
  int smallest = min(x, b), largest = max((unsigned)x, c);
  int chosen = x > b && y != 3 ? a : b;
  for (int i = 0; i < n; ++i) {
    x = x * 3 + (y & 0x7f);
    y = __byte_perm(y, x, 0x2143) + (x > i ? a : b);
    z += __umulhi(y, c) + ((long long)b << (i & 31));
    out[threadIdx.x + i] = in[x + threadIdx.x] + (int)z;
  }
  out[threadIdx.x] = bits + smallest + largest + chosen + (int)(z >> 3) + y + abs(x) + (x < 0 ? a : 7);
}
