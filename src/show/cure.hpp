// Layouts that take fewer wavefronts for all accesses of an array together: src/solve's answer, counted once more.
#pragma once

#include "show/show.hpp"

namespace lanebank::show {

/// The array's accesses as a problem of the solver; an error where they cannot be told as elements of the tile.
Result<solve::Problem> problem_of(const ArrayAnswer& array, const Answer& answer);

/// Fills `cures` and `cure_note`: the best layout, and the best swizzle and the best padding where they are others.
void find_cures(ArrayAnswer& array, const Answer& answer);

}  // namespace lanebank::show
