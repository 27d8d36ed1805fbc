// Texture and surface objects.
#include <algorithm>
#include <map>
#include <mutex>

#include "cudart/arrays.hpp"
#include "cudart/calls.hpp"
#include "cudart/process.hpp"

namespace lanebank::cudart::calls {
namespace {

using machine::Image;
using machine::Sampler;
using machine::TextureObject;
using machine::numerics::AddressMode;
using machine::numerics::TexelFormat;

/// What a program said when it made an object.
struct Description {
  ResourceDesc resource{};
  TextureDesc texture{};
  bool has_view = false;
  ResourceViewDesc view{};
};
struct Descriptions {
  std::mutex mutex;
  std::map<TextureHandle, Description> textures, surfaces;
};
Descriptions& descriptions() {
  static Descriptions* const all = new Descriptions;
  return *all;
}

/// Of the fields that CUDA 12 has too.
void give(ResourceDesc* to, const ResourceDesc& from) {
  to->resType = from.resType;
  to->res.pitch2D = from.res.pitch2D;
}

size_t limit(int attribute) { return static_cast<size_t>(Process::get().model().attribute(attribute)); }

bool is_device_memory(const void* address) {
  return Process::get().memory().find(reinterpret_cast<std::uint64_t>(address)).has_value();
}

Error linear_image(const ResourceDesc& resource, TexelFormat format, Image& image) {
  const auto& linear = resource.res.linear;
  const size_t width = std::max<size_t>(1, linear.sizeInBytes / format.bytes());  // an H200 takes no bytes, too
  const auto address = reinterpret_cast<std::uint64_t>(linear.devPtr);
  if (width > limit(69) || address % limit(14) != 0 || !is_device_memory(linear.devPtr)) return cudaErrorInvalidValue;
  image.address = address;
  image.width = static_cast<std::uint32_t>(width);
  image.row_bytes = image.slice_bytes = image.bytes = width * format.bytes();
  return cudaSuccess;
}

Error pitched_image(const ResourceDesc& resource, TexelFormat format, Image& image) {
  const auto& rows = resource.res.pitch2D;
  const auto address = reinterpret_cast<std::uint64_t>(rows.devPtr);
  if (rows.width == 0 || rows.width > limit(70) || rows.height == 0 || rows.height > limit(71) ||
      rows.pitchInBytes > limit(72))
    return cudaErrorInvalidValue;
  if (rows.pitchInBytes % limit(51) != 0 || rows.pitchInBytes < rows.width * format.bytes())
    return cudaErrorInvalidValue;
  if (address % limit(14) != 0 || !is_device_memory(rows.devPtr)) return cudaErrorInvalidValue;
  image.address = address;
  image.width = static_cast<std::uint32_t>(rows.width);
  image.height = static_cast<std::uint32_t>(rows.height);
  image.dimensions = 2;
  image.row_bytes = rows.pitchInBytes;
  image.bytes = (rows.height - 1) * rows.pitchInBytes + rows.width * format.bytes();
  image.slice_bytes = rows.height * rows.pitchInBytes;
  return cudaSuccess;
}

/// The elements of a resource.
Error image_of(const ResourceDesc& resource, Image& image, bool& always_normalised) {
  switch (resource.resType) {
    case cudaResourceTypeArray: {
      const Array* array = find_array(resource.res.array.array);
      if (array == nullptr) return cudaErrorInvalidResourceHandle;
      image = array->image;
      always_normalised = array->always_normalised;
      return cudaSuccess;
    }
    case cudaResourceTypeMipmappedArray: {
      const auto mipmap = find_mipmap(resource.res.mipmap.mipmap);
      if (!mipmap) return cudaErrorInvalidResourceHandle;
      const Array* first = find_array(mipmap->levels.front());
      image = first->image;
      image.bytes = mipmap->bytes;
      always_normalised = first->always_normalised;
      return cudaSuccess;
    }
    case cudaResourceTypeLinear:
    case cudaResourceTypePitch2D:
      break;
    default:
      return cudaErrorInvalidValue;
  }
  const bool is_linear = resource.resType == cudaResourceTypeLinear;
  const auto element = element_format(is_linear ? resource.res.linear.desc : resource.res.pitch2D.desc);
  if (!element) return cudaErrorInvalidChannelDescriptor;
  always_normalised = element->always_normalised;
  image.format = element->format;
  return is_linear ? linear_image(resource, element->format, image) : pitched_image(resource, element->format, image);
}

/// The array of a resource, of a mipmapped one its first level; null when the resource is none.
const Array* array_of(const ResourceDesc& resource) {
  if (resource.resType == cudaResourceTypeArray) return find_array(resource.res.array.array);
  if (resource.resType != cudaResourceTypeMipmappedArray) return nullptr;
  const auto mipmap = find_mipmap(resource.res.mipmap.mipmap);
  return mipmap ? find_array(mipmap->levels.front()) : nullptr;
}

Error sampler_of(const TextureDesc& texture, const ResourceDesc& resource, const Image& image, bool always_normalised,
                 Sampler& sampler) {
  const bool is_mipmap = resource.resType == cudaResourceTypeMipmappedArray;
  const Array* array = array_of(resource);
  const bool is_cubemap = array != nullptr && array->is_cubemap();
  const bool is_real = image.format.kind == TexelFormat::Kind::real;
  sampler.linear = texture.filterMode == 1 && resource.resType != cudaResourceTypeLinear;
  sampler.normalised_coordinates = texture.normalizedCoords != 0 || is_cubemap;
  sampler.normalised_values =
      always_normalised || (texture.readMode == 1 && !is_real && image.format.component_bits < 32);
  sampler.linear_levels = is_mipmap && texture.mipmapFilterMode == 1;
  sampler.level_bias = texture.mipmapLevelBias;
  sampler.smallest_level = texture.minMipmapLevelClamp;
  sampler.largest_level = texture.maxMipmapLevelClamp;
  if ((sampler.linear || sampler.linear_levels) && !is_real && !sampler.normalised_values)
    return cudaErrorInvalidFilterSetting;
  if (texture.sRGB != 0 && image.format.component_bits == 8)
    return refuse("cudaCreateTextureObject", "conversions from sRGB");
  if (texture.seamlessCubemap != 0 && is_cubemap && sampler.linear)
    return refuse("cudaCreateTextureObject", "filters across the faces of a cube");
  for (unsigned n = 0; n < 3; ++n) {
    if (texture.addressMode[n] < 0 || texture.addressMode[n] > 3) return cudaErrorInvalidValue;
    const auto mode = static_cast<AddressMode>(texture.addressMode[n]);
    // Without normalised coordinates there is nothing to repeat.
    const bool repeats = mode == AddressMode::wrap || mode == AddressMode::mirror;
    sampler.modes[n] = (repeats && !sampler.normalised_coordinates) || is_cubemap ? AddressMode::clamp : mode;
  }
  std::copy(std::begin(texture.borderColor), std::end(texture.borderColor), sampler.border);
  return cudaSuccess;
}

/// The number (cudaResourceViewFormat) of a view of elements as they are.
int view_format(TexelFormat format) {
  constexpr int first_of_bits[] = {1, 7, 13}, real_16 = 19, real_32 = 22;
  const int components = format.components == 4 ? 2 : format.components - 1;
  if (format.kind == TexelFormat::Kind::real) return (format.component_bits == 16 ? real_16 : real_32) + components;
  const int bits = format.component_bits == 8 ? 0 : format.component_bits == 16 ? 1 : 2;
  return first_of_bits[bits] + (format.kind == TexelFormat::Kind::signed_integer ? 3 : 0) + components;
}

/// Whether a view shows the array as it is, of a mipmapped one with fewer levels perhaps.
bool shows_all(const ResourceViewDesc& view, const ResourceDesc& resource) {
  const Array* array = array_of(resource);
  if (array == nullptr || (view.format != 0 && view.format != view_format(array->image.format))) return false;
  if (resource.resType == cudaResourceTypeArray && (view.firstMipmapLevel != 0 || view.lastMipmapLevel != 0))
    return false;
  if (view.firstMipmapLevel != 0) return false;
  return view.width == array->extent.width && view.height == array->extent.height &&
         view.depth == array->extent.depth && view.firstLayer == 0 &&
         (view.lastLayer == 0 || view.lastLayer + 1 == array->image.layers);
}

}  // namespace

Error cudaCreateTextureObject(TextureHandle* handle, const ResourceDesc* resource, const TextureDesc* texture,
                              const ResourceViewDesc* view) {
  if (handle == nullptr || resource == nullptr || texture == nullptr) return cudaErrorInvalidValue;
  TextureObject object{.kind = TextureObject::Kind::texture, .image = {}, .sampler = {}};
  bool always_normalised = false;
  if (const Error error = image_of(*resource, object.image, always_normalised); error != cudaSuccess) return error;
  if (const Error error = sampler_of(*texture, *resource, object.image, always_normalised, object.sampler);
      error != cudaSuccess)
    return error;
  const bool is_mipmap = resource->resType == cudaResourceTypeMipmappedArray;
  if (view != nullptr && resource->resType != cudaResourceTypeArray && !is_mipmap) return cudaErrorInvalidValue;
  if (view != nullptr && !shows_all(*view, *resource))
    return refuse("cudaCreateTextureObject", "views that show a part of a resource or another format");
  if (is_mipmap && texture->maxAnisotropy > 1) return refuse("cudaCreateTextureObject", "anisotropic filters");
  if (is_mipmap && texture->normalizedCoords == 0)
    return refuse("cudaCreateTextureObject", "levels of mipmapped arrays by coordinates in elements");
  if (is_mipmap) {
    const auto mipmap = find_mipmap(resource->res.mipmap.mipmap);
    size_t count = mipmap->levels.size();
    if (view != nullptr) count = std::min(count, size_t{view->lastMipmapLevel} + 1);
    std::vector<Image> levels;
    for (size_t n = 0; n < count; ++n) levels.push_back(find_array(mipmap->levels[n])->image);
    object.levels = std::make_shared<const std::vector<Image>>(std::move(levels));
  }
  *handle = Process::get().engine().device().textures().create(object);
  if (*handle == 0) return cudaErrorMemoryAllocation;
  std::lock_guard lock(descriptions().mutex);
  Description& description = descriptions().textures[*handle];
  give(&description.resource, *resource);
  description.texture = *texture;
  description.has_view = view != nullptr;
  if (view != nullptr) description.view = *view;
  return cudaSuccess;
}

Error cudaCreateSurfaceObject(SurfaceHandle* handle, const ResourceDesc* resource) {
  if (handle == nullptr || resource == nullptr) return cudaErrorInvalidValue;
  if (resource->resType != cudaResourceTypeArray) return cudaErrorInvalidValue;
  const Array* array = find_array(resource->res.array.array);
  if (array == nullptr) return cudaErrorInvalidResourceHandle;
  *handle = Process::get().engine().device().textures().create(
      {.kind = TextureObject::Kind::surface, .image = array->image, .sampler = {}});
  if (*handle == 0) return cudaErrorMemoryAllocation;
  std::lock_guard lock(descriptions().mutex);
  give(&descriptions().surfaces[*handle].resource, *resource);
  return cudaSuccess;
}

namespace {

Error destroy(std::map<TextureHandle, Description>& all, TextureHandle handle, TextureObject::Kind kind) {
  std::lock_guard lock(descriptions().mutex);
  if (handle == 0) return cudaSuccess;
  if (all.erase(handle) == 0) return cudaErrorInvalidValue;
  Process::get().engine().device().textures().destroy(static_cast<std::uint32_t>(handle), kind);
  return cudaSuccess;
}

/// Calls `body` with what is known of an object.
template <class Body>
Error described(const std::map<TextureHandle, Description>& all, TextureHandle handle, const void* to, Body body) {
  std::lock_guard lock(descriptions().mutex);
  const auto found = all.find(handle);
  if (to == nullptr || found == all.end()) return cudaErrorInvalidValue;
  return body(found->second);
}

}  // namespace

Error cudaDestroyTextureObject(TextureHandle handle) {
  return destroy(descriptions().textures, handle, TextureObject::Kind::texture);
}

Error cudaDestroySurfaceObject(SurfaceHandle handle) {
  return destroy(descriptions().surfaces, handle, TextureObject::Kind::surface);
}

Error cudaGetTextureObjectResourceDesc(ResourceDesc* resource, TextureHandle handle) {
  return described(descriptions().textures, handle, resource, [&](const Description& description) {
    give(resource, description.resource);
    return cudaSuccess;
  });
}

Error cudaGetSurfaceObjectResourceDesc(ResourceDesc* resource, SurfaceHandle handle) {
  return described(descriptions().surfaces, handle, resource, [&](const Description& description) {
    give(resource, description.resource);
    return cudaSuccess;
  });
}

Error cudaGetTextureObjectTextureDesc(TextureDesc* texture, TextureHandle handle) {
  return described(descriptions().textures, handle, texture, [&](const Description& description) {
    *texture = description.texture;
    return cudaSuccess;
  });
}

Error cudaGetTextureObjectResourceViewDesc(ResourceViewDesc* view, TextureHandle handle) {
  return described(descriptions().textures, handle, view, [&](const Description& description) {
    *view = description.has_view ? description.view : ResourceViewDesc{};
    return cudaSuccess;
  });
}

Error cudaDeviceGetTexture1DLinearMaxWidth(size_t* elements, const ChannelFormatDesc* channels, int device) {
  if (elements == nullptr || channels == nullptr) return cudaErrorInvalidValue;
  if (device != 0) return cudaErrorInvalidDevice;
  const auto element = element_format(*channels);
  if (!element) return cudaErrorInvalidChannelDescriptor;
  *elements = (size_t{1} << 32) / element->format.bytes();  // measured on an H200 for 4 bytes
  return cudaSuccess;
}

}  // namespace lanebank::cudart::calls
