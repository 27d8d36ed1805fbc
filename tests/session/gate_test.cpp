#include "session/gate.hpp"

#include <gtest/gtest.h>

#include "../report/sample.hpp"

namespace lanebank::session {
namespace {

findings::ProgramReport clean_report() {
  findings::ProgramReport report;
  report.launches = {test::clean_launch(0)};
  return report;
}

findings::ProgramReport faulty_report() {
  findings::ProgramReport report = clean_report();
  report.launches[0].fault = findings::FaultReport{"illegal_address", "Message.", 400, "", "a.cu", 3, 1, 2};
  report.findings = findings::findings_of(report.launches);
  return report;
}

TEST(ExitCode, FollowsTheContract) {
  EXPECT_EQ(exit_code(clean_report(), {}), 0);
  EXPECT_EQ(exit_code(test::sample_report(), {}), 120);
  EXPECT_EQ(exit_code(faulty_report(), {}), 120);
  EXPECT_EQ(exit_code({}, {}), 121);
}

TEST(ExitCode, AcceptedExcessDoesNotCount) {
  findings::ProgramReport report = test::sample_report();
  report.accepted.excess = report.excess();
  EXPECT_EQ(exit_code(report, {}), 0);
  --report.accepted.excess;
  EXPECT_EQ(exit_code(report, {}), 120);
}

TEST(ExitCode, WarningsAndNotesDoNotFailUnlessAskedFor) {
  findings::ProgramReport report = clean_report();
  report.launches[0].checks = {test::race()};
  for (const Severity severity : {Severity::note, Severity::warning, Severity::error}) {
    report.launches[0].checks[0].severity = severity;
    report.findings = findings::findings_of(report.launches);
    EXPECT_EQ(exit_code(report, {}), severity == Severity::error ? 120 : 0);
    EXPECT_EQ(exit_code(report, *read_gate("race", 0)), 120);
  }
}

TEST(ExitCode, TheProgramsOwnComesFirst) {
  for (findings::ProgramReport report :
       {clean_report(), test::sample_report(), faulty_report(), findings::ProgramReport{}}) {
    report.exit_code = 139;
    report.problems = {{"call.unsupported", "", "", "", Severity::error}};
    EXPECT_EQ(exit_code(report, {}), 139);
  }
}

TEST(ExitCode, WhatCouldNotBeAnalysedComesBeforeFindings) {
  findings::ProgramReport report = test::sample_report();
  report.problems = {{"call.unsupported", "", "", "", Severity::error}};
  EXPECT_EQ(exit_code(report, {}), 122);
  report.launches.clear();
  EXPECT_EQ(exit_code(report, {}), 122);
}

TEST(ExitCode, ADamagedChannelIsAFailureOfLanebank) {
  findings::ProgramReport report = test::sample_report();
  report.problems = {{"call.unsupported", "", "", "", Severity::error},
                     {"channel.damaged", "", "", "", Severity::error}};
  EXPECT_EQ(exit_code(report, {}), 125);
}

TEST(ExitCode, ExcessUpToTheLimitIsLetThrough) {
  EXPECT_EQ(exit_code(test::sample_report(), {.max_excess = 1015808}), 0);
  EXPECT_EQ(exit_code(test::sample_report(), {.max_excess = 1015807}), 120);
  EXPECT_EQ(exit_code(faulty_report(), {.max_excess = 1015808}), 120) << "errors have no limit";
}

TEST(Gate, ReadsFailOn) {
  EXPECT_EQ(exit_code(test::sample_report(), *read_gate("never", 0)), 0);
  EXPECT_EQ(exit_code(faulty_report(), *read_gate("never", 0)), 0);
  EXPECT_EQ(exit_code(test::sample_report(), *read_gate("bank-conflict", 0)), 120);
  EXPECT_EQ(exit_code(faulty_report(), *read_gate("bank-conflict", 0)), 0);
  EXPECT_EQ(exit_code(test::sample_report(), *read_gate("out-of-bounds,race", 0)), 0);
  EXPECT_EQ(exit_code(faulty_report(), *read_gate("race,out-of-bounds", 0)), 120);
  EXPECT_EQ(exit_code(clean_report(), *read_gate("", 0)), 0);
}

TEST(Gate, NamesARuleThatDoesNotExist) {
  for (const char* bad : {"bank", "bank-conflict,", ",", "never,race"}) {
    const auto gate = read_gate(bad, 0);
    ASSERT_FALSE(gate) << bad;
    EXPECT_NE(gate.error().remedy.find("bank-conflict"), std::string::npos);
  }
}

TEST(Gate, AProgramWithoutKernelsCanBeLetThrough) {
  findings::ProgramReport report;
  Gate gate;
  EXPECT_EQ(exit_code(report, gate), exit_nothing);
  gate.no_launch = true;
  EXPECT_EQ(exit_code(report, gate), exit_success);
  report.filtered_launches = 1;
  EXPECT_EQ(exit_code(report, gate), exit_nothing) << "a filter left something out";
  report = {};
  report.problems.push_back({"call.unsupported", "", "", "", Severity::error});
  EXPECT_EQ(exit_code(report, gate), exit_cannot_analyse);
}

}  // namespace
}  // namespace lanebank::session
