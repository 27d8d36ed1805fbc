// What an element of a texture holds, and what lies outside an image.
#pragma once

#include <cstdint>

namespace lanebank::machine::numerics {

/// Numbers of cudaTextureAddressMode.
enum class AddressMode : std::uint8_t { wrap = 0, clamp = 1, mirror = 2, border = 3 };

/// What an element holds: 1, 2 or 4 components of 8, 16 or 32 bits.
struct TexelFormat {
  enum class Kind : std::uint8_t { signed_integer, unsigned_integer, real };
  Kind kind = Kind::real;
  std::uint8_t component_bits = 32;
  std::uint8_t components = 1;

  constexpr unsigned bytes() const { return component_bits / 8u * components; }
  friend constexpr bool operator==(const TexelFormat&, const TexelFormat&) = default;
};

}  // namespace lanebank::machine::numerics
