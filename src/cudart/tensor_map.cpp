#include "cudart/tensor_map.hpp"

#include <cstring>
#include <iterator>

#include "machine/tensor_map.hpp"

namespace lanebank::cudart {
namespace {

constexpr unsigned max_rank = 5;
constexpr unsigned type_bytes[] = {1, 2, 4, 4, 8, 8, 2,
                                   4, 8, 2, 4, 4, 4};  ///< by CUtensorMapDataType, up to TFLOAT32_FTZ
constexpr int first_float_type = 6;
constexpr int interleave_none = 0, interleave_32_bytes = 2;

bool in_range(std::uint64_t value, std::uint64_t least, std::uint64_t most) { return value >= least && value <= most; }

/// What maps of tiles and of image columns have in common.
bool is_valid_tensor(const TensorMapRequest& r) {
  if (r.extents == nullptr || r.stride_bytes == nullptr || r.element_strides == nullptr) return false;
  if (r.data_type < 0 || r.data_type >= static_cast<int>(std::size(type_bytes)) || !in_range(r.rank, 1, max_rank))
    return false;
  if (r.interleave < 0 || r.interleave > 2 || r.swizzle < 0 || r.swizzle > 3 || r.l2_promotion < 0 ||
      r.l2_promotion > 3)
    return false;
  if (r.fill < 0 || r.fill > 1 || (r.fill == 1 && r.data_type < first_float_type)) return false;
  if (r.interleave != interleave_none && r.rank < 3) return false;
  const unsigned unit = r.interleave == interleave_32_bytes ? 32 : 16;
  if (reinterpret_cast<std::uint64_t>(r.address) % unit != 0) return false;
  for (std::uint32_t i = 0; i < r.rank; ++i)
    if (!in_range(r.extents[i], 1, std::uint64_t{1} << 32) || !in_range(r.element_strides[i], 1, 8)) return false;
  for (std::uint32_t i = 0; i + 1 < r.rank; ++i)
    if (r.stride_bytes[i] % unit != 0 || r.stride_bytes[i] >= std::uint64_t{1} << 40) return false;
  return true;
}

/// Rows of `elements` fit whole units of 16 bytes and the swizzle.
bool is_valid_row(const TensorMapRequest& r, std::uint32_t elements) {
  if (r.interleave != interleave_none) return true;
  const unsigned row_bytes = elements * type_bytes[r.data_type];
  return row_bytes % 16 == 0 && (r.swizzle == 0 || row_bytes <= 16u << r.swizzle);
}

bool is_valid(const TensorMapRequest& r) {
  if (r.box == nullptr || !is_valid_tensor(r)) return false;
  for (std::uint32_t i = 0; i < r.rank; ++i)
    if (!in_range(r.box[i], 1, 256)) return false;
  return is_valid_row(r, r.box[0]);
}

bool is_valid(const Im2colRequest& r) {
  const TensorMapRequest& tensor = r.tensor;
  if (r.lower_corner == nullptr || r.upper_corner == nullptr || !is_valid_tensor(tensor) || tensor.rank < 3)
    return false;
  if (!in_range(r.channels, 1, 256) || !in_range(r.pixels, 1, 1024)) return false;
  // A corner has 16 bits, 8 or 5, as there are one, two or three of them.
  const int limit = tensor.rank == 3 ? 1 << 15 : tensor.rank == 4 ? 1 << 7 : 1 << 4;
  for (std::uint32_t i = 0; i + 2 < tensor.rank; ++i) {
    const int lower = r.lower_corner[i], upper = r.upper_corner[i];
    if (lower < -limit || lower >= limit || upper < -limit || upper >= limit) return false;
    if (lower >= static_cast<std::int64_t>(tensor.extents[i + 1]) + upper) return false;  // no pixel between them
  }
  return is_valid_row(tensor, r.channels);
}

machine::TensorMap tensor_of(const TensorMapRequest& r) {
  machine::TensorMap out;
  out.rank = static_cast<std::uint8_t>(r.rank);
  out.element_bytes = static_cast<std::uint8_t>(type_bytes[r.data_type]);
  out.interleave = static_cast<std::uint8_t>(r.interleave);
  out.swizzle = static_cast<std::uint8_t>(r.swizzle);
  out.address = reinterpret_cast<std::uint64_t>(r.address);
  out.data_type = static_cast<std::uint8_t>(r.data_type);
  out.fill_nan = static_cast<std::uint8_t>(r.fill);
  for (std::uint32_t i = 0; i < r.rank; ++i) {
    out.extent[i] = static_cast<std::uint32_t>(r.extents[i]);  // 2^32 becomes 0
    out.element_stride[i] = static_cast<std::uint8_t>(r.element_strides[i]);
    if (i + 1 < r.rank) out.stride_bytes[i] = r.stride_bytes[i];
  }
  return out;
}

void put(void* map, const machine::TensorMap& tensor) {
  const machine::TensorMapWords words = machine::encoded(tensor);
  std::memcpy(map, &words, sizeof words);
}

}  // namespace

bool encode_tensor_map(void* map, const TensorMapRequest& r) {
  if (map == nullptr || !is_valid(r)) return false;
  machine::TensorMap out = tensor_of(r);
  for (std::uint32_t i = 0; i < r.rank; ++i) out.box[i] = static_cast<std::uint16_t>(r.box[i]);
  put(map, out);
  return true;
}

bool encode_im2col_map(void* map, const Im2colRequest& r) {
  if (map == nullptr || !is_valid(r)) return false;
  machine::TensorMap out = tensor_of(r.tensor);
  out.element_stride[0] = 1;  // channels have none
  out.channels = static_cast<std::uint16_t>(r.channels);
  out.pixels = static_cast<std::uint16_t>(r.pixels);
  for (std::uint32_t i = 0; i + 2 < r.tensor.rank; ++i) {
    out.lower[i] = static_cast<std::int16_t>(r.lower_corner[i]);
    out.upper[i] = static_cast<std::int16_t>(r.upper_corner[i]);
  }
  put(map, out);
  return true;
}

}  // namespace lanebank::cudart
