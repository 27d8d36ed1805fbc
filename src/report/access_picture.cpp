#include "report/access_picture.hpp"

#include <algorithm>
#include <optional>

#include "base/words.hpp"
#include "picture/words.hpp"

namespace lanebank::report {

using findings::Phase;
using findings::RowLayout;
using findings::WorstAccess;

namespace {

constexpr unsigned most_cells = 1 << 16, word_bytes = 4;

/// Within what shared memory can be: a report that was read may say anything.
bool is_drawable(const WorstAccess& access) {
  constexpr std::uint32_t limit = 1u << 24, widest_bytes = 16;
  return access.lane_bytes != 0 && access.lane_bytes <= widest_bytes && access.array_byte < limit &&
         std::all_of(access.addresses.begin(), access.addresses.end(), [](std::uint32_t byte) { return byte < limit; });
}

/// For drawing alone: nothing is counted from it.
Access drawn_access(const WorstAccess& worst, findings::Kind kind) {
  Access access;
  access.kind = worst.counts_lanes                   ? AccessKind::atomic
                : kind == findings::Kind::async_copy ? AccessKind::async_copy_ca
                                                     : AccessKind::load;
  access.lane_bytes = worst.lane_bytes;
  access.active_lanes = worst.mask;
  std::copy(worst.addresses.begin(), worst.addresses.end(), std::begin(access.addresses));
  return access;
}

Group group_of(const Phase& phase) { return {phase.lanes, phase.degree, phase.bank, phase.colliding_lanes}; }

/// The array under the layout; a cell is what a lane moves, at least a word. Nothing if the rows are no whole cells, or
/// too many to draw.
std::optional<picture::Tile> tile_of(const WorstAccess& access, const RowLayout& layout) {
  if (!layout.is_sound()) return std::nullopt;
  const std::uint32_t cell = std::max(access.lane_bytes, word_bytes);
  // The bytes that the array has without padding.
  const std::uint32_t rows = access.array_bytes / (layout.row_bytes + layout.pad_bytes);
  if (rows == 0 || layout.row_bytes % cell != 0) return std::nullopt;
  const std::uint32_t columns = layout.row_bytes / cell;
  if (columns > most_cells || rows > most_cells / columns) return std::nullopt;
  picture::Tile tile{rows, columns, cell, {}};
  tile.offsets.reserve(std::size_t{rows} * columns);
  for (std::uint32_t row = 0; row < rows; row++)
    for (std::uint32_t column = 0; column < columns; column++)
      tile.offsets.push_back(layout(row * layout.row_bytes + column * cell));
  return tile;
}

std::string phase_title(const WorstAccess& access, std::size_t phase) {
  const Phase& shown = access.phases[phase];
  std::string text = access.phases.size() == 1
                         ? ""
                         : "phase " + std::to_string(phase + 1) + " of " + std::to_string(access.phases.size()) + ", ";
  return text + picture::lanes_text(shown.lanes) + ": " + counted(shown.degree, "wavefront", "wavefronts");
}

}  // namespace

picture::Picture access_picture(const WorstAccess& access, findings::Kind kind, const RowLayout* layout,
                                const std::string& title, std::size_t most_phases) {
  picture::Picture picture;
  picture.title = title;
  std::vector<std::size_t> order(access.phases.size());
  for (std::size_t i = 0; i < order.size(); i++) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return access.phases[a].degree > access.phases[b].degree; });
  if (order.empty() || !is_drawable(access)) return picture;
  order.resize(std::min(order.size(), most_phases));
  const Access drawn = drawn_access(access, kind);
  if (const auto tile = layout ? tile_of(access, *layout) : std::nullopt) {
    picture.grids.push_back(
        picture::access_grid(*tile, access.array_byte, drawn, group_of(access.phases[order[0]]), 1));
    picture.grids.back().title = "Array, " + phase_title(access, order[0]);
    picture.grids.back().caption =
        "Rows of " + counted(layout->row_bytes, "byte", "bytes") + ", as the cure counts them; a cell is " +
        counted(tile->element_bytes, "byte", "bytes") + ", coloured by its bank; numbers are lanes.";
  }
  for (const std::size_t phase : order) {
    picture.grids.push_back(picture::bank_grid(drawn, group_of(access.phases[phase])));
    picture.grids.back().title = "Banks, " + phase_title(access, phase);
  }
  const Phase& worst = access.phases[order[0]];
  picture.description =
      counted(access.wavefronts, "wavefront", "wavefronts") + ", ideal " + grouped(access.ideal) + ". " +
      (worst.degree > 1
           ? "In bank " + std::to_string(worst.bank) + " meet " + picture::lanes_text(worst.colliding_lanes) + "."
           : "No lanes meet.");
  return picture;
}

std::vector<LaneOfAccess> lanes_of(const WorstAccess& access) {
  std::vector<LaneOfAccess> lanes;
  for (unsigned lane = 0; lane < lanes_per_warp; lane++) {
    if ((access.mask >> lane & 1) == 0) continue;
    LaneOfAccess one{lane, access.addresses[lane], bank_of(access.addresses[lane]), 0, false};
    for (std::size_t i = 0; i < access.phases.size(); i++)
      if ((access.phases[i].lanes >> lane & 1) != 0) {
        one.phase = static_cast<unsigned>(i) + 1;
        one.meets = (access.phases[i].colliding_lanes >> lane & 1) != 0;
      }
    lanes.push_back(one);
  }
  return lanes;
}

}  // namespace lanebank::report
