// The pictures of an answer, as the model of src/picture.
#pragma once

#include "picture/picture.hpp"
#include "show/show.hpp"

namespace lanebank::show {

/// How many elements a cell holds: as many as a lane moves where these lie whole in the tile, else one.
unsigned cell_elements(const Accesses& accesses, const picture::Tile& tile);

/// One phase in the tile's cells, and in the banks.
picture::Grid tile_phase(const Analysis& analysis, std::size_t phase, const Accesses& accesses,
                         const Arrangement& arrangement, std::uint32_t base_bytes);
picture::Grid bank_phase(const Analysis& analysis, std::size_t phase);

/// "phase 2 of 4, lanes 8..15: degree 8".
std::string phase_text(const Analysis& analysis, std::size_t phase);

/// The banks of a layout's elements; a cell is a word, or an element where that is wider.
picture::Grid layout_picture(const Arrangement& arrangement, std::uint32_t base_bytes);

/// Everything for one file. `all_phases`: of every access, not the worst alone; `compare`: as written and as given or cured.
picture::Picture picture_of(const Answer& answer, bool all_phases, bool compare);

}  // namespace lanebank::show
