#include "image/lines.hpp"

#include <algorithm>
#include <unordered_map>

#include "image/demangle.hpp"

namespace lanebank::image {
namespace {

constexpr std::uint8_t copy = 1, advance_address = 2, advance_line = 3, set_file = 4, set_column = 5;
constexpr std::uint8_t constant_add_address = 8, fixed_advance_address = 9;
constexpr std::uint8_t extended = 0, end_sequence = 1, set_address = 2, define_file = 3;
constexpr std::uint8_t inlined_call = 0x90, function_name = 0x91;
constexpr std::uint64_t text_sharing_limit = 16;  // paths repeat their folder; names may share their ends
constexpr std::uint32_t inlining_depth_limit = 1024;

tl::unexpected<Diagnostic> damaged(std::uint64_t offset, std::string what) {
  return fail("cubin.line-table", ".debug_line offset " + std::to_string(offset), std::move(what), rebuild);
}

/// Distinct texts of a cubin, numbered. Beyond the limit all are the empty text and is_full() is true.
class TextPool {
 public:
  explicit TextPool(std::uint64_t limit_bytes) : left_bytes_(limit_bytes) { number(""); }

  std::uint32_t number(std::string_view text) {
    if (text.size() > left_bytes_) {
      is_full_ = true;
      return 0;
    }
    auto [found, is_new] = numbers_.try_emplace(std::string(text), std::uint32_t(texts_.size()));
    if (is_new) {
      texts_.emplace_back(text);
      left_bytes_ -= text.size();
    }
    return found->second;
  }
  bool is_full() const { return is_full_; }
  std::vector<std::string> take() { return std::move(texts_); }

 private:
  std::uint64_t left_bytes_;
  bool is_full_ = false;
  std::vector<std::string> texts_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

/// Collects one function's rows; equal positions are stored once.
class TableBuilder {
 public:
  std::uint32_t position(const LineTable::Position& position) {
    auto [found, is_new] = numbers_.try_emplace(position, std::uint32_t(table_.positions.size()));
    if (is_new) {
      table_.positions.push_back(position);
      depths_.push_back(position.inlined_at == LineTable::none ? 0 : depths_[position.inlined_at] + 1);
    }
    return found->second;
  }
  std::uint32_t depth(std::uint32_t position) const { return depths_[position]; }
  /// Sequences share no positions; memory for finding equal ones is given back.
  void end_sequence() { numbers_ = {}; }
  void add_row(std::uint32_t offset_bytes, std::uint32_t position) { table_.rows.push_back({offset_bytes, position}); }

  /// Sorted by offset; of several rows at one offset the last made counts.
  LineTable finish(std::shared_ptr<const std::vector<std::string>> texts) {
    auto& rows = table_.rows;
    std::stable_sort(rows.begin(), rows.end(),
                     [](const LineTable::Row& a, const LineTable::Row& b) { return a.offset_bytes < b.offset_bytes; });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      bool last_at_offset = i + 1 == rows.size() || rows[i + 1].offset_bytes != rows[i].offset_bytes;
      bool changes = kept == 0 || rows[kept - 1].position != rows[i].position;
      if (last_at_offset && changes) rows[kept++] = rows[i];
    }
    rows.resize(kept);
    rows.shrink_to_fit();
    if (!rows.empty()) table_.texts = std::move(texts);
    return std::move(table_);
  }

 private:
  struct Hash {
    std::size_t operator()(const LineTable::Position& p) const {
      std::uint64_t mixed = p.file;
      for (std::uint32_t part : {p.line, p.function, p.inlined_at}) mixed = (mixed ^ part) * 0x9E3779B97F4A7C15u + 1;
      return std::size_t(mixed ^ mixed >> 32);
    }
  };
  LineTable table_;
  std::vector<std::uint32_t> depths_;
  std::unordered_map<LineTable::Position, std::uint32_t, Hash> numbers_;
};

struct StartAddress {
  std::uint32_t function = 0;
  std::uint64_t offset_bytes = 0;  ///< in the function
};

/// What a unit's header says.
struct UnitHeader {
  std::uint64_t program = 0, end = 0;  ///< offsets in .debug_line
  std::uint8_t minimum_instruction_bytes = 1, line_range = 1, opcode_base = 10;
  std::int8_t line_base = 0;
  std::vector<std::uint8_t> operand_counts;  ///< of standard opcodes, by opcode - 1
  std::vector<std::string_view> directories;
  std::vector<std::uint32_t> files;  ///< text numbers, by file number - 1
};

class LineReader {
 public:
  LineReader(Bytes program, Bytes names, std::unordered_map<std::uint64_t, StartAddress> starts, const Cubin& cubin,
             bool lines_are_ptx)
      : lines_are_ptx_(lines_are_ptx),
        program_(program),
        names_(names),
        starts_(std::move(starts)),
        cubin_(cubin),
        builders_(cubin.functions.size()),
        texts_((program.size() + names.size()) * text_sharing_limit + 4096) {}

  Result<void> read_units(std::vector<Diagnostic>& warnings);
  std::vector<TableBuilder>& builders() { return builders_; }
  TextPool& texts() { return texts_; }

 private:
  struct State {
    std::optional<StartAddress> start;
    std::uint64_t address = 0;
    std::uint32_t file = 1;
    std::int64_t line = 1;
    std::uint64_t context = 0;
    std::uint32_t function = LineTable::none;
    std::vector<std::uint32_t> rows;  ///< positions of the rows made so far in this sequence
    std::uint32_t rows_function = 0;  ///< whose they are
  };

  Result<UnitHeader> read_header(ByteReader& reader, std::uint64_t start, std::uint64_t end);
  void read_file(ByteReader& reader, UnitHeader& unit, std::string_view name);
  Result<void> run(const UnitHeader& unit);
  Result<void> run_standard(std::uint8_t opcode, ByteReader& reader, const UnitHeader& unit, State& state);
  Result<void> run_extended(ByteReader& reader, UnitHeader& unit, State& state);
  Result<void> make_row(std::uint64_t at, const UnitHeader& unit, State& state);
  /// The text at `offset` of .debug_str.
  std::uint32_t name_number(std::uint64_t offset) {
    auto [found, is_new] = name_numbers_.try_emplace(offset, 0);
    if (is_new) found->second = texts_.number(text_at(names_, offset, name_limit_bytes));
    return found->second;
  }

  bool lines_are_ptx_;
  Bytes program_;
  Bytes names_;
  std::unordered_map<std::uint64_t, StartAddress> starts_;  ///< by offset of the address operand
  const Cubin& cubin_;
  std::vector<TableBuilder> builders_;
  TextPool texts_;
  std::unordered_map<std::uint64_t, std::uint32_t> name_numbers_;
};

Result<void> LineReader::read_units(std::vector<Diagnostic>& warnings) {
  constexpr std::uint32_t dwarf64_mark = 0xffffffff;
  for (std::uint64_t at = 0; at < program_.size();) {
    ByteReader reader(program_, at);
    auto length = reader.read<std::uint32_t>();
    if (!reader.ok() || length == dwarf64_mark || !fits(at + 4, length, program_.size()))
      return damaged(at, "a unit of " + std::to_string(length) + " bytes does not fit the section");
    std::uint64_t end = at + 4 + length;
    auto version = reader.read<std::uint16_t>();
    if (version < 2 || version > 4) {
      Diagnostic warning = damaged(at, "line tables of DWARF version " + std::to_string(version) +
                                           " are not supported (2 to 4 are): lines stay unknown")
                               .value();
      warning.remedy = "please report the toolkit's version";
      warning.severity = Severity::warning;
      warnings.push_back(std::move(warning));
      at = end;
      continue;
    }
    Result<UnitHeader> unit = read_header(reader, at, end);
    if (!unit) return tl::unexpected(unit.error());
    if (Result<void> done = run(*unit); !done) return done;
    at = end;
  }
  return {};
}

Result<UnitHeader> LineReader::read_header(ByteReader& reader, std::uint64_t start, std::uint64_t end) {
  UnitHeader unit;
  auto version = load<std::uint16_t>(program_, start + 4);
  auto header_bytes = reader.read<std::uint32_t>();
  unit.end = end;
  unit.program = reader.position() + header_bytes;
  if (!reader.ok() || unit.program > end) return damaged(start, "the header of the unit is longer than the unit");
  ByteReader header(program_.first(unit.program), reader.position());
  unit.minimum_instruction_bytes = header.read<std::uint8_t>();
  if (version >= 4) header.skip(1);
  header.skip(1);
  unit.line_base = header.read<std::int8_t>();
  unit.line_range = header.read<std::uint8_t>();
  unit.opcode_base = header.read<std::uint8_t>();
  if (unit.line_range == 0 || unit.opcode_base == 0) return damaged(start, "line range or opcode base is 0");
  for (unsigned opcode = 1; opcode < unit.opcode_base; ++opcode)
    unit.operand_counts.push_back(header.read<std::uint8_t>());
  for (auto name = header.text(); !name.empty(); name = header.text()) unit.directories.push_back(name);
  for (auto name = header.text(); !name.empty(); name = header.text()) read_file(header, unit, name);
  if (!header.ok()) return damaged(start, "the tables of directories and files have no end");
  return unit;
}

void LineReader::read_file(ByteReader& reader, UnitHeader& unit, std::string_view name) {
  std::uint64_t directory = reader.uleb128();
  reader.uleb128();  // time of change
  reader.uleb128();  // size
  std::string path(name);
  if (!name.starts_with('/') && directory > 0 && directory <= unit.directories.size())
    path = std::string(unit.directories[directory - 1]) + "/" + path;
  unit.files.push_back(texts_.number(path));
}

Result<void> LineReader::run(const UnitHeader& header) {
  UnitHeader unit = header;
  State state;
  ByteReader reader(program_.first(unit.end), unit.program);
  while (!reader.at_end()) {
    std::uint64_t at = reader.position();
    auto opcode = reader.read<std::uint8_t>();
    Result<void> done;
    if (opcode >= unit.opcode_base) {
      unsigned special = opcode - unit.opcode_base;
      state.address += special / unit.line_range * unit.minimum_instruction_bytes;
      state.line += unit.line_base + int(special % unit.line_range);
      done = make_row(at, unit, state);
    } else if (opcode == extended) {
      done = run_extended(reader, unit, state);
    } else {
      done = run_standard(opcode, reader, unit, state);
    }
    if (!done) return done;
    if (!reader.ok()) return damaged(at, "the line program runs over its end");
    if (texts_.is_full()) return damaged(at, "names and paths share more bytes than a compiler makes them share");
  }
  return {};
}

Result<void> LineReader::run_standard(std::uint8_t opcode, ByteReader& reader, const UnitHeader& unit, State& state) {
  switch (opcode) {
    case copy:
      return make_row(reader.position(), unit, state);
    case advance_address:
      state.address += reader.uleb128() * unit.minimum_instruction_bytes;
      break;
    case advance_line:
      state.line = std::int64_t(std::uint64_t(state.line) + std::uint64_t(reader.sleb128()));
      break;
    case set_file:
      state.file = std::uint32_t(std::min<std::uint64_t>(reader.uleb128(), UINT32_MAX));
      break;
    case set_column:
      reader.uleb128();
      break;
    case constant_add_address:
      state.address += (255u - unit.opcode_base) / unit.line_range * unit.minimum_instruction_bytes;
      break;
    case fixed_advance_address:
      state.address += reader.read<std::uint16_t>();
      break;
    default:
      for (unsigned operand = 0; operand < unit.operand_counts[opcode - 1]; ++operand) reader.uleb128();
      break;
  }
  return {};
}

Result<void> LineReader::run_extended(ByteReader& reader, UnitHeader& unit, State& state) {
  std::uint64_t at = reader.position();
  std::uint64_t length = reader.uleb128();
  std::uint64_t start = reader.position();
  if (!reader.ok() || length == 0 || length > reader.remaining())
    return damaged(at, "an extended opcode runs over the unit");
  ByteReader operands(program_.first(start + length), start);
  switch (operands.read<std::uint8_t>()) {
    case end_sequence:
      if (state.start) builders_[state.start->function].end_sequence();
      state = State();
      break;
    case set_address: {
      auto found = starts_.find(operands.position());
      state.start = found == starts_.end() ? std::nullopt : std::optional(found->second);
      state.address = 0;
      break;
    }
    case define_file:
      read_file(operands, unit, operands.text());
      break;
    case inlined_call:
      state.context = operands.uleb128();
      state.function = name_number(operands.uleb128());
      if (state.context == 0) state.function = LineTable::none;
      break;
    case function_name:
      state.function = name_number(operands.uleb128());
      break;
    default:
      break;
  }
  if (!operands.ok()) return damaged(at, "the operands of an extended opcode run over its length");
  reader.skip(length);
  return {};
}

Result<void> LineReader::make_row(std::uint64_t at, const UnitHeader& unit, State& state) {
  if (!state.start) return {};                            // nvlink dropped the function and left its lines
  const bool is_ptx = lines_are_ptx_ && state.file == 0;  // the embedded text has no name
  if (!is_ptx && (state.file == 0 || state.file > unit.files.size()))
    return damaged(at, "file number " + std::to_string(state.file) + " of " + std::to_string(unit.files.size()));
  if (state.line < 0 || state.line > INT32_MAX)
    return damaged(at, "line " + std::to_string(state.line) + " is impossible");
  if (state.context > state.rows.size())
    return damaged(
        at, "it is inlined at row " + std::to_string(state.context) + " of " + std::to_string(state.rows.size()));
  std::uint64_t offset = state.start->offset_bytes + state.address;
  if (offset > cubin_.functions[state.start->function].code_bytes)
    return damaged(at, "offset " + std::to_string(offset) + " lies behind the end of '" +
                           cubin_.functions[state.start->function].symbol + "'");
  if (state.rows.empty()) state.rows_function = state.start->function;
  if (state.rows_function != state.start->function) return damaged(at, "one sequence has rows of two functions");
  TableBuilder& builder = builders_[state.start->function];
  LineTable::Position position{is_ptx ? 0 : unit.files[state.file - 1], std::uint32_t(state.line), state.function,
                               state.context == 0 ? LineTable::none : state.rows[state.context - 1]};
  std::uint32_t number = builder.position(position);
  if (builder.depth(number) > inlining_depth_limit) return damaged(at, "calls are inlined more than 1024 deep");
  state.rows.push_back(number);
  builder.add_row(std::uint32_t(offset), number);
  return {};
}

/// Where each start address of a line section points, from its relocations.
Result<std::unordered_map<std::uint64_t, StartAddress>> read_starts(const Elf& elf,
                                                                    const std::vector<ClassifiedSection>& roles,
                                                                    std::size_t line_section) {
  std::unordered_map<std::uint64_t, StartAddress> starts;
  Bytes program = elf.sections[line_section].bytes;
  for (const ElfSection& section : elf.sections) {
    if (section.type != SectionType::rel && section.type != SectionType::rela) continue;
    if (section.info != line_section) continue;
    auto records = elf.relocations(section);
    if (!records) return tl::unexpected(records.error());
    for (const ElfRelocation& record : *records) {
      const ElfSymbol& symbol = elf.symbols[record.symbol];
      if (symbol.section >= roles.size() || roles[symbol.section].role != SectionRole::code) continue;
      if (!fits(record.offset_bytes, 8, program.size()))
        return damaged(record.offset_bytes, "a relocation lies outside the section");
      std::uint64_t addend =
          record.explicit_addend ? std::uint64_t(record.addend) : load<std::uint64_t>(program, record.offset_bytes);
      starts[record.offset_bytes] = {roles[symbol.section].function, symbol.value + addend};
    }
  }
  return starts;
}

}  // namespace

namespace {

/// Fills one table of every function from the section of a role.
Result<void> read_table(const Elf& elf, const std::vector<ClassifiedSection>& roles, SectionRole role, Cubin& cubin,
                        LineTable Function::*table) {
  std::size_t line_section = 0;
  Bytes names;
  for (std::size_t i = 0; i < roles.size(); ++i) {
    if (roles[i].role == role) line_section = i;
    if (roles[i].role == SectionRole::debug_text) names = elf.sections[i].bytes;
  }
  if (line_section == 0) return {};
  auto starts = read_starts(elf, roles, line_section);
  if (!starts) return tl::unexpected(starts.error());
  LineReader reader(elf.sections[line_section].bytes, names, std::move(*starts), cubin, role == SectionRole::ptx_line);
  if (Result<void> done = reader.read_units(cubin.warnings); !done) return done;
  auto texts = std::make_shared<const std::vector<std::string>>(reader.texts().take());
  for (std::size_t i = 0; i < cubin.functions.size(); ++i)
    cubin.functions[i].*table = reader.builders()[i].finish(texts);
  return {};
}

}  // namespace

Result<void> read_lines(const Elf& elf, const std::vector<ClassifiedSection>& roles, Cubin& cubin) {
  if (Result<void> done = read_table(elf, roles, SectionRole::debug_line, cubin, &Function::lines); !done) return done;
  const auto texts = std::count_if(roles.begin(), roles.end(), [](const ClassifiedSection& section) {
    return section.role == SectionRole::ptx_text;
  });
  if (texts != 1) return {};
  // Only more exact findings depend on it: what cannot be read stays unknown.
  std::vector<Diagnostic> warnings = cubin.warnings;
  if (!read_table(elf, roles, SectionRole::ptx_line, cubin, &Function::ptx_lines))
    for (Function& function : cubin.functions) function.ptx_lines = {};
  cubin.warnings = std::move(warnings);
  return {};
}

std::vector<SourcePosition> LineTable::find(std::uint32_t offset_bytes) const {
  std::vector<SourcePosition> chain;
  auto after = std::upper_bound(rows.begin(), rows.end(), offset_bytes,
                                [](std::uint32_t offset, const Row& row) { return offset < row.offset_bytes; });
  if (after == rows.begin()) return chain;
  for (std::uint32_t at = (after - 1)->position; at != none; at = positions[at].inlined_at) {
    const Position& position = positions[at];
    chain.push_back({(*texts)[position.file], position.line,
                     position.function == none ? std::string() : demangled((*texts)[position.function])});
  }
  return chain;
}

}  // namespace lanebank::image
