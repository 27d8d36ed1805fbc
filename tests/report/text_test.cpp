#include "report/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "golden.hpp"
#include "report/failure_text.hpp"
#include "report/paint.hpp"
#include "report/wording.hpp"
#include "sample.hpp"

namespace lanebank::report {
namespace {

using findings::Kind;
using testing::HasSubstr;
using testing::Not;

TEST(Text, OfTheTransposes) {
  test::expect_golden("transposes.txt", write_text(test::sample_report(), {.exit_code = 120}));
}

TEST(Text, OfEverything) {
  test::expect_golden("everything.txt", write_text(test::rich_report(), {.width = 100, .exit_code = 122}));
}

TEST(Text, OfAFailedTest) {
  findings::ProgramReport report = test::rich_report();
  const FailureText text = failure_text(report);
  test::expect_golden("failure.txt", text.conflicts + "checks\n" + text.checks + "problems\n" + text.problems);
  report = {};
  report.launches = {test::clean_launch()};
  const FailureText none = failure_text(report);
  EXPECT_EQ(none.conflicts + none.checks + none.problems, "");
}

TEST(Text, InColour) {
  test::expect_golden("colour.txt", write_text(test::sample_report(), {.color = true, .exit_code = 120}));
}

TEST(Text, OfNothing) {
  findings::ProgramReport report;
  report.command = {"true"};
  test::expect_golden("nothing.txt", write_text(report, {.exit_code = 121}));
}

TEST(Text, StaysWithinTheTerminal) {
  for (unsigned width : {80u, 100u, 120u, 160u}) {
    std::istringstream lines(write_text(test::rich_report(), {.width = width, .exit_code = 122}));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(columns(line), width) << line;
  }
}

TEST(Text, WithoutColoursThereAreNoEscapes) {
  EXPECT_THAT(write_text(test::rich_report(), {}), Not(HasSubstr("\033")));
}

TEST(Text, NamesOfAProgramCannotSteerTheTerminal) {
  findings::ProgramReport report = test::sample_report();
  report.command[1] = "\033[2J";
  report.launches[0].kernel = "evil\r\033]0;title\a";
  EXPECT_THAT(write_text(report, {}), Not(HasSubstr("\033")));
}

TEST(Text, ManyLinesWithExcessAreCutAndCounted) {
  findings::ProgramReport report = test::sample_report();
  findings::Instructions rows;
  for (unsigned i = 0; i < 30; i++)
    rows.push_back(test::row(16 * i, "LDS R0, [R1]", Kind::load, 100 + i, 10, 20 + i, 10, 2));
  test::set_rows(report.launches[0], rows);
  const std::string text = write_text(report, {.rows = 12});
  EXPECT_THAT(text, HasSubstr("and 18 lines more with "));
  EXPECT_THAT(text, HasSubstr(":129"));
  EXPECT_THAT(text, Not(HasSubstr(":101 ")));
}

TEST(Text, RowsOfOneLineAreJoined) {
  findings::ProgramReport report = test::sample_report();
  findings::Instructions rows;
  for (unsigned i = 0; i < 8; i++) rows.push_back(test::row(16 * i, "LDS R0, [R1]", Kind::load, 100, 10, 20, 10, 2));
  test::set_rows(report.launches[0], rows);
  const std::string text = write_text(report, {});
  EXPECT_THAT(text, HasSubstr("LDS x 8"));
  EXPECT_THAT(text, HasSubstr("80         160     80"));
}

TEST(Text, LaunchShapesBeyondTheThirdAreCounted) {
  findings::ProgramReport report = test::sample_report();
  for (unsigned i = 1; i <= 9; i++) {
    report.launches.push_back(test::plain_launch(i));
    report.launches.back().grid = {i, 1, 1};
    report.launches.push_back(test::clean_launch(100 + i));
    report.launches.back().grid = {i, 1, 1};
  }
  const std::string text = write_text(report, {});
  EXPECT_THAT(text, HasSubstr("7 further launch shapes of tr: 7 launches, 7,110,656 excess"));
  EXPECT_THAT(text, HasSubstr("tr<(int)1, (int)32>(const float *, float *, int)   x 10   clean\n"));
  EXPECT_THAT(text, HasSubstr("1 of 2 kernels has excess wavefronts"));
}

TEST(Text, KernelsHaveTheirShortNames) {
  EXPECT_EQ(short_name("void tr<(int)0, ns::Pad<(int)32>>(const float *, float *, int)"), "tr");
  EXPECT_EQ(short_name("outer::<unnamed>::copy(int, void (*)(int))"), "copy");
  EXPECT_EQ(short_name("<unnamed>::Tile<float>::run(int)"), "run");
  EXPECT_EQ(short_name("plain"), "plain");
}

TEST(Text, TwoCallsOfAnInlinedFunctionAreTwoPlaces) {
  findings::ProgramReport report = test::sample_report();
  findings::Instructions rows;
  for (unsigned i = 0; i < 4; i++) {
    rows.push_back(test::row(16 * i, "LDS R0, [R1]", Kind::load, 84, 10, 20, 10, 2));
    rows.back().file = "/usr/local/cuda/include/sm_20_atomic_functions.hpp";
    rows.back().inlined_at = {{"main.cu", 10 + i / 2, ""}};
  }
  test::set_rows(report.launches[0], rows);
  const std::string text = write_text(report, {});
  EXPECT_THAT(text, HasSubstr("    main.cu:10  tile   LDS x 2 "));
  EXPECT_THAT(text, HasSubstr("    main.cu:11  tile   LDS x 2 "));
  EXPECT_THAT(text, HasSubstr("in sm_20_atomic_functions.hpp:84\n"));
}

TEST(Text, SaysWhoseCureItIs) {
  findings::ProgramReport report = test::sample_report();
  findings::Instructions rows = *report.launches[0].instructions;
  rows.push_back(rows[2]);
  rows.back().address += 16;
  test::set_rows(report.launches[0], rows);
  EXPECT_THAT(write_text(report, {}), HasSubstr("cure, for each of the 2: column ^ row"));
  rows.back().suggestion.reset();
  test::set_rows(report.launches[0], rows);
  EXPECT_THAT(write_text(report, {}), HasSubstr("cure, for the worst: column ^ row"));
}

TEST(Text, SumsOfPartsEqualTheTotalsShown) {
  const std::string text = write_text(test::sample_report(), {});
  EXPECT_THAT(
      text,
      HasSubstr(
          "65,536 shared requests   1,081,344 wavefronts   65,536 ideal   1,015,808 excess   conflict rate 93.9 %"));
}

TEST(Text, RemapsAreShownBesideTheMeasuredFigures) {
  findings::ProgramReport report = test::sample_report();
  for (findings::LaunchReport& launch : report.launches)
    launch.remaps = {{"tile", "swizzle<5,0,5>", "", "it would be torn", "Choose another.", 4096, 4096}};
  report.launches[0].remaps = {
      {"tile", "pad+1@32", "rows padded by 4 bytes to 132", "", "", 4096, 4224, 1081344, 65536, 65536, 65536}};
  report.launches[0].remapped_rows = {{1, 32768, 32768, 1}, {2, 40000, 32768, 2}};
  const std::string text = write_text(report, {});
  EXPECT_THAT(
      text, HasSubstr("    remap tile: rows padded by 4 bytes to 132   1,081,344 -> 65,536 wavefronts   65,536 ideal   "
                      "128 bytes more\n"
                      "      line              array  instruction  executed  wavefronts  remapped   ideal\n"
                      "      transposes.cu:14  tile   LDS            32,768   1,048,576    40,000  32,768\n"
                      "      transposes.cu:13  tile   STS            32,768      32,768    32,768  32,768\n"));
  EXPECT_THAT(text, HasSubstr("remap tile=swizzle<5,0,5> refused: it would be torn. Choose another.\n"))
      << "of a clean kernel too";
}

TEST(Text, RemapsOfLaunchesWithDifferingFiguresAreSummed) {
  findings::ProgramReport report = test::sample_report();
  report.launches = {test::plain_launch(0), test::plain_launch(1)};
  for (findings::LaunchReport& launch : report.launches) {
    const std::uint64_t wavefronts = launch.id == 0 ? 100 : 30;
    launch.remaps = {{"tile", "pad+1@32", "padded", "", "", 4096, 4224, 200, 20, wavefronts, 20}};
    launch.remapped_rows = {{2, wavefronts, 20, 1}};
  }
  EXPECT_THAT(write_text(report, {}),
              HasSubstr("remap tile: padded   400 -> 130 wavefronts   40 ideal   128 bytes more"));
}

}  // namespace
}  // namespace lanebank::report
