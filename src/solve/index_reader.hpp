// The index form of a pattern: its lanes' elements as integer expressions.
#pragma once

#include "base/diagnostic.hpp"
#include "solve/json_reader.hpp"
#include "solve/problem.hpp"

namespace lanebank::solve {

/// Appends to `pattern`, whose instruction and width are known, one access for every value of the loop variables, the
/// last named changing fastest. Keys of the object: row, column; active (which lanes take part), source (asynchronous
/// copies: bytes of global memory); all others are loops: "k": [first, end] or [first, end, step].
Result<void> read_index(const Tile& tile, Pattern& pattern, const JsonPlace& place);

}  // namespace lanebank::solve
