// The bank model for the emulator's slow path: the same counts as lanebank::cost_by, without evidence,
// tens of nanoseconds instead of a microsecond. The header is the specification; tests compare the two.
#pragma once

#include <cstdint>

#include "lanebank/bank_model.hpp"

namespace lanebank::checks {

struct FastCost {
  bool modelled = false;
  unsigned wavefronts = 0, ideal = 0, worst_degree = 0;
  bool operator==(const FastCost&) const = default;
};

FastCost fast_cost(const AccessRule& rule, const Access& access);

}  // namespace lanebank::checks
