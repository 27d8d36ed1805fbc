#include "solve/proof_code.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

namespace lanebank::solve {
namespace {

constexpr std::size_t proved_accesses = 1024;  ///< of a pattern
constexpr std::size_t listed_accesses = 64;    ///< element by element

std::string kind_of(const InstructionName& instruction) {
#define LANEBANK_ACCESS_NAME(word, access_kind, lane_bytes, matrix_count, stride) \
  if (instruction.name == #word) return "lanebank::AccessKind::" #access_kind;
#include "lanebank/access_names.def"
  return "";
}

/// Fit for a comment of one line.
std::string in_comment(const std::string& text) {
  std::string result;
  for (const char c : text.substr(0, 60)) result += c >= ' ' && c < 127 && c != '\\' ? c : '?';
  return result;
}

std::string list(const std::vector<std::int64_t>& numbers) {
  std::string result;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    result += (i == 0 ? "" : i % 16 == 0 ? ",\n        " : ", ") + std::to_string(numbers[i]);
  return result;
}

/// A number per index as an expression in `index`: a constant, a straight line, or a table before it.
struct Row {
  std::string table;  ///< a declaration, or empty
  std::string value;
};

Row row_of(const std::vector<std::int64_t>& numbers, const std::string& index, const std::string& table) {
  const std::int64_t step = numbers.size() > 1 ? numbers[1] - numbers[0] : 0;
  bool line = true;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    line = line && numbers[i] == numbers[0] + step * static_cast<std::int64_t>(i);
  if (!line) return {"    constexpr int " + table + "[] = {" + list(numbers) + "};\n", table + "[" + index + "]"};
  std::string value = step == 0   ? ""
                      : step == 1 ? "int(" + index + ")"
                                  : "int(" + index + ") * " + std::to_string(step);
  if (numbers[0] != 0 || value.empty()) value += (value.empty() ? "" : " + ") + std::to_string(numbers[0]);
  return {"", value};
}

class PatternCode {
 public:
  PatternCode(const Tile& tile, const Pattern& pattern, std::string name)
      : tile_(tile), pattern_(pattern), name_(std::move(name)) {}

  /// The pattern's type; empty if it is too long to write down.
  std::string run() const {
    if (pattern_.accesses.size() > proved_accesses) return "";
    const std::string at = at_body();
    const bool copies = pattern_.instruction->source_stride != 0;
    const std::string source = copies ? source_body() : "";
    if (at.empty() || (copies && source.empty())) return "";
    const unsigned matrices = pattern_.instruction->matrices == 0 ? 4 : pattern_.instruction->matrices;
    std::string code = "struct " + name_ + " {\n" + member("lanebank::PatternShape shape()") + "    return {" +
                       kind_of(*pattern_.instruction) + ", " + std::to_string(pattern_.access_bytes) + ", " +
                       std::to_string(pattern_.accesses.size()) + ", " + std::to_string(matrices) + "};\n  }\n" +
                       member("lanebank::Coordinate at(unsigned access, unsigned lane)") + at + "  }\n";
    if (copies) code += member("std::uint32_t source(unsigned access, unsigned lane)") + source + "  }\n";
    return code + "};\n";
  }

 private:
  static std::string member(const std::string& signature) {
    return "  template <class L>\n  LANEBANK_HOST_DEVICE static constexpr " + signature + " {\n";
  }

  std::int64_t flat(std::size_t access, unsigned lane) const {
    const Element& element = pattern_.accesses[access].lanes[lane];
    return std::int64_t{element.row} * tile_.columns + element.column;
  }
  std::uint32_t active(std::size_t access) const {
    return pattern_.accesses[access].active_lanes & addressing_lanes(pattern_);
  }

  std::string finish(const std::string& flat_value, const std::string& active_value) const {
    const std::string columns = std::to_string(tile_.columns);
    return "    const auto flat = static_cast<unsigned>(" + flat_value + ");\n    return {flat / " + columns +
           ", flat % " + columns + (active_value.empty() ? "" : ", " + active_value) + "};\n";
  }

  std::string at_body() const {
    if (const std::string shifted = shifted_body(); !shifted.empty())
      return "    (void)access, (void)lane;\n" + shifted;
    if (pattern_.accesses.size() > listed_accesses) return "";
    std::vector<std::int64_t> all;
    for (std::size_t k = 0; k < pattern_.accesses.size(); ++k)
      for (unsigned lane = 0; lane < lanes_per_warp; ++lane)
        all.push_back((active(k) >> lane & 1) != 0 ? flat(k, lane) : -1);
    return "    constexpr int flats[] = {" + list(all) +
           "};\n    if (flats[access * 32 + lane] < 0) return {0, 0, false};\n" +
           finish("flats[access * 32 + lane]", "");
  }

  /// Where all accesses are one, moved: element = that of the lane + that of the access.
  std::string shifted_body() const {
    const std::uint32_t mask = active(0);
    if (mask == 0) return "";
    const auto first = static_cast<unsigned>(std::countr_zero(mask));
    std::vector<std::int64_t> by_access, by_lane;
    for (std::size_t k = 0; k < pattern_.accesses.size(); ++k) {
      if (active(k) != mask) return "";
      by_access.push_back(flat(k, first));
      for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        if (flat(k, lane) - flat(k, first) != flat(0, lane) - flat(0, first)) return "";
      }
    }
    const unsigned lanes = 32 - static_cast<unsigned>(std::countl_zero(mask));
    for (unsigned lane = 0; lane < lanes; ++lane)
      by_lane.push_back((mask >> lane & 1) != 0 ? flat(0, lane) - flat(0, first) : 0);
    const bool prefix = mask == 0xffffffffu >> (32 - lanes);
    const std::string is_active = mask == 0xffffffffu ? ""
                                  : prefix            ? "lane < " + std::to_string(lanes)
                                                      : "(" + std::to_string(mask) + "u >> lane & 1) != 0";
    const Row access = row_of(by_access, "access", "of_access");
    if (by_lane.size() < lanes_per_warp) by_lane.resize(lanes_per_warp, by_lane.back());
    const Row lane = row_of(by_lane, "lane", "of_lane");
    return access.table + lane.table + finish(access.value + " + " + lane.value, is_active);
  }

  std::string source_body() const {
    std::vector<std::int64_t> of_lane, of_access, all;
    bool shifted = true;
    const WarpAccess& first = pattern_.accesses[0];
    for (const WarpAccess& warp : pattern_.accesses) {
      of_access.push_back(std::int64_t{warp.sources[0]} - first.sources[0]);
      for (unsigned lane = 0; lane < lanes_per_warp; ++lane) {
        all.push_back(warp.sources[lane]);
        shifted = shifted && std::int64_t{warp.sources[lane]} - first.sources[lane] == of_access.back();
      }
    }
    for (const std::uint32_t source : first.sources) of_lane.push_back(source);
    if (shifted) {
      const Row access = row_of(of_access, "access", "of_access"), lane = row_of(of_lane, "lane", "of_lane");
      return "    (void)access, (void)lane;\n" + access.table + lane.table + "    return static_cast<std::uint32_t>(" +
             access.value + " + " + lane.value + ");\n";
    }
    if (pattern_.accesses.size() > listed_accesses) return "";
    return "    constexpr std::uint32_t sources[] = {" + list(all) + "};\n    return sources[access * 32 + lane];\n";
  }

  const Tile& tile_;
  const Pattern& pattern_;
  std::string name_;
};

}  // namespace

std::string proof_code(const Problem& problem, const Candidate& candidate, const std::string& name) {
  std::string code =
      "#include <lanebank/layout.hpp>\n#include <lanebank/proofs.hpp>\n\n" + notation(candidate.layout, name).lanebank;
  if (candidate.layout.pitch_bytes() % problem.tile.element_bytes == 0)
    code += "static_assert(lanebank::is_bijective<" + name + ">);\n";
  else
    code += "// (rows are no whole number of elements: not proved to be a bijection by the compiler)\n";
  for (std::size_t i = 0; i < problem.patterns.size(); ++i) {
    const Pattern& pattern = problem.patterns[i];
    const std::string type = name + "_pattern_" + std::to_string(i + 1);
    code += "\n// " + in_comment(pattern.name) + ": " + std::string(pattern.instruction->name) + ", " +
            std::to_string(pattern.access_bytes) + " bytes a lane\n";
    if (pattern.access_bytes % problem.tile.element_bytes != 0) {
      code += "// (an access of part of an element: not proved by the compiler; `lanebank solve` counted it)\n";
      continue;
    }
    const std::string pattern_type = PatternCode(problem.tile, pattern, type).run();
    if (pattern_type.empty()) {
      code += "// (" + std::to_string(pattern.accesses.size()) +
              " accesses of no regular shape: too many for a proof by the compiler; `lanebank solve` counted them)\n";
      continue;
    }
    code += pattern_type + "static_assert(lanebank::has_wavefronts<" + name + ", " + type + ", " +
            std::to_string(candidate.wavefronts[i] / pattern.repeat) + ">);\n";
  }
  return code;
}

Notation code_of(const Problem& problem, const Candidate& candidate, const std::string& name) {
  Notation result = notation(candidate.layout, name);
  result.lanebank = proof_code(problem, candidate, name);
  return result;
}

}  // namespace lanebank::solve
