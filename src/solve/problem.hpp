// What a layout is wanted for: a tile, the access patterns on it with their weights, and what is allowed.
//
// A pattern is a list of warp instructions of one kind. Each of its lanes names the element where its access begins;
// a vector takes that element and those after it in the row. ldmatrix and stmatrix: the lanes that give row addresses.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "lanebank/bank_model.hpp"
#include "solve/layout.hpp"

namespace lanebank::solve {

/// A row of access_names.def.
struct InstructionName {
  std::string_view name;
  AccessKind kind;
  unsigned lane_bytes;     ///< 0: 1, 2, 4, 8 or 16
  unsigned matrices;       ///< 0 where there are none
  unsigned source_stride;  ///< asynchronous copies
};
/// nullptr if there is no such instruction.
const InstructionName* instruction_named(std::string_view name);
/// All names, separated by ", ".
std::string instruction_names();

struct Element {
  std::uint32_t row = 0, column = 0;
  bool operator==(const Element&) const = default;
};

/// One instruction of one warp.
struct WarpAccess {
  std::uint32_t active_lanes = 0;
  std::array<Element, lanes_per_warp> lanes{};
  std::array<std::uint32_t, lanes_per_warp> sources{};  ///< asynchronous copies: bytes from a 128-byte line
};

struct Pattern {
  std::string name;
  const InstructionName* instruction = nullptr;
  unsigned access_bytes = 0;  ///< per lane
  std::uint64_t repeat = 1;   ///< how often the whole list is executed
  std::vector<WarpAccess> accesses;
};

enum class Engine : std::uint8_t { none, tma, wgmma };

struct Problem {
  Tile tile;
  std::optional<std::uint32_t> max_bytes;
  std::vector<Family> families;  ///< empty: all but hardware
  Engine engine = Engine::none;
  unsigned architecture = 90;  ///< whose access rules apply, compute capability x 10
  std::vector<Pattern> patterns;
};

/// What a problem may hold at most.
inline constexpr std::uint32_t tile_limit_bytes = 256 * 1024;
inline constexpr std::uint32_t access_limit = 1 << 16;  ///< warp instructions of all patterns
inline constexpr std::uint32_t pattern_limit = 256;
inline constexpr std::uint64_t repeat_limit = 1'000'000'000;

/// Is everything inside the tile and the limits, each access of a width that its instruction has, and a rule known for it?
/// `problem_from_json` has asked; call it for problems built otherwise.
Result<void> check(const Problem& problem);

/// Does an access from that element on stay inside its row of the tile?
Result<void> check_element(const Tile& tile, const Element& element, unsigned access_bytes, const std::string& where);

/// The lanes whose elements count: of ldmatrix and stmatrix those that give a row.
std::uint32_t addressing_lanes(const Pattern& pattern);

/// One instruction of a pattern as the bank model takes it, at the addresses of a layout.
Access access_of(const Pattern& pattern, const WarpAccess& warp, const Layout& layout);

}  // namespace lanebank::solve
