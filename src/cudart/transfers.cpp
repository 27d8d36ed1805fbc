#include "cudart/transfers.hpp"

#include <cstring>

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

abi::Error box(const abi::Memcpy3DParms* parms, CopyWork& copy) {
  if (parms == nullptr || parms->srcArray != nullptr || parms->dstArray != nullptr) return abi::cudaErrorInvalidValue;
  const abi::Extent& extent = parms->extent;
  if (extent.width == 0 || extent.height == 0 || extent.depth == 0) return abi::cudaSuccess;
  auto fits = [&](const abi::PitchedPtr& pointer, const abi::Pos& at) {
    std::size_t end = 0;
    return !__builtin_add_overflow(at.x, extent.width, &end) && end <= pointer.pitch;
  };
  const bool one_row = extent.height == 1 && extent.depth == 1;
  if (!one_row && (!fits(parms->srcPtr, parms->srcPos) || !fits(parms->dstPtr, parms->dstPos)))
    return abi::cudaErrorInvalidPitchValue;
  auto start = [](const abi::PitchedPtr& pointer, const abi::Pos& at) {
    return static_cast<std::byte*>(pointer.ptr) + at.z * pointer.pitch * pointer.ysize + at.y * pointer.pitch + at.x;
  };
  copy = {.to = start(parms->dstPtr, parms->dstPos),
          .from = start(parms->srcPtr, parms->srcPos),
          .width_bytes = extent.width,
          .height = extent.height,
          .depth = extent.depth,
          .to_pitch_bytes = parms->dstPtr.pitch,
          .to_slice_bytes = parms->dstPtr.pitch * parms->dstPtr.ysize,
          .from_pitch_bytes = parms->srcPtr.pitch,
          .from_slice_bytes = parms->srcPtr.pitch * parms->srcPtr.ysize};
  return abi::cudaSuccess;
}

}  // namespace lanebank::cudart
