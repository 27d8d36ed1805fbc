// What the runtime tells tests of its own process.
#pragma once

struct lanebank_observed;

namespace lanebank::cudart {

/// lanebank_observe of lanebank/observe.h. Launches are kept from the first call on.
int observe(lanebank_observed* observed) noexcept;

}  // namespace lanebank::cudart
