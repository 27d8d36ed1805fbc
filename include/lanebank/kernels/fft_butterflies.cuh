// Discrete Fourier transforms of 2, 4, 8 and 16 numbers in registers, and the twiddle factors between them.
//
//   fft_registers<R>(v):   v[k] <- sum over n of v[n] exp(-2 pi i n k / R),  in natural order
//
// R = 4 Q (Q = 2, 4): columns of four, twiddles exp(-2 pi i n2 k1 / R), rows of Q, with n = Q n1 + n2 and
// k = k1 + 4 k2. Constants are rounded from their exact values; other twiddle factors come from sincospif, whose
// argument is exact here (a fraction with a power of two below), and from products of those.
// Called by any thread; nothing synchronises.
#pragma once

#include <cuda_runtime.h>

#include "lanebank/host_device.hpp"

namespace lanebank::kernels {

namespace detail {

__device__ __forceinline__ float2 plus(float2 a, float2 b) { return {a.x + b.x, a.y + b.y}; }
__device__ __forceinline__ float2 minus(float2 a, float2 b) { return {a.x - b.x, a.y - b.y}; }
__device__ __forceinline__ float2 times(float2 a, float2 b) {
  return {fmaf(a.x, b.x, -(a.y * b.y)), fmaf(a.x, b.y, a.y * b.x)};
}
__device__ __forceinline__ float2 times_minus_i(float2 a) { return {a.y, -a.x}; }

/// a exp(-2 pi i K / 16).
template <unsigned K>
__device__ __forceinline__ float2 turned(float2 a) {
  constexpr float cosines[10] = {
      1, 0.923879532511286756f, 0.707106781186547524f, 0.382683432365089772f, 0, 0, -0.707106781186547524f, 0,
      0, -0.923879532511286756f};
  constexpr float sines[10] = {
      0, -0.382683432365089772f, -0.707106781186547524f, -0.923879532511286756f, -1, 0, -0.707106781186547524f, 0,
      0, 0.382683432365089772f};
  static_assert(K <= 4 || K == 6 || K == 9, "the products of two numbers below 4");
  if constexpr (K == 0) return a;
  if constexpr (K == 4) return times_minus_i(a);
  return times(a, {cosines[K], sines[K]});
}

__device__ __forceinline__ void fft_2(float2& a, float2& b) {
  const float2 sum = plus(a, b);
  b = minus(a, b);
  a = sum;
}

__device__ __forceinline__ void fft_4(float2& a, float2& b, float2& c, float2& d) {
  const float2 even = plus(a, c), even_turned = minus(a, c), odd = plus(b, d), odd_turned = times_minus_i(minus(b, d));
  a = plus(even, odd);
  b = plus(even_turned, odd_turned);
  c = minus(even, odd);
  d = minus(even_turned, odd_turned);
}

}  // namespace detail

template <unsigned R>
__device__ __forceinline__ void fft_registers(float2 (&v)[R]) {
  static_assert(R == 2 || R == 4 || R == 8 || R == 16, "a radix of 2, 4, 8 or 16");
  if constexpr (R == 2) {
    detail::fft_2(v[0], v[1]);
  } else if constexpr (R == 4) {
    detail::fft_4(v[0], v[1], v[2], v[3]);
  } else if constexpr (R == 8) {
    detail::fft_4(v[0], v[2], v[4], v[6]);
    detail::fft_4(v[1], v[3], v[5], v[7]);
    float2 odd[4] = {v[1], detail::turned<2>(v[3]), detail::turned<4>(v[5]), detail::turned<6>(v[7])};
    float2 even[4] = {v[0], v[2], v[4], v[6]};
#pragma unroll
    for (unsigned k = 0; k < 4; ++k) {
      v[k] = detail::plus(even[k], odd[k]);
      v[k + 4] = detail::minus(even[k], odd[k]);
    }
  } else {
#pragma unroll
    for (unsigned n = 0; n < 4; ++n) detail::fft_4(v[n], v[4 + n], v[8 + n], v[12 + n]);
    v[5] = detail::turned<1>(v[5]);
    v[6] = detail::turned<2>(v[6]);
    v[7] = detail::turned<3>(v[7]);
    v[9] = detail::turned<2>(v[9]);
    v[10] = detail::turned<4>(v[10]);
    v[11] = detail::turned<6>(v[11]);
    v[13] = detail::turned<3>(v[13]);
    v[14] = detail::turned<6>(v[14]);
    v[15] = detail::turned<9>(v[15]);
    float2 w[16];
#pragma unroll
    for (unsigned k = 0; k < 4; ++k) {
      detail::fft_4(v[4 * k], v[4 * k + 1], v[4 * k + 2], v[4 * k + 3]);
#pragma unroll
      for (unsigned i = 0; i < 4; ++i) w[k + 4 * i] = v[4 * k + i];
    }
#pragma unroll
    for (unsigned k = 0; k < 16; ++k) v[k] = w[k];
  }
}

/// exp(-2 pi i numerator / denominator) for numerator < denominator, a power of two up to 2^22: the argument is exact.
__device__ __forceinline__ float2 root_of_unity(unsigned numerator, unsigned denominator) {
  float2 w;
  sincospif(-2.0f * static_cast<float>(numerator) / static_cast<float>(denominator), &w.y, &w.x);
  return w;
}

/// v[r] *= exp(-2 pi i numerator r / denominator).
template <unsigned R>
__device__ __forceinline__ void twiddle(float2 (&v)[R], unsigned numerator, unsigned denominator) {
  float2 w[R];
  w[1] = root_of_unity(numerator, denominator);
  if constexpr (R > 2) {
    w[2] = detail::times(w[1], w[1]);
    w[3] = detail::times(w[2], w[1]);
  }
  if constexpr (R > 4) {
    w[4] = root_of_unity(4 * numerator % denominator, denominator);
#pragma unroll
    for (unsigned r = 5; r < R; ++r)
      w[r] = r % 4 == 0 ? detail::times(w[r - 4], w[4]) : detail::times(w[r / 4 * 4], w[r % 4]);
  }
#pragma unroll
  for (unsigned r = 1; r < R; ++r) v[r] = detail::times(v[r], w[r]);
}

}  // namespace lanebank::kernels
