// The instruction table as C++ values: what the columns of instructions.def mean.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "sass/instruction.hpp"

namespace lanebank::sass {

/// One enumerator per row, in table order: Row::IADD3.
enum class Row : std::uint16_t {
#define LANEBANK_SASS(id, mnemonic, opcode, match, first, last, unit, lower, modifiers, operands, status) id,
#include "sass/instructions.def"
};

enum class Unit : std::uint8_t {
  alu,
  convert,
  uniform,
  memory,
  atomic,
  matrix,
  async,
  warp,
  barrier,
  control,
  system,
  texture
};

/// Which words a row takes, as the legend of instructions.def says.
struct Match {
  std::uint8_t operand_forms = 0;  ///< bit f: form f is allowed; 0: bits 9:12 belong to the opcode
  Word mask{}, value{};            ///< beyond the opcode: (word & mask) == value
  bool uniform_guard = false;      ///< the guard is UP0..UP6, not P0..P6

  constexpr Match where(unsigned first, unsigned end, std::uint64_t bits) const {
    Match match = *this;
    for (unsigned n = first; n < end; ++n) {
      std::uint64_t one = std::uint64_t{1} << (n & 63), set = bits >> (n - first) & 1;
      (n < 64 ? match.mask.low : match.mask.high) |= one;
      (n < 64 ? match.value.low : match.value.high) |= set ? one : 0;
    }
    return match;
  }
  constexpr Match uniform() const {
    Match match = *this;
    match.uniform_guard = true;
    return match;
  }
  constexpr bool accepts(const Word& word) const {
    return (word.low & mask.low) == value.low && (word.high & mask.high) == value.high;
  }
};

/// What is known of a row's execution.
struct Status {
  bool supported = true;
  std::string_view reason;  ///< why not
};

struct RowInfo {
  std::string_view id, mnemonic;
  std::uint16_t opcode = 0;
  Match match;
  std::uint8_t first_architecture = 0, last_architecture = 0;
  Unit unit = Unit::alu;
  std::string_view lower, modifiers, operands;
  Status status;
};

namespace columns {
constexpr Match forms(auto... form) { return {static_cast<std::uint8_t>((0u | ... | (1u << form)))}; }
constexpr Match full() { return {}; }
inline constexpr Status supported{};
constexpr Status unsupported(std::string_view reason) { return {false, reason}; }
using enum Unit;

inline constexpr auto rows = std::to_array<RowInfo>({
#define LANEBANK_SASS(id, mnemonic, opcode, match, first, last, unit, lower, modifiers, operands, status) \
  {#id, mnemonic, opcode, match, first, last, unit, #lower, modifiers, operands, status},
#include "sass/instructions.def"
});
}  // namespace columns

inline constexpr std::size_t row_count = columns::rows.size();
inline constexpr const auto& rows = columns::rows;

/// The table's row; `row` must not be no_row.
constexpr const RowInfo& info(Row row) { return rows[static_cast<std::size_t>(row)]; }

}  // namespace lanebank::sass
