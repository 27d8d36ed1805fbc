#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "../report/sample.hpp"
#include "base/check.hpp"
#include "base/words.hpp"
#include "findings/report.hpp"

namespace lanebank::findings {
namespace {

TEST(Rules, AreSpelledUniquelyAndReadBack) {
  std::set<std::string_view> names;
  for (const RuleInfo& row : all_rules()) {
    EXPECT_TRUE(names.insert(row.spelled).second) << row.spelled;
    EXPECT_EQ(rule_named(row.spelled), row.rule);
    EXPECT_EQ(&info(row.rule), &row);
    EXPECT_FALSE(row.title.empty());
    EXPECT_EQ(row.meaning.back(), '.');
  }
  EXPECT_EQ(names,
            (std::set<std::string_view>{"bank-conflict", "race", "out-of-bounds", "uninitialised", "misaligned",
                                        "barrier-divergence", "invalid-sync-mask", "swizzle-mismatch", "shared-size"}));
  EXPECT_FALSE(rule_named("bank_conflict"));
}

TEST(Kinds, AreThoseOfTheReportFormat) {
  for (const char* name : {"load", "store", "atomic", "matrix_load", "matrix_store", "async_copy", "bulk_copy",
                           "matrix_operand", "other"}) {
    ASSERT_TRUE(kind_named(name)) << name;
    EXPECT_EQ(spelled(*kind_named(name)), name);
  }
  EXPECT_FALSE(kind_named("loads"));
}

TEST(Totals, AreTheSumsOfTheModelledRows) {
  LaunchReport launch = test::plain_launch();
  EXPECT_EQ(launch.shared, (SharedTotals{65536, 1081344, 65536, 1015808}));
  EXPECT_NO_THROW(check_totals(launch));
  Instructions rows = *launch.instructions;
  rows[2].modelled = false;
  EXPECT_EQ(totals(rows), (SharedTotals{65536, 32768, 32768, 0})) << "executed counts rows that are not modelled too";
}

TEST(Totals, ThatDoNotAddUpAreAnInternalError) {
  for (std::uint64_t SharedTotals::*member :
       {&SharedTotals::executed, &SharedTotals::wavefronts, &SharedTotals::ideal, &SharedTotals::excess}) {
    LaunchReport launch = test::plain_launch();
    launch.shared.*member += 1;
    EXPECT_THROW(check_totals(launch), InternalError);
  }
}

TEST(ConflictRate, IsExcessOverWavefrontsAndZeroOfNothing) {
  EXPECT_DOUBLE_EQ(test::plain_launch().conflict_rate(), 1015808.0 / 1081344.0);
  EXPECT_EQ(LaunchReport{}.conflict_rate(), 0.0);
}

TEST(Findings, OneForEachInstructionWithExcess) {
  const std::vector<Finding> findings = findings_of({test::plain_launch(0), test::clean_launch(1)});
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].rule, Rule::bank_conflict);
  EXPECT_EQ(findings[0].launch, 0u);
  EXPECT_EQ(findings[0].address, 496u);
  EXPECT_EQ(findings[0].evidence.launches, 1u);
}

TEST(Findings, OfEqualLaunchesAreJoinedAndOthersAreNot) {
  LaunchReport other = test::plain_launch(2);
  other.grid = {64, 64, 1};
  const auto findings = findings_of({test::plain_launch(0), test::plain_launch(1), other, test::plain_launch(3)});
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].launch, 0u);
  EXPECT_EQ(findings[0].evidence.launches, 3u);
  EXPECT_EQ(findings[1].launch, 2u);
  EXPECT_EQ(findings[1].evidence.launches, 1u);
}

TEST(Findings, AFaultOfMemoryIsAnError) {
  const std::pair<const char*, Rule> faults[] = {
      {"illegal_address", Rule::out_of_bounds},     {"shared_out_of_bounds", Rule::out_of_bounds},
      {"local_out_of_bounds", Rule::out_of_bounds}, {"misaligned_address", Rule::misaligned},
      {"illegal_instruction", Rule::out_of_bounds}, {"deadlock", Rule::barrier_divergence}};
  for (const auto& [kind, rule] : faults) {
    LaunchReport launch = test::clean_launch();
    launch.fault = FaultReport{kind, "Message.", 400, "", "a.cu", 3, 1, 2};
    const auto findings = findings_of({launch});
    ASSERT_EQ(findings.size(), 1u) << kind;
    EXPECT_EQ(findings[0].rule, rule);
    EXPECT_EQ(findings[0].severity, Severity::error);
    EXPECT_EQ(findings[0].line, 3u);
  }
  LaunchReport launch = test::clean_launch();
  launch.fault = FaultReport{"unsupported", "Message.", 400, "", "a.cu", 3, 1, 2};
  EXPECT_TRUE(findings_of({launch}).empty()) << "what lanebank cannot do is no finding about the program";
}

TEST(Files, AreRelativeBelowTheDirectoryAndUntouchedElsewhere) {
  EXPECT_EQ(relative_to("/a/b/c.cu", "/a/b"), "c.cu");
  EXPECT_EQ(relative_to("/a/b/c.cu", "/a"), "b/c.cu");
  EXPECT_EQ(relative_to("/a/bc/c.cu", "/a/b"), "/a/bc/c.cu");
  EXPECT_EQ(relative_to("c.cu", "/a/b"), "c.cu");
  EXPECT_EQ(relative_to("/c.cu", "/"), "/c.cu");
  EXPECT_EQ(relative_to("", "/a"), "");
}

TEST(Files, OfAllLaunchesBecomeRelativeAndSharedListsStayShared) {
  std::vector<LaunchReport> launches = {test::plain_launch(0), test::clean_launch(1), test::plain_launch(2)};
  launches[2].instructions = launches[0].instructions;
  launches[1].fault = FaultReport{"trap", "", 0, "", "/home/me/project/x.cu", 3, 1, 2};
  make_files_relative(launches, "/home/me/project");
  EXPECT_EQ((*launches[0].instructions)[2].file, "transposes.cu");
  EXPECT_EQ(launches[2].instructions, launches[0].instructions);
  EXPECT_EQ(launches[1].fault->file, "x.cu");
}

TEST(Words, DigitsAreGrouped) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(1048576), "1,048,576");
  EXPECT_EQ(grouped(~std::uint64_t{0}), "18,446,744,073,709,551,615");
  EXPECT_EQ(counted(1, "launch", "launches"), "1 launch");
  EXPECT_EQ(counted(2000, "launch", "launches"), "2,000 launches");
}

}  // namespace
}  // namespace lanebank::findings
