// Swizzles against plain formulas, their laws, and the promises that each map states about itself.
#include "lanebank/swizzle.hpp"

#include <gtest/gtest.h>

#include <random>
#include <utility>

#include "../random_seed.hpp"
#include "machine/tensor_map.hpp"

namespace lanebank {
namespace {

/// The definition, on any unit: bits M + S .. are XORed into bits M .. (S < 0: bits M .. into M - S ..).
std::uint32_t by_bits(int bits, int base, int shift, std::uint32_t x) {
  std::uint32_t y = x;
  for (int i = 0; i < bits; ++i) {
    const int source = shift >= 0 ? base + shift + i : base + i, target = shift >= 0 ? base + i : base - shift + i;
    y ^= (x >> source & 1) << target;
  }
  return y;
}

template <int Bits, int Base, int Shift>
void expect_swizzle_laws(std::mt19937_64& random) {
  using S = Swizzle<Bits, Base, Shift>;
  for (int i = 0; i < 64; ++i) {
    const auto x = static_cast<std::uint32_t>(random()), y = static_cast<std::uint32_t>(random());
    ASSERT_EQ(S::apply(x), by_bits(Bits, Base, Shift, x)) << Bits << Base << Shift;
    ASSERT_EQ(S::apply(S::apply(x)), x) << "its own inverse";
    ASSERT_EQ(S::apply(x ^ y), S::apply(x) ^ S::apply(y)) << "linear";
    ASSERT_EQ(S{}(ByteOffset{x}).value, S::apply(x));
    if constexpr (Shift >= 0) {
      // The articles' function, and the same map in two units.
      const std::uint32_t mask = (std::uint32_t{1} << Bits) - 1;
      ASSERT_EQ((swizzle_sbm<Shift, Bits, Base>(ElementIndex<char>{x}).value), ((x >> Shift) & (mask << Base)) ^ x);
    }
    if constexpr (Base >= 1) {
      using Halves = ElementSwizzle<std::uint16_t, Bits, Base - 1, Shift>;
      const ElementIndex<std::uint16_t> index{x >> 1};
      ASSERT_EQ(byte_offset(Halves{}(index)).value, S::apply(index.value * 2));
      ASSERT_TRUE((std::is_same_v<typename Halves::Bytes, S>));
    }
  }
}

template <int Bits, int Base, int... Shift>
void expect_for_shifts(std::mt19937_64& random, std::integer_sequence<int, Shift...>) {
  (expect_swizzle_laws<Bits, Base, Bits + Shift>(random), ...);
  (expect_swizzle_laws<Bits, Base, -(Bits + Shift)>(random), ...);
}

template <int Bits, int... Base>
void expect_for_bases(std::mt19937_64& random, std::integer_sequence<int, Base...>) {
  (expect_for_shifts<Bits, Base>(random, std::make_integer_sequence<int, 4>{}), ...);
}

TEST(Swizzle, FollowsItsDefinitionInEveryUnitAndIsItsOwnInverse) {
  std::mt19937_64 random(test_seed());
  expect_for_bases<0>(random, std::make_integer_sequence<int, 7>{});
  expect_for_bases<1>(random, std::make_integer_sequence<int, 7>{});
  expect_for_bases<2>(random, std::make_integer_sequence<int, 7>{});
  expect_for_bases<3>(random, std::make_integer_sequence<int, 7>{});
  expect_for_bases<5>(random, std::make_integer_sequence<int, 4>{});
}

TEST(Swizzle, ComposedOnesAddTheirBitsWhenNoneReadsWhatAnotherWrites) {
  // <1, 4, 3> and <1, 5, 3> read bits 7, 8 and write bits 4, 5: together <2, 4, 3>.
  using A = Swizzle<1, 4, 3>;
  using B = Swizzle<1, 5, 3>;
  // <1, 4, 3> then <1, 1, 3>: the second reads bit 4, which the first has changed.
  using C = Swizzle<1, 1, 3>;
  for (std::uint32_t x = 0; x < 4096; ++x) {
    ASSERT_EQ(A::apply(B::apply(x)), (Swizzle<2, 4, 3>::apply(x)));
    ASSERT_EQ(B::apply(A::apply(x)), (Swizzle<2, 4, 3>::apply(x)));
    ASSERT_EQ((SwizzleXor<A, B>::apply(x)), (Swizzle<2, 4, 3>::apply(x)));
    ASSERT_EQ((SwizzleXor<A, C>::apply(x)), x ^ (x >> 3 & 16) ^ (x >> 3 & 2)) << "terms read the original offset";
    ASSERT_EQ(C::apply(A::apply(x)), x ^ (x >> 3 & 16) ^ (x >> 3 & 2) ^ (x >> 6 & 2)) << "stages read what was written";
  }
}

/// contiguous_bytes, block_bytes and period_bytes, by enumeration, and that none of them could be stronger.
template <class Map>
void expect_promises() {
  constexpr std::uint32_t space = 1 << 14;
  auto keeps = [](std::uint32_t run) {
    for (std::uint32_t x = 0; x < space; ++x)
      if (Map::apply(x) != Map::apply(x / run * run) + x % run) return false;
    return true;
  };
  auto maps_onto_itself = [](std::uint32_t block) {
    for (std::uint32_t x = 0; x < space; ++x)
      if (Map::apply(x) / block != x / block) return false;
    return true;
  };
  auto repeats = [](std::uint32_t period) {
    for (std::uint32_t x = 0; x < space; ++x)
      if (Map::apply(x + period) != Map::apply(x) + period) return false;
    return true;
  };
  if constexpr (Map::is_identity) {
    EXPECT_TRUE(keeps(space) && maps_onto_itself(1) && repeats(1));
    EXPECT_EQ(Map::block_bytes, 1u);
    EXPECT_EQ(Map::period_bytes, 1u);
    return;
  } else {
    EXPECT_TRUE(keeps(Map::contiguous_bytes));
    EXPECT_FALSE(keeps(2 * Map::contiguous_bytes));
    EXPECT_TRUE(maps_onto_itself(Map::block_bytes));
    EXPECT_FALSE(maps_onto_itself(Map::block_bytes / 2));
    EXPECT_TRUE(repeats(Map::period_bytes));
    EXPECT_FALSE(repeats(Map::period_bytes / 2));
  }
}

TEST(Swizzle, PromisesOfEveryMapHoldAndAreTight) {
  expect_promises<Swizzle<0, 4, 3>>();
  expect_promises<Swizzle<3, 4, 3>>();
  expect_promises<Swizzle<2, 5, 4>>();
  expect_promises<Swizzle<1, 4, -3>>();
  expect_promises<ElementSwizzle<std::uint16_t, 3, 3, 3>>();
  expect_promises<ElementSwizzle<float, 0, 3, 3>>();
  expect_promises<SwizzleXor<Swizzle<1, 4, 5>, Swizzle<2, 5, 2>>>();
  expect_promises<SwizzleXor<Swizzle<1, 4, 5>, Swizzle<0, 0, 0>>>();
  expect_promises<HardwareSwizzle<32>>();
  expect_promises<HardwareSwizzle<64>>();
  expect_promises<HardwareSwizzle<128>>();
  expect_promises<F2Map<1, 2, 12, 8>>();
  expect_promises<F2Map<1, 2, 4, 8>>();
  expect_promises<F2Map<1, 2, 4, 8, 0x90, 0x20, 0x40, 0x80>>();
  expect_promises<F2Map<1, 6, 4, 8, 16>>();
}

TEST(Swizzle, ArticlesExamplesOnHalvesOfA16x16Tile) {
  // <3, 1, 3>: bit 6 into bit 3; <2, 2, 2>: bits 4, 5 into bits 2, 3. Element indices.
  for (std::uint32_t i = 0; i < 256; ++i) {
    const ElementIndex<std::uint16_t> index{i};
    EXPECT_EQ((swizzle_sbm<3, 1, 3>(index).value), i ^ (i >> 6 & 1) << 3);
    EXPECT_EQ((swizzle_sbm<2, 2, 2>(index).value), i ^ (i >> 4 & 3) << 2);
    EXPECT_EQ((SwizzleSbm<std::uint16_t, 3, 1, 3>{}(index).value), i ^ (i >> 6 & 1) << 3);
  }
  EXPECT_EQ((SwizzleSbm<std::uint16_t, 3, 1, 3>::contiguous_bytes), 16u);
  EXPECT_EQ((SwizzleSbm<std::uint16_t, 2, 2, 2>::contiguous_bytes), 8u) << "breaks 16-byte vectors";
}

TEST(HardwareSwizzle, OfOffsetsIsThatOfAddressesExactlyFromAlignedBases) {
  auto agrees = [](auto map, std::uint32_t base) {
    for (std::uint32_t offset = 0; offset < 4096; ++offset)
      if (map.apply(base + offset) != base + map.apply(offset)) return false;
    return true;
  };
  auto expect_mode = [&](auto map, std::uint32_t alignment) {
    EXPECT_EQ(decltype(map)::base_alignment, alignment);
    for (std::uint32_t base = 0; base < 4096; base += 16) EXPECT_EQ(agrees(map, base), base % alignment == 0) << base;
  };
  expect_mode(HardwareSwizzle<32>{}, 256);
  expect_mode(HardwareSwizzle<64>{}, 512);
  expect_mode(HardwareSwizzle<128>{}, 1024);
}

TEST(HardwareSwizzle, IsWhatTheMachinesCopyEngineDoesToAddresses) {
  for (std::uint32_t address = 0; address < 8192; ++address) {
    ASSERT_EQ(HardwareSwizzle<32>::apply(address), machine::tensor_swizzle(address, 1));
    ASSERT_EQ(HardwareSwizzle<64>::apply(address), machine::tensor_swizzle(address, 2));
    ASSERT_EQ(HardwareSwizzle<128>::apply(address), machine::tensor_swizzle(address, 3));
  }
}

}  // namespace
}  // namespace lanebank
