// The lowering function of every row of the instruction table, for this SIMD level.
#include <cstddef>

#include "machine/lanes/lane.hpp"
#include "machine/lower_table.hpp"

namespace lanebank::machine::LANEBANK_SIMD {

#define LANEBANK_SASS(id, mnemonic, opcode, match, first, last, unit, lower, modifiers, operands, status) \
  void lower_##lower(Lowering&);
#include "sass/instructions.def"
#undef LANEBANK_SASS

void lower_NONE(Lowering& l) { l.unsupported = "lanebank does not execute this instruction"; }

namespace {

constexpr Lower table[] = {
#define LANEBANK_SASS(id, mnemonic, opcode, match, first, last, unit, lower, modifiers, operands, status) \
  &lower_##lower,
#include "sass/instructions.def"
#undef LANEBANK_SASS
};

}  // namespace

Lower lower_function(std::size_t row) { return row < std::size(table) ? table[row] : &lower_NONE; }

}  // namespace lanebank::machine::LANEBANK_SIMD
