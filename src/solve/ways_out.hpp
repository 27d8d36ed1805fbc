// What another access side would save, where no layout reaches the ideal or the hardware fixes the layout.
#pragma once

#include <vector>

#include "solve/solution.hpp"
#include "solve/solve.hpp"

namespace lanebank::solve {

/// Changes of one pattern that keep what is read or written, best first, each solved anew; only those below the solution:
///   narrower vectors, neighbouring lanes taking neighbouring parts;
///   the same elements in another order over the lanes;
///   each lane's accesses in another order, so that lanes that meet take turns.
std::vector<WayOut> ways_out(const Problem& problem, const Solution& solution, const Limits& limits);

}  // namespace lanebank::solve
