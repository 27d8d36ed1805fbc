// With LANEBANK_CHECK_BOUNDS every access of a tile checks its place and traps. Compiled with it.
#include <gtest/gtest.h>

#include "lanebank/layout.hpp"
#include "lanebank/tile.hpp"

namespace lanebank {
namespace {

struct alignas(16) Quad {
  float values[4];
};
using Layout = RowMajor<float, 4, 8>;

class Bounds : public testing::Test {
 protected:
  Bounds() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  static SharedTile<Layout> tile_;
};
SharedTile<Layout> Bounds::tile_;

TEST_F(Bounds, PlacesInTheTileAreFine) {
  tile_(3, 7) = 5;
  EXPECT_EQ((tile_.at<3, 7>()), 5);
  EXPECT_EQ(tile_.vector<Quad>(3, 4).values[3], 5);
}

TEST_F(Bounds, APlaceOutsideTraps) {
  EXPECT_DEATH(tile_(4, 0) = 1, "");
  EXPECT_DEATH(tile_(0, 8) = 1, "");
}

TEST_F(Bounds, AVectorThatBeginsBetweenVectorsOrLeavesTheRowTraps) {
  EXPECT_DEATH((void)tile_.vector<Quad>(0, 2).values[0], "");
  EXPECT_DEATH((void)tile_.vector<Quad>(0, 8).values[0], "");
}

TEST_F(Bounds, ABaseThatIsNotAlignedAsStatedTraps) { EXPECT_DEATH((void)aligned_base<16>(tile_.storage + 4), ""); }

}  // namespace
}  // namespace lanebank
