#include "image/elf.hpp"

#include <string>

namespace lanebank::image {
namespace {

constexpr std::uint64_t file_header_bytes = 64;
constexpr std::uint64_t section_header_bytes = 64;
constexpr std::uint64_t symbol_bytes = 24;
constexpr std::uint64_t rel_bytes = 16;
constexpr std::uint64_t rela_bytes = 24;
constexpr std::uint32_t first_reserved_index = 0xff00;
constexpr std::uint64_t shared_names_limit = 4;  // names that end alike may share their bytes

struct FileHeader {
  std::uint8_t ident[16];
  std::uint16_t type, machine;
  std::uint32_t version;
  std::uint64_t entry, program_headers, section_headers;
  std::uint32_t flags;
  std::uint16_t header_bytes, program_header_bytes, program_header_count;
  std::uint16_t section_header_bytes, section_count, names_section;
};
static_assert(sizeof(FileHeader) == file_header_bytes);

struct SectionHeader {
  std::uint32_t name, type;
  std::uint64_t flags, address, offset, size;
  std::uint32_t link, info;
  std::uint64_t alignment, entry_size;
};
static_assert(sizeof(SectionHeader) == section_header_bytes);

struct SymbolRecord {
  std::uint32_t name;
  std::uint8_t info, other;
  std::uint16_t section;
  std::uint64_t value, size;
};
static_assert(sizeof(SymbolRecord) == symbol_bytes);

std::string section_label(std::size_t index, std::string_view name) {
  return "section " + std::to_string(index) + (name.empty() ? "" : " (" + std::string(name.substr(0, 80)) + ")");
}

Result<FileHeader> read_header(Bytes file) {
  if (file.size() < file_header_bytes)
    return fail("elf.truncated", "ELF header", "64 bytes are needed, there are " + std::to_string(file.size()),
                rebuild);
  FileHeader header = load<FileHeader>(file, 0);
  constexpr std::uint8_t elf64_little_endian[6] = {0x7f, 'E', 'L', 'F', 2, 1};
  if (std::memcmp(header.ident, elf64_little_endian, sizeof elf64_little_endian) != 0)
    return fail("elf.magic", "ELF header", "it is not a 64-bit little-endian ELF file", rebuild);
  if (header.section_count != 0 && header.section_header_bytes != section_header_bytes)
    return fail("elf.section-size", "ELF header",
                "section headers of " + std::to_string(header.section_header_bytes) + " bytes; 64 are expected",
                rebuild);
  if (header.section_count == 0 && header.section_headers != 0)
    return fail("elf.sections", "ELF header", "it has more than 65,279 sections", "put fewer kernels into one file");
  if (!fits(header.section_headers, std::uint64_t(header.section_count) * section_header_bytes, file.size()))
    return fail("elf.truncated", "section headers",
                std::to_string(header.section_count) + " headers at offset " + std::to_string(header.section_headers) +
                    " do not fit the file of " + std::to_string(file.size()) + " bytes",
                rebuild);
  if (header.section_count != 0 && header.names_section >= header.section_count)
    return fail("elf.index", "ELF header",
                "the section of names is number " + std::to_string(header.names_section) + " of " +
                    std::to_string(header.section_count),
                rebuild);
  return header;
}

Result<std::vector<ElfSection>> read_sections(Bytes file, const FileHeader& header) {
  std::vector<ElfSection> sections(header.section_count);
  std::vector<std::uint32_t> names(header.section_count);
  std::uint64_t total_bytes = 0;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    auto record = load<SectionHeader>(file, header.section_headers + i * section_header_bytes);
    ElfSection& section = sections[i];
    names[i] = record.name;
    section.type = SectionType(record.type);
    section.flags = record.flags;
    section.size_bytes = record.size;
    section.alignment_bytes = record.alignment == 0 ? 1 : record.alignment;
    section.link = record.link;
    section.info = record.info;
    if (i == 0 || section.type == SectionType::no_bits) continue;
    if (!fits(record.offset, record.size, file.size()))
      return fail("elf.truncated", section_label(i, {}),
                  std::to_string(record.size) + " bytes at offset " + std::to_string(record.offset) +
                      " do not fit the file of " + std::to_string(file.size()) + " bytes",
                  rebuild);
    total_bytes += record.size;
    if (total_bytes > file.size())
      return fail("elf.overlap", section_label(i, {}), "the sections claim more bytes than the file has", rebuild);
    section.bytes = file.subspan(record.offset, record.size);
  }
  if (!sections.empty()) {
    Bytes table = sections[header.names_section].bytes;
    std::uint64_t name_bytes = 0;
    for (std::size_t i = 0; i < sections.size(); ++i) {
      sections[i].name = text_at(table, names[i], name_limit_bytes);
      name_bytes += sections[i].name.size();
      if (name_bytes > table.size() * shared_names_limit)
        return fail("elf.overlap", section_label(i, {}),
                    "the sections' names share more bytes than a linker makes them share", rebuild);
    }
  }
  return sections;
}

Result<std::vector<ElfSymbol>> read_symbols(const std::vector<ElfSection>& sections) {
  std::vector<ElfSymbol> symbols;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const ElfSection& table = sections[i];
    if (table.type != SectionType::symbols) continue;
    if (!symbols.empty())
      return fail("elf.symbols", section_label(i, table.name), "there is more than one symbol table", rebuild);
    if (table.link >= sections.size())
      return fail(
          "elf.index", section_label(i, table.name),
          "its section of names is number " + std::to_string(table.link) + " of " + std::to_string(sections.size()),
          rebuild);
    Bytes names = sections[table.link].bytes;
    std::uint64_t name_bytes = 0;
    symbols.reserve(table.bytes.size() / symbol_bytes);
    for (std::uint64_t at = 0; fits(at, symbol_bytes, table.bytes.size()); at += symbol_bytes) {
      auto record = load<SymbolRecord>(table.bytes, at);
      if (record.section >= sections.size() && record.section < first_reserved_index)
        return fail("elf.index", "symbol " + std::to_string(symbols.size()),
                    "it lies in section " + std::to_string(record.section) + " of " + std::to_string(sections.size()),
                    rebuild);
      std::string_view name = text_at(names, record.name, name_limit_bytes);
      name_bytes += name.size();
      if (name_bytes > names.size() * shared_names_limit)
        return fail("elf.overlap", "symbol " + std::to_string(symbols.size()),
                    "the symbols' names share more bytes than a linker makes them share", rebuild);
      symbols.push_back({name, record.value, record.size, std::uint8_t(record.info & 15),
                         std::uint8_t(record.info >> 4), record.other, record.section});
    }
  }
  return symbols;
}

}  // namespace

Result<Elf> read_elf(Bytes file) {
  Result<FileHeader> header = read_header(file);
  if (!header) return tl::unexpected(header.error());
  Result<std::vector<ElfSection>> sections = read_sections(file, *header);
  if (!sections) return tl::unexpected(sections.error());
  Result<std::vector<ElfSymbol>> symbols = read_symbols(*sections);
  if (!symbols) return tl::unexpected(symbols.error());
  Elf elf;
  elf.type = header->type;
  elf.machine = header->machine;
  elf.abi = header->ident[8];
  elf.flags = header->flags;
  elf.sections = std::move(*sections);
  elf.symbols = std::move(*symbols);
  return elf;
}

Result<std::vector<ElfRelocation>> Elf::relocations(const ElfSection& section) const {
  bool explicit_addend = section.type == SectionType::rela;
  std::uint64_t record_bytes = explicit_addend ? rela_bytes : rel_bytes;
  std::vector<ElfRelocation> result;
  result.reserve(section.bytes.size() / record_bytes);
  for (std::uint64_t at = 0; fits(at, record_bytes, section.bytes.size()); at += record_bytes) {
    auto info = load<std::uint64_t>(section.bytes, at + 8);
    ElfRelocation relocation;
    relocation.offset_bytes = load<std::uint64_t>(section.bytes, at);
    relocation.symbol = std::uint32_t(info >> 32);
    relocation.type = std::uint32_t(info);
    relocation.addend = explicit_addend ? load<std::int64_t>(section.bytes, at + 16) : 0;
    relocation.explicit_addend = explicit_addend;
    if (relocation.symbol >= symbols.size())
      return fail("elf.index", std::string(section.name),
                  "relocation " + std::to_string(result.size()) + " names symbol " + std::to_string(relocation.symbol) +
                      " of " + std::to_string(symbols.size()),
                  rebuild);
    result.push_back(relocation);
  }
  return result;
}

}  // namespace lanebank::image
