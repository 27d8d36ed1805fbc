#include "report/html.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "golden.hpp"
#include "report/access_picture.hpp"
#include "report/escape.hpp"
#include "report/html_parts.hpp"
#include "report/sha256.hpp"
#include "sample.hpp"

namespace lanebank::report {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string page(const findings::ProgramReport& report, const std::optional<std::string>& source, int exit_code = 120) {
  Sources sources([&](const std::string&) { return source; });
  return write_html(report, sources, {.exit_code = exit_code});
}

std::string lines(unsigned count, const std::string& text = "  out[i] = tile[x][y];") {
  std::string all;
  for (unsigned i = 0; i < count; i++) all += text + "\n";
  return all;
}

TEST(Html, TheSampleIsAsBlessed) { test::expect_golden("everything.html", page(test::rich_report(), lines(30))); }

TEST(Html, ShowsTheSourceWithItsWavefronts) {
  const std::string text = page(test::sample_report(), lines(30));
  EXPECT_THAT(text, HasSubstr("<th scope=\"row\">14</th>"));
  EXPECT_THAT(text, HasSubstr("href=\"#k0a0\">1,015,808</a>"));
  EXPECT_THAT(text, HasSubstr("<code>  out[i] = tile[x][y];</code>"));
  EXPECT_THAT(text, HasSubstr("id=\"k0a0\""));
}

TEST(Html, WithoutTheSourceAsItWasCompiledThereIsNoExcerpt) {
  for (const std::optional<std::string>& source :
       {std::optional<std::string>(), std::optional(lines(13)), std::optional(lines(30, std::string("\0", 1)))}) {
    const std::string text = page(test::sample_report(), source);
    EXPECT_THAT(text, HasSubstr("the source is not at hand as it was compiled"));
    EXPECT_THAT(text, HasSubstr("<th scope=\"row\">14</th>"));
    EXPECT_THAT(text, Not(HasSubstr("<code>  out[i]")));
  }
}

TEST(Html, SourceThatIsNoUtf8IsShownWithReplacements) {
  const std::string text = page(test::sample_report(), lines(30, "x = 1; // \xb2\xe2\xca\xd4"));
  EXPECT_THAT(text, HasSubstr("x = 1; // \xef\xbf\xbd"));
  EXPECT_THAT(text, Not(HasSubstr("\xb2\xe2")));
}

TEST(Html, LongLinesAreCut) {
  EXPECT_LT(page(test::sample_report(), lines(30, std::string(100'000, 'x'))).size(),
            page(test::sample_report(), lines(30)).size() + 20'000);
}

TEST(Html, ThePolicyLetsOnlyItsOwnStyleThrough) {
  const std::string text = page(test::sample_report(), std::nullopt);
  const std::size_t begin = text.find("<style>") + 7, end = text.find("</style>");
  EXPECT_THAT(text, HasSubstr("style-src 'sha256-" + sha256_base64(text.substr(begin, end - begin)) + "'"));
  EXPECT_THAT(text, HasSubstr("default-src 'none'"));
  for (const char* outside : {"<script", "style=\"", " onload", "@import", "url(", "<link", "<img"})
    EXPECT_THAT(text, Not(HasSubstr(outside)));
}

TEST(Html, NamesStayText) {
  findings::ProgramReport report = test::rich_report();
  const std::string evil = "</code><script>alert(1)</script>\x01\xff";
  report.command = {evil};
  for (findings::LaunchReport& launch : report.launches) {
    launch.kernel += evil;
    auto rows = *launch.instructions;
    for (findings::InstructionReport& row : rows) {
      row.array = row.why = row.file = row.sass = evil;
      if (row.suggestion) row.suggestion->text = evil;
    }
    test::set_rows(launch, rows);
    for (findings::CheckReport& check : launch.checks) check.message = evil;
  }
  const std::string text = page(report, evil);
  EXPECT_THAT(text, Not(HasSubstr("<script")));
  EXPECT_EQ(clean(text).size(), text.size()) << "valid UTF-8 without control characters";
}

TEST(Html, KernelsBeyondTheLimitsAreCounted) {
  findings::ProgramReport report;
  for (unsigned i = 0; i < 60; i++) {
    report.launches.push_back(test::plain_launch(i));
    report.launches.back().symbol += std::to_string(i);
  }
  Sources none;
  const std::string text = write_html(report, none, {.most_kernels = 50, .most_sections = 10});
  EXPECT_THAT(text, HasSubstr("10 further launch shapes with less excess are left out"));
  EXPECT_THAT(text, HasSubstr("50 further kernels with findings: only in the table"));
}

TEST(AccessPicture, ShowsTheLanesInTheArrayAndInTheBanks) {
  const findings::RowLayout rows{128, 0, 0, 1};
  const auto before = access_picture(test::column_access(), findings::Kind::load, &rows, "before");
  ASSERT_EQ(before.grids.size(), 2u);
  EXPECT_EQ(before.grids[0].rows, 32u);
  for (unsigned lane = 0; lane < 32; lane++) {
    EXPECT_EQ(before.grids[0].at(lane, 0).lanes, 1u << lane);
    EXPECT_TRUE(before.grids[0].at(lane, 0).meets);
    EXPECT_EQ(before.grids[1].at(lane, 0).lanes, 1u << lane);
    EXPECT_EQ(before.grids[1].at(lane, 0).byte, 128 * lane);
  }
  const findings::RowLayout swizzled{128, 0, 4, 1};
  const auto after = access_picture(test::cured_access(), findings::Kind::load, &swizzled, "after");
  for (unsigned lane = 0; lane < 32; lane++) {
    EXPECT_EQ(after.grids[0].at(lane, 0).lanes, 1u << lane) << "the same elements";
    EXPECT_EQ(after.grids[0].at(lane, 0).bank, lane);
    EXPECT_FALSE(after.grids[0].at(lane, 0).meets);
  }
}

TEST(AccessPicture, WithoutALayoutThereAreTheBanksAlone) {
  EXPECT_EQ(access_picture(test::column_access(), findings::Kind::load, nullptr, "").grids.size(), 1u);
}

TEST(AccessPicture, WhatNoMachineDoesIsNotDrawn) {
  findings::WorstAccess access = test::column_access();
  access.lane_bytes = 1u << 31;
  EXPECT_TRUE(access_picture(access, findings::Kind::load, nullptr, "").grids.empty());
  access = test::column_access();
  access.addresses[3] = ~0u;
  EXPECT_TRUE(access_picture(access, findings::Kind::load, nullptr, "").grids.empty());
  const findings::RowLayout wild{~0u, ~0u, 0, 1};
  EXPECT_EQ(access_picture(test::column_access(), findings::Kind::load, &wild, "").grids.size(), 1u);
}

TEST(Sha256, IsThatOfTheStandard) {
  EXPECT_EQ(sha256_base64(""), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
  EXPECT_EQ(sha256_base64("abc"), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
  EXPECT_EQ(sha256_base64(std::string(1000, 'a')), "Qe3s5C1j6Nm/UVqbppMuHCDLyfWl0TRkWttdsblzfqM=");
}

TEST(Escape, CutsBetweenCharacters) {
  EXPECT_EQ(cut("abc", 3), "abc");
  EXPECT_EQ(cut("a\xc3\xa4\xc3\xa4\xc3\xa4", 6), "a\xc3\xa4...");
  EXPECT_EQ(cut("a\xc3\xa4\xc3\xa4\xc3\xa4", 5), "a...");
}

TEST(Escape, EveryPairOfBytesBecomesValidText) {
  for (unsigned a = 0; a < 256; a++)
    for (unsigned b = 0; b < 256; b++) {
      const std::string once = clean(std::string{static_cast<char>(a), static_cast<char>(b)});
      EXPECT_EQ(clean(once), once);
    }
}

}  // namespace
}  // namespace lanebank::report
