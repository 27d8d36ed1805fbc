// One machine instruction: its 128 bits, the row of the instruction table that it matches, its text.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace lanebank::sass {

/// The 16 bytes of an instruction. Bit positions are those of the field tables: `bits(a, b)` is bits a
/// up to and including b-1; at most 64 of them.
struct Word {
  std::uint64_t low = 0, high = 0;

  constexpr std::uint64_t bits(unsigned first, unsigned end) const {
    std::uint64_t value = first >= 64  ? high >> (first - 64)
                          : first == 0 ? low
                                       : (low >> first) | (high << (64 - first));
    unsigned width = end - first;
    return width >= 64 ? value : value & ((std::uint64_t{1} << width) - 1);
  }
  constexpr bool bit(unsigned n) const { return bits(n, n + 1) != 0; }
  /// bits(first, end) as a two's complement number.
  constexpr std::int64_t signed_bits(unsigned first, unsigned end) const {
    unsigned width = end - first;
    std::uint64_t value = bits(first, end), sign = std::uint64_t{1} << (width - 1);
    return static_cast<std::int64_t>((value ^ sign) - sign);
  }
  friend constexpr bool operator==(const Word&, const Word&) = default;
};

inline Word word_at(const std::byte* code) {
  Word word;
  std::memcpy(&word, code, sizeof word);
  return word;
}

/// Index of a row of instructions.def; `Row::none` for an encoding that no row matches.
enum class Row : std::uint16_t;
inline constexpr Row no_row = static_cast<Row>(0xffff);

struct Instruction {
  Word word;
  std::uint32_t address = 0;  ///< byte offset from the start of its function
  Row row = no_row;
};

/// Matches `word` against the table for an architecture (75, 80, 86, 89, 90).
Instruction decode(const Word& word, std::uint32_t address, unsigned architecture);

/// Whether the guard of a row (bits 12:16) names a uniform predicate.
bool has_uniform_guard(Row row);

/// The base mnemonic of a row ("LDS"), "?" for no_row.
std::string_view mnemonic(Row row);

/// The text Nsight Compute and nvdisasm print, guard first ("@!P0 BRA 0x350"), without register reuse
/// flags; targets are byte offsets from the start of the function. Where the two differ (a comma before
/// the offset of indirect branches, the order of LDGSTS's operands) it is Nsight Compute's. An unknown
/// encoding prints as "?? 0x.. 0x..".
std::string disassemble(const Instruction& instruction, unsigned architecture);

}  // namespace lanebank::sass
