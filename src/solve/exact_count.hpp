// The plain count: lanebank::cost on every access, without any shortcut of the search.
#pragma once

#include <cstdint>
#include <vector>

#include "solve/layout.hpp"
#include "solve/problem.hpp"

namespace lanebank::solve {

struct ExactCount {
  bool served = true;  ///< all vectors are aligned and the rule is known; else nothing below counts
  std::vector<std::uint64_t> wavefronts, ideal;  ///< per pattern, weighted
  std::vector<unsigned> worst_degree;
  std::uint64_t total = 0, ideal_total = 0;
};

ExactCount exact_count(const Problem& problem, const Layout& layout);

}  // namespace lanebank::solve
