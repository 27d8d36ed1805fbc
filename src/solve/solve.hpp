// The solver: the layout with the fewest weighted wavefronts, then bytes, then index instructions.
//
// Lower bounds come first; families are tried by rising index cost, and the F2-linear layouts by branch and bound over the
// functionals that make the bank bits (docs/solver.md). The winner is counted again by lanebank::cost on every access.
#pragma once

#include "base/diagnostic.hpp"
#include "solve/problem.hpp"
#include "solve/solution.hpp"

namespace lanebank::solve {

struct Limits {
  std::uint64_t work = 2'000'000'000;  ///< steps of the search over linear layouts; the same everywhere
  bool ways_out = true;                ///< also look for better access sides
  bool alternatives = true;            ///< also fill in the other families and the figures of row-major
};

/// A problem that `check` refuses, or that no layout can serve, is a Diagnostic "problem.*". No state; any thread.
Result<Solution> solve(const Problem& problem, const Limits& limits = {});

}  // namespace lanebank::solve
