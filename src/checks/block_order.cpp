#include "checks/block_order.hpp"

#include <algorithm>

namespace lanebank::checks {

namespace {

constexpr unsigned cluster_barrier = 16;
constexpr std::size_t partial_sync_limit = 64;     // beyond, older ones are forgotten
constexpr std::size_t groups_per_mbarrier = 4096;  // older ones were waited for by all who will

}  // namespace

void BlockOrder::join(Times& into, const Times& times) const {
  for (unsigned w = 0; w < warps_; ++w) into[w] = std::max(into[w], times[w]);
}

void BlockOrder::reset(unsigned warps) {
  // Whole vectors of eight, without a rest.
  warps_ = std::min((warps + 7) / 8 * 8, warps_per_block);
  for (unsigned w = 0; w < warps_; ++w) {
    std::fill_n(known_[w].begin(), warps_, 0);
    known_[w][w] = 1;
    synced_[w] = 1;
    partial_syncs_[w].clear();
    copies_[w].open = 0;
    copies_[w].committed.clear();
  }
  for (Barrier& barrier : barriers_)
    if (barrier.met) barrier = {};
  if (!mbarriers_.empty()) mbarriers_.clear();
  if (fenced_) {
    has_fenced_.fill(false);
    words_.clear();
  }
  fenced_ = false;
  groups_.resize(1);
}

void BlockOrder::end_interval(unsigned warp, Times& into) {
  join(into, known_[warp]);
  ++known_[warp][warp];
}

void BlockOrder::learn(unsigned warp, const Times& times) {
  const std::uint32_t own = known_[warp][warp];
  join(known_[warp], times);
  known_[warp][warp] = own;
}

void BlockOrder::lanes_meet(unsigned warp) {
  synced_[warp] = now(warp);
  partial_syncs_[warp].clear();
}

void BlockOrder::barrier_arrive(unsigned warp, unsigned barrier, bool waits) {
  Barrier& b = barriers_[barrier];
  b.met = true;
  end_interval(warp, b.times);
  if (waits) b.waiting |= 1u << warp;
}

void BlockOrder::barrier_released(unsigned barrier) {
  Barrier& b = barriers_[barrier];
  for (std::uint32_t left = b.waiting; left != 0; left &= left - 1) {
    const unsigned warp = static_cast<unsigned>(__builtin_ctz(left));
    learn(warp, b.times);
    lanes_meet(warp);
  }
  b = {};
}

void BlockOrder::cluster_arrive(unsigned warp) { barrier_arrive(warp, cluster_barrier, false); }

void BlockOrder::cluster_wait(unsigned warp) {
  learn(warp, barriers_[cluster_barrier].times);
  lanes_meet(warp);
}

void BlockOrder::warp_sync(unsigned warp, std::uint32_t lanes, std::uint32_t live_lanes) {
  ++known_[warp][warp];
  if ((live_lanes & ~lanes) == 0) {
    lanes_meet(warp);
    return;
  }
  lanes_sync(warp, lanes, lanes);
}

void BlockOrder::lanes_sync(unsigned warp, std::uint32_t before, std::uint32_t after) {
  std::vector<PartialSync>& syncs = partial_syncs_[warp];
  if (syncs.size() == partial_sync_limit) {
    synced_[warp] = std::max(synced_[warp], syncs.front().time);
    syncs.erase(syncs.begin());
  }
  syncs.push_back({before, after, now(warp)});
}

bool BlockOrder::ordered_by_partial_syncs(unsigned warp, std::uint32_t time, unsigned a, unsigned b) const {
  std::uint32_t reached = 1u << a;
  for (const PartialSync& sync : partial_syncs_[warp])
    if (sync.time > time && (reached & sync.before) != 0) reached |= sync.after;
  return (reached >> b & 1) != 0;
}

void BlockOrder::fence(unsigned warp) {
  if (!fenced_) {
    fenced_ = true;
    for (Times& times : seen_by_atomics_) times.fill(0);
  }
  learn(warp, seen_by_atomics_[warp]);
  before_fence_[warp] = known_[warp];
  ++known_[warp][warp];
  has_fenced_[warp] = true;
}

void BlockOrder::atomic(unsigned warp, std::uint32_t byte, std::uint32_t bytes) {
  if (!fenced_) return;
  for (std::uint32_t word = byte & ~3u; word < byte + bytes; word += 4)
    if (const auto found = words_.find(word); found != words_.end()) join(seen_by_atomics_[warp], found->second);
  strong_store(warp, byte, bytes);
}

void BlockOrder::strong_store(unsigned warp, std::uint32_t byte, std::uint32_t bytes) {
  if (!fenced_ || !has_fenced_[warp]) return;
  for (std::uint32_t word = byte & ~3u; word < byte + bytes; word += 4) {
    const auto [found, is_new] = words_.emplace(word, before_fence_[warp]);
    if (!is_new) join(found->second, before_fence_[warp]);
  }
}

void BlockOrder::strong_load(unsigned warp, std::uint32_t byte, std::uint32_t bytes) {
  if (!fenced_) return;
  for (std::uint32_t word = byte & ~3u; word < byte + bytes; word += 4)
    if (const auto found = words_.find(word); found != words_.end()) learn(warp, found->second);
}

void BlockOrder::mbarrier_init(std::uint32_t byte) { mbarriers_.erase(byte); }

void BlockOrder::mbarrier_arrive(unsigned warp, std::uint32_t byte, std::uint32_t lanes) {
  Mbarrier& mbarrier = mbarriers_[byte];
  mbarrier.arrived[warp] |= lanes;
  end_interval(warp, mbarrier.times);
}

void BlockOrder::mbarrier_wait(unsigned warp, std::uint32_t byte, std::uint32_t lanes) {
  const auto found = mbarriers_.find(byte);
  if (found == mbarriers_.end()) return;
  learn(warp, found->second.times);
  if (const std::uint32_t arrived = found->second.arrived[warp]; arrived != 0) {
    // Lanes of one wait are told of one by one: they share one sync.
    std::vector<PartialSync>& syncs = partial_syncs_[warp];
    if (!syncs.empty() && syncs.back().time == now(warp) && syncs.back().before == arrived) {
      syncs.back().after |= lanes;
    } else {
      ++known_[warp][warp];
      lanes_sync(warp, arrived, lanes);
    }
    if ((syncs.back().before & syncs.back().after) == ~std::uint32_t{0}) lanes_meet(warp);
  }
  Mbarrier& mbarrier = found->second;
  const auto all = mbarrier.forgotten + static_cast<std::uint32_t>(mbarrier.groups.size());
  for (std::uint32_t n = std::max(mbarrier.waited[warp], mbarrier.forgotten); n < all; ++n) {
    std::vector<Wait>& waits = groups_[mbarrier.groups[n - mbarrier.forgotten]].waits;
    const bool known = std::any_of(waits.begin(), waits.end(), [&](const Wait& wait) { return wait.warp == warp; });
    if (!known) waits.push_back({warp, now(warp), false});
  }
  mbarrier.waited[warp] = all;
}

std::uint32_t BlockOrder::new_group() {
  groups_.emplace_back();
  return static_cast<std::uint32_t>(groups_.size() - 1);
}

std::uint32_t BlockOrder::open_group(unsigned warp) {
  if (copies_[warp].open == 0) copies_[warp].open = new_group();
  return copies_[warp].open;
}

void BlockOrder::commit_group(unsigned warp) {
  copies_[warp].committed.push_back(open_group(warp));
  copies_[warp].open = 0;
}

void BlockOrder::await_groups(unsigned warp, std::uint32_t open) {
  std::vector<std::uint32_t>& committed = copies_[warp].committed;
  if (committed.size() <= open) return;
  const std::size_t done = committed.size() - open;
  for (std::size_t n = 0; n < done; ++n) groups_[committed[n]].waits.push_back({warp, now(warp), true});
  committed.erase(committed.begin(), committed.begin() + static_cast<std::ptrdiff_t>(done));
}

void BlockOrder::groups_arrive(unsigned warp, std::uint32_t byte) {
  Mbarrier& mbarrier = mbarriers_[byte];
  Copies& copies = copies_[warp];
  for (const std::uint32_t group : copies.committed) add_group(mbarrier, group);
  // What is copied later is another group: this arrival does not wait for it.
  if (copies.open != 0) add_group(mbarrier, copies.open);
  copies.open = 0;
  end_interval(warp, mbarrier.times);
}

void BlockOrder::add_group(Mbarrier& mbarrier, std::uint32_t group) {
  if (mbarrier.groups.size() == groups_per_mbarrier) {
    mbarrier.groups.erase(mbarrier.groups.begin(), mbarrier.groups.begin() + groups_per_mbarrier / 2);
    mbarrier.forgotten += groups_per_mbarrier / 2;
  }
  mbarrier.groups.push_back(group);
}

std::uint32_t BlockOrder::bulk_group(std::uint32_t byte) {
  const std::uint32_t group = new_group();
  add_group(mbarriers_[byte], group);
  return group;
}

bool BlockOrder::is_complete(std::uint32_t group, unsigned warp, std::uint32_t& waited) const {
  bool complete = false;
  for (const Wait& wait : groups_[group].waits) {
    if (wait.warp == warp) {
      waited = wait.own_copies ? wait.time : 0;
      return true;
    }
    complete = complete || wait.time <= known_[warp][wait.warp];
  }
  return complete;
}

}  // namespace lanebank::checks
