// Problems by the words that people use for access patterns.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "solve/layout.hpp"

namespace lanebank::solve {

/// "row, column, vector N, ldmatrix x1|x2|x4, stmatrix x1|x2|x4, accumulator, cp.async".
std::string preset_names();

/// A pattern of a problem file that covers the tile: `words` as in preset_names; `store` says which way row, column,
/// vector and accumulator go. Errors "preset.*" say what the tile or the words lack.
Result<std::string> preset_pattern(const Tile& tile, std::string_view words, bool store);

/// The problem file of these patterns.
std::string preset_problem(const Tile& tile, const std::vector<std::string>& patterns);

}  // namespace lanebank::solve
