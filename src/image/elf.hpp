// The parts of an ELF64 little-endian file that a cubin uses, read so that no lie of the file can hurt.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "image/byte_reader.hpp"

namespace lanebank::image {

enum class SectionType : std::uint32_t { program_data = 1, symbols = 2, strings = 3, rela = 4, no_bits = 8, rel = 9 };

struct ElfSection {
  std::string_view name;
  SectionType type{};
  std::uint64_t flags = 0;
  std::uint64_t size_bytes = 0;
  std::uint64_t alignment_bytes = 1;
  std::uint32_t link = 0;
  std::uint32_t info = 0;
  Bytes bytes;  ///< empty for no_bits

  bool is_allocated() const { return (flags & 2) != 0; }
};

struct ElfSymbol {
  enum Type : std::uint8_t { none = 0, object = 1, function = 2, section_symbol = 3 };
  enum Binding : std::uint8_t { local = 0, global = 1, weak = 2 };
  static constexpr std::uint32_t undefined = 0;
  static constexpr std::uint32_t absolute = 0xfff1;

  std::string_view name;
  std::uint64_t value = 0;
  std::uint64_t size_bytes = 0;
  std::uint8_t type = none;
  std::uint8_t binding = local;
  std::uint8_t other = 0;     ///< vendor's bits: 0x10 kernel, 0x04 managed
  std::uint32_t section = 0;  ///< an index into sections, or `undefined`, or `absolute`
};

struct ElfRelocation {
  std::uint64_t offset_bytes = 0;  ///< in the section that is patched
  std::uint32_t symbol = 0;        ///< an index into symbols
  std::uint32_t type = 0;
  std::int64_t addend = 0;       ///< 0 for REL, whose addend lies in the patched field
  bool explicit_addend = false;  ///< RELA
};

/// Views into the file; it must outlive them.
struct Elf {
  std::uint16_t type = 0;     ///< 2 executable, 1 relocatable
  std::uint16_t machine = 0;  ///< 190 is CUDA
  std::uint8_t abi = 0;
  std::uint32_t flags = 0;
  std::vector<ElfSection> sections;
  std::vector<ElfSymbol> symbols;

  /// The relocations that `section` (of type rel or rela) holds; symbol indices are checked.
  Result<std::vector<ElfRelocation>> relocations(const ElfSection& section) const;
};

/// Section contents lie inside the file and do not overlap in sum, so that copying all of them costs no
/// more than the file; indices of symbols' sections are checked.
Result<Elf> read_elf(Bytes file);

}  // namespace lanebank::image
