// From 128 bits to the row of the table, through an index over the twelve opcode bits.
#include "sass/table.hpp"

namespace lanebank::sass {
namespace {

constexpr unsigned opcode_count = 1u << 12;

template <typename Function>
constexpr void for_each_opcode(const RowInfo& row, Function function) {
  if (row.match.operand_forms == 0) return function(row.opcode);
  for (unsigned form = 0; form < 8; ++form)
    if (row.match.operand_forms >> form & 1) function(row.opcode | form << 9);
}

constexpr std::size_t candidate_count() {
  std::size_t count = 0;
  for (const RowInfo& row : rows) for_each_opcode(row, [&](unsigned) { ++count; });
  return count;
}

/// candidates[first[op] .. first[op + 1]) are the rows whose opcode is op, in table order.
struct Index {
  std::array<std::uint16_t, opcode_count + 1> first{};
  std::array<std::uint16_t, candidate_count()> candidates{};
};

constexpr Index make_index() {
  Index index;
  for (const RowInfo& row : rows) for_each_opcode(row, [&](unsigned opcode) { ++index.first[opcode + 1]; });
  for (unsigned opcode = 0; opcode < opcode_count; ++opcode) index.first[opcode + 1] += index.first[opcode];
  std::array<std::uint16_t, opcode_count> filled{};
  for (std::size_t n = 0; n < row_count; ++n)
    for_each_opcode(rows[n], [&](unsigned opcode) {
      index.candidates[index.first[opcode] + filled[opcode]++] = static_cast<std::uint16_t>(n);
    });
  return index;
}

constexpr Index index = make_index();

/// Two rows must not take the same word: of one opcode they differ in architecture or in a fixed bit.
constexpr bool disjoint(const RowInfo& a, const RowInfo& b) {
  if (a.last_architecture < b.first_architecture || b.last_architecture < a.first_architecture) return true;
  std::uint64_t low = a.match.mask.low & b.match.mask.low, high = a.match.mask.high & b.match.mask.high;
  return ((a.match.value.low ^ b.match.value.low) & low) || ((a.match.value.high ^ b.match.value.high) & high);
}

constexpr bool unambiguous() {
  for (unsigned opcode = 0; opcode < opcode_count; ++opcode)
    for (unsigned i = index.first[opcode]; i < index.first[opcode + 1]; ++i)
      for (unsigned j = i + 1; j < index.first[opcode + 1]; ++j)
        if (!disjoint(rows[index.candidates[i]], rows[index.candidates[j]])) return false;
  return true;
}
static_assert(unambiguous(), "two rows of instructions.def take the same word");

}  // namespace

Instruction decode(const Word& word, std::uint32_t address, unsigned architecture) {
  Instruction instruction{word, address, no_row};
  unsigned opcode = word.low & (opcode_count - 1);
  for (unsigned i = index.first[opcode]; i < index.first[opcode + 1]; ++i) {
    const RowInfo& row = rows[index.candidates[i]];
    if (architecture < row.first_architecture || architecture > row.last_architecture) continue;
    if (!row.match.accepts(word)) continue;
    instruction.row = static_cast<Row>(index.candidates[i]);
    break;
  }
  return instruction;
}

bool has_uniform_guard(Row row) { return row != no_row && info(row).match.uniform_guard; }

std::string_view mnemonic(Row row) { return row == no_row ? "?" : info(row).mnemonic; }

}  // namespace lanebank::sass
