#include "machine/tensor_copy.hpp"

#include <array>
#include <cstring>

#include "machine/lanes/access.hpp"
#include "machine/launch_state.hpp"
#include "machine/mbarrier.hpp"
#include "machine/tensor_map.hpp"

namespace lanebank::machine {

namespace {

using LANEBANK_SIMD::shared_pointer;

/// The bit pattern of NaN for element types that have one, else zero.
std::uint64_t fill_pattern(const TensorMap& map) {
  if (map.fill_nan == 0) return 0;
  switch (map.element_bytes) {
    case 2:
      return 0x7fff;
    case 4:
      return 0x7fffffff;
    case 8:
      return 0x7ff8000000000000;
    default:
      return 0;
  }
}

}  // namespace

bool complete_bytes(Warp& w, const Operation* op, unsigned lane, std::uint32_t window_address, std::uint32_t bytes) {
  std::uint8_t* place = window_address % 8 == 0 ? shared_pointer(w, window_address, 8) : nullptr;
  if (place == nullptr) {
    shared_fault(w, op, lane, window_address, 8);
    return false;
  }
  std::uint64_t word;
  std::memcpy(&word, place, 8);
  const std::uint64_t now = mbarrier::arrive(word, 0, -static_cast<std::int64_t>(bytes), false);
  std::memcpy(place, &now, 8);
  if (mbarrier::phase(word) != mbarrier::phase(now)) ++w.block->progress;
  return true;
}

namespace {

/// The box of a tensor that one instruction copies, from its map and coordinates.
struct Box {
  TensorMap map;
  unsigned rank;
  std::int64_t first[5];
  std::uint32_t elements, bytes;
};

/// One pass over the box at a shared window address. False after raising a fault.
bool copy_box(Warp& w, const Operation* op, unsigned lane, bool to_global, const Box& box, std::uint32_t window,
              Worker::Hit& hit) {
  const TensorMap& map = box.map;
  const std::uint32_t size = map.element_bytes;
  const std::uint64_t fill = fill_pattern(map);
  std::array<std::uint32_t, 5> at{};
  for (std::uint32_t n = 0; n < box.elements; ++n) {
    bool inside = true;
    std::uint64_t address = map.address;
    for (unsigned k = 0; k < box.rank; ++k) {
      const std::int64_t coordinate = box.first[k] + std::int64_t{at[k]};
      const std::int64_t extent = map.extent[k] != 0 ? map.extent[k] : std::int64_t{1} << 32;
      inside = inside && coordinate >= 0 && coordinate < extent;
      address += static_cast<std::uint64_t>(coordinate) * (k == 0 ? size : map.stride_bytes[k - 1]);
    }
    const std::uint32_t place_address = tensor_swizzle(window + n * size, map.swizzle);
    std::uint8_t* place = shared_pointer(w, place_address, size);
    if (place == nullptr) {
      shared_fault(w, op, lane, place_address, size);
      return false;
    }
    if (inside && (address < hit.first || address + size > hit.end) &&
        !find_allocation(*w.launch, address, size, hit)) {
      global_fault(w, op, lane, address, size, to_global);
      return false;
    }
    if (to_global) {
      if (inside) std::memcpy(reinterpret_cast<void*>(address), place, size);
    } else if (inside) {
      std::memcpy(place, reinterpret_cast<const void*>(address), size);
    } else {
      std::memcpy(place, &fill, size);
    }
    for (unsigned k = 0; k < box.rank; ++k) {
      at[k] += map.element_stride[k];
      if (at[k] < map.box[k]) break;
      at[k] = 0;
    }
  }
  return true;
}

}  // namespace

bool copy_tensor(Warp& w, const Operation* op, unsigned lane, bool to_global, unsigned rank, std::uint32_t blocks) {
  const unsigned number = op->uniform;
  const std::uint64_t map_address = w.uniform[op->modifiers] | std::uint64_t{w.uniform[op->modifiers + 1]} << 32;
  Worker::Hit hit;
  Box box;
  if (!find_allocation(*w.launch, map_address, sizeof box.map, hit)) {
    global_fault(w, op, lane, map_address, sizeof box.map, false);
    return false;
  }
  std::memcpy(&box.map, reinterpret_cast<const void*>(map_address), sizeof box.map);
  const TensorMap& map = box.map;
  const char* refusal = map.magic != TensorMap::expected_magic
                            ? "a tensor map that cuTensorMapEncodeTiled did not write"
                        : map.rank != rank    ? "a tensor map of another rank than the copy's"
                        : map.interleave != 0 ? "a tensor map with interleaved layout, which lanebank does not execute"
                                              : nullptr;
  if (refusal != nullptr) {
    raise_fault(w, op, Fault::Kind::illegal_address, lane, map_address, refusal);
    return false;
  }
  box.rank = rank;
  box.elements = 1;
  for (unsigned n = 0; n < rank; ++n) {
    box.elements *= (map.box[n] + map.element_stride[n] - 1u) / map.element_stride[n];
    box.first[n] = static_cast<std::int32_t>(w.uniform[number + (to_global ? 1 : 2) + n]);
  }
  box.bytes = box.elements * map.element_bytes;
  const std::uint32_t window = w.uniform[number];
  if (window % 128 != 0) {
    misaligned_fault(w, op, lane, window, 128);
    return false;
  }
  ++w.stores;
  if (to_global) return copy_box(w, op, lane, true, box, window, hit);
  return for_each_block(blocks, window, w.uniform[number + 1], [&](std::uint32_t place, std::uint32_t barrier) {
    return copy_box(w, op, lane, false, box, place, hit) && complete_bytes(w, op, lane, barrier, box.bytes);
  });
}

}  // namespace lanebank::machine
