// Texture coordinates and formats against the words of the CUDA C++ Programming Guide. Whole kernels with textures are held
// against it by tests/cudart/hardware/textures.cu and surfaces.cu.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "machine/numerics/texture.hpp"
#include "machine/textures.hpp"

namespace lanebank::machine::numerics {
namespace {

/// "wrap: frac(x) = x - floor(x)"; "mirror: frac(x) if floor(x) is even, else 1 - frac(x)", of x = (i + 1/2) / n.
std::int64_t by_fractions(AddressMode mode, std::int64_t i, std::int64_t n) {
  const double x = (static_cast<double>(i) + 0.5) / static_cast<double>(n), whole = std::floor(x);
  const bool turned = mode == AddressMode::mirror && std::fmod(whole, 2) != 0;
  const double fraction = turned ? 1 - (x - whole) : x - whole;
  return static_cast<std::int64_t>(std::floor(fraction * static_cast<double>(n)));
}

TEST(TextureAddresses, RepeatAsTheFractionsOfNormalisedCoordinatesDo) {
  for (const AddressMode mode : {AddressMode::wrap, AddressMode::mirror})
    for (const std::int64_t n : {1, 2, 3, 5, 8, 13, 64})
      for (std::int64_t i = -4 * n; i < 4 * n; ++i) EXPECT_EQ(addressed(mode, i, n), by_fractions(mode, i, n)) << i;
}

TEST(TextureAddresses, ClampToTheEdgeOrSayThatTheyAreOutside) {
  for (const std::int64_t n : {1, 7, 100})
    for (std::int64_t i = -n - 2; i < 2 * n + 2; ++i) {
      EXPECT_EQ(addressed(AddressMode::clamp, i, n), std::min(std::max<std::int64_t>(i, 0), n - 1));
      EXPECT_EQ(addressed(AddressMode::border, i, n), i >= 0 && i < n ? i : outside_image);
    }
}

TEST(TextureFilters, WeightsAreNineBitsOfWhichEightAreAFraction) {
  for (int n = 0; n < 4096; ++n) {
    const double fraction = n / 4096.0;
    EXPECT_LE(std::fabs(filter_weight(fraction) / 256.0 - fraction), 1 / 512.0);
  }
  EXPECT_EQ(filter_weight(0), 0);
  EXPECT_EQ(filter_weight(0.5), 128);
  EXPECT_EQ(filter_weight(1 / 512.0), 1) << "halves up";
  EXPECT_EQ(filter_weight(1 - 1e-9), 256);  // "1.0 is exactly represented"
}

TEST(TextureFilters, WeightsOfFourElementsAddUp) {
  for (int slice = 0; slice <= 256; slice += 16)
    for (int a = 0; a < 256; a += 5)
      for (int b = 0; b < 256; b += 7) {
        const FilterWeights weights = filter_weights(slice, a, b);
        EXPECT_EQ(weights.of[0] + weights.of[1] + weights.of[2] + weights.of[3], slice);
        for (const std::int32_t weight : weights.of) EXPECT_TRUE(weight >= 0 && weight <= 256);
      }
}

TEST(TextureFilters, NormalisedCoordinatesAreCut) {
  EXPECT_EQ(normalised_place(AddressMode::clamp, 0.5, 100), 50);
  EXPECT_EQ(normalised_place(AddressMode::clamp, 0.5 + 0x1p-22, 100), 50);
  EXPECT_EQ(normalised_place(AddressMode::clamp, 0.5 + 0x1p-21, 0x1p21), 0x1p20 + 1);
  EXPECT_EQ(normalised_place(AddressMode::wrap, -0.25, 8), 6);
  EXPECT_EQ(normalised_place(AddressMode::mirror, 3.25, 8), 10) << "element 10 of 2 x 8 is mirrored to element 5";
  EXPECT_EQ(normalised_place(AddressMode::border, -0.25, 8), -2);
}

TEST(TextureFilters, SumsAreRoundedAwayFromZero) {
  EXPECT_EQ(filter_result(1 + 0x1p-24), 1 + 0x1p-23f);
  EXPECT_EQ(filter_result(-1 - 0x1p-24), -1 - 0x1p-23f);
  EXPECT_EQ(filter_result(1 + 0x1p-25), 1.0f);
  EXPECT_EQ(filter_result(0x1p-127), 0.0f) << "subnormal";
  EXPECT_EQ(bits_as<std::uint32_t>(filter_result(std::numeric_limits<double>::quiet_NaN())), 0x7fffffffu);
}

TEST(TextureFilters, IntegersReachOne) {
  const TexelFormat bytes{TexelFormat::Kind::unsigned_integer, 8, 1},
      signed_bytes{TexelFormat::Kind::signed_integer, 8, 1};
  EXPECT_EQ(filter_number(bytes, 256 * filter_integer(bytes, 255)), 1.0f);
  EXPECT_EQ(filter_number(signed_bytes, 256 * filter_integer(signed_bytes, 0x7f)), 1.0f);
  EXPECT_EQ(filter_number(signed_bytes, 256 * filter_integer(signed_bytes, 0x80)), -1.0f);
  EXPECT_EQ(filter_number(signed_bytes, 0), 0.0f);
}

TEST(TextureFormats, IntegersAreExtended) {
  const TexelFormat bytes{TexelFormat::Kind::signed_integer, 8, 1}, words{TexelFormat::Kind::signed_integer, 16, 1};
  const TexelFormat plain{TexelFormat::Kind::unsigned_integer, 8, 4};
  EXPECT_EQ(component_word(bytes, 0x80), 0xffffff80u);
  EXPECT_EQ(component_word(bytes, 0x7f), 0x7fu);
  EXPECT_EQ(component_word(words, 0xfffe), 0xfffffffeu);
  EXPECT_EQ(component_word(plain, 0xfe), 0xfeu);
  EXPECT_EQ(plain.bytes(), 4u);
}

TEST(TextureFormats, NormalisedIntegersReachOneAndMinusOne) {
  using Kind = TexelFormat::Kind;
  for (const unsigned bits : {8u, 16u}) {
    const auto width = static_cast<std::uint8_t>(bits);
    const std::uint32_t all = (1u << bits) - 1, half = 1u << (bits - 1);
    EXPECT_EQ(component_number({Kind::unsigned_integer, width, 1}, all), 1);
    EXPECT_EQ(component_number({Kind::unsigned_integer, width, 1}, 0), 0);
    EXPECT_EQ(component_number({Kind::unsigned_integer, width, 1}, 1), 1.0 / all);
    EXPECT_EQ(component_number({Kind::signed_integer, width, 1}, half - 1), 1);
    EXPECT_EQ(component_number({Kind::signed_integer, width, 1}, half), -1);
    EXPECT_EQ(component_number({Kind::signed_integer, width, 1}, half + 1), -1);
    EXPECT_EQ(component_number({Kind::signed_integer, width, 1}, all), -1.0 / (half - 1));
  }
}

TEST(TextureFormats, HalvesAreNumbers) {
  const TexelFormat half{TexelFormat::Kind::real, 16, 1};
  EXPECT_EQ(component_number(half, 0x3c00), 1);
  EXPECT_EQ(component_number(half, 0xc000), -2);
  EXPECT_EQ(component_number(half, 0x0001), 0x1p-24);
  EXPECT_TRUE(std::isinf(component_number(half, 0x7c00)));
}

/// The guide's table: face, m, s and t for each largest component; the point is (s/m + 1) / 2, (t/m + 1) / 2.
TEST(CubeMaps, HaveTheFacesOfTheGuidesTable) {
  for (int x = -7; x <= 7; x += 2)
    for (int y = -6; y <= 6; y += 4)
      for (int z = -5; z <= 5; z += 5) {
        const int ax = std::abs(x), ay = std::abs(y), az = std::abs(z);
        std::uint32_t face = 0;
        double m = 0, s = 0, t = 0;
        if (ax > ay && ax > az) {
          face = x > 0 ? 0 : 1, m = ax, s = x > 0 ? -z : z, t = -y;
        } else if (ay > ax && ay > az) {
          face = y > 0 ? 2 : 3, m = ay, s = x, t = y > 0 ? z : -z;
        } else if (az > ax && az > ay) {
          face = z > 0 ? 4 : 5, m = az, s = z > 0 ? x : -x, t = -y;
        } else {
          continue;
        }
        const CubePoint point = cube_point(static_cast<float>(x), static_cast<float>(y), static_cast<float>(z));
        EXPECT_EQ(point.face, face) << x << " " << y << " " << z;
        EXPECT_EQ(point.s, (s / m + 1) / 2);
        EXPECT_EQ(point.t, (t / m + 1) / 2);
      }
}

}  // namespace
}  // namespace lanebank::machine::numerics

namespace lanebank::machine {
namespace {

TEST(TextureObjects, HandlesAreFoundAgainUntilTheyAreDestroyed) {
  Textures textures;
  TextureObject texture{.kind = TextureObject::Kind::texture, .image = {}, .sampler = {}};
  TextureObject surface{.kind = TextureObject::Kind::surface, .image = {}, .sampler = {}};
  texture.image.width = 7;
  const std::uint32_t a = textures.create(texture), b = textures.create(surface);
  EXPECT_NE(a, 0u);
  EXPECT_NE(a, b);
  const auto before = textures.snapshot();
  EXPECT_EQ((*before)[a].image.width, 7u);
  EXPECT_FALSE(textures.destroy(a, TextureObject::Kind::surface));
  EXPECT_TRUE(textures.destroy(a, TextureObject::Kind::texture));
  EXPECT_FALSE(textures.destroy(a, TextureObject::Kind::texture));
  EXPECT_FALSE(textures.destroy(0, TextureObject::Kind::none));
  EXPECT_EQ((*before)[a].image.width, 7u) << "a launch that runs keeps its objects";
  EXPECT_EQ((*textures.snapshot())[a].kind, TextureObject::Kind::none);
  EXPECT_EQ(textures.create(surface), a) << "handles are used again";
}

}  // namespace
}  // namespace lanebank::machine
