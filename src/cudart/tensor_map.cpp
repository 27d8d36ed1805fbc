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

bool is_valid(const TensorMapRequest& r) {
  if (r.extents == nullptr || r.stride_bytes == nullptr || r.box == nullptr || r.element_strides == nullptr)
    return false;
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
    if (!in_range(r.extents[i], 1, std::uint64_t{1} << 32) || !in_range(r.box[i], 1, 256) ||
        !in_range(r.element_strides[i], 1, 8))
      return false;
  for (std::uint32_t i = 0; i + 1 < r.rank; ++i)
    if (r.stride_bytes[i] % unit != 0 || r.stride_bytes[i] >= std::uint64_t{1} << 40) return false;
  if (r.interleave != interleave_none) return true;
  const unsigned row_bytes = r.box[0] * type_bytes[r.data_type];
  return row_bytes % 16 == 0 && (r.swizzle == 0 || row_bytes <= 16u << r.swizzle);
}

}  // namespace

bool encode_tensor_map(void* map, const TensorMapRequest& r) {
  if (map == nullptr || !is_valid(r)) return false;
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
    out.box[i] = static_cast<std::uint16_t>(r.box[i]);
    out.element_stride[i] = static_cast<std::uint8_t>(r.element_strides[i]);
    if (i + 1 < r.rank) out.stride_bytes[i] = r.stride_bytes[i];
  }
  constexpr std::size_t map_bytes = 128;
  std::memset(map, 0, map_bytes);
  std::memcpy(map, &out, sizeof out);
  return true;
}

}  // namespace lanebank::cudart
