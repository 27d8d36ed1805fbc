// Why and what to do: the sentences of the report, on patterns that people write.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "checks/lane_shape.hpp"
#include "launch.hpp"

namespace lanebank::checks {
namespace {

using machine::SharedKind;
using AddressOf = std::function<std::uint32_t(unsigned)>;

InstructionConflicts one(const machine::SharedAccess& event, const AddressOf& address) {
  Launch launch;
  launch.access(event, address);
  return launch.finish().instructions.at(0);
}

std::string explained(SharedKind kind, unsigned bytes, const AddressOf& address, std::uint32_t mask = 0xffffffffu) {
  return one(event_of(kind, bytes, mask), address).explanation;
}

TEST(Explanation, Column) {
  EXPECT_EQ(explained(SharedKind::load, 4, [](unsigned lane) { return lane * 128 + 20; }),
            "lanes 0..31 read 32 different words of bank 5: a column, rows 128 bytes apart");
}

TEST(Explanation, ColumnsOverAllBanksNameNoBank) {
  Launch launch;
  for (unsigned column = 0; column < 32; ++column)
    launch.access(event_of(SharedKind::load), [&](unsigned lane) { return lane * 128 + column * 4; });
  EXPECT_EQ(launch.finish().instructions.at(0).explanation,
            "lanes 0..31 read 32 different words of one bank: a column, rows 128 bytes apart");
}

TEST(Explanation, Stride) {
  EXPECT_EQ(explained(SharedKind::store, 4, [](unsigned lane) { return lane * 8; }),
            "lanes 0, 16 write 2 different words of bank 0: a stride of 8 bytes");
}

TEST(Explanation, StrideWithSomeLanesOff) {
  EXPECT_EQ(explained(
                SharedKind::load, 4, [](unsigned lane) { return lane * 16; }, 0x00000fffu),
            "lanes 0, 8 read 2 different words of bank 0: a stride of 16 bytes");
}

TEST(Explanation, ColumnOfA16x16TileIsTwoColumnsPerWarp) {
  EXPECT_EQ(
      explained(SharedKind::load, 4, [](unsigned lane) { return (lane % 16 * 16 + lane / 16) * 4; }),
      "lanes 0, 2, 4, 6, 8, 10, 12, 14 read 8 different words of bank 0: 16 steps of 64 bytes by 2 steps of 4 bytes");
}

TEST(Explanation, FewActiveLanesAreNoConflict) {
  EXPECT_EQ(explained(
                SharedKind::load, 16, [](unsigned lane) { return lane * 16; }, 0x80010101u),
            "no two lanes conflict: 4 active lanes in 3 groups of neighbours, which are served one after the other "
            "however few lanes they have");
}

TEST(Explanation, SharedAddressesAreSaid) {
  EXPECT_EQ(
      explained(SharedKind::load, 4, [](unsigned lane) { return lane / 4 * 128; }),
      "lanes 0..31 read 8 different words of bank 0: a column, rows 128 bytes apart, each address shared by 4 lanes");
}

TEST(Explanation, IrregularAddresses) {
  EXPECT_EQ(
      explained(SharedKind::load, 4, [](unsigned lane) { return lane == 3   ? 128u + 36
                                                                : lane == 9 ? 36u
                                                                            : lane * 4; }),
      "lanes 3, 9 read 2 different words of bank 9: addresses without a regular stride");
}

TEST(Explanation, VectorsAreServedInPhases) {
  EXPECT_EQ(explained(SharedKind::load, 16, [](unsigned lane) { return lane * 256; }),
            "lanes 0..7 (one of 4 phases) read 8 different words of bank 0: a column, rows 256 bytes apart");
}

TEST(Explanation, MatrixRows) {
  EXPECT_EQ(explained(SharedKind::matrix_load, 16, [](unsigned lane) { return lane % 8 * 128 + lane / 8 * 16; }),
            "lanes 0..7, the rows of matrix 0, read 8 different words of bank 0: rows 128 bytes apart");
}

TEST(Explanation, AtomicsOnOneWord) {
  EXPECT_EQ(explained(SharedKind::atomic, 4, [](unsigned) { return 64; }),
            "32 lanes update the same word: atomics of one bank queue up");
}

TEST(Explanation, AtomicsOfOneBank) {
  EXPECT_EQ(explained(SharedKind::atomic_cas, 4, [](unsigned lane) { return lane < 8 ? lane / 2 * 128 : 4 * lane; }),
            "8 lanes update 4 words of bank 0 (lanes 0..7): atomics of one bank queue up, twice for compare-and-swap");
}

TEST(Explanation, NoneWithoutExcess) {
  EXPECT_EQ(explained(SharedKind::load, 4, [](unsigned lane) { return lane * 4; }), "");
  EXPECT_EQ(explained(SharedKind::store, 16, [](unsigned lane) { return lane * 16; }), "");
}

TEST(LaneList, IsShort) {
  EXPECT_EQ(lane_list(0x00000008u), "lane 3");
  EXPECT_EQ(lane_list(0xffffffffu), "lanes 0..31");
  EXPECT_EQ(lane_list(0x00000003u), "lanes 0, 1");
  EXPECT_EQ(lane_list(0x55555555u), "lanes 0, 2, 4, 6, 8, 10 and 10 more");
}

TEST(LaneSteps, AreTheStridesOfTheLaneBits) {
  Access tile = strided_access(AccessKind::load, 4, 0);
  for (unsigned lane = 0; lane < 32; ++lane) tile.addresses[lane] = lane % 8 * 4 + lane / 8 * 1000;
  EXPECT_EQ(lane_steps(tile, 0xffffffffu), (std::vector<LaneStep>{{8, 4}, {4, 1000}}));
  EXPECT_EQ(lane_steps(strided_access(AccessKind::load, 4, 12), 0x01010101u), (std::vector<LaneStep>{{4, 12}}));
  tile.addresses[5] += 4;
  EXPECT_EQ(lane_steps(tile, 0xffffffffu), std::nullopt);
}

/// A tile that is written by row and read by column, by all warps of a block of `size` x `size` threads.
Launch transposed(unsigned size, std::uint32_t tile_bytes) {
  Launch launch({{0, tile_bytes, "float", 4}});
  for (unsigned warp = 0; warp < size * size / 32; ++warp) {
    const auto x = [&](unsigned lane) { return (warp * 32 + lane) % size; };
    const auto y = [&](unsigned lane) { return (warp * 32 + lane) / size; };
    launch.access(event_of(SharedKind::store, 4, ~0u, 0),
                  [&](unsigned lane) { return (y(lane) * size + x(lane)) * 4; });
    launch.access(event_of(SharedKind::load, 4, ~0u, 1), [&](unsigned lane) { return (x(lane) * size + y(lane)) * 4; });
  }
  return launch;
}

TEST(Cure, ATransposedTileTakesXorOrPadding) {
  Launch launch = transposed(32, 4096);
  const ConflictReport& report = launch.finish();
  EXPECT_EQ(report.find(0)->cure, "");
  EXPECT_EQ(report.find(1)->cure, "column ^ row (0 bytes), or rows of 33 floats (+128 bytes): 32 wavefronts");
}

TEST(Cure, PaddingA16WideTileByOneLeavesConflictsAndXorDoesNot) {
  Launch launch = transposed(16, 1024);
  const ConflictReport& report = launch.finish();
  EXPECT_EQ(report.find(1)->wavefronts, 64u);
  EXPECT_EQ(report.find(1)->cure.rfind("column ^ row (0 bytes)", 0), 0u) << report.find(1)->cure;
  EXPECT_NE(report.find(1)->cure.find("8 wavefronts"), std::string::npos) << report.find(1)->cure;
}

TEST(Cure, AnArrayWithoutATypeIsCountedInWhatAccessesIt) {
  Launch launch({{0, 4096, "", 1}});
  launch.access(event_of(SharedKind::load, 4, ~0u, 0), [](unsigned lane) { return lane * 128; });
  EXPECT_EQ(launch.finish().find(0)->cure, "column ^ row (0 bytes), or rows of 33 words (+128 bytes): 1 wavefront");
  Launch halves({{0, 2048, "", 1}});
  halves.access(event_of(SharedKind::load, 2, ~0u, 0), [](unsigned lane) { return lane * 64; });
  EXPECT_EQ(halves.finish().find(0)->cure,
            "4-byte column ^ (row / 2) (0 bytes), or rows of 34 elements of 2 bytes (+128 bytes): 1 wavefront");
}

TEST(Cure, VectorsStayAligned) {
  Launch launch({{0, 4096, "float", 4}});
  launch.access(event_of(SharedKind::load, 16, ~0u, 0), [](unsigned lane) { return lane * 128; });
  launch.access(event_of(SharedKind::load, 16, ~0u, 1), [](unsigned lane) { return lane * 16; });
  const ConflictReport& report = launch.finish();
  EXPECT_EQ(report.find(0)->cure,
            "16-byte column ^ (row % 8) (0 bytes), or rows of 36 floats (+512 bytes): 4 wavefronts");
}

TEST(Cure, NoneThatAnotherInstructionPaysFor) {
  // Rows of 128 bytes, read by column; and read along the diagonal that padding would straighten into one bank.
  Launch launch({{0, 4096, "float", 4}});
  launch.access(event_of(SharedKind::load, 4, ~0u, 0), [](unsigned lane) { return lane * 128; });
  launch.access(event_of(SharedKind::load, 4, ~0u, 1), [](unsigned lane) { return lane * 128 + (31 - lane) * 4; });
  const ConflictReport& report = launch.finish();
  EXPECT_EQ(report.find(1)->excess(), 0u);
  EXPECT_EQ(report.find(0)->cure.find("33 floats"), std::string::npos) << report.find(0)->cure;
  EXPECT_EQ(report.find(0)->cure.find("^"), std::string::npos) << report.find(0)->cure;
}

TEST(Cure, NoneWithoutAKnownArray) {
  Launch launch;
  launch.access(event_of(SharedKind::load), [](unsigned lane) { return lane * 128; });
  EXPECT_EQ(launch.finish().instructions.at(0).cure, "");
}

TEST(Cure, NoneForAtomicsOnOneWord) {
  Launch launch({{0, 4096, "int", 4}});
  launch.access(event_of(SharedKind::atomic), [](unsigned) { return 64; });
  EXPECT_EQ(launch.finish().instructions.at(0).cure, "");
}

TEST(Cure, NoneBesideBulkCopies) {
  Launch launch({{0, 4096, "float", 4}});
  launch.access(event_of(SharedKind::load), [](unsigned lane) { return lane * 128; });
  machine::SharedAccess bulk = event_of(SharedKind::bulk_copy, 16, 1, 1);
  bulk.bytes = 4096;
  launch.send(bulk);
  EXPECT_EQ(launch.finish().find(0)->cure, "");
}

}  // namespace
}  // namespace lanebank::checks
