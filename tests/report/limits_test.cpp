// A report of a million findings stays below 10 MB and 2 s in every format.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <ctime>

#include "report/github.hpp"
#include "report/html.hpp"
#include "report/json.hpp"
#include "report/junit.hpp"
#include "report/markdown.hpp"
#include "report/sarif.hpp"
#include "report/text.hpp"
#include "sample.hpp"

namespace lanebank::report {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool is_slow = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool is_slow = true;
#else
constexpr bool is_slow = false;
#endif
#else
constexpr bool is_slow = false;
#endif

/// A thousand kernels, each with `rows` lines in excess, all with cure and worst access.
findings::ProgramReport large_report(unsigned rows) {
  findings::Instructions list(rows, test::cured_row());
  for (unsigned i = 0; i < rows; i++) {
    list[i].address = 16 * i;
    list[i].line = i + 1;
    list[i].wavefronts += i;
  }
  findings::LaunchReport launch = test::plain_launch();
  test::set_rows(launch, std::move(list));
  findings::ProgramReport report;
  report.command = {"./large"};
  for (unsigned kernel = 0; kernel < 1000; kernel++) {
    launch.id = kernel;
    launch.kernel =
        "void ns::kernel_" + std::to_string(kernel) + "<(int)32, ns::Layout<float, (int)64>>(const float *)";
    launch.symbol = "_Z" + std::to_string(kernel);
    report.launches.push_back(launch);
  }
  findings::make_files_relative(report.launches, "/home/me/project");
  report.findings = findings::findings_of(report.launches);
  return report;
}

/// A source file with a line for each row.
std::optional<std::string> source(const std::string&) {
  std::string text;
  for (unsigned i = 0; i < 1000; i++) text += "  out[i] = tile[threadIdx.x][" + std::to_string(i) + "];\n";
  return text;
}

struct Format {
  const char* name;
  std::string (*write)(const findings::ProgramReport&);
};

constexpr Format formats[] = {
    {"text", [](const findings::ProgramReport& report) { return write_text(report); }},
    {"json", [](const findings::ProgramReport& report) { return write_json(report); }},
    {"github", [](const findings::ProgramReport& report) { return write_github(report); }},
    {"junit", [](const findings::ProgramReport& report) { return write_junit(report); }},
    {"markdown", [](const findings::ProgramReport& report) { return write_markdown(report); }},
    {"sarif",
     [](const findings::ProgramReport& report) {
       Sources sources(source);
       return write_sarif(report, sources);
     }},
    {"html",
     [](const findings::ProgramReport& report) {
       Sources sources(source);
       return write_html(report, sources);
     }},
};

TEST(Limits, EveryFormatOfAMillionFindingsStaysBelowTenMegabytesAndTwoSecondsOfTheProcessor) {
  const findings::ProgramReport report = large_report(is_slow ? 20 : 1000);
  ASSERT_EQ(report.findings.size(), is_slow ? 20'000u : 1'000'000u);
  for (const Format& format : formats) {
    const std::clock_t begin = std::clock();
    const std::string text = format.write(report);
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    EXPECT_LT(text.size(), 10'000'000u) << format.name;
    EXPECT_GT(text.size(), 1000u) << format.name;
    if (!is_slow) {
      EXPECT_LT(seconds, 2.0) << format.name;
    }
    std::printf("  %-8s %9zu bytes  %.2f s\n", format.name, text.size(), seconds);
  }
}

}  // namespace
}  // namespace lanebank::report
