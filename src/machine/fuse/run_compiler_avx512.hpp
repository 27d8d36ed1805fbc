// Runs in AVX-512: a row is a pair of zmm. General registers: r8 the warp's rows, r9 the guard, r10. zmm0..29 are 15 pairs,
// one vector for lanes 0..15 and one for 16..31; zmm30 holds 0x7fffffff, zmm31 ones; k1, k2 the guard, k3..k7 scratch.
#pragma once

#include "machine/fuse/run_compiler.hpp"

namespace lanebank::machine::fuse {

/// Two vectors: lanes 0..15 and lanes 16..31 of a row.
struct Pair {
  int number = -1;
  Xbyak::Zmm half(int h) const { return Xbyak::Zmm(2 * number + h); }
};

/// A second or third operand: a row in registers, or a word in memory for all lanes.
struct Source {
  Pair pair;
  std::size_t offset = 0;  ///< of the word in memory
  bool is_row = false;
  bool in_warp = false;  ///< from the warp, else from the run's first operation
};

class RunCompilerAvx512 final : public RunCompiler {
 public:
  RunCompilerAvx512(std::span<const Operation> operations, std::span<const Fused> fused, std::uint16_t zero_row)
      : RunCompiler(operations, fused, zero_row, pair_count) {}

 private:
  static constexpr std::size_t pair_count = 15;

  void emit_body(const CompiledRun& run) override;
  void load(int slot) override;
  void store(int slot) override;

  // -- rows
  Pair take() { return {take_slot()}; }
  void give(Pair pair) { free_slot(pair.number); }
  Pair row(unsigned number) { return {fetch(static_cast<int>(number))}; }
  Xbyak::Address row_at(int number, int half);

  // -- operands and results
  Source source(From from, unsigned row_number, unsigned which = 0);
  const Xbyak::Operand& operand(const Source& source, int half);
  /// The source as vectors, in a pair of its own where `own`: it may then be changed.
  Pair vectors(const Source& source, bool own);
  void copy(Pair to, const Source& from);
  void finish(unsigned row_number, Pair value);  ///< value becomes the row, under the guard; gives the pair up

  // -- predicates
  void load_guard();
  /// k `low` and k `low + 1` from a predicate source of the operation.
  void load_predicate(unsigned number, std::uint32_t flip, int low, bool inverted = false);
  /// eax from k `low` (lanes 0..15) and k `high`.
  void join_masks(int low, int high);
  void set_predicate(unsigned number);                      ///< from eax, under the guard
  void combine_and_set(unsigned combination, bool second);  ///< ISETP, FSETP: eax the comparison
  Xbyak::Address predicate(unsigned number) { return dword[rdi + predicate_offset(number)]; }
  void ones_to(Pair target, int low);  ///< target += 1 in the lanes of k `low`, k `low + 1`

  // -- operations (emit_integer_avx512.cpp, emit_float_avx512.cpp)
  void emit_sum() override;
  void emit_sum_carry() override;
  void emit_multiply_add() override;
  void emit_multiply_wide() override;
  void emit_scaled_sum() override;
  void emit_logic() override;
  void emit_shift() override;
  void emit_select() override;
  void emit_move() override;
  void emit_compare() override;
  void emit_minimum() override;
  void emit_special() override;
  void emit_float_arithmetic() override;
  void emit_float_compare() override;
  void emit_float_select() override;
  Pair with_signs(const Source& source, unsigned signs, bool own);

  bool guarded_ = false;
  Xbyak::Address address_{0};
  Xbyak::Zmm zmm_;
};

}  // namespace lanebank::machine::fuse
