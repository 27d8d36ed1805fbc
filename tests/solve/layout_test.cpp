// Layouts as values: their offsets, their words and their notations.
#include "solve/layout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "lanebank/layout.hpp"
#include "solve/notation.hpp"

namespace lanebank::solve {
namespace {

using testing::HasSubstr;

template <class Library>
void expect_same(const Layout& layout) {
  ASSERT_EQ(layout.tile(), (Tile{Library::rows, Library::columns, Library::element_bytes}));
  for (std::uint32_t row = 0; row < Library::rows; ++row)
    for (std::uint32_t column = 0; column < Library::columns; ++column)
      ASSERT_EQ(layout.offset(row, column), Library::offset(row, column)) << row << ", " << column;
  EXPECT_EQ(layout.bytes(), Library::bytes);
}

TEST(RuntimeLayout, EqualsTheHeaderLibrary) {
  const Tile tile{64, 96, 2};
  expect_same<RowMajor<short, 64, 96>>(Layout::row_major(tile));
  expect_same<Padded<short, 64, 96, 8>>(Layout::padded(tile, 16));
  expect_same<Diagonal<short, 64, 96, 3, 8>>(Layout::diagonal(tile, 24));
  expect_same<Xor<short, 64, 96, 8, 2, 1>>(Layout::row_xor(tile, {8, 1, 2}));
  expect_same<Swizzled<RowMajor<short, 64, 96>, lanebank::Swizzle<2, 4, 3>>>(Layout::swizzled(tile, {2, 4, 3}));
  expect_same<AnyPitch<short, 64, 96, 16>>(Layout::any_pitch(tile, 16));
  expect_same<Swizzled<RowMajor<short, 64, 96>, SwizzleXor<lanebank::Swizzle<1, 4, 3>, lanebank::Swizzle<2, 5, 4>>>>(
      Layout::two_term(tile, {1, 4, 3}, {2, 5, 4}));
  expect_same<Swizzled<Padded<short, 64, 96, 32>, lanebank::Swizzle<2, 4, 3>>>(
      Layout::padded_swizzled(tile, 64, {2, 4, 3}));
  expect_same<HardwareTile<short, 64, 96, 64>>(Layout::hardware(tile, 64));
  expect_same<Linear<float, 2, 4, 1, 2, 4 | 16, 8, 16>>(Layout::linear({2, 4, 4}, {1, 2, 4 | 16, 8, 16}));
}

TEST(RuntimeLayout, AnyPitchIsABijectionOnItsBytes) {
  for (std::uint32_t columns = 4; columns <= 160; columns += 4) {
    const Layout layout = Layout::any_pitch({24, columns, 4}, 16);
    std::set<std::uint32_t> offsets;
    for (std::uint32_t row = 0; row < 24; ++row)
      for (std::uint32_t column = 0; column < columns; ++column) offsets.insert(layout.offset(row, column));
    EXPECT_EQ(offsets.size(), 24 * columns);
    EXPECT_LT(*offsets.rbegin(), 24 * columns * 4);
    EXPECT_EQ(layout.bytes(), 24 * columns * 4);
  }
}

TEST(RuntimeLayout, CountsBytesPastTheTile) {
  EXPECT_EQ(Layout::padded({32, 32, 4}, 4).bytes(), 4224u);
  EXPECT_EQ(Layout::panels({64, 96, 2}, 32, 16, 32).bytes(), 3 * (64 * 80 + 32u));
  EXPECT_GT(Layout::swizzled({3, 9, 4}, {3, 2, 4}).bytes(), 3 * 36u);
}

TEST(Notation, NamesOrderAndUnit) {
  const Swizzle swizzle{2, 4, 3};
  EXPECT_EQ(to_text(swizzle), "Swizzle<2,4,3> (Bits, Base, Shift in bytes)");
  EXPECT_EQ(to_text(swizzle, SwizzleOrder::shift_bits_base, 2), "swizzle<3,2,3> (S, B, M on indices of 2 bytes)");
  EXPECT_THAT(to_text({2, 2, 3}, SwizzleOrder::shift_bits_base, 16), HasSubstr("moves less than units of 16 bytes"));
  EXPECT_EQ(swizzle_from(SwizzleOrder::shift_bits_base, 3, 2, 3, 2), swizzle);
  EXPECT_EQ(swizzle_from(SwizzleOrder::bits_base_shift, 2, 3, 3, 2), swizzle);
  EXPECT_EQ(swizzle_from(SwizzleOrder::bits_base_shift, 2, 4, 3, 1), swizzle);
  // swizzle<3,1,3> on halves XORs index bit 6 into bit 3.
  EXPECT_EQ(swizzle_from(SwizzleOrder::shift_bits_base, 3, 1, 3, 2)(64 * 2), 64 * 2 + 8 * 2u);
}

TEST(Notation, WritesAllThreeForms) {
  const Notation swizzle = notation(Layout::swizzled({64, 64, 2}, {3, 4, 3}), "smem");
  EXPECT_THAT(swizzle.cute, HasSubstr("Swizzle<3,3,3>{}"));
  EXPECT_THAT(swizzle.cute, HasSubstr("for a tensor of 2-byte elements"));
  EXPECT_THAT(swizzle.cuda, HasSubstr("return flat ^ ((flat & 0x380u) >> 3);"));
  EXPECT_THAT(swizzle.lanebank, HasSubstr("using smem = lanebank::Swizzled<lanebank::RowMajor<smem_element, 64, 64>, "
                                          "lanebank::Swizzle<3, 4, 3>>;"));
  EXPECT_THAT(notation(Layout::padded({32, 32, 4}, 4)).cuda, HasSubstr("__shared__ tile_element tile[32][33];"));
  EXPECT_THAT(notation(Layout::row_xor({32, 32, 4}, {1, 0, 5})).cute, HasSubstr("Swizzle<5,0,5>{}"));
  EXPECT_THAT(notation(Layout::diagonal({32, 32, 4}, 1)).cute, HasSubstr("no CuTe layout"));
}

TEST(Families, HaveTheirNames) {
  for (unsigned i = 0; i < family_count; ++i)
    EXPECT_EQ(family_named(name_of(static_cast<Family>(i))), static_cast<Family>(i));
  EXPECT_EQ(family_named("xor"), Family::xor_row);
  EXPECT_FALSE(family_named("Xor"));
}

}  // namespace
}  // namespace lanebank::solve
