// Laws of the recount: against the bank model applied to each access by itself, and what is refused.
#include "advise/recount.hpp"

#include <gtest/gtest.h>

#include <random>

#include "../random_seed.hpp"
#include "advise/seen_rows.hpp"
#include "log.hpp"
#include "solve/layout.hpp"

namespace lanebank::advise {
namespace {

using findings::AccessLog;
using findings::LoggedAccess;
using solve::Layout;
using solve::Tile;
using test::access;
using test::column_log;
using test::refused;

ByteMap map_of(const Layout& layout) {
  auto map = ByteMap::of(layout);
  EXPECT_TRUE(map) << (map ? "" : map.error().what);
  return map ? *map : ByteMap::identity(layout.tile().size_bytes());
}

TEST(ByteMap, IsABijectionIntoTheArrayForEverySwizzle) {
  std::mt19937 random(test_seed());
  for (int turn = 0; turn < 200; ++turn) {
    const unsigned bits = random() % 4 + 1, base = random() % 5;
    const int shift = static_cast<int>(bits + random() % 3);
    const std::uint32_t block = 1u << (base + bits + static_cast<unsigned>(shift));
    const std::uint32_t size = block * (random() % 3 + 1);
    const bool negative = random() % 2 != 0;
    const ByteMap map = map_of(Layout::swizzled({1, size, 1}, {bits, base, negative ? -shift : shift}));
    ASSERT_EQ(map.bytes(), size);
    std::vector<bool> taken(size);
    for (std::uint32_t byte = 0; byte < size; ++byte) {
      ASSERT_LT(map.to(byte), size);
      ASSERT_FALSE(taken[map.to(byte)]);
      taken[map.to(byte)] = true;
      for (std::uint32_t k = 0; k < map.together(byte); ++k) ASSERT_EQ(map.to(byte + k), map.to(byte) + k);
      if (byte + map.together(byte) < size) {
        ASSERT_NE(map.to(byte + map.together(byte)), map.to(byte) + map.together(byte));
      }
    }
  }
}

TEST(ByteMap, PaddingMovesWholeRows) {
  const ByteMap map = map_of(Layout::padded({32, 32, 4}, 4));
  EXPECT_EQ(map.bytes(), 32u * 132);
  for (std::uint32_t byte = 0; byte < 4096; ++byte) EXPECT_EQ(map.to(byte), byte + byte / 128 * 4);
  EXPECT_EQ(map.together(5), 123u);
  EXPECT_FALSE(map.is_identity());
  EXPECT_TRUE(ByteMap::identity(4096).is_identity());
}

TEST(ByteMap, RefusesLayoutsThatPutTwoBytesInOnePlace) {
  const auto map = ByteMap::of(Layout::linear({1, 16, 1}, {1, 1, 4, 8}));  // bits 0 and 1 are both bit 0
  ASSERT_FALSE(map);
  EXPECT_EQ(map.error().id, "remap.collision");
}

TEST(Recount, OfTheTextbookColumn) {
  const AccessLog log = column_log();
  const auto padded = recount(log, 0, map_of(Layout::padded({32, 32, 4}, 4)));
  ASSERT_TRUE(padded);
  EXPECT_EQ(padded->bytes, 4224u);
  ASSERT_EQ(padded->rows.size(), 2u);
  EXPECT_EQ(padded->rows[0].row, 0u);
  EXPECT_EQ(padded->rows[1].row, 1u);
  EXPECT_EQ(padded->rows[1].executions, 96u);
  EXPECT_EQ(padded->rows[1].before, (Figures{96 * 32, 96, 32}));
  EXPECT_EQ(padded->rows[1].after, (Figures{96, 96, 1}));
  EXPECT_EQ(padded->before.wavefronts, 96u * 32 + 64);
  EXPECT_EQ(padded->after.wavefronts, 96u + 64);
  const auto swizzled = recount(log, 0, map_of(Layout::swizzled({32, 32, 4}, {5, 2, 5})));
  ASSERT_TRUE(swizzled);
  EXPECT_EQ(swizzled->after, padded->after);
  EXPECT_EQ(swizzled->bytes, 4096u);
}

TEST(Recount, DependsOnTheBaseUnderSwizzles) {
  // Two lanes a row apart: swizzle<1,7,5> exchanges lines of odd rows... the row's bit decides whether both share a bank.
  AccessLog log = column_log();
  LoggedAccess pair =
      access(0, AccessKind::load, 4, [](unsigned lane) { return lane * 128; }, {{0, 1}, {4, 1}, {2048, 1}});
  pair.lanes = 3;
  log.accesses = {pair};
  const auto found = recount(log, 0, map_of(Layout::swizzled({1, 4096, 1}, {1, 2, 5})));  // word ^= row % 2
  ASSERT_TRUE(found);
  EXPECT_EQ(found->after.wavefronts, 3u);  // every pair lies in two banks
  EXPECT_EQ(found->before.wavefronts, 6u);
}

TEST(Recount, EqualsTheBankModelOnEveryAccessByItself) {
  std::mt19937 random(test_seed());
  const auto below = [&](unsigned limit) { return static_cast<unsigned>(random() % limit); };
  struct Kind {
    AccessKind kind;
    unsigned bytes, matrices;
  };
  const Kind kinds[] = {
      {AccessKind::load, 1, 0},          {AccessKind::load, 4, 0},          {AccessKind::load, 8, 0},
      {AccessKind::load, 16, 0},         {AccessKind::store, 2, 0},         {AccessKind::store, 16, 0},
      {AccessKind::matrix_load, 16, 4},  {AccessKind::matrix_load, 16, 1},  {AccessKind::matrix_store, 16, 2},
      {AccessKind::atomic, 4, 0},        {AccessKind::atomic, 8, 0},        {AccessKind::atomic_cas, 4, 0},
      {AccessKind::atomic_merged, 4, 0}, {AccessKind::async_copy_ca, 8, 0}, {AccessKind::async_copy_ca, 16, 0},
      {AccessKind::async_copy_cg, 16, 0}};
  for (int turn = 0; turn < 400; ++turn) {
    AccessLog log;
    log.arrays_known = true;
    log.static_shared_bytes = 12288;
    const std::uint32_t offset = below(9) * 16;
    log.arrays = {{"a", offset, 8192, 4, 16}};
    const Kind kind = kinds[below(std::size(kinds))];
    LoggedAccess logged;
    logged.array = 0;
    logged.kind = kind.kind;
    logged.lane_bytes = kind.bytes;
    logged.matrices = kind.matrices;
    logged.lanes = static_cast<std::uint32_t>(random()) & static_cast<std::uint32_t>(random() | random()) &
                   addressing_lanes(kind.kind, kind.matrices);
    if (logged.lanes == 0) continue;
    if (kind.kind == AccessKind::async_copy_ca || kind.kind == AccessKind::async_copy_cg) {
      logged.source = SourceOrder::given;
      for (std::uint32_t& source : logged.source_bytes) source = below(256) * kind.bytes;
    }
    const unsigned first = static_cast<unsigned>(__builtin_ctz(logged.lanes));
    std::array<std::uint32_t, 32> at{};
    for (std::uint32_t& address : at) address = below(2048 / kind.bytes) * kind.bytes;
    for (unsigned lane = 0; lane < 32; ++lane)
      if (logged.lanes >> lane & 1) logged.relative_bytes[lane] = static_cast<std::int32_t>(at[lane] - at[first]);
    for (std::uint32_t base = at[first] + offset; base < 6144 && logged.bases.size() < 5; base += (1 + below(20)) * 16)
      logged.bases.push_back({base, 1 + below(9)});
    log.accesses = {logged};
    const Layout layouts[] = {Layout::row_major({64, 32, 4}),
                              Layout::padded({64, 32, 4}, 16),
                              Layout::padded({32, 64, 4}, 16 * below(4)),
                              Layout::swizzled({64, 32, 4}, {3, 4, 3}),
                              Layout::swizzled({64, 32, 4}, {2, 4, 4}),
                              Layout::panels({64, 32, 4}, 16, 16, 32)};
    const Layout layout = layouts[below(std::size(layouts))];
    const auto found = recount(log, 0, map_of(layout));
    ASSERT_TRUE(found) << found.error().diagnostic.what;
    Figures before, after;
    for (const findings::BaseCount& base : logged.bases) {
      Access as_run = access_at(logged, base.base_bytes), moved = as_run;
      for (unsigned lane = 0; lane < 32; ++lane) {
        if ((logged.lanes >> lane & 1) == 0) continue;
        const std::uint32_t byte = as_run.addresses[lane] - offset;
        moved.addresses[lane] =
            offset + layout.offset(byte / 4 / layout.tile().columns, byte / 4 % layout.tile().columns) + byte % 4;
      }
      for (const auto& [access, figures] : {std::pair(&as_run, &before), std::pair(&moved, &after)}) {
        const Cost cost = lanebank::cost(*access);
        figures->wavefronts += base.count * cost.wavefronts;
        figures->ideal += base.count * cost.ideal;
        figures->worst_degree = std::max(figures->worst_degree, cost.worst_degree);
      }
    }
    ASSERT_EQ(found->before, before) << static_cast<int>(kind.kind) << " of " << kind.bytes;
    ASSERT_EQ(found->after, after) << static_cast<int>(kind.kind) << " of " << kind.bytes;
    if (layout.family() == solve::Family::identity) {
      ASSERT_EQ(found->after, found->before);
    }
  }
}

TEST(Recount, RefusesVectorsThatWouldBeTorn) {
  AccessLog log = column_log();
  log.accesses = {access(3, AccessKind::load, 16, [](unsigned lane) { return lane * 128; }, {{0, 1}, {16, 1}})};
  const auto error = refused(recount(log, 0, map_of(Layout::swizzled({1, 4096, 1}, {5, 2, 5}))), "remap.torn");
  EXPECT_EQ(error.row, 3u);
  EXPECT_NE(error.diagnostic.what.find("only 4 of them stay together"), std::string::npos) << error.diagnostic.what;
  EXPECT_TRUE(recount(log, 0, map_of(Layout::swizzled({1, 4096, 1}, {3, 4, 3}))));
}

TEST(Recount, RefusesVectorsThatWouldBeMisaligned) {
  AccessLog log = column_log();
  log.accesses = {access(0, AccessKind::matrix_load, 16, [](unsigned lane) { return lane * 128; }, {{0, 1}})};
  log.accesses[0].matrices = 4;
  refused(recount(log, 0, map_of(Layout::padded({32, 32, 4}, 4))), "remap.misaligned");
  EXPECT_TRUE(recount(log, 0, map_of(Layout::padded({32, 32, 4}, 16))));
}

TEST(Recount, RefusesMoreSharedMemoryThanThereIs) {
  AccessLog log = column_log();
  log.static_shared_bytes = 48 * 1024;
  log.arrays.push_back({"rest", 4096, 44 * 1024, 4, 4});
  refused(recount(log, 0, map_of(Layout::padded({32, 32, 4}, 4))), "remap.too-large");
  EXPECT_TRUE(recount(log, 0, map_of(Layout::swizzled({1, 4096, 1}, {5, 2, 5}))));
  log.static_shared_bytes = 0;
  log.dynamic_shared_bytes = 4096;
  log.arrays = {{"smem", 0, 4096, 4, 16, true}};
  log.room.block_bytes = 4200;
  refused(recount(log, 0, map_of(Layout::padded({32, 32, 4}, 4))), "remap.too-large");
  log.room.block_bytes = 4224;
  EXPECT_TRUE(recount(log, 0, map_of(Layout::padded({32, 32, 4}, 4))));
}

TEST(Recount, LetsHardwareHaveItsOwnModesOnly) {
  AccessLog log = column_log();
  for (bool findings::LoggedArray::*use :
       {&findings::LoggedArray::bulk_copies, &findings::LoggedArray::matrix_operands}) {
    log.arrays[0].*use = true;
    refused(recount(log, 0, map_of(Layout::padded({32, 32, 4}, 4))), "remap.hardware");
    refused(recount(log, 0, map_of(Layout::swizzled({1, 4096, 1}, {5, 2, 5}))), "remap.hardware");
    for (unsigned bits = 1; bits <= 3; ++bits)
      EXPECT_TRUE(recount(log, 0, map_of(Layout::swizzled({1, 4096, 1}, {bits, 4, 3}))));
    EXPECT_TRUE(recount(log, 0, ByteMap::identity(4096)));
    log.arrays[0].*use = false;
  }
  log.arrays[0].bulk_copies = true;
  log.arrays[0].offset_bytes = 256;  // no multiple of 512: the hardware's XOR takes other bits
  log.static_shared_bytes = 4352;
  for (LoggedAccess& logged : log.accesses)
    for (findings::BaseCount& base : logged.bases) base.base_bytes += 256;
  EXPECT_TRUE(recount(log, 0, map_of(Layout::swizzled({1, 4096, 1}, {1, 4, 3}))));
  refused(recount(log, 0, map_of(Layout::swizzled({1, 4096, 1}, {2, 4, 3}))), "remap.hardware");
}

TEST(Recount, RefusesArraysOfWhichTheLogIsNotWhole) {
  AccessLog log = column_log();
  log.arrays[0].unrecorded = 7;
  EXPECT_NE(refused(recount(log, 0, ByteMap::identity(4096)), "remap.unrecorded").diagnostic.what.find("7 accesses"),
            std::string::npos);
  log = column_log();
  log.arrays[0].barriers = true;
  refused(recount(log, 0, ByteMap::identity(4096)), "remap.barriers");
  log = column_log();
  log.accesses[1].kind = AccessKind::atomic_spin;
  EXPECT_EQ(refused(recount(log, 0, ByteMap::identity(4096)), "remap.spins").row, 1u);
  log = column_log();
  log.architecture = 100;
  refused(recount(log, 0, ByteMap::identity(4096)), "remap.unmodelled");
}

TEST(Recount, RefusesAccessesThatReachFromOneArrayIntoAnother) {
  AccessLog log = column_log();
  log.arrays.push_back({"next", 4096, 4096, 4, 4});
  log.static_shared_bytes = 8192;
  EXPECT_TRUE(recount(log, 0, ByteMap::identity(4096)));
  log.accesses[1].bases = {{132, 1}};  // the last lane's row is the first of the next array
  EXPECT_EQ(refused(recount(log, 0, ByteMap::identity(4096)), "remap.crosses").row, 1u);
  EXPECT_EQ(refused(recount(log, 1, ByteMap::identity(4096)), "remap.crosses").row, 1u);
  log.accesses[1].array = -1;  // begins in no array that is known
  refused(recount(log, 1, ByteMap::identity(4096)), "remap.crosses");
}

TEST(Recount, CountsArraysThatMoveWhereTheirPlaceMatters) {
  AccessLog log = column_log();
  log.arrays.push_back({"next", 4096, 2048, 1, 16});
  log.static_shared_bytes = 6144;
  LoggedAccess copy = access(2, AccessKind::async_copy_cg, 16, [](unsigned lane) { return lane * 16; }, {{4096, 3}});
  copy.array = 1;
  copy.source = SourceOrder::consecutive;
  log.accesses.push_back(copy);
  const auto still = recount(log, 0, map_of(Layout::swizzled({1, 4096, 1}, {5, 2, 5})));
  ASSERT_TRUE(still);
  EXPECT_EQ(still->rows.size(), 2u);
  const auto moved = recount(log, 0, map_of(Layout::padded({1, 1024, 4}, 16)));
  ASSERT_TRUE(moved);
  ASSERT_EQ(moved->rows.size(), 3u);
  Access expected = access_at(copy, 4096 + 16);
  EXPECT_EQ(moved->rows[2].after.wavefronts, 3u * cost(expected).wavefronts);
  EXPECT_NE(moved->rows[2].after, moved->rows[2].before);
  log.arrays[1].alignment_bytes = 4;
  refused(recount(log, 0, map_of(Layout::padded({1, 1024, 4}, 4))), "remap.misaligned");
}

TEST(Recount, OfTwoArraysAtOnceIsTheirSum) {
  AccessLog log = column_log();
  log.arrays.push_back({"next", 4096, 4096, 4, 4});
  log.static_shared_bytes = 8192;
  for (std::size_t i = 0; i < 2; ++i) {
    LoggedAccess other = log.accesses[i];
    other.array = 1;
    other.row += 2;
    for (findings::BaseCount& base : other.bases) base.base_bytes += 4096;
    log.accesses.push_back(other);
  }
  const ByteMap padded = map_of(Layout::padded({32, 32, 4}, 4)),
                swizzled = map_of(Layout::swizzled({1, 4096, 1}, {4, 2, 5}));
  const Change changes[] = {{0, &padded}, {1, &swizzled}};
  const auto both = recount(log, changes);
  const auto first = recount(log, 0, padded), second = recount(log, 1, swizzled);
  ASSERT_TRUE(both && first && second);
  EXPECT_EQ(both->after.wavefronts, first->after.wavefronts + second->after.wavefronts);
  EXPECT_EQ(both->bytes, 4224u + 4096u);
  EXPECT_EQ(block_bytes_with(log, 0, 4224).static_bytes, 8192u + 128u);
}

TEST(SeenRows, AreTheStepsOfColumns) {
  const auto rows = seen_rows(column_log(), 0);
  ASSERT_FALSE(rows.empty());
  EXPECT_EQ(rows[0].row_bytes, 128u);
  EXPECT_EQ(rows[0].weight, 96u * 31);
}

}  // namespace
}  // namespace lanebank::advise
