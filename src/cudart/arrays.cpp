#include "cudart/arrays.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "cudart/calls.hpp"
#include "cudart/process.hpp"

namespace lanebank::cudart {

using machine::numerics::TexelFormat;

namespace {

/// All arrays, by handle: the address of the record.
struct Arrays {
  std::mutex mutex;
  std::map<const void*, std::unique_ptr<const Array>> all;
  std::map<const void*, std::unique_ptr<const Mipmap>> mipmaps;
};
Arrays& arrays() {
  static Arrays* const one = new Arrays;
  return *one;
}

constexpr std::size_t alignment_bytes = 512;

/// Whether the device allows an array of this shape.
bool within_limits(const abi::Extent& extent, unsigned flags) {
  const DeviceModel& model = Process::get().model();
  auto at_most = [&](std::size_t value, int attribute) {
    return value <= static_cast<std::size_t>(model.attribute(attribute));
  };
  const bool layered = (flags & abi::array_layered) != 0, surface = (flags & abi::array_surface_load_store) != 0;
  const auto [w, h, d] = extent;
  if ((flags & abi::array_cubemap) != 0)
    return layered ? at_most(w, surface ? 67 : 53) && at_most(d, surface ? 68 : 54) : at_most(w, surface ? 66 : 52);
  if (layered && h == 0) return at_most(w, surface ? 61 : 42) && at_most(d, surface ? 62 : 43);
  if (layered) return at_most(w, surface ? 63 : 27) && at_most(h, surface ? 64 : 28) && at_most(d, surface ? 65 : 29);
  if (d != 0)
    return (at_most(w, surface ? 58 : 24) && at_most(h, surface ? 59 : 25) && at_most(d, surface ? 60 : 26)) ||
           (!surface && at_most(w, 47) && at_most(h, 48) && at_most(d, 49));
  if (h == 0) return at_most(w, surface ? 55 : 21);
  if ((flags & abi::array_texture_gather) != 0) return at_most(w, 45) && at_most(h, 46);
  return at_most(w, surface ? 56 : 22) && at_most(h, surface ? 57 : 23);
}

/// Lines and planes with levels may be less large.
bool within_mipmap_limits(const abi::Extent& extent) {
  const DeviceModel& model = Process::get().model();
  auto limit = [&](int attribute) { return static_cast<std::size_t>(model.attribute(attribute)); };
  return extent.height == 0 ? extent.width <= limit(82) : extent.width <= limit(73) && extent.height <= limit(74);
}

/// Whether extents and flags name a shape.
bool is_shape(const abi::Extent& extent, unsigned flags) {
  const bool layered = (flags & abi::array_layered) != 0, cubemap = (flags & abi::array_cubemap) != 0;
  if (extent.width == 0) return false;
  if (cubemap)
    return extent.width == extent.height && (layered ? extent.depth != 0 && extent.depth % 6 == 0 : extent.depth == 6);
  if ((flags & abi::array_texture_gather) != 0 && (extent.height == 0 || (extent.depth != 0 && !layered))) return false;
  if (layered) return extent.depth != 0;
  return extent.depth == 0 || extent.height != 0;
}

}  // namespace

std::optional<ElementFormat> element_format(const abi::ChannelFormatDesc& channels) {
  const int bits[4] = {channels.x, channels.y, channels.z, channels.w};
  std::uint8_t count = 0;
  while (count < 4 && bits[count] != 0) ++count;
  for (int n = 0; n < 4; ++n)
    if (bits[n] != (n < count ? channels.x : 0)) return std::nullopt;
  if (count == 0 || count == 3) return std::nullopt;
  if (channels.x != 8 && channels.x != 16 && channels.x != 32) return std::nullopt;
  ElementFormat element;
  element.format.component_bits = static_cast<std::uint8_t>(channels.x);
  element.format.components = count;
  constexpr int unsigned_8 = 5, signed_8 = 11, formats_of_a_sign = 6, widths = 3;  // of cudaChannelFormatKind
  if (channels.kind >= unsigned_8 && channels.kind < signed_8 + formats_of_a_sign) {
    const int number = (channels.kind - unsigned_8) % formats_of_a_sign;
    const int components = 1 << number % widths;
    if (channels.x != (number < widths ? 8 : 16) || count != components) return std::nullopt;
    element.format.kind =
        channels.kind < signed_8 ? TexelFormat::Kind::unsigned_integer : TexelFormat::Kind::signed_integer;
    element.always_normalised = true;
    return element;
  }
  switch (channels.kind) {
    case abi::cudaChannelFormatKindSigned:
      element.format.kind = TexelFormat::Kind::signed_integer;
      return element;
    case abi::cudaChannelFormatKindUnsigned:
      element.format.kind = TexelFormat::Kind::unsigned_integer;
      return element;
    case abi::cudaChannelFormatKindFloat:
      element.format.kind = TexelFormat::Kind::real;
      if (channels.x == 8) return std::nullopt;
      return element;
    default:
      return std::nullopt;
  }
}

bool Array::is_layered() const { return (flags & abi::array_layered) != 0; }
bool Array::is_cubemap() const { return (flags & abi::array_cubemap) != 0; }

const Array* find_array(const void* handle) {
  std::lock_guard lock(arrays().mutex);
  const auto found = arrays().all.find(handle);
  return found == arrays().all.end() ? nullptr : found->second.get();
}

std::optional<Mipmap> find_mipmap(const void* handle) {
  std::lock_guard lock(arrays().mutex);
  const auto found = arrays().mipmaps.find(handle);
  return found == arrays().mipmaps.end() ? std::nullopt : std::optional(*found->second);
}

std::optional<ArrayEnd> array_end(const Array& array, std::size_t x_bytes, std::size_t y, std::size_t z,
                                  std::size_t width_bytes, std::size_t height, std::size_t depth) {
  auto fits = [](std::size_t at, std::size_t size, std::size_t room) { return at <= room && size <= room - at; };
  const machine::Image& image = array.image;
  if (!fits(x_bytes, width_bytes, image.row_bytes) || !fits(y, height, image.height) ||
      !fits(z, depth, std::max(image.depth, image.layers)))
    return std::nullopt;
  return ArrayEnd{reinterpret_cast<std::byte*>(image.address) + z * image.slice_bytes + y * image.row_bytes + x_bytes,
                  image.row_bytes, image.slice_bytes};
}

abi::Error refuse(const char* call, const char* what) {
  static std::mutex mutex;
  static std::set<std::string> told;
  {
    std::lock_guard lock(mutex);
    const std::string text =
        std::string(call) + ": " + what + " are not emulated; the program gets cudaErrorNotSupported";
    if (told.insert(text).second) tell(text);
  }
  Process::get().engine().unsupported_call(call);
  return abi::cudaErrorNotSupported;
}

namespace calls {

namespace {

/// What the runtime says to an array of this kind before it looks for memory.
Error check_array(const char* call, const ChannelFormatDesc& channels, const Extent& extent, unsigned flags,
                  std::optional<ElementFormat>& element) {
  constexpr unsigned known =
      array_layered | array_surface_load_store | array_cubemap | array_texture_gather | array_color_attachment;
  if (const Error error = Process::get().streams().forbid_during_capture(); error != cudaSuccess) return error;
  if ((flags & (array_sparse | array_deferred_mapping)) != 0)
    return refuse(call, "sparse arrays and arrays that are mapped later");
  element = element_format(channels);
  if (!element && channels.kind > cudaChannelFormatKindNone)
    return refuse(call, "arrays of compressed or planar elements");
  if (!element) return cudaErrorInvalidChannelDescriptor;
  const bool fits = (flags & ~known) == 0 && is_shape(extent, flags) && within_limits(extent, flags);
  return fits ? cudaSuccess : cudaErrorInvalidValue;
}

/// An array without memory.
std::unique_ptr<Array> make_array(const ChannelFormatDesc& channels, const ElementFormat& element, const Extent& extent,
                                  unsigned flags) {
  auto array = std::make_unique<Array>();
  array->channels = channels;
  array->extent = extent;
  array->flags = flags;
  array->always_normalised = element.always_normalised;
  machine::Image& image = array->image;
  image.format = element.format;
  image.width = static_cast<std::uint32_t>(extent.width);
  image.height = static_cast<std::uint32_t>(std::max<size_t>(extent.height, 1));
  const auto depth = static_cast<std::uint32_t>(std::max<size_t>(extent.depth, 1));
  const bool layers = array->is_layered() || array->is_cubemap();
  (layers ? image.layers : image.depth) = depth;
  image.dimensions = static_cast<std::uint8_t>(extent.height == 0 ? 1 : extent.depth == 0 || layers ? 2 : 3);
  image.row_bytes = std::uint64_t{image.width} * image.format.bytes();
  image.slice_bytes = image.row_bytes * image.height;
  image.bytes = image.slice_bytes * depth;
  return array;
}

/// Memory for arrays; 0 when there is none.
std::uint64_t allocate_array(std::uint64_t bytes) {
  Process& process = Process::get();
  const std::uint64_t total = process.model().memory_bytes, used = process.memory().used_bytes();
  if (bytes > total || used > total - bytes) return 0;
  return process.memory().allocate(bytes, machine::MemoryKind::array, alignment_bytes);
}

/// The extent of a level. Layers do not become fewer.
Extent level_extent(const Extent& extent, unsigned flags, unsigned level) {
  auto half = [&](size_t size) { return size == 0 ? 0 : std::max<size_t>(size >> level, 1); };
  const bool layers = (flags & (array_layered | array_cubemap)) != 0;
  return {half(extent.width), half(extent.height), layers ? extent.depth : half(extent.depth)};
}

}  // namespace

Error cudaMalloc3DArray(ArrayHandle* handle, const ChannelFormatDesc* channels, Extent extent, unsigned flags) {
  if (handle == nullptr || channels == nullptr) return cudaErrorInvalidValue;
  std::optional<ElementFormat> element;
  if (const Error error = check_array("cudaMalloc3DArray", *channels, extent, flags, element); error != cudaSuccess)
    return error;
  auto array = make_array(*channels, *element, extent, flags);
  array->image.address = allocate_array(array->image.bytes);
  if (array->image.address == 0) return cudaErrorMemoryAllocation;
  *handle = reinterpret_cast<ArrayHandle>(array.get());
  std::lock_guard lock(arrays().mutex);
  arrays().all.emplace(*handle, std::move(array));
  return cudaSuccess;
}

Error cudaMallocMipmappedArray(MipmapHandle* handle, const ChannelFormatDesc* channels, Extent extent, unsigned count,
                               unsigned flags) {
  if (handle == nullptr || channels == nullptr) return cudaErrorInvalidValue;
  std::optional<ElementFormat> element;
  if (const Error error = check_array("cudaMallocMipmappedArray", *channels, extent, flags, element);
      error != cudaSuccess)
    return error;
  const bool layers = (flags & (array_layered | array_cubemap)) != 0;
  if (!layers && extent.depth == 0 && !within_mipmap_limits(extent)) return cudaErrorInvalidValue;
  const size_t longest = std::max({extent.width, extent.height, layers ? 0 : extent.depth});
  count = std::clamp(count, 1u, static_cast<unsigned>(std::bit_width(longest)));
  auto mipmap = std::make_unique<Mipmap>();
  std::vector<std::unique_ptr<Array>> levels;
  for (unsigned level = 0; level < count; ++level) {
    levels.push_back(make_array(*channels, *element, level_extent(extent, flags, level), flags));
    levels.back()->is_level = true;
    levels.back()->image.address = mipmap->bytes;  // from the beginning, so far
    mipmap->bytes += (levels.back()->image.bytes + alignment_bytes - 1) / alignment_bytes * alignment_bytes;
  }
  mipmap->address = allocate_array(mipmap->bytes);
  if (mipmap->address == 0) return cudaErrorMemoryAllocation;
  *handle = reinterpret_cast<MipmapHandle>(mipmap.get());
  std::lock_guard lock(arrays().mutex);
  for (auto& level : levels) {
    level->image.address += mipmap->address;
    mipmap->levels.push_back(reinterpret_cast<ArrayHandle>(level.get()));
    arrays().all.emplace(level.get(), std::move(level));
  }
  arrays().mipmaps.emplace(*handle, std::move(mipmap));
  return cudaSuccess;
}

Error cudaGetMipmappedArrayLevel(ArrayHandle* level, MipmapHandle handle, unsigned number) {
  const auto mipmap = find_mipmap(handle);
  if (level == nullptr) return cudaErrorInvalidValue;
  if (!mipmap) return cudaErrorInvalidResourceHandle;
  if (number >= mipmap->levels.size()) return cudaErrorInvalidValue;
  *level = mipmap->levels[number];
  return cudaSuccess;
}

Error cudaFreeMipmappedArray(MipmapHandle handle) {
  if (handle == nullptr) return cudaSuccess;
  Process& process = Process::get();
  if (const Error error = process.streams().forbid_during_capture(); error != cudaSuccess) return error;
  std::lock_guard lock(arrays().mutex);
  const auto found = arrays().mipmaps.find(handle);
  if (found == arrays().mipmaps.end()) return cudaErrorInvalidResourceHandle;
  for (ArrayHandle level : found->second->levels) arrays().all.erase(level);
  process.memory().free(found->second->address);
  arrays().mipmaps.erase(found);
  return cudaSuccess;
}

Error cudaMallocArray(ArrayHandle* handle, const ChannelFormatDesc* channels, size_t width, size_t height,
                      unsigned flags) {
  if ((flags & (array_layered | array_cubemap)) != 0) return cudaErrorInvalidValue;
  return cudaMalloc3DArray(handle, channels, {width, height, 0}, flags);
}

Error cudaFreeArray(ArrayHandle handle) {
  if (handle == nullptr) return cudaSuccess;
  Process& process = Process::get();
  if (const Error error = process.streams().forbid_during_capture(); error != cudaSuccess) return error;
  std::lock_guard lock(arrays().mutex);
  const auto found = arrays().all.find(handle);
  if (found == arrays().all.end()) return cudaErrorInvalidValue;
  if (found->second->is_level) return cudaSuccess;  // stays with its mipmapped array
  process.memory().free(found->second->image.address);
  arrays().all.erase(found);
  return cudaSuccess;
}

Error cudaArrayGetInfo(ChannelFormatDesc* channels, Extent* extent, unsigned* flags, ArrayHandle handle) {
  const Array* array = find_array(handle);
  if (array == nullptr) return cudaErrorInvalidResourceHandle;
  if (channels != nullptr) *channels = array->channels;
  if (extent != nullptr) *extent = array->extent;
  if (flags != nullptr) *flags = array->flags;
  return cudaSuccess;
}

Error cudaGetChannelDesc(ChannelFormatDesc* channels, ArrayHandle handle) {
  return channels == nullptr ? cudaErrorInvalidValue : cudaArrayGetInfo(channels, nullptr, nullptr, handle);
}

}  // namespace calls
}  // namespace lanebank::cudart
