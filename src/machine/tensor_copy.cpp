#include "machine/tensor_copy.hpp"

#include <array>
#include <bit>
#include <cstring>

#include "base/check.hpp"
#include "machine/lanes/access.hpp"
#include "machine/lanes/combine.hpp"
#include "machine/launch_state.hpp"
#include "machine/mbarrier.hpp"
#include "machine/tensor_map.hpp"

namespace lanebank::machine {

namespace {

using LANEBANK_SIMD::shared_pointer;
using LANEBANK_SIMD::Value;

/// The elements of a tensor, by CUtensorMapDataType, as reductions take them; 16-bit numbers are combined one by one.
struct ElementKind {
  Value value;
  bool flush, reduces, real;
};
ElementKind element_kind(const TensorMap& map) {
  switch (map.data_type) {
    case 2:
      return {Value::u32, false, true, false};
    case 3:
      return {Value::s32, false, true, false};
    case 4:
      return {Value::u64, false, true, false};
    case 5:
      return {Value::s64, false, true, false};
    case 6:
      return {Value::f16x2, false, true, true};
    case 7:
      return {Value::f32, false, true, true};
    case 8:
      return {Value::f64, false, true, true};
    case 9:
      return {Value::bf16x2, false, true, true};
    case 10:
      return {Value::f32, true, true, true};
    default:
      return {Value::u32, false, false, false};
  }
}

void reduce_elements(const TensorMap& map, unsigned operation, std::uint8_t* there, const std::uint8_t* place,
                     std::uint32_t bytes) {
  const ElementKind kind = element_kind(map);
  for (std::uint32_t at = 0; at < bytes; at += map.element_bytes) {
    std::uint64_t operand = 0;
    std::memcpy(&operand, place + at, map.element_bytes);
    const auto address = reinterpret_cast<std::uint64_t>(there) + at;
    const auto change = [&](std::uint64_t old) {
      return LANEBANK_SIMD::combine(operation, kind.value, kind.flush, old, operand);
    };
    if (map.element_bytes == 2) {
      LANEBANK_SIMD::change_atomic<std::uint16_t>(address, change);
    } else {
      LANEBANK_SIMD::change_global(address, map.element_bytes, change);
    }
  }
}

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

WindowPlace window_place(const Warp& w, std::uint32_t window_address) {
  const std::uint32_t base = w.launch->facts->shared_window_base, rank = window_address >> 24;
  const std::vector<Block*>& cluster = w.block->cluster;
  if (base == 0 || cluster.empty()) return {window_address - w.shared_window, w.block};
  const std::uint32_t byte = (window_address & 0xffffff) - base;
  return {byte, rank < cluster.size() ? cluster[rank] : w.block};
}

void publish_bulk_copy(const Warp& w, const Operation* op, bool writes, std::uint32_t window, std::uint32_t bytes,
                       std::uint32_t barrier_window) {
  if (w.worker->sync_listeners.empty()) return;
  const WindowPlace place = window_place(w, window), barrier = window_place(w, barrier_window);
  const BulkCopy copy{.instruction = op->instruction,
                      .writes = writes,
                      .block = place.block->linear,
                      .first_byte = place.byte,
                      .bytes = bytes,
                      .has_barrier = barrier_window != 0,
                      .barrier_byte = barrier_window != 0 ? barrier.byte : 0};
  for (Recorder* recorder : w.worker->sync_listeners) recorder->bulk_copy(w.place, copy);
}

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

/// Whether the fields are such as the encoder writes: programs can overwrite a map in memory.
bool is_whole(const TensorMap& map) {
  if (map.rank < 1 || map.rank > 5 || !std::has_single_bit(map.element_bytes) || map.element_bytes > 8) return false;
  if (map.swizzle > 3) return false;
  for (unsigned k = 0; k < map.rank; ++k)
    if (map.box[k] == 0 || map.box[k] > 256 || map.element_stride[k] == 0) return false;
  return true;
}

/// The box of a tensor that one instruction copies, from its map and coordinates.
struct Box {
  TensorMap map;
  unsigned rank;
  std::int64_t first[5];
  std::uint32_t elements, bytes;
};

/// Where element `at` of the box lies in the tensor.
struct Spot {
  std::uint64_t address;
  bool inside;
};
Spot spot(const Box& box, const std::array<std::uint32_t, 5>& at) {
  const TensorMap& map = box.map;
  Spot found{map.address, true};
  for (unsigned k = 0; k < box.rank; ++k) {
    const std::int64_t coordinate = box.first[k] + std::int64_t{at[k]};
    const std::int64_t extent = map.extent[k] != 0 ? map.extent[k] : std::int64_t{1} << 32;
    found.inside = found.inside && coordinate >= 0 && coordinate < extent;
    found.address += static_cast<std::uint64_t>(coordinate) * (k == 0 ? map.element_bytes : map.stride_bytes[k - 1]);
  }
  return found;
}

/// The runs of global memory that a box covers, told as soon as the next one begins elsewhere.
class Runs {
 public:
  Runs(const Warp& w, const Operation* op, bool writes) : warp_(w), run_{op->instruction, writes} {}
  ~Runs() { tell(); }
  Runs(const Runs&) = delete;
  Runs& operator=(const Runs&) = delete;
  void add(std::uint64_t address, std::uint32_t bytes) {
    if (address != run_.address + run_.bytes) {
      tell();
      run_.address = address;
      run_.bytes = 0;
    }
    run_.bytes += bytes;
  }

 private:
  void tell() const {
    if (run_.bytes != 0) publish_range(warp_, run_);
  }
  const Warp& warp_;
  GlobalRange run_;
};

/// One pass over the box at a shared window address. False after raising a fault.
bool copy_box(Warp& w, const Operation* op, unsigned lane, bool to_global, const Box& box, std::uint32_t window,
              Worker::Hit& hit, unsigned reduction) {
  const TensorMap& map = box.map;
  const std::uint32_t size = map.element_bytes;
  const std::uint64_t fill = fill_pattern(map);
  std::array<std::uint32_t, 5> at{};
  Runs runs(w, op, to_global);
  // Swizzles move units of 16 bytes; one that lies in the tensor wholly is copied at once.
  const std::uint32_t unit = map.element_stride[0] == 1 && map.box[0] * size % 16 == 0 ? 16 / size : 1;
  for (std::uint32_t n = 0; n < box.elements;) {
    const Spot first = spot(box, at);
    std::uint32_t count = 1;
    if (unit > 1 && n % unit == 0 && first.inside) {
      std::array<std::uint32_t, 5> last = at;
      last[0] += unit - 1;
      if (spot(box, last).inside) count = unit;
    }
    const std::uint32_t bytes = count * size, place_address = tensor_swizzle(window + n * size, map.swizzle);
    std::uint8_t* place = shared_pointer(w, place_address, bytes);
    if (place == nullptr) {
      shared_fault(w, op, lane, place_address, bytes);
      return false;
    }
    if (first.inside && (first.address < hit.first || first.address + bytes > hit.end) &&
        !find_allocation(*w.launch, first.address, bytes, hit)) {
      global_fault(w, op, lane, first.address, bytes, to_global);
      return false;
    }
    if (first.inside) {
      runs.add(first.address, bytes);
      auto* there = reinterpret_cast<std::uint8_t*>(first.address);
      LANEBANK_CHECK(there != nullptr, "an allocation at address 0");
      if (reduction != no_reduction)
        reduce_elements(map, reduction, there, place, bytes);
      else
        std::memcpy(to_global ? there : place, to_global ? place : there, bytes);
    } else if (!to_global) {
      std::memcpy(place, &fill, size);
    }
    n += count;
    at[0] += count * map.element_stride[0];
    for (unsigned k = 0; k + 1 < box.rank && at[k] >= map.box[k]; ++k) {
      at[k] = 0;
      at[k + 1] += map.element_stride[k + 1];
    }
  }
  return true;
}

}  // namespace

bool copy_tensor(Warp& w, const Operation* op, unsigned lane, bool to_global, unsigned rank, std::uint32_t blocks,
                 unsigned reduction) {
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
                        : !is_whole(map)      ? "a tensor map that was changed after cuTensorMapEncodeTiled wrote it"
                        : map.rank != rank    ? "a tensor map of another rank than the copy's"
                        : map.interleave != 0 ? "a tensor map with interleaved layout, which lanebank does not execute"
                                              : nullptr;
  if (refusal == nullptr && reduction != no_reduction) {
    const ElementKind kind = element_kind(map);
    const bool known = kind.reduces && (!kind.real || (reduction == LANEBANK_SIMD::add) ||
                                        (reduction <= LANEBANK_SIMD::max_ && map.element_bytes == 2));
    if (!known) refusal = "a reduction that elements of this type have not";
  }
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
  if (to_global) {
    if (!copy_box(w, op, lane, true, box, window, hit, reduction)) return false;
    publish_bulk_copy(w, op, false, window, box.bytes, 0);
    return true;
  }
  return for_each_block(blocks, window, w.uniform[number + 1], [&](std::uint32_t place, std::uint32_t barrier) {
    if (!copy_box(w, op, lane, false, box, place, hit, no_reduction)) return false;
    publish_bulk_copy(w, op, true, place, box.bytes, barrier);
    return complete_bytes(w, op, lane, barrier, box.bytes);
  });
}

}  // namespace lanebank::machine
