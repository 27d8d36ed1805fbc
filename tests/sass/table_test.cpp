#include <set>

#include <gtest/gtest.h>

#include "sass/picture.hpp"
#include "sass/table.hpp"

namespace lanebank::sass {
namespace {

TEST(Table, EachRowIsConsistent) {
  const std::set<unsigned> architectures = {75, 80, 86, 89, 90};
  for (const RowInfo& row : rows) {
    SCOPED_TRACE(row.id);
    EXPECT_FALSE(row.mnemonic.empty());
    EXPECT_TRUE(architectures.contains(row.first_architecture));
    EXPECT_TRUE(architectures.contains(row.last_architecture));
    EXPECT_LE(row.first_architecture, row.last_architecture);
    EXPECT_LT(row.opcode, row.match.operand_forms ? 1u << 9 : 1u << 12);
    EXPECT_EQ(row.match.operand_forms & 1, 0) << "there is no operand form 0";
  }
}

TEST(Table, ARowIsUnsupportedExactlyWhenNothingLowersItAndSaysWhy) {
  for (const RowInfo& row : rows) {
    SCOPED_TRACE(row.id);
    EXPECT_EQ(row.status.supported, row.lower != "NONE");
    EXPECT_EQ(row.status.supported, row.status.reason.empty());
  }
}

TEST(Table, AnOperandFormBelongsToOneRowOfAnArchitecture) {
  std::set<std::string> identifiers;
  for (const RowInfo& row : rows) EXPECT_TRUE(identifiers.insert(std::string(row.id)).second) << row.id;
}

TEST(Picture, ConditionsReadBitsValuesAndArchitectures) {
  Word word{0x3a0, 0};  // bits 5, 7, 8, 9
  auto holds = [&](std::string_view text, unsigned architecture = 80) {
    picture::Cursor cursor{text};
    bool result = picture::condition(cursor, word, architecture);
    EXPECT_EQ(cursor.text, "x") << text;
    return result;
  };
  EXPECT_TRUE(holds("5 x"));
  EXPECT_FALSE(holds("!5 x"));
  EXPECT_TRUE(holds("!6&7 x"));
  EXPECT_TRUE(holds("7:10=7 x"));
  EXPECT_FALSE(holds("7:10!=7 x"));
  EXPECT_TRUE(holds("5+7:9=7 x"));
  EXPECT_FALSE(holds("7:10=2^n x"));
  EXPECT_TRUE(holds("@80 x"));
  EXPECT_FALSE(holds("6&@80 x"));
  EXPECT_FALSE(holds("@90 x"));
  EXPECT_TRUE(holds("!@90&5 x"));
  EXPECT_TRUE(holds("x"));
}

TEST(Picture, TheCheckRefusesWhatThePainterCannotDraw) {
  auto named = [](std::string_view) -> std::string_view { return "A B"; };
  for (std::string_view good : {"R16, P81?, -72|73R24, {75 =list}", "[+ R24{78:80 - X4 X8 X16}, U64, i40:64]",
                                "(74 ~a, bi; !90P87)", "'c['x54:59']'"})
    EXPECT_TRUE(picture::well_formed(good, ", ", named)) << good;
  for (std::string_view bad : {"R", "Z16", "{75}", "{75:76 A B C}", "'open", "ae", "{A B}", "R120", "(74 R)", "R16 %"})
    EXPECT_FALSE(picture::well_formed(bad, ", ", named)) << bad;
}

}  // namespace
}  // namespace lanebank::sass
