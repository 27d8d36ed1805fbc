// Runs in AVX2. The code passes over the operations four times, each time with 8 lanes of every row, so that a row is one
// ymm. The uniform datapath comes first, once: it reads neither rows nor predicates. Where it changes a uniform register
// that an operation before it reads, the old word is kept on the stack, in the 128 bytes that functions may use
// below its top; where these are full a new segment begins, with passes of its own.
//
//   segment     uniform operations, lanes of guards counted
//               for lanes 0..7, 8..15, 16..23, 24..31:  load, compute in ymm, store
//
// General registers: r8 the pass's part of the rows, r9 the warp and one byte more with every pass (the 8 bits of a
// predicate's word are one byte), r10 the pass's offset in a row. ymm0..14 are slots: rows, predicates (ones in the lanes where
// they hold, or the complement), words for all lanes; ymm15 is scratch within a function.
//
// A pass is emitted twice: the first tells what is used when, and its code is dropped.
#pragma once

#include <bitset>
#include <unordered_map>

#include "machine/fuse/run_compiler.hpp"

namespace lanebank::machine::fuse {

/// A truth value for each lane: ones or zeros in `lanes`; all lanes where `always`. All that may be `complemented`.
struct Mask {
  Xbyak::Ymm lanes;
  bool always = false, complemented = false;
  bool owned = false;  ///< `lanes` belongs to the mask, not to a predicate
};

class RunCompilerAvx2 final : public RunCompiler {
 public:
  RunCompilerAvx2(std::span<const Operation> operations, std::span<const Fused> fused, std::uint16_t zero_row);

 private:
  using Ymm = Xbyak::Ymm;

  /// Vectors in memory, before the code.
  enum class Constant : std::uint8_t { ones, zeros, lane_bits, sign, magnitude, doubled_infinity };

  /// Keys of slots, behind those of rows: predicates, uniform registers, their kept words, immediate words, literals by
  /// value. A slot's flag says of a predicate that it is complemented, of a row that it is a float result whose NaNs are
  /// not yet 0x7fffffff.
  enum : int {
    predicate_key = 0x1000,
    uniform_key = 0x2000,
    kept_key = 0x2800,
    immediate_key = 0x3000,
    literal_key = 0x4000
  };

  struct Literal {
    std::uint32_t value;
    std::size_t offset;  ///< from rsi
  };

  /// The last operand of an instruction: a register, or a row in memory that the segment reads this once.
  class Last {
   public:
    explicit Last(const Ymm& ymm) : ymm_(ymm), in_memory_(false) {}
    explicit Last(const Xbyak::Address& address) : address_(address) {}
    // NOLINTNEXTLINE(google-explicit-constructor): it stands wherever an operand does
    operator const Xbyak::Operand&() const { return in_memory_ ? static_cast<const Xbyak::Operand&>(address_) : ymm_; }

   private:
    Ymm ymm_;
    Xbyak::Address address_{256};
    bool in_memory_ = true;
  };

  /// A uniform register whose word is kept before an operation changes it.
  struct Kept {
    unsigned number;
    std::uint32_t before;  ///< operation of the run
  };

  // -- segments
  void emit_body(const CompiledRun& run) override;
  /// Where the segment ends; finds what is kept in it.
  std::uint32_t plan_segment(const CompiledRun& run, std::uint32_t first);
  void emit_uniform_part(const CompiledRun& run, std::uint32_t first, std::uint32_t end);
  int uniform_word(unsigned number) const;  ///< key of the word that the operation reads
  Xbyak::Address kept_word(std::size_t n);
  void count_guards(const CompiledRun& run, std::uint32_t first, std::uint32_t end);
  void emit_passes(const CompiledRun& run, std::uint32_t first, std::uint32_t end);
  void emit_pass(const CompiledRun& run, std::uint32_t first, std::uint32_t end);
  std::uint32_t operation_number() const { return static_cast<std::uint32_t>(here_ / sizeof(Operation)); }
  unsigned note_use(int key) override;
  unsigned next_use(int key) const;  ///< after the operation; `never`

  // -- rows and words
  void load(int slot) override;
  void store(int slot) override;
  Xbyak::Address constant(Constant which);
  Ymm take() { return Ymm(take_slot()); }
  void give(const Ymm& ymm) { free_slot(ymm.getIdx()); }
  Ymm row(unsigned number);        ///< as the machine has it
  Ymm float_row(unsigned number);  ///< for float arithmetic, to which NaNs are alike
  Ymm operand(From from, unsigned row_number, unsigned which = 0);
  Ymm float_operand(From from, unsigned row_number);
  Last last_operand(From from, unsigned row_number);
  Last last_float_operand(From from, unsigned row_number);
  bool is_read_once(From from, unsigned row_number);
  /// The value of a slot that was fetched, in a register to compute the operation's result in: its own where nothing
  /// else needs it.
  Ymm to_change(const Ymm& value);
  void make_canonical(const Ymm& value);
  /// value becomes the row, under the guard; gives the register up
  void finish(unsigned row_number, const Ymm& value, bool any_nan = false);

  // -- predicates (masks_avx2.cpp)
  void load_guard();
  Mask predicate(unsigned number, std::uint32_t flip);
  static Mask complement(Mask mask);
  Mask both(const Mask& x, const Mask& y);
  Mask either(const Mask& x, const Mask& y);
  Mask differ(const Mask& x, const Mask& y);
  Mask choose(const Mask& where, const Mask& yes, const Mask& no);
  void release(const Mask& mask);
  void set_predicate(unsigned number, Mask value);                      ///< under the guard; gives the mask up
  void combine_and_set(unsigned combination, Mask value, bool second);  ///< ISETP, FSETP
  void ones_to(const Ymm& target, const Mask& where);                   ///< target += 1
  void blend(const Ymm& to, const Mask& where, const Ymm& yes, const Ymm& no);
  Mask compare(Relation relation, bool is_signed, const Ymm& a, const Ymm& b);
  Mask equals_zero(const Ymm& value);
  void select(const Mask& where, const Ymm& yes, const Ymm& no);  ///< the operation's result

  // -- operations (emit_integer_avx2.cpp, emit_float_avx2.cpp)
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
  /// A function of the operation's operands (logic_formulas.hpp), in a register of its own where `owned`.
  Ymm formula(std::uint8_t table, bool& owned);
  Ymm with_signs(const Ymm& value, unsigned signs, bool& owned);

  Xbyak::Label constants_;
  std::vector<Literal> literals_;  ///< in the run
  std::vector<Kept> kept_;         ///< in the segment

  // In a pass:
  bool planning_ = false;                                     ///< it is emitted to learn what is used when
  std::unordered_map<int, std::vector<std::uint32_t>> uses_;  ///< operations, by key
  std::bitset<predicate_count> set_;                          ///< predicates set before the operation
  /// Rows in memory that hold float results whose NaNs are not yet 0x7fffffff. A pass ends by repairing them, if there
  /// was a NaN: if twice a word, as an integer, was above that of infinity. ymm14 keeps the largest.
  std::bitset<predicate_key> raw_;
  bool guarded_ = false;
  Mask guard_;
};

}  // namespace lanebank::machine::fuse
