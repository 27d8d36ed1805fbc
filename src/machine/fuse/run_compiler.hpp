// The compiler of one program's runs: what the backends for AVX-512 and AVX2 share. Which operations can be compiled, the
// frame of a run, the vector registers and what they hold, and the uniform datapath, which needs no vectors.
//
// A slot is what a backend keeps of a row in registers: a pair of zmm (a whole row), or one ymm (a quarter). Its key says
// what it holds; keys from 0 are register rows, backends may add their own above.
//
// General registers in a run: rdi the warp, rsi the run's first operation (both as called); rax, rcx, rdx, r11 scratch; the
// others as the backend says.
#pragma once

#include <xbyak/xbyak.h>

#include <cstddef>
#include <vector>

#include "machine/fuse/runs.hpp"

namespace lanebank::machine::fuse {

class RunCompiler : public Runs, protected Xbyak::CodeGenerator {
 public:
  RunCompiler(std::span<const Operation> operations, std::span<const Fused> fused, std::uint16_t zero_row,
              std::size_t slots);

  /// Whether there is code for an operation.
  static bool compiles(const Operation& op, const Fused& fused);
  void compile(const CompiledRun& run);
  /// Makes the code executable and puts it into the operations.
  void install(std::span<Operation> operations);

 protected:
  static constexpr std::size_t row_bytes = 128;
  static constexpr unsigned never = ~0u;
  static constexpr int nothing = -1, on_its_way = -2;  ///< keys of a free slot and of a value that is being made

  struct Slot {
    int key = nothing;
    bool dirty = false;
    unsigned used = 0;  ///< when
    unsigned next = 0;  ///< as note_use gave it
    bool flag = false;  ///< of the backend's own, about the value
  };

  /// The code between a run's entry and its return.
  virtual void emit_body(const CompiledRun& run) = 0;
  virtual void load(int slot) = 0;   ///< the value of the slot's key into its registers
  virtual void store(int slot) = 0;  ///< and back

  /// Hears that the key is used and gives the operation that uses it next, as far as that is known. The slot whose
  /// next use is the latest is freed first, then the one that lay idle longest.
  virtual unsigned note_use(int /*key*/) { return 0; }

  // -- slots
  Slot& slot_at(int slot) { return slots_[static_cast<std::size_t>(slot)]; }
  int find(int key) const;                          ///< the slot that holds it, or -1
  int take_slot();                                  ///< a free one
  int fetch(int key);                               ///< the slot that holds it, loaded where none did
  void hold(int slot, int key, bool flag = false);  ///< the slot's new value is that of the key
  void free_slot(int slot) { slot_at(slot) = {}; }
  void forget_all() { slots_.assign(slots_.size(), {}); }
  void write_back(int slot);  ///< stores what is dirty, and frees the slot
  void write_all();

  // -- operations
  void begin_operation(const CompiledRun& run, std::uint32_t n);
  void emit();
  bool is_zero(unsigned row) const { return row == zero_row_; }
  bool is_sink(unsigned row) const { return row >= zero_row_ + zero_rows; }
  static bool is_uniform(FusedKind kind);
  static std::size_t predicate_offset(unsigned number) { return offsetof(Warp, predicates) + 4 * std::size_t{number}; }
  static std::size_t uniform_offset(unsigned number) { return offsetof(Warp, uniform) + 4 * std::size_t{number}; }
  static std::size_t threads_offset(const Operation& op) {  ///< from Warp::counts
    return sizeof(Count) * op.instruction + offsetof(Count, threads);
  }
  std::size_t immediate_offset(unsigned which) const {  ///< from rsi
    return here_ + offsetof(Operation, immediate) + 4 * std::size_t{which};
  }

  virtual void emit_sum() = 0;
  virtual void emit_sum_carry() = 0;
  virtual void emit_multiply_add() = 0;
  virtual void emit_multiply_wide() = 0;
  virtual void emit_scaled_sum() = 0;
  virtual void emit_logic() = 0;
  virtual void emit_shift() = 0;
  virtual void emit_select() = 0;
  virtual void emit_move() = 0;
  virtual void emit_compare() = 0;
  virtual void emit_minimum() = 0;
  virtual void emit_special() = 0;
  virtual void emit_float_arithmetic() = 0;
  virtual void emit_float_compare() = 0;
  virtual void emit_float_select() = 0;
  Xbyak::RegExp thread_row();   ///< where the special register of the warp's first lane lies, by way of rax and rcx
  Xbyak::Address block_word();  ///< the word of the special register, by way of rax

  std::span<const Operation> operations_;
  std::span<const Fused> fused_;
  std::uint16_t zero_row_;

  // While an operation is compiled:
  const Operation* op_ = nullptr;
  const Fused* form_ = nullptr;
  std::size_t here_ = 0;  ///< byte offset of the operation from the run's first
  unsigned clock_ = 0;

 private:
  // -- the uniform datapath (emit_uniform.cpp)
  void emit_uniform_constant();
  void emit_uniform();
  void emit_special_uniform();
  void load_uniform(const Xbyak::Reg32& to, unsigned slot);  ///< operand 0, 1, 2 of a uniform operation
  void add_uniform(unsigned slot, bool negated);             ///< to or from eax
  void store_uniform(const Xbyak::Reg32& value);

  std::vector<Slot> slots_;
  std::vector<std::size_t> entries_;  ///< of each run, in the code
};

/// Values of FusedKind::compare's detail without the sign.
enum class Relation : std::uint8_t { less = 1, equal, less_equal, greater, not_equal, greater_equal };

/// Sign modifiers of float operands, two bits each in Operation::modifiers (lanes/float_lane.hpp).
enum : unsigned { negate = 1, absolute = 2 };

/// The shapes of a product and sum that multiply.
inline bool has_product(FusedProduct shape) {
  return shape == FusedProduct::product || shape == FusedProduct::plus || shape == FusedProduct::minus;
}

}  // namespace lanebank::machine::fuse
