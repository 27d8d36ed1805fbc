#include "tools/instructions_page.hpp"

#include <map>
#include <set>
#include <vector>

#include "sass/table.hpp"

namespace lanebank::sass {
namespace {

std::string architectures(const std::set<unsigned>& set) {
  std::string text;
  for (unsigned architecture : {75u, 80u, 86u, 89u, 90u})
    if (set.contains(architecture)) text += (text.empty() ? "" : " ") + std::to_string(architecture);
  return text;
}

std::string opcodes(const RowInfo& row) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (int shift = 8; shift >= 0; shift -= 4) text += digits[row.opcode >> shift & 15];
  return text;
}

/// The rows of one mnemonic that share the same fate.
struct Entry {
  std::set<std::string> opcodes;
  std::set<unsigned> architectures;
};

}  // namespace

std::string instructions_page() {
  static constexpr const char* units[] = {
      "Arithmetic and logic", "Conversions",   "Uniform datapath", "Memory",       "Atomics", "Matrix units",
      "Asynchronous copies",  "Between lanes", "Barriers",         "Control flow", "System",  "Textures and surfaces"};
  std::map<Unit, std::map<std::string, std::map<std::string, Entry>>> pages;
  std::size_t supported = 0;
  for (const RowInfo& row : rows) {
    Entry& entry = pages[row.unit][std::string(row.mnemonic)][std::string(row.status.reason)];
    entry.opcodes.insert(opcodes(row));
    for (unsigned architecture : {75u, 80u, 86u, 89u, 90u})
      if (architecture >= row.first_architecture && architecture <= row.last_architecture)
        entry.architectures.insert(architecture);
    supported += row.status.supported;
  }
  std::string text =
      "# Instructions\n\n<!-- Made from src/sass/instructions.def by the target sass_instructions_page; do not edit. "
      "-->\n\n"
      "The machine code that lanebank reads, by base mnemonic. An opcode of three digits below 200 stands for several "
      "operand forms.\n"
      "\"executed\" means that a kernel that contains the instruction runs; all instructions of this page are decoded "
      "and printed.\n\n" +
      std::to_string(supported) + " of " + std::to_string(row_count) + " encodings are executed.\n";
  for (const auto& [unit, mnemonics] : pages) {
    text += "\n## " + std::string(units[static_cast<std::size_t>(unit)]) +
            "\n\n| mnemonic | opcodes | sm_ | |\n| --- | --- | --- | --- |\n";
    for (const auto& [mnemonic, fates] : mnemonics)
      for (const auto& [reason, entry] : fates) {
        std::string list;
        for (const std::string& opcode : entry.opcodes) list += (list.empty() ? "" : " ") + opcode;
        text += "| " + mnemonic + " | " + list + " | " + architectures(entry.architectures) + " | " +
                (reason.empty() ? "executed" : reason) + " |\n";
      }
  }
  return text;
}

}  // namespace lanebank::sass
