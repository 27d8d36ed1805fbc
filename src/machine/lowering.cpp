#include "machine/lowering.hpp"

namespace lanebank::machine {

namespace {

constexpr ArchitectureFacts facts_table[] = {
    {75, 0x160, 0, 0x50, 0x8c, 0, 1024, false},        {80, 0x160, 0, 0x50, 0x8c, 0, 2048, false},
    {86, 0x160, 0, 0x50, 0x8c, 0, 1536, false},        {89, 0x160, 0, 0x50, 0x8c, 0, 1536, false},
    {90, 0x210, 0x198, 0xd0, 0x44, 0x400, 2048, true},
};

}  // namespace

const ArchitectureFacts* architecture_facts(unsigned architecture) {
  for (const ArchitectureFacts& facts : facts_table)
    if (facts.architecture == architecture) return &facts;
  return nullptr;
}

Lowering::Operands Lowering::operands(unsigned b_count, unsigned c_count, bool literal_is_high_word, bool third) {
  enum Slot : unsigned { b_register, b_literal, b_constant, b_uniform };
  struct Form {
    bool known, swapped;
    Slot slot;
  };
  // Bits 9:12. Swapped: the second operand is the register field 64:72, the third comes from slot b.
  static constexpr Form forms[8] = {
      {false, false, b_register}, {true, false, b_register}, {true, true, b_literal},  {true, true, b_constant},
      {true, false, b_literal},   {true, false, b_constant}, {true, false, b_uniform}, {true, true, b_uniform},
  };
  const Form form = forms[bits(9, 12)];
  if (!form.known) {
    unsupported = "an operand form that is not known";
    return {};
  }
  Operands result;
  result.swapped = form.swapped;
  const unsigned slot_count = form.swapped ? c_count : b_count;
  From from = From::row;
  switch (form.slot) {
    case b_register:
      op.b = source(unsigned(bits(32, 40)), b_count);
      break;
    case b_literal:
      from = From::immediate;
      if (slot_count == 2 && literal_is_high_word) {
        op.immediate[1] = std::uint32_t(bits(32, 64));
      } else {
        op.immediate[0] = std::uint32_t(bits(32, 64));
      }
      break;
    case b_constant:
      from = From::immediate;
      if (bits(54, 59) >= 8) unsupported = "a constant bank that lanebank does not have";
      if (bit(91)) unsupported = "a constant bank named by a uniform register";
      for (unsigned word_index = 0; word_index < slot_count; ++word_index)
        constant(word_index, unsigned(bits(54, 59)), unsigned(bits(38, 54)) + 4 * word_index);
      break;
    case b_uniform:
      from = From::uniform;
      op.uniform = std::uint8_t(bits(32, 38));
      break;
  }
  const unsigned field = unsigned(bits(64, 72));
  if (form.swapped) {
    op.b = third ? source(field, b_count) : register_count;
    result.c = from;
  } else {
    // Two-operand instructions keep other things in this field: a number that is no register of the kernel reads as zero.
    op.c = field + c_count <= register_count ? source(field, c_count) : register_count;
    result.b = from;
  }
  return result;
}

}  // namespace lanebank::machine
