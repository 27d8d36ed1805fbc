#include "image/ptx_accesses.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

namespace lanebank::image {
namespace {

constexpr std::size_t instruction_limit = 1'000'000;  // of a function; with more, nothing is said of it
constexpr unsigned pass_limit = 64;                   // addresses go from line to line in a few; as above

bool belongs_to_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '%';
}

/// What an instruction does with addresses.
struct AddressStep {
  std::uint32_t line = 0;
  std::string_view result;                ///< register; empty: none that could hold an address
  std::vector<std::string_view> sources;  ///< names it computes from
  std::string_view base;                  ///< of an access to shared memory: the name in its address
  std::uint32_t bytes = 0;                ///< of that access; 0: not known
};

/// The names in `text`: registers and symbols, no numbers and no suffixes.
void names_in(std::string_view text, std::vector<std::string_view>& names) {
  for (std::size_t at = 0; at < text.size();) {
    if (!belongs_to_name(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && belongs_to_name(text[end])) ++end;
    const bool is_number = text[at] >= '0' && text[at] <= '9';
    if (!is_number) names.push_back(text.substr(at, end - at));
    at = end;
  }
}

bool has_part(std::string_view opcode, std::string_view part) {
  for (std::size_t at = opcode.find(part); at != std::string_view::npos; at = opcode.find(part, at + 1)) {
    const std::size_t end = at + part.size();
    if (end == opcode.size() || opcode[end] == '.' || opcode[end] == ':') return true;
  }
  return false;
}

/// 16 for ld.shared.v4.f32; 0 for what is no plain load or store.
std::uint32_t access_bytes(std::string_view opcode) {
  const std::string_view base = opcode.substr(0, opcode.find('.'));
  if (base != "ld" && base != "st") return 0;
  std::size_t digits = opcode.size();
  while (digits > 0 && opcode[digits - 1] >= '0' && opcode[digits - 1] <= '9') --digits;
  std::uint32_t bits = 0;
  for (const char digit : opcode.substr(digits, 4)) bits = 10 * bits + static_cast<std::uint32_t>(digit - '0');
  return bits / 8 * (has_part(opcode, ".v4") ? 4 : has_part(opcode, ".v2") ? 2 : 1);
}

bool keeps_address(std::string_view opcode) {
  constexpr std::array<std::string_view, 10> kept = {"mov", "add",  "sub", "mad", "cvta",
                                                     "cvt", "selp", "or",  "xor", "and"};
  const std::string_view base = opcode.substr(0, opcode.find('.'));
  return std::find(kept.begin(), kept.end(), base) != kept.end();
}

class AddressFlow {
 public:
  void add(AddressStep instruction) { instructions_.push_back(std::move(instruction)); }

  /// Adds the accesses of the function that was added, and forgets it.
  void resolve(const std::unordered_set<std::string_view>& arrays, std::vector<PtxAccess>& accesses) {
    if (instructions_.size() <= instruction_limit) find(arrays, accesses);
    instructions_.clear();
  }

 private:
  void find(const std::unordered_set<std::string_view>& arrays, std::vector<PtxAccess>& accesses) {
    // What a register may hold grows with every pass, from nothing over one array to several.
    std::unordered_map<std::string_view, std::string_view> origin;  // of registers; `several` where in doubt
    const auto of = [&](std::string_view name) -> std::string_view {
      if (arrays.contains(name)) return name;
      const auto found = origin.find(name);
      return found == origin.end() ? std::string_view() : found->second;
    };
    unsigned passes = 0;
    for (bool changed = true; changed;) {
      if (++passes > pass_limit) return;
      changed = false;
      for (const AddressStep& instruction : instructions_) {
        if (instruction.result.empty()) continue;
        for (const std::string_view source : instruction.sources) {
          const std::string_view from = of(source);
          if (from.empty()) continue;
          std::string_view& held = origin[instruction.result];
          if (held == from || held == several) continue;
          held = held.empty() ? from : several;
          changed = true;
        }
      }
    }
    // A register that is also set from elsewhere may hold any address.
    std::unordered_set<std::string_view> unknown;
    passes = 0;
    for (bool changed = true; changed;) {
      if (++passes > pass_limit) return;
      changed = false;
      for (const AddressStep& instruction : instructions_) {
        if (instruction.result.empty() || unknown.contains(instruction.result)) continue;
        const bool known = std::any_of(instruction.sources.begin(), instruction.sources.end(),
                                       [&](std::string_view source) { return !of(source).empty(); });
        const bool tainted =
            std::any_of(instruction.sources.begin(), instruction.sources.end(),
                        [&](std::string_view source) { return !of(source).empty() && unknown.contains(source); });
        if (known && !tainted) continue;
        if (of(instruction.result).empty()) continue;
        unknown.insert(instruction.result);
        changed = true;
      }
    }
    for (const AddressStep& instruction : instructions_) {
      if (instruction.base.empty() || unknown.contains(instruction.base)) continue;
      const std::string_view array = of(instruction.base);
      if (!array.empty() && array != several) accesses.push_back({instruction.line, array, instruction.bytes});
    }
  }

  static constexpr std::string_view several = "*";
  std::vector<AddressStep> instructions_;
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

/// The name that `.shared` declares on this line, e.g. in ".shared .align 4 .b8 tile[4096];"; empty without.
std::string_view declared_array(std::string_view line) {
  const std::size_t at = line.find(".shared ");
  if (at == std::string_view::npos || (line[0] != '.' && line.substr(0, 6) != ".extern")) return {};
  std::size_t end = line.find_first_of("[;=", at);
  if (end == std::string_view::npos) return {};
  while (end > at && !belongs_to_name(line[end - 1])) --end;
  std::size_t begin = end;
  while (begin > at && belongs_to_name(line[begin - 1])) --begin;
  return line.substr(begin, end - begin);
}

AddressStep read_step(std::string_view line, std::uint32_t number) {
  AddressStep instruction{number, {}, {}, {}, 0};
  if (!line.empty() && line.front() == '@') line = trimmed(line.substr(std::min(line.size(), line.find(' '))));
  const std::size_t blank = line.find_first_of(" \t");
  if (blank == std::string_view::npos) return instruction;
  const std::string_view opcode = line.substr(0, blank), operands = trimmed(line.substr(blank));
  const std::size_t open = operands.find('['), close = operands.find(']');
  if (open != std::string_view::npos && close != std::string_view::npos && open < close &&
      has_part(opcode, ".shared")) {
    std::vector<std::string_view> names;
    names_in(operands.substr(open + 1, close - open - 1), names);
    if (!names.empty()) instruction.base = names.front();
    instruction.bytes = access_bytes(opcode);
  }
  const std::size_t comma = operands.find(',');
  if (comma == std::string_view::npos || operands.front() == '[') return instruction;
  // What a vector load or any other instruction writes is an address only if it is computed from one.
  std::vector<std::string_view> results;
  names_in(operands.substr(0, comma), results);
  if (results.size() != 1) return instruction;
  instruction.result = results.front();
  if (keeps_address(opcode)) names_in(operands.substr(comma), instruction.sources);
  return instruction;
}

}  // namespace

std::vector<PtxAccess> shared_accesses(std::string_view text) {
  std::unordered_set<std::string_view> arrays;
  std::vector<PtxAccess> accesses;
  AddressFlow flow;
  std::uint32_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), end + 1));
    ++number;
    line = trimmed(line.substr(0, line.find("//")));
    if (line.empty()) continue;
    if (line.find(".entry") != std::string_view::npos || line.find(".func") != std::string_view::npos) {
      flow.resolve(arrays, accesses);
    } else if (const std::string_view array = declared_array(line); !array.empty()) {
      arrays.insert(array);
    } else if (line.front() != '.' && line.back() == ';') {
      if (line.front() == '{') line = trimmed(line.substr(1));
      flow.add(read_step(line, number));
    }
  }
  flow.resolve(arrays, accesses);
  std::stable_sort(accesses.begin(), accesses.end(),
                   [](const PtxAccess& a, const PtxAccess& b) { return a.line < b.line; });
  return accesses;
}

}  // namespace lanebank::image
