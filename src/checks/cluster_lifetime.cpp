#include "checks/cluster_lifetime.hpp"

#include <algorithm>

namespace lanebank::checks {

using machine::SyncEvent;

void ClusterLifetime::sync(const machine::WarpPlace& place, const SyncEvent& event) {
  switch (event.kind) {
    case SyncEvent::Kind::cluster_arrive:
      ++blocks_[place.block].arrivals[place.warp];
      break;
    case SyncEvent::Kind::cluster_wait: {
      Block& block = blocks_[place.block];
      block.most_waits = std::max(block.most_waits, ++block.waits[place.warp]);
      break;
    }
    case SyncEvent::Kind::fence:
      if (event.number != 0) ++blocks_[place.block].other_orders;
      break;
    case SyncEvent::Kind::mbarrier_wait:
      ++blocks_[place.block].other_orders;
      break;
    default:
      break;
  }
}

bool ClusterLifetime::reach(std::uint64_t target, const Access& access) {
  const Block& from = blocks_[access.place.block];
  Block& to = blocks_[target];  // nodes stay where they are
  // The warp's next arrival is at barrier number `arrivals`; who has passed that one has waited once more.
  const std::uint32_t needed = from.arrivals[access.place.warp] + 1;
  if (!to.reached || needed >= to.needed_waits) {
    to.reached = access;
    to.needed_waits = needed;
    to.orders_before = to.other_orders;
  }
  return from.most_waits > 0 || from.other_orders > 0;
}

std::optional<ClusterLifetime::Access> ClusterLifetime::block_ends(std::uint64_t block) {
  const auto found = blocks_.find(block);
  if (found == blocks_.end()) return std::nullopt;
  const Block ended = found->second;
  blocks_.erase(found);
  if (!ended.reached || ended.most_waits >= ended.needed_waits || ended.other_orders > ended.orders_before)
    return std::nullopt;
  return ended.reached;
}

}  // namespace lanebank::checks
