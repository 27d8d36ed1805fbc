#include "report/paint.hpp"

#include <gtest/gtest.h>

namespace lanebank::report {
namespace {

TEST(Paint, ColumnsCountCodePoints) {
  EXPECT_EQ(columns("abc"), 3u);
  EXPECT_EQ(columns("größe"), 5u);
}

TEST(Paint, ShortenedTextFitsAndKeepsCodePointsWhole) {
  EXPECT_EQ(shortened("transpose", 9), "transpose");
  EXPECT_EQ(shortened("transpose", 8), "trans...");
  EXPECT_EQ(shortened("größengröße", 8), "größe...");
  EXPECT_EQ(shortened("abc", 2), "..");
  EXPECT_EQ(shortened_front("src/größe.cu:14", 11), "...ße.cu:14");
  EXPECT_EQ(shortened_front("a.cu:14", 7), "a.cu:14");
}

TEST(Paint, ControlCharactersCannotReachTheTerminal) { EXPECT_EQ(printable("a\033[31mb\n\x7f"), "a?[31mb??"); }

TEST(Paint, WrappedTextStaysWithinItsWidth) {
  const std::string text = wrapped("one two three four five six seven eight nine ten eleven", 4, 30);
  EXPECT_EQ(text, "    one two three four five\n    six seven eight nine ten\n    eleven\n");
}

TEST(Paint, AWordLongerThanTheWidthIsNotLost) {
  const std::string word(80, 'x');
  EXPECT_EQ(wrapped(word, 2, 40), "  " + word + "\n");
}

TEST(Paint, WithoutColoursNothingIsAdded) {
  EXPECT_EQ(Paint(false).red("x"), "x");
  EXPECT_EQ(Paint(true).red("x"), "\033[31mx\033[0m");
}

TEST(Table, AlignsColumnsAndDropsEmptyOnes) {
  Table table({Table::Align::left, Table::Align::left, Table::Align::right});
  table.row({"line", "", "wavefronts"});
  table.row({"transposes.cu:14", "", "8"});
  const auto lines = table.lines();
  EXPECT_EQ(lines[0], "line              wavefronts");
  EXPECT_EQ(lines[1], "transposes.cu:14           8");
}

}  // namespace
}  // namespace lanebank::report
