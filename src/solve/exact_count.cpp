#include "solve/exact_count.hpp"

#include <algorithm>

namespace lanebank::solve {

ExactCount exact_count(const Problem& problem, const Layout& layout) {
  ExactCount result;
  for (const Pattern& pattern : problem.patterns) {
    std::uint64_t wavefronts = 0, ideal = 0;
    unsigned worst = 0;
    const std::uint32_t inside = pattern.access_bytes - 1;
    for (const WarpAccess& warp : pattern.accesses) {
      const Access access = access_of(pattern, warp, layout);
      std::uint32_t low = 0;
      for (const std::uint32_t address : access.addresses) low |= address;  // those of inactive lanes are 0
      const Cost cost = lanebank::cost(access, problem.architecture);
      if (!cost.modelled || (low & inside) != 0) result.served = false;
      wavefronts += cost.wavefronts;
      ideal += cost.ideal;
      worst = std::max(worst, cost.worst_degree);
    }
    result.wavefronts.push_back(pattern.repeat * wavefronts);
    result.ideal.push_back(pattern.repeat * ideal);
    result.worst_degree.push_back(worst);
    result.total += result.wavefronts.back();
    result.ideal_total += result.ideal.back();
  }
  return result;
}

}  // namespace lanebank::solve
