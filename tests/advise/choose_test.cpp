#include "advise/choose.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace lanebank::advise {
namespace {

using testing::HasSubstr;

Choice choice_of(const ChooseInput& input) {
  const Result<Choice> choice = choose(input);
  EXPECT_TRUE(choice) << (choice ? "" : to_string(choice.error()));
  return choice ? *choice : Choice{};
}

const RemedyCost& cost(const Choice& choice, Remedy remedy) {
  for (const RemedyCost& one : choice.costs)
    if (one.remedy == remedy) return one;
  throw std::out_of_range("no such remedy");
}

TEST(Choose, follows_the_tree_for_a_tile_of_32) {
  ChooseInput input{.tile = {32, 32, 4}};
  EXPECT_EQ(choice_of(input).remedy, Remedy::padding);
  input.memory_tight = true;
  EXPECT_EQ(choice_of(input).remedy, Remedy::adjustment);
  input.memory_tight = false;
  input.maximum_speed = true;
  EXPECT_EQ(choice_of(input).remedy, Remedy::vectors);
  input.tma = true;
  EXPECT_EQ(choice_of(input).by_tree, Remedy::hardware);
}

TEST(Choose, counts_what_each_remedy_costs) {
  const Choice choice = choice_of({.tile = {32, 32, 4}});
  EXPECT_EQ(cost(choice, Remedy::none).wavefronts, 32u + 1024u);
  EXPECT_EQ(cost(choice, Remedy::padding).wavefronts, 64u);
  EXPECT_EQ(cost(choice, Remedy::padding).more_bytes, 128);
  EXPECT_EQ(cost(choice, Remedy::adjustment).wavefronts, 64u);
  EXPECT_EQ(cost(choice, Remedy::adjustment).more_bytes, 0);
  EXPECT_GT(cost(choice, Remedy::adjustment).index_instructions, 0u);
  EXPECT_EQ(cost(choice, Remedy::vectors).requests, 8u + 32u);
}

TEST(Choose, leaves_the_tree_where_padding_is_not_clean) {
  // A tile of 16 x 16 floats: a warp holds two rows, which no padding of one word serves (measured: 2-way).
  const Choice choice = choice_of({.tile = {16, 16, 4}});
  EXPECT_EQ(choice.by_tree, Remedy::padding);
  EXPECT_EQ(choice.remedy, Remedy::adjustment);
  EXPECT_EQ(choice.chosen().wavefronts, 16u);
  EXPECT_THAT(choice.reasons.back(), HasSubstr("layout-adjustment takes 16"));
}

TEST(Choose, says_that_nothing_needs_to_be_done) {
  const Choice choice = choice_of({.tile = {32, 33, 4}, .fixed_block = true});
  EXPECT_EQ(choice.by_tree, Remedy::adjustment);
  EXPECT_EQ(choice.remedy, Remedy::none);
}

TEST(Choose, says_why_a_remedy_cannot_be_had) {
  const Choice choice = choice_of({.tile = {32, 30, 4}, .maximum_speed = true});  // rows of 120 bytes
  EXPECT_EQ(choice.by_tree, Remedy::vectors);
  EXPECT_NE(choice.remedy, Remedy::vectors);
  EXPECT_THAT(choice.reasons.back(), HasSubstr("cannot be had"));
}

TEST(Choose, keeps_vectors_whole) {
  const Choice choice =
      choice_of({.tile = {64, 64, 2}, .write = "row", .read = "ldmatrix x4", .memory_tight = true, .vectors = true});
  EXPECT_EQ(choice.chosen().wavefronts, choice.chosen().ideal);
  EXPECT_EQ(choice.chosen().requests, 16u + 16u) << "8 halves a lane";
}

TEST(Choose, a_tile_that_no_access_serves_is_an_error) {
  EXPECT_FALSE(choose({.tile = {32, 32, 3}}));
  EXPECT_FALSE(choose({.tile = {32, 32, 4}, .read = "sideways"}));
}

TEST(Choose, text_and_json_agree) {
  const Choice choice = choice_of({.tile = {32, 32, 4}, .memory_tight = true});
  EXPECT_THAT(choice_text(choice), HasSubstr("layout-adjustment: Swizzle<5,2,5>"));
  const auto json = nlohmann::json::parse(choice_json(choice));
  EXPECT_EQ(json["schema"], "lanebank.choose/1");
  EXPECT_EQ(json["remedy"], "layout-adjustment");
  EXPECT_EQ(json["costs"][0]["wavefronts"], 1056);
}

}  // namespace
}  // namespace lanebank::advise
