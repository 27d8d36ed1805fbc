// The compiler of one program's runs. Registers: rdi the warp, rsi the run's first operation (both as called), r8 the
// warp's rows; zmm0..29 are 15 pairs, one vector for lanes 0..15 and one for 16..31; zmm30 holds 0x7fffffff, zmm31 ones; k1, k2
// the guard, k3..k7 scratch.
#pragma once

#include <xbyak/xbyak.h>

#include <array>
#include <cstddef>
#include <vector>

#include "machine/fuse/runs.hpp"

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

class RunCompiler : public Runs, private Xbyak::CodeGenerator {
 public:
  RunCompiler(std::span<const Operation> operations, std::span<const Fused> fused, std::uint16_t zero_row);

  /// Whether the compiler has code for an operation.
  bool compiles(const Operation& op, const Fused& fused) const;
  void compile(const CompiledRun& run);
  /// Makes the code executable and puts it into the operations.
  void install(std::span<Operation> operations);

 private:
  static constexpr int pair_count = 15;
  struct Slot {
    int row = -1;  ///< what the pair holds, -1: nothing, -2: a value on its way
    bool dirty = false;
    unsigned used = 0;  ///< when
  };

  // -- rows (run_compiler.cpp)
  Pair take();                ///< a free pair
  void give(Pair pair);       ///< frees a pair that `take` gave
  Pair row(unsigned number);  ///< a row's value
  void write_back(Slot& slot, int number);
  void write_all();
  Xbyak::Address row_at(unsigned number, int half);

  // -- operands and results
  bool is_zero(unsigned row) const { return row == zero_row_; }
  bool is_sink(unsigned row) const { return row >= zero_row_ + zero_rows; }
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
  Xbyak::Address predicate_at(unsigned number);
  void ones_to(Pair target, int low);  ///< target += 1 in the lanes of k `low`, k `low + 1`

  // -- operations (emit_integer.cpp, emit_float.cpp)
  void emit();
  void emit_sum();
  void emit_sum_carry();
  void emit_multiply_add();
  void emit_multiply_wide();
  void emit_scaled_sum();
  void emit_logic();
  void emit_shift();
  void emit_select();
  void emit_move();
  void emit_compare();
  void emit_minimum();
  void emit_uniform_constant();
  void emit_uniform();
  void emit_special();
  void load_uniform(const Xbyak::Reg32& to, unsigned slot);  ///< operand 0, 1, 2 of a uniform operation
  void add_uniform(unsigned slot, bool negated);             ///< to or from eax
  void store_uniform(const Xbyak::Reg32& value);
  void emit_float_arithmetic();
  void emit_float_compare();
  void emit_float_select();
  Pair with_signs(const Source& source, unsigned signs, bool own);

  std::span<const Operation> operations_;
  std::span<const Fused> fused_;
  std::uint16_t zero_row_;
  std::vector<std::size_t> entries_;  ///< of each run, in the code

  // While an operation is compiled:
  const Operation* op_ = nullptr;
  const Fused* form_ = nullptr;
  std::size_t here_ = 0;  ///< byte offset of the operation from the run's first
  bool guarded_ = false;
  std::array<Slot, pair_count> slots_;
  unsigned clock_ = 0;
  Xbyak::Address address_{0};
  Xbyak::Zmm zmm_;
};

}  // namespace lanebank::machine::fuse
