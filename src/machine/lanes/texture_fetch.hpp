// Reads of a texture object for the 32 lanes of a warp. All lanes are computed, whatever their coordinates: an element is
// always one of the image's, and what lies outside is put in afterwards.
#pragma once

#include <algorithm>
#include <cmath>

#include "machine/lanes/lane.hpp"
#include "machine/numerics/texture.hpp"
#include "machine/textures.hpp"

namespace lanebank::machine::LANEBANK_SIMD {
namespace {

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
constexpr bool is_cube(TextureShape shape) { return shape == TextureShape::cube || shape == TextureShape::cube_layers; }
/// Coordinates of a shape, the layer not counted.
constexpr unsigned coordinate_count(TextureShape shape) {
  return shape == TextureShape::line || shape == TextureShape::line_layers     ? 1
         : shape == TextureShape::plane || shape == TextureShape::plane_layers ? 2
                                                                               : 3;
}

using LaneWords = std::uint32_t[32];

/// Four components of every lane, as registers get them.
struct Texels {
  alignas(64) LaneWords component[4];
};

/// Elements of the image, one a lane. `outside`: all ones where the address mode says so; the element is then any.
struct Elements {
  alignas(64) std::int32_t at[3][32];  ///< x, y, and z: a slice, layer or face
  alignas(64) LaneWords outside;
};

/// An object as instructions of one shape read it.
class Reader {
 public:
  Reader(const TextureObject& object, TextureShape shape)
      : image_(object.image), sampler_(object.sampler), shape_(shape), is_volume_(shape == TextureShape::volume) {}

  /// Whether a coordinate means something: a one-dimensional image has one row, whatever is asked for.
  bool has(unsigned dimension) const { return dimension < image_.dimensions && (dimension < 2 || is_volume_); }
  std::int32_t extent(unsigned dimension) const {
    return static_cast<std::int32_t>(dimension == 0 ? image_.width : dimension == 1 ? image_.height : image_.depth);
  }

  /// Where the coordinates lie, in elements; and the slices. Fills x of the dimensions that the image has.
  LANEBANK_INLINE void place(const float (&at)[3][32], const LaneWords& layer, double (&x)[3][32], Elements& e) const {
    choose_layers(layer, e);
    if (is_cube(shape_)) {
      for (unsigned i = 0; i < 32; ++i) {
        const numerics::CubePoint point = numerics::cube_point(at[0][i], at[1][i], at[2][i]);
        x[0][i] = point.s * image_.width, x[1][i] = point.t * image_.height;
        e.at[2][i] =
            std::min(e.at[2][i] + static_cast<std::int32_t>(point.face), static_cast<std::int32_t>(image_.layers) - 1);
      }
      return;
    }
    constexpr double far = 0x1p60;
    for (unsigned n = 0; n < 3; ++n) {
      if (!has(n)) continue;
      const float scale = sampler_.normalised_coordinates ? static_cast<float>(extent(n)) : 1.0f;
      for (unsigned i = 0; i < 32; ++i) {
        const double product = at[n][i] * scale;
        const double number = product == product ? product : 0;
        x[n][i] = number < -far ? -far : number > far ? far : number;
      }
    }
  }

  /// The slices of layers that there are.
  LANEBANK_INLINE void choose_layers(const LaneWords& layer, Elements& e) const {
    const std::uint32_t faces = is_cube(shape_) ? 6 : 1, layers = std::max(1u, image_.layers / faces);
    const bool layered = has_layers(shape_);
    for (unsigned i = 0; i < 32; ++i)
      e.at[2][i] = layered ? static_cast<std::int32_t>(std::min(layer[i], layers - 1) * faces) : 0;
  }

  /// Element floor(x) + step of dimension n, by the address mode; adds to e.outside.
  LANEBANK_INLINE void address(unsigned n, const double (&x)[32], double step, Elements& e) const {
    if (!has(n)) {
      if (n < 2) std::fill(std::begin(e.at[n]), std::end(e.at[n]), 0);
      return;
    }
    const std::int32_t size = extent(n);
    const numerics::AddressMode mode = sampler_.modes[n];
    if (mode == numerics::AddressMode::wrap || mode == numerics::AddressMode::mirror) {
      bool all_inside = true;
      for (unsigned i = 0; i < 32; ++i) {
        const double whole = std::floor(x[i]) + step;
        const bool inside = whole >= 0 && whole < size;
        e.at[n][i] = static_cast<std::int32_t>(inside ? whole : -1.0);
        all_inside &= inside;
      }
      for (unsigned i = 0; i < 32 && !all_inside; ++i)
        if (e.at[n][i] < 0)
          e.at[n][i] = static_cast<std::int32_t>(
              numerics::addressed(mode, static_cast<std::int64_t>(std::floor(x[i]) + step), size));
      return;
    }
    const bool marks = mode == numerics::AddressMode::border;
    for (unsigned i = 0; i < 32; ++i) {
      const double whole = std::floor(x[i]) + step;
      const double last = size - 1;
      const double inside = whole < 0 ? 0 : whole > last ? last : whole;
      e.at[n][i] = static_cast<std::int32_t>(inside);
      e.outside[i] |= marks && inside != whole ? ~0u : 0u;
    }
  }

  /// Integer coordinates: outside of the image is outside, whatever the mode.
  LANEBANK_INLINE void address_exactly(unsigned n, const LaneWords& at, Elements& e) const {
    if (!has(n)) {
      if (n < 2) std::fill(std::begin(e.at[n]), std::end(e.at[n]), 0);
      return;
    }
    const std::int32_t last = extent(n) - 1;
    for (unsigned i = 0; i < 32; ++i) {
      const auto asked = static_cast<std::int32_t>(at[i]);
      e.at[n][i] = asked < 0 ? 0 : asked > last ? last : asked;
      e.outside[i] |= e.at[n][i] != asked ? ~0u : 0u;
    }
  }

  /// The bits of one component; zeros where the format has no such one.
  LANEBANK_INLINE void load(const Elements& e, unsigned component, LaneWords& bits) const {
    if (component >= image_.format.components) return void(std::fill(std::begin(bits), std::end(bits), 0u));
    const unsigned bytes = image_.format.component_bits / 8u, element = image_.format.bytes();
    const auto* base = reinterpret_cast<const std::uint8_t*>(image_.address) + std::size_t{bytes} * component;
    alignas(64) std::uint64_t offset[32];
    for (unsigned i = 0; i < 32; ++i)
      offset[i] = static_cast<std::uint32_t>(e.at[2][i]) * image_.slice_bytes +
                  static_cast<std::uint32_t>(e.at[1][i]) * image_.row_bytes +
                  std::uint64_t{static_cast<std::uint32_t>(e.at[0][i])} * element;
    if (bytes == 4) {
      LANEBANK_UNROLL for (unsigned i = 0; i < 32; ++i) std::memcpy(&bits[i], base + offset[i], 4);
    } else if (bytes == 2) {
      for (unsigned i = 0; i < 32; ++i) {
        std::uint16_t half;
        std::memcpy(&half, base + offset[i], 2);
        bits[i] = half;
      }
    } else {
      for (unsigned i = 0; i < 32; ++i) bits[i] = base[offset[i]];
    }
  }

  /// As registers get it, with what stands for elements outside.
  LANEBANK_INLINE void texels(const Elements& e, unsigned components, bool zeros_outside, Texels& result) const {
    for (unsigned c = 0; c < 4; ++c) {
      if ((components >> c & 1) == 0) continue;
      LaneWords& words = result.component[c];
      load(e, c, words);
      if (c < image_.format.components) convert(words);
      const std::uint32_t beyond = zeros_outside ? 0 : std::bit_cast<std::uint32_t>(sampler_.border[c]);
      for (unsigned i = 0; i < 32; ++i) words[i] = e.outside[i] != 0 ? beyond : words[i];
    }
  }

  /// Adds `weight` parts of a component, as numbers, to the sums.
  LANEBANK_INLINE void add(const Elements& e, unsigned component, const double (&weight)[32], double (&sum)[32]) const {
    alignas(64) LaneWords bits;
    load(e, component, bits);
    const double beyond = sampler_.border[component];
    const numerics::TexelFormat format = image_.format;
    const bool is_plain = format.kind == numerics::TexelFormat::Kind::real && format.component_bits == 32;
    const bool exists = component < format.components;
    for (unsigned i = 0; i < 32; ++i) {
      const double number =
          is_plain || !exists ? double{std::bit_cast<float>(bits[i])} : numerics::component_number(format, bits[i]);
      const double part = weight[i] * (e.outside[i] != 0 ? beyond : number);
      sum[i] += weight[i] == 0 ? 0 : part;  // what does not count may be infinite
    }
  }

 private:
  /// Words of memory to words of registers.
  LANEBANK_INLINE void convert(LaneWords& words) const {
    const numerics::TexelFormat format = image_.format;
    const bool is_half = format.kind == numerics::TexelFormat::Kind::real && format.component_bits == 16;
    const bool is_number = is_half || (format.kind != numerics::TexelFormat::Kind::real && sampler_.normalised_values);
    if (!is_number) {
      for (unsigned i = 0; i < 32; ++i) words[i] = numerics::component_word(format, words[i]);
      return;
    }
    for (unsigned i = 0; i < 32; ++i)
      words[i] = std::bit_cast<std::uint32_t>(static_cast<float>(numerics::component_number(format, words[i])));
  }

  const Image& image_;
  const Sampler& sampler_;
  TextureShape shape_;
  bool is_volume_;
};

LANEBANK_INLINE void clear(Elements& e) { std::fill(std::begin(e.outside), std::end(e.outside), 0u); }

inline void sample_nearest(const Reader& reader, const double (&x)[3][32], Elements& e, unsigned components,
                           Texels& result) {
  clear(e);
  for (unsigned n = 0; n < 3; ++n) reader.address(n, x[n], 0, e);
  reader.texels(e, components, false, result);
}

inline void sample_linear(const Reader& reader, double (&x)[3][32], Elements& e, unsigned components, Texels& result) {
  alignas(64) double of_next[3][32];
  bool next_counts[3] = {};  // in middles of elements it does not, in any lane
  for (unsigned n = 0; n < 3; ++n) {
    if (!reader.has(n)) continue;
    for (unsigned i = 0; i < 32; ++i) {
      x[n][i] -= 0.5;
      of_next[n][i] = numerics::filter_weight(x[n][i] - std::floor(x[n][i]));
      next_counts[n] |= of_next[n][i] != 0;
    }
  }
  alignas(64) double sums[4][32] = {};
  for (unsigned corner = 0; corner < 8; ++corner) {
    alignas(64) double weight[32];
    std::fill(std::begin(weight), std::end(weight), 1.0);
    clear(e);
    bool counts = true;
    for (unsigned n = 0; n < 3; ++n) {
      const bool next = (corner >> n & 1) != 0;
      counts = counts && (!next || next_counts[n]);
      if (!counts) break;
      reader.address(n, x[n], next ? 1 : 0, e);
      if (!reader.has(n)) continue;
      for (unsigned i = 0; i < 32; ++i) weight[i] *= next ? of_next[n][i] : 1 - of_next[n][i];
    }
    if (!counts) continue;
    for (unsigned c = 0; c < 4; ++c)
      if ((components >> c & 1) != 0) reader.add(e, c, weight, sums[c]);
  }
  for (unsigned c = 0; c < 4; ++c)
    for (unsigned i = 0; i < 32; ++i)
      result.component[c][i] = std::bit_cast<std::uint32_t>(static_cast<float>(sums[c][i]));
}

/// tex2Dgather: a component of the four elements that a linear filter would mix, of (i, j+1), (i+1, j+1), (i+1, j), (i, j).
inline void gather_four(const Reader& reader, double (&x)[3][32], Elements& e, unsigned component, Texels& result) {
  constexpr unsigned steps[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
  for (auto& row : {0u, 1u})
    for (unsigned i = 0; i < 32; ++i) x[row][i] -= 0.5;
  for (unsigned n = 0; n < 4; ++n) {
    Texels one;
    clear(e);
    reader.address(0, x[0], steps[n][0], e);
    reader.address(1, x[1], steps[n][1], e);
    reader.texels(e, 1u << component, false, one);
    std::copy(std::begin(one.component[component]), std::end(one.component[component]), result.component[n]);
  }
}

}  // namespace
}  // namespace lanebank::machine::LANEBANK_SIMD
