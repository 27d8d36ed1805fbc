// Tiles on host memory: each element where the layout says, vectors whole, plans aligned.
#include "lanebank/tile.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <type_traits>
#include <vector>

#include "lanebank/layout.hpp"
#include "layouts_under_test.hpp"

namespace lanebank {
namespace {

template <class T>
const void* bytes_of(const T& value) {
  return &value;
}

template <class L>
void expect_elements_lie_where_the_layout_says(L) {
  using E = typename L::value_type;
  alignas(1024) static unsigned char memory[L::bytes];
  std::memset(memory, 0, sizeof memory);
  const Tile<L> tile(aligned_base<1024>(memory));
  std::vector<E> values(std::size_t{L::rows} * L::columns);
  for (std::size_t i = 0; i < values.size() * sizeof(E); ++i)
    reinterpret_cast<unsigned char*>(values.data())[i] = static_cast<unsigned char>(i * 37 + i / 256);
  for (std::uint32_t r = 0; r < L::rows; ++r)
    for (std::uint32_t c = 0; c < L::columns; ++c) tile(r, c) = values[r * L::columns + c];
  for (std::uint32_t r = 0; r < L::rows; ++r)
    for (std::uint32_t c = 0; c < L::columns; ++c) {
      ASSERT_EQ(std::memcmp(bytes_of(tile(r, c)), bytes_of(values[r * L::columns + c]), sizeof(E)), 0);
      ASSERT_EQ(reinterpret_cast<unsigned char*>(&tile(r, c)) - memory, L::offset(r, c));
    }
}

TEST(Tile, ElementsLieWhereTheLayoutSaysAndDoNotDisturbEachOther) {
  for_each_layout(LayoutsUnderTest{}, [](auto layout) { expect_elements_lie_where_the_layout_says(layout); });
}

struct alignas(16) Eight {
  Half values[8];
};

TEST(Tile, VectorsAreTheElementsOfTheRow) {
  static SharedTile<AnyPitch<Half, 64, 96, 16>> tile;
  for (std::uint32_t r = 0; r < 64; ++r)
    for (std::uint32_t c = 0; c < 96; ++c) tile(r, c) = static_cast<Half>(r * 96 + c);
  for (std::uint32_t r = 0; r < 64; ++r)
    for (std::uint32_t c = 0; c < 96; c += 8)
      for (std::uint32_t i = 0; i < 8; ++i) ASSERT_EQ(tile.vector<Eight>(r, c).values[i], r * 96 + c + i);
  EXPECT_EQ((&tile.at<3, 5>()), &tile(3, 5));
  const Tile<AnyPitch<Half, 64, 96, 16>> view(tile);
  EXPECT_EQ(&view(7, 9), &tile(7, 9));
  const Tile<Swizzled<RowMajor<Half, 64, 96>, Swizzle<2, 4, 3>>> other_name(view);
  EXPECT_EQ(&other_name(7, 9), &tile(7, 9));
}

TEST(Tile, SharedTilesTakeTheLayoutsBytesAndAlignment) {
  EXPECT_EQ(sizeof(SharedTile<Xor<float, 32, 32>>), 4096u);
  EXPECT_EQ(alignof(SharedTile<Xor<float, 32, 32>>), 16u);
  EXPECT_EQ(alignof(SharedTile<HardwareTile<Half, 64, 64, 128>>), 1024u);
  EXPECT_TRUE((std::is_trivially_default_constructible_v<SharedTile<Xor<float, 32, 32>>>)) << "as __shared__ demands";
}

TEST(SharedPlan, TilesFollowOneAnotherEachAligned) {
  using A = RowMajor<float, 3, 3>;
  using B = HardwareTile<Half, 64, 64, 128>;
  using C = RowMajor<std::uint8_t, 5, 7>;
  using Plan = SharedPlan<A, B, C, A>;
  EXPECT_EQ(Plan::alignment, 1024u);
  EXPECT_EQ(Plan::begin<0>, 0u);
  EXPECT_EQ(Plan::begin<1>, 1024u);
  EXPECT_EQ(Plan::begin<2>, 1024u + 8192);
  EXPECT_EQ(Plan::begin<3>, 1024u + 8192 + 48);
  EXPECT_EQ(Plan::bytes, 1024u + 8192 + 48 + 36);
  alignas(1024) static unsigned char memory[Plan::bytes];
  const auto base = aligned_base<1024>(memory);
  EXPECT_TRUE((std::is_same_v<decltype(Plan::tile<1>(base)), Tile<B>>));
  EXPECT_EQ(Plan::tile<1>(base).base(), memory + 1024);
  EXPECT_EQ(Plan::tile<3>(base).base(), memory + Plan::begin<3>);
}

TEST(AlignedBase, KeepsTheAlignmentThatIsLeft) {
  AlignedBase<1024> base;
  EXPECT_EQ(decltype(base.plus<0>())::alignment, 1024u);
  EXPECT_EQ(decltype(base.plus<2048>())::alignment, 1024u);
  EXPECT_EQ(decltype(base.plus<512>())::alignment, 512u);
  EXPECT_EQ(decltype(base.plus<1072>())::alignment, 16u);
}

}  // namespace
}  // namespace lanebank
