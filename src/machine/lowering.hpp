// Lowering: from a decoded instruction to an Operation, once per kernel.
//
// For every name in the `lower` column of sass/instructions.def there is one function
// `void lower_NAME(Lowering&)` in lanes/, compiled once per SIMD level. It reads the fields of the
// instruction word, fills `op`, and picks the execute function for the operand forms at hand.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/fused.hpp"
#include "machine/operation.hpp"
#include "machine/warp.hpp"
#include "sass/instruction.hpp"

namespace lanebank::machine {

/// Where architectures differ in ways that execution sees.
struct ArchitectureFacts {
  unsigned architecture;            ///< 75, 80, 86, 89, 90
  std::uint32_t parameter_base;     ///< c[0x0] offset of the first parameter
  std::uint32_t parameter_pointer;  ///< c[0x0] offset of the parameter block's global address, 0 none
  std::uint32_t constant3_pointer;  ///< c[0x0] offset of the generic address of bank 3
  std::uint32_t
      grid_workspace;  ///< c[0x0] offset of the high word of the address of the grid's workspace; the low one follows
  std::uint32_t shared_window_base;  ///< window address of the first shared array; the bytes before it are reserved
  unsigned threads_per_multiprocessor;
  bool long_branch_offsets;  ///< bits 16:24 extend branch offsets
};

/// The facts of an architecture; nullptr when lanebank does not execute it.
const ArchitectureFacts* architecture_facts(unsigned architecture);

/// A word of an operation that takes its value from a constant bank when the launch begins.
struct ConstantUse {
  std::uint32_t operation;  ///< index into the program
  std::uint8_t word;        ///< of Operation::immediate
  std::uint8_t bank;
  std::uint16_t offset_bytes;
};

/// Lowering::target of an operation that goes nowhere else.
inline constexpr std::int64_t no_target = INT64_MIN;

struct Lowering {
  sass::Word word;
  std::uint32_t address = 0;       ///< byte offset from the start of the function
  std::uint64_t code_address = 0;  ///< of the function, in the code window
  const ArchitectureFacts* facts = nullptr;
  std::uint16_t register_count = 0;  ///< rows before the zero rows
  std::uint32_t index = 0;           ///< of the operation in the program
  std::vector<ConstantUse>* constant_uses = nullptr;

  Operation op;                       ///< the result; guard and instruction are set already
  std::int64_t target = no_target;    ///< byte offset from the start of the function that op.target shall point to
  Fused fused;                        ///< set: the same, for the compiler of runs
  const char* unsupported = nullptr;  ///< set: the operation faults when it is executed, with this reason

  std::uint64_t bits(unsigned first, unsigned end) const { return word.bits(first, end); }
  bool bit(unsigned n) const { return word.bit(n); }

  /// Row of a source register field; 255 gives zero rows. `count`: registers from it that are read.
  std::uint16_t source(unsigned register_number, unsigned count = 1) {
    if (register_number == 255) return register_count;
    if (register_number + count > register_count) unsupported = "a register beyond the kernel's register count";
    return static_cast<std::uint16_t>(register_number);
  }
  /// Row of a destination register field; 255 gives sink rows.
  std::uint16_t destination(unsigned register_number, unsigned count = 1) {
    if (register_number == 255) return static_cast<std::uint16_t>(register_count + zero_rows);
    return source(register_number, count);
  }
  std::uint16_t d(unsigned count = 1) { return destination(unsigned(bits(16, 24)), count); }
  std::uint16_t a(unsigned count = 1) { return source(unsigned(bits(24, 32)), count); }

  /// Says what the operation does.
  void fuse(FusedKind kind, From b, From c = From::row, unsigned detail = 0) {
    const unsigned form = unsigned(bits(9, 12));
    fused = {kind, b, c, static_cast<std::uint8_t>(detail), form == 2 || form == 4};
  }

  /// Predicate number of a 3-bit source or destination field; destination 7 is the sink.
  static std::uint8_t predicate(unsigned field) { return static_cast<std::uint8_t>(field); }
  static std::uint8_t uniform_predicate(unsigned field) { return static_cast<std::uint8_t>(8 + field); }
  static std::uint8_t predicate_destination(unsigned field) {
    return static_cast<std::uint8_t>(field == 7 ? sink_predicate : field);
  }
  static std::uint8_t uniform_predicate_destination(unsigned field) {
    return static_cast<std::uint8_t>(field == 7 ? sink_predicate : 8 + field);
  }
  /// Predicate source `which` (0 or 1) from a 3-bit field and its negation bit after it.
  void predicate_source(unsigned which, unsigned first_bit, bool uniform = false) {
    op.predicate_in[which] = static_cast<std::uint8_t>(bits(first_bit, first_bit + 3) + (uniform ? 8 : 0));
    op.predicate_in_flip[which] = bit(first_bit + 3) ? ~std::uint32_t{0} : 0;
  }

  /// Takes word `which` of op.immediate from a constant bank at launch.
  void constant(unsigned which, unsigned bank, unsigned offset_bytes) {
    constant_uses->push_back({index, static_cast<std::uint8_t>(which), static_cast<std::uint8_t>(bank),
                              static_cast<std::uint16_t>(offset_bytes)});
  }

  /// Second and third operand of an ALU instruction, from its form (bits 9:12).
  struct Operands {
    From b = From::row, c = From::row;
    bool swapped = false;  ///< slot b holds the third operand: sign modifiers stay with the slot
  };
  /// Fills op.b, op.c, op.uniform, op.immediate. `b_count`, `c_count`: registers read of each (2: 64-bit
  /// operands; constants then fill both words, literals the low word, or the high one if
  /// `literal_is_high_word`, as double operations have it). `third`: false for instructions of two operands, which keep
  /// other things in the third's field.
  Operands operands(unsigned b_count = 1, unsigned c_count = 1, bool literal_is_high_word = false, bool third = true);
};

}  // namespace lanebank::machine
