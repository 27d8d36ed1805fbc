// The two ways to multiply matrices give the same bits: that of ordinary operands, whole columns at a time, at every SIMD
// level, and that of any.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "../random_seed.hpp"
#include "machine/numerics/tensor_narrow.hpp"
#include "one_instruction.hpp"
#include "tensor_levels.hpp"

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

struct TensorLevel {
  const char* name;
  int needs;
  bool (*multiply)(test::TensorCase&);
};
constexpr TensorLevel tensor_levels[] = {
#define LANEBANK_LEVEL(name, level) {#name, level, &name::multiply_ordinary},
    LANEBANK_SIMD_LEVELS(LANEBANK_LEVEL)
#undef LANEBANK_LEVEL
};

template <Element element, unsigned depth, bool half_sum>
void compare(const TensorLevel& level, unsigned architecture, int spread, std::size_t& narrow_tiles) {
  using Raw = typename Elements<element>::Raw;
  std::mt19937_64 random(test_seed() + static_cast<unsigned>(spread));
  for (unsigned round = 0; round < 200; ++round) {
    test::TensorCase x;
    x.element = static_cast<unsigned>(element);
    x.depth = depth;
    x.half_sum = half_sum;
    x.architecture = architecture;
    x.negated = random() % 2 == 0;
    const auto fill = [&](auto& rows) {
      for (auto& row : rows)
        for (unsigned k = 0; k < depth; ++k) {
          const Raw raw = static_cast<Raw>(draw<element>(random, spread));
          std::memcpy(row + k * sizeof raw, &raw, sizeof raw);
        }
    };
    fill(x.a);
    fill(x.b);
    TileC wanted;
    for (auto& column : wanted.value)
      for (float& sum : column) sum = accumulator(random, std::min(2 * spread, half_sum ? 12 : 120), half_sum);
    // The largest numbers of one sign: sums that fit no word.
    if (round % 50 == 0 && spread == 1) {
      const auto raw = static_cast<Raw>(element == Element::half ? 0x3fff : element == Element::brain ? 0x3fff : 0x3f);
      for (auto* rows : {x.a, x.b})
        for (unsigned r = 0; r < (rows == x.a ? 16 : 8); ++r)
          for (unsigned k = 0; k < depth; ++k) std::memcpy(rows[r] + k * sizeof raw, &raw, sizeof raw);
    }
    std::memcpy(x.c, wanted.value, sizeof x.c);
    const TileC before = wanted;

    TileA<depth> a;
    TileB<depth> b;
    fill_a<element>(x.a, x.negated, a);
    fill_b<element>(x.b, b);
    multiply_tiles<depth>(a, b, wanted, sum_rule(architecture, element), half_sum);

    ASSERT_TRUE(level.multiply(x));
    if (!x.narrow) {
      ASSERT_EQ(std::memcmp(x.c, before.value, sizeof x.c), 0) << "sums were changed and given up";
      continue;
    }
    ++narrow_tiles;
    for (unsigned n = 0; n < tile_columns; ++n)
      for (unsigned m = 0; m < 16; ++m)
        ASSERT_EQ(bits_as<std::uint32_t>(x.c[n][m]), bits_as<std::uint32_t>(wanted.value[n][m]))
            << level.name << " row " << m << " column " << n << " round " << round << " spread " << spread;
  }
}

template <Element element, unsigned depth, bool half_sum = false>
void compare_spreads(unsigned architecture) {
  for (const TensorLevel& level : tensor_levels) {
    if (!test::processor_has(level.needs)) continue;
    std::size_t narrow_tiles = 0;
    for (const int spread : {1, 4, 8, 14, 30, 41, 49, 60, 120})
      compare<element, depth, half_sum>(level, architecture, spread, narrow_tiles);
    EXPECT_GT(narrow_tiles, 100u) << level.name;
  }
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
