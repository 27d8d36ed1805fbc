// What orders the accesses of a block, rule by rule.
#include "checks/block_order.hpp"

#include <gtest/gtest.h>

namespace lanebank::checks {
namespace {

constexpr std::uint32_t all_lanes = ~0u;

class BlockOrderTest : public testing::Test {
 protected:
  void SetUp() override { order.reset(); }
  /// Whether what `from` does now would be before what `to` does after `between` ran.
  template <class Between>
  bool ordered(unsigned from, unsigned to, Between between) {
    const std::uint32_t then = order.now(from);
    between();
    return then <= order.known(to, from);
  }
  BlockOrder order;
};

TEST_F(BlockOrderTest, NothingOrdersWarpsByItself) {
  EXPECT_FALSE(ordered(0, 1, [] {}));
}

TEST_F(BlockOrderTest, ABarrierOrdersAllThatWaitAtIt) {
  EXPECT_TRUE(ordered(0, 1, [&] {
    order.barrier_arrive(0, 0, true);
    order.barrier_arrive(1, 0, true);
    order.barrier_released(0);
  }));
  EXPECT_FALSE(ordered(0, 1, [] {})) << "what comes after the barrier is another interval";
}

TEST_F(BlockOrderTest, AnArrivalGivesOrderAndTakesNone) {
  const std::uint32_t consumer = order.now(1);
  EXPECT_TRUE(ordered(0, 1, [&] {
    order.barrier_arrive(0, 3, false);
    order.barrier_arrive(1, 3, true);
    order.barrier_released(3);
  }));
  EXPECT_GT(consumer, order.known(0, 1));
}

TEST_F(BlockOrderTest, AWarpOutsideOfABarrierLearnsNothing) {
  EXPECT_FALSE(ordered(0, 2, [&] {
    order.barrier_arrive(0, 1, true);
    order.barrier_arrive(1, 1, true);
    order.barrier_released(1);
  }));
}

TEST_F(BlockOrderTest, OrderPassesOn) {
  EXPECT_TRUE(ordered(0, 2, [&] {
    order.barrier_arrive(0, 1, true);
    order.barrier_arrive(1, 1, true);
    order.barrier_released(1);
    order.barrier_arrive(1, 2, true);
    order.barrier_arrive(2, 2, true);
    order.barrier_released(2);
  }));
}

TEST_F(BlockOrderTest, AtomicsOrderWithFencesOnBothSides) {
  const auto exchange = [&](bool fence_before, bool fence_after) {
    order.reset();
    return ordered(0, 1, [&] {
      if (fence_before) order.fence(0);
      order.atomic(0, 64);
      order.atomic(1, 64);
      if (fence_after) order.fence(1);
    });
  };
  EXPECT_TRUE(exchange(true, true));
  EXPECT_FALSE(exchange(false, true));
  EXPECT_FALSE(exchange(true, false));
}

TEST_F(BlockOrderTest, AtomicsOnOtherWordsOrderNothing) {
  EXPECT_FALSE(ordered(0, 1, [&] {
    order.fence(0);
    order.atomic(0, 64);
    order.atomic(1, 68);
    order.fence(1);
  }));
}

TEST_F(BlockOrderTest, AnMbarrierOrdersLanesOfOneWarpThatArriveBeforeThoseThatWait) {
  const std::uint32_t before = order.now(0);
  order.mbarrier_arrive(0, 8, 1u << 3);
  order.mbarrier_wait(0, 8, 1u << 5);
  order.mbarrier_wait(0, 8, 1u << 6);
  EXPECT_TRUE(order.ordered_in_warp(0, before, 3, 5));
  EXPECT_TRUE(order.ordered_in_warp(0, before, 3, 6));
  EXPECT_FALSE(order.ordered_in_warp(0, before, 4, 5)) << "lane 4 did not arrive";
  EXPECT_FALSE(order.ordered_in_warp(0, before, 3, 4)) << "lane 4 did not wait";
  EXPECT_FALSE(order.ordered_in_warp(0, before, 5, 3)) << "lane 5 did not arrive";
  EXPECT_FALSE(order.ordered_in_warp(0, order.now(0), 3, 5)) << "what comes after";
}

TEST_F(BlockOrderTest, StrongAccessesOrderWithoutAFenceBehindThem) {
  const auto given = [&](bool fence, std::uint32_t looked_at) {
    order.reset();
    return ordered(0, 1, [&] {
      if (fence) order.fence(0);
      order.strong_store(0, 64, 8);
      order.strong_load(1, looked_at, 4);
    });
  };
  EXPECT_TRUE(given(true, 64));
  EXPECT_TRUE(given(true, 68)) << "the second word of eight bytes";
  EXPECT_FALSE(given(true, 72));
  EXPECT_FALSE(given(false, 64));
}

TEST_F(BlockOrderTest, AnMbarrierOrdersArrivalsBeforeWaits) {
  EXPECT_TRUE(ordered(0, 1, [&] {
    order.mbarrier_arrive(0, 8, all_lanes);
    order.mbarrier_wait(1, 8, all_lanes);
  }));
  EXPECT_FALSE(ordered(0, 1, [&] {
    order.mbarrier_arrive(0, 8, all_lanes);
    order.mbarrier_wait(1, 16, all_lanes);
  }));
}

TEST_F(BlockOrderTest, LanesAreInOrderAfterTheyMet) {
  const std::uint32_t then = order.now(4);
  EXPECT_FALSE(order.ordered_in_warp(4, then, 0, 1));
  order.warp_sync(4, all_lanes, all_lanes);
  EXPECT_TRUE(order.ordered_in_warp(4, then, 0, 1));
  EXPECT_FALSE(order.ordered_in_warp(4, order.now(4), 0, 1));
}

TEST_F(BlockOrderTest, APartOfAWarpOrdersItselfAlone) {
  const std::uint32_t then = order.now(0);
  order.warp_sync(0, 0x0000ffff, all_lanes);
  EXPECT_TRUE(order.ordered_in_warp(0, then, 3, 9));
  EXPECT_FALSE(order.ordered_in_warp(0, then, 3, 20));
  order.warp_sync(0, 0x00ff0000 | 1u << 9, all_lanes);  // lane 9 carries it on
  EXPECT_TRUE(order.ordered_in_warp(0, then, 3, 20));
  EXPECT_FALSE(order.ordered_in_warp(0, then, 3, 28));
}

TEST_F(BlockOrderTest, ACopyIsCompleteForWhoWaitedAndWhoIsOrderedAfter) {
  const std::uint32_t group = order.open_group(0);
  std::uint32_t waited = 0;
  order.commit_group(0);
  EXPECT_FALSE(order.is_awaited(group));
  order.await_groups(0, 1);
  EXPECT_FALSE(order.is_awaited(group)) << "one group may stay open";
  order.await_groups(0, 0);
  EXPECT_TRUE(order.is_complete(group, 0, waited));
  EXPECT_NE(waited, 0u);
  EXPECT_FALSE(order.is_complete(group, 1, waited));
  order.barrier_arrive(0, 0, true);
  order.barrier_arrive(1, 0, true);
  order.barrier_released(0);
  EXPECT_TRUE(order.is_complete(group, 1, waited));
}

TEST_F(BlockOrderTest, ABarrierBeforeTheWaitCompletesNoCopyForOthers) {
  const std::uint32_t group = order.open_group(0);
  order.commit_group(0);
  order.barrier_arrive(0, 0, true);
  order.barrier_arrive(1, 0, true);
  order.barrier_released(0);
  order.await_groups(0, 0);
  std::uint32_t waited = 0;
  EXPECT_FALSE(order.is_complete(group, 1, waited));
  EXPECT_TRUE(order.is_awaited(group));
}

TEST_F(BlockOrderTest, BulkCopiesAreCompleteForWaitersOfTheirMbarrier) {
  const std::uint32_t group = order.bulk_group(24);
  std::uint32_t waited = 1;
  EXPECT_FALSE(order.is_complete(group, 3, waited));
  order.mbarrier_wait(3, 24, all_lanes);
  EXPECT_TRUE(order.is_complete(group, 3, waited));
  EXPECT_EQ(waited, 0u) << "for all of its lanes";
  EXPECT_FALSE(order.is_complete(group, 2, waited));
}

TEST_F(BlockOrderTest, AWaitIsForAllCopiesThatArriveHoweverMany) {
  std::vector<std::uint32_t> groups;
  for (unsigned n = 0; n < 500; ++n) groups.push_back(order.bulk_group(24));
  order.mbarrier_wait(3, 24, 1);
  const std::uint32_t later = order.bulk_group(24);
  std::uint32_t waited = 1;
  for (const std::uint32_t group : groups) EXPECT_TRUE(order.is_complete(group, 3, waited)) << group;
  EXPECT_FALSE(order.is_complete(later, 3, waited));
  order.mbarrier_wait(3, 24, 1);
  EXPECT_TRUE(order.is_complete(later, 3, waited));
}

}  // namespace
}  // namespace lanebank::checks
