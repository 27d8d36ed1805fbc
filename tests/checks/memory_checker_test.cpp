// The memory checks on events made by hand.
#include "checks/memory_checker.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace lanebank::checks {
namespace {

using machine::SharedAccess;
using machine::SharedKind;
using machine::SyncEvent;

/// A block of some warps that does what a test says.
class Play {
 public:
  explicit Play(MemoryCheckOptions options = {}) : checker_(std::move(options)) {
    info_.static_shared_bytes = 4096;
    info_.block[0] = 1024;
    info_.instructions.resize(16);
    recorder_ = checker_.recorder(info_);
    recorder_->block_begins(0);
  }
  /// Lane i of the warp accesses `bytes` at first + i * stride.
  void access(SharedKind kind, std::uint32_t instruction, unsigned warp, std::uint32_t first, std::uint32_t stride,
              std::uint32_t mask = ~0u, unsigned bytes = 4) {
    std::array<std::uint32_t, 32> addresses{};
    for (unsigned i = 0; i < 32; ++i) addresses[i] = first + i * stride;
    std::array<std::uint32_t, 128> values{};
    for (unsigned i = 0; i < 32; ++i) values[i] = value_ + i * value_step;
    recorder_->shared_access({block, warp}, {.instruction = instruction,
                                             .kind = kind,
                                             .lane_bytes = static_cast<std::uint8_t>(bytes),
                                             .mask = mask,
                                             .addresses = addresses.data(),
                                             .values = kind == SharedKind::store ? values.data() : nullptr,
                                             .memory = memory_.data()});
    if (kind != SharedKind::store) return;
    for (unsigned i = 0; i < 32; ++i)
      if (mask >> i & 1) std::memcpy(memory_.data() + addresses[i], &values[i], std::min(bytes, 4u));
  }
  void store(std::uint32_t instruction, unsigned warp, std::uint32_t first, std::uint32_t stride = 4,
             std::uint32_t mask = ~0u, unsigned bytes = 4) {
    access(SharedKind::store, instruction, warp, first, stride, mask, bytes);
  }
  void load(std::uint32_t instruction, unsigned warp, std::uint32_t first, std::uint32_t stride = 4,
            std::uint32_t mask = ~0u, unsigned bytes = 4) {
    access(SharedKind::load, instruction, warp, first, stride, mask, bytes);
  }
  void barrier(std::initializer_list<unsigned> warps) {
    for (unsigned warp : warps) recorder_->sync({block, warp}, {15, SyncEvent::Kind::block_barrier, ~0u, 0, true});
    recorder_->barrier_released(block, 0);
  }
  machine::Recorder& recorder() { return *recorder_; }
  const std::vector<Hazard>& hazards() {
    recorder_->block_ends(block);
    std::vector<std::unique_ptr<machine::Recorder>> recorders;
    recorders.push_back(std::move(recorder_));
    checker_.finish(info_, std::move(recorders));
    return checker_.hazards();
  }
  const std::vector<ByteRange>& untouched() const { return checker_.untouched(); }
  std::uint64_t block = 0;
  std::uint32_t value_ = 1, value_step = 1;

 private:
  machine::LaunchInfo info_;
  MemoryChecker checker_;
  std::unique_ptr<machine::Recorder> recorder_;
  std::vector<std::uint8_t> memory_ = std::vector<std::uint8_t>(8192);
};

TEST(MemoryChecker, OrderedAccessesAreFine) {
  Play play;
  play.store(0, 0, 0);
  play.store(0, 1, 128);
  play.barrier({0, 1});
  play.load(1, 0, 128);
  play.load(1, 1, 0);
  play.barrier({0, 1});
  play.store(2, 1, 0);
  EXPECT_TRUE(play.hazards().empty());
}

TEST(MemoryChecker, AReadWithoutABarrierRacesWithTheWrite) {
  Play play;
  play.store(0, 0, 0);
  play.load(1, 1, 0);
  const auto& hazards = play.hazards();
  ASSERT_EQ(hazards.size(), 1u);
  EXPECT_EQ(hazards[0].kind, HazardKind::read_after_write);
  EXPECT_EQ(hazards[0].earlier, 0u);
  EXPECT_EQ(hazards[0].later, 1u);
  EXPECT_EQ(hazards[0].count, 32u);
  EXPECT_EQ(hazards[0].later_place, (LanePlace{1, 0}));
  EXPECT_FALSE(hazards[0].in_warp);
}

TEST(MemoryChecker, TheOrderInWhichWarpsHappenToRunDoesNotMatter) {
  for (const bool writer_first : {true, false}) {
    Play play({.uninitialised = false});
    if (writer_first) play.store(0, 0, 0);
    play.load(1, 1, 0);
    if (!writer_first) play.store(0, 0, 0);
    const auto& hazards = play.hazards();
    ASSERT_EQ(hazards.size(), 1u);
    EXPECT_EQ(hazards[0].kind, writer_first ? HazardKind::read_after_write : HazardKind::write_after_read);
  }
}

TEST(MemoryChecker, AWriterAmongManyReadersRacesWithTheOthers) {
  Play play({.uninitialised = false});
  for (unsigned warp : {1u, 2u, 0u}) play.load(0, warp, 0);
  play.store(1, 0, 0);
  const auto& hazards = play.hazards();
  ASSERT_EQ(hazards.size(), 1u);
  EXPECT_EQ(hazards[0].kind, HazardKind::write_after_read);
  EXPECT_EQ(hazards[0].earlier_place.warp, 2u);
}

TEST(MemoryChecker, ReadsBeforeABarrierAreInOrderWhateverTheWarpReadsAfterIt) {
  for (const bool with_barrier : {true, false}) {
    Play play({.uninitialised = false});
    play.load(0, 0, 0, 0);
    if (with_barrier) play.barrier({0, 1});
    play.load(1, 0, 0, 0, 1);
    play.store(2, 0, 0, 0, 1);
    EXPECT_EQ(play.hazards().size(), with_barrier ? 0u : 1u);
  }
}

TEST(MemoryChecker, EqualValuesAreANoteOfTheirOwn) {
  Play play;
  play.store(0, 0, 0);
  play.store(1, 1, 0);
  EXPECT_EQ(play.hazards().at(0).kind, HazardKind::same_value_writes);
  Play other;
  other.store(0, 0, 0);
  other.value_ = 7;
  other.store(1, 1, 0);
  EXPECT_EQ(other.hazards().at(0).kind, HazardKind::write_after_write);
}

TEST(MemoryChecker, LanesOfOneStoreThatMeet) {
  Play play;
  play.store(0, 0, 64, 0);
  const auto& hazards = play.hazards();
  ASSERT_EQ(hazards.size(), 1u);
  EXPECT_EQ(hazards[0].kind, HazardKind::write_after_write);
  EXPECT_TRUE(hazards[0].at_once);
  EXPECT_TRUE(hazards[0].in_warp);
  EXPECT_EQ(hazards[0].count, 31u);
}

TEST(MemoryChecker, LanesOfAWarpNeedASyncBetweenThem) {
  for (const bool synced : {true, false}) {
    Play play;
    play.store(0, 3, 0);
    if (synced) play.recorder().sync({0, 3}, {9, SyncEvent::Kind::warp_sync, ~0u, ~0u});
    play.load(1, 3, 124, static_cast<std::uint32_t>(-4));
    const auto& hazards = play.hazards();
    EXPECT_EQ(hazards.size(), synced ? 0u : 1u);
    if (!synced) {
      EXPECT_TRUE(hazards.at(0).in_warp);
    }
  }
}

TEST(MemoryChecker, BytesOfAWordAreNotTheSameMemory) {
  Play play;
  play.store(0, 0, 0, 4, ~0u, 1);
  play.store(0, 1, 1, 4, ~0u, 1);
  play.load(1, 0, 0, 4, ~0u, 1);
  EXPECT_TRUE(play.hazards().empty());
}

TEST(MemoryChecker, NarrowAccessesAfterWideOnes) {
  Play play;
  play.store(0, 0, 0);
  play.load(1, 1, 3, 4, 1, 1);  // one byte of lane 0's word
  const auto& hazards = play.hazards();
  ASSERT_EQ(hazards.size(), 1u);
  EXPECT_EQ(hazards[0].byte, 3u);
}

TEST(MemoryChecker, VectorsReachAllTheirCells) {
  Play play;
  play.store(0, 0, 12, 0, 1);     // byte 12..15
  play.load(1, 1, 0, 16, 1, 16);  // bytes 0..15
  const auto& hazards = play.hazards();
  ASSERT_EQ(hazards.size(), 2u);
  EXPECT_EQ(hazards[0].kind, HazardKind::read_after_write);
  EXPECT_EQ(hazards[1].kind, HazardKind::uninitialised);
  EXPECT_EQ(hazards[1].count, 3u);
}

TEST(MemoryChecker, ABlockDoesNotSeeWhatAnotherWrote) {
  Play play;
  play.store(0, 0, 0);
  play.recorder().block_ends(0);
  play.block = 1;
  play.recorder().block_begins(1);
  play.load(1, 0, 0);
  const auto& hazards = play.hazards();
  ASSERT_EQ(hazards.size(), 1u);
  EXPECT_EQ(hazards[0].kind, HazardKind::uninitialised);
  EXPECT_EQ(hazards[0].block, 1u);
}

TEST(MemoryChecker, AtomicsDoNotRaceWithAtomics) {
  Play play;
  play.store(0, 0, 0);
  play.barrier({0, 1});
  play.access(SharedKind::atomic, 1, 0, 0, 0);
  play.access(SharedKind::atomic, 1, 1, 0, 0);
  play.load(2, 1, 0, 0, 1);
  const auto& hazards = play.hazards();
  ASSERT_EQ(hazards.size(), 1u);
  EXPECT_EQ(hazards[0].kind, HazardKind::read_after_write);
  EXPECT_EQ(hazards[0].later, 2u);
}

TEST(MemoryChecker, AnInstructionThatLeavesItsArray) {
  MemoryCheckOptions options;
  options.arrays.resize(16);
  options.arrays[1] = {0, 0, 128};
  Play play(options);
  play.store(1, 0, 4);
  play.store(2, 0, 256);
  const auto& hazards = play.hazards();
  ASSERT_EQ(hazards.size(), 1u);
  EXPECT_EQ(hazards[0].kind, HazardKind::outside_of_array);
  EXPECT_EQ(hazards[0].byte, 128u);
  EXPECT_EQ(hazards[0].later_place.lane, 31u);
}

TEST(MemoryChecker, AccessesThatTheAssemblerJoinedMayReachIntoTheNeighbour) {
  MemoryCheckOptions options;
  options.arrays.resize(16);
  options.arrays[1] = options.arrays[2] = {0, 4, 8, 4};
  options.arrays[3] = {0, 4, 8, 16};
  Play play(options);
  play.store(1, 0, 0, 0, 1, 16);
  play.store(2, 0, 16, 0, 1, 16);
  play.store(3, 0, 0, 0, 1, 16);
  const auto& hazards = play.hazards();
  ASSERT_EQ(hazards.size(), 2u);
  EXPECT_EQ(hazards[0].later, 2u);
  EXPECT_EQ(hazards[1].later, 3u);
}

TEST(MemoryChecker, PaddingCountsAsWritten) {
  MemoryCheckOptions options;
  options.padding = {{12, 16}, {4094, 4096}};
  Play play(options);
  play.store(0, 0, 0, 0, 1, 4), play.store(0, 0, 4, 0, 1, 4), play.store(0, 0, 8, 0, 1, 4);
  play.load(1, 0, 0, 0, 1, 16);
  play.load(2, 0, 4092, 0, 1, 4);  // half of it
  play.load(3, 0, 4096, 0, 1, 16);
  const auto& hazards = play.hazards();
  ASSERT_EQ(hazards.size(), 1u);
  EXPECT_EQ(hazards[0].later, 2u);
}

TEST(MemoryChecker, AStoreThatRacesTellsBothValues) {
  Play play;
  play.store(0, 0, 0);
  play.value_ = 100;
  play.store(1, 1, 0);
  const auto& hazards = play.hazards();
  ASSERT_EQ(hazards.size(), 1u);
  EXPECT_EQ(hazards[0].kind, HazardKind::write_after_write);
  EXPECT_EQ(hazards[0].value_bytes, 4u);
  EXPECT_EQ(hazards[0].current_value, 1u);
  EXPECT_EQ(hazards[0].incoming_value, 100u);
}

TEST(MemoryChecker, LanesOfOneStoreThatMeetTellBothValues) {
  Play play;
  play.value_step = 1;
  play.store(0, 0, 64, 0, 0b11);
  const auto& hazards = play.hazards();
  ASSERT_EQ(hazards.size(), 1u);
  EXPECT_TRUE(hazards[0].at_once);
  EXPECT_EQ(hazards[0].current_value, 1u);
  EXPECT_EQ(hazards[0].incoming_value, 2u);
}

TEST(MemoryChecker, BytesThatNoBlockAccessesAreTold) {
  Play play({.unused = true, .padding = {{4000, 4096}}});
  play.store(0, 0, 0, 8, ~0u, 4);      // every other word of 256 bytes
  play.store(1, 0, 256, 16, ~0u, 16);  // 512 bytes whole
  play.hazards();
  const std::vector<ByteRange>& untouched = play.untouched();
  ASSERT_EQ(untouched.size(), 33u);
  EXPECT_EQ(untouched.front().first_byte, 4u);
  EXPECT_EQ(untouched.front().end_byte, 8u);
  EXPECT_EQ(untouched.back().first_byte, 768u);
  EXPECT_EQ(untouched.back().end_byte, 4000u);
}

/// Two blocks of a cluster that meet at its barrier a number of times before and after the access of one to the other.
struct Meetings {
  unsigned before, after;
};

Hazards lifetime_hazards(Meetings first, Meetings second) {
  machine::LaunchInfo info;
  info.static_shared_bytes = 128;
  info.instructions.resize(4);
  MemoryChecker checker({});
  std::vector<std::unique_ptr<machine::Recorder>> recorders;
  recorders.push_back(checker.recorder(info));
  machine::Recorder& recorder = *recorders[0];
  const auto meet = [&](std::uint64_t block, unsigned times) {
    for (; times > 0; --times)
      for (const auto kind : {SyncEvent::Kind::cluster_arrive, SyncEvent::Kind::cluster_wait})
        recorder.sync({block, 0}, {3, kind, ~0u});
  };
  for (const std::uint64_t block : {0, 1}) recorder.block_begins(block);
  meet(0, first.before), meet(1, second.before);
  std::array<std::uint32_t, 32> addresses{};
  std::array<std::uint64_t, 32> blocks{};
  blocks.fill(1);
  recorder.shared_access({0, 0}, {.instruction = 1,
                                  .kind = SharedKind::load,
                                  .other_lanes = 1,
                                  .addresses = addresses.data(),
                                  .blocks = blocks.data()});
  meet(0, first.after), meet(1, second.after);
  for (const std::uint64_t block : {0, 1}) recorder.block_ends(block);
  checker.finish(info, std::move(recorders));
  Hazards found;
  for (const Hazard& hazard : checker.hazards()) found[hazard.cause()] = hazard;
  return found;
}

TEST(MemoryChecker, ABlockOfAClusterIsReachedWhileItLives) {
  EXPECT_TRUE(lifetime_hazards({1, 1}, {1, 1}).empty());
  EXPECT_TRUE(lifetime_hazards({2, 1}, {2, 2}).empty());
  const auto kinds = [](const Hazards& hazards) {
    std::vector<HazardKind> list;
    for (const auto& [cause, hazard] : hazards) list.push_back(hazard.kind);
    return list;
  };
  EXPECT_EQ(kinds(lifetime_hazards({0, 1}, {0, 1})), std::vector{HazardKind::block_not_begun});
  EXPECT_EQ(kinds(lifetime_hazards({1, 0}, {1, 0})), std::vector{HazardKind::block_ended});
  EXPECT_EQ(kinds(lifetime_hazards({0, 0}, {0, 0})),
            (std::vector{HazardKind::block_not_begun, HazardKind::block_ended}));
}

TEST(MemoryChecker, WhatIsNotAskedForIsNotReported) {
  Play play({.race = false, .uninitialised = false, .bounds = false, .barriers = false, .masks = false});
  play.store(0, 0, 0, 0);
  play.load(1, 1, 0, 128);
  EXPECT_TRUE(play.hazards().empty());
}

}  // namespace
}  // namespace lanebank::checks
