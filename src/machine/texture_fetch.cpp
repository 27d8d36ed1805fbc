#include "machine/texture_fetch.hpp"

#include <algorithm>
#include <cstring>

namespace lanebank::machine {
namespace {

namespace nm = numerics;

struct Place {
  std::int64_t x, y, z;  ///< an element, nm::outside_image where the address mode says so
};

/// The bits of an element's components; of what it does not have, zeros.
Texel raw_texel(const Image& image, std::int64_t x, std::int64_t y, std::int64_t slice) {
  Texel texel{};
  const unsigned bytes = image.format.component_bits / 8u;
  const auto* from = reinterpret_cast<const std::byte*>(image.address) +
                     static_cast<std::uint64_t>(slice) * image.slice_bytes +
                     static_cast<std::uint64_t>(y) * image.row_bytes +
                     static_cast<std::uint64_t>(x) * image.format.bytes();
  for (unsigned c = 0; c < image.format.components; ++c) std::memcpy(&texel[c], from + bytes * c, bytes);
  return texel;
}

/// An object's elements as one shape reads them.
class Reader {
 public:
  Reader(const TextureObject& object, TextureShape shape, std::uint32_t layer)
      : image_(object.image), sampler_(object.sampler), is_volume_(shape == TextureShape::volume) {
    const bool cube = shape == TextureShape::cube || shape == TextureShape::cube_layers;
    const std::uint32_t layers = std::max(1u, cube ? image_.layers / 6 : image_.layers);
    if (has_layers(shape)) slice_ = std::int64_t{std::min(layer, layers - 1)} * (cube ? 6 : 1);
  }

  void choose_face(std::uint32_t face) { slice_ = std::min<std::int64_t>(slice_ + face, image_.layers - 1); }

  std::uint32_t extent(unsigned dimension) const {
    if (dimension >= image_.dimensions || (dimension == 2 && !is_volume_)) return 1;
    return dimension == 0 ? image_.width : dimension == 1 ? image_.height : image_.depth;
  }
  bool has(unsigned dimension) const { return dimension < image_.dimensions && (dimension < 2 || is_volume_); }

  std::int64_t addressed(unsigned dimension, std::int64_t i) const {
    if (!has(dimension)) return 0;
    return nm::addressed(sampler_.modes[dimension], i, extent(dimension));
  }

  /// Adds `weight` parts of an element, as numbers, to `sums`.
  void add(const Place& at, double weight, std::array<double, 4>& sums) const {
    if (is_outside(at)) {
      for (unsigned c = 0; c < 4; ++c) sums[c] += weight * sampler_.border[c];
      return;
    }
    const Texel bits = raw(at);
    for (unsigned c = 0; c < image_.format.components; ++c)
      sums[c] += weight * nm::component_number(image_.format, bits[c]);
  }

  /// As registers get it.
  Texel texel(const Place& at) const {
    Texel result{};
    if (is_outside(at)) {
      for (unsigned c = 0; c < 4; ++c) result[c] = nm::bits_as<std::uint32_t>(sampler_.border[c]);
      return result;
    }
    const Texel bits = raw(at);
    for (unsigned c = 0; c < image_.format.components; ++c)
      result[c] = gives_numbers() ? nm::bits_as<std::uint32_t>(
                                        static_cast<float>(nm::component_number(image_.format, bits[c])))
                                  : nm::component_word(image_.format, bits[c]);
    return result;
  }

  bool gives_numbers() const {
    const bool is_half = image_.format.kind == nm::TexelFormat::Kind::real && image_.format.component_bits == 16;
    return is_half || (image_.format.kind != nm::TexelFormat::Kind::real && sampler_.normalised_values);
  }

  double in_elements(unsigned dimension, float coordinate) const {
    return nm::in_elements(coordinate, sampler_.normalised_coordinates, extent(dimension));
  }

 private:
  static bool is_outside(const Place& at) {
    return at.x == nm::outside_image || at.y == nm::outside_image || at.z == nm::outside_image;
  }
  Texel raw(const Place& at) const { return raw_texel(image_, at.x, at.y, is_volume_ ? at.z : slice_); }

  const Image& image_;
  const Sampler& sampler_;
  bool is_volume_;
  std::int64_t slice_ = 0;
};

/// Where the coordinates lie, in elements.
std::array<double, 3> elements_of(const TextureObject& object, TextureShape shape, Reader& reader,
                                  const std::array<float, 3>& at) {
  if (shape == TextureShape::cube || shape == TextureShape::cube_layers) {
    const nm::CubePoint point = nm::cube_point(at[0], at[1], at[2]);
    reader.choose_face(point.face);
    return {point.s * object.image.width, point.t * object.image.height, 0};
  }
  std::array<double, 3> x{};
  for (unsigned n = 0; n < 3; ++n) x[n] = reader.in_elements(n, at[n]);
  return x;
}

Texel sample_linear(const Reader& reader, const std::array<double, 3>& x) {
  nm::Between between[3];
  for (unsigned n = 0; n < 3; ++n)
    if (reader.has(n)) between[n] = nm::between_elements(x[n]);
  std::array<double, 4> sums{};
  for (unsigned corner = 0; corner < 8; ++corner) {
    double weight = 1;
    std::int64_t at[3];
    for (unsigned n = 0; n < 3; ++n) {
      const bool next = (corner >> n & 1) != 0;
      weight *= (next ? between[n].weight : 256 - between[n].weight) / 256.0;
      at[n] = weight == 0 ? 0 : reader.addressed(n, between[n].first + (next ? 1 : 0));
    }
    if (weight == 0) continue;  // what does not count may be infinite
    reader.add({at[0], at[1], at[2]}, weight, sums);
  }
  Texel result;
  for (unsigned c = 0; c < 4; ++c) result[c] = nm::bits_as<std::uint32_t>(static_cast<float>(sums[c]));
  return result;
}

}  // namespace

Texel sample_texture(const TextureObject& object, TextureShape shape, const std::array<float, 3>& at,
                     std::uint32_t layer) {
  Reader reader(object, shape, layer);
  const std::array<double, 3> x = elements_of(object, shape, reader, at);
  if (object.sampler.linear) return sample_linear(reader, x);
  std::int64_t place[3];
  for (unsigned n = 0; n < 3; ++n) place[n] = reader.addressed(n, nm::nearest_element(x[n]));
  return reader.texel({place[0], place[1], place[2]});
}

Texel fetch_texel(const TextureObject& object, TextureShape shape, const std::array<std::int32_t, 3>& at,
                  std::uint32_t layer) {
  const Reader reader(object, shape, layer);
  for (unsigned n = 0; n < 3; ++n)
    if (reader.has(n) && nm::addressed(nm::AddressMode::border, at[n], reader.extent(n)) == nm::outside_image)
      return {};
  return reader.texel({at[0], reader.has(1) ? at[1] : 0, reader.has(2) ? at[2] : 0});
}

Texel gather_texels(const TextureObject& object, TextureShape shape, const std::array<float, 3>& at,
                    std::uint32_t layer, unsigned component) {
  Reader reader(object, shape, layer);
  const std::array<double, 3> x = elements_of(object, shape, reader, at);
  const std::int64_t i = nm::nearest_element(x[0] - 0.5), j = nm::nearest_element(x[1] - 0.5);
  constexpr std::int64_t steps[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
  Texel result;
  for (unsigned n = 0; n < 4; ++n)
    result[n] = reader.texel({reader.addressed(0, i + steps[n][0]), reader.addressed(1, j + steps[n][1]), 0})[component];
  return result;
}

std::uint64_t surface_place(const Image& image, std::int64_t x_bytes, std::int64_t y, std::int64_t z, unsigned bytes,
                            Boundary boundary) {
  const std::int64_t row = std::int64_t{image.width} * image.format.bytes();
  const std::int64_t last[3] = {row - bytes, std::int64_t{image.height} - 1,
                                std::int64_t{std::max(image.depth, image.layers)} - 1};
  std::int64_t at[3] = {x_bytes, y, z};
  for (unsigned n = 0; n < 3; ++n) {
    if (at[n] >= 0 && at[n] <= last[n]) continue;
    if (boundary != Boundary::clamp || last[n] < 0) return 0;
    at[n] = std::clamp<std::int64_t>(at[n], 0, last[n]);
  }
  return image.address + static_cast<std::uint64_t>(at[2]) * image.slice_bytes +
         static_cast<std::uint64_t>(at[1]) * image.row_bytes + static_cast<std::uint64_t>(at[0]);
}

}  // namespace lanebank::machine
