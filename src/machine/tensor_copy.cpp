#include "machine/tensor_copy.hpp"

#include <algorithm>
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

/// What fills elements outside: zero, or the NaN that fma.oob takes for outside, 0x7ff7 in every 16 bits (measured of 32-bit
/// elements: tests/cudart/hardware/im2col.cu).
std::uint64_t fill_pattern(const TensorMap& map) { return map.fill_nan == 0 ? 0 : 0x7ff77ff77ff77ff7; }

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

/// Whether the fields are such as the encoder or tensormap.replace writes: programs can overwrite a map in memory.
bool is_whole(const TensorMap& map) {
  if (map.rank < 1 || map.rank > 5 || !std::has_single_bit(map.element_bytes) || map.element_bytes > 8) return false;
  if (map.swizzle > 3 || map.pixels > 1024 || map.channels > 256 || (map.pixels != 0 && map.rank < 3)) return false;
  for (unsigned k = 0; k < map.rank; ++k)
    if ((map.pixels == 0 && (map.box[k] == 0 || map.box[k] > 256)) || map.element_stride[k] == 0) return false;
  return true;
}

/// The box of a tensor that one instruction copies, from its map and coordinates.
struct Box {
  TensorMap map;
  unsigned rank;
  std::int64_t first[5];
  std::int64_t offset[3];  ///< of image columns: what is read lies so far from the pixel
  std::uint32_t elements, bytes;
};

/// A row of the box, along the tensor's first axis: its elements are neighbours in shared memory.
struct BoxRow {
  std::uint32_t element;    ///< number in the box of its first
  std::uint64_t address;    ///< of the first element, were it inside
  std::uint32_t low, high;  ///< elements low .. high - 1 lie in the tensor; the others are filled
};

std::int64_t extent_of(const TensorMap& map, unsigned dimension) {
  return map.extent[dimension] != 0 ? map.extent[dimension] : std::int64_t{1} << 32;
}

BoxRow row_of(const Box& box, std::uint32_t element, std::uint32_t width, const std::array<std::int64_t, 5>& at) {
  const TensorMap& map = box.map;
  BoxRow row{element, map.address, 0, width};
  for (unsigned k = 0; k < box.rank; ++k) {
    const std::int64_t coordinate = box.first[k] + at[k];
    const std::int64_t extent = extent_of(map, k);
    row.address += static_cast<std::uint64_t>(coordinate) * (k == 0 ? map.element_bytes : map.stride_bytes[k - 1]);
    if (k == 0) {
      const std::int64_t step = map.element_stride[0];
      const auto inside = [&](std::int64_t upto) {  // elements whose coordinate is below `upto`
        return static_cast<std::uint32_t>(
            std::clamp((upto - coordinate + step - 1) / step, std::int64_t{0}, std::int64_t{width}));
      };
      row.low = coordinate < 0 ? inside(0) : 0;
      row.high = coordinate < extent ? inside(extent) : 0;
    } else if (coordinate < 0 || coordinate >= extent) {
      row.high = 0;
    }
  }
  row.low = std::min(row.low, row.high);
  return row;
}

/// Whether every element of a box of tiles is one of the tensor's.
bool is_inside(const Box& box) {
  if (box.map.pixels != 0) return false;
  for (unsigned n = 0; n < box.rank; ++n)
    if (box.first[n] < 0 || box.first[n] + box.map.box[n] > extent_of(box.map, n)) return false;
  return true;
}

/// What a box that reaches beyond its tensor reads of shared memory: elements that are copied, and no padding.
class Reads {
 public:
  Reads(const Warp& w, const Operation* op) : warp_(w), op_(op) {}
  ~Reads() { tell(); }
  Reads(const Reads&) = delete;
  Reads& operator=(const Reads&) = delete;
  void add(std::uint32_t window, std::uint32_t bytes) {
    if (window != first_ + bytes_) {
      tell();
      first_ = window;
      bytes_ = 0;
    }
    bytes_ += bytes;
  }

 private:
  void tell() const {
    if (bytes_ != 0) publish_bulk_copy(warp_, op_, false, first_, bytes_, 0);
  }
  const Warp& warp_;
  const Operation* op_;
  std::uint32_t first_ = 0, bytes_ = 0;
};

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

/// One pass over boxes at a shared window address.
class BoxCopy {
 public:
  BoxCopy(Warp& w, const Operation* op, unsigned lane, bool to_global, const Box& box, std::uint32_t window,
          Worker::Hit& hit, unsigned reduction)
      : w_(w),
        op_(op),
        lane_(lane),
        to_global_(to_global),
        box_(box),
        window_(window),
        hit_(hit),
        reduction_(reduction),
        fill_(fill_pattern(box.map)),
        runs_(w, op, to_global),
        reads_(w, op),
        reads_all_(!to_global || is_inside(box)) {}

  /// False after raising a fault.
  bool run() {
    const TensorMap& map = box_.map;
    if (to_global_ && reads_all_) publish_bulk_copy(w_, op_, false, window_, box_.bytes, 0);
    if (map.pixels != 0) return run_pixels();
    const std::uint32_t width = (map.box[0] + map.element_stride[0] - 1u) / map.element_stride[0];
    std::array<std::int64_t, 5> at{};
    for (std::uint32_t n = 0; n < box_.elements; n += width) {
      if (!copy(row_of(box_, n, width, at), width)) return false;
      at[0] = map.box[0];
      for (unsigned k = 0; k + 1 < box_.rank && at[k] >= map.box[k]; ++k) {
        at[k] = 0;
        at[k + 1] += map.element_stride[k + 1];
      }
    }
    return true;
  }

 private:
  /// Pixel after pixel, along w first, each row of the box of pixels from its lower corner on, one image after another.
  bool run_pixels() {
    const TensorMap& map = box_.map;
    const unsigned spatial = box_.rank - 2;
    std::array<std::int64_t, 5> at{};
    for (std::uint32_t pixel = 0; pixel < map.pixels; ++pixel) {
      std::array<std::int64_t, 5> read = at;
      for (unsigned k = 0; k < spatial; ++k) read[k + 1] += box_.offset[k];
      if (!copy(row_of(box_, pixel * map.channels, map.channels, read), map.channels)) return false;
      unsigned k = 0;
      for (; k < spatial; ++k) {
        at[k + 1] += map.element_stride[k + 1];
        if (box_.first[k + 1] + at[k + 1] < std::int64_t{map.extent[k + 1]} + map.upper[k]) break;
        at[k + 1] = map.lower[k] - box_.first[k + 1];
      }
      if (k == spatial) at[box_.rank - 1] += map.element_stride[box_.rank - 1];
    }
    return true;
  }

  bool copy(const BoxRow& row, std::uint32_t width) {
    if (!to_global_ && (!fill(row.element, row.low) || !fill(row.element + row.high, width - row.high))) return false;
    const std::uint32_t size = box_.map.element_bytes, step = size * box_.map.element_stride[0];
    for (std::uint32_t i = row.low; i < row.high;) {
      const std::uint32_t count = step == size ? neighbours(row.element + i, row.high - i) : 1;
      if (!move(row.element + i, row.address + std::uint64_t{i} * step, count * size)) return false;
      i += count;
    }
    return true;
  }

  /// How many of the next elements stay together in shared memory: a swizzle moves units of 16 bytes.
  std::uint32_t neighbours(std::uint32_t element, std::uint32_t most) const {
    if (box_.map.swizzle == 0) return most;
    const std::uint32_t size = box_.map.element_bytes;
    return std::min(most, (16 - (window_ + element * size) % 16) / size);
  }

  std::uint8_t* place(std::uint32_t element, std::uint32_t bytes) {
    const std::uint32_t address = tensor_swizzle(window_ + element * box_.map.element_bytes, box_.map.swizzle);
    std::uint8_t* found = shared_pointer(w_, address, bytes);
    if (found == nullptr) shared_fault(w_, op_, lane_, address, bytes);
    return found;
  }

  bool fill(std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t n = first; n < first + count; ++n) {
      std::uint8_t* to = place(n, box_.map.element_bytes);
      if (to == nullptr) return false;
      std::memcpy(to, &fill_, box_.map.element_bytes);
    }
    return true;
  }

  bool move(std::uint32_t element, std::uint64_t address, std::uint32_t bytes) {
    std::uint8_t* here = place(element, bytes);
    if (here == nullptr) return false;
    if ((address < hit_.first || address + bytes > hit_.end) && !find_allocation(*w_.launch, address, bytes, hit_)) {
      global_fault(w_, op_, lane_, address, bytes, to_global_);
      return false;
    }
    runs_.add(address, bytes);
    if (!reads_all_) reads_.add(tensor_swizzle(window_ + element * box_.map.element_bytes, box_.map.swizzle), bytes);
    auto* there = reinterpret_cast<std::uint8_t*>(address);
    LANEBANK_CHECK(there != nullptr, "an allocation at address 0");
    if (reduction_ != no_reduction)
      reduce_elements(box_.map, reduction_, there, here, bytes);
    else
      std::memcpy(to_global_ ? there : here, to_global_ ? here : there, bytes);
    return true;
  }

  Warp& w_;
  const Operation* op_;
  unsigned lane_;
  bool to_global_;
  const Box& box_;
  std::uint32_t window_;
  Worker::Hit& hit_;
  unsigned reduction_;
  std::uint64_t fill_;
  Runs runs_;
  Reads reads_;
  bool reads_all_;
};

std::string coordinate_name(const Box& box, unsigned n) {
  return "coordinate " + std::to_string(box.first[n]) + " of dimension " + std::to_string(n);
}

/// Why a device stops at a box with "illegal instruction"; empty if it does not (tests/cudart/hardware/remote_stores.cu,
/// im2col.cu).
std::string refused_place(const Box& box, bool to_global) {
  const std::int64_t first_byte = std::int64_t{box.first[0]} * box.map.element_bytes;
  if (first_byte % 16 != 0)
    return "copies a box of a tensor from " + coordinate_name(box, 0) + ", elements of " +
           std::to_string(box.map.element_bytes) + " bytes; a device wants boxes to begin at a multiple of 16 bytes";
  if (box.map.pixels != 0) {
    for (unsigned k = 0; k + 2 < box.rank; ++k) {
      if (to_global && box.map.lower[k] < 0)
        return "writes image columns of a map whose lower corner lies before the tensor's first element";
      if (box.first[k + 1] < box.map.lower[k] ||
          box.first[k + 1] >= std::int64_t{box.map.extent[k + 1]} + box.map.upper[k])
        return "copies image columns from " + coordinate_name(box, k + 1) +
               ", outside of the corners of its tensor map";
    }
    return "";
  }
  for (unsigned n = 0; to_global && n < box.rank; ++n)
    if (box.first[n] < 0)
      return "writes a box of a tensor from " + coordinate_name(box, n) +
             "; a device writes boxes that reach beyond a tensor's end, not before its first element";
  return "";
}

}  // namespace

bool copy_tensor(Warp& w, const Operation* op, unsigned lane, bool to_global, unsigned rank, std::uint32_t blocks,
                 unsigned reduction) {
  const unsigned number = op->uniform;
  const std::uint64_t map_address = w.uniform[op->modifiers] | std::uint64_t{w.uniform[op->modifiers + 1]} << 32;
  Worker::Hit hit;
  Box box;
  if (!find_allocation(*w.launch, map_address, sizeof(TensorMapWords), hit)) {
    global_fault(w, op, lane, map_address, sizeof(TensorMapWords), false);
    return false;
  }
  TensorMapWords words;
  std::memcpy(&words, reinterpret_cast<const void*>(map_address), sizeof words);
  const bool is_map = decode(words, box.map);
  const TensorMap& map = box.map;
  const bool columns = (op->detail[1] & image_columns) != 0;
  const char* refusal =
      !is_map            ? "a tensor map that cuTensorMapEncodeTiled or Im2col did not write"
      : !is_whole(map)   ? "a tensor map that was changed after it was written, otherwise than tensormap.replace does"
      : map.rank != rank ? "a tensor map of another rank than the copy's"
      : (map.pixels != 0) != columns ? "a tensor map of image columns for a copy of tiles, or the other way round"
      : map.interleave != 0          ? "a tensor map with interleaved layout, which lanebank does not execute"
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
    if (!columns) box.elements *= (map.box[n] + map.element_stride[n] - 1u) / map.element_stride[n];
    box.first[n] = static_cast<std::int32_t>(w.uniform[number + (to_global ? 1 : 2) + n]);
  }
  if (columns) {
    box.elements = std::uint32_t{map.channels} * map.pixels;
    // Offsets of w, h, d in the low half of a uniform register: 16 bits, or 8 each, or 5 each.
    const unsigned bits = rank == 3 ? 16 : rank == 4 ? 8 : 5;
    const std::uint32_t offsets = to_global ? 0 : w.uniform[op->immediate[0]] & 0xffff;
    for (unsigned n = 0; n < 3; ++n) box.offset[n] = n < rank - 2 ? offsets >> (bits * n) & ((1u << bits) - 1) : 0;
  }
  box.bytes = box.elements * map.element_bytes;
  const std::uint32_t window = w.uniform[number];
  if (window % 128 != 0) {
    misaligned_fault(w, op, lane, window, 128);
    return false;
  }
  if (const std::string refused = refused_place(box, to_global); !refused.empty()) {
    raise_fault(w, op, Fault::Kind::illegal_instruction, lane, map_address, refused);
    return false;
  }
  ++w.stores;
  if (to_global) return BoxCopy(w, op, lane, true, box, window, hit, reduction).run();
  return for_each_block(blocks, window, w.uniform[number + 1], [&](std::uint32_t place, std::uint32_t barrier) {
    if (!BoxCopy(w, op, lane, false, box, place, hit, no_reduction).run()) return false;
    publish_bulk_copy(w, op, true, place, box.bytes, barrier);
    return complete_bytes(w, op, lane, barrier, box.bytes);
  });
}

}  // namespace lanebank::machine
