// What arithmetic.cu computes, as lists for the programs and tests that need all of it.
//
//   X(arity, name, PTX)   operations on lanes; the list's name says what operands and results are
#pragma once

// clang-format off

// Registers of type .b32/.b64 hold floats as well.
#define SINGLE_OPERATIONS(X)                                                                                           \
  X(2, add_rn, "add.rn.f32")                                                                                           \
  X(2, add_rz, "add.rz.f32")                                                                                           \
  X(2, add_rm, "add.rm.f32") X(2, add_rp, "add.rp.f32") X(2, add_ftz, "add.rn.ftz.f32") X(                             \
      2, add_sat, "add.rn.sat.f32") X(2, add_ftz_sat, "add.rn.ftz.sat.f32") X(2, mul_rn, "mul.rn.f32")                 \
      X(2, mul_rz, "mul.rz.f32") X(2, mul_rm, "mul.rm.f32") X(2, mul_rp, "mul.rp.f32") X(2, mul_ftz, "mul.rn.ftz.f32") \
          X(2, mul_ftz_rz, "mul.rz.ftz.f32") X(2, mul_ftz_rp, "mul.rp.ftz.f32") X(2, mul_sat, "mul.rn.sat.f32")        \
              X(3, fma_rn, "fma.rn.f32") X(3, fma_rz, "fma.rz.f32") X(3, fma_rm, "fma.rm.f32")                         \
                  X(3, fma_rp, "fma.rp.f32") X(3, fma_ftz, "fma.rn.ftz.f32") X(3, fma_ftz_rz, "fma.rz.ftz.f32")        \
                      X(3, fma_sat, "fma.rn.sat.f32") X(2, min, "min.f32") X(2, max, "max.f32")                        \
                          X(2, min_ftz, "min.ftz.f32") X(2, max_nan, "max.NaN.f32") X(                                 \
                              2, min_xorsign, "min.xorsign.abs.f32") X(2, max_nan_xorsign, "max.NaN.xorsign.abs.f32")  \
                              X(2, set_lt, "set.lt.f32.f32") X(2, set_geu, "set.geu.f32.f32")                          \
                                  X(2, set_num_ftz, "set.num.ftz.f32.f32") X(2, div_rn, "div.rn.f32")                  \
                                      X(2, div_full, "div.full.f32") X(1, rcp_rn, "rcp.rn.f32")                        \
                                          X(1, sqrt_rn, "sqrt.rn.f32") X(1, sqrt_rz, "sqrt.rz.f32")                    \
                                              X(1, rni, "cvt.rni.f32.f32") X(1, rmi, "cvt.rmi.f32.f32")                \
                                                  X(1, rpi_ftz, "cvt.rpi.ftz.f32.f32") X(1, rzi, "cvt.rzi.f32.f32")    \
                                                      X(1, abs_ftz, "abs.ftz.f32") X(1, neg_ftz, "neg.ftz.f32")
#define UNIT_FUNCTIONS(X)                                                                                          \
  X(1, mufu_rcp, "rcp.approx.ftz.f32")                                                                             \
  X(1, mufu_rsq, "rsqrt.approx.ftz.f32")                                                                           \
  X(1, mufu_sqrt, "sqrt.approx.ftz.f32") X(1, mufu_ex2, "ex2.approx.ftz.f32") X(1, mufu_lg2, "lg2.approx.ftz.f32") \
      X(1, mufu_sin, "sin.approx.ftz.f32") X(1, mufu_cos, "cos.approx.ftz.f32") X(1, mufu_tanh, "tanh.approx.f32")
#define SINGLE_TO_INTEGER(X)                                                                                           \
  X(1, s32_rni, "cvt.rni.s32.f32")                                                                                     \
  X(1, s32_rzi, "cvt.rzi.s32.f32")                                                                                     \
  X(1, s32_rmi, "cvt.rmi.s32.f32") X(1, u32_rni, "cvt.rni.u32.f32") X(1, u32_rzi_ftz, "cvt.rzi.ftz.u32.f32")           \
      X(1, u32_rpi, "cvt.rpi.u32.f32") X(1, s8_sat, "cvt.rzi.sat.s8.f32") X(1, u8_sat, "cvt.rni.sat.u8.f32")           \
          X(1, s16_sat, "cvt.rzi.sat.s16.f32") X(1, u16_sat, "cvt.rzi.sat.u16.f32") X(1, f32_s32_rn, "cvt.rn.f32.s32") \
              X(1, f32_s32_rz, "cvt.rz.f32.s32") X(1, f32_s32_rp, "cvt.rp.f32.s32") X(1, f32_u32_rn, "cvt.rn.f32.u32") \
                  X(1, f32_u32_rm, "cvt.rm.f32.u32") X(1, clamp_u8, "cvt.sat.u8.s32")                                  \
                      X(1, clamp_s16, "cvt.sat.s16.s32")
#define SINGLE_TO_LONG(X)                                                                           \
  X(1, s64_rzi, "cvt.rzi.s64.f32")                                                                  \
  X(1, u64_rni, "cvt.rni.u64.f32")                                                                  \
  X(1, f64_f32, "cvt.f64.f32") X(1, f64_f32_ftz, "cvt.ftz.f64.f32") X(1, f64_s32, "cvt.rn.f64.s32") \
      X(1, f64_u32, "cvt.rn.f64.u32")
#define DOUBLE_OPERATIONS(X)                                                                                          \
  X(2, dadd_rn, "add.rn.f64")                                                                                         \
  X(2, dadd_rz, "add.rz.f64")                                                                                         \
  X(2, dadd_rm, "add.rm.f64") X(2, dadd_rp, "add.rp.f64") X(2, dmul_rn, "mul.rn.f64") X(2, dmul_rz, "mul.rz.f64")     \
      X(2, dmul_rm, "mul.rm.f64") X(3, dfma_rn, "fma.rn.f64") X(3, dfma_rz, "fma.rz.f64") X(3, dfma_rm, "fma.rm.f64") \
          X(3, dfma_rp, "fma.rp.f64") X(2, dmin, "min.f64") X(2, dmax, "max.f64") X(2, ddiv, "div.rn.f64")            \
              X(1, dsqrt, "sqrt.rn.f64") X(1, drni, "cvt.rni.f64.f64") X(1, drmi, "cvt.rmi.f64.f64")                  \
                  X(1, rcp64h, "rcp.approx.ftz.f64") X(1, rsq64h, "rsqrt.approx.ftz.f64")                             \
                      X(1, ds64_rzi, "cvt.rzi.s64.f64") X(1, du64_rni, "cvt.rni.u64.f64")                             \
                          X(1, f64_s64, "cvt.rn.f64.s64") X(1, f64_u64_rz, "cvt.rz.f64.u64")
#define DOUBLE_TO_WORD(X)                                                                                      \
  X(1, f32_f64_rn, "cvt.rn.f32.f64")                                                                           \
  X(1, f32_f64_rz, "cvt.rz.f32.f64")                                                                           \
  X(1, f32_f64_rp, "cvt.rp.f32.f64") X(1, f32_f64_ftz, "cvt.rn.ftz.f32.f64") X(1, ds32_rzi, "cvt.rzi.s32.f64") \
      X(1, du32_rni, "cvt.rni.u32.f64") X(1, f32_s64_rn, "cvt.rn.f32.s64") X(1, f32_u64_rn, "cvt.rn.f32.u64")  \
          X(1, f32_u64_rp, "cvt.rp.f32.u64")
#define DOUBLE_COMPARISONS(X)     \
  X(2, dset_lt, "set.lt.u32.f64") \
  X(2, dset_geu, "set.geu.u32.f64") X(2, dset_num, "set.num.u32.f64") X(2, dset_nan, "set.nan.u32.f64")
#define PAIR_OPERATIONS(X)                                                                                          \
  X(2, hadd2, "add.rn.f16x2")                                                                                       \
  X(2, hadd2_ftz, "add.rn.ftz.f16x2")                                                                               \
  X(2, hadd2_sat, "add.rn.sat.f16x2") X(2, hmul2, "mul.rn.f16x2") X(3, hfma2, "fma.rn.f16x2")                       \
      X(3, hfma2_ftz, "fma.rn.ftz.f16x2") X(3, hfma2_sat, "fma.rn.sat.f16x2") X(3, hfma2_relu, "fma.rn.relu.f16x2") \
          X(3, bfma2, "fma.rn.bf16x2") X(3, bfma2_relu, "fma.rn.relu.bf16x2") X(2, badd2, "add.rn.bf16x2")          \
              X(2, bmul2, "mul.rn.bf16x2") X(2, hmin2, "min.f16x2") X(2, hmax2, "max.f16x2")                        \
                  X(2, hmin2_ftz, "min.ftz.f16x2") X(2, hmax2_nan, "max.NaN.f16x2")                                 \
                      X(2, hmin2_xorsign, "min.xorsign.abs.f16x2") X(2, bmin2, "min.bf16x2")                        \
                          X(2, bmax2_nan, "max.NaN.bf16x2") X(2, hset2_lt, "set.lt.f16x2.f16x2")                    \
                              X(2, hset2_geu, "set.geu.u32.f16x2") X(1, hex2, "ex2.approx.f16x2")                   \
                                  X(1, htanh, "tanh.approx.f16x2") X(1, btanh, "tanh.approx.bf16x2")                \
                                      X(1, bex2, "ex2.approx.ftz.bf16x2")
#define PACK_OPERATIONS(X)                                                                   \
  X(2, pack_f16, "cvt.rn.f16x2.f32")                                                         \
  X(2, pack_f16_rz, "cvt.rz.f16x2.f32")                                                      \
  X(2, pack_f16_relu, "cvt.rn.relu.f16x2.f32") X(2, pack_bf16, "cvt.rn.bf16x2.f32")          \
      X(2, pack_bf16_rz, "cvt.rz.bf16x2.f32") X(2, pack_bf16_relu, "cvt.rn.relu.bf16x2.f32") \
          X(1, tf32, "cvt.rna.tf32.f32")

#define HALF_TO_WORD(X)        \
  X(1, f32_f16, "cvt.f32.f16") \
  X(1, s32_f16_rni, "cvt.rni.s32.f16") X(1, u32_f16_rzi, "cvt.rzi.u32.f16") X(1, f32_bf16, "cvt.f32.bf16")
#define WORD_TO_HALF(X)                                                                                \
  X(1, f16_f32, "cvt.rn.f16.f32")                                                                      \
  X(1, f16_f32_rz, "cvt.rz.f16.f32")                                                                   \
  X(1, bf16_f32, "cvt.rn.bf16.f32") X(1, f16_s32, "cvt.rn.f16.s32") X(1, f16_u32_rz, "cvt.rz.f16.u32") \
      X(1, e4m3_f16, "cvt.rn.satfinite.e4m3x2.f16x2") X(1, e5m2_f16, "cvt.rn.satfinite.e5m2x2.f16x2")  \
          X(2, e4m3_f32, "cvt.rn.satfinite.e4m3x2.f32") X(2, e5m2_f32, "cvt.rn.satfinite.e5m2x2.f32")
#define EIGHT_BITS(X) X(1, f16_e4m3, "cvt.rn.f16x2.e4m3x2") X(1, f16_e5m2, "cvt.rn.f16x2.e5m2x2")
#define HALF_ROUNDING(X) X(1, hrni, "cvt.rni.f16.f16") X(1, hrmi, "cvt.rmi.f16.f16")
/// What came later than the rest: `arithmetic FILE later` records these and the sparse products alone.
#define LATER_PAIRS(X)                                                                                                 \
  X(3, hfma2_oob, "fma.rn.oob.f16x2") X(3, hfma2_oob_relu, "fma.rn.oob.relu.f16x2")                                    \
  X(3, bfma2_oob, "fma.rn.oob.bf16x2") X(3, bfma2_oob_relu, "fma.rn.oob.relu.bf16x2")
#define LATER_WORDS(X)                                                                                                 \
  X(1, tf32_rn, "cvt.rn.tf32.f32") X(1, tf32_rz, "cvt.rz.tf32.f32") X(1, tf32_rn_relu, "cvt.rn.relu.tf32.f32")         \
  X(1, tf32_rz_relu, "cvt.rz.relu.tf32.f32") X(3, vabsdiff4_u, "vabsdiff4.u32.u32.u32")                                \
  X(3, vabsdiff4_s, "vabsdiff4.s32.s32.s32") X(3, vabsdiff4_add, "vabsdiff4.u32.u32.u32.add")                          \
  X(3, pack_u2, "cvt.pack.sat.u2.s32.b32") X(3, pack_s2, "cvt.pack.sat.s2.s32.b32")                                    \
  X(3, pack_u4, "cvt.pack.sat.u4.s32.b32") X(3, pack_s4, "cvt.pack.sat.s4.s32.b32")
/// X(name, format of the factors, of the sums, seed): warp-wide products.
#define WARP_PRODUCTS(X)                                                                            \
  X(mma_f16_8, half, tensor, 1)                                                                     \
  X(mma_f16_16, half, tensor, 2)                                                                    \
  X(mma_bf16_8, brain, tensor, 3) X(mma_bf16_16, brain, tensor, 4) X(mma_tf32_4, tensor, tensor, 5) \
      X(mma_tf32_8, tensor, tensor, 6) X(mma_half_16, half, half, 7) X(mma_half_8, half, half, 8)   \
          X(mma_s8_32, word, word, 9) X(mma_b1_256, word, word, 10) X(mma_f64_4, word, word, 11)    \
              X(mma_f64_8, word, word, 12) X(movmatrix, word, word, 13)
/// The same, of later: rounding modes, and with a sparse A.
#define LATER_PRODUCTS(X)                                                                                             \
  X(mma_f64_rz, word, word, 14) X(mma_f64_rm, word, word, 15) X(mma_f64_rp, word, word, 16)                            \
  X(mma_sp_f16_16, half, tensor, 21) X(mma_sp_bf16_16, brain, tensor, 22) X(mma_sp_half_16, half, half, 23)            \
  X(mma_sp_f16_32, half, tensor, 24) X(mma_sp_bf16_32, brain, tensor, 25) X(mma_sp_half_32, half, half, 26)            \
  X(mma_sp_tf32_8, tensor, tensor, 27) X(mma_sp_tf32_16, tensor, tensor, 28) X(mma_sp_s8_32, word, word, 29)           \
  X(mma_sp_u8_64, word, word, 30) X(mma_sp_s4_64, word, word, 31) X(mma_sp_u4_128, word, word, 32)                     \
  X(mma_spo_f16_16, half, tensor, 33) X(mma_spo_f16_32, half, tensor, 34) X(mma_spo_tf32_16, tensor, tensor, 35)       \
  X(mma_spo_s8_64, word, word, 36)
/// X(name): warpgroup products.
#define GROUP_PRODUCTS(X) \
  X(group_f16)            \
  X(group_f16_a)          \
  X(group_f16_b) X(group_f16_ab) X(group_bf16) X(group_tf32) X(group_e4m3) X(group_e5m2) X(group_s8) X(group_half)
#define SPARSE_GROUP_PRODUCTS(X)                                                                                       \
  X(group_sp_f16) X(group_sp_f16_a) X(group_sp_f16_b) X(group_sp_f16_ab) X(group_sp_bf16) X(group_sp_tf32)             \
  X(group_sp_tf32_1) X(group_sp_e4m3) X(group_sp_e5m2) X(group_sp_s8) X(group_sp_half) X(group_sp_r_f16)               \
  X(group_sp_r_e4m3) X(group_sp_r_s8)

/// Lists by their operands and results: LANES(X(list)).
#define SINGLE_LISTS(X) \
  SINGLE_OPERATIONS(X) UNIT_FUNCTIONS(X) SINGLE_TO_INTEGER(X) PACK_OPERATIONS(X) WORD_TO_HALF(X) LATER_WORDS(X)  // word to word
#define PAIR_LISTS(X) PAIR_OPERATIONS(X) LATER_PAIRS(X)               // pair of halves to word
#define LONG_LISTS(X) SINGLE_TO_LONG(X)                               // word to 64 bits
#define DOUBLE_LISTS(X) DOUBLE_OPERATIONS(X)                          // 64 bits to 64 bits
#define DOUBLE_WORD_LISTS(X) DOUBLE_TO_WORD(X) DOUBLE_COMPARISONS(X)  // 64 bits to word
#define HALF_LISTS(X) HALF_TO_WORD(X) EIGHT_BITS(X) HALF_ROUNDING(X)  // half to word

// clang-format on
