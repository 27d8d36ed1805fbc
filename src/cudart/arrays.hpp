// CUDA arrays: rows of elements in device memory, one behind the other. A program knows an array by a handle alone.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "cudart/abi.hpp"
#include "machine/textures.hpp"

namespace lanebank::cudart {

/// What a channel descriptor says of an element.
struct ElementFormat {
  machine::numerics::TexelFormat format;
  bool always_normalised = false;  ///< formats of that name: textures read their integers as numbers
};
/// nullopt for what no array or texture can hold.
std::optional<ElementFormat> element_format(const abi::ChannelFormatDesc& channels);

struct Array {
  machine::Image image;
  abi::ChannelFormatDesc channels{};
  abi::Extent extent;  ///< as it was made: extents that it does not have are 0
  unsigned flags = 0;
  bool always_normalised = false;
  bool is_level = false;  ///< of a mipmapped array, which owns it and its memory

  bool is_layered() const;
  bool is_cubemap() const;
};

/// The array of a handle; nullptr when there is none.
const Array* find_array(const void* handle);

/// A mipmapped array: each level half as large as the one before, all in one allocation.
struct Mipmap {
  std::vector<abi::ArrayHandle> levels;
  std::uint64_t address = 0, bytes = 0;
};
std::optional<Mipmap> find_mipmap(const void* handle);

/// One end of a copy that lies in an array.
struct ArrayEnd {
  std::byte* start = nullptr;
  std::size_t pitch_bytes = 0, slice_bytes = 0;
};
/// The box of `width_bytes` x `height` x `depth` at `x_bytes`, y, z (a slice or layer); nullopt when it leaves the array.
std::optional<ArrayEnd> array_end(const Array& array, std::size_t x_bytes, std::size_t y, std::size_t z,
                                  std::size_t width_bytes, std::size_t height, std::size_t depth);

/// Says once that a call wants `what`, which is not emulated, for the report too; cudaErrorNotSupported.
abi::Error refuse(const char* call, const char* what);

}  // namespace lanebank::cudart
