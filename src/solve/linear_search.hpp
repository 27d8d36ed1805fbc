// The best F2-linear layout by branch and bound.
//
// What a linear layout costs depends only on its bank rows: the functionals that make the address bits from the unit's (or 2)
// to 6, and of them only on the space they span. So the search picks them one after the other, each the smallest of its class
// modulo those before it: the leading bit rises, and it is zero where earlier ones lead. A group of lanes is the set of
// differences between its elements; after t of R rows it is cut into classes that the rows tell apart, and R - t more rows can
// cut the largest class into 2^(R-t) parts at best: that bounds the degree from below. Groups whose differences form a
// space are kept as the kernel of the rows on it, the others as class numbers.
//
// Where accesses are narrower than a word the word too is part of the search: which elements share one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "solve/families.hpp"
#include "solve/layout.hpp"

namespace lanebank::solve {

struct LinearResult {
  std::optional<Layout> layout;  ///< the best one below `cutoff`
  std::uint64_t total = 0;
  std::uint64_t nodes = 0;
  bool exhausted = true;  ///< no linear layout has a total below the result's, or below `cutoff`
};

/// Looks for totals below `cutoff`, and stops at `bound`. `work`: group updates at most.
LinearResult search_linear(SearchSpace& space, std::uint64_t cutoff, std::uint64_t bound, std::uint64_t work);

}  // namespace lanebank::solve
