// Reads of texture objects and places of surface elements, one lane at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "machine/textures.hpp"

namespace lanebank::machine {

/// Four components as registers get them: floating point as binary32, integers extended to 32 bits.
using Texel = std::array<std::uint32_t, 4>;

/// Field 61:64 of texture instructions.
enum class TextureShape : std::uint8_t {
  line = 0,
  plane = 1,
  volume = 2,
  cube = 3,
  line_layers = 4,
  plane_layers = 5,
  cube_layers = 7,
};
constexpr bool has_layers(TextureShape shape) { return static_cast<unsigned>(shape) >= 4; }
/// Coordinates of a shape, the layer not counted.
constexpr unsigned coordinate_count(TextureShape shape) {
  return shape == TextureShape::line || shape == TextureShape::line_layers     ? 1
         : shape == TextureShape::plane || shape == TextureShape::plane_layers ? 2
                                                                               : 3;
}

/// tex*: filtered, by the object's sampler. `at` has the shape's coordinates, zeros behind them. The layer is cut to those
/// that there are.
Texel sample_texture(const TextureObject& object, TextureShape shape, const std::array<float, 3>& at,
                     std::uint32_t layer);
/// tex1Dfetch and reads by integers: no sampler; zeros outside.
Texel fetch_texel(const TextureObject& object, TextureShape shape, const std::array<std::int32_t, 3>& at,
                  std::uint32_t layer);
/// tex2Dgather: a component of the four elements that a linear filter would mix, of (i, j+1), (i+1, j+1), (i+1, j), (i, j).
Texel gather_texels(const TextureObject& object, TextureShape shape, const std::array<float, 3>& at,
                    std::uint32_t layer, unsigned component);

/// What a surface access does outside: field 59:61.
enum class Boundary : std::uint8_t { zero = 0, clamp = 1, trap = 2 };

/// The host's address of a surface's bytes; 0 outside, unless `boundary` is clamp. `x_bytes` from the start of the row; `y`
/// a row, `z` a slice or layer.
std::uint64_t surface_place(const Image& image, std::int64_t x_bytes, std::int64_t y, std::int64_t z, unsigned bytes,
                            Boundary boundary);

}  // namespace lanebank::machine
