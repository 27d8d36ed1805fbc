#include "cudart/driver/copy_box.hpp"

#include "cudart/arrays.hpp"

namespace lanebank::cudart::driver {
namespace {

using abi::cudaErrorInvalidValue;
using abi::Error;

/// One end of a copy.
struct End {
  MemoryType type;
  const void* host;
  Address device;
  const void* array;
  std::size_t x_bytes, y, z, pitch_bytes, height;
};

Error address_of(const End& end, std::size_t width_bytes, std::size_t height, std::size_t depth,
                 const std::byte*& address, std::size_t& pitch_bytes, std::size_t& slice_bytes) {
  if (end.type == CU_MEMORYTYPE_ARRAY) {
    const Array* array = find_array(end.array);
    if (array == nullptr) return abi::cudaErrorInvalidResourceHandle;
    const auto found = array_end(*array, end.x_bytes, end.y, end.z, width_bytes, height, depth);
    if (!found) return cudaErrorInvalidValue;
    address = found->start, pitch_bytes = found->pitch_bytes, slice_bytes = found->slice_bytes;
    return abi::cudaSuccess;
  }
  if (end.type < CU_MEMORYTYPE_HOST || end.type > CU_MEMORYTYPE_UNIFIED) return cudaErrorInvalidValue;
  pitch_bytes = end.pitch_bytes == 0 ? width_bytes + end.x_bytes : end.pitch_bytes;
  if (pitch_bytes < width_bytes + end.x_bytes) return cudaErrorInvalidValue;
  const std::size_t rows = end.height == 0 ? height + end.y : end.height;
  if (depth > 1 && rows < height + end.y) return cudaErrorInvalidValue;
  slice_bytes = pitch_bytes * rows;
  address = end.type == CU_MEMORYTYPE_HOST ? static_cast<const std::byte*>(end.host)
                                           : reinterpret_cast<const std::byte*>(end.device);
  address += end.z * slice_bytes + end.y * pitch_bytes + end.x_bytes;
  return abi::cudaSuccess;
}

abi::MemcpyKind kind_of(MemoryType from, MemoryType to) {
  if (from == CU_MEMORYTYPE_UNIFIED || to == CU_MEMORYTYPE_UNIFIED) return abi::cudaMemcpyDefault;
  if (from == CU_MEMORYTYPE_HOST)
    return to == CU_MEMORYTYPE_HOST ? abi::cudaMemcpyHostToHost : abi::cudaMemcpyHostToDevice;
  return to == CU_MEMORYTYPE_HOST ? abi::cudaMemcpyDeviceToHost : abi::cudaMemcpyDeviceToDevice;
}

}  // namespace

Error box_of(const Memcpy3D& copy, CopyWork& work, abi::MemcpyKind& kind) {
  work.width_bytes = copy.WidthInBytes;
  work.height = copy.Height;
  work.depth = copy.Depth;
  const End from{copy.srcMemoryType, copy.srcHost, copy.srcDevice, copy.srcArray, copy.srcXInBytes,
                 copy.srcY,          copy.srcZ,    copy.srcPitch,  copy.srcHeight};
  const End to{copy.dstMemoryType, copy.dstHost, copy.dstDevice, copy.dstArray, copy.dstXInBytes,
               copy.dstY,          copy.dstZ,    copy.dstPitch,  copy.dstHeight};
  const std::byte* target = nullptr;
  if (const Error error = address_of(from, work.width_bytes, work.height, work.depth, work.from, work.from_pitch_bytes,
                                     work.from_slice_bytes);
      error != abi::cudaSuccess)
    return error;
  const Error error =
      address_of(to, work.width_bytes, work.height, work.depth, target, work.to_pitch_bytes, work.to_slice_bytes);
  work.to = const_cast<std::byte*>(target);
  kind = kind_of(copy.srcMemoryType, copy.dstMemoryType);
  return error;
}

Error box_of(const Memcpy2D& copy, CopyWork& work, abi::MemcpyKind& kind) {
  Memcpy3D one{};
  one.srcXInBytes = copy.srcXInBytes;
  one.srcY = copy.srcY;
  one.srcMemoryType = copy.srcMemoryType;
  one.srcHost = copy.srcHost;
  one.srcDevice = copy.srcDevice;
  one.srcArray = copy.srcArray;
  one.srcPitch = copy.srcPitch;
  one.dstXInBytes = copy.dstXInBytes;
  one.dstY = copy.dstY;
  one.dstMemoryType = copy.dstMemoryType;
  one.dstHost = copy.dstHost;
  one.dstDevice = copy.dstDevice;
  one.dstArray = copy.dstArray;
  one.dstPitch = copy.dstPitch;
  one.WidthInBytes = copy.WidthInBytes;
  one.Height = copy.Height;
  one.Depth = 1;
  return box_of(one, work, kind);
}

}  // namespace lanebank::cudart::driver
