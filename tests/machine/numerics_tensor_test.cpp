// The two ways to multiply matrices give the same bits: that of ordinary operands, whole columns at a time, and that of any.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "../random_seed.hpp"
#include "machine/numerics/tensor_narrow.hpp"

namespace lanebank::machine::numerics {
namespace {

/// Random elements whose exponents lie within `spread` of the middle of the format; some zeros, some smallest numbers.
template <Element element>
std::uint32_t draw(std::mt19937_64& random, int spread) {
  using Format = typename Elements<element>::Format;
  std::uint32_t field =
      static_cast<std::uint32_t>(Format::bias + static_cast<int>(random() % (2 * spread + 1)) - spread);
  field = std::min(field, static_cast<std::uint32_t>(Format::largest_exponent) - 1);
  if (random() % 16 == 0) field = 0;
  std::uint32_t fraction = static_cast<std::uint32_t>(random()) & static_cast<std::uint32_t>(Format::fraction_mask);
  if (random() % 4 == 0) fraction = 0;
  // Where exponents are as wide as single precision's, the smallest numbers are no ordinary ones.
  if (field == 0 && Format::bias == 127 && random() % 4096 != 0) fraction = 0;
  const std::uint32_t sign = random() % 2 == 0 ? 0 : static_cast<std::uint32_t>(Format::sign_bit);
  const std::uint32_t raw = sign | field << Format::fraction_bits | fraction;
  return raw << Packed<element>::dropped | (random() & ((1u << Packed<element>::dropped) - 1));
}

float accumulator(std::mt19937_64& random, int spread, bool half) {
  if (random() % 8 == 0) return random() % 2 == 0 ? 0.0F : -0.0F;
  const float x = std::ldexp(1.0F + static_cast<float>(random() % 0x800000) / 0x800000,
                             static_cast<int>(random() % (2 * spread + 1)) - spread);
  const float number = random() % 2 == 0 ? x : -x;
  return half ? Half::widen(Half::narrow(number)) : number;
}

template <Element element, unsigned depth, bool half_sum>
void compare(unsigned architecture, int spread, std::size_t& narrow_tiles) {
  using Raw = typename Elements<element>::Raw;
  std::mt19937_64 random(test_seed() + static_cast<unsigned>(spread));
  const SumRule rule = sum_rule(architecture, element);
  for (unsigned round = 0; round < 200; ++round) {
    Raw rows[16][depth], columns[tile_columns][depth];
    for (auto& row : rows)
      for (Raw& x : row) x = static_cast<Raw>(draw<element>(random, spread));
    for (auto& column : columns)
      for (Raw& x : column) x = static_cast<Raw>(draw<element>(random, spread));
    std::uint8_t a_bytes[16][sizeof rows[0]], b_bytes[tile_columns][sizeof columns[0]];
    std::memcpy(a_bytes, rows, sizeof rows);
    std::memcpy(b_bytes, columns, sizeof columns);
    TileC c;
    for (auto& column : c.value)
      for (float& x : column) x = accumulator(random, std::min(2 * spread, half_sum ? 12 : 120), half_sum);
    const bool negated = random() % 2 == 0;

    TileA<depth> any_a;
    TileB<depth> any_b;
    fill_a<element>(a_bytes, negated, any_a);
    fill_b<element>(b_bytes, any_b);
    TileC wanted = c;
    multiply_tiles<depth>(any_a, any_b, wanted, rule, half_sum);

    TurnedA<element, depth> turned;
    for (unsigned m = 0; m < 16; ++m)
      for (unsigned i = 0; i < turned.words; ++i) std::memcpy(&turned.word[i][m], &a_bytes[m][4 * i], 4);
    NarrowA<depth> a;
    NarrowB<depth> b;
    fill_narrow_a(turned, negated, a);
    fill_narrow_b<element>(b_bytes, b);
    TileC result = c;
    if (!multiply_narrow<depth, half_sum>(a, b, result, rule)) {
      ASSERT_EQ(std::memcmp(&result, &c, sizeof c), 0) << "sums were changed and given up";
      continue;
    }
    ++narrow_tiles;
    for (unsigned n = 0; n < tile_columns; ++n)
      for (unsigned m = 0; m < 16; ++m)
        ASSERT_EQ(bits_as<std::uint32_t>(result.value[n][m]), bits_as<std::uint32_t>(wanted.value[n][m]))
            << "row " << m << " column " << n << " round " << round << " spread " << spread;
  }
}

template <Element element, unsigned depth, bool half_sum = false>
void compare_spreads(unsigned architecture) {
  std::size_t narrow_tiles = 0;
  for (const int spread : {1, 4, 8, 14, 30, 49, 60, 120})
    compare<element, depth, half_sum>(architecture, spread, narrow_tiles);
  EXPECT_GT(narrow_tiles, 100u);
}

TEST(Tensor, OrdinaryHalves) {
  for (const unsigned architecture : {75u, 80u, 90u}) {
    compare_spreads<Element::half, 8>(architecture);
    compare_spreads<Element::half, 16>(architecture);
  }
  compare_spreads<Element::half, 16, true>(90);
  compare_spreads<Element::half, 8, true>(80);
}
TEST(Tensor, OrdinaryBrainFloats) {
  for (const unsigned architecture : {80u, 90u}) {
    compare_spreads<Element::brain, 8>(architecture);
    compare_spreads<Element::brain, 16>(architecture);
  }
}
TEST(Tensor, OrdinaryTensorFloats) {
  for (const unsigned architecture : {80u, 90u}) {
    compare_spreads<Element::tensor32, 4>(architecture);
    compare_spreads<Element::tensor32, 8>(architecture);
  }
}
TEST(Tensor, OrdinaryEightBits) {
  compare_spreads<Element::e4m3, 32>(90);
  compare_spreads<Element::e5m2, 32>(90);
  compare_spreads<Element::e5m2, 32, true>(90);
}

TEST(Tensor, WhatIsNotOrdinaryIsLeft) {
  NarrowA<8> a;
  TurnedA<Element::brain, 8> turned{};
  fill_narrow_a(turned, false, a);
  EXPECT_TRUE(a.fits);  // zeros
  for (const std::uint32_t raw : {0x7f80u, 0x7fc0u, 0xff80u, 0x0001u, 0x7f00u}) {
    turned.word[3][5] = raw << 16;
    fill_narrow_a(turned, false, a);
    EXPECT_FALSE(a.fits) << std::hex << raw;
  }
}

}  // namespace
}  // namespace lanebank::machine::numerics
