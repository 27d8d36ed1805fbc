#include "cudart/transfers.hpp"

#include <cstring>

#include "cudart/arrays.hpp"

namespace lanebank::cudart {

Place place_of(const machine::Memory& memory, const void* address, std::size_t bytes) {
  const auto first = reinterpret_cast<std::uint64_t>(address);
  const auto allocation = memory.find(first);
  if (!allocation) return memory.in_arena(first) ? Place::beyond : Place::host;
  return allocation->contains(first, bytes) ? Place::device : Place::beyond;
}

std::optional<std::size_t> extent_of(std::size_t width_bytes, std::size_t height, std::size_t depth,
                                     std::size_t pitch_bytes, std::size_t slice_bytes) {
  if (width_bytes == 0 || height == 0 || depth == 0) return 0;
  std::size_t rows = 0, slices = 0, sum = 0;
  if (__builtin_mul_overflow(height - 1, pitch_bytes, &rows) ||
      __builtin_mul_overflow(depth - 1, slice_bytes, &slices) || __builtin_add_overflow(rows, slices, &sum) ||
      __builtin_add_overflow(sum, width_bytes, &sum))
    return std::nullopt;
  return sum;
}

abi::Error check(const machine::Memory& memory, const CopyWork& copy, abi::MemcpyKind kind) {
  if (kind < abi::cudaMemcpyHostToHost || kind > abi::cudaMemcpyDefault) return abi::cudaErrorInvalidMemcpyDirection;
  const auto to_bytes = extent_of(copy.width_bytes, copy.height, copy.depth, copy.to_pitch_bytes, copy.to_slice_bytes);
  const auto from_bytes =
      extent_of(copy.width_bytes, copy.height, copy.depth, copy.from_pitch_bytes, copy.from_slice_bytes);
  if (!to_bytes || !from_bytes) return abi::cudaErrorInvalidValue;
  if (*to_bytes == 0) return abi::cudaSuccess;
  if (copy.to == nullptr || copy.from == nullptr) return abi::cudaErrorInvalidValue;
  const Place to = place_of(memory, copy.to, *to_bytes), from = place_of(memory, copy.from, *from_bytes);
  if (to == Place::beyond || from == Place::beyond) return abi::cudaErrorInvalidValue;
  // One address space: only the end that the kind calls the device's is held to its word.
  const bool to_device = kind == abi::cudaMemcpyHostToDevice || kind == abi::cudaMemcpyDeviceToDevice;
  const bool from_device = kind == abi::cudaMemcpyDeviceToHost || kind == abi::cudaMemcpyDeviceToDevice;
  if ((to_device && to != Place::device) || (from_device && from != Place::device)) return abi::cudaErrorInvalidValue;
  return abi::cudaSuccess;
}

abi::Error check(const machine::Memory& memory, const SetWork& set) {
  const auto bytes = extent_of(set.width_bytes, set.height, set.depth, set.pitch_bytes, set.slice_bytes);
  if (!bytes) return abi::cudaErrorInvalidValue;
  if (*bytes == 0) return abi::cudaSuccess;
  if (set.height > 1 && set.width_bytes > set.pitch_bytes) return abi::cudaErrorInvalidValue;
  if (set.to == nullptr || place_of(memory, set.to, *bytes) != Place::device) return abi::cudaErrorInvalidValue;
  return abi::cudaSuccess;
}

void perform(const CopyWork& copy) {
  for (std::size_t z = 0; z < copy.depth; ++z)
    for (std::size_t y = 0; y < copy.height; ++y)
      std::memmove(copy.to + z * copy.to_slice_bytes + y * copy.to_pitch_bytes,
                   copy.from + z * copy.from_slice_bytes + y * copy.from_pitch_bytes, copy.width_bytes);
}

void perform(const SetWork& set) {
  for (std::size_t z = 0; z < set.depth; ++z)
    for (std::size_t y = 0; y < set.height; ++y) {
      std::byte* row = set.to + z * set.slice_bytes + y * set.pitch_bytes;
      if (set.element_bytes == 1) {
        std::memset(row, static_cast<int>(set.value), set.width_bytes);
        continue;
      }
      for (std::size_t x = 0; x + set.element_bytes <= set.width_bytes; x += set.element_bytes)
        std::memcpy(row + x, &set.value, set.element_bytes);
    }
}

CopyWork linear(void* to, const void* from, std::size_t bytes) {
  return {.to = static_cast<std::byte*>(to), .from = static_cast<const std::byte*>(from), .width_bytes = bytes};
}

namespace {

/// One end of a box: an array or rows in memory.
struct End {
  const void* handle;
  abi::PitchedPtr rows;
  abi::Pos at;
};

/// Fills `found`. `width_bytes`: of a row of the box.
abi::Error find_end(const End& end, const abi::Extent& extent, std::size_t width_bytes, ArrayEnd& found) {
  if (end.handle != nullptr) {
    const Array* array = find_array(end.handle);
    const auto place = array_end(*array, end.at.x * array->image.format.bytes(), end.at.y, end.at.z, width_bytes,
                                 extent.height, extent.depth);
    if (!place) return abi::cudaErrorInvalidValue;
    found = *place;
    return abi::cudaSuccess;
  }
  std::size_t last = 0;
  const bool fits = !__builtin_add_overflow(end.at.x, width_bytes, &last) && last <= end.rows.pitch;
  if ((extent.height != 1 || extent.depth != 1) && !fits) return abi::cudaErrorInvalidPitchValue;
  const std::size_t slice_bytes = end.rows.pitch * end.rows.ysize;
  found = {static_cast<std::byte*>(end.rows.ptr) + end.at.z * slice_bytes + end.at.y * end.rows.pitch + end.at.x,
           end.rows.pitch, slice_bytes};
  return abi::cudaSuccess;
}

}  // namespace

abi::Error box(const abi::Memcpy3DParms* parms, CopyWork& copy) {
  if (parms == nullptr) return abi::cudaErrorInvalidValue;
  const End from{parms->srcArray, parms->srcPtr, parms->srcPos}, to{parms->dstArray, parms->dstPtr, parms->dstPos};
  std::size_t element_bytes = 1;
  for (const End* end : {&from, &to}) {
    if (end->handle == nullptr) continue;
    const Array* array = find_array(end->handle);
    if (array == nullptr || end->rows.ptr != nullptr) return abi::cudaErrorInvalidValue;
    if (element_bytes != 1 && element_bytes != array->image.format.bytes()) return abi::cudaErrorInvalidValue;
    element_bytes = array->image.format.bytes();
  }
  const abi::Extent& extent = parms->extent;
  if (extent.width == 0 || extent.height == 0 || extent.depth == 0) return abi::cudaSuccess;
  std::size_t width_bytes = 0;
  if (__builtin_mul_overflow(extent.width, element_bytes, &width_bytes)) return abi::cudaErrorInvalidValue;
  ArrayEnd source, target;
  if (const abi::Error error = find_end(from, extent, width_bytes, source); error != abi::cudaSuccess) return error;
  if (const abi::Error error = find_end(to, extent, width_bytes, target); error != abi::cudaSuccess) return error;
  copy = {.to = target.start,
          .from = source.start,
          .width_bytes = width_bytes,
          .height = extent.height,
          .depth = extent.depth,
          .to_pitch_bytes = target.pitch_bytes,
          .to_slice_bytes = target.slice_bytes,
          .from_pitch_bytes = source.pitch_bytes,
          .from_slice_bytes = source.slice_bytes};
  return abi::cudaSuccess;
}

}  // namespace lanebank::cudart
