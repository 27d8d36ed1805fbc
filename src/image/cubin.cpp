#include "image/cubin.hpp"

#include <algorithm>
#include <bit>

#include "image/attributes.hpp"
#include "image/elf.hpp"
#include "image/lines.hpp"
#include "image/sections.hpp"
#include "image/shared_arrays.hpp"

namespace lanebank::image {
namespace {

constexpr std::uint16_t machine_cuda = 190;
constexpr std::uint16_t type_executable = 2;
constexpr std::uint8_t abi_cuda_13 = 8;
constexpr std::uint8_t symbol_is_kernel = 0x10;
constexpr std::uint8_t symbol_is_managed = 0x04;
constexpr std::uint8_t compat_accelerator_target = 9;
constexpr std::uint64_t reserved_shared_bytes = 0x400;
constexpr std::size_t section_name_limit = 256;  // in messages
constexpr std::uint32_t unbounded_stack = UINT32_MAX;
constexpr std::uint64_t block_limit_threads = 1024;
constexpr std::uint64_t file_limit_bytes = std::uint64_t(1) << 31;
constexpr std::uint64_t data_limit_bytes = std::uint64_t(1) << 47;  // an address space of the GPU

/// Fills a Cubin from an ELF, one step per method; run() says in which order.
class CubinReader {
 public:
  CubinReader(const Elf& elf, const std::vector<ClassifiedSection>& roles) : elf_(elf), roles_(roles) {}

  Result<Cubin> run() {
    read_architecture();
    read_code();
    for (auto step : {&CubinReader::read_data, &CubinReader::read_shared_sizes, &CubinReader::read_attribute_sections,
                      &CubinReader::read_relocations, &CubinReader::read_variables})
      if (Result<void> done = (this->*step)(); !done) return tl::unexpected(done.error());
    return std::move(cubin_);
  }

 private:
  void read_architecture();
  void read_code();
  void name_functions();
  Result<void> read_data();
  Result<void> read_shared_sizes();
  Result<void> read_attribute_sections();
  Result<void> apply_cubin_attribute(const Attribute& attribute);
  Result<void> apply_function_attribute(const Attribute& attribute, Function& function, std::string_view where);
  Result<void> read_relocations();
  Result<void> add_relocation(const ElfRelocation& record, std::uint32_t section, std::string_view where);
  Result<void> read_variables();

  const Elf& elf_;
  const std::vector<ClassifiedSection>& roles_;
  Cubin cubin_;
};

void CubinReader::read_architecture() {
  if (elf_.abi >= abi_cuda_13) {
    cubin_.architecture = (elf_.flags >> 8) & 0xff;
    cubin_.architecture_specific = (elf_.flags & 0x8) != 0;
  } else {
    cubin_.architecture = elf_.flags & 0xff;
    cubin_.architecture_specific = (elf_.flags & 0x800) != 0;
  }
  for (std::size_t i = 0; i < roles_.size(); ++i) {
    if (roles_[i].role != SectionRole::compatibility) continue;
    auto attributes = read_attributes(elf_.sections[i].bytes, elf_.sections[i].name);
    if (!attributes) continue;
    for (const Attribute& attribute : *attributes)
      if (std::uint8_t(attribute.kind) == compat_accelerator_target && attribute.value == 1)
        cubin_.architecture_specific = true;
  }
}

void CubinReader::read_code() {
  for (std::size_t i = 0; i < roles_.size(); ++i) {
    if (roles_[i].role != SectionRole::code) continue;
    const ElfSection& section = elf_.sections[i];
    cubin_.code.resize(roles_[i].code_offset_bytes);
    cubin_.code.insert(cubin_.code.end(), section.bytes.begin(), section.bytes.end());
    Function function;
    function.symbol = section.name.substr(std::string_view(".text.").size());
    function.code_offset_bytes = std::uint32_t(roles_[i].code_offset_bytes);
    function.code_bytes = std::uint32_t(section.bytes.size());
    if (elf_.abi < abi_cuda_13) {
      function.registers = section.info >> 24;
      function.barriers = (section.flags >> 20) & 0x7f;
    }
    cubin_.functions.push_back(std::move(function));
  }
  name_functions();
}

/// The function symbol that the .text section is named after says whether it is a kernel. Other symbols
/// inside are device functions that ptxas kept with it.
void CubinReader::name_functions() {
  for (const ElfSymbol& symbol : elf_.symbols) {
    if (symbol.type != ElfSymbol::function || symbol.section >= roles_.size()) continue;
    if (roles_[symbol.section].role != SectionRole::code) continue;
    Function& function = cubin_.functions[roles_[symbol.section].function];
    if (symbol.name == function.symbol) function.kernel = (symbol.other & symbol_is_kernel) != 0;
  }
}

Result<void> CubinReader::read_data() {
  for (std::size_t i = 0; i < roles_.size(); ++i) {
    const ElfSection& section = elf_.sections[i];
    auto copy = [&](std::vector<std::byte>& to) { to.assign(section.bytes.begin(), section.bytes.end()); };
    switch (roles_[i].role) {
      case SectionRole::constant0:
        copy(cubin_.functions[roles_[i].function].constant0);
        break;
      case SectionRole::constant2:
        copy(cubin_.functions[roles_[i].function].constant2);
        break;
      case SectionRole::constant3:
        copy(cubin_.constant3);
        break;
      case SectionRole::constant4:
        copy(cubin_.constant4);
        break;
      case SectionRole::global_initialised:
        copy(cubin_.global_initialised);
        cubin_.global_alignment_bytes = std::max(cubin_.global_alignment_bytes, section.alignment_bytes);
        break;
      case SectionRole::global_zeroed:
        cubin_.global_zeroed_bytes = section.size_bytes;
        cubin_.global_alignment_bytes = std::max(cubin_.global_alignment_bytes, section.alignment_bytes);
        break;
      case SectionRole::ptx_text:
        cubin_.ptx_text.append(reinterpret_cast<const char*>(section.bytes.data()), section.bytes.size());
        break;
      default:
        break;
    }
  }
  std::replace(cubin_.ptx_text.begin(), cubin_.ptx_text.end(), '\0', '\n');
  if (cubin_.global_zeroed_bytes > data_limit_bytes || cubin_.global_alignment_bytes > data_limit_bytes ||
      !std::has_single_bit(cubin_.global_alignment_bytes))
    return fail("cubin.size", ".nv.global",
                std::to_string(cubin_.global_zeroed_bytes) + " bytes aligned to " +
                    std::to_string(cubin_.global_alignment_bytes) + " are no possible size",
                rebuild);
  return {};
}

Result<void> CubinReader::read_shared_sizes() {
  std::uint64_t reserved = cubin_.architecture >= first_architecture_with_reserved_shared ? reserved_shared_bytes : 0;
  for (std::size_t i = 0; i < roles_.size(); ++i) {
    if (roles_[i].role != SectionRole::shared) continue;
    std::uint64_t size_bytes = elf_.sections[i].size_bytes;
    if (size_bytes > UINT32_MAX)
      return fail("cubin.size", std::string(elf_.sections[i].name),
                  std::to_string(size_bytes) + " bytes of static shared memory are no possible size", rebuild);
    cubin_.functions[roles_[i].function].static_shared_bytes =
        std::uint32_t(size_bytes < reserved ? 0 : size_bytes - reserved);
  }
  return {};
}

Result<void> CubinReader::read_attribute_sections() {
  for (std::size_t i = 0; i < roles_.size(); ++i) {
    SectionRole role = roles_[i].role;
    if (role != SectionRole::attributes && role != SectionRole::cubin_attributes) continue;
    std::string_view name = elf_.sections[i].name;
    auto attributes = read_attributes(elf_.sections[i].bytes, name);
    if (!attributes) return tl::unexpected(attributes.error());
    for (const Attribute& attribute : *attributes) {
      Result<void> done = role == SectionRole::cubin_attributes
                              ? apply_cubin_attribute(attribute)
                              : apply_function_attribute(attribute, cubin_.functions[roles_[i].function], name);
      if (!done) return done;
    }
  }
  for (Function& function : cubin_.functions)
    std::sort(function.parameters.begin(), function.parameters.end(),
              [](const Parameter& a, const Parameter& b) { return a.offset_bytes < b.offset_bytes; });
  return {};
}

Result<void> CubinReader::apply_cubin_attribute(const Attribute& attribute) {
  bool known = attribute.kind == AttributeKind::regcount || attribute.kind == AttributeKind::frame_size ||
               attribute.kind == AttributeKind::min_stack_size;
  if (!known) return {};
  std::uint32_t number = attribute.word(0);
  if (number >= elf_.symbols.size())
    return fail("elf.index", ".nv.info",
                "an attribute names symbol " + std::to_string(number) + " of " + std::to_string(elf_.symbols.size()),
                rebuild);
  const ElfSymbol& symbol = elf_.symbols[number];
  bool starts_function = symbol.type == ElfSymbol::function && symbol.value == 0 && symbol.section < roles_.size() &&
                         roles_[symbol.section].role == SectionRole::code;
  if (!starts_function) return {};
  Function& function = cubin_.functions[roles_[symbol.section].function];
  if (attribute.kind == AttributeKind::regcount) function.registers = attribute.word(1);
  if (attribute.kind == AttributeKind::frame_size) function.frame_bytes = attribute.word(1);
  if (attribute.kind == AttributeKind::min_stack_size)
    function.stack_bytes = attribute.word(1) == unbounded_stack ? 0 : attribute.word(1);
  return {};
}

Result<void> CubinReader::apply_function_attribute(const Attribute& attribute, Function& function,
                                                   std::string_view where) {
  switch (attribute.kind) {
    case AttributeKind::param_cbank:
      function.parameter_base_bytes = attribute.field<std::uint16_t>(4);
      function.parameter_bytes = attribute.field<std::uint16_t>(6);
      break;
    case AttributeKind::cbank_param_size:
      function.parameter_bytes = attribute.value;
      break;
    case AttributeKind::kparam_info:
      function.parameters.push_back({attribute.field<std::uint16_t>(6), attribute.word(2) >> 18});
      break;
    case AttributeKind::kparam_info_v2:
      function.parameters.push_back({attribute.field<std::uint16_t>(6), attribute.field<std::uint16_t>(8)});
      break;
    case AttributeKind::max_threads:
    case AttributeKind::reqntid: {
      std::uint64_t threads = 1;
      for (std::size_t axis = 0; axis < 3; ++axis) threads *= std::min<std::uint32_t>(attribute.word(axis), 1 << 20);
      if (threads == 0 || threads > block_limit_threads)
        return fail("cubin.attribute", std::string(where),
                    "blocks of " + std::to_string(threads) + " threads are impossible", rebuild);
      function.max_threads_per_block = std::uint32_t(threads);
      break;
    }
    case AttributeKind::cta_per_cluster:
      for (std::size_t axis = 0; axis < 3; ++axis) function.required_cluster[axis] = attribute.word(axis);
      break;
    case AttributeKind::num_barriers:
      function.barriers = attribute.value;
      break;
    default:
      break;
  }
  return {};
}

Result<void> CubinReader::read_relocations() {
  for (const ElfSymbol& symbol : elf_.symbols) {
    bool names_section = symbol.type == ElfSymbol::section_symbol && symbol.section < elf_.sections.size();
    cubin_.symbol_names.emplace_back(names_section ? elf_.sections[symbol.section].name.substr(0, section_name_limit)
                                                   : symbol.name);
  }
  for (const ElfSection& section : elf_.sections) {
    if (section.type != SectionType::rel && section.type != SectionType::rela) continue;
    if (section.info >= elf_.sections.size())
      return fail("elf.index", std::string(section.name),
                  "it patches section " + std::to_string(section.info) + " of " + std::to_string(elf_.sections.size()),
                  rebuild);
    if (section.bytes.empty() || !elf_.sections[section.info].is_allocated()) continue;
    auto records = elf_.relocations(section);
    if (!records) return tl::unexpected(records.error());
    for (const ElfRelocation& record : *records)
      if (Result<void> done = add_relocation(record, section.info, section.name); !done) return done;
  }
  return {};
}

Result<void> CubinReader::add_relocation(const ElfRelocation& record, std::uint32_t section, std::string_view where) {
  using Section = Cubin::Relocation::Section;
  using Target = Cubin::Relocation::Target;
  const ClassifiedSection& patched = roles_[section];
  Cubin::Relocation relocation;
  relocation.function = patched.function;
  relocation.offset_bytes = record.offset_bytes;
  relocation.type = record.type;
  relocation.symbol = record.symbol;
  relocation.addend = record.addend;
  relocation.explicit_addend = record.explicit_addend;
  switch (patched.role) {
    case SectionRole::code:
      relocation.section = Section::code;
      relocation.offset_bytes += patched.code_offset_bytes;
      break;
    case SectionRole::constant0:
      relocation.section = Section::constant0;
      break;
    case SectionRole::constant2:
      relocation.section = Section::constant2;
      break;
    case SectionRole::constant3:
      relocation.section = Section::constant3;
      break;
    case SectionRole::constant4:
      relocation.section = Section::constant4;
      break;
    case SectionRole::global_initialised:
      relocation.section = Section::global_initialised;
      break;
    default:
      return fail("cubin.relocation", std::string(where),
                  "it patches " + std::string(elf_.sections[section].name) + ", which lanebank does not load",
                  "please report the program");
  }
  if (!fits(record.offset_bytes, 1, elf_.sections[section].bytes.size()))
    return fail("cubin.relocation", std::string(where),
                "it patches offset " + std::to_string(record.offset_bytes) + " of a section of " +
                    std::to_string(elf_.sections[section].bytes.size()) + " bytes",
                rebuild);
  const ElfSymbol& symbol = elf_.symbols[record.symbol];
  relocation.target_offset_bytes = symbol.value;
  if (symbol.section == ElfSymbol::absolute || record.symbol == 0) {
    relocation.target = Target::absolute;
  } else if (symbol.section == ElfSymbol::undefined) {
    relocation.target = Target::external;
  } else if (symbol.section >= roles_.size()) {
    relocation.target = Target::other_section;
  } else {
    const ClassifiedSection& home = roles_[symbol.section];
    switch (home.role) {
      case SectionRole::code:
        relocation.target = Target::code;
        relocation.target_offset_bytes += home.code_offset_bytes;
        break;
      case SectionRole::global_initialised:
        relocation.target = Target::global_initialised;
        break;
      case SectionRole::global_zeroed:
        relocation.target = Target::global_zeroed;
        break;
      case SectionRole::constant3:
        relocation.target = Target::constant3;
        break;
      default:
        relocation.target = Target::other_section;
        break;
    }
  }
  cubin_.relocations.push_back(relocation);
  return {};
}

Result<void> CubinReader::read_variables() {
  for (const ElfSymbol& symbol : elf_.symbols) {
    if (symbol.type != ElfSymbol::object || symbol.section >= roles_.size()) continue;
    SectionRole role = roles_[symbol.section].role;
    if (role != SectionRole::global_initialised && role != SectionRole::global_zeroed && role != SectionRole::constant3)
      continue;
    const ElfSection& section = elf_.sections[symbol.section];
    if (!fits(symbol.value, symbol.size_bytes, section.size_bytes))
      return fail("cubin.variable", std::string(section.name),
                  "variable '" + std::string(symbol.name) + "' lies outside its section", rebuild);
    Variable variable;
    variable.symbol = symbol.name;
    variable.space = role == SectionRole::constant3 ? Variable::Space::constant : Variable::Space::global;
    variable.size_bytes = symbol.size_bytes;
    variable.offset_bytes = symbol.value;
    // The table does not record alignments; a variable has at most that of its place.
    std::uint64_t of_place = symbol.value == 0 ? section.alignment_bytes : symbol.value & -symbol.value;
    variable.alignment_bytes = std::max<std::uint64_t>(1, std::min(section.alignment_bytes, of_place));
    variable.is_initialised = role != SectionRole::global_zeroed;
    variable.is_managed = (symbol.other & symbol_is_managed) != 0;
    variable.is_local = symbol.binding == ElfSymbol::local;
    cubin_.variables.push_back(std::move(variable));
  }
  return {};
}

}  // namespace

Result<Cubin> read_cubin(Bytes bytes, std::string_view ptx) {
  if (bytes.size() > file_limit_bytes)
    return fail("cubin.size", "ELF header", "device code of more than 2 GiB is not supported");
  Result<Elf> elf = read_elf(bytes);
  if (!elf) return tl::unexpected(elf.error());
  if (elf->machine != machine_cuda)
    return fail("cubin.machine", "ELF header",
                "it is code for machine " + std::to_string(elf->machine) + ", not CUDA (190)");
  if (elf->type != type_executable)
    return fail("cubin.not-linked", "ELF header", "the device code is relocatable and was never linked",
                "link the program with nvcc, or link its device code with nvcc -dlink");
  Result<std::vector<ClassifiedSection>> roles = classify_sections(*elf);
  if (!roles) return tl::unexpected(roles.error());
  Result<Cubin> cubin = CubinReader(*elf, *roles).run();
  if (!cubin) return cubin;
  if (Result<void> done = read_lines(*elf, *roles, *cubin); !done) return tl::unexpected(done.error());
  find_shared_arrays(*elf, *roles, cubin->ptx_text.empty() ? ptx : std::string_view(cubin->ptx_text), *cubin);
  return cubin;
}

const Function* Cubin::find(std::string_view symbol) const {
  for (const Function& function : functions)
    if (function.symbol == symbol) return &function;
  return nullptr;
}

}  // namespace lanebank::image
