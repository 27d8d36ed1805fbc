// CUDA arrays, texture objects and surface objects: the runtime's, with the driver's descriptors.
#include <algorithm>
#include <iterator>

#include "cudart/arrays.hpp"
#include "cudart/calls.hpp"
#include "cudart/driver/context.hpp"
#include "cudart/transfers.hpp"

namespace lanebank::cudart::driver {

using abi::cudaErrorInvalidResourceHandle;
using abi::cudaErrorInvalidValue;

namespace {

/// Flags of CUDA_TEXTURE_DESC.
constexpr unsigned read_as_integer = 0x01, normalised_coordinates = 0x02, srgb = 0x10,
                   disable_trilinear_optimisation = 0x20, seamless_cubemap = 0x40;

struct Format {
  ArrayFormat driver;
  abi::ChannelFormatKind kind;
  int bits;
};
constexpr Format formats[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, abi::cudaChannelFormatKindUnsigned, 8},
    {CU_AD_FORMAT_UNSIGNED_INT16, abi::cudaChannelFormatKindUnsigned, 16},
    {CU_AD_FORMAT_UNSIGNED_INT32, abi::cudaChannelFormatKindUnsigned, 32},
    {CU_AD_FORMAT_SIGNED_INT8, abi::cudaChannelFormatKindSigned, 8},
    {CU_AD_FORMAT_SIGNED_INT16, abi::cudaChannelFormatKindSigned, 16},
    {CU_AD_FORMAT_SIGNED_INT32, abi::cudaChannelFormatKindSigned, 32},
    {CU_AD_FORMAT_HALF, abi::cudaChannelFormatKindFloat, 16},
    {CU_AD_FORMAT_FLOAT, abi::cudaChannelFormatKindFloat, 32},
};

/// False for formats that are not emulated and numbers of channels that there are not.
bool channels_of(ArrayFormat format, unsigned count, abi::ChannelFormatDesc& channels) {
  if (count != 1 && count != 2 && count != 4) return false;
  for (const Format& known : formats) {
    if (known.driver != format) continue;
    channels = {known.bits, count > 1 ? known.bits : 0, count > 2 ? known.bits : 0, count > 3 ? known.bits : 0,
                known.kind};
    return true;
  }
  return false;
}

void format_of(const abi::ChannelFormatDesc& channels, ArrayFormat& format, unsigned& count) {
  for (const Format& known : formats)
    if (known.kind == channels.kind && known.bits == channels.x) format = known.driver;
  count = channels.y == 0 ? 1 : channels.z == 0 ? 2 : 4;
}

/// The runtime's resource for the driver's.
Error resource_of(const ResourceDesc& from, abi::ResourceDesc& to) {
  to = {};
  to.resType = from.resType;
  switch (from.resType) {
    case abi::cudaResourceTypeArray:
    case abi::cudaResourceTypeMipmappedArray:
      to.res.array.array = from.res.array.hArray;
      return cudaSuccess;
    case abi::cudaResourceTypeLinear: {
      const auto& linear = from.res.linear;
      to.res.linear.devPtr = pointer(linear.devPtr);
      to.res.linear.sizeInBytes = linear.sizeInBytes;
      return channels_of(linear.format, linear.numChannels, to.res.linear.desc) ? cudaSuccess : cudaErrorInvalidValue;
    }
    case abi::cudaResourceTypePitch2D: {
      const auto& rows = from.res.pitch2D;
      to.res.pitch2D.devPtr = pointer(rows.devPtr);
      to.res.pitch2D.width = rows.width;
      to.res.pitch2D.height = rows.height;
      to.res.pitch2D.pitchInBytes = rows.pitchInBytes;
      return channels_of(rows.format, rows.numChannels, to.res.pitch2D.desc) ? cudaSuccess : cudaErrorInvalidValue;
    }
  }
  return cudaErrorInvalidValue;
}

void give(const abi::ResourceDesc& from, ResourceDesc* to) {
  *to = {};
  to->resType = from.resType;
  if (from.resType == abi::cudaResourceTypeLinear) {
    auto& linear = to->res.linear;
    linear.devPtr = reinterpret_cast<Address>(from.res.linear.devPtr);
    linear.sizeInBytes = from.res.linear.sizeInBytes;
    format_of(from.res.linear.desc, linear.format, linear.numChannels);
  } else if (from.resType == abi::cudaResourceTypePitch2D) {
    auto& rows = to->res.pitch2D;
    rows.devPtr = reinterpret_cast<Address>(from.res.pitch2D.devPtr);
    rows.width = from.res.pitch2D.width;
    rows.height = from.res.pitch2D.height;
    rows.pitchInBytes = from.res.pitch2D.pitchInBytes;
    format_of(from.res.pitch2D.desc, rows.format, rows.numChannels);
  } else {
    to->res.array.hArray = from.res.array.array;
  }
}

abi::TextureDesc texture_of(const TextureDesc& from) {
  abi::TextureDesc to{};
  std::copy(std::begin(from.addressMode), std::end(from.addressMode), to.addressMode);
  std::copy(std::begin(from.borderColor), std::end(from.borderColor), to.borderColor);
  to.filterMode = from.filterMode;
  to.readMode = (from.flags & read_as_integer) == 0 ? 1 : 0;
  to.normalizedCoords = (from.flags & normalised_coordinates) != 0 ? 1 : 0;
  to.sRGB = (from.flags & srgb) != 0 ? 1 : 0;
  to.disableTrilinearOptimization = (from.flags & disable_trilinear_optimisation) != 0 ? 1 : 0;
  to.seamlessCubemap = (from.flags & seamless_cubemap) != 0 ? 1 : 0;
  to.maxAnisotropy = from.maxAnisotropy;
  to.mipmapFilterMode = from.mipmapFilterMode;
  to.mipmapLevelBias = from.mipmapLevelBias;
  to.minMipmapLevelClamp = from.minMipmapLevelClamp;
  to.maxMipmapLevelClamp = from.maxMipmapLevelClamp;
  return to;
}

void give(const abi::TextureDesc& from, TextureDesc* to) {
  *to = {};
  std::copy(std::begin(from.addressMode), std::end(from.addressMode), to->addressMode);
  std::copy(std::begin(from.borderColor), std::end(from.borderColor), to->borderColor);
  to->filterMode = from.filterMode;
  to->flags = (from.readMode == 0 ? read_as_integer : 0) | (from.normalizedCoords != 0 ? normalised_coordinates : 0) |
              (from.sRGB != 0 ? srgb : 0) |
              (from.disableTrilinearOptimization != 0 ? disable_trilinear_optimisation : 0) |
              (from.seamlessCubemap != 0 ? seamless_cubemap : 0);
  to->maxAnisotropy = from.maxAnisotropy;
  to->mipmapFilterMode = from.mipmapFilterMode;
  to->mipmapLevelBias = from.mipmapLevelBias;
  to->minMipmapLevelClamp = from.minMipmapLevelClamp;
  to->maxMipmapLevelClamp = from.maxMipmapLevelClamp;
}

/// A run of bytes of a 1-D array or of an array's first row.
Error run_of(abi::ArrayHandle handle, size_t x_bytes, size_t bytes, std::byte*& start) {
  const Array* array = find_array(handle);
  if (array == nullptr) return cudaErrorInvalidResourceHandle;
  const auto end = array_end(*array, x_bytes, 0, 0, bytes, 1, 1);
  if (!end) return cudaErrorInvalidValue;
  start = end->start;
  return cudaSuccess;
}

Result copy_run(Needs needs, abi::ArrayHandle to_array, size_t to_x, void* to, abi::ArrayHandle from_array,
                size_t from_x, const void* from, size_t bytes, abi::MemcpyKind kind, abi::Stream stream) {
  return when(needs, [&]() -> Error {
    auto* target = static_cast<std::byte*>(to);
    auto* source = static_cast<std::byte*>(const_cast<void*>(from));
    if (to_array != nullptr)
      if (const Error error = run_of(to_array, to_x, bytes, target); error != cudaSuccess) return error;
    if (from_array != nullptr)
      if (const Error error = run_of(from_array, from_x, bytes, source); error != cudaSuccess) return error;
    return calls::submit_copy(linear(target, source, bytes), kind, stream);
  });
}

}  // namespace

namespace {

Error elements_of(const char* call, const ArrayDescriptor3D& descriptor, abi::ChannelFormatDesc& channels) {
  if (channels_of(descriptor.Format, descriptor.NumChannels, channels)) return cudaSuccess;
  const bool other_format = descriptor.Format > CU_AD_FORMAT_FLOAT;
  return other_format ? refuse(call, "arrays of compressed, planar or normalised elements") : cudaErrorInvalidValue;
}

}  // namespace

Result cuArray3DCreate_v2(abi::ArrayHandle* array, const ArrayDescriptor3D* descriptor) {
  return when(Needs::waits, [&]() -> Error {
    abi::ChannelFormatDesc channels{};
    if (array == nullptr || descriptor == nullptr) return cudaErrorInvalidValue;
    if (const Error error = elements_of("cuArray3DCreate", *descriptor, channels); error != cudaSuccess) return error;
    return calls::cudaMalloc3DArray(array, &channels, {descriptor->Width, descriptor->Height, descriptor->Depth},
                                    descriptor->Flags);
  });
}

Result cuMipmappedArrayCreate(abi::MipmapHandle* handle, const ArrayDescriptor3D* descriptor, unsigned levels) {
  return when(Needs::waits, [&]() -> Error {
    abi::ChannelFormatDesc channels{};
    if (handle == nullptr || descriptor == nullptr) return cudaErrorInvalidValue;
    if (const Error error = elements_of("cuMipmappedArrayCreate", *descriptor, channels); error != cudaSuccess)
      return error;
    return calls::cudaMallocMipmappedArray(
        handle, &channels, {descriptor->Width, descriptor->Height, descriptor->Depth}, levels, descriptor->Flags);
  });
}

Result cuArrayCreate_v2(abi::ArrayHandle* array, const ArrayDescriptor* descriptor) {
  if (descriptor == nullptr) return cuArray3DCreate_v2(array, nullptr);
  const ArrayDescriptor3D same{descriptor->Width,  descriptor->Height,      0,
                               descriptor->Format, descriptor->NumChannels, 0};
  return cuArray3DCreate_v2(array, &same);
}

Result cuArrayDestroy(abi::ArrayHandle array) {
  return when(Needs::waits, [&]() -> Error {
    return find_array(array) == nullptr ? cudaErrorInvalidResourceHandle : calls::cudaFreeArray(array);
  });
}

Result cuArray3DGetDescriptor_v2(ArrayDescriptor3D* descriptor, abi::ArrayHandle handle) {
  return when(Needs::queued, [&]() -> Error {
    const Array* array = find_array(handle);
    if (array == nullptr) return cudaErrorInvalidResourceHandle;
    if (descriptor == nullptr) return cudaErrorInvalidValue;
    *descriptor = {array->extent.width, array->extent.height, array->extent.depth, {}, 0, array->flags};
    format_of(array->channels, descriptor->Format, descriptor->NumChannels);
    return cudaSuccess;
  });
}

Result cuArrayGetDescriptor_v2(ArrayDescriptor* descriptor, abi::ArrayHandle array) {
  ArrayDescriptor3D all{};
  if (descriptor == nullptr) return cuArray3DGetDescriptor_v2(nullptr, array);
  const Result result = cuArray3DGetDescriptor_v2(&all, array);
  if (result == cudaSuccess) *descriptor = {all.Width, all.Height, all.Format, all.NumChannels};
  return result;
}

Result cuTexObjectCreate(abi::TextureHandle* handle, const ResourceDesc* resource, const TextureDesc* texture,
                         const abi::ResourceViewDesc* view) {
  return when(Needs::queued, [&]() -> Error {
    abi::ResourceDesc same;
    if (resource == nullptr || texture == nullptr) return cudaErrorInvalidValue;
    if (const Error error = resource_of(*resource, same); error != cudaSuccess) return error;
    const abi::TextureDesc settings = texture_of(*texture);
    return calls::cudaCreateTextureObject(handle, &same, &settings, view);
  });
}

Result cuTexObjectGetResourceDesc(ResourceDesc* resource, abi::TextureHandle handle) {
  return when(Needs::queued, [&]() -> Error {
    abi::ResourceDesc same;
    if (resource == nullptr) return cudaErrorInvalidValue;
    const Error error = calls::cudaGetTextureObjectResourceDesc(&same, handle);
    if (error == cudaSuccess) give(same, resource);
    return error;
  });
}

Result cuTexObjectGetTextureDesc(TextureDesc* texture, abi::TextureHandle handle) {
  return when(Needs::queued, [&]() -> Error {
    abi::TextureDesc same;
    if (texture == nullptr) return cudaErrorInvalidValue;
    const Error error = calls::cudaGetTextureObjectTextureDesc(&same, handle);
    if (error == cudaSuccess) give(same, texture);
    return error;
  });
}

Result cuSurfObjectCreate(abi::SurfaceHandle* handle, const ResourceDesc* resource) {
  return when(Needs::queued, [&]() -> Error {
    abi::ResourceDesc same;
    if (resource == nullptr) return cudaErrorInvalidValue;
    if (const Error error = resource_of(*resource, same); error != cudaSuccess) return error;
    return calls::cudaCreateSurfaceObject(handle, &same);
  });
}

Result cuSurfObjectGetResourceDesc(ResourceDesc* resource, abi::SurfaceHandle handle) {
  return when(Needs::queued, [&]() -> Error {
    abi::ResourceDesc same;
    if (resource == nullptr) return cudaErrorInvalidValue;
    const Error error = calls::cudaGetSurfaceObjectResourceDesc(&same, handle);
    if (error == cudaSuccess) give(same, resource);
    return error;
  });
}

Result cuMemcpyHtoA_v2(abi::ArrayHandle to, size_t x, const void* from, size_t bytes) {
  return copy_run(Needs::waits, to, x, nullptr, nullptr, 0, from, bytes, abi::cudaMemcpyHostToDevice, nullptr);
}
Result cuMemcpyAtoH_v2(void* to, abi::ArrayHandle from, size_t x, size_t bytes) {
  return copy_run(Needs::waits, nullptr, 0, to, from, x, nullptr, bytes, abi::cudaMemcpyDeviceToHost, nullptr);
}
Result cuMemcpyDtoA_v2(abi::ArrayHandle to, size_t x, Address from, size_t bytes) {
  return copy_run(Needs::waits, to, x, nullptr, nullptr, 0, pointer(from), bytes, abi::cudaMemcpyDeviceToDevice,
                  nullptr);
}
Result cuMemcpyAtoD_v2(Address to, abi::ArrayHandle from, size_t x, size_t bytes) {
  return copy_run(Needs::waits, nullptr, 0, pointer(to), from, x, nullptr, bytes, abi::cudaMemcpyDeviceToDevice,
                  nullptr);
}
Result cuMemcpyAtoA_v2(abi::ArrayHandle to, size_t to_x, abi::ArrayHandle from, size_t from_x, size_t bytes) {
  return copy_run(Needs::waits, to, to_x, nullptr, from, from_x, nullptr, bytes, abi::cudaMemcpyDeviceToDevice,
                  nullptr);
}
Result cuMemcpyHtoAAsync_v2(abi::ArrayHandle to, size_t x, const void* from, size_t bytes, abi::Stream stream) {
  return copy_run(Needs::queued, to, x, nullptr, nullptr, 0, from, bytes, abi::cudaMemcpyHostToDevice, stream);
}
Result cuMemcpyAtoHAsync_v2(void* to, abi::ArrayHandle from, size_t x, size_t bytes, abi::Stream stream) {
  return copy_run(Needs::queued, nullptr, 0, to, from, x, nullptr, bytes, abi::cudaMemcpyDeviceToHost, stream);
}

}  // namespace lanebank::cudart::driver
