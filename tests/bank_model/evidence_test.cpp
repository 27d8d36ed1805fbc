// What the model says besides counts: who collides, why there is no figure, and where the rules come from.
#include <gtest/gtest.h>

#include <string>

#include "lanebank/bank_model.hpp"

namespace lanebank {
namespace {

TEST(Evidence, AColumnNamesEveryLaneAndWordOfTheBank) {
  const Access column = strided_access(AccessKind::load, 4, 128, 20);
  const Cost predicted = cost(column);
  ASSERT_EQ(predicted.group_count, 1u);
  EXPECT_EQ(predicted.groups[0].bank, 5u);
  EXPECT_EQ(predicted.groups[0].colliding_lanes, 0xffffffffu);
  const Collision meeting = collision(column, predicted.groups[0]);
  EXPECT_EQ(meeting.bank, 5u);
  ASSERT_EQ(meeting.word_count, 32u);
  EXPECT_EQ(meeting.words[3].address_bytes, 20u + 3 * 128);
  EXPECT_EQ(meeting.words[3].lanes, 1u << 3);
}

TEST(Evidence, LanesOfOneWordAreListedTogether) {
  Access access = strided_access(AccessKind::load, 4, 0);
  access.addresses[7] = 128;
  const Cost predicted = cost(access);
  EXPECT_EQ(predicted.wavefronts, 2u);
  const Collision meeting = collision(access, predicted.groups[0]);
  ASSERT_EQ(meeting.word_count, 2u);
  EXPECT_EQ(meeting.words[0].lanes, ~(1u << 7));
  EXPECT_EQ(meeting.words[1].lanes, 1u << 7);
}

TEST(Evidence, ACleanGroupNamesNobody) {
  EXPECT_EQ(cost(strided_access(AccessKind::load, 4, 4)).groups[0].colliding_lanes, 0u);
}

TEST(Evidence, GroupsOfVectorAccessesAreQuarterWarps) {
  const Cost predicted = cost(strided_access(AccessKind::store, 16, 16));
  ASSERT_EQ(predicted.group_count, 4u);
  EXPECT_EQ(predicted.groups[2].lanes, 0x00ff0000u);
}

TEST(Pairing, OfLoadsOf16BytesJoinsTheQuartersOfEachHalfWarp) {
  Access access = strided_access(AccessKind::load, 16, 0);
  for (unsigned lane = 0; lane < 32; ++lane) access.addresses[lane] = lane / 2 * 16;
  EXPECT_TRUE(cost(access).paired);
  EXPECT_EQ(cost(access).wavefronts, 2u);
  EXPECT_EQ(cost(access).ideal, 2u);
  access.addresses[31] = 512;  // one pair of the upper half broken: its quarters alone are served one by one
  EXPECT_TRUE(cost(access).paired);
  EXPECT_EQ(cost(access).wavefronts, 3u);
  EXPECT_EQ(cost(access).group_count, 3u);
}

TEST(Pairing, OfTheLowerHalfWarpDependsOnLane31) {
  Access access = strided_access(AccessKind::load, 16, 16);
  access.active_lanes = 0x80ff0f0f;
  for (unsigned lane = 0; lane < 16; ++lane) access.addresses[lane] = lane % 4 * 16 + lane / 8 * 64;
  for (unsigned lane = 16; lane < 32; ++lane) access.addresses[lane] = lane / 2 * 16;
  EXPECT_EQ(cost(access).wavefronts, 3u);  // lanes 0, 1 are no pair
  access.active_lanes = 0x40ff0f0f;
  EXPECT_EQ(cost(access).wavefronts, 2u);
}

TEST(Pairing, DoesNotJoinGroupsThatThenConflict) {
  Access access = strided_access(AccessKind::load, 8, 0);
  for (unsigned lane = 0; lane < 32; ++lane) access.addresses[lane] = lane / 2 * 16;  // 16 words of 256 bytes
  EXPECT_TRUE(cost(access).paired);
  EXPECT_EQ(cost(access).wavefronts, 2u);
  EXPECT_EQ(cost(access).group_count, 2u);
}

TEST(Pairing, AnInactivePartnerDoesNoHarm) {
  Access access = strided_access(AccessKind::load, 8, 8);
  access.active_lanes = 0x55555555u;
  for (unsigned lane = 0; lane < 32; ++lane) access.addresses[lane] = lane / 2 * 8;
  EXPECT_TRUE(cost(access).paired);
  EXPECT_EQ(cost(access).wavefronts, 1u);
  EXPECT_EQ(cost(access).ideal, 1u);
}

TEST(Pairing, OfOneAddressNeedsAWavefrontPer16Lanes) {
  Access access = strided_access(AccessKind::load, 16, 0);
  EXPECT_EQ(cost(access).wavefronts, 2u);
  access.active_lanes = 0x00ff00ffu;
  EXPECT_EQ(cost(access).wavefronts, 1u);
}

TEST(Matrices, AddressesOfUnusedLanesDoNotCount) {
  Access access = strided_access(AccessKind::matrix_load, 16, 16);
  for (unsigned lane = 8; lane < 32; ++lane) access.addresses[lane] = lane * 128;
  access.matrices = 1;
  EXPECT_EQ(cost(access).wavefronts, 1u);
  access.matrices = 2;
  EXPECT_EQ(cost(access).wavefronts, 9u);
}

TEST(Operands, CountWholeRows) {
  Access access;
  access.kind = AccessKind::matrix_operand;
  access.total_bytes = 2048 + 256;
  EXPECT_EQ(cost(access).wavefronts, 18u);
  EXPECT_EQ(cost(access).ideal, 18u);
}

TEST(Operands, BulkCopiesAreFree) {
  Access access;
  access.kind = AccessKind::bulk_copy;
  EXPECT_TRUE(cost(access).modelled);
  EXPECT_EQ(cost(access).wavefronts, 0u);
}

TEST(Atomics, SpinCostsTwoWhateverTheAddresses) {
  EXPECT_EQ(cost(strided_access(AccessKind::atomic_spin, 4, 0)).wavefronts, 2u);
  EXPECT_EQ(cost(strided_access(AccessKind::atomic_spin, 4, 128)).ideal, 2u);
}

TEST(Atomics, SpinOfEightBytesCostsTwoPerHalfWarp) {
  Access access = strided_access(AccessKind::atomic_spin, 8, 0);
  EXPECT_EQ(cost(access).wavefronts, 4u);
  EXPECT_EQ(cost(access).ideal, 4u);
  access.active_lanes = 0x80000001u;
  EXPECT_EQ(cost(access).wavefronts, 4u);
  EXPECT_EQ(cost(access).ideal, 2u);
}

TEST(Atomics, MergedOnesCountWords) {
  EXPECT_EQ(cost(strided_access(AccessKind::atomic_merged, 4, 0)).wavefronts, 1u);
  EXPECT_EQ(cost(strided_access(AccessKind::atomic_merged, 4, 128)).wavefronts, 32u);
}

TEST(NotModelled, SaysWhyAndCountsNothing) {
  for (const AccessKind kind : {AccessKind::async_copy_ca, AccessKind::async_copy_cg}) {
    Access access = strided_access(kind, 16, 16);
    const Cost somewhere = cost(access);
    EXPECT_FALSE(somewhere.modelled);
    EXPECT_EQ(somewhere.wavefronts, 0u);
    EXPECT_NE(std::string(somewhere.reason), "");
    access.source = SourceOrder::consecutive;
    EXPECT_EQ(cost(access).wavefronts, 4u);
  }
  EXPECT_FALSE(cost(strided_access(AccessKind::load, 3, 4)).modelled);
}

TEST(Copies, MeetInTheLinesTheyReadToo) {
  Access access = strided_access(AccessKind::async_copy_ca, 4, 4);
  access.source = SourceOrder::given;
  for (unsigned lane = 0; lane < 32; ++lane) access.sources[lane] = lane / 8 * 1024 + lane % 8 * 4;
  const Cost predicted = cost(access);  // 4 lines, each read at bytes 0 to 31
  EXPECT_EQ(predicted.wavefronts, 4u);
  EXPECT_EQ(predicted.ideal, 1u);
  EXPECT_EQ(predicted.groups[0].colliding_lanes, 0x01010101u);
}

TEST(Architectures, SayWhetherTheyWereMeasured) {
  EXPECT_TRUE(architecture_rules(90).measured);
  for (const unsigned sm : {75u, 80u, 86u, 89u}) {
    EXPECT_FALSE(architecture_rules(sm).measured) << sm;
    EXPECT_EQ(cost(strided_access(AccessKind::load, 4, 128), sm).wavefronts, 32u) << sm;
  }
  EXPECT_FALSE(cost(strided_access(AccessKind::load, 4, 4), 100).modelled);
}

TEST(Architectures, HaveOnlyTheInstructionsOfTheirTime) {
  EXPECT_FALSE(cost(strided_access(AccessKind::matrix_store, 16, 16), 80).modelled);
  EXPECT_TRUE(cost(strided_access(AccessKind::matrix_load, 16, 16), 75).modelled);
  EXPECT_FALSE(cost(strided_access(AccessKind::async_copy_ca, 16, 16), 75).modelled);
}

TEST(Sources, AreGivenFromTheLowestLineOn) {
  std::uint64_t globals[32];
  Access access = strided_access(AccessKind::async_copy_ca, 4, 4);
  for (unsigned lane = 0; lane < 32; ++lane) globals[lane] = 0x1000 + 4 * lane;
  set_sources(access, globals);
  EXPECT_EQ(access.source, SourceOrder::consecutive);
  access.lane_bytes = 8;
  set_sources(access, globals);
  EXPECT_EQ(access.source, SourceOrder::given);
  access.lane_bytes = 4;
  globals[9] = 0x84;
  set_sources(access, globals);
  EXPECT_EQ(access.source, SourceOrder::given);
  EXPECT_EQ(access.sources[9], 4u);
  EXPECT_EQ(access.sources[0], 0x1000u - 0x80u);
  access.active_lanes = ~(1u << 9);
  set_sources(access, globals);
  EXPECT_EQ(access.source, SourceOrder::consecutive);
  globals[31] += std::uint64_t{1} << 32;
  set_sources(access, globals);
  EXPECT_EQ(access.source, SourceOrder::unknown) << "too far apart";
  for (unsigned lane = 0; lane < 32; ++lane) globals[lane] = 0x1010 + 4 * lane;
  set_sources(access, globals);
  EXPECT_EQ(access.source, SourceOrder::given) << "straddles a 128-byte line";
}

// Exact statements of the measured rules, in the compiler.
constexpr Access column_of_16x16() {
  Access access;
  for (unsigned lane = 0; lane < 32; ++lane) access.addresses[lane] = (lane % 16 * 16 + lane / 16) * 4;
  return access;
}
static_assert(cost(column_of_16x16()).wavefronts == 8, "a 16x16 float tile read by column is 8-way, not 16-way");
static_assert(collision(strided_access(AccessKind::load, 4, 128),
                        cost(strided_access(AccessKind::load, 4, 128)).groups[0])
                  .word_count == 32);

}  // namespace
}  // namespace lanebank
