#include "picture/picture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "base/words.hpp"
#include "picture/palette.hpp"
#include "picture/svg.hpp"
#include "picture/terminal.hpp"
#include "picture/words.hpp"

namespace lanebank::picture {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const Access column_of_32 = strided_access(AccessKind::load, 4, 128);

Group group_of(const Access& access, unsigned index = 0) { return cost(access).groups[index]; }

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

std::size_t longest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t longest = 0;
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  return longest;
}

TEST(Grid, OfATileShowsTheBankOfEveryCell) {
  const Tile tile = row_major(4, 33, 4);
  const Grid grid = layout_grid(tile, 0, 1);
  for (unsigned row = 0; row < 4; ++row)
    for (unsigned column = 0; column < 33; ++column) EXPECT_EQ(grid.at(row, column).bank, (row * 33 + column) % 32);
  EXPECT_FALSE(grid.shows_access);
  EXPECT_EQ(label_of(grid, grid.at(1, 0)), "1");
}

TEST(Grid, OfATileCountsFromItsBase) { EXPECT_EQ(layout_grid(row_major(1, 8, 4), 12, 1).at(0, 0).bank, 3u); }

TEST(Grid, OfAnAccessPutsEachLaneIntoItsCell) {
  const Grid grid = access_grid(row_major(32, 32, 4), 0, column_of_32, group_of(column_of_32), 1);
  for (unsigned row = 0; row < 32; ++row) {
    EXPECT_EQ(grid.at(row, 0).lanes, 1u << row);
    EXPECT_TRUE(grid.at(row, 0).meets);
    EXPECT_EQ(grid.at(row, 1).lanes, 0u);
  }
}

TEST(Grid, OfACleanAccessMarksNoMeeting) {
  const Access row = strided_access(AccessKind::load, 4, 4);
  const Grid grid = access_grid(row_major(32, 32, 4), 0, row, group_of(row), 1);
  for (const Cell& cell : grid.cells) EXPECT_FALSE(cell.meets);
}

TEST(Grid, OfABroadcastNamesOneLaneAndSaysThereAreMore) {
  const Access one = strided_access(AccessKind::load, 4, 0);
  const Grid grid = bank_grid(one, group_of(one));
  EXPECT_EQ(grid.at(0, 0).lanes, 0xffffffffu);
  EXPECT_FALSE(grid.at(0, 0).meets);
  EXPECT_EQ(label_of(grid, grid.at(0, 0)), "0+");
}

TEST(Grid, OfAtomicsMarksLanesOfOneWordToo) {
  const Access one = strided_access(AccessKind::atomic, 4, 0);
  EXPECT_TRUE(bank_grid(one, group_of(one)).at(0, 0).meets);
  EXPECT_EQ(bank_loads(one, group_of(one)).load[0], 32u);
}

TEST(Grid, OfBanksHasARowForEvery128BytesTouched) {
  const Access access = strided_access(AccessKind::load, 4, 8);
  const Grid grid = bank_grid(access, group_of(access));
  EXPECT_THAT(grid.row_labels, ElementsAre("0", "128"));
  EXPECT_EQ(grid.at(0, 2).lanes, 2u);
  EXPECT_EQ(grid.at(1, 2).lanes, 1u << 17);
  EXPECT_EQ(grid.at(0, 1).lanes, 0u);
}

TEST(Grid, OfWideAccessesJoinsElementsToCells) {
  const Access vectors = strided_access(AccessKind::load, 16, 16);
  const Grid grid = access_grid(row_major(8, 64, 2), 0, vectors, group_of(vectors), 8);
  EXPECT_EQ(grid.columns, 8u);
  for (unsigned cell = 0; cell < 8; ++cell) EXPECT_EQ(grid.at(0, cell).lanes, 1u << cell);
  EXPECT_THAT(grid.column_labels, ElementsAre("0", "8", "16", "24", "32", "40", "48", "56"));
}

TEST(Grid, MeetingsAreTheBankModelsDegree) {
  for (std::uint32_t stride = 4; stride <= 264; stride += 4) {
    const Access access = strided_access(AccessKind::load, 4, stride);
    const Group group = group_of(access);
    const BankLoads loads = bank_loads(access, group);
    EXPECT_EQ(*std::max_element(std::begin(loads.load), std::end(loads.load)), group.degree) << stride;
  }
}

TEST(Contiguous, IsTrueOnlyForWholeAlignedUnits) {
  EXPECT_TRUE(contiguous(row_major(4, 16, 2), 8));
  EXPECT_FALSE(contiguous(row_major(4, 16, 2, 17), 8));  // rows begin at odd places
  EXPECT_FALSE(contiguous(row_major(4, 12, 2), 8));      // 8 does not divide 12
  Tile torn = row_major(1, 8, 2);
  for (std::uint32_t& offset : torn.offsets) offset ^= 8;
  EXPECT_TRUE(contiguous(torn, 4));
  EXPECT_FALSE(contiguous(torn, 8));
}

TEST(Folded, KeepsWhatIsWanted) {
  EXPECT_THAT(folded(4, 8, {}), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(folded(8, 3, {false, false, false, false, false, true, false, true}), ElementsAre(0, 5, 7));
  EXPECT_THAT(folded(8, 2, std::vector<bool>(8, true)), ElementsAre(0, 1));
}

TEST(Text, MarksMeetingsByACharacter) {
  const Grid grid = bank_grid(column_of_32, group_of(column_of_32));
  const std::string text = draw_text(grid, {});
  EXPECT_EQ(count(text, "!"), 32u);
  EXPECT_THAT(text, Not(HasSubstr("\033")));
  EXPECT_THAT(legend_text(grid), HasSubstr("! meets others"));
}

TEST(Text, StaysWithinTheTerminalAndSaysWhatIsLeftOut) {
  const Grid grid = layout_grid(row_major(128, 128, 4), 0, 1);
  for (const unsigned width : {60u, 80u, 120u, 200u}) {
    TerminalOptions options;
    options.width = width;
    options.max_rows = 9;
    const std::string text = draw_text(grid, options);
    EXPECT_LE(longest_line(text), width);
    EXPECT_THAT(text, HasSubstr("of 128 columns"));
    EXPECT_THAT(text, HasSubstr("119 of 128 rows not drawn"));
  }
}

TEST(Text, DrawsAllBanksOfANarrowTerminalInTwoBlocks) {
  const Access access = strided_access(AccessKind::load, 4, 8);
  const std::string text = draw_text(bank_grid(access, group_of(access)), {});
  EXPECT_EQ(count(text, "bank"), 2u);
  EXPECT_EQ(count(text, "!"), 32u);
  EXPECT_THAT(text, Not(HasSubstr("not drawn")));
}

TEST(Text, ColoursCellsOnlyWhenAsked) {
  TerminalOptions options;
  options.colours = Colours::full;
  EXPECT_THAT(draw_text(layout_grid(row_major(1, 2, 4), 0, 1), options), HasSubstr("\033[48;2;"));
  options.colours = Colours::cube;
  EXPECT_THAT(draw_text(layout_grid(row_major(1, 2, 4), 0, 1), options), HasSubstr("\033[48;5;"));
}

TEST(Palette, HasADifferentColourForEveryBank) {
  std::set<std::uint32_t> light, dark;
  for (unsigned bank = 0; bank < 32; ++bank) light.insert(colour_of(bank).light), dark.insert(colour_of(bank).dark);
  EXPECT_EQ(light.size(), 32u);
  EXPECT_EQ(dark.size(), 32u);
  EXPECT_EQ(cube_colour(0x000000), 16u);
  EXPECT_EQ(cube_colour(0xffffff), 231u);
}

Picture sample() {
  Picture picture{"a <column> & \"more\"", "32 wavefronts", {}};
  picture.grids.push_back(access_grid(row_major(32, 32, 4), 0, column_of_32, group_of(column_of_32), 1));
  picture.grids.push_back(bank_grid(column_of_32, group_of(column_of_32)));
  picture.grids.back().beside = true;
  return picture;
}

TEST(Svg, IsSelfContainedAndDescribed) {
  const std::string svg = draw_svg(sample());
  EXPECT_THAT(svg, HasSubstr("<title id=\"title\">a &lt;column&gt; &amp; &quot;more&quot;</title>"));
  EXPECT_THAT(svg, HasSubstr("<desc id=\"description\">32 wavefronts</desc>"));
  EXPECT_THAT(svg, HasSubstr("role=\"img\""));
  EXPECT_THAT(svg, HasSubstr("prefers-color-scheme: dark"));
  EXPECT_THAT(svg, Not(HasSubstr("href")));
  EXPECT_EQ(count(svg, "http"), 1u);  // the namespace
}

TEST(Svg, MarksMeetingsByFrameAndCorner) {
  const std::string svg = draw_svg(sample());
  EXPECT_EQ(count(svg, "<rect class=\"meets\""), 65u);  // 32 in each grid and one in the legend
  EXPECT_EQ(count(svg, "<path class=\"corner\""), 65u);
  EXPECT_EQ(count(svg, "meets others in this bank</title>"), 64u);
}

TEST(Svg, IsTheSameEveryTime) { EXPECT_EQ(draw_svg(sample()), draw_svg(sample())); }

TEST(Svg, TagsAreBalanced) {
  const std::string svg = draw_svg(sample());
  for (const char* tag : {"g", "text", "title", "svg", "style", "desc"}) {
    const std::string name = tag;
    EXPECT_EQ(count(svg, "<" + name + " ") + count(svg, "<" + name + ">"), count(svg, "</" + name + ">")) << tag;
  }
}

TEST(Svg, FoldsLargeTilesAndSaysSo) {
  Picture picture{"large", "", {layout_grid(row_major(256, 256, 4), 0, 1)}};
  const std::string svg = draw_svg(picture);
  EXPECT_THAT(svg, HasSubstr("64 of 256 columns and 64 of 256 lines are drawn."));
  EXPECT_LT(svg.size(), 2'000'000u);
}

TEST(Words, OfLanesAndNumbers) {
  EXPECT_EQ(lanes_text(0xffffffff), "lanes 0..31");
  EXPECT_EQ(lanes_text(1u << 7), "lane 7");
  EXPECT_EQ(lanes_text(0x01010101), "lanes 0, 8, 16, 24");
  EXPECT_EQ(lanes_text(0x55555555), "lanes 0, 2, 4, 6, 8, 10 and 10 more");
  EXPECT_EQ(grouped(1048576), "1,048,576");
  EXPECT_EQ(counted(1, "wavefront"), "1 wavefront");
  EXPECT_EQ(counted(0, "wavefront"), "0 wavefronts");
}

}  // namespace
}  // namespace lanebank::picture
