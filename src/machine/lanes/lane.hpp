// What every file in lanes/ needs. Those files are compiled once per SIMD level, into the namespace
// LANEBANK_SIMD; all helpers live in an unnamed namespace so that no level's code is ever shared with
// another's. Loops run over 32 lanes and are left to the compiler to vectorise.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "machine/lowering.hpp"
#include "machine/warp.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#ifndef LANEBANK_SIMD
#define LANEBANK_SIMD simd_native
#endif

#define LANEBANK_INLINE [[gnu::always_inline]] inline
/// Before a loop over lanes whose rows may be the same but never overlap in part.
#define LANEBANK_LANES _Pragma("GCC ivdep")
/// Before a loop of single loads and stores, where the loop's own work counts.
#define LANEBANK_UNROLL _Pragma("GCC unroll 8")

namespace lanebank::machine::LANEBANK_SIMD {
namespace {

/// Counts the instruction and gives the lanes that execute it.
LANEBANK_INLINE std::uint32_t begin(Warp& w, const Operation* op) {
  const std::uint32_t mask = w.active & (w.predicates[op->guard] ^ op->guard_flip);
  Count& count = w.counts[op->instruction];
  count.executed += 1;
  count.threads += static_cast<unsigned>(std::popcount(mask));
  return mask;
}

LANEBANK_INLINE std::uint32_t predicate_in(const Warp& w, const Operation* op, unsigned which) {
  return w.predicates[op->predicate_in[which]] ^ op->predicate_in_flip[which];
}

/// Sets a predicate destination for the lanes in `mask`.
LANEBANK_INLINE void set_predicate(Warp& w, const Operation* op, unsigned which, std::uint32_t mask,
                                   std::uint32_t value) {
  std::uint32_t& p = w.predicates[op->predicate_out[which]];
  p = (p & ~mask) | (value & mask);
}

/// Bit i set where row[i] has its top bit set (lanes of a comparison as 0 or all ones).
LANEBANK_INLINE std::uint32_t lane_mask(const std::uint32_t* row) {
#if defined(__AVX512F__)
  const std::uint32_t low = _mm512_cmplt_epi32_mask(_mm512_loadu_si512(row), _mm512_setzero_si512());
  const std::uint32_t high = _mm512_cmplt_epi32_mask(_mm512_loadu_si512(row + 16), _mm512_setzero_si512());
  return low | (high << 16);
#elif defined(__AVX2__)
  std::uint32_t mask = 0;
  for (unsigned i = 0; i < 4; ++i)
    mask |= static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_loadu_ps(reinterpret_cast<const float*>(row + 8 * i))))
            << (8 * i);
  return mask;
#else
  std::uint32_t mask = 0;
  for (unsigned i = 0; i < 32; ++i) mask |= (row[i] >> 31) << i;
  return mask;
#endif
}

/// row[i] = all ones where bit i of mask is set, else 0.
LANEBANK_INLINE void expand_mask(std::uint32_t mask, std::uint32_t* row) {
  LANEBANK_LANES for (unsigned i = 0; i < 32; ++i) row[i] = 0u - ((mask >> i) & 1u);
}

/// destination[i] = source[i] for the lanes in mask.
LANEBANK_INLINE void blend(std::uint32_t mask, const std::uint32_t* source, std::uint32_t* destination) {
#if defined(__AVX512F__)
  _mm512_mask_storeu_epi32(destination, static_cast<__mmask16>(mask), _mm512_loadu_si512(source));
  _mm512_mask_storeu_epi32(destination + 16, static_cast<__mmask16>(mask >> 16), _mm512_loadu_si512(source + 16));
#else
  LANEBANK_LANES for (unsigned i = 0; i < 32; ++i) destination[i] = (mask >> i) & 1u ? source[i] : destination[i];
#endif
}

LANEBANK_INLINE unsigned first_lane(std::uint32_t mask) { return static_cast<unsigned>(std::countr_zero(mask)); }

/// A 32-bit operand: lane i is operand[i].
template <From kind>
struct Operand32 {
  const std::uint32_t* row;
  std::uint32_t scalar;
  LANEBANK_INLINE Operand32(Warp& w, const Operation* op, std::uint16_t number) : row(nullptr), scalar(0) {
    if constexpr (kind == From::row) row = w.row(number);
    if constexpr (kind == From::immediate) scalar = op->immediate[0];
    if constexpr (kind == From::uniform) scalar = w.uniform[op->uniform];
  }
  LANEBANK_INLINE std::uint32_t operator[](unsigned lane) const {
    if constexpr (kind == From::row) return row[lane];
    return scalar;
  }
};

/// A 64-bit operand: a register pair, two immediate words or a uniform pair.
template <From kind>
struct Operand64 {
  const std::uint32_t* row;
  std::uint64_t scalar;
  LANEBANK_INLINE Operand64(Warp& w, const Operation* op, std::uint16_t number) : row(nullptr), scalar(0) {
    if constexpr (kind == From::row) row = w.row(number);
    if constexpr (kind == From::immediate) scalar = op->immediate[0] | std::uint64_t{op->immediate[1]} << 32;
    if constexpr (kind == From::uniform)
      scalar = w.uniform[op->uniform] | std::uint64_t{w.uniform[op->uniform + 1]} << 32;
  }
  LANEBANK_INLINE std::uint64_t operator[](unsigned lane) const {
    if constexpr (kind == From::row) return row[lane] | std::uint64_t{row[lane + 32]} << 32;
    return scalar;
  }
};

/// d[i] = f(a[i], b[i], c[i]) on the lanes that execute. F is made from the Operation (its modifiers) and
/// is a pure function of three words.
template <class F, From B, From C>
const Operation* alu3(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  const F f(*op);
  const std::uint32_t* a = w.row(op->a);
  const Operand32<B> b(w, op, op->b);
  const Operand32<C> c(w, op, op->c);
  std::uint32_t* d = w.row(op->d);
  if (mask == all_lanes) {
    LANEBANK_LANES for (unsigned i = 0; i < 32; ++i) d[i] = f(a[i], b[i], c[i]);
  } else if (mask != 0) {
    alignas(64) std::uint32_t result[32];
    LANEBANK_LANES for (unsigned i = 0; i < 32; ++i) result[i] = f(a[i], b[i], c[i]);
    blend(mask, result, d);
  }
  return op + 1;
}

/// The instance of alu3 for the operand forms at hand.
template <class F>
Execute select_alu3(Lowering::Operands kinds) {
  if (kinds.b == From::immediate) return &alu3<F, From::immediate, From::row>;
  if (kinds.b == From::uniform) return &alu3<F, From::uniform, From::row>;
  if (kinds.c == From::immediate) return &alu3<F, From::row, From::immediate>;
  if (kinds.c == From::uniform) return &alu3<F, From::row, From::uniform>;
  return &alu3<F, From::row, From::row>;
}

}  // namespace
}  // namespace lanebank::machine::LANEBANK_SIMD
