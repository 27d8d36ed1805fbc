#include "solve/problem.hpp"

#include <algorithm>
#include <bit>

namespace lanebank::solve {
namespace {

constexpr InstructionName names[] = {
#define LANEBANK_ACCESS_NAME(name, kind, lane_bytes, matrices, source_stride) \
  {#name, AccessKind::kind, lane_bytes, matrices, source_stride},
#include "lanebank/access_names.def"
};

std::string quoted(const std::string& text) { return "\"" + text + "\""; }

std::string place(std::size_t pattern) { return "/patterns/" + std::to_string(pattern); }

Result<void> check_tile(const Problem& problem) {
  const Tile& tile = problem.tile;
  if (tile.rows == 0 || tile.columns == 0 || tile.element_bytes == 0)
    return fail("problem.size", "/array", "an array without rows, columns or element bytes", "Give each at least 1.");
  const std::uint64_t bytes = std::uint64_t{tile.rows} * tile.columns;
  if (tile.element_bytes > tile_limit_bytes || bytes > tile_limit_bytes / tile.element_bytes)
    return fail("problem.size", "/array",
                "an array of more than " + std::to_string(tile_limit_bytes) + " bytes: no GPU has such shared memory",
                "Give the tile that one block keeps in shared memory.");
  if (problem.max_bytes && *problem.max_bytes < tile.size_bytes())
    return fail(
        "problem.max-bytes", "/constraints/max_bytes",
        std::to_string(*problem.max_bytes) + " bytes do not hold the array's " + std::to_string(tile.size_bytes()),
        "Raise max_bytes, or leave it out.");
  return {};
}

Result<void> check_instruction(const Problem& problem, const Pattern& pattern, std::size_t index) {
  if (pattern.instruction == nullptr)
    return fail("problem.instruction", place(index) + "/instruction", "no instruction is given",
                "Known: " + instruction_names() + ".");
  const InstructionName& name = *pattern.instruction;
  const unsigned bytes = pattern.access_bytes;
  const bool fits = name.lane_bytes == 0 ? std::has_single_bit(bytes) && bytes <= 16 : bytes == name.lane_bytes;
  if (!fits)
    return fail("problem.access-bytes", place(index) + "/access_bytes",
                std::to_string(bytes) + "; " + std::string(name.name) + " moves " +
                    (name.lane_bytes == 0 ? "1, 2, 4, 8 or 16" : std::to_string(name.lane_bytes)) + " bytes per lane",
                "Correct access_bytes, or the instruction.");
  const AccessRule rule = access_rule(problem.architecture, name.kind, bytes);
  if (rule.counting == Counting::unknown)
    return fail("problem.no-rule", place(index) + "/instruction",
                std::string(name.name) + " on sm_" + std::to_string(problem.architecture) + ": " + rule.reason,
                "Give another architecture or instruction.");
  return {};
}

Result<void> check_accesses(const Problem& problem, const Pattern& pattern, std::size_t index) {
  if (pattern.accesses.empty() || pattern.repeat == 0)
    return fail("problem.empty", place(index), "the pattern has no access", "Give it at least one, or leave it out.");
  for (std::size_t i = 0; i < pattern.accesses.size(); ++i) {
    const WarpAccess& warp = pattern.accesses[i];
    for (std::uint32_t rest = warp.active_lanes & addressing_lanes(pattern); rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      const Element& element = warp.lanes[lane];
      if (element.row < problem.tile.rows && element.column < problem.tile.columns &&
          element.column * problem.tile.element_bytes + pattern.access_bytes <= problem.tile.row_bytes())
        continue;
      return check_element(problem.tile, element, pattern.access_bytes,
                           place(index) + "/accesses/" + std::to_string(i) + "/" + std::to_string(lane));
    }
  }
  return {};
}

}  // namespace

const InstructionName* instruction_named(std::string_view name) {
  const auto* at =
      std::find_if(std::begin(names), std::end(names), [&](const InstructionName& row) { return row.name == name; });
  return at == std::end(names) ? nullptr : at;
}

std::string instruction_names() {
  std::string all;
  for (const InstructionName& row : names) all += (all.empty() ? "" : ", ") + std::string(row.name);
  return all;
}

std::uint32_t addressing_lanes(const Pattern& pattern) {
  return lanebank::addressing_lanes(pattern.instruction->kind, pattern.instruction->matrices);
}

Result<void> check_element(const Tile& tile, const Element& element, unsigned access_bytes, const std::string& where) {
  const std::string remedy = "Rows count from 0 to " + std::to_string(tile.rows - 1) + ", columns from 0 to " +
                             std::to_string(tile.columns - 1) + "; inactive lanes are null.";
  if (element.row >= tile.rows || element.column >= tile.columns)
    return fail("problem.outside", where,
                "row " + std::to_string(element.row) + ", column " + std::to_string(element.column) +
                    " lies outside the array of " + std::to_string(tile.rows) + " x " + std::to_string(tile.columns),
                remedy);
  if (element.column * tile.element_bytes + access_bytes > tile.row_bytes())
    return fail("problem.outside", where,
                "an access of " + std::to_string(access_bytes) + " bytes from column " +
                    std::to_string(element.column) + " on leaves its row of " + std::to_string(tile.row_bytes()) +
                    " bytes",
                remedy);
  return {};
}

Result<void> check(const Problem& problem) {
  if (Result<void> tile = check_tile(problem); !tile) return tile;
  if (problem.patterns.empty()) return fail("problem.empty", "/patterns", "no access pattern", "Give at least one.");
  if (problem.patterns.size() > pattern_limit)
    return fail("problem.size", "/patterns", "more than " + std::to_string(pattern_limit) + " patterns",
                "Join those of one instruction into one pattern with several accesses.");
  std::size_t accesses = 0;
  for (std::size_t i = 0; i < problem.patterns.size(); ++i) {
    const Pattern& pattern = problem.patterns[i];
    if (Result<void> named = check_instruction(problem, pattern, i); !named) return named;
    accesses += pattern.accesses.size();
    if (accesses > access_limit)
      return fail("problem.size", place(i), "more than " + std::to_string(access_limit) + " accesses",
                  "Give one warp's accesses of one pass over the tile, and the rest as weight.");
    if (pattern.repeat > repeat_limit)
      return fail(
          "problem.weight", place(i) + "/weight",
          "pattern " + quoted(pattern.name) + " is repeated more than " + std::to_string(repeat_limit) + " times",
          "Only the weights' ratio matters: divide all of them.");
    if (Result<void> inside = check_accesses(problem, pattern, i); !inside) return inside;
  }
  return {};
}

Access access_of(const Pattern& pattern, const WarpAccess& warp, const Layout& layout) {
  Access access;
  access.kind = pattern.instruction->kind;
  access.lane_bytes = pattern.access_bytes;
  access.active_lanes = warp.active_lanes;
  if (pattern.instruction->matrices != 0) access.matrices = pattern.instruction->matrices;
  const bool copies = pattern.instruction->source_stride != 0;
  access.source = copies ? SourceOrder::given : SourceOrder::unknown;
  const std::uint32_t lanes = warp.active_lanes & addressing_lanes(pattern);
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane) {
    if ((lanes >> lane & 1) != 0) access.addresses[lane] = layout.offset(warp.lanes[lane].row, warp.lanes[lane].column);
    if (copies) access.sources[lane] = warp.sources[lane];
  }
  return access;
}

}  // namespace lanebank::solve
