// The best layout of a problem, and how sure that is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "solve/layout.hpp"
#include "solve/notation.hpp"
#include "solve/problem.hpp"

namespace lanebank::solve {

/// Wavefronts of all executions of a pattern; counted by lanebank::cost.
struct PatternFigures {
  std::string name;
  std::uint64_t plain_wavefronts = 0;  ///< under row-major; 0 unless `Solution::plain_counts`
  std::uint64_t wavefronts = 0;        ///< under the best layout
  std::uint64_t ideal = 0;
  std::uint64_t lower_bound = 0;  ///< no layout takes fewer
  unsigned worst_degree = 0;
};

/// A layout and what it costs.
struct Candidate {
  Layout layout;
  std::uint64_t total_wavefronts = 0;
  std::uint32_t bytes = 0;
  unsigned index_instructions = 0;
  std::vector<std::uint64_t> wavefronts;  ///< per pattern
};

/// A change of the access side, and what the problem then costs at best.
struct WayOut {
  std::string what;  ///< "store 8 bytes instead of 16 in \"store rows\""
  std::uint64_t total_wavefronts = 0;
  Layout layout;
};

struct Solution {
  Candidate best;
  std::vector<PatternFigures> patterns;
  bool plain_counts = true;  ///< row-major can serve the accesses: their vectors are aligned, and the rule is known
  std::uint64_t plain_total = 0, ideal_total = 0, lower_bound = 0;
  bool optimal = false;
  std::string optimal_over;  ///< "all layouts", or the classes that were exhausted; empty if not optimal
  std::string certificate;   ///< which bound was reached, what was exhausted, or "best found, not proved: ..."
  std::string bound;         ///< the bound that keeps the optimum from the ideal; empty if it is ideal
  std::vector<Candidate> alternatives;  ///< the best of every other family
  std::vector<WayOut> ways_out;         ///< where the best is not ideal, or the engine fixes the layout
  std::uint64_t nodes = 0;              ///< of the search over linear layouts
};

}  // namespace lanebank::solve
