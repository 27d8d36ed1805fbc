// The model equals every measured pattern (tests/data/truth).
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "truth.hpp"

namespace lanebank {
namespace {

/// Is the rule of this row not known? Copies of 4 and 8 bytes whose sources lie 16 bytes apart.
bool open_rule(const truth::Row& row) {
  return (row.instruction == "cp_async_ca_4" || row.instruction == "cp_async_ca_8") &&
         row.access.source != SourceOrder::consecutive;
}

class Truth : public testing::TestWithParam<const char*> {};

TEST_P(Truth, EveryRowIsReproduced) {
  std::map<std::string, unsigned> rows, modelled;
  for (const truth::Row& row : truth::rows_of(GetParam())) {
    const Cost predicted = cost(row.access);
    ++rows[row.instruction];
    if (!predicted.modelled) {
      EXPECT_TRUE(open_rule(row)) << row.file << ":" << row.line << ": " << row.text << "\n" << predicted.reason;
      continue;
    }
    ++modelled[row.instruction];
    EXPECT_EQ(predicted.wavefronts, row.wavefronts) << row.file << ":" << row.line << ": " << row.text;
    if (row.ideal >= 0) {
      EXPECT_EQ(static_cast<int>(predicted.ideal), row.ideal) << row.file << ":" << row.line << ": " << row.text;
    }
  }
  for (const auto& [instruction, count] : rows) {
    if (instruction == "cp_async_ca_4" || instruction == "cp_async_ca_8") continue;
    EXPECT_EQ(modelled[instruction], count) << instruction;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Truth, testing::Values("wavefronts.csv", "source_page.csv"), [](const auto& file) {
  return std::string(file.param).substr(0, std::string(file.param).find('.'));
});

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
    EXPECT_EQ(at->second, row.wavefronts) << row.line << ": " << row.text;
  }
  EXPECT_GT(common, 0u);
}

TEST(Truth, EveryRuleWithoutARowIsKnownToHaveNone) {
  // Rules that no row of the two files covers; they are verified by whole programs (tests of the machine).
  const std::set<AccessKind> by_programs = {AccessKind::atomic_merged, AccessKind::atomic_spin, AccessKind::bulk_copy,
                                            AccessKind::matrix_operand};
  std::set<std::pair<AccessKind, unsigned>> covered;
  for (const char* file : {"wavefronts.csv", "source_page.csv"})
    for (const truth::Row& row : truth::rows_of(file))
      if (cost(row.access).modelled) covered.insert({row.access.kind, row.access.lane_bytes});
#define LANEBANK_ACCESS_RULE(sm, since, kind, lane_bytes, source, counting, ideal, group, paired, passes, note) \
  if (Counting::counting != Counting::unknown && by_programs.count(AccessKind::kind) == 0) {                    \
    EXPECT_TRUE(covered.count({AccessKind::kind, lane_bytes})) << #kind << " of " << lane_bytes << " bytes";    \
  }
#include "lanebank/access_rules.def"
}

}  // namespace
}  // namespace lanebank
