// A layout as code of the header library that proves itself: bijective, in bounds, and as many wavefronts as were promised.
#pragma once

#include <string>

#include "solve/problem.hpp"
#include "solve/solution.hpp"

namespace lanebank::solve {

/// The lanebank form with a static_assert for each property and pattern. Patterns of more than 1024 accesses, or of no
/// regular shape and more than 64, are named in a comment instead: their proof would be too long for a compiler.
std::string proof_code(const Problem& problem, const Candidate& candidate, const std::string& name = "tile");

/// What stands under "code" of a solution.
Notation code_of(const Problem& problem, const Candidate& candidate, const std::string& name = "tile");

}  // namespace lanebank::solve
