#include "image/sections.hpp"

#include <string>
#include <unordered_map>

namespace lanebank::image {
namespace {

struct NameRule {
  std::string_view name;
  bool per_function;  ///< `name` is followed by the function's symbol
  SectionRole role;
};

constexpr NameRule name_rules[] = {
    {".text.", true, SectionRole::code},
    {".nv.constant0.", true, SectionRole::constant0},
    {".nv.constant2.", true, SectionRole::constant2},
    {".nv.constant3", false, SectionRole::constant3},
    {".nv.constant4", false, SectionRole::constant4},
    {".nv.global.init", false, SectionRole::global_initialised},
    {".nv.global", false, SectionRole::global_zeroed},
    {".nv.shared.", true, SectionRole::shared},
    {".nv.info.", true, SectionRole::attributes},
    {".nv.info", false, SectionRole::cubin_attributes},
    {".nv.compat", false, SectionRole::compatibility},
    {".debug_line", false, SectionRole::debug_line},
    {".nv_debug_line_sass", false, SectionRole::ptx_line},
    {".debug_str", false, SectionRole::debug_text},
};
constexpr std::string_view ptx_text_prefix = ".nv_debug_ptx_txt";
constexpr std::uint64_t code_alignment_bytes = 128;

const NameRule* rule_for(std::string_view name) {
  for (const NameRule& rule : name_rules)
    if (rule.per_function ? name.starts_with(rule.name) && name.size() > rule.name.size() : name == rule.name)
      return &rule;
  return nullptr;
}

bool is_singular(SectionRole role) {
  return role == SectionRole::constant3 || role == SectionRole::constant4 || role == SectionRole::global_initialised ||
         role == SectionRole::global_zeroed || role == SectionRole::debug_line || role == SectionRole::debug_text ||
         role == SectionRole::ptx_line;
}

}  // namespace

Result<std::vector<ClassifiedSection>> classify_sections(const Elf& elf) {
  std::vector<ClassifiedSection> result(elf.sections.size());
  std::unordered_map<std::string_view, std::uint32_t> function_of_name;
  std::uint32_t functions = 0;
  std::uint64_t code_bytes = 0;
  std::uint32_t seen = 0;
  for (std::size_t i = 0; i < elf.sections.size(); ++i) {
    const ElfSection& section = elf.sections[i];
    ClassifiedSection& classified = result[i];
    if (section.name.starts_with(ptx_text_prefix)) classified.role = SectionRole::ptx_text;
    const NameRule* rule = rule_for(section.name);
    if (rule == nullptr) continue;
    classified.role = rule->role;
    if (is_singular(rule->role)) {
      std::uint32_t bit = 1u << unsigned(rule->role);
      if ((seen & bit) != 0)
        return fail("cubin.section", std::string(section.name), "there is more than one section of this name");
      seen |= bit;
    }
    if (rule->role != SectionRole::code) continue;
    code_bytes = (code_bytes + code_alignment_bytes - 1) / code_alignment_bytes * code_alignment_bytes;
    classified.function = functions;
    classified.code_offset_bytes = code_bytes;
    function_of_name.emplace(section.name.substr(rule->name.size()), functions++);
    code_bytes += section.bytes.size();
  }
  for (std::size_t i = 0; i < elf.sections.size(); ++i) {
    const ElfSection& section = elf.sections[i];
    ClassifiedSection& classified = result[i];
    const NameRule* rule = rule_for(section.name);
    if (rule == nullptr || !rule->per_function || rule->role == SectionRole::code) continue;
    // sh_info names the function's section and is exact; the name serves where a tool left it out.
    if (section.info < result.size() && result[section.info].role == SectionRole::code) {
      classified.function = result[section.info].function;
      continue;
    }
    auto found = function_of_name.find(section.name.substr(rule->name.size()));
    if (found != function_of_name.end()) {
      classified.function = found->second;
    } else {
      classified.role = SectionRole::other;
    }
  }
  return result;
}

}  // namespace lanebank::image
