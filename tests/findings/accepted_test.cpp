// Suppressions and baselines.
#include "findings/accepted.hpp"

#include <gtest/gtest.h>

#include "../report/sample.hpp"

namespace lanebank::findings {
namespace {

ProgramReport report() {
  ProgramReport report = test::sample_report();
  report.launches.back().checks = {test::race()};
  make_files_relative(report.launches, "/home/me/project");
  report.findings = findings_of(report.launches);
  return report;
}

std::size_t count(const ProgramReport& report, Rule rule) {
  return static_cast<std::size_t>(std::count_if(report.findings.begin(), report.findings.end(),
                                                [&](const Finding& finding) { return finding.rule == rule; }));
}

TEST(Suppressions, EveryTermMustMatch) {
  for (const auto& [text, left] : std::initializer_list<std::pair<const char*, std::size_t>>{
           {"rule=race", 0},
           {"rule=race kernel=nothing*", 1},
           {"rule=race file=trans*.cu array=tile hazard=read-after-*", 0},
           {"rule=ra?e line=14", 0},
           {"rule=race line=15", 1},
           {"  # a comment\n\nkernel=\"*(const float \\*, *\" rule=race  # with a comment", 0}}) {
    ProgramReport now = report();
    const auto suppressions = read_suppressions(text, "s.txt");
    ASSERT_TRUE(suppressions) << text << ": " << to_string(suppressions.error());
    accept_known(now, *suppressions, {});
    EXPECT_EQ(count(now, Rule::race), left) << text;
    EXPECT_EQ(now.accepted.suppressed, 1 - left) << text;
    EXPECT_EQ(now.launches.back().checks.size(), left) << text;
    EXPECT_EQ(now.notes.size(), left) << "those of no use are said: " << text;
  }
}

TEST(Suppressions, WrongFilesAreRefusedWithTheirLine) {
  for (const char* bad : {"race", "rule=rase", "colour=red", "rule=\"race", "=x"}) {
    const auto suppressions = read_suppressions("rule=race\n" + std::string(bad), "s.txt");
    ASSERT_FALSE(suppressions) << bad;
    EXPECT_EQ(suppressions.error().where, "s.txt:2");
  }
}

TEST(Suppressions, WhatIsWrittenSuppressesAll) {
  ProgramReport now = report();
  const std::uint64_t excess = now.excess();
  const std::size_t all = now.findings.size();
  ASSERT_GT(all, 1u);
  const auto suppressions = read_suppressions(write_suppressions(now.findings), "s.txt");
  ASSERT_TRUE(suppressions) << to_string(suppressions.error());
  accept_known(now, *suppressions, {});
  EXPECT_TRUE(now.findings.empty());
  EXPECT_EQ(now.accepted.suppressed, all);
  EXPECT_EQ(now.accepted.excess, excess) << "all excess wavefronts belong to findings";
  EXPECT_TRUE(now.notes.empty());
}

TEST(Baseline, KnownFindingsDoNotCountAndWorseOnesDo) {
  const ProgramReport before = report();
  ProgramReport now = before;
  accept_known(now, {}, baseline_of(before.findings));
  EXPECT_TRUE(now.findings.empty());
  EXPECT_EQ(now.accepted.in_baseline, before.findings.size());

  ProgramReport worse = before;
  for (Finding& finding : worse.findings) {
    finding.line += 10;  // lines may move
    if (finding.rule == Rule::bank_conflict) finding.evidence.wavefronts += 1;
  }
  accept_known(worse, {}, baseline_of(before.findings));
  EXPECT_EQ(count(worse, Rule::bank_conflict), count(before, Rule::bank_conflict));
  EXPECT_EQ(count(worse, Rule::race), 0u);

  ProgramReport other = before;
  for (Finding& finding : other.findings) finding.evidence.array = "another";
  accept_known(other, {}, baseline_of(before.findings));
  EXPECT_EQ(other.findings.size(), before.findings.size());
  ASSERT_FALSE(other.notes.empty());
  EXPECT_EQ(other.notes.back().id, "baseline.gone");
}

}  // namespace
}  // namespace lanebank::findings
