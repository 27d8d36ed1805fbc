// The conflict counter as the machine drives it.
#include "checks/conflicts.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "../random_seed.hpp"
#include "base/check.hpp"
#include "checks/conflict_recorder.hpp"
#include "launch.hpp"

namespace lanebank::checks {
namespace {

using machine::SharedAccess;
using machine::SharedKind;

TEST(Conflicts, AColumnReadIsOneRecordWhateverTheColumn) {
  Launch launch;
  for (std::uint32_t column = 0; column < 32; ++column)
    launch.access(event_of(SharedKind::load), [&](unsigned lane) { return lane * 128 + column * 4; });
  const ConflictReport& report = launch.finish();
  ASSERT_EQ(report.instructions.size(), 1u);
  const InstructionConflicts& row = report.instructions[0];
  EXPECT_EQ(row.executions, 32u);
  EXPECT_EQ(row.wavefronts, 1024u);
  EXPECT_EQ(row.ideal, 32u);
  EXPECT_EQ(row.worst_degree, 32u);
  EXPECT_TRUE(row.modelled());
  ASSERT_EQ(row.records.size(), 1u);
  EXPECT_EQ(row.records[0].executions, 32u);
  EXPECT_EQ(row.records[0].base_low, 0u);
  EXPECT_EQ(row.records[0].base_high, 124u);
  EXPECT_EQ(row.records[0].varying_bits, 124u);
  EXPECT_EQ(row.records[0].relative_bytes[3], 384);
  EXPECT_EQ(row.first_byte, 0u);
  EXPECT_EQ(row.end_byte, 4096u);
}

TEST(Conflicts, PatternsThatTakeTurnsAreCountedApart) {
  Launch launch;
  for (int turn = 0; turn < 100; ++turn)
    launch.access(event_of(SharedKind::load), [&](unsigned lane) {
      return turn % 3 == 0 ? lane * 4 : turn % 3 == 1 ? lane * 8 : 0;
    });
  const ConflictReport& report = launch.finish();
  const InstructionConflicts& row = report.instructions.at(0);
  EXPECT_EQ(row.wavefronts, 34u + 33 * 2 + 33);
  ASSERT_EQ(row.records.size(), 3u);
  EXPECT_EQ(row.records[0].executions, 33u);
  EXPECT_EQ(row.records[0].wavefronts, 2u) << "most excess first";
}

TEST(Conflicts, AddressesOfInactiveLanesAreIgnored) {
  Launch launch;
  std::mt19937 random(1);
  for (int i = 0; i < 50; ++i)
    launch.access(event_of(SharedKind::store, 4, 0x0000ffffu),
                  [&](unsigned lane) { return lane < 16 ? lane * 4 : static_cast<std::uint32_t>(random()); });
  const ConflictReport& report = launch.finish();
  EXPECT_EQ(report.instructions.at(0).records.size(), 1u);
  EXPECT_EQ(report.instructions.at(0).end_byte, 64u);
}

TEST(Conflicts, MatrixRowsOfUnusedLanesAreIgnored) {
  Launch launch;
  std::mt19937 random(1);
  SharedAccess event = event_of(SharedKind::matrix_load, 16);
  event.matrices = 2;
  for (int i = 0; i < 50; ++i)
    launch.access(event, [&](unsigned lane) { return lane < 16 ? lane * 128 : static_cast<std::uint32_t>(random()); });
  const InstructionConflicts row = launch.finish().instructions.at(0);
  EXPECT_EQ(row.records.size(), 1u);
  EXPECT_EQ(row.wavefronts, 50u * 16);
  EXPECT_EQ(row.ideal, 100u);
}

TEST(Conflicts, BytesAreCountedByTheirWordsSoTheBaseModuloFourMatters) {
  Launch launch;
  for (std::uint32_t base = 0; base < 4; ++base)
    launch.access(event_of(SharedKind::load, 1), [&](unsigned lane) { return base + (lane < 16 ? lane : 125 + lane); });
  // base 0: words 0..3 and 35..39 (byte 141 is word 35): banks 3 and 35 mod 32 = 3 collide
  const InstructionConflicts row = launch.finish().instructions.at(0);
  EXPECT_EQ(row.records.size(), 4u);
  unsigned sum = 0;
  for (std::uint32_t base = 0; base < 4; ++base) {
    Access access;
    access.lane_bytes = 1;
    for (unsigned lane = 0; lane < 32; ++lane) access.addresses[lane] = base + (lane < 16 ? lane : 125 + lane);
    sum += cost(access).wavefronts;
  }
  EXPECT_EQ(row.wavefronts, sum);
  EXPECT_GT(sum, 4u);
}

TEST(Conflicts, AnExecutionWithoutActiveLanesCountsAsExecutedAndCostsNothing) {
  Launch launch;
  launch.access(event_of(SharedKind::load, 4, 0), [](unsigned) { return 0; });
  launch.access(event_of(SharedKind::load, 4, 1), [](unsigned) { return 0; });
  const InstructionConflicts row = launch.finish().instructions.at(0);
  EXPECT_EQ(row.executions, 2u);
  EXPECT_EQ(row.wavefronts, 1u);
  EXPECT_EQ(row.ideal, 1u);
}

TEST(Conflicts, OperandsCountByBytesAndBulkCopiesAreFree) {
  Launch launch;
  SharedAccess operand = event_of(SharedKind::matrix_operand, 16, 0xffffffffu, 1);
  operand.bytes = 2304;
  launch.send(operand);
  launch.send(operand);
  SharedAccess bulk = event_of(SharedKind::bulk_copy, 16, 1, 2);
  bulk.bytes = 4096;
  launch.send(bulk);
  const ConflictReport& report = launch.finish();
  ASSERT_EQ(report.instructions.size(), 2u);
  EXPECT_EQ(report.find(1)->wavefronts, 36u);
  EXPECT_EQ(report.find(1)->ideal, 36u);
  EXPECT_TRUE(report.find(2)->modelled());
  EXPECT_EQ(report.find(2)->wavefronts, 0u);
  EXPECT_EQ(report.find(0), nullptr);
}

TEST(Conflicts, CopiesAreCountedByTheirSourcesToo) {
  Launch launch;
  std::uint64_t near[32], apart[32], far[32];
  for (unsigned lane = 0; lane < 32; ++lane) {
    near[lane] = 0x7f0000000000u + 4 * lane;
    apart[lane] = 0x7f0000000000u + 64 * lane;
    far[lane] = 0x7f0000000000u + (std::uint64_t{lane} << 32);
  }
  SharedAccess event = event_of(SharedKind::async_copy_ca);
  for (const std::uint64_t* sources : {near, apart, apart, far, static_cast<std::uint64_t*>(nullptr)}) {
    event.global_addresses = sources;
    launch.access(event, [](unsigned lane) { return lane * 8; });
  }
  const InstructionConflicts row = launch.finish().instructions.at(0);
  EXPECT_EQ(row.executions, 5u);
  EXPECT_EQ(row.unmodelled, 2u);
  EXPECT_FALSE(row.modelled());
  EXPECT_NE(row.reason.find("not known"), std::string::npos) << row.reason;
  EXPECT_EQ(row.records.size(), 3u);
  EXPECT_EQ(row.wavefronts, 2u + 2 * 16u) << "of the modelled ones: two destination, or sixteen source lanes meet";
}

TEST(Conflicts, BypassingCopiesDependOnThePlaceInTheLine) {
  Launch launch;
  std::uint64_t sources[32];
  for (unsigned lane = 0; lane < 32; ++lane) sources[lane] = 0x7f0000000000u + 16 * lane;
  SharedAccess event = event_of(SharedKind::async_copy_cg, 16);
  event.global_addresses = sources;
  unsigned expected = 0;
  for (const std::uint32_t base : {0u, 16u, 32u, 128u}) {
    Access access = strided_access(AccessKind::async_copy_cg, 16, 16, base);
    access.source = SourceOrder::consecutive;
    expected += cost(access).wavefronts;
    launch.access(event, [&](unsigned lane) { return base + lane * 16; });
  }
  const InstructionConflicts row = launch.finish().instructions.at(0);
  EXPECT_EQ(row.wavefronts, expected);
  EXPECT_EQ(row.records.size(), 3u) << "bases 0 and 128 are one pattern";
}

TEST(Conflicts, EachArrayHasItsShare) {
  Launch launch({{0, 4096, "float", 4}, {4096, 4096, "float", 4}});
  for (int i = 0; i < 10; ++i) {
    launch.access(event_of(SharedKind::load), [](unsigned lane) { return lane * 128; });
    launch.access(event_of(SharedKind::load), [](unsigned lane) { return 4096 + lane * 128; });
    launch.access(event_of(SharedKind::load), [](unsigned lane) { return 8192 + lane * 4; });
  }
  const InstructionConflicts row = launch.finish().instructions.at(0);
  ASSERT_EQ(row.arrays.size(), 3u);
  EXPECT_EQ(row.arrays[0].array, no_array);
  EXPECT_EQ(row.arrays[0].wavefronts, 10u);
  EXPECT_EQ(row.arrays[1].array, 0);
  EXPECT_EQ(row.arrays[1].wavefronts, 320u);
  EXPECT_EQ(row.arrays[2].array, 1);
  EXPECT_EQ(row.arrays[2].executions, 10u);
  EXPECT_EQ(row.records.size(), 3u);
  EXPECT_FALSE(row.leaves_array);
}

TEST(Conflicts, LanesOutsideTheirArrayAreSaid) {
  Launch launch({{0, 64, "float", 4}, {64, 64, "float", 4}});
  launch.access(event_of(SharedKind::load), [](unsigned lane) { return lane * 4; });
  EXPECT_TRUE(launch.finish().instructions.at(0).leaves_array);
}

TEST(Conflicts, RulesThatWereNotMeasuredAreSaid) {
  Launch launch({}, {}, 1, 80);
  launch.access(event_of(SharedKind::load), [](unsigned lane) { return lane * 128; });
  const ConflictReport& report = launch.finish();
  EXPECT_FALSE(report.measured);
  EXPECT_NE(report.rules_source.find("not measured"), std::string::npos);
  EXPECT_EQ(report.instructions.at(0).wavefronts, 32u);
}

TEST(Conflicts, AnUnknownArchitectureIsNotModelled) {
  Launch launch({}, {}, 1, 120);
  launch.access(event_of(SharedKind::load), [](unsigned lane) { return lane * 128; });
  EXPECT_FALSE(launch.finish().instructions.at(0).modelled());
}

TEST(Conflicts, AnInstructionOfTwoKindsIsOurOwnBug) {
  Launch launch({}, {}, 2);
  launch.access(event_of(SharedKind::load), [](unsigned) { return 0; });
  launch.access(event_of(SharedKind::store), [](unsigned) { return 0; });
  EXPECT_THROW(launch.finish(), InternalError);
}

TEST(Conflicts, EveryVectorSetCountsTheSame) {
  std::mt19937 random(7);
  const auto budget = [] { return std::make_shared<RecordBudget>(ConflictLimits{}); };
  machine::LaunchInfo launch;
  launch.instructions.resize(3);
  std::vector<std::unique_ptr<machine::Recorder>> recorders;
  for (const VectorSet set : {VectorSet::baseline, VectorSet::avx2, VectorSet::avx512})
    if (supported(set))
      recorders.push_back(ConflictRecorder::make(set, launch, ArrayMap({{0, 100, "", 0}}), {}, budget()));
  EXPECT_TRUE(supported(VectorSet::baseline));
  for (int i = 0; i < 2000; ++i) {
    std::uint32_t addresses[32];
    std::uint64_t sources[32];
    const unsigned stride = random() % 6, instruction = random() % 3, apart = random() % 2 == 0 ? 4 : 8;
    for (unsigned lane = 0; lane < 32; ++lane) {
      addresses[lane] = (lane * stride + random() % 2 + i % 5) * 4;
      sources[lane] = 0x700000000000u + lane * apart;
    }
    SharedAccess event = event_of(instruction == 2 ? SharedKind::async_copy_ca : SharedKind::load, 4,
                                  random() % 2 == 0 ? ~0u : static_cast<std::uint32_t>(random()), instruction);
    event.addresses = addresses;
    event.global_addresses = sources;
    for (const auto& recorder : recorders) recorder->shared_access({}, event);
  }
  using Seen = std::map<std::pair<std::uint32_t, std::vector<std::uint32_t>>, std::uint64_t>;
  std::vector<Seen> seen(recorders.size());
  for (std::size_t i = 0; i < recorders.size(); ++i)
    dynamic_cast<ConflictRecorder&>(*recorders[i]).for_each_pattern([&](const Pattern& pattern) {
      std::vector<std::uint32_t> key(pattern.relative, pattern.relative + 32);
      key.insert(key.end(), {pattern.lanes, pattern.phase, pattern.window.first, pattern.low, pattern.high});
      seen[i][{pattern.instruction, key}] = pattern.executions;
    });
  EXPECT_GT(seen[0].size(), 100u);
  for (const Seen& other : seen) EXPECT_EQ(other, seen[0]);
}

/// Random events, counted by the exact model one by one.
class RandomEvents : public testing::Test {
 protected:
  RandomEvents() : random_(test_seed()) {}
  unsigned below(unsigned bound) { return std::uniform_int_distribution<unsigned>(0, bound - 1)(random_); }

  struct Totals {
    std::uint64_t executions = 0, wavefronts = 0, ideal = 0, unmodelled = 0;
    unsigned worst = 0;
  };

  /// `count` events; `pool` patterns per instruction, shifted at random.
  std::map<std::uint32_t, Totals> drive(const std::vector<Launch*>& launches, int count, unsigned pool) {
    struct Shape {
      SharedKind kind;
      unsigned bytes;
      std::vector<std::pair<std::uint32_t, std::array<std::uint32_t, 32>>> patterns;
    };
    const SharedKind kinds[] = {SharedKind::load,          SharedKind::store,      SharedKind::matrix_load,
                                SharedKind::atomic,        SharedKind::atomic_cas, SharedKind::async_copy_ca,
                                SharedKind::async_copy_cg, SharedKind::load};
    const unsigned widths[] = {1, 16, 16, 4, 8, 8, 16, 8};
    std::vector<Shape> shapes;
    for (unsigned i = 0; i < 8; ++i) {
      Shape shape{kinds[i], widths[i], {}};
      for (unsigned p = 0; p < pool; ++p) {
        std::array<std::uint32_t, 32> addresses;
        const unsigned stride = below(70), scatter = below(2) * 64 + 1;
        for (unsigned lane = 0; lane < 32; ++lane) addresses[lane] = (lane * stride + below(scatter)) * widths[i];
        shape.patterns.push_back({below(2) == 0 ? 0xffffffffu : static_cast<std::uint32_t>(random_()), addresses});
      }
      shapes.push_back(shape);
    }
    std::map<std::uint32_t, Totals> totals;
    for (int i = 0; i < count; ++i) {
      const std::uint32_t instruction = below(8);
      const Shape& shape = shapes[instruction];
      const auto& chosen = shape.patterns[below(pool)];
      const std::uint32_t mask = chosen.first;
      const std::array<std::uint32_t, 32>& pattern = chosen.second;
      const std::uint32_t shift = std::max(shape.bytes, below(2) == 0 ? shape.bytes : 4) * below(40);
      std::uint64_t sources[32];
      const unsigned apart = below(2) == 0 ? shape.bytes : 48 + 16 * below(3);
      for (unsigned lane = 0; lane < 32; ++lane) sources[lane] = 0x700000000000u + lane * apart;
      SharedAccess event = event_of(shape.kind, shape.bytes, mask, instruction);
      if (shape.kind == SharedKind::matrix_load) event.matrices = 2;
      event.global_addresses = sources;
      Access access;
      access.kind = static_cast<AccessKind>(shape.kind);
      access.lane_bytes = shape.bytes;
      access.matrices = 2;
      access.active_lanes = mask;
      set_sources(access, sources);
      for (unsigned lane = 0; lane < 32; ++lane) access.addresses[lane] = pattern[lane] + shift;
      const Cost expected = cost(access);
      Totals& total = totals[instruction];
      ++total.executions;
      total.unmodelled += !expected.modelled;
      total.wavefronts += expected.wavefronts;
      total.ideal += expected.ideal;
      total.worst = std::max(total.worst, expected.worst_degree);
      for (Launch* launch : launches) launch->access(event, [&](unsigned lane) { return pattern[lane] + shift; });
    }
    return totals;
  }

  static void expect_equal(const ConflictReport& report, const std::map<std::uint32_t, Totals>& totals) {
    ASSERT_EQ(report.instructions.size(), totals.size());
    for (const auto& [instruction, total] : totals) {
      const InstructionConflicts* row = report.find(instruction);
      ASSERT_NE(row, nullptr);
      EXPECT_EQ(row->executions, total.executions) << instruction;
      EXPECT_EQ(row->wavefronts, total.wavefronts) << instruction;
      EXPECT_EQ(row->ideal, total.ideal) << instruction;
      EXPECT_EQ(row->unmodelled, total.unmodelled) << instruction;
      EXPECT_EQ(row->worst_degree, total.worst) << instruction;
      std::uint64_t executions = 0, wavefronts = 0;
      for (const ArrayShare& share : row->arrays) executions += share.executions, wavefronts += share.wavefronts;
      EXPECT_EQ(wavefronts, row->wavefronts) << "shares of the arrays add up";
      EXPECT_LE(executions, row->executions);
      std::uint64_t recorded = 0;
      for (const AccessRecord& record : row->records) recorded += record.executions;
      EXPECT_EQ(recorded + row->unrecorded, executions) << "records and the unrecorded add up";
    }
  }

  std::mt19937_64 random_;
};

TEST_F(RandomEvents, AreCountedAsTheModelCountsThemOneByOne) {
  Launch launch({{0, 600, "", 0}, {600, 3000, "", 0}});
  const auto totals = drive({&launch}, 20000, 7);
  expect_equal(launch.finish(), totals);
}

TEST_F(RandomEvents, AreCountedExactlyWhenTheRecordsRunOut) {
  Launch per_instruction({}, {3, 1000}), in_all({}, {1000, 5});
  const auto totals = drive({&per_instruction, &in_all}, 5000, 40);
  const ConflictReport& first = per_instruction.finish();
  expect_equal(first, totals);
  std::uint64_t unrecorded = 0;
  for (const InstructionConflicts& row : first.instructions) {
    EXPECT_LE(row.records.size(), 3u);
    unrecorded += row.unrecorded;
  }
  EXPECT_GT(unrecorded, 0u);
  const ConflictReport& second = in_all.finish();
  expect_equal(second, totals);
  std::size_t records = 0;
  for (const InstructionConflicts& row : second.instructions) records += row.records.size();
  EXPECT_EQ(records, 5u);
}

TEST_F(RandomEvents, GiveTheSameReportForAnyNumberOfWorkers) {
  Launch one({{0, 600, "", 0}}), many({{0, 600, "", 0}}, {}, 7);
  drive({&one, &many}, 20000, 50);
  const ConflictReport a = one.finish(), b = many.finish();
  ASSERT_EQ(a.instructions.size(), b.instructions.size());
  for (std::size_t i = 0; i < a.instructions.size(); ++i) {
    const InstructionConflicts &x = a.instructions[i], &y = b.instructions[i];
    EXPECT_EQ(x.executions, y.executions);
    EXPECT_EQ(x.wavefronts, y.wavefronts);
    EXPECT_EQ(x.explanation, y.explanation);
    EXPECT_EQ(x.cure, y.cure);
    EXPECT_EQ(x.first_byte, y.first_byte);
    EXPECT_EQ(x.end_byte, y.end_byte);
    ASSERT_EQ(x.records.size(), y.records.size());
    for (std::size_t r = 0; r < x.records.size(); ++r) {
      EXPECT_EQ(x.records[r].executions, y.records[r].executions);
      EXPECT_EQ(x.records[r].relative_bytes, y.records[r].relative_bytes);
      EXPECT_EQ(x.records[r].base_low, y.records[r].base_low);
      EXPECT_EQ(x.records[r].base_high, y.records[r].base_high);
      EXPECT_EQ(x.records[r].varying_bits, y.records[r].varying_bits);
    }
  }
}

ConflictLimits with_bases(std::uint32_t bases) {
  ConflictLimits limits;
  limits.bases = bases;
  return limits;
}

TEST(Bases, AreCountedOnlyWhenAskedFor) {
  Launch launch({{0, 4096}});
  launch.access(event_of(SharedKind::load), [](unsigned lane) { return lane * 4; });
  EXPECT_TRUE(launch.finish().instructions.at(0).records.at(0).bases.empty());
  EXPECT_EQ(ConflictObserver().events(), machine::shared_accesses);
}

TEST(Bases, AreTheExactMultisetOverAllWorkers) {
  std::mt19937 random(test_seed());
  for (const unsigned workers : {1u, 3u}) {
    Launch launch({{0, 65536}}, with_bases(1 << 16), workers);
    // By instruction and shape, each with its own counts.
    std::map<std::pair<std::uint32_t, unsigned>, std::map<std::uint32_t, std::uint64_t>> expected;
    for (int i = 0; i < 5000; ++i) {
      const std::uint32_t instruction = static_cast<std::uint32_t>(random() % 2);
      const unsigned stride = random() % 2 != 0 ? 4 : 36;
      const auto base = static_cast<std::uint32_t>(random() % (i % 3 == 0 ? 16000 : 20) * 4);
      SharedAccess event = event_of(SharedKind::load);
      event.instruction = instruction;
      launch.access(event, [&](unsigned lane) { return base + lane * stride; });
      ++expected[{instruction, stride}][base];
    }
    const ConflictReport& report = launch.finish();
    ASSERT_EQ(report.instructions.size(), 2u);
    for (const InstructionConflicts& row : report.instructions) {
      ASSERT_EQ(row.records.size(), 2u);
      for (const AccessRecord& record : row.records) {
        std::map<std::uint32_t, std::uint64_t> found;
        std::uint64_t sum = 0;
        for (const findings::BaseCount& base : record.bases) {
          EXPECT_TRUE(found.empty() || found.rbegin()->first < base.base_bytes) << "sorted";
          found[base.base_bytes] = base.count;
          sum += base.count;
        }
        EXPECT_EQ(found, (expected[{row.instruction, static_cast<unsigned>(record.relative_bytes[1])}]));
        EXPECT_EQ(sum, record.executions);
      }
    }
    EXPECT_EQ(report.uses.at(0).unrecorded, 0u);
  }
}

TEST(Bases, AreTheSameForEverySetOfVectorInstructions) {
  for (const VectorSet set : {VectorSet::baseline, VectorSet::avx2, VectorSet::avx512}) {
    if (!supported(set)) continue;
    machine::LaunchInfo info;
    info.instructions.resize(1);
    const ConflictLimits limits = with_bases(100);
    const auto recorder =
        ConflictRecorder::make(set, info, ArrayMap({{0, 4096}}), limits, std::make_shared<RecordBudget>(limits));
    std::uint32_t addresses[lanes_per_warp];
    SharedAccess event = event_of(SharedKind::load);
    event.addresses = addresses;
    for (std::uint32_t turn = 0; turn < 30; ++turn) {
      for (unsigned lane = 0; lane < lanes_per_warp; ++lane) addresses[lane] = turn % 10 * 4 + lane * 128;
      recorder->shared_access({}, event);
    }
    std::map<std::uint32_t, std::uint64_t> found;
    recorder->for_each_pattern([&](const Pattern& pattern) {
      pattern.bases.for_each([&](std::uint32_t base, std::uint64_t count) { found[base] += count; });
    });
    EXPECT_EQ(found.size(), 10u);
    for (const auto& [base, count] : found) EXPECT_EQ(count, 3u) << base;
  }
}

TEST(Bases, WhatFindsNoRoomIsSaidOfEveryArrayThatItMayReach) {
  Launch launch({{0, 4096}, {4096, 4096}, {8192, 4096}}, with_bases(10));
  for (std::uint32_t i = 0; i < 30; ++i)
    launch.access(event_of(SharedKind::load), [&](unsigned lane) { return i * 4 + lane * 160; });  // into the second
  const ConflictReport& report = launch.finish();
  EXPECT_EQ(report.instructions.at(0).records.at(0).bases.size(), 10u);
  EXPECT_EQ(report.instructions.at(0).wavefronts, 30u * cost(strided_access(AccessKind::load, 4, 160)).wavefronts)
      << "counts stay exact";
  ASSERT_EQ(report.uses.size(), 3u);
  EXPECT_EQ(report.uses[0].unrecorded, 20u);
  EXPECT_EQ(report.uses[1].unrecorded, 20u);
  EXPECT_EQ(report.uses[2].unrecorded, 0u);
}

TEST(Bases, PatternsThatFindNoRoomAreSaidToo) {
  ConflictLimits limits = with_bases(1000);
  limits.patterns_per_instruction = 4;
  Launch launch({{0, 8192}}, limits);
  std::mt19937 random(test_seed());
  for (int i = 0; i < 50; ++i)
    launch.access(event_of(SharedKind::load),
                  [&](unsigned) { return static_cast<std::uint32_t>(random() % 2048) * 4; });
  EXPECT_EQ(launch.finish().uses.at(0).unrecorded, 46u);
}

TEST(Bases, ComeWithWhatElseReachesAnArray) {
  ConflictObserver observer({{0, 1024}, {1024, 1024}, {2048, 1024}, {3072, 16}}, with_bases(10));
  EXPECT_EQ(observer.events(), unsigned{machine::shared_accesses} | machine::syncs);
  machine::LaunchInfo info;
  info.instructions.resize(3);
  std::vector<std::unique_ptr<machine::Recorder>> recorders;
  for (int i = 0; i < 2; ++i) recorders.push_back(observer.recorder(info));
  machine::BulkCopy copy;
  copy.first_byte = 1000;
  copy.bytes = 24;
  recorders[0]->bulk_copy({}, copy);
  copy.first_byte = 2047;
  copy.bytes = 2;
  copy.has_barrier = true;
  copy.barrier_byte = 3072;
  recorders[1]->bulk_copy({}, copy);
  SharedAccess operands = event_of(SharedKind::matrix_operand, 16);
  operands.bytes = 64;
  operands.operands[1] = {2048, 3072};
  recorders[0]->shared_access({}, operands);
  observer.finish(info, std::move(recorders));
  const std::vector<ArrayUse>& uses = observer.report().uses;
  ASSERT_EQ(uses.size(), 4u);
  EXPECT_TRUE(uses[0].bulk_copies && uses[1].bulk_copies && uses[2].bulk_copies);
  EXPECT_FALSE(uses[3].bulk_copies);
  EXPECT_TRUE(uses[3].barriers);
  EXPECT_FALSE(uses[0].barriers);
  EXPECT_TRUE(uses[2].matrix_operands);
  EXPECT_FALSE(uses[1].matrix_operands || uses[3].matrix_operands);
}

}  // namespace
}  // namespace lanebank::checks
