// wgmma: the product of two tiles in shared memory, by a warpgroup. sm_90a; elsewhere the functions are empty.
//
//   D (64 x N floats, in registers) += A (64 x 16) * B (16 x N)
//
// An operand is named by a descriptor: where it begins, in which steps it goes on, and the swizzle. For the 128-byte
// swizzle, rows of 128 bytes (64 elements) in groups of eight, 1024 bytes a group, the tile at a multiple of 1024:
//
//   k_major(address)              rows are rows of A, or columns of B, along k. Groups follow one another.
//                                 The next 16 of k are 32 bytes further on.
//   n_major(address, panel)       rows are rows of B, along n. Panels of 64 columns lie `panel` bytes apart.
//                                 The next 16 of k are 2048 bytes further on.
//
// Result: lane l of warp w of the group holds in d[4 j + 0, 1] row 16 w + l / 4, columns 8 j + 2 (l mod 4) and the
// next, and in d[4 j + 2, 3] the same eight rows below.
//
// Who calls: all four warps of a warpgroup, converged. Registers of D must not be touched between wgmma and the wgmma_wait
// that covers it. What it does not do: A in registers, other swizzles.
// Source: PTX ISA 8.7, "Asynchronous warpgroup level matrix instructions".
#pragma once

#include <type_traits>

#include "lanebank/kernels/gemm_instructions.cuh"

namespace lanebank::kernels {

__device__ __forceinline__ std::uint64_t k_major(std::uint32_t address) {
  return std::uint64_t{(address & 0x3ffff) >> 4} | std::uint64_t{1} << 16 | std::uint64_t{1024 >> 4} << 32 |
         std::uint64_t{1} << 62;
}
__device__ __forceinline__ std::uint64_t n_major(std::uint32_t address, std::uint32_t panel_bytes) {
  return std::uint64_t{(address & 0x3ffff) >> 4} | std::uint64_t{panel_bytes >> 4} << 16 |
         std::uint64_t{1024 >> 4} << 32 | std::uint64_t{1} << 62;
}

__device__ __forceinline__ void wgmma_fence() {
#ifdef LANEBANK_HAS_WGMMA
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
}
__device__ __forceinline__ void wgmma_commit() {
#ifdef LANEBANK_HAS_WGMMA
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#endif
}
/// Waits until at most `Groups` groups are under way.
template <unsigned Groups>
__device__ __forceinline__ void wgmma_wait() {
#ifdef LANEBANK_HAS_WGMMA
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Groups) : "memory");
#endif
}

/// After the wgmma_wait that covers them: the sums may be read from here on, and not moved before it by the compiler.
template <unsigned Count>
__device__ __forceinline__ void wgmma_results(float (&d)[Count]) {
#pragma unroll
  for (float& x : d) asm volatile("" : "+f"(x)::"memory");
}

#define LANEBANK_D4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define LANEBANK_D16(i) LANEBANK_D4(i), LANEBANK_D4(i + 4), LANEBANK_D4(i + 8), LANEBANK_D4(i + 12)
#define LANEBANK_D64(i) LANEBANK_D16(i), LANEBANK_D16(i + 16), LANEBANK_D16(i + 32), LANEBANK_D16(i + 48)
// The names of the first 64 and the next 64 operands.
#define LANEBANK_NAMES_0                                                                                     \
  "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,"   \
  "%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53," \
  "%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
#define LANEBANK_NAMES_64                                                                                \
  "%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79,%80,%81,%82,%83,%84,%85,%86,%87,%88," \
  "%89,%90,%91,%92,%93,%94,%95,%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,"  \
  "%111,%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,%125,%126,%127"
#define LANEBANK_WGMMA_128(type)                                                         \
  asm volatile(                                                                          \
      "{\n.reg .pred p;\nsetp.ne.b32 p, %66, 0;\n"                                       \
      "wgmma.mma_async.sync.aligned.m64n128k16.f32." type "." type " {" LANEBANK_NAMES_0 \
      "}, %64, %65, p, 1, 1, 0, %67;\n}"                                                 \
      : LANEBANK_D64(0)                                                                  \
      : "l"(a), "l"(b), "r"(accumulate), "n"(TransposedB ? 1 : 0))
#define LANEBANK_WGMMA_256(type)                                                                               \
  asm volatile(                                                                                                \
      "{\n.reg .pred p;\nsetp.ne.b32 p, %130, 0;\n"                                                            \
      "wgmma.mma_async.sync.aligned.m64n256k16.f32." type "." type " {" LANEBANK_NAMES_0 "," LANEBANK_NAMES_64 \
      "}, %128, %129, p, 1, 1, 0, %131;\n}"                                                                    \
      : LANEBANK_D64(0), LANEBANK_D64(64)                                                                      \
      : "l"(a), "l"(b), "r"(accumulate), "n"(TransposedB ? 1 : 0))

/// D = A * B, or D += A * B where `accumulate` is not 0. N is 128 or 256; TransposedB: B is n_major.
template <class In, bool TransposedB, unsigned N>
__device__ __forceinline__ void wgmma(float (&d)[N / 2], std::uint64_t a, std::uint64_t b, std::uint32_t accumulate) {
  static_assert(N == 128 || N == 256, "a product of 128 or 256 columns");
#ifdef LANEBANK_HAS_WGMMA
  constexpr bool is_half = std::is_same_v<In, __half>;
  if constexpr (N == 128 && is_half)
    LANEBANK_WGMMA_128("f16");
  else if constexpr (N == 128)
    LANEBANK_WGMMA_128("bf16");
  else if constexpr (is_half)
    LANEBANK_WGMMA_256("f16");
  else
    LANEBANK_WGMMA_256("bf16");
#endif
}

#undef LANEBANK_D4
#undef LANEBANK_D16
#undef LANEBANK_D64
#undef LANEBANK_NAMES_0
#undef LANEBANK_NAMES_64
#undef LANEBANK_WGMMA_128
#undef LANEBANK_WGMMA_256

}  // namespace lanebank::kernels
