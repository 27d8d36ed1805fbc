// Layouts in one word: read, written, and what they mean.
#include "solve/layout_text.hpp"

#include <gtest/gtest.h>

#include <random>

#include "../random_seed.hpp"

namespace lanebank::solve {
namespace {

Layout layout_of(const std::string& text, std::uint32_t size_bytes, std::uint32_t element_bytes,
                 std::uint32_t row_elements) {
  const auto read = read_layout_text(text);
  EXPECT_TRUE(read) << text << (read ? "" : read.error().what);
  if (!read) return Layout::row_major({1, size_bytes, 1});
  const auto layout = layout_from(*read, size_bytes, element_bytes, row_elements);
  EXPECT_TRUE(layout) << text << (layout ? "" : layout.error().what);
  return layout ? *layout : Layout::row_major({1, size_bytes, 1});
}

TEST(LayoutText, MeansWhatItSays) {
  EXPECT_EQ(layout_of("row-major", 4096, 4, 32).offset(0, 777), 777u);
  EXPECT_EQ(layout_of("swizzle<5,2,5>", 4096, 4, 0), Layout::swizzled({1, 4096, 1}, {5, 2, 5}));
  EXPECT_EQ(layout_of("Swizzle<3,4,-3>", 4096, 4, 0), Layout::swizzled({1, 4096, 1}, {3, 4, -3}));
  EXPECT_EQ(layout_of("swizzle<1,4,5>^swizzle<2,5,2>", 8192, 4, 0),
            Layout::two_term({1, 8192, 1}, {1, 4, 5}, {2, 5, 2}));
  EXPECT_EQ(layout_of("pad+1", 4096, 4, 32), Layout::padded({32, 32, 4}, 4));
  EXPECT_EQ(layout_of("pad+1@16", 4096, 4, 32), Layout::padded({64, 16, 4}, 4)) << "its own rows come first";
  EXPECT_EQ(layout_of("pad+4B@16", 4096, 8, 0), Layout::padded({32, 16, 8}, 4));
  EXPECT_EQ(layout_of("pad+8@32,swizzle<3,4,3>", 4096, 2, 0), Layout::padded_swizzled({64, 32, 2}, 16, {3, 4, 3}));
  EXPECT_EQ(layout_of("diagonal+1@32", 4096, 4, 0), Layout::diagonal({32, 32, 4}, 1));
  EXPECT_EQ(layout_of("xor<4,1,3>@32", 4096, 4, 0), Layout::row_xor({32, 32, 4}, {4, 1, 3}));
}

TEST(LayoutText, ReadsBackWhatItWrites) {
  std::mt19937 random(test_seed());
  const auto below = [&](unsigned limit) { return static_cast<unsigned>(random() % limit); };
  for (int turn = 0; turn < 500; ++turn) {
    const Tile tile{1u << below(6), 1u << (2 + below(5)), 1u << below(4)};
    const Swizzle term{1 + below(2), 2 + below(2), static_cast<int>(2 + below(2))};
    const std::uint32_t pad = below(40);
    const Layout layouts[] = {Layout::padded(tile, pad), Layout::diagonal(tile, below(tile.columns)),
                              Layout::row_xor(tile, {1, below(3), 1 + below(2)}),
                              Layout::padded_swizzled(tile, pad, term)};
    for (const Layout& layout : layouts)
      EXPECT_EQ(layout_of(layout_text(layout), tile.size_bytes(), tile.element_bytes, 0), layout)
          << layout_text(layout);
    const std::uint32_t size = tile.size_bytes() * 256;
    for (const Layout& layout : {Layout::row_major({1, size, 1}), Layout::swizzled({1, size, 1}, term),
                                 Layout::two_term({1, size, 1}, term, {1, 2, 4})})
      EXPECT_EQ(layout_of(layout_text(layout), size, 4, 0), layout) << layout_text(layout);
  }
  EXPECT_EQ(layout_text(Layout::linear({1, 16, 1}, {1, 2, 4, 8})), "");
  EXPECT_EQ(layout_text(Layout::panels({8, 8, 4}, 4, 0, 0)), "");
}

TEST(LayoutText, SaysWhereItIsWrong) {
  struct Case {
    const char *text, *column, *what;
  };
  for (const Case& c : {Case{"", "column 1", "no layout"},
                        Case{"pad", "column 1", "no layout"},
                        Case{"pad+", "column 5", "whole number"},
                        Case{"pad+1@", "column 7", "whole number"},
                        Case{"pad+1@0", "column 8", "above 0"},
                        Case{"pad+1x", "column 6", "expected the end"},
                        Case{"pad+-1", "column 5", "whole number"},
                        Case{"swizzle<5,2>", "column 12", "','"},
                        Case{"swizzle<5,2,5", "column 14", "'>'"},
                        Case{"swizzle<5,2,4>", "column 15", "overlap"},
                        Case{"swizzle<0,2,4>", "column 15", "overlap"},
                        Case{"swizzle<5,2,30>", "column 16", "below bit 20"},
                        Case{"swizzle<5,2,99999999999>", "column 13", "whole number"},
                        Case{"swizzle<1,2,3>^", "column 16", "'swizzle<'"},
                        Case{"pad+1@32,pad", "column 10", "'swizzle<'"},
                        Case{"xor<1,2>@3", "column 8", "','"},
                        Case{"xor<1,30,2>@3", "column 14", "beyond"},
                        Case{"xor<0,0,3>@8", "column 13", "power of two"},
                        Case{"xor<3,0,1>@6", "column 13", "power of two"},
                        Case{"swizzle<1,2,3>^swizzle<1,2,3>^swizzle<1,2,3>", "column 30", "end"}}) {
    const auto read = read_layout_text(c.text);
    ASSERT_FALSE(read) << c.text;
    EXPECT_EQ(read.error().id, "layout.text");
    EXPECT_NE(read.error().where.find(c.column), std::string::npos) << read.error().where;
    EXPECT_NE(read.error().what.find(c.what), std::string::npos) << c.text << ": " << read.error().what;
    EXPECT_FALSE(read.error().remedy.empty());
  }
}

TEST(LayoutText, MustFitTheArray) {
  const auto error = [](const char* text, std::uint32_t size, std::uint32_t element, std::uint32_t row) {
    const auto layout = layout_from(*read_layout_text(text), size, element, row);
    EXPECT_FALSE(layout) << text;
    return layout ? "" : layout.error().id;
  };
  EXPECT_EQ(error("pad+1", 4096, 4, 0), "layout.rows");
  EXPECT_EQ(error("pad+1@33", 4096, 4, 0), "layout.rows");
  EXPECT_EQ(error("pad+1000000@1", 4096, 4, 0), "layout.range");
  EXPECT_EQ(error("xor<1,0,6>@32", 4096, 4, 0), "layout.range");
  EXPECT_EQ(error("xor<1,0,2>@6", 96, 4, 0), "layout.range") << "4 columns do not divide 6";
  EXPECT_EQ(error("swizzle<1,2,-10>", 4096, 4, 0), "layout.leaves");
  EXPECT_EQ(layout_of("swizzle<1,11,1>", 3072, 4, 0).bytes(), 3072u) << "no byte has the source bit";
  EXPECT_EQ(error("swizzle<2,4,-4>", 80, 4, 0), "layout.leaves");
}

}  // namespace
}  // namespace lanebank::solve
