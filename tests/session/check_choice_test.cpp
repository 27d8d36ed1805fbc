// The value of --checks.
#include "session/check_choice.hpp"

#include <gtest/gtest.h>

namespace lanebank::session {
namespace {

TEST(CheckChoice, AllNoneAndLists) {
  EXPECT_TRUE(read_checks("all")->race);
  EXPECT_TRUE(read_checks("all")->bounds);
  EXPECT_FALSE(read_checks("none")->any());
  const auto some = read_checks("race,invalid-sync-mask");
  ASSERT_TRUE(some);
  EXPECT_TRUE(some->race);
  EXPECT_TRUE(some->masks);
  EXPECT_FALSE(some->uninitialised || some->bounds || some->barriers);
  const auto exact = read_checks("all,uninitialised=influence");
  ASSERT_TRUE(exact);
  EXPECT_TRUE(exact->influence && exact->race && exact->uninitialised);
  EXPECT_FALSE(read_checks("uninitialised=influence")->race);
  EXPECT_FALSE(read_checks("all")->influence);
  EXPECT_TRUE(read_checks("misaligned")) << "the machine reports it whatever is chosen";
}

TEST(CheckChoice, WordsThatAreNoRuleAreRefusedWithThoseThatAre) {
  for (const char* bad : {"", "rase", "race,", "race;bounds", "none,race", "race=influence", "bank-conflict"}) {
    const auto options = read_checks(bad);
    ASSERT_FALSE(options) << bad;
    EXPECT_EQ(options.error().where, "--checks");
    EXPECT_NE(options.error().remedy.find("uninitialised"), std::string::npos);
  }
}

}  // namespace
}  // namespace lanebank::session
