// MUFU against long double: error bounds over random operands, exact special cases, at every SIMD level.
// recorded_test.cpp holds the results to those of an H200.
#include <gtest/gtest.h>

#include <cmath>

#include "lane_harness.hpp"

namespace lanebank::machine::testing {
namespace {

using Word32 = std::uint32_t;
constexpr unsigned D = 10, B = 12;
enum Function : unsigned { cosine, sine, ex2, lg2, rcp, rsq, rcp64h, rsq64h, root, hyperbolic };

float value(Word32 x) { return __builtin_bit_cast(float, x); }
Word32 bits_of(float x) { return __builtin_bit_cast(Word32, x); }
Word32 flush(Word32 x) { return (x & 0x7f800000) == 0 ? x & 0x80000000 : x; }

long double exact(unsigned function, long double x) {
  switch (function) {
    case cosine:
      return std::cos(2 * 3.14159265358979323846264338327950288L * (x - std::nearbyint(x)));
    case sine:
      return std::sin(2 * 3.14159265358979323846264338327950288L * (x - std::nearbyint(x)));
    case ex2:
      return std::exp2(x);
    case lg2:
      return std::log2(x);
    case rcp:
      return 1 / x;
    case rsq:
      return 1 / std::sqrt(x);
    case root:
      return std::sqrt(x);
    default:
      return std::tanh(x);
  }
}

Word32 one(LaneMachine& m, const Level& level, unsigned function, Word32 x) {
  for (unsigned i = 0; i < 32; ++i) m.row(B)[i] = x;
  m.run(level, Name::MUFU, Bits(0x108, 1).d(D).b(B).set(74, 78, function));
  return m.row(D)[17];
}

/// What the hardware's results keep, a little more than was measured: relative to the function, or absolute.
long double bound(unsigned function, long double x, long double wanted) {
  const long double size = std::fabs(wanted);
  switch (function) {
    case cosine:
    case sine:
      return 0x1p-20L;
    case lg2:
      return x > 0.5L && x < 2 ? 0x1p-22L : 0x1p-22L * size;
    case hyperbolic:
      return 0x1p-10L * size;
    case ex2:
      return 0x1p-21L * size;
    default:
      return 0x1p-22L * size;
  }
}

TEST(Transcendental, ResultsAreNearTheFunction) {
  for (const Level& level : levels())
    for (const unsigned function : {cosine, sine, ex2, lg2, rcp, rsq, root, hyperbolic}) {
      LaneMachine m;
      ASSERT_EQ(m.lower(level, Name::MUFU, Bits(0x108, 1).d(D).b(B).set(74, 78, function)), nullptr);
      EdgeWords words(single_edges(), 32, 40 + function);
      std::mt19937_64 random(50 + function);
      for (unsigned round = 0; round < 2000; ++round) {
        for (unsigned i = 0; i < 32; ++i)
          m.row(B)[i] = round % 2 ? static_cast<Word32>(words())
                                  : static_cast<Word32>(0x3c000000 + random() % 0x07000000 + ((random() & 1) << 31));
        ASSERT_TRUE(m.execute());
        for (unsigned i = 0; i < 32; ++i) {
          const float x = value(function == hyperbolic ? m.row(B)[i] : flush(m.row(B)[i]));
          const long double wanted = std::isinf(x) && function <= sine ? NAN : exact(function, x);
          const Word32 found = m.row(D)[i];
          if (std::isnan(wanted)) {
            ASSERT_EQ(found, 0x7fffffffu) << function << " " << x;
            continue;
          }
          if (function != hyperbolic && std::fabs(wanted) < 0x1p-126L) {
            // Flushed; the function itself may lie just below the smallest normal number.
            ASSERT_LE(found & 0x7fffffff, 0x00800000u) << function << " " << x;
            continue;
          }
          if (std::fabs(wanted) >= 0x1.fffffep127L) {
            ASSERT_GE(found & 0x7fffffff, 0x7f7fffffu) << function << " " << x;
            continue;
          }
          ASSERT_LE(std::fabs(static_cast<long double>(value(found)) - wanted), bound(function, x, wanted))
              << level.name << " function " << function << " of " << x << " gives " << value(found);
        }
      }
    }
}

TEST(Transcendental, SpecialOperandsGiveSpecialResults) {
  constexpr Word32 zero = 0, minus_zero = 0x80000000, one_ = 0x3f800000, inf = 0x7f800000, minus_inf = 0xff800000,
                   nan = 0x7fffffff, tiny = 1, minus_tiny = 0x80000001;
  struct Case {
    unsigned function;
    Word32 x, result;
  };
  const Case cases[] = {
      {rcp, zero, inf},
      {rcp, minus_zero, minus_inf},
      {rcp, inf, zero},
      {rcp, minus_inf, minus_zero},
      {rcp, 0x7fc12345, nan},
      {rcp, tiny, inf},
      {rcp, minus_tiny, minus_inf},
      {rcp, one_, one_},
      {rcp, 0x7f7fffff, zero},  // the reciprocal is subnormal
      {rsq, zero, inf},
      {rsq, minus_zero, minus_inf},
      {rsq, inf, zero},
      {rsq, minus_inf, nan},
      {rsq, 0xbf800000, nan},
      {rsq, tiny, inf},
      {root, zero, zero},
      {root, minus_zero, minus_zero},
      {root, inf, inf},
      {root, 0xbf800000, nan},
      {root, tiny, zero},
      {ex2, zero, one_},
      {ex2, minus_zero, one_},
      {ex2, inf, inf},
      {ex2, minus_inf, zero},
      {ex2, 0x43000000, inf},
      {ex2, 0xc2fc0000, 0x00800000},
      {ex2, 0xc2fd0000, zero},
      {ex2, tiny, one_},
      {lg2, zero, minus_inf},
      {lg2, minus_zero, minus_inf},
      {lg2, inf, inf},
      {lg2, one_, zero},
      {lg2, 0xbf800000, nan},
      {lg2, tiny, minus_inf},
      {lg2, 0x41000000, 0x40400000},
      {sine, zero, zero},
      {sine, minus_zero, minus_zero},
      {sine, inf, nan},
      {sine, 0x3e800000, one_},
      {sine, 0x3f000000, zero},
      {cosine, zero, one_},
      {cosine, minus_inf, nan},
      {cosine, 0x3f000000, 0xbf800000},
      {cosine, 0x4b000000, one_},
      {hyperbolic, zero, zero},
      {hyperbolic, minus_zero, minus_zero},
      {hyperbolic, inf, one_},
      {hyperbolic, minus_inf, 0xbf800000},
      {hyperbolic, nan, nan},
  };
  for (const Level& level : levels()) {
    LaneMachine m;
    for (const Case& c : cases) {
      const Word32 found = one(m, level, c.function, c.x);
      const Word32 ignored_sign = c.function <= sine && c.result == 0 && c.x != c.result ? 0x80000000 : 0;
      EXPECT_EQ(found & ~ignored_sign, c.result & ~ignored_sign)
          << c.function << std::hex << " of " << c.x << " gives " << found;
    }
  }
}

TEST(Transcendental, DoubleSeedsHaveTwentyBits) {
  std::mt19937_64 random(8);
  for (const Level& level : levels())
    for (const unsigned function : {rcp64h, rsq64h}) {
      LaneMachine m;
      ASSERT_EQ(m.lower(level, Name::MUFU, Bits(0x108, 1).d(D).b(B).set(74, 78, function)), nullptr);
      for (unsigned round = 0; round < 200; ++round) {
        for (unsigned i = 0; i < 32; ++i) m.row(B)[i] = static_cast<Word32>(0x00200000 + random() % 0x7fa00000);
        ASSERT_TRUE(m.execute());
        for (unsigned i = 0; i < 32; ++i) {
          const double x = __builtin_bit_cast(double, std::uint64_t{m.row(B)[i]} << 32),
                       y = __builtin_bit_cast(double, std::uint64_t{m.row(D)[i]} << 32);
          const double wanted = function == rcp64h ? 1 / x : 1 / std::sqrt(x);
          ASSERT_LE(std::fabs(y - wanted), std::fabs(wanted) * 0x1.1p-20) << x;
        }
      }
      EXPECT_EQ(one(m, level, function, 0), 0x7ff00000u);
      EXPECT_EQ(one(m, level, function, 0x80000000), 0xfff00000u);
      EXPECT_EQ(one(m, level, function, 0x7ff00000), 0u);
      EXPECT_EQ(one(m, level, function, 0x7ff80000), 0x7fffffffu);
      EXPECT_EQ(one(m, level, function, 0x000fffff), 0x7ff00000u);
    }
}

TEST(Transcendental, SignModifiersLiteralsAndHalvesWork) {
  for (const Level& level : levels()) {
    LaneMachine m;
    for (unsigned i = 0; i < 32; ++i) m.row(B)[i] = bits_of(-4.0f);
    m.run(level, Name::MUFU, Bits(0x108, 1).d(D).b(B).set(62).set(74, 78, root));
    EXPECT_EQ(m.row(D)[0], bits_of(2.0f));
    m.run(level, Name::MUFU, Bits(0x108, 1).d(D).b(B).set(63).set(74, 78, rsq));
    EXPECT_EQ(m.row(D)[0], bits_of(0.5f));
    m.run(level, Name::MUFU, Bits(0x108, 4).d(D).literal(0x7fffffff).set(74, 78, rsq));
    EXPECT_EQ(m.row(D)[0], 0x7fffffffu);
    for (unsigned i = 0; i < 32; ++i) m.row(B)[i] = 0x40004200;  // 2, 3
    m.run(level, Name::MUFU, Bits(0x108, 1).d(D).b(B).set(72).set(74, 78, ex2));
    EXPECT_EQ(m.row(D)[0], 0x4800u);  // 2^3 as half
    m.run(level, Name::MUFU, Bits(0x108, 1).d(D).b(B).set(72).set(60).set(74, 78, ex2));
    EXPECT_EQ(m.row(D)[0], 0x4400u);
    for (unsigned i = 0; i < 32; ++i) m.row(B)[i] = 0x40003f80;  // 2, 1 as bfloat16
    m.run(level, Name::MUFU, Bits(0x108, 1).d(D).b(B).set(73).set(60).set(74, 78, ex2));
    EXPECT_EQ(m.row(D)[0], 0x4080u);
    EXPECT_NE(m.lower(level, Name::MUFU, Bits(0x108, 1).d(D).b(B).set(74, 78, 12)), nullptr);
    EXPECT_NE(m.lower(level, Name::MUFU, Bits(0x108, 1).d(D).b(B).set(72).set(74, 78, rcp)), nullptr);
  }
}

}  // namespace
}  // namespace lanebank::machine::testing
