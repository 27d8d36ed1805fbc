// The accesses that a layout is judged by when nobody names others: rows, columns, 16-byte vectors, matrices.
#pragma once

#include <vector>

#include "show/accesses.hpp"

namespace lanebank::show {

/// Each walks over the whole tile: rows and columns element by element, rows and columns of 16-byte vectors, ldmatrix over
/// 16x16 halves or their like. Those that the tile has no room for are left out.
std::vector<Accesses> standard_accesses(const solve::Tile& tile);

}  // namespace lanebank::show
