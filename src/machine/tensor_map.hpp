// The tensor map (CUtensorMap) as this emulator writes and reads it. Its 128 bytes are opaque to
// programs: cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col fill them, only the copy engine looks inside.
#pragma once

#include <cstdint>
#include <cstring>

namespace lanebank::machine {

struct TensorMap {
  static constexpr std::uint32_t expected_magic = 0x4c42544d;  // "MTBL"

  std::uint32_t magic = expected_magic;
  std::uint8_t rank = 0;               ///< 1..5
  std::uint8_t element_bytes = 0;      ///< 1, 2, 4 or 8
  std::uint8_t interleave = 0;         ///< 0 none; 16-byte and 32-byte forms are not executed
  std::uint8_t swizzle = 0;            ///< CUtensorMapSwizzle: 0 none, 1 32 B, 2 64 B, 3 128 B
  std::uint64_t address = 0;           ///< global
  std::uint32_t extent[5] = {};        ///< elements, fastest first; 2^32 is kept as 0
  std::uint64_t stride_bytes[4] = {};  ///< of dimensions 1..4
  std::uint16_t box[5] = {};           ///< elements; 256 at most
  std::uint8_t element_stride[5] = {};
  std::uint8_t data_type = 0;  ///< CUtensorMapDataType
  std::uint8_t fill_nan = 0;   ///< out-of-bounds elements: 0 zero, 1 NaN (floating types)
  /// Of image columns (im2col): channels of a pixel, pixels of a copy, and the corners of the box in which pixels lie, by
  /// dimension 1 .. rank - 2; the upper ones count from the extent. 0 pixels: a map of tiles.
  std::uint16_t channels = 0, pixels = 0;
  std::int16_t lower[3] = {}, upper[3] = {};
};
static_assert(sizeof(TensorMap) <= 128);

/// Shared-memory swizzle of the copy engine on absolute byte addresses: bits 4.. of the address XOR bits 7...
constexpr std::uint32_t tensor_swizzle(std::uint32_t address, unsigned swizzle) {
  return swizzle == 0 ? address : address ^ ((address >> 7 & ((1u << swizzle) - 1)) << 4);
}

}  // namespace lanebank::machine
