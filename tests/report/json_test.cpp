#include "report/json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "base/check.hpp"
#include "sample.hpp"

namespace lanebank::report {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(Json, HasTheKeysOfTheContract) {
  const json report = json::parse(write_json(test::sample_report()));
  EXPECT_EQ(report["schema"], "lanebank.report/1");
  EXPECT_EQ(report["program"]["command"], (json{"./transposes", "1024", "1"}));
  EXPECT_EQ(report["program"]["exit_code"], 0);
  ASSERT_EQ(report["launches"].size(), 2u);
  const json& launch = report["launches"][0];
  EXPECT_EQ(launch["id"], 0);
  EXPECT_EQ(launch["kernel"], "void tr<(int)0, (int)32>(const float *, float *, int)");
  EXPECT_EQ(launch["symbol"], "_Z2trILi0ELi32EEvPKfPfi");
  EXPECT_EQ(launch["arch"], "sm_90");
  EXPECT_EQ(launch["grid"], (json{32, 32, 1}));
  EXPECT_EQ(launch["block"], (json{32, 32, 1}));
  EXPECT_EQ(launch["static_shared_bytes"], 4096);
  EXPECT_EQ(launch["dynamic_shared_bytes"], 0);
  EXPECT_EQ(launch["warp_instructions"], 1376256);
  EXPECT_DOUBLE_EQ(launch["conflict_rate"], 1015808.0 / 1081344.0);
  EXPECT_EQ(launch["shared"],
            (json{{"executed", 65536}, {"wavefronts", 1081344}, {"ideal", 65536}, {"excess", 1015808}}));
  ASSERT_EQ(launch["instructions"].size(), 2u) << "rows of kind other are left out";
  const json& row = launch["instructions"][1];
  const json expected = {{"address", 496},
                         {"sass", "LDS R9, [R6]"},
                         {"kind", "load"},
                         {"bits", 32},
                         {"file", "transposes.cu"},
                         {"line", 14},
                         {"inlined_at", json::array()},
                         {"array", "tile"},
                         {"executed", 32768},
                         {"threads", 1048576},
                         {"modelled", true},
                         {"timing_dependent", false},
                         {"wavefronts", 1048576},
                         {"ideal", 32768},
                         {"worst_degree", 32}};
  EXPECT_EQ(row, expected);
  ASSERT_EQ(report["findings"].size(), 1u);
  const json& finding = report["findings"][0];
  EXPECT_EQ(finding["rule"], "bank-conflict");
  EXPECT_EQ(finding["severity"], "warning");
  EXPECT_THAT(finding["message"].get<std::string>(), HasSubstr("tile: 1,048,576 wavefronts"));
  EXPECT_EQ(finding["file"], "transposes.cu");
  EXPECT_EQ(finding["line"], 14);
  EXPECT_EQ(finding["launch"], 0);
  EXPECT_EQ(finding["address"], 496);
  EXPECT_EQ(finding["evidence"]["worst_access"]["addresses"][31], 31 * 128);
  EXPECT_THAT(finding["suggestion"]["text"].get<std::string>(), HasSubstr("column ^ row"));
}

TEST(Json, OrderOfKeysIsThatOfTheContract) {
  const std::string text = write_json(test::sample_report());
  std::size_t last = 0;
  for (const char* key : {"\"schema\"", "\"program\"", "\"launches\"", "\"id\"", "\"kernel\"", "\"symbol\"", "\"arch\"",
                          "\"grid\"", "\"block\"", "\"instructions\"", "\"address\"", "\"sass\"", "\"findings\""}) {
    const std::size_t at = text.find(key);
    ASSERT_NE(at, std::string::npos) << key;
    EXPECT_GT(at, last) << key;
    last = at;
  }
}

TEST(Json, TimingIsWrittenOnlyWhenAskedFor) {
  EXPECT_FALSE(json::parse(write_json(test::sample_report())).contains("timing"));
  const json timed = json::parse(write_json(test::sample_report(), {.timing = true}));
  EXPECT_EQ(timed["timing"][0], (json{{"id", 0}, {"seconds", 0.0125}}));
}

TEST(Json, AllInstructionsAreWrittenWhenAskedFor) {
  const json report = json::parse(write_json(test::sample_report(), {.all_instructions = true}));
  ASSERT_EQ(report["launches"][0]["instructions"].size(), 3u);
  EXPECT_EQ(report["launches"][0]["instructions"][0]["kind"], "other");
}

TEST(Json, SameReportGivesTheSameBytesWhateverTheTimes) {
  findings::ProgramReport a = test::sample_report(), b = test::sample_report();
  b.seconds = 99;
  b.launches[0].seconds = 42;
  EXPECT_EQ(write_json(a), write_json(b));
}

TEST(Json, UnmodelledFiguresAreNull) {
  findings::ProgramReport report = test::sample_report();
  auto rows = *report.launches[0].instructions;
  rows[2].modelled = false;
  test::set_rows(report.launches[0], rows);
  const json launch = json::parse(write_json(report))["launches"][0];
  EXPECT_TRUE(launch["instructions"][1]["wavefronts"].is_null());
  EXPECT_FALSE(launch["instructions"][1]["modelled"]);
  EXPECT_EQ(launch["shared"]["wavefronts"], 32768) << "totals hold what is modelled";
}

TEST(Json, WhatIsWrittenReadsBackToTheSameText) {
  findings::ProgramReport report = test::sample_report();
  auto rows = *report.launches[1].instructions;
  rows[0].inlined_at = {{"a.cuh", 3, "helper(int)"}, {"b.cu", 9, ""}};
  rows[0].function = "device(float *)";
  rows[1].modelled = false;
  rows[1].timing_dependent = true;
  test::set_rows(report.launches[1], rows);
  report.launches[1].process = 1;
  report.launches[1].measured = false;
  report.launches[1].sampled_blocks = 3;
  report.launches[1].fault = findings::FaultReport{"illegal_address", "Reads 0x0.", 16, "", "b.cu", 3, 7, 33};
  report.launches[1].checks = {test::race()};
  report.exit_code = 139;
  report.problems = {{"call.unsupported", "cudaFoo", "is not implemented", "Do without.", Severity::error}};
  report.findings = findings::findings_of(report.launches);
  for (bool all : {false, true}) {
    const JsonOptions options{.timing = true, .all_instructions = all};
    const std::string text = write_json(report, options);
    const auto back = read_json(text);
    ASSERT_TRUE(back) << to_string(back.error());
    EXPECT_EQ(write_json(*back, options), text);
  }
}

TEST(Json, TextWithBytesThatAreNoUtf8IsStillJson) {
  findings::ProgramReport report = test::sample_report();
  report.command = {"./app", "\xff\xfe"};
  EXPECT_TRUE(json::accept(write_json(report)));
}

TEST(Json, TotalsThatAreNotTheSumOfTheirPartsAreAnInternalError) {
  findings::ProgramReport report = test::sample_report();
  report.launches[0].shared.wavefronts++;
  EXPECT_THROW(write_json(report), InternalError);
}

TEST(ReadJson, NamesThePlaceOfWhatIsWrong) {
  const json good = json::parse(write_json(test::sample_report()));
  const auto error_of = [](const json& value) {
    const auto result = read_json(value.dump());
    return result ? std::string("accepted") : to_string(result.error());
  };
  EXPECT_EQ(error_of(good), "accepted");
  json bad = good;
  bad["schema"] = "lanebank.report/2";
  EXPECT_THAT(error_of(bad), HasSubstr("schema"));
  bad = good;
  bad["launches"][1]["grid"] = {1, 2};
  EXPECT_THAT(error_of(bad), HasSubstr("launches[1].grid"));
  bad = good;
  bad["launches"][0]["instructions"][1]["executed"] = -1;
  EXPECT_THAT(error_of(bad), HasSubstr("launches[0].instructions[1].executed: expected a whole number"));
  bad = good;
  bad["launches"][0]["static_shared_bytes"] = 1ull << 40;
  EXPECT_THAT(error_of(bad), HasSubstr("static_shared_bytes"));
  bad = good;
  bad["findings"][0]["rule"] = "no-such-rule";
  EXPECT_THAT(error_of(bad), HasSubstr("findings[0].rule"));
  bad = good;
  bad["launches"][0].erase("kernel");
  EXPECT_THAT(error_of(bad), HasSubstr("launches[0].kernel: is missing"));
  EXPECT_FALSE(read_json("{"));
  EXPECT_FALSE(read_json(""));
  EXPECT_FALSE(read_json("[[[[[[[[[["));
}

TEST(ReadJson, DamagedTextNeverCrashes) {
  const std::string good = write_json(test::sample_report());
  std::mt19937 random(7);
  int refused = 0;
  for (int i = 0; i < 3000; i++) {
    std::string text = good;
    for (unsigned k = 0; k < 1 + random() % 3; k++) text[random() % text.size()] = static_cast<char>(random());
    if (random() % 4 == 0) text.resize(random() % text.size());
    refused += !read_json(text);
  }
  EXPECT_GT(refused, 1000);
}

TEST(Json, OfTooManyFindingsHoldsTheWorstAndWhatTheySpeakOf) {
  findings::ProgramReport report = test::sample_report();
  auto rows = *report.launches[0].instructions;
  for (unsigned i = 1; i <= 8; i++) {
    rows.push_back(test::cured_row());
    rows.back().address += 16 * i;
    rows.back().wavefronts += i;
  }
  test::set_rows(report.launches[0], rows);
  report.findings = findings::findings_of(report.launches);
  ASSERT_EQ(report.findings.size(), 9u);
  const json whole = json::parse(write_json(report));
  EXPECT_FALSE(whole.contains("left_out"));
  const json cut = json::parse(write_json(report, {.most_findings = 3}));
  EXPECT_EQ(cut["left_out"], (json{{"findings", 6}, {"launches", 1}}));
  ASSERT_EQ(cut["findings"].size(), 3u);
  for (unsigned i = 0; i < 3; i++)
    EXPECT_EQ(cut["findings"][i], whole["findings"][i + 6]) << "the worst, in their order";
  ASSERT_EQ(cut["launches"].size(), 1u);
  EXPECT_EQ(cut["launches"][0]["instructions"].size(), 3u);
  EXPECT_EQ(cut["launches"][0]["shared"], whole["launches"][0]["shared"]) << "totals are those of all rows";
  EXPECT_EQ(json::parse(write_json(report, {.all_findings = true, .most_findings = 3})), whole);
  const auto back = read_json(write_json(report, {.most_findings = 3}));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->left_out_findings, 6u);
  EXPECT_LT(json::parse(write_json(report, {.most_findings = 8, .most_bytes = 5000}))["findings"].size(), 8u);
}

TEST(Json, RemappedFiguresStandBesideTheMeasuredOnesAndReadBack) {
  findings::ProgramReport report = test::sample_report();
  findings::LaunchReport& launch = report.launches[0];
  launch.remaps = {
      {"tile", "pad+1@32", "rows padded by 4 bytes to 132", "", "", 4096, 4224, 1081344, 65536, 65536, 65536},
      {"other", "swizzle<5,0,5>", "", "it would be torn", "Choose another.", 128, 128}};
  launch.remapped_rows = {{1, 32768, 32768, 1}, {2, 40000, 32768, 2}};
  const std::string text = write_json(report);
  const json written = json::parse(text)["launches"][0];
  EXPECT_EQ(written["remaps"][0], (json{{"array", "tile"},
                                        {"layout", "pad+1@32"},
                                        {"description", "rows padded by 4 bytes to 132"},
                                        {"bytes_before", 4096},
                                        {"bytes", 4224},
                                        {"wavefronts_before", 1081344},
                                        {"ideal_before", 65536},
                                        {"wavefronts", 65536},
                                        {"ideal", 65536}}));
  EXPECT_EQ(written["remaps"][1]["refused"], "it would be torn");
  EXPECT_EQ(written["remaps"][1]["remedy"], "Choose another.");
  EXPECT_FALSE(written["remaps"][1].contains("wavefronts"));
  const json& row = written["instructions"][1];
  EXPECT_EQ(row["wavefronts"], 1048576) << "what was measured stays";
  EXPECT_EQ(row["remapped_wavefronts"], 40000);
  EXPECT_EQ(row["remapped_ideal"], 32768);
  EXPECT_EQ(row["remapped_worst_degree"], 2);
  EXPECT_FALSE(json::parse(text)["launches"][1].contains("remaps"));
  EXPECT_FALSE(json::parse(text)["launches"][1]["instructions"][0].contains("remapped_wavefronts"));
  const auto back = read_json(text);
  ASSERT_TRUE(back) << to_string(back.error());
  EXPECT_EQ(back->launches[0].remaps, launch.remaps);
  EXPECT_EQ(write_json(*back), text);
}

}  // namespace
}  // namespace lanebank::report
