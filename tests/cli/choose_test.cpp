#include "lanebank/choose.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace lanebank::tools {
namespace {

using testing::HasSubstr;

struct Outcome {
  int code = 0;
  std::string out, err;
};

Outcome choose(const ChooseArguments& arguments, const std::string& answers = "") {
  std::istringstream input(answers);
  std::ostringstream out, err;
  const int code = run_choose(arguments, input, out, err);
  return {code, out.str(), err.str()};
}

TEST(ChooseCommand, answers_from_flags_without_asking) {
  const Outcome outcome = choose({.tile = "32x32xf32", .memory_tight = true});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, HasSubstr("layout-adjustment: Swizzle<5,2,5>"));
}

TEST(ChooseCommand, asks_for_what_no_flag_says_until_an_answer_can_be_used) {
  const Outcome outcome =
      choose({.tma = false, .ask = true}, "32 by 32\n32x32\nfloat\nrow\nsideways\ncolumn\nperhaps\nyes\nno\nno\nno\n");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("layout-adjustment"));
  EXPECT_THAT(outcome.err, HasSubstr("yes or no, please"));
  EXPECT_THAT(outcome.err, testing::Not(HasSubstr("TMA")));
}

TEST(ChooseCommand, wrong_uses_end_with_125_and_say_what_to_do) {
  EXPECT_THAT(choose({}).err, HasSubstr("--ask"));
  for (const ChooseArguments& arguments :
       {ChooseArguments{}, ChooseArguments{.tile = "32"}, ChooseArguments{.tile = "9999x9999xf32"},
        ChooseArguments{.tile = "32x32xf32", .read = "sideways"}, ChooseArguments{.ask = true}})
    EXPECT_EQ(choose(arguments).code, 125) << arguments.tile;
}

TEST(ChooseCommand, json_takes_the_place_of_the_text) {
  const Outcome outcome = choose({.tile = "32x32xf32", .json = "-"});
  EXPECT_THAT(outcome.out, HasSubstr("\"schema\": \"lanebank.choose/1\""));
}

}  // namespace
}  // namespace lanebank::tools
