// Which accesses of a block happen before which others: vector clocks of its warps.
//
// Time of a warp is cut into intervals, counted from 1 by its clock. An interval ends at everything that can order it with
// others: barriers, fences, arrivals at mbarriers, warp syncs. known[v][w] is the last interval of warp w that warp v knows to
// be over; an access of warp w in interval c happens before one of warp v now if c <= known[v][w]. What orders:
//
//   block barriers       all arrivals before all that are released; bar.arrive gives and does not take
//   cluster barriers     alike, within the block
//   mbarriers            arrivals, and bulk copies that arrive there, before all later waits; of one warp, what the lanes
//                        that arrive did before what those that wait do
//   fences with atomics  as C++ has it: fence, atomic on a word ... atomic on the same word, fence; strong accesses
//                        (ld.acquire, st.release, atom.acquire) need no fence behind them
//   WARPSYNC             the lanes that it names, within one warp
//
// Lanes of a warp that part are taken as one warp where other warps are concerned. An arrival that belongs to a later phase of
// an mbarrier than the one waited for counts too. Both can hide a race; neither makes one up.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "machine/events.hpp"

namespace lanebank::checks {

inline constexpr unsigned warps_per_block = 32;

class BlockOrder {
 public:
  using Times = std::array<std::uint32_t, warps_per_block>;

  /// Back to the start of a block of so many warps.
  void reset(unsigned warps = warps_per_block);

  /// The interval that the warp is in.
  std::uint32_t now(unsigned warp) const { return known_[warp][warp]; }
  /// The last interval of `other` that `warp` knows to be over.
  std::uint32_t known(unsigned warp, unsigned other) const { return known_[warp][other]; }
  const Times& known(unsigned warp) const { return known_[warp]; }
  /// What lanes of the warp did before this interval is in order between them.
  std::uint32_t synced(unsigned warp) const { return synced_[warp]; }

  /// Whether what lane `a` did in interval `time` of `warp` is before what lane `b` of the same warp does now.
  bool ordered_in_warp(unsigned warp, std::uint32_t time, unsigned a, unsigned b) const {
    return time < synced_[warp] || (!partial_syncs_[warp].empty() && ordered_by_partial_syncs(warp, time, a, b));
  }

  void barrier_arrive(unsigned warp, unsigned barrier, bool waits);
  void barrier_released(unsigned barrier);
  void cluster_arrive(unsigned warp);
  void cluster_wait(unsigned warp);
  void warp_sync(unsigned warp, std::uint32_t lanes, std::uint32_t live_lanes);
  void fence(unsigned warp);
  void atomic(unsigned warp, std::uint32_t byte, std::uint32_t bytes = 4);
  /// A store that others look for: gives what the warp's last fence ended.
  void strong_store(unsigned warp, std::uint32_t byte, std::uint32_t bytes);
  /// A load of such a word: takes what was given there.
  void strong_load(unsigned warp, std::uint32_t byte, std::uint32_t bytes);
  void mbarrier_init(std::uint32_t byte);
  void mbarrier_arrive(unsigned warp, std::uint32_t byte, std::uint32_t lanes);
  void mbarrier_wait(unsigned warp, std::uint32_t byte, std::uint32_t lanes);
  /// Whether somebody arrived at an mbarrier there.
  bool has_mbarrier(std::uint32_t byte) const { return mbarriers_.contains(byte); }

  // Asynchronous copies. A group is what is waited for as one: a committed group of cp.async, or one bulk copy. Groups are
  // numbered from 1; 0 is none.

  /// The group that cp.async copies of the warp join now.
  std::uint32_t open_group(unsigned warp);
  void commit_group(unsigned warp);
  /// At most `open` committed groups of the warp are still under way.
  void await_groups(unsigned warp, std::uint32_t open);
  /// All copies of the warp up to now arrive at an mbarrier.
  void groups_arrive(unsigned warp, std::uint32_t byte);
  /// A bulk copy that arrives at an mbarrier.
  std::uint32_t bulk_group(std::uint32_t byte);
  /// Whether the group's copies are complete for the warp: somebody waited for them, and the warp is ordered after that.
  /// `waited`: the interval in which each lane of the warp waited for its own copies alone; 0 if there is no such.
  bool is_complete(std::uint32_t group, unsigned warp, std::uint32_t& waited) const;
  /// Whether anybody waited for the group at all.
  bool is_awaited(std::uint32_t group) const { return !groups_[group].waits.empty(); }

 private:
  struct Wait {
    unsigned warp;
    std::uint32_t time;
    bool own_copies;  ///< cp.async: each lane waits for its own copies alone
  };
  struct Group {
    std::vector<Wait> waits;
  };
  struct Barrier {
    Times times{};
    std::uint32_t waiting = 0;  ///< warps, as bits
    bool met = false;
  };
  struct Mbarrier {
    Times times{};
    std::vector<std::uint32_t> groups;                     ///< that arrive here, oldest first
    std::uint32_t forgotten = 0;                           ///< older ones
    std::array<std::uint32_t, warps_per_block> waited{};   ///< by warp: how many groups its waits have been told of
    std::array<std::uint32_t, warps_per_block> arrived{};  ///< lanes, by warp
  };
  /// What lanes of `before` did before `time` is before what lanes of `after` do from then on.
  struct PartialSync {
    std::uint32_t before, after, time;
  };
  /// Copies of a warp that nobody waited for yet.
  struct Copies {
    std::uint32_t open = 0;                ///< group being filled
    std::vector<std::uint32_t> committed;  ///< oldest first
  };

  void lanes_sync(unsigned warp, std::uint32_t before, std::uint32_t after);
  bool ordered_by_partial_syncs(unsigned warp, std::uint32_t time, unsigned a, unsigned b) const;
  void join(Times& into, const Times& times) const;
  std::uint32_t new_group();
  static void add_group(Mbarrier& mbarrier, std::uint32_t group);
  /// Ends the warp's interval; adds what was known at its end.
  void end_interval(unsigned warp, Times& into);
  void learn(unsigned warp, const Times& times);
  /// All lanes of the warp are in order from here on.
  void lanes_meet(unsigned warp);

  unsigned warps_ = warps_per_block;  ///< that the block has, at least
  std::array<Times, warps_per_block> known_{};
  std::array<std::uint32_t, warps_per_block> synced_;  ///< intervals from this one on are not ordered between lanes
  std::array<std::vector<PartialSync>, warps_per_block> partial_syncs_;
  std::array<Barrier, 17> barriers_;  ///< the last: the cluster's
  std::unordered_map<std::uint32_t, Mbarrier> mbarriers_;
  // Fences and atomics; used only once a warp has fenced.
  bool fenced_ = false;
  std::array<Times, warps_per_block> before_fence_, seen_by_atomics_;
  std::array<bool, warps_per_block> has_fenced_{};
  std::unordered_map<std::uint32_t, Times> words_;
  std::array<Copies, warps_per_block> copies_;
  std::vector<Group> groups_;
};

}  // namespace lanebank::checks
