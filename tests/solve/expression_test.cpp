#include "solve/expression.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lanebank::solve {
namespace {

using testing::HasSubstr;

Result<std::int64_t> value(const std::string& text, std::int64_t lane = 0, std::int64_t k = 0) {
  const Result<Expression> parsed = Expression::parse(text, {"lane", "k"});
  if (!parsed) return tl::unexpected(parsed.error());
  const std::int64_t values[] = {lane, k};
  return parsed->evaluate(values);
}

// The compiler says what C means; the missing parentheses are meant.
#pragma GCC diagnostic ignored "-Wparentheses"
#define LANEBANK_SAME(...) EXPECT_EQ(value(#__VA_ARGS__, lane, k).value(), std::int64_t{__VA_ARGS__}) << #__VA_ARGS__

TEST(Expression, HasThePrecedenceAndValuesOfC) {
  for (std::int64_t lane : {0, 1, 5, 17, 31})
    for (std::int64_t k : {1, 2, 7, 1000}) {
      LANEBANK_SAME(lane + k * 2 - 3);
      LANEBANK_SAME(lane / k % 5 + lane % k);
      LANEBANK_SAME(lane << 2 + 1 >> 1);
      LANEBANK_SAME(lane & k ^ lane | 8);
      LANEBANK_SAME(lane & 3 == 3);
      LANEBANK_SAME((lane & 3) == 3 && k > 1 || lane != 5);
      LANEBANK_SAME(lane < k == 1);
      LANEBANK_SAME(-lane - -k + +3 - ~lane + !k);
      LANEBANK_SAME(lane < 8 ? lane : k < 3 ? k + 1 : 0x1F);
      LANEBANK_SAME(lane >= 4 ? (lane <= 20 ? 1 : 2) : 3);
      LANEBANK_SAME((lane - 40) / 3 + (lane - 40) % 3);
      LANEBANK_SAME((lane - 40) >> 2);
      LANEBANK_SAME(((lane >> 1) ^ (k << 3)) * 2);
    }
}

TEST(Expression, TakesTheSuffixesOfUnsignedNumbers) { EXPECT_EQ(value("4u * 0x10UL").value(), 64); }

TEST(Expression, LooksOnlyAtTheSideThatIsTaken) {
  EXPECT_EQ(value("lane == 0 ? 7 : 1 / lane", 0).value(), 7);
  EXPECT_EQ(value("lane != 0 && 8 / lane == 4", 0).value(), 0);
  EXPECT_EQ(value("lane == 0 || 8 / lane == 4", 0).value(), 1);
}

struct Wrong {
  const char *text, *id, *where;
};

TEST(Expression, SaysWhereItIsWrongAndWhatToDo) {
  const Wrong cases[] = {
      {"", "expression.syntax", "column 1"},
      {"lane +", "expression.syntax", "column 7"},
      {"lane lane", "expression.syntax", "column 6"},
      {"(lane", "expression.syntax", "column 6"},
      {"lane ? 1", "expression.syntax", "column 9"},
      {"lane $ 2", "expression.syntax", "column 6"},
      {"tid", "expression.name", "column 1"},
      {"1 + 9223372036854775808", "expression.number", "column 5"},
      {"08", "expression.number", "column 1"},
      {"0x", "expression.number", "column 1"},
      {"12ab", "expression.number", "column 1"},
      {"4 / lane", "expression.zero", "column 3"},
      {"4 % (lane - k)", "expression.zero", "column 3"},
      {"1 << 64", "expression.shift", "column 3"},
      {"1 >> -1", "expression.shift", "column 3"},
      {"1 << 63", "expression.overflow", "column 3"},
      {"9223372036854775807 + 1", "expression.overflow", "column 21"},
      {"-9223372036854775807 - 2", "expression.overflow", "column 22"},
      {"3037000500 * 3037000500", "expression.overflow", "column 12"},
      {"-(-9223372036854775807 - 1)", "expression.overflow", "column 1"},
      {"(-9223372036854775807 - 1) / -1", "expression.overflow", "column 28"},
  };
  for (const Wrong& wrong : cases) {
    const Result<std::int64_t> result = value(wrong.text);
    ASSERT_FALSE(result) << wrong.text << " is " << *result;
    EXPECT_EQ(result.error().id, wrong.id) << wrong.text;
    EXPECT_EQ(result.error().where, wrong.where) << wrong.text;
    EXPECT_FALSE(result.error().what.empty() || result.error().remedy.empty()) << wrong.text;
  }
  EXPECT_THAT(value("tid").error().remedy, HasSubstr("lane, k"));
}

TEST(Expression, RefusesWhatIsTooDeepOrTooLong) {
  EXPECT_EQ(value(std::string(5000, '(')).error().id, "expression.length");
  EXPECT_EQ(value(std::string(1000, '(') + "1" + std::string(1000, ')')).error().id, "expression.depth");
  EXPECT_EQ(value(std::string(1000, '-') + "1").error().id, "expression.depth");
  std::string sum = "1";
  for (int i = 0; i < 1000; ++i) sum += "+1";
  EXPECT_EQ(value(sum).error().id, "expression.length");
  EXPECT_EQ(value(std::string(90, '(') + "1" + std::string(90, ')')).value(), 1);
}

TEST(Expression, KnowsItsVariables) {
  const Result<Expression> parsed = Expression::parse("k * 4", {"lane", "k"});
  ASSERT_TRUE(parsed);
  EXPECT_FALSE(parsed->uses(0));
  EXPECT_TRUE(parsed->uses(1));
}

}  // namespace
}  // namespace lanebank::solve
