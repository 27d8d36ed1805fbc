// Texture and surface objects: what memory they name and how it is read. A program holds them by a handle; a
// kernel finds them through its launch.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "machine/texel_format.hpp"

namespace lanebank::machine {

/// Elements in rows of memory: a CUDA array, or memory that a texture object names. Sizes count elements; an extent
/// that the image does not have is 1. Layers, faces of a cube and slices of a volume lie `slice_bytes` apart.
struct Image {
  std::uint64_t address = 0;
  std::uint32_t width = 1, height = 1, depth = 1;
  std::uint8_t dimensions = 1;  ///< extents that it has: of one row the second coordinate says nothing
  std::uint32_t layers = 1;     ///< of a cube six for each cube
  std::uint64_t row_bytes = 0, slice_bytes = 0;
  std::uint64_t bytes = 0;  ///< from `address` on: all of it
  numerics::TexelFormat format;
};

/// How coordinates become elements, and elements values.
struct Sampler {
  numerics::AddressMode modes[3] = {};
  bool linear = false;  ///< else the nearest element
  bool normalised_coordinates = false;
  bool normalised_values = false;  ///< integers become [0, 1] or [-1, 1]
  float border[4] = {0, 0, 0, 0};
  bool linear_levels = false;  ///< of a mipmapped array: between two levels, else the nearest one
  float level_bias = 0, smallest_level = 0, largest_level = 0;
};

struct TextureObject {
  enum class Kind : std::uint8_t { none, texture, surface };
  Kind kind = Kind::none;
  Image image;
  Sampler sampler;  ///< textures only
  /// Of a mipmapped array: all levels, `image` too, which then counts the bytes of all. Null: one level.
  std::shared_ptr<const std::vector<Image>> levels = nullptr;
};

/// All objects of a device, by handle. A handle is never 0 and fits into 20 bits, as kernels take it.
class Textures {
 public:
  using Table = std::vector<TextureObject>;

  /// 0 when all handles are taken.
  std::uint32_t create(const TextureObject& object);
  /// False when there is no such object.
  bool destroy(std::uint32_t handle, TextureObject::Kind kind);
  /// The objects of now: a launch keeps them. Index: handle.
  std::shared_ptr<const Table> snapshot() const;

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Table> table_ = std::make_shared<const Table>(1);
};

}  // namespace lanebank::machine
