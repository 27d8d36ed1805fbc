// Matrices over F2: laws on random ones, and F2Map against its matrix.
#include "lanebank/f2.hpp"

#include <gtest/gtest.h>

#include <bitset>
#include <random>

#include "../random_seed.hpp"
#include "lanebank/swizzle.hpp"

namespace lanebank {
namespace {

F2Matrix random_matrix(unsigned size, std::mt19937_64& random) {
  F2Matrix matrix{size, {}};
  for (unsigned i = 0; i < size; ++i)
    matrix.rows[i] = static_cast<std::uint32_t>(random()) & static_cast<std::uint32_t>((std::uint64_t{1} << size) - 1);
  return matrix;
}

TEST(F2, ParityIsThatOfTheNumberOfBits) {
  std::mt19937_64 random(test_seed());
  for (int i = 0; i < 1000; ++i) {
    const auto x = static_cast<std::uint32_t>(random());
    EXPECT_EQ(parity(x), std::bitset<32>(x).count() % 2);
  }
}

TEST(F2, ApplicationIsLinearAndFollowsTheMatrix) {
  std::mt19937_64 random(test_seed());
  for (unsigned size : {1u, 5u, 13u, 31u, 32u}) {
    const F2Matrix a = random_matrix(size, random), b = random_matrix(size, random);
    const F2Matrix ab = a.after(b);
    EXPECT_EQ(f2_matrix(size, [&](std::uint32_t x) { return a.apply(x); }), a);
    for (int i = 0; i < 50; ++i) {
      const auto x = static_cast<std::uint32_t>(random()), y = static_cast<std::uint32_t>(random());
      EXPECT_EQ(a.apply(x ^ y), a.apply(x) ^ a.apply(y));
      EXPECT_EQ(ab.apply(x), a.apply(b.apply(x)));
    }
  }
}

TEST(F2, AMatrixHasAnInverseExactlyWhenItsRankIsFull) {
  std::mt19937_64 random(test_seed());
  unsigned invertible = 0, singular = 0;
  for (int i = 0; i < 400; ++i) {
    const unsigned size = 1 + static_cast<unsigned>(random() % 12);
    const F2Matrix matrix = random_matrix(size, random), inverse = matrix.inverse();
    // By enumeration: the images are distinct exactly for full rank.
    std::vector<bool> reached(std::size_t{1} << size);
    bool distinct = true;
    for (std::uint32_t x = 0; x < reached.size(); ++x) {
      distinct = distinct && !reached[matrix.apply(x)];
      reached[matrix.apply(x)] = true;
    }
    EXPECT_EQ(distinct, matrix.rank() == size);
    EXPECT_EQ(inverse.size, distinct ? size : 0);
    if (distinct) {
      EXPECT_EQ(matrix.after(inverse), F2Matrix::identity(size));
      EXPECT_EQ(inverse.after(matrix), F2Matrix::identity(size));
    }
    ++(distinct ? invertible : singular);
  }
  EXPECT_GT(invertible, 20u);
  EXPECT_GT(singular, 20u);
}

TEST(F2, RankCountsIndependentRows) {
  EXPECT_EQ((F2Matrix{3, {0b011, 0b110, 0b101}}.rank()), 2u);
  EXPECT_EQ((F2Matrix{3, {0, 0, 0}}.rank()), 0u);
  EXPECT_EQ(F2Matrix::identity(32).rank(), 32u);
}

template <std::uint32_t... Rows>
void expect_follows_its_matrix() {
  using Map = F2Map<Rows...>;
  constexpr std::uint32_t inside = (std::uint32_t{1} << sizeof...(Rows)) - 1;
  for (std::uint32_t x = 0; x < 4 * (inside + 1); ++x)
    ASSERT_EQ(Map::apply(x), (Map::matrix().apply(x & inside) | (x & ~inside))) << x;
}

TEST(F2Map, FollowsItsMatrixAndLeavesTheBitsAbove) {
  expect_follows_its_matrix<1>();
  expect_follows_its_matrix<0b001, 0b110, 0b100>();
  expect_follows_its_matrix<0b100, 0b001, 0b010>();
  expect_follows_its_matrix<0b1111, 0b0110, 0b0100, 0b1000>();
  expect_follows_its_matrix<1, 2, 0x104, 0x88, 0x51, 0x20, 0x40, 0x80, 0x100, 0x210>();
}

}  // namespace
}  // namespace lanebank
