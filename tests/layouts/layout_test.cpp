// Every layout against its formula, written plainly, and against what it states about itself.
#include "lanebank/layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <typeinfo>

#include "lanebank/layout_proofs.hpp"
#include "layouts_under_test.hpp"

namespace lanebank {
namespace {

template <class L, class Formula>
void expect_formula(std::uint32_t bytes, Formula formula) {
  EXPECT_EQ(L::bytes, bytes) << typeid(L).name();
  for (std::uint32_t r = 0; r < L::rows; ++r)
    for (std::uint32_t c = 0; c < L::columns; ++c)
      ASSERT_EQ(L::offset(r, c), formula(r, c)) << typeid(L).name() << r << ' ' << c;
}

TEST(Layout, RowMajorAndPadded) {
  expect_formula<RowMajor<float, 32, 32>>(4096, [](auto r, auto c) { return (r * 32 + c) * 4; });
  expect_formula<RowMajor<double, 16, 12, 13>>(16 * 13 * 8, [](auto r, auto c) { return (r * 13 + c) * 8; });
  expect_formula<Padded<float, 32, 32, 1>>(32 * 33 * 4, [](auto r, auto c) { return (r * 33 + c) * 4; });
  expect_formula<Padded<Half, 64, 64, 8>>(64 * 72 * 2, [](auto r, auto c) { return (r * 72 + c) * 2; });
}

TEST(Layout, DiagonalRotatesEachRowByStepUnitsMore) {
  expect_formula<Diagonal<float, 32, 32>>(4096, [](auto r, auto c) { return r * 128 + (c + r) % 32 * 4; });
  expect_formula<Diagonal<float, 16, 24, 3>>(16 * 96, [](auto r, auto c) { return r * 96 + (c + 3 * r) % 24 * 4; });
  expect_formula<Diagonal<Half, 64, 64, 1, 8>>(
      8192, [](auto r, auto c) { return r * 128 + ((c / 8 + r) % 8 * 8 + c % 8) * 2; });
  expect_formula<Diagonal<float, 8, 20, 2, 4, 24>>(
      8 * 96, [](auto r, auto c) { return r * 96 + ((c / 4 + 2 * r) % 5 * 4 + c % 4) * 4; });
}

TEST(Layout, XorMovesUnitsInsideTheRow) {
  expect_formula<Xor<float, 32, 32>>(4096, [](auto r, auto c) { return r * 128 + (c ^ r) * 4; });
  expect_formula<Xor<float, 64, 32>>(8192, [](auto r, auto c) { return r * 128 + (c ^ r % 32) * 4; });
  expect_formula<Xor<float, 24, 48>>(24 * 192, [](auto r, auto c) { return r * 192 + (c ^ r % 16) * 4; });
  expect_formula<Xor<Half, 64, 64, 8>>(8192,
                                       [](auto r, auto c) { return r * 128 + ((c / 8 ^ r % 8) * 8 + c % 8) * 2; });
  expect_formula<Xor<Half, 64, 64, 8, 2, 1>>(
      8192, [](auto r, auto c) { return r * 128 + ((c / 8 ^ r / 2 % 4) * 8 + c % 8) * 2; });
  expect_formula<Xor<Half, 64, 64, 8, 2, 0, 1>>(
      8192, [](auto r, auto c) { return r * 128 + ((c / 8 ^ r % 4 * 2) * 8 + c % 8) * 2; });
  expect_formula<Xor<Half, 32, 32, 8, 2, 1, 0, 40>>(
      32 * 80, [](auto r, auto c) { return r * 80 + ((c / 8 ^ r / 2 % 4) * 8 + c % 8) * 2; });
  expect_formula<Xor<float, 32, 32, 1, 3, 4, 1>>(4096,
                                                 [](auto r, auto c) { return r * 128 + (c ^ r / 16 % 8 * 2) * 4; });
}

TEST(Layout, SwizzledAppliesItsMapsOneAfterTheOther) {
  expect_formula<Swizzled<RowMajor<Half, 64, 64>, Swizzle<3, 4, 3>>>(
      8192, [](auto r, auto c) { return r * 128 + ((c / 8 ^ r % 8) * 8 + c % 8) * 2; });
  expect_formula<Swizzled<RowMajor<Half, 16, 16>, SwizzleSbm<Half, 3, 1, 3>, SwizzleSbm<Half, 2, 2, 2>>>(
      512, [](auto r, auto c) {
        std::uint32_t i = r * 16 + c;
        i ^= i >> 3 & 8;
        i ^= i >> 2 & 12;
        return i * 2;
      });
  expect_formula<Swizzled<RowMajor<float, 64, 32>, SwizzleXor<Swizzle<1, 4, 5>, Swizzle<2, 5, 2>>>>(
      8192, [](auto r, auto c) {
        const std::uint32_t x = r * 128 + c * 4;
        return x ^ (x >> 5 & 0x10) ^ (x >> 2 & 0x60);
      });
  expect_formula<Swizzled<Padded<float, 32, 32, 4>, Swizzle<2, 4, 3>>>(32 * 144, [](auto r, auto c) {
    const std::uint32_t x = r * 144 + c * 4;
    return x ^ (x >> 3 & 0x30);
  });
}

TEST(Layout, AnyPitchIsTheSwizzleOfTheNotes) {
  // fp16 widths 80, 96, 112, 128, 192 in units of 16 bytes.
  auto is = [](auto map, int bits, int base, int shift) {
    return map.bits == bits && map.base == base && (bits == 0 || map.shift == shift);
  };
  EXPECT_TRUE(is(AnyPitch<Half, 64, 80, 16>::Map{}, 1, 4, 3));
  EXPECT_TRUE(is(AnyPitch<Half, 64, 96, 16>::Map{}, 2, 4, 3));
  EXPECT_TRUE(is(AnyPitch<Half, 64, 112, 16>::Map{}, 1, 4, 3));
  EXPECT_TRUE(is(AnyPitch<Half, 64, 128, 16>::Map{}, 3, 4, 4));
  EXPECT_TRUE(is(AnyPitch<Half, 64, 192, 16>::Map{}, 3, 4, 3));
  EXPECT_TRUE(is(AnyPitch<float, 32, 31>::Map{}, 0, 2, 5)) << "an odd pitch needs nothing";
  expect_formula<AnyPitch<float, 32, 20>>(32 * 80, [](auto r, auto c) {
    const std::uint32_t x = r * 80 + c * 4;
    return x ^ (x >> 5 & 0xc);
  });
}

TEST(Layout, LinearIsItsMatrixOnTheDenseOffset) {
  using L = Linear<float, 8, 8, 1, 2, 4 | 32 | 128, 8 | 64, 16 | 128, 32, 64, 128>;
  const F2Matrix matrix{8, {1, 2, 4 | 32 | 128, 8 | 64, 16 | 128, 32, 64, 128}};
  expect_formula<L>(256, [&](auto r, auto c) { return matrix.apply(r * 32 + c * 4); });
}

TEST(Layout, HardwareTilesArePanelsWithTheModesSwizzle) {
  expect_formula<HardwareTile<Half, 64, 64, 128>>(
      8192, [](auto r, auto c) { return r * 128 + ((c / 8 ^ r % 8) * 8 + c % 8) * 2; });
  expect_formula<HardwareTile<Half, 64, 32, 64>>(
      4096, [](auto r, auto c) { return r * 64 + ((c / 8 ^ r / 2 % 4) * 8 + c % 8) * 2; });
  expect_formula<HardwareTile<Half, 16, 128, 32>>(
      4096, [](auto r, auto c) { return c / 16 * 512 + r * 32 + ((c % 16 / 8 ^ r / 4 % 2) * 8 + c % 8) * 2; });
}

TEST(Layout, ShiftedBeforeASwizzleIsAnAddressAndAfterOneAnOffset) {
  using Absolute = Swizzled<Shifted<RowMajor<Half, 8, 64>, 128>, Swizzle<3, 4, 3>>;
  using Offset = Shifted<Swizzled<RowMajor<Half, 8, 64>, Swizzle<3, 4, 3>>, 128>;
  expect_formula<Offset>(1152, [](auto r, auto c) { return 128 + r * 128 + ((c / 8 ^ r) * 8 + c % 8) * 2; });
  expect_formula<Absolute>(1152,
                           [](auto r, auto c) { return 128 + r * 128 + ((c / 8 ^ (r + 1) % 8) * 8 + c % 8) * 2; });
}

TEST(Layout, AbsoluteMapsDemandABaseWhereAddressesAndOffsetsAgree) {
  using Offset = Swizzled<RowMajor<Half, 64, 64>, Swizzle<2, 5, 4>>;
  using Address = Swizzled<RowMajor<Half, 64, 64>, Absolute<Swizzle<2, 5, 4>>>;
  EXPECT_EQ(Offset::base_alignment, 16u);
  EXPECT_EQ(Address::base_alignment, 2048u) << "2^(5 + 4 + 2)";
  EXPECT_TRUE((holds::same_layout<Offset, Address>));
}

/// All that a layout states about itself, by enumeration with a set.
template <class L>
void expect_promises(L) {
  const char* name = typeid(L).name();
  std::set<std::uint32_t> offsets;
  std::uint32_t end = 0;
  for (std::uint32_t r = 0; r < L::rows; ++r)
    for (std::uint32_t c = 0; c < L::columns; ++c) {
      offsets.insert(L::offset(r, c));
      end = std::max(end, L::offset(r, c) + L::element_bytes);
      EXPECT_EQ(L::offset(r, c) % L::element_bytes, 0u) << name;
    }
  EXPECT_EQ(offsets.size(), std::size_t{L::rows} * L::columns) << name;
  EXPECT_TRUE(holds::is_bijective<L>) << name;
  EXPECT_LE(end, L::bytes) << name;
  EXPECT_TRUE(holds::in_bounds<L>) << name;
  EXPECT_GE(L::base_alignment, 16u) << name;
  auto whole = [](std::uint32_t bytes) {
    const std::uint32_t n = bytes / L::element_bytes;
    for (std::uint32_t r = 0; r < L::rows; ++r)
      for (std::uint32_t c = 0; c < L::columns; ++c)
        if (L::offset(r, c / n * n) % bytes != 0 ||
            L::offset(r, c) != L::offset(r, c / n * n) + c % n * L::element_bytes)
          return false;
    return true;
  };
  if constexpr (L::element_bytes == 2) {
    EXPECT_EQ((holds::aligned_for<L, 4>), whole(4)) << name;
    EXPECT_EQ((holds::aligned_for<L, 8>), whole(8)) << name;
  }
  if constexpr (L::element_bytes <= 16 && 16 % L::element_bytes == 0) {
    EXPECT_EQ((holds::aligned_for<L, 16>), whole(16)) << name;
    if (L::contiguous_bytes >= L::element_bytes) {
      EXPECT_TRUE(whole(L::contiguous_bytes)) << name;
    }
  }
}

TEST(Layout, StatementsOfEveryLayoutAboutItselfHold) {
  for_each_layout(LayoutsUnderTest{}, [](auto layout) { expect_promises(layout); });
}

TEST(Layout, BrokenOnesAreRecognised) {
  struct Overlapping : RowMajor<float, 4, 4> {
    static constexpr std::uint32_t offset(std::uint32_t row, std::uint32_t column) { return row / 2 * 32 + column * 4; }
  };
  struct Crooked : RowMajor<float, 4, 4> {
    static constexpr std::uint32_t offset(std::uint32_t row, std::uint32_t column) { return row * 15 + column * 4; }
  };
  struct Long : RowMajor<float, 4, 4> {
    static constexpr std::uint32_t offset(std::uint32_t row, std::uint32_t column) { return row * 20 + column * 4; }
  };
  EXPECT_FALSE(holds::is_bijective<Overlapping>);
  EXPECT_TRUE(holds::in_bounds<Overlapping>);
  EXPECT_FALSE(holds::is_bijective<Crooked>) << "elements not at multiples of their size";
  EXPECT_FALSE(holds::in_bounds<Long>);
  EXPECT_TRUE(holds::is_bijective<Long>);
  EXPECT_FALSE((holds::same_layout<Long, RowMajor<float, 4, 4>>));
  EXPECT_TRUE((holds::same_layout<Xor<Half, 64, 64, 8>, HardwareTile<Half, 64, 64, 128>>));
}

}  // namespace
}  // namespace lanebank
