// The layouts of a tensor-core GEMM, a transpose and an epilogue with 20 proofs: what compile_time.py measures.
#pragma once

#include <cstdint>

#include "lanebank/layout.hpp"
#include "lanebank/proofs.hpp"

namespace twenty_proofs {

using namespace lanebank;
using Half = std::uint16_t;

using A = HardwareTile<Half, 128, 64, 128>;                                                   // 16 KiB
using B = AnyPitch<Half, 64, 96, 16>;                                                         // 12 KiB
using C = Swizzled<RowMajor<float, 64, 32>, SwizzleXor<Swizzle<1, 4, 5>, Swizzle<2, 5, 2>>>;  // 8 KiB
using T = Xor<float, 32, 32>;                                                                 // 4 KiB

static_assert(is_bijective<A>);
static_assert(in_bounds<A>);
static_assert(aligned_for<A, 16>);
static_assert(conflict_free<A, patterns::ldmatrix<4>>);
static_assert(ideal<A, patterns::cp_async_cg<>>);
static_assert(wavefronts<A, patterns::vector_row<8, patterns::store>> == 128);

static_assert(is_bijective<B>);
static_assert(aligned_for<B, 16>);
static_assert(conflict_free<B, patterns::ldmatrix<4>>);
static_assert(conflict_free<B, patterns::ldmatrix<2, MatrixOrder::right>>);
static_assert(wavefronts<B, patterns::vector_row<8, patterns::store>> == 96);

static_assert(is_bijective<C>);
static_assert(ideal<C, patterns::accumulator_m16n8<>>);
static_assert(ideal<C, patterns::vector_row<4>>);
static_assert(ideal<C, patterns::ldmatrix<4>>);

static_assert(is_bijective<T>);
static_assert(conflict_free<T, patterns::row<patterns::store>>);
static_assert(conflict_free<T, patterns::column<>>);
static_assert(wavefronts<T, patterns::column<>> == 32);
static_assert(wavefronts<RowMajor<float, 32, 32>, patterns::column<>> == 1024);

}  // namespace twenty_proofs
