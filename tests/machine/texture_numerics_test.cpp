// Texture coordinates and formats against the words of the CUDA C++ Programming Guide. Whole kernels with textures are held
// against it by tests/cudart/hardware/textures.cu and surfaces.cu.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

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
    const double fraction = n / 4096.0, weight = filter_weight(fraction);
    EXPECT_EQ(weight * 256, std::floor(weight * 256));
    EXPECT_LE(std::fabs(weight - fraction), 1 / 512.0);
  }
  EXPECT_EQ(filter_weight(0), 0);
  EXPECT_EQ(filter_weight(0.5), 0.5);
  EXPECT_EQ(filter_weight(1 - 1e-9), 1);  // "1.0 is exactly represented"
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
