#include "session/filter.hpp"

#include <gtest/gtest.h>

namespace lanebank::session {
namespace {

constexpr std::uint64_t all = ~std::uint64_t{0};

/// Which of these launches a filter takes: tr, tr, vec4, ns::tr, histogram.
std::string taken(const std::string& pattern, const std::string& base = "function", std::uint64_t skip = 0,
                  std::uint64_t count = all) {
  auto filter = LaunchFilter::make(pattern, base, skip, count);
  if (!filter) return filter.error().id;
  std::string text;
  for (const char* symbol : {"_Z2trILi0EEvPf", "_Z2trILi1EEvPf", "_Z4vec4PKf", "_ZN2ns2trEPf", "_Z9histogramPi"})
    text += filter->takes(kernel_name(symbol), symbol) ? 'x' : '.';
  return text;
}

TEST(LaunchFilter, TakesEverythingByDefault) { EXPECT_EQ(taken(""), "xxxxx"); }

TEST(LaunchFilter, ComparesTheFunctionNameExactly) {
  EXPECT_EQ(taken("tr"), "xx.x.");
  EXPECT_EQ(taken("t"), ".....");
  EXPECT_EQ(taken("vec4"), "..x..");
}

TEST(LaunchFilter, FindsARegularExpression) {
  EXPECT_EQ(taken("regex:r"), "xx.xx");
  EXPECT_EQ(taken("regex:^(vec|hist)"), "..x.x");
}

TEST(LaunchFilter, ComparesWholeOrMangledNames) {
  EXPECT_EQ(taken("void tr<(int)1>(float *)", "demangled"), ".x...");
  EXPECT_EQ(taken("regex:\\(int\\)0", "demangled"), "x....");
  EXPECT_EQ(taken("_Z4vec4PKf", "mangled"), "..x..");
}

TEST(LaunchFilter, SkipAndCountSeeOnlyMatchingLaunches) {
  EXPECT_EQ(taken("tr", "function", 1), ".x.x.");
  EXPECT_EQ(taken("tr", "function", 1, 1), ".x...");
  EXPECT_EQ(taken("", "function", 2, 2), "..xx.");
  EXPECT_EQ(taken("", "function", 0, 0), ".....");
  EXPECT_EQ(taken("", "function", all, all), ".....");
}

TEST(LaunchFilter, RefusesWhatItCannotRead) {
  EXPECT_EQ(taken("regex:(", "function"), "filter.regex");
  EXPECT_EQ(taken("tr", "symbol"), "filter.base");
}

}  // namespace
}  // namespace lanebank::session
