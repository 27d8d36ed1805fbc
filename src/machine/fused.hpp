// What a lowered instruction computes, for the compiler of runs (fuse/): its kind and the forms of its operands. All
// else is read from the Operation. Lowering sets it where the compiler can do the same as the Operation's function.
#pragma once

#include <cstdint>

namespace lanebank::machine {

/// Where an operand comes from.
enum class From : std::uint8_t {
  row,        ///< a register row: Operation::b or ::c
  immediate,  ///< Operation::immediate (a literal, or a constant bank word filled in at launch)
  uniform,    ///< uniform registers Operation::uniform and, for 64 bits, the next one
};

enum class FusedKind : std::uint8_t {
  none,           ///< not compiled: a run ends here
  sum,            ///< a + b + c, `modifiers` bits 0..2: negated
  sum_carry,      ///< the same with a carry out or in; detail: 1 .X
  multiply_add,   ///< detail: a FusedProduct
  multiply_wide,  ///< a * b + c of 64 bits; detail: 1 signed, 2 the high word alone
  scaled_sum,     ///< LEA; detail: 1 the high word
  logic,          ///< LOP3; `modifiers`: the table
  shift,          ///< detail: a FusedShift; 8 by a literal below 32
  select,         ///< predicate ? a : b
  move,           ///< b
  move_pair,      ///< both immediate words
  compare,        ///< ISETP; detail: the comparison, 8 signed
  minimum,        ///< `modifiers`: 1 the maximum, 2 signed
  float_add,
  float_multiply,
  float_multiply_add,  ///< all three: nearest, no flush, no saturation; `modifiers`: signs
  float_compare,       ///< FSETP; detail: the relations
  float_select,
  uniform_constant,  ///< immediate words to uniform registers; detail: 1 both words
  uniform_sum,       ///< UIADD3 without carries
  uniform_scaled,    ///< ULEA without carries, and not .HI
  uniform_product,   ///< UIMAD without .X
  uniform_logic,     ///< ULOP3 of two operands; detail: the table
  uniform_shift,     ///< USHF of one word by a literal below 32
  uniform_move,
  special,          ///< S2R; detail: a FusedSpecial
  special_uniform,  ///< S2UR
};

/// Special registers.
enum class FusedSpecial : std::uint8_t { none, thread_x, thread_y, thread_z, block_x, block_y, block_z, cluster_rank };

/// The shapes that a product and sum take when factors are 0 or 1.
enum class FusedProduct : std::uint8_t { product, plus, minus, third, negated_third, sum, difference, sum_carry };

/// Shifts of SHF.
enum class FusedShift : std::uint8_t { left, funnel_left, right, signed_right, funnel_right, signed_funnel_right };

struct Fused {
  FusedKind kind = FusedKind::none;
  From b = From::row, c = From::row;
  std::uint8_t detail = 0;
  bool literal = false;  ///< immediate[0] is known when the program is built
};

}  // namespace lanebank::machine
