// The bound from pairs of units that must not share a bank (see bounds.hpp: clique).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "solve/access_set.hpp"

namespace lanebank::solve {

struct GraphBound {
  std::uint64_t wavefronts = 0;  ///< that some access takes more than one per group; 0: nothing is known
  std::string reason;
};

/// `set`: without symmetry; `clean[i]`: nothing known forbids that access i takes one wavefront per group. Units are as wide as the widest access; looked at where the tile has no more than 1024 of
/// them and vectors begin at multiples of their width; codes where it has no more than 64.
GraphBound graph_bound(const Problem& problem, const AccessSet& set, const std::vector<bool>& clean);

}  // namespace lanebank::solve
