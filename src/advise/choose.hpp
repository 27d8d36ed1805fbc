// Which remedy for a tile: the decision tree that people are taught, with the cost of every branch computed for their shape.
//
//   memory tight?             layout adjustment: another place for each element in the same bytes (XOR, swizzle, diagonal)
//   else maximum speed?       vector accesses of 16 bytes on the side that walks along rows
//   else                      padding; where the rows' width is coprime to the banks, layout adjustment may win
//   vectors must stay whole   layouts are searched that keep 16 bytes together
//   TMA or wgmma              the hardware's swizzles only
//
// A branch is left where the figures say so: where row-major is clean already, where a branch does not exist for the tile, and
// where another remedy takes fewer wavefronts. Then the reason says which.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "solve/solve.hpp"

namespace lanebank::advise {

enum class Remedy : std::uint8_t { none, padding, adjustment, vectors, hardware };
/// "none", "padding", "layout-adjustment", "vectors", "hardware-swizzle".
std::string_view name_of(Remedy remedy);

struct ChooseInput {
  solve::Tile tile;
  std::string write = "row", read = "column";  ///< words of solve/presets.hpp
  bool memory_tight = false;                   ///< nothing may be added to the tile's bytes
  bool maximum_speed = false;
  bool fixed_block = false;  ///< the tile's sizes cannot change
  bool vectors = false;      ///< the row side moves 16 bytes a lane
  bool tma = false;          ///< the copy engine or wgmma reaches the tile
  unsigned architecture = 90;
};

/// A remedy with its best layout, or why there is none.
struct RemedyCost {
  Remedy remedy = Remedy::none;
  std::optional<solve::Layout> layout;
  std::uint64_t wavefronts = 0, ideal = 0, requests = 0;  ///< of all accesses to the tile, once
  std::int64_t more_bytes = 0;                            ///< than row-major
  unsigned index_instructions = 0;
  std::string missing;  ///< why it cannot be had
};

struct Choice {
  ChooseInput input;
  Remedy by_tree = Remedy::padding;  ///< what the tree says
  Remedy remedy = Remedy::padding;   ///< what the figures leave of it
  std::vector<std::string> reasons;  ///< sentences, in order
  std::vector<RemedyCost> costs;     ///< of every remedy; `none` first
  const RemedyCost& chosen() const;
};

/// Errors: those of solve::preset_pattern and solve::solve for the tile as it is.
Result<Choice> choose(const ChooseInput& input);

std::string choice_text(const Choice& choice);
/// lanebank.choose/1, docs/cli.md.
std::string choice_json(const Choice& choice);

}  // namespace lanebank::advise
