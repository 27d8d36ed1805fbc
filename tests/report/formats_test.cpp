// SARIF, JUnit, GitHub's annotations and Markdown. tests/report/validate.py holds the golden files against their schemas.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "golden.hpp"
#include "report/baseline.hpp"
#include "report/github.hpp"
#include "report/json.hpp"
#include "report/junit.hpp"
#include "report/markdown.hpp"
#include "report/sarif.hpp"
#include "sample.hpp"

namespace lanebank::report {
namespace {

using nlohmann::json;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// transposes.cu as far as the sample goes; another line 14 where `moved` lines were put in front.
Sources sources(unsigned moved = 0) {
  return Sources([moved](const std::string& file) -> std::optional<std::string> {
    if (file != "transposes.cu") return std::nullopt;
    std::string text(moved, '\n');
    for (int line = 1; line <= 20; line++)
      text += line == 14   ? "  out[y * n + x] = tile[threadIdx.x][threadIdx.y];\n"
              : line == 13 ? "  tile[threadIdx.y][threadIdx.x] = in[y * n + x];\n"
                           : "  // line " + std::to_string(line) + "\n";
    return text;
  });
}

std::string sarif_text(const findings::ProgramReport& report, Sources of = sources()) {
  return write_sarif(report, of, {"1.2.3"});
}

json run_of(const std::string& sarif) { return json::parse(sarif)["runs"][0]; }

/// Text that is markup, control or no text at all in one format or another.
const std::string hostile =
    "a<b>&\"'|`x`[l](u)@me ::warning::%0A\x01\x1b[31m\xff\xfe\xe2\x80\xae\xef\xbf\xbf ]]> \n::error::x";

findings::ProgramReport hostile_report() {
  findings::ProgramReport report = test::rich_report();
  report.command = {"./" + hostile};
  for (findings::Finding& finding : report.findings) {
    finding.kernel += hostile;
    finding.message += hostile;
    finding.file += hostile;
    finding.evidence.array = hostile;
    finding.suggestion = findings::Suggestion{hostile};
  }
  for (findings::LaunchReport& launch : report.launches) launch.kernel += hostile;
  for (Diagnostic& problem : report.problems) problem.where = problem.what = problem.remedy = hostile;
  return report;
}

/// No control character but the line feed, and valid UTF-8 (json's parser refuses any other).
void expect_clean(const std::string& text) {
  for (const char c : text) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20) << int{c};
  EXPECT_NO_THROW((void)json(text).dump());
  EXPECT_THAT(text, Not(HasSubstr("\xe2\x80\xae"))) << "text that runs backwards";
}

TEST(Formats, SamplesAreAsBlessed) {
  test::expect_golden("report.json", write_json(test::sample_report(), {.timing = true}));
  test::expect_golden("everything.json", write_json(test::rich_report()));
  test::expect_golden("report.sarif", sarif_text(test::sample_report()));
  test::expect_golden("everything.sarif", sarif_text(test::rich_report()));
  test::expect_golden("report.junit.xml", write_junit(test::sample_report()));
  test::expect_golden("everything.junit.xml", write_junit(test::rich_report(), {.timing = true}));
  test::expect_golden("everything.github.txt", write_github(test::rich_report()));
  test::expect_golden("everything.md", write_markdown(test::rich_report(), {120}));
  Sources lines = sources();
  test::expect_golden("baseline.json", write_baseline(test::rich_report().findings, lines));
}

TEST(Formats, HostileNamesStayText) {
  const findings::ProgramReport report = hostile_report();
  test::expect_golden("hostile.sarif", sarif_text(report));
  test::expect_golden("hostile.junit.xml", write_junit(report));
  for (const std::string& text :
       {sarif_text(report), write_junit(report), write_github(report), write_markdown(report)})
    expect_clean(text);
  EXPECT_THAT(write_junit(report), Not(HasSubstr("a<b>")));
  std::istringstream lines(write_github(report));
  for (std::string line; std::getline(lines, line);)
    EXPECT_TRUE(line.starts_with("::error ") || line.starts_with("::warning ") || line.starts_with("::notice "))
        << line;
  // What is left when the code spans, whose fences are of two backticks here, are taken away.
  EXPECT_THAT(std::regex_replace(write_markdown(report), std::regex("`` .*? ``"), ""), Not(HasSubstr("a<b>")));
}

TEST(Sarif, HasWhatCodeScanningWants) {
  const json run = run_of(sarif_text(test::sample_report()));
  EXPECT_EQ(run["tool"]["driver"]["semanticVersion"], "1.2.3");
  ASSERT_EQ(run["tool"]["driver"]["rules"].size(), findings::all_rules().size());
  for (const json& rule : run["tool"]["driver"]["rules"]) {
    EXPECT_THAT(rule["helpUri"].get<std::string>(), StartsWith("https://"));
    EXPECT_GT(rule["help"]["markdown"].get<std::string>().size(), 40u);
  }
  ASSERT_EQ(run["results"].size(), 1u);
  const json& result = run["results"][0];
  EXPECT_EQ(run["tool"]["driver"]["rules"][result["ruleIndex"].get<unsigned>()]["id"], result["ruleId"]);
  EXPECT_EQ(result["level"], "warning");
  const json& place = result["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"], (json{{"uri", "transposes.cu"}, {"uriBaseId", "SRCROOT"}}));
  EXPECT_EQ(place["region"]["startLine"], 14);
  EXPECT_TRUE(run["originalUriBaseIds"].contains("SRCROOT"));
  EXPECT_EQ(run["automationDetails"]["id"], "lanebank/transposes/");
}

TEST(Sarif, FingerprintsStayWhenLinesMoveAndChangeWithWhatTheyNameOnly) {
  findings::ProgramReport report = test::sample_report();
  const auto fingerprint = [](const findings::ProgramReport& of, unsigned moved) {
    return run_of(sarif_text(of, sources(moved)))["results"][0]["partialFingerprints"]["primaryLocationLineHash"]
        .get<std::string>();
  };
  const std::string before = fingerprint(report, 0);
  findings::ProgramReport later = report;
  later.findings[0].line += 7;
  later.findings[0].address += 64;
  later.findings[0].evidence.wavefronts += 5;
  EXPECT_EQ(fingerprint(later, 7), before);
  EXPECT_NE(fingerprint(later, 0), before) << "another source line";
  later = report;
  later.findings[0].evidence.array = "other";
  EXPECT_NE(fingerprint(later, 0), before);
  later = report;
  later.findings[0].kernel = "other";
  EXPECT_NE(fingerprint(later, 0), before);
}

TEST(Baseline, KnowsFindingsWhereverTheirLinesAre) {
  const findings::ProgramReport before = test::rich_report();
  Sources lines = sources();
  const std::string text = write_baseline(before.findings, lines);
  const auto left = [&](findings::ProgramReport now, unsigned moved) {
    const auto baseline = read_baseline(text, "b.json", std::make_shared<Sources>(sources(moved)));
    EXPECT_TRUE(baseline);
    for (findings::Finding& finding : now.findings) finding.line += moved;
    findings::accept_known(now, {}, *baseline);
    return now.findings.size();
  };
  EXPECT_EQ(left(before, 0), 0u);
  findings::ProgramReport now = test::sample_report();
  ASSERT_EQ(now.findings.size(), 1u);
  EXPECT_EQ(left(now, 7), 0u);
  now.findings[0].evidence.wavefronts *= 100;
  EXPECT_EQ(left(now, 7), 1u) << "it grew";
  now = test::sample_report();
  now.findings[0].line -= 1;
  EXPECT_EQ(left(now, 0), 1u) << "the same conflict in another line is new";
}

TEST(Baseline, DamagedOnesAreRefused) {
  for (const char* text : {"", "[]", "{", R"({"schema":"lanebank.baseline/2"})", R"({"schema":"lanebank.baseline/1"})",
                           R"({"schema":"lanebank.baseline/1","findings":[7]})",
                           R"({"schema":"lanebank.baseline/1","findings":[{"fingerprint":"a","excess":-1}]})"})
    EXPECT_FALSE(read_baseline(text, "b.json", std::make_shared<Sources>())) << text;
}

TEST(Sarif, AlikeFindingsAreCountedThrough) {
  findings::ProgramReport report = test::sample_report();
  report.findings.push_back(report.findings[0]);
  const json results = run_of(sarif_text(report))["results"];
  const auto print = [&](std::size_t i) { return results[i]["partialFingerprints"]["lanebank/v1"].get<std::string>(); };
  EXPECT_THAT(print(0), EndsWith(":1"));
  EXPECT_THAT(print(1), EndsWith(":2"));
}

TEST(Sarif, ARaceShowsBothAccessesAndTheWayOfEachThread) {
  findings::ProgramReport report = test::sample_report();
  report.launches[0].checks = {test::race()};
  findings::make_files_relative(report.launches, "/home/me/project");
  report.findings = findings::findings_of(report.launches);
  const json results = run_of(sarif_text(report))["results"];
  const auto race = std::find_if(results.begin(), results.end(), [](const json& r) { return r["ruleId"] == "race"; });
  ASSERT_NE(race, results.end());
  EXPECT_EQ((*race)["level"], "error");
  EXPECT_EQ((*race)["locations"][0]["physicalLocation"]["region"]["startLine"], 14);
  EXPECT_EQ((*race)["relatedLocations"][0]["physicalLocation"]["region"]["startLine"], 13);
  EXPECT_EQ((*race)["codeFlows"][0]["threadFlows"].size(), 2u);
}

TEST(Sarif, PointsToTheUsersLineOfAnInlinedHeader) {
  findings::ProgramReport report = test::sample_report();
  report.findings[0].file = "/usr/local/cuda/include/a b.hpp";
  report.findings[0].inlined_at = {{"src/main file.cu", 5, "helper(int)"}};
  const json result = run_of(sarif_text(report))["results"][0];
  EXPECT_EQ(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "src/main%20file.cu");
  EXPECT_EQ(result["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            "file:///usr/local/cuda/include/a%20b.hpp");
}

TEST(Sarif, ResultsBeyondTheLimitAreLeftOutAndCounted) {
  findings::ProgramReport report = test::sample_report();
  const findings::Finding one = report.findings[0];
  for (unsigned i = 1; i < 12; i++) {
    report.findings.push_back(one);
    report.findings.back().evidence.wavefronts += i;
  }
  Sources none;
  const json run = run_of(write_sarif(report, none, {.most_results = 5}));
  ASSERT_EQ(run["results"].size(), 5u);
  EXPECT_EQ(run["results"][0]["properties"]["wavefronts"], one.evidence.wavefronts + 7) << "the worst, in their order";
  const json& notification = run["invocations"][0]["toolExecutionNotifications"].back();
  EXPECT_THAT(notification["message"]["text"].get<std::string>(), HasSubstr("7 warnings with"));
  EXPECT_THAT(notification["message"]["text"].get<std::string>(), HasSubstr("the worst 5 of 12 findings"));
  EXPECT_LT(run_of(write_sarif(report, none, {.most_bytes = 4000}))["results"].size(), 5u);
}

TEST(Sarif, WhatCouldNotBeAnalysedIsAFailedInvocation) {
  const json run = run_of(sarif_text(test::rich_report()));
  EXPECT_FALSE(run["invocations"][0]["executionSuccessful"]);
  EXPECT_THAT(run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"].get<std::string>(),
              HasSubstr("cudaImportExternalMemory"));
  EXPECT_TRUE(run_of(sarif_text(test::sample_report()))["invocations"][0]["executionSuccessful"]);
}

TEST(JUnit, FailsWhatTheGateCounts) {
  const findings::ProgramReport report = test::sample_report();
  EXPECT_THAT(write_junit(report), HasSubstr("tests=\"3\" failures=\"1\" errors=\"0\""));
  EXPECT_THAT(write_junit(report), HasSubstr("1,015,808 excess wavefronts: transposes.cu:14: "));
  const std::string passed = write_junit(report, {.fails = [](const findings::Finding&) { return false; }});
  EXPECT_THAT(passed, HasSubstr("tests=\"3\" failures=\"0\" errors=\"0\""));
  EXPECT_THAT(passed, HasSubstr("<system-out>transposes.cu:14: ")) << "told all the same";
}

TEST(JUnit, AProgramThatFailsOrLaunchesNothingIsNoSuccess) {
  findings::ProgramReport report = test::sample_report();
  report.exit_code = 3;
  EXPECT_THAT(write_junit(report), HasSubstr("the program ended with 3"));
  report = {};
  report.command = {"./app"};
  EXPECT_THAT(write_junit(report), HasSubstr("tests=\"1\" failures=\"0\" errors=\"1\""));
}

TEST(JUnit, TimesAreWrittenOnlyWhenAskedFor) {
  EXPECT_THAT(write_junit(test::sample_report()), Not(HasSubstr(" time=")));
  EXPECT_THAT(write_junit(test::sample_report(), {.timing = true}), HasSubstr(" time=\"0.013\""));
}

TEST(GitHub, TheWorstTenAndATotal) {
  findings::ProgramReport report = test::sample_report();
  const findings::Finding one = report.findings[0];
  for (unsigned i = 1; i < 30; i++) {
    report.findings.push_back(one);
    report.findings.back().line += i;
    report.findings.back().evidence.wavefronts += i;
  }
  const std::string text = write_github(report);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 11);
  EXPECT_THAT(text,
              StartsWith("::warning file=transposes.cu,line=43,title=lanebank%3A shared-memory bank conflict::tr: "));
  EXPECT_THAT(text, HasSubstr("::notice title=lanebank%3A total::1 of 2 kernels has excess wavefronts; 30 warnings"));
  EXPECT_THAT(text, EndsWith("; the worst 10 are annotated\n"));
}

TEST(GitHub, FindingsOfOneLineAreOneAnnotation) {
  findings::ProgramReport report = test::sample_report();
  report.findings.resize(4, report.findings[0]);
  const std::string text = write_github(report);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
  EXPECT_THAT(text, HasSubstr("(4 findings like this in the line)"));
}

TEST(Markdown, IsCutToWhatACommentHoldsAndStaysWhole) {
  const findings::ProgramReport report = hostile_report();
  for (const std::size_t limit : {500u, 900u, 1500u, 3000u, 65'536u}) {
    const std::string text = write_markdown(report, {.most_characters = limit});
    EXPECT_LE(text.size(), limit);
    const auto times = [&](const std::string& word) {
      int count = 0;
      for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at++) count++;
      return count;
    };
    EXPECT_EQ(times("<details>"), times("</details>"));
  }
}

}  // namespace
}  // namespace lanebank::report
