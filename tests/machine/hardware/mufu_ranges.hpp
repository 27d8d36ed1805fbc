// Sweeps of MUFU, for mufu_dump.cu and for the test that replays them: word i of a sweep is the result for the
// operand first + i * step.
//
//   X(name, function as instructions number it, format (0 single, 1 half, 2 bfloat16), first, step, count)
#pragma once

// clang-format off

/// All words, spread: every exponent, both signs, special operands.
#define MUFU_SPREAD(X)                                                                                                 \
  X(cos_spread, 0, 0, 0, 4097, 0x100000)                                                                               \
  X(sin_spread, 1, 0, 0, 4097, 0x100000)                                                                               \
  X(ex2_spread, 2, 0, 0, 4097, 0x100000) X(lg2_spread, 3, 0, 0, 4097, 0x100000) X(rcp_spread, 4, 0, 0, 4097, 0x100000) \
      X(rsq_spread, 5, 0, 0, 4097, 0x100000) X(rcp64h_spread, 6, 0, 0, 4097, 0x100000)                                 \
          X(rsq64h_spread, 7, 0, 0, 4097, 0x100000) X(sqrt_spread, 8, 0, 0, 4097, 0x100000)                            \
              X(tanh_spread, 9, 0, 0, 4097, 0x100000) X(ex2_half, 2, 1, 0, 1, 0x10000)                                 \
                  X(tanh_half, 9, 1, 0, 1, 0x10000) X(ex2_brain, 2, 2, 0, 1, 0x10000)                                  \
                      X(tanh_brain, 9, 2, 0, 1, 0x10000)

/// Every operand of the binades that the tables were derived from.
#define MUFU_DENSE(X)                                                                                      \
  X(cos_dense, 0, 0, 0x3d800000, 1, 0x2000000)                                                             \
  X(sin_dense, 1, 0, 0x3d800000, 1, 0x2000000)                                                             \
  X(ex2_dense, 2, 0, 0x3e800000, 1, 0x1800000) X(ex2_negative, 2, 0, 0xbf000000, 1, 0x1000000)             \
      X(lg2_dense, 3, 0, 0x3f000000, 1, 0x1800000) X(rcp_dense, 4, 0, 0x3f800000, 1, 0x800000)             \
          X(rsq_dense, 5, 0, 0x3f800000, 1, 0x1000000) X(rcp64h_dense, 6, 0, 0x3ff00000, 1, 0x100000)      \
              X(rsq64h_dense, 7, 0, 0x3ff00000, 1, 0x200000) X(sqrt_dense, 8, 0, 0x3f800000, 1, 0x1000000) \
                  X(tanh_dense, 9, 0, 0x38000000, 16, 0xa00000)

// clang-format on
