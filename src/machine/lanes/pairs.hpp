// Operations on 64-bit lanes: every operand is a pair of register rows.
#pragma once

#include "machine/lanes/lane.hpp"

namespace lanebank::machine::LANEBANK_SIMD {
namespace {

/// d[i] = f(a[i], b[i], c[i]) on pairs.
template <class F, From B, From C>
const Operation* pairs(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  const F f(*op);
  const Operand64<From::row> a(w, op, op->a);
  const Operand64<B> b(w, op, op->b);
  const Operand64<C> c(w, op, op->c);
  if (mask == 0) return op + 1;
  alignas(64) std::uint32_t low[32], high[32];
  LANEBANK_LANES for (unsigned i = 0; i < 32; ++i) {
    const std::uint64_t result = f(a[i], b[i], c[i]);
    low[i] = static_cast<std::uint32_t>(result);
    high[i] = static_cast<std::uint32_t>(result >> 32);
  }
  std::uint32_t* d = w.row(op->d);
  blend(mask, low, d);
  blend(mask, high, d + 32);
  return op + 1;
}

template <class F>
Execute select_pairs(Lowering::Operands kinds) {
  if (kinds.b == From::immediate) return &pairs<F, From::immediate, From::row>;
  if (kinds.b == From::uniform) return &pairs<F, From::uniform, From::row>;
  if (kinds.c == From::immediate) return &pairs<F, From::row, From::immediate>;
  if (kinds.c == From::uniform) return &pairs<F, From::row, From::uniform>;
  return &pairs<F, From::row, From::row>;
}

template <class F>
Execute select_pair_and_slot(From b) {
  if (b == From::immediate) return &pairs<F, From::immediate, From::row>;
  if (b == From::uniform) return &pairs<F, From::uniform, From::row>;
  return &pairs<F, From::row, From::row>;
}

}  // namespace
}  // namespace lanebank::machine::LANEBANK_SIMD
