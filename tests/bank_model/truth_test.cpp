// The model equals every measured pattern whose rule is known (tests/data/truth).
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>

#include "truth.hpp"

namespace lanebank {
namespace {

// source_page.csv and h200/ are Nsight Compute's source page, which the model reproduces. wavefronts.csv holds hardware
// counters: those of one instruction differ from the source page in two places.
//   A paired warp is served by the larger groups whatever its conflicts; the source page falls back to the smaller ones,
//   and for 16 bytes it decides by half-warp.
//   Copies of cp.async.ca with conflicts on both sides overlap, mostly better than the source page counts.

bool wide_load(const truth::Row& row) { return row.access.kind == AccessKind::load && row.access.lane_bytes >= 8; }

bool scattered_copy(const truth::Row& row) {
  return row.access.kind == AccessKind::async_copy_ca && row.access.source == SourceOrder::given;
}

TEST(Truth, EveryRowOfTheSourcePageIsReproduced) {
  for (const truth::Row& row : truth::rows_of("source_page.csv")) {
    const Cost predicted = cost(row.access);
    EXPECT_TRUE(predicted.modelled) << row.line << ": " << predicted.reason;
    EXPECT_EQ(predicted.wavefronts, row.wavefronts) << row.line << ": " << row.text;
    EXPECT_EQ(static_cast<int>(predicted.ideal), row.ideal) << row.line << ": " << row.text;
  }
}

TEST(Truth, TheHardwareCountersAreReproducedOrExplained) {
  unsigned same = 0, paired = 0, partial = 0, overlapped = 0, overlapped_better = 0;
  for (const truth::Row& row : truth::rows_of("wavefronts.csv")) {
    const Cost predicted = cost(row.access);
    if (wide_load(row)) {
      EXPECT_EQ(hardware_load_wavefronts(row.access), row.wavefronts) << row.line << ": " << row.text;
    }
    EXPECT_TRUE(predicted.modelled) << row.line << ": " << predicted.reason;
    if (predicted.wavefronts == row.wavefronts) {
      ++same;
    } else if (wide_load(row) && predicted.wavefronts > row.wavefronts) {
      ++paired;
      EXPECT_GT(predicted.worst_degree, 1u) << row.line << ": " << row.text;
    } else if (wide_load(row)) {
      ++partial;
      EXPECT_TRUE(predicted.paired) << row.line << ": " << row.text;
    } else {
      ++overlapped;
      EXPECT_TRUE(scattered_copy(row)) << row.line << ": " << row.text;
      overlapped_better += predicted.wavefronts > row.wavefronts;
    }
  }
  EXPECT_EQ(same, 2153u);
  EXPECT_EQ(paired, 32u);
  EXPECT_EQ(overlapped, 42u);
  EXPECT_EQ(overlapped_better, 41u);
  EXPECT_EQ(partial, 0u);
}

class H200 : public testing::TestWithParam<const char*> {};

TEST_P(H200, EveryModelledRowIsReproduced) {
  unsigned rows = 0, overlooked = 0;
  for (const truth::Row& row : truth::rows_of(GetParam())) {
    ++rows;
    if (row.access.kind == AccessKind::atomic_spin) continue;  // a loop: below
    const Cost predicted = cost(row.access);
    EXPECT_TRUE(predicted.modelled) << row.line << ": " << predicted.reason;
    if (truth::overlooked(row)) {
      ++overlooked;
      EXPECT_EQ(row.wavefronts, 0u) << row.line;
      EXPECT_EQ(row.ideal, 0) << row.line;
    } else {
      EXPECT_EQ(predicted.wavefronts, row.wavefronts) << row.file << ":" << row.line << ": " << row.text;
      EXPECT_EQ(static_cast<int>(predicted.ideal), row.ideal) << row.file << ":" << row.line << ": " << row.text;
    }
  }
  const std::string name = GetParam();
  EXPECT_EQ(rows, name == "h200/ld16_quarters.csv" ? 2304u : 192u);
  EXPECT_EQ(overlooked, name == "h200/cg16.csv" ? 110u : 0u);
}

/// One trip of a loop around ATOMS.CAST.SPIN: the lowest lane of each group takes a bank, or a pair of banks for 8
/// bytes, and succeeds unless a lane of an earlier group has just changed the same word.
std::uint32_t lanes_served(const Access& access, std::uint32_t waiting) {
  const unsigned size = access.lane_bytes == 4 ? 32 : 16, units = 128 / access.lane_bytes;
  std::uint32_t served = 0;
  std::set<std::uint32_t> changed;
  for (unsigned first = 0; first < 32; first += size) {
    std::map<std::uint32_t, unsigned> taken;
    for (unsigned lane = first; lane < first + size; ++lane)
      if ((waiting >> lane & 1) != 0) taken.insert({access.addresses[lane] / access.lane_bytes % units, lane});
    for (const auto& [unit, lane] : taken)
      if (changed.count(access.addresses[lane]) == 0) served |= 1u << lane;
    for (const auto& [unit, lane] : taken)
      if ((served >> lane & 1) != 0) changed.insert(access.addresses[lane]);
  }
  return served;
}

TEST_P(H200, SpinLoopsTakeTheTripsThatWereCounted) {
  for (const truth::Row& row : truth::rows_of(GetParam())) {
    if (row.access.kind != AccessKind::atomic_spin) return;
    unsigned trips = 0, wavefronts = 0, ideal = 0;
    for (Access access = row.access; access.active_lanes != 0; ++trips) {
      const Cost predicted = cost(access);
      wavefronts += predicted.wavefronts;
      ideal += predicted.ideal;
      access.active_lanes &= ~lanes_served(access, access.active_lanes);
    }
    EXPECT_EQ(trips, row.executed) << row.file << ":" << row.line;
    EXPECT_EQ(wavefronts, row.wavefronts) << row.file << ":" << row.line;
    EXPECT_EQ(static_cast<int>(ideal), row.ideal) << row.file << ":" << row.line;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, H200, testing::ValuesIn(truth::h200_files), [](const auto& file) {
  const std::string name = file.param;
  return name.substr(5, name.find('.') - 5);
});

TEST(Truth, CopiesThatWriteZerosAreReproduced) {
  unsigned as_they_are = 0, defective = 0;
  for (const truth::Row& row : truth::rows_of("h200/zero_fill.csv")) {
    std::uint32_t reading = 0;
    for (unsigned lane = 0; lane < lanes_per_warp; ++lane)
      reading |= std::uint32_t{row.access.sources[lane] != no_source} << lane;
    const std::uint32_t seen = truth::reading_as_seen(row, reading);
    Access access = row.access;
    set_sources(access, row.sources, seen, row.zero_fills);
    const Cost predicted = cost(access);
    EXPECT_TRUE(predicted.modelled) << row.line << ": " << predicted.reason;
    EXPECT_EQ(predicted.wavefronts, row.wavefronts) << row.line << ": " << row.text;
    EXPECT_EQ(static_cast<int>(predicted.ideal), row.ideal) << row.line << ": " << row.text;
    ++(seen == reading ? as_they_are : defective);
  }
  EXPECT_EQ(as_they_are + defective, 720u);
  EXPECT_GE(as_they_are, 500u);
}

TEST(Truth, OperandsOfWarpgroupMatrixProductsAreTheirBytes) {
  std::ifstream in(std::string(LANEBANK_SHARED_DATA) + "/truth/h200/wgmma.csv");
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(line, "type,m,n,k,element_bytes,a_operand,swizzle_bytes,executed,wavefronts,ideal");
  unsigned rows = 0;
  for (; std::getline(in, line); ++rows) {
    for (char& c : line) c = c == ',' ? ' ' : c;
    std::istringstream fields(line);
    std::string type, operand;
    unsigned m = 0, n = 0, k = 0, bytes = 0, swizzle = 0, executed = 0, wavefronts = 0, ideal = 0;
    fields >> type >> m >> n >> k >> bytes >> operand >> swizzle >> executed >> wavefronts >> ideal;
    ASSERT_FALSE(fields.fail()) << line;
    Access access;
    access.kind = AccessKind::matrix_operand;
    access.total_bytes = ((operand == "shared" ? m : 0) + n) * k * bytes;
    const Cost predicted = cost(access);
    EXPECT_EQ(predicted.wavefronts, wavefronts) << line;
    EXPECT_EQ(predicted.ideal, ideal) << line;
  }
  EXPECT_EQ(rows, 52u);
}

TEST(Truth, HasTheRowsThatWereMeasured) {
  EXPECT_EQ(truth::rows_of("wavefronts.csv").size(), 2227u);
  EXPECT_EQ(truth::rows_of("source_page.csv").size(), 459u);
}

TEST(Truth, FilesAgreeWhereTheyHoldTheSamePattern) {
  std::map<std::string, unsigned> counted;
  const auto key = [](const truth::Row& row) {
    return row.instruction + row.text.substr(row.text.rfind(',')) + "/" + std::to_string(row.access.active_lanes);
  };
  for (const truth::Row& row : truth::rows_of("wavefronts.csv")) counted[key(row)] = row.wavefronts;
  unsigned common = 0;
  for (const truth::Row& row : truth::rows_of("source_page.csv")) {
    const auto at = counted.find(key(row));
    if (at == counted.end()) continue;
    ++common;
    if (scattered_copy(row)) {
      EXPECT_LE(at->second, row.wavefronts) << row.line << ": " << row.text;
    } else {
      EXPECT_EQ(at->second, row.wavefronts) << row.line << ": " << row.text;
    }
  }
  EXPECT_GT(common, 0u);
}

TEST(Truth, EveryRuleWithoutARowIsKnownToHaveNone) {
  // Rules that no row of the two files covers; they are verified by whole programs (tests of the machine).
  const std::set<AccessKind> by_programs = {AccessKind::atomic_merged, AccessKind::bulk_copy,
                                            AccessKind::matrix_operand};
  std::set<std::pair<AccessKind, unsigned>> covered;
  std::vector<std::string> files(std::begin(truth::h200_files), std::end(truth::h200_files));
  files.insert(files.end(), {"wavefronts.csv", "source_page.csv"});
  for (const std::string& file : files)
    for (const truth::Row& row : truth::rows_of(file))
      if (cost(row.access).modelled) covered.insert({row.access.kind, row.access.lane_bytes});
#define LANEBANK_ACCESS_RULE(sm, since, kind, lane_bytes, counting, ideal, group, paired, passes, note)      \
  if (Counting::counting != Counting::unknown && by_programs.count(AccessKind::kind) == 0) {                 \
    EXPECT_TRUE(covered.count({AccessKind::kind, lane_bytes})) << #kind << " of " << lane_bytes << " bytes"; \
  }
#include "lanebank/access_rules.def"
}

}  // namespace
}  // namespace lanebank
