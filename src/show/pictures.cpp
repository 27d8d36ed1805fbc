#include "show/pictures.hpp"

#include <fmt/format.h>

#include "base/words.hpp"
#include "picture/words.hpp"

namespace lanebank::show {
namespace {

using picture::counted;
using picture::Grid;

constexpr unsigned phases_drawn = 8;  ///< of one access

/// The grids of one access under one layout.
void add_access(std::vector<Grid>& grids, const Answer& answer, const AccessAnswer& access,
                const Arrangement& arrangement, const Figures& figures, const std::string& title, bool all_phases) {
  const ArrayAnswer& array = answer.array_of(access);
  const Analysis analysis = worst_of(access, array, arrangement, figures, answer.architecture);
  if (analysis.phases.empty()) return;
  std::vector<std::size_t> chosen = {analysis.worst};
  if (all_phases) {
    chosen.clear();
    for (std::size_t i = 0; i < analysis.phases.size() && i < phases_drawn; ++i) chosen.push_back(i);
  }
  for (const std::size_t phase : chosen) {
    if (array.tile.rows > 1 && array.array.sizes.size() > 1) {
      grids.push_back(tile_phase(analysis, phase, access.accesses, arrangement, array.array.base_bytes));
      grids.back().title = title + ": " + grids.back().title;
      if (&arrangement != &array.written) grids.back().caption = "Layout: " + arrangement.text + ".";
    }
    const bool beside = !grids.empty() && grids.back().column_axis == "column" && grids.back().shows_access;
    grids.push_back(bank_phase(analysis, phase));
    grids.back().beside = beside;
    grids.back().title = "in the banks: " + phase_text(analysis, phase);
    grids.back().caption = bits_text(analysis.phases[phase]) + ".";
  }
}

/// Every access with its cost; for those who cannot see the picture as well.
std::string sentence(const Answer& answer) {
  std::string text;
  for (const AccessAnswer& access : answer.accesses) {
    const Figures& figures = access.given ? *access.given : access.written;
    text +=
        (text.empty() ? "" : " ") + fmt::format("{} ({}): ", access.accesses.name, instruction_text(access.accesses));
    if (!figures.served || !figures.modelled) {
      text += figures.why + ".";
      continue;
    }
    text += fmt::format("{}, ideal {}.", counted(figures.wavefronts, "wavefront"), grouped(figures.ideal));
    if (answer.of_layout) continue;
    const Analysis analysis =
        worst_of(access, answer.array_of(access), answer.shown_arrangement(access), figures, answer.architecture);
    text += " Why: " + why_text(analysis) + ".";
  }
  return text;
}

}  // namespace

unsigned cell_elements(const Accesses& accesses, const picture::Tile& tile) {
  const unsigned unit = accesses.lane_bytes / tile.element_bytes;
  return unit > 1 && picture::contiguous(tile, unit) ? unit : 1;
}

std::string phase_text(const Analysis& analysis, std::size_t phase) {
  const Group& group = analysis.phases[phase].group;
  const std::string lanes = picture::lanes_text(group.lanes);
  if (analysis.access.kind == AccessKind::async_copy_cg)
    return fmt::format("wavefront {} of {}, {}", phase + 1, analysis.phases.size(), lanes);
  if (analysis.phases.size() == 1) return fmt::format("{}, degree {}", lanes, group.degree);
  return fmt::format("phase {} of {}, {}, degree {}", phase + 1, analysis.phases.size(), lanes, group.degree);
}

Grid tile_phase(const Analysis& analysis, std::size_t phase, const Accesses& accesses, const Arrangement& arrangement,
                std::uint32_t base_bytes) {
  Grid grid = picture::access_grid(arrangement.tile, base_bytes, analysis.access, analysis.phases[phase].group,
                                   cell_elements(accesses, arrangement.tile));
  grid.title = phase_text(analysis, phase);
  return grid;
}

Grid bank_phase(const Analysis& analysis, std::size_t phase) {
  Grid grid = picture::bank_grid(analysis.access, analysis.phases[phase].group);
  grid.title = phase_text(analysis, phase);
  return grid;
}

Grid layout_picture(const Arrangement& arrangement, std::uint32_t base_bytes) {
  const unsigned word = arrangement.tile.element_bytes < bank_bytes ? bank_bytes / arrangement.tile.element_bytes : 1;
  const unsigned unit = picture::contiguous(arrangement.tile, word) ? word : 1;
  Grid grid = picture::layout_grid(arrangement.tile, base_bytes, unit);
  grid.title = arrangement.text;
  if (unit > 1) grid.caption = fmt::format("A cell is {} elements: one word.", unit);
  return grid;
}

picture::Picture picture_of(const Answer& answer, bool all_phases, bool compare) {
  picture::Picture picture;
  picture.description = sentence(answer);
  for (const ArrayAnswer& array : answer.arrays) {
    const std::string name = (array.array.name.empty() ? "tile" : array.array.name) + " " + array.array.text();
    picture.title += (picture.title.empty() ? "" : "; ") + name;
    if (!answer.of_layout) continue;
    const std::uint32_t base = array.array.base_bytes;
    if (compare || !array.given) picture.grids.push_back(layout_picture(array.written, base));
    if (array.given) picture.grids.push_back(layout_picture(*array.given, base));
    picture.grids.back().beside = compare && array.given;
  }
  if (answer.of_layout) return picture;
  if (answer.accesses.size() == 1) picture.title = answer.accesses.front().accesses.text + " on " + picture.title;
  for (const AccessAnswer& access : answer.accesses) {
    const ArrayAnswer& array = answer.array_of(access);
    const std::string& name = access.accesses.name;
    const bool before = compare && (array.given || !array.cures.empty());
    if (before) add_access(picture.grids, answer, access, array.written, access.written, "before, " + name, all_phases);
    if (before && !array.given) {
      const Cure& cure = array.cures.front();
      for (std::size_t i = 0; i < array.accesses.size(); ++i)
        if (&answer.accesses[array.accesses[i]] == &access)
          add_access(picture.grids, answer, access, cure.arrangement, cure.figures[i], "after, " + name, all_phases);
    } else {
      add_access(picture.grids, answer, access, answer.shown_arrangement(access), answer.shown_figures(access),
                 before ? "after, " + name : name, all_phases);
    }
  }
  return picture;
}

}  // namespace lanebank::show
