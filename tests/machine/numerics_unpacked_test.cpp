// The specification of arithmetic (unpacked.hpp) against the processor's own, in all rounding modes.
#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>

#include "host_half.hpp"
#include "lane_harness.hpp"
#include "machine/numerics/unpacked.hpp"

namespace lanebank::machine::testing {
namespace {

using namespace numerics;

constexpr int modes[4] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};

/// Runs f with the processor rounding as asked. f works on volatile numbers.
template <class F>
auto rounded(Rounding mode, F f) {
  std::fesetround(modes[static_cast<int>(mode)]);
  const auto result = f();
  std::fesetround(FE_TONEAREST);
  return result;
}

template <class Float, class Bits>
Float as_float(Bits bits) {
  return __builtin_bit_cast(Float, bits);
}

template <class Format, class Float>
void compare_arithmetic(EdgeWords words, unsigned count) {
  using Stored = typename Format::Bits;
  for (unsigned i = 0; i < count; ++i) {
    const auto a = static_cast<Stored>(words()), b = static_cast<Stored>(words()), c = static_cast<Stored>(words());
    volatile Float x = as_float<Float>(a), y = as_float<Float>(b), z = as_float<Float>(c);
    for (unsigned m = 0; m < 4; ++m) {
      const auto mode = static_cast<Rounding>(m);
      const Float sum = rounded(mode, [&] {
        volatile Float r = x + y;
        return Float(r);
      });
      const Float product = rounded(mode, [&] {
        volatile Float r = x * y;
        return Float(r);
      });
      const Float fused = rounded(mode, [&] {
        volatile Float r = std::fma(Float(x), Float(y), Float(z));
        return Float(r);
      });
      const auto expect = [&](Float wanted, std::uint64_t found, const char* what) {
        if (std::isnan(wanted)) {
          ASSERT_EQ(found, Format::nan) << what << std::hex << " " << +a << " " << +b << " " << +c;
        } else {
          ASSERT_EQ(found, __builtin_bit_cast(Stored, wanted))
              << what << " mode " << m << std::hex << " " << +a << " " << +b << " " << +c;
        }
      };
      expect(sum, add_unpacked<Format>(a, b, mode), "add");
      expect(product, multiply_unpacked<Format>(a, b, mode), "multiply");
      expect(fused, multiply_add_unpacked<Format>(a, b, c, mode), "multiply-add");
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(Unpacked, SingleArithmeticEqualsTheProcessorsInAllModes) {
  compare_arithmetic<Binary32, float>(EdgeWords(single_edges(), 32, 1), 200000);
}
TEST(Unpacked, DoubleArithmeticEqualsTheProcessorsInAllModes) {
  compare_arithmetic<Binary64, double>(EdgeWords(double_edges(), 64, 2), 200000);
}

#if defined(__FLT16_MAX__)
TEST(HostHalf, IsTheCompilersWhereItHasOne) {
  for (unsigned h = 0; h < 0x10000; ++h) {
    const auto wanted = static_cast<double>(__builtin_bit_cast(_Float16, static_cast<std::uint16_t>(h)));
    if (std::isnan(wanted)) {
      ASSERT_TRUE(std::isnan(half_number(h))) << h;
    } else {
      ASSERT_EQ(__builtin_bit_cast(std::uint64_t, half_number(h)), __builtin_bit_cast(std::uint64_t, wanted)) << h;
    }
  }
  EdgeWords doubles(double_edges(), 64, 6);
  std::mt19937_64 random(7);
  for (unsigned i = 0; i < 300000; ++i) {
    const double x = as_float<double>(i % 2 ? 0x3e00000000000000u + random() % 0x0300000000000000u : doubles());
    if (!std::isnan(x)) {
      ASSERT_EQ(nearest_half(x), __builtin_bit_cast(std::uint16_t, static_cast<_Float16>(x))) << x;
    }
  }
}
#endif

TEST(Unpacked, EveryHalfSurvivesTheWayToSingleAndBack) {
  for (unsigned h = 0; h < 0x10000; ++h) {
    const auto single = static_cast<std::uint32_t>(convert_unpacked<Binary32, Binary16>(h, Rounding::nearest));
    const float wanted = static_cast<float>(half_number(h));
    if ((h & 0x7fff) > 0x7c00) {
      EXPECT_EQ(single, Binary32::nan);
      continue;
    }
    ASSERT_EQ(single, __builtin_bit_cast(std::uint32_t, wanted)) << std::hex << h;
    ASSERT_EQ((convert_unpacked<Binary16, Binary32>(single, Rounding::nearest)), h);
  }
}

TEST(Unpacked, SingleAndDoubleToHalfAreTheNearestOfAllHalves) {
  EdgeWords singles(single_edges(), 32, 3), doubles(double_edges(), 64, 4);
  std::mt19937_64 random(5);
  for (unsigned i = 0; i < 300000; ++i) {
    auto s = static_cast<std::uint32_t>(singles());
    if (i % 2) s = static_cast<std::uint32_t>(0x30000000u + random() % 0x20000000u);  // where halves lie
    const float x = as_float<float>(s);
    if (!std::isnan(x)) {
      ASSERT_EQ((convert_unpacked<Binary16, Binary32>(s, Rounding::nearest)), nearest_half(static_cast<double>(x)))
          << std::hex << s;
    }
    std::uint64_t d = doubles();
    if (i % 2) d = 0x3e00000000000000u + random() % 0x0300000000000000u;
    const double y = as_float<double>(d);
    if (!std::isnan(y)) {
      ASSERT_EQ((convert_unpacked<Binary16, Binary64>(d, Rounding::nearest)), nearest_half(y)) << std::hex << d;
    }
  }
}

TEST(Unpacked, DoubleToSingleEqualsTheProcessorsInAllModes) {
  EdgeWords words(double_edges(), 64, 6);
  std::mt19937_64 random(7);
  for (unsigned i = 0; i < 300000; ++i) {
    std::uint64_t d = words();
    if (i % 2) d = 0x3600000000000000u + random() % 0x1200000000000000u;
    volatile double y = as_float<double>(d);
    if (std::isnan(y)) continue;
    for (unsigned m = 0; m < 4; ++m) {
      const auto mode = static_cast<Rounding>(m);
      const float wanted = rounded(mode, [&] {
        volatile float r = static_cast<float>(y);
        return float(r);
      });
      ASSERT_EQ((convert_unpacked<Binary32, Binary64>(d, mode)), __builtin_bit_cast(std::uint32_t, wanted))
          << std::hex << d << " mode " << m;
    }
  }
}

TEST(Unpacked, EightBitFormatsHoldTheNumbersOfTheirDefinition) {
  // e4m3: no infinity, 448 the largest, s.1111.111 the NaN. e5m2: as half, cut to 8 bits.
  for (unsigned x = 0; x < 256; ++x) {
    const unsigned e = (x >> 3) & 15, m = x & 7;
    const double wanted = (e == 0 ? m * 0x1p-9 : std::ldexp(8 + m, static_cast<int>(e) - 10)) * (x & 0x80 ? -1 : 1);
    const auto found = as_float<double>(convert_unpacked<Binary64, E4M3>(x, Rounding::nearest));
    if ((x & 0x7f) == 0x7f) {
      EXPECT_TRUE(std::isnan(found));
    } else {
      EXPECT_EQ(found, wanted) << x;
      EXPECT_EQ((convert_unpacked<E4M3, Binary64>(__builtin_bit_cast(std::uint64_t, wanted), Rounding::nearest)), x);
    }
    EXPECT_EQ((convert_unpacked<Binary16, E5M2>(x, Rounding::nearest) | ((x & 0x7f) > 0x7c ? 0x8000 : 0)),
              (x & 0x7f) > 0x7c ? 0xfe00u : x << 8)
        << x;
  }
  EXPECT_EQ((convert_unpacked<E4M3, Binary32>(0x43e00000, Rounding::nearest)), 0x7eu);  // 448
  EXPECT_EQ((convert_unpacked<E4M3, Binary32>(0x43e80000, Rounding::nearest)), 0x7eu);  // 464, a tie: saturates
  EXPECT_EQ((convert_unpacked<E4M3, Binary32>(0x7f800000, Rounding::nearest)), 0x7eu);  // infinity saturates
  EXPECT_EQ((convert_unpacked<E5M2, Binary32>(0x47800000, Rounding::nearest)), 0x7cu);  // 65536
  EXPECT_EQ((convert_unpacked<E5M2, Binary32>(0x47800000, Rounding::nearest, true)), 0x7bu);
}

}  // namespace
}  // namespace lanebank::machine::testing
