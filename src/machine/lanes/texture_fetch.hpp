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
  Reader(const TextureObject& object, TextureShape shape) : Reader(object.image, object.sampler, shape) {}
  Reader(const Image& image, const Sampler& sampler, TextureShape shape)
      : image_(image), sampler_(sampler), shape_(shape), is_volume_(shape == TextureShape::volume) {}

  /// Whether a coordinate means something: a one-dimensional image has one row, whatever is asked for.
  bool has(unsigned dimension) const { return dimension < image_.dimensions && (dimension < 2 || is_volume_); }
  bool has_border(unsigned dimension) const { return sampler_.modes[dimension] == numerics::AddressMode::border; }
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
      for (unsigned i = 0; i < 32; ++i) {
        const double asked = at[n][i];
        const double number = asked == asked ? asked : 0;
        x[n][i] = number < -far ? -far : number > far ? far : number;
      }
      if (!sampler_.normalised_coordinates) continue;
      const numerics::AddressMode mode = sampler_.modes[n];
      for (unsigned i = 0; i < 32; ++i) x[n][i] = numerics::normalised_place(mode, x[n][i], extent(n));
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

  /// Whether a filter adds integers.
  bool adds_integers() const { return image_.format.kind != numerics::TexelFormat::Kind::real; }
  float filter_number(std::int32_t sum) const { return numerics::filter_number(image_.format, sum); }

  /// A component of floating-point elements, subnormal ones as zero.
  LANEBANK_INLINE void numbers(const Elements& e, unsigned component, float (&result)[32]) const {
    alignas(64) LaneWords bits;
    load(e, component, bits);
    const bool is_half = component < image_.format.components && image_.format.component_bits == 16;
    const float beyond = sampler_.border[component];
    for (unsigned i = 0; i < 32; ++i) {
      const float inside = is_half ? numerics::Half::widen(bits[i]) : std::bit_cast<float>(bits[i]);
      const float number = e.outside[i] != 0 ? beyond : inside;
      result[i] = std::fabs(number) < 0x1p-126f ? 0.0f : number;
    }
  }
  /// A component of normalised integers, as a filter adds it.
  LANEBANK_INLINE void integers(const Elements& e, unsigned component, std::int32_t (&result)[32]) const {
    alignas(64) LaneWords bits;
    load(e, component, bits);
    const bool exists = component < image_.format.components;
    const auto beyond = static_cast<std::int32_t>(
        std::floor(double{sampler_.border[component]} * numerics::filter_unit(image_.format) + 0.5));
    for (unsigned i = 0; i < 32; ++i)
      result[i] = e.outside[i] != 0 ? beyond : exists ? numerics::filter_integer(image_.format, bits[i]) : 0;
  }

  /// What a linear filter mixes in dimension n, of x - 1/2: the weight of the next element in 1/256. Where a clamped
  /// coordinate is beyond the middle of the last element, x becomes that middle.
  LANEBANK_INLINE void middle(unsigned n, double (&x)[32], std::int32_t (&of_next)[32]) const {
    if (!has(n)) {
      // A line is a plane's row, read at y = 0: 1/2 of it lies above.
      const bool is_above = n == 1 && sampler_.modes[1] == numerics::AddressMode::border;
      std::fill(std::begin(x), std::end(x), is_above ? -1.0 : 0.0);
      std::fill(std::begin(of_next), std::end(of_next), is_above ? 128 : 0);
      return;
    }
    const bool clamps = sampler_.modes[n] == numerics::AddressMode::clamp;
    const double last = extent(n) - 1;
    for (unsigned i = 0; i < 32; ++i) {
      const double place = x[i] - 0.5, clamped = place < 0 ? 0 : place > last ? last : place;
      const double used = clamps ? clamped : place, whole = std::floor(used);
      const std::int32_t weight = numerics::filter_weight(used - whole);
      x[i] = weight == 256 ? whole + 1 : whole;
      of_next[i] = weight == 256 ? 0 : weight;
    }
  }

  /// As address, for a filter: above and below the one row of a line lies nothing.
  LANEBANK_INLINE void address_filtered(unsigned n, const double (&x)[32], unsigned step, Elements& e) const {
    if (has(n) || n > 1) return address(n, x, step, e);
    std::fill(std::begin(e.at[n]), std::end(e.at[n]), 0);
    for (unsigned i = 0; i < 32; ++i) e.outside[i] |= x[i] + step < 0 ? ~0u : 0u;
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

/// The sum of the floating-point elements of a slice; see numerics/texture.hpp.
LANEBANK_INLINE void add_slice(const float (&texel)[4][32], const std::int32_t (&weight)[4][32], double (&sum)[32]) {
  for (unsigned i = 0; i < 32; ++i) {
    std::uint32_t largest = 0;
    bool is_finite = true;
    for (unsigned n = 0; n < 4; ++n) {
      const std::uint32_t size = weight[n][i] == 0 ? 0 : std::bit_cast<std::uint32_t>(texel[n][i]) & 0x7fffffffu;
      largest = size > largest ? size : largest;
      is_finite &= size < 0x7f800000u;
    }
    const std::uint64_t exponent = largest >> 23;  // elements are below 2^(exponent - 126)
    const double scale = std::bit_cast<double>((1023 + 154 - exponent) << 52);
    const double unit = std::bit_cast<double>((1023 - 154 + exponent - 8) << 52);
    double parts = 0, special = 0;
    for (unsigned n = 0; n < 4; ++n) {
      const double number = weight[n][i] == 0 ? 0.0 : double{texel[n][i]};
      parts += std::trunc((is_finite ? number : 0.0) * scale) * weight[n][i];
      special += weight[n][i] == 0 ? 0.0 : number * weight[n][i];  // infinities and what is no number
    }
    sum[i] += is_finite ? parts * unit : special;
  }
}

/// Adds the elements that a filter mixes to the sums, in 1/256. `level`: what the image counts, 256 where it is the only one.
inline void add_filtered(const Reader& reader, double (&x)[3][32], Elements& e, unsigned components,
                         const std::int32_t (&level)[32], bool is_linear, double (&sums)[4][32]) {
  alignas(64) std::int32_t of_next[3][32] = {};
  bool next_counts[3] = {};  // in middles of elements it does not, in any lane
  for (unsigned n = 0; n < 3; ++n) {
    if (is_linear) reader.middle(n, x[n], of_next[n]);
    if (!is_linear && !reader.has(n)) std::fill(std::begin(x[n]), std::end(x[n]), 0.0);
    for (unsigned i = 0; i < 32; ++i) next_counts[n] |= of_next[n][i] != 0;
  }
  for (unsigned slice = 0; slice < (next_counts[2] ? 2u : 1u); ++slice) {
    alignas(64) std::int32_t weight[4][32];
    for (unsigned i = 0; i < 32; ++i) {
      const std::int32_t next = numerics::part_of_weight(level[i], of_next[2][i]);
      const std::int32_t share = slice == 0 ? level[i] - next : next;
      const numerics::FilterWeights weights = numerics::filter_weights(share, of_next[0][i], of_next[1][i]);
      for (unsigned n = 0; n < 4; ++n) weight[n][i] = weights.of[n];
    }
    alignas(64) float numbers[4][4][32] = {};
    alignas(64) std::int32_t integers[32];
    for (unsigned corner = 0; corner < 4; ++corner) {
      const unsigned right = corner & 1, below = corner >> 1;
      if ((right && !next_counts[0]) || (below && !next_counts[1])) continue;
      clear(e);
      reader.address_filtered(0, x[0], right, e);
      reader.address_filtered(1, x[1], below, e);
      reader.address(2, x[2], slice, e);
      for (unsigned c = 0; c < 4; ++c) {
        if ((components >> c & 1) == 0) continue;
        if (!reader.adds_integers()) {
          reader.numbers(e, c, numbers[c][corner]);
          continue;
        }
        reader.integers(e, c, integers);
        for (unsigned i = 0; i < 32; ++i) sums[c][i] += static_cast<double>(integers[i] * weight[corner][i]);
      }
    }
    for (unsigned c = 0; c < 4 && !reader.adds_integers(); ++c)
      if ((components >> c & 1) != 0) add_slice(numbers[c], weight, sums[c]);
  }
}

/// What a filter gives for its sums.
inline void filter_results(const Reader& reader, const double (&sums)[4][32], Texels& result) {
  for (unsigned c = 0; c < 4; ++c) {
    for (unsigned i = 0; i < 32; ++i) {
      const float number = reader.adds_integers() ? reader.filter_number(static_cast<std::int32_t>(sums[c][i]))
                                                  : numerics::filter_result(sums[c][i]);
      result.component[c][i] = std::bit_cast<std::uint32_t>(number);
    }
  }
}

inline void sample_linear(const Reader& reader, double (&x)[3][32], Elements& e, unsigned components, Texels& result) {
  alignas(64) std::int32_t level[32];
  std::fill(std::begin(level), std::end(level), 256);
  alignas(64) double sums[4][32] = {};
  add_filtered(reader, x, e, components, level, true, sums);
  filter_results(reader, sums, result);
}

/// tex2Dgather: a component of the four elements that a linear filter would mix, of (i, j+1), (i+1, j+1), (i+1, j), (i, j).
inline void gather_four(const Reader& reader, double (&x)[3][32], Elements& e, unsigned component, Texels& result) {
  constexpr unsigned steps[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
  for (auto& row : {0u, 1u})
    for (unsigned i = 0; i < 32; ++i) {
      const double place = x[row][i] - 0.5, whole = std::floor(place);
      x[row][i] = numerics::filter_weight(place - whole) == 256 ? whole + 1 : whole;
    }
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
