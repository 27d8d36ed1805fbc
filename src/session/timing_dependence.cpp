#include "session/timing_dependence.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <set>
#include <string_view>

namespace lanebank::session {
namespace {

/// A line taken apart.
struct Parts {
  std::string guard;                  // "P0", "UP1"; empty without
  std::vector<std::string> mnemonic;  // "ATOMS", "CAST", "SPIN"
  std::vector<std::string> operands;  // "R9", "[R6+0x4]", ...
  bool has(std::string_view modifier) const {
    for (std::size_t i = 1; i < mnemonic.size(); i++)
      if (mnemonic[i] == modifier) return true;
    return false;
  }
  const std::string& base() const { return mnemonic.front(); }
};

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    std::string_view part = text.substr(0, end);
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
    parts.emplace_back(part);
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

Parts take_apart(std::string_view text) {
  Parts parts;
  if (!text.empty() && text.front() == '@') {
    std::string_view guard = text.substr(1, text.find(' ') - 1);
    if (!guard.empty() && guard.front() == '!') guard.remove_prefix(1);
    parts.guard = std::string(guard);
    text.remove_prefix(std::min(text.size(), text.find(' ')));
  }
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  const std::size_t end = text.find(' ');
  parts.mnemonic = split(text.substr(0, end), '.');
  if (end != std::string_view::npos) parts.operands = split(text.substr(end), ',');
  return parts;
}

/// The names of registers and predicates in an operand: R12, UR4, P0, UP1.
std::vector<std::string> names_in(std::string_view operand) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < operand.size(); i++) {
    const bool at_start = i == 0 || !std::isalnum(static_cast<unsigned char>(operand[i - 1]));
    if (!at_start) continue;
    std::size_t end = i;
    if (operand[end] == 'U') end++;
    if (end >= operand.size() || (operand[end] != 'R' && operand[end] != 'P')) continue;
    std::size_t digit = ++end;
    while (end < operand.size() && std::isdigit(static_cast<unsigned char>(operand[end]))) end++;
    if (end > digit) names.emplace_back(operand.substr(i, end - i));
  }
  return names;
}

bool is_predicate(const std::string& operand) {
  return !operand.empty() && (operand[0] == 'P' || operand.rfind("UP", 0) == 0);
}

std::optional<std::uint32_t> target_of(const Parts& parts) {
  if (parts.operands.empty()) return std::nullopt;
  const std::string& last = parts.operands.back();
  if (last.rfind("0x", 0) != 0) return std::nullopt;
  return static_cast<std::uint32_t>(std::strtoul(last.c_str(), nullptr, 16));
}

bool swaps(const Parts& parts) {
  const bool atomic = parts.base() == "ATOMS" || parts.base() == "ATOMG" || parts.base() == "ATOM";
  return atomic && (parts.has("CAS") || parts.has("CAST"));
}

bool polls(const Parts& parts) { return (parts.base() == "LDG" || parts.base() == "LD") && parts.has("STRONG"); }

struct Loop {
  std::size_t first, last;  // of instructions; the last is the backward branch
};

class Analysis {
 public:
  explicit Analysis(const std::vector<SassLine>& code) : code_(code) {
    for (const SassLine& line : code) parts_.push_back(take_apart(line.text));
    for (std::size_t i = 0; i < code.size(); i++) {
      if (parts_[i].base() != "BRA") continue;
      const auto target = target_of(parts_[i]);
      if (!target || *target > code[i].address) continue;
      if (const auto first = index_of(*target)) loops_.push_back({*first, i});
    }
  }

  std::vector<TimingDependence> run() {
    std::vector<TimingDependence> marks(code_.size());
    for (std::size_t i = 0; i < code_.size(); i++) {
      if (!swaps(parts_[i]) && !polls(parts_[i])) continue;
      const auto loop = innermost(i);
      if (!loop || !exit_depends_on(*loop, i)) continue;
      const bool shared = parts_[i].base() == "ATOMS";
      auto mark = [&](std::size_t row) { (shared ? marks[row].in_block : marks[row].in_grid) = true; };
      for (std::size_t row = loop->first; row <= loop->last; row++) mark(row);
      if (const auto row = reconvergence(*loop)) mark(*row);
    }
    return marks;
  }

 private:
  std::optional<std::size_t> index_of(std::uint32_t address) const {
    for (std::size_t i = 0; i < code_.size(); i++)
      if (code_[i].address == address) return i;
    return std::nullopt;
  }

  std::optional<Loop> innermost(std::size_t row) const {
    std::optional<Loop> best;
    for (const Loop& loop : loops_)
      if (loop.first <= row && row <= loop.last && (!best || loop.last - loop.first < best->last - best->first))
        best = loop;
    return best;
  }

  /// Follows what the access wrote through the loop, twice around, to the guards of its branches.
  bool exit_depends_on(const Loop& loop, std::size_t access) const {
    if (parts_[access].operands.empty()) return false;
    std::set<std::string> tainted;
    taint(parts_[access], tainted);
    for (int turn = 0; turn < 2; turn++)
      for (std::size_t i = turn == 0 ? access + 1 : loop.first; i <= loop.last; i++) {
        const Parts& parts = parts_[i];
        bool reads = tainted.contains(parts.guard);
        const bool branches = parts.base() == "BRA" || parts.base() == "EXIT" || parts.base() == "BREAK";
        for (std::size_t k = branches ? 0 : 1; k < parts.operands.size() && !reads; k++)
          for (const std::string& name : names_in(parts.operands[k])) reads = reads || tainted.contains(name);
        if (!reads) continue;
        if (branches) return true;
        taint(parts, tainted);
      }
    return false;
  }

  /// Marks what an instruction writes: its first operand, a second one where both are predicates (or a
  /// predicate goes before a register), and the upper half of wide results.
  static void taint(const Parts& parts, std::set<std::string>& tainted) {
    for (std::size_t k = 0; k < parts.operands.size() && k < 2; k++) {
      if (k == 1 && !is_predicate(parts.operands[0])) break;
      for (const std::string& name : names_in(parts.operands[k])) {
        tainted.insert(name);
        if (name[0] == 'R' && (parts.has("64") || parts.has("128") || parts.has("WIDE")))
          for (int step = 1; step < (parts.has("128") ? 4 : 2); step++)
            tainted.insert("R" + std::to_string(std::atoi(name.c_str() + 1) + step));
      }
    }
  }

  /// The BSYNC right behind the loop whose BSSY stands before it.
  std::optional<std::size_t> reconvergence(const Loop& loop) const {
    for (std::size_t row = loop.last + 1; row < code_.size(); row++) {
      const std::string& base = parts_[row].base();
      if (base == "BSYNC") {
        for (std::size_t i = loop.first; i-- > 0;) {
          if (parts_[i].base() != "BSSY" || parts_[i].operands.empty() || parts_[row].operands.empty()) continue;
          if (parts_[i].operands[0] == parts_[row].operands[0]) return row;
        }
        return std::nullopt;
      }
      if (base == "BRA" || base == "EXIT" || base == "RET" || base == "BSSY") return std::nullopt;
    }
    return std::nullopt;
  }

  const std::vector<SassLine>& code_;
  std::vector<Parts> parts_;
  std::vector<Loop> loops_;
};

}  // namespace

std::vector<TimingDependence> timing_dependence(const std::vector<SassLine>& code) { return Analysis(code).run(); }

}  // namespace lanebank::session
