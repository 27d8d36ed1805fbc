#include "checks/global_traffic.hpp"

#include <gtest/gtest.h>

namespace lanebank::checks {
namespace {

using machine::GlobalKind;

/// One launch with as many recorders as workers.
class Traffic {
 public:
  explicit Traffic(unsigned workers = 1) {
    for (unsigned i = 0; i < workers; ++i) recorders_.push_back(observer_.recorder({}));
  }
  void access(GlobalKind kind, const std::function<std::uint64_t(unsigned)>& address, unsigned bytes = 4,
              std::uint32_t mask = ~0u, std::uint64_t block = 0, unsigned worker = 0) {
    std::uint64_t addresses[32];
    for (unsigned lane = 0; lane < 32; ++lane) addresses[lane] = address(lane);
    recorders_[worker]->global_access({block, 0}, {0, kind, static_cast<std::uint8_t>(bytes), mask, addresses});
  }
  machine::Recorder& recorder() { return *recorders_[0]; }
  const GlobalTraffic& finish() {
    observer_.finish({}, std::move(recorders_));
    return observer_.traffic();
  }
  /// Different sectors in all.
  static std::uint64_t read(const GlobalTraffic& traffic) {
    std::uint64_t sum = 0;
    for (const auto& [number, page] : traffic.pages) sum += page.read.count();
    return sum;
  }

 private:
  GlobalTrafficObserver observer_;
  std::vector<std::unique_ptr<machine::Recorder>> recorders_;
};

constexpr std::uint64_t base = 0x700000000000;

TEST(GlobalTraffic, consecutive_words_are_four_sectors) {
  Traffic traffic;
  traffic.access(GlobalKind::load, [](unsigned lane) { return base + 4 * lane; });
  traffic.access(GlobalKind::load, [](unsigned lane) { return base + 4 * (31 - lane); });
  const GlobalTraffic& sum = traffic.finish();
  EXPECT_EQ(sum.requests, 2u);
  EXPECT_EQ(sum.sectors, 8u);
  EXPECT_EQ(sum.l2_read_sectors, 4u) << "the second time L1 has them";
  EXPECT_EQ(Traffic::read(sum), 4u);
}

TEST(GlobalTraffic, columns_are_a_sector_for_each_lane_and_stores_go_through) {
  Traffic traffic;
  for (int i = 0; i < 2; ++i) traffic.access(GlobalKind::store, [](unsigned lane) { return base + 65536ull * lane; });
  const GlobalTraffic& sum = traffic.finish();
  EXPECT_EQ(sum.sectors, 64u);
  EXPECT_EQ(sum.l2_write_sectors, 64u);
  EXPECT_EQ(sum.l2_read_sectors, 0u);
  EXPECT_EQ(Traffic::read(sum), 0u);
}

TEST(GlobalTraffic, lanes_that_are_off_and_equal_addresses_count_once_or_not) {
  Traffic traffic;
  traffic.access(
      GlobalKind::load, [](unsigned) { return base; }, 4, 0xffff);
  traffic.access(
      GlobalKind::load, [](unsigned lane) { return base + 96 * (lane % 2); }, 4, 0x5);
  EXPECT_EQ(traffic.finish().sectors, 2u);
}

TEST(GlobalTraffic, vectors_that_straddle_take_both_sectors) {
  Traffic traffic;
  traffic.access(
      GlobalKind::load, [](unsigned) { return base + 24; }, 16, 1);
  EXPECT_EQ(traffic.finish().sectors, 2u);
}

TEST(GlobalTraffic, another_block_reads_again_and_workers_share_what_was_touched) {
  Traffic traffic(2);
  for (unsigned worker = 0; worker < 2; ++worker)
    traffic.access(
        GlobalKind::load, [](unsigned lane) { return base + 4 * lane; }, 4, ~0u, worker, worker);
  const GlobalTraffic& sum = traffic.finish();
  EXPECT_EQ(sum.l2_read_sectors, 8u);
  EXPECT_EQ(Traffic::read(sum), 4u);
}

TEST(GlobalTraffic, bulk_copies_are_ranges) {
  Traffic traffic;
  traffic.recorder().global_range({0, 0}, {0, false, base + 16, 64});
  traffic.recorder().global_range({0, 0}, {0, true, base, 4096});
  traffic.recorder().global_range({0, 0}, {0, true, base, 0});
  const GlobalTraffic& sum = traffic.finish();
  EXPECT_EQ(sum.requests, 0u);
  EXPECT_EQ(sum.engine_read_bytes, 64u);
  EXPECT_EQ(sum.l2_read_sectors, 3u);
  EXPECT_EQ(sum.engine_write_bytes, 4096u);
  EXPECT_EQ(sum.l2_write_sectors, 128u);
}

TEST(GlobalTraffic, asynchronous_copies_read_their_sources) {
  Traffic traffic;
  std::uint64_t sources[32];
  std::uint32_t shared[32] = {};
  for (unsigned lane = 0; lane < 32; ++lane) sources[lane] = base + 16 * lane;
  machine::SharedAccess copy{.kind = machine::SharedKind::async_copy_cg, .lane_bytes = 16, .mask = ~0u};
  copy.addresses = shared;
  copy.global_addresses = sources;
  traffic.recorder().shared_access({0, 0}, copy);
  const GlobalTraffic& sum = traffic.finish();
  EXPECT_EQ(sum.requests, 1u);
  EXPECT_EQ(sum.l2_read_sectors, 16u);
}

}  // namespace
}  // namespace lanebank::checks
