// The tensor map (CUtensorMap). cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col fill its 128 bytes, the copy engine reads them, and
// tensormap.replace changes fields of them: ptxas makes ordinary loads, LOP3 and stores of it. Those fields lie here where its code
// looks for them (nvcc 13.0, sm_90a), numbers in bits of 32-bit words:
//
//   word 0, 1   global address
//   word 2      4:7 rank - 1   7:11 element type   11:13 interleave   13:15 swizzle   15 fill   16 with type 7, 8: tf32
//               22 other units of the swizzle
//   word 3..6   bits 4..35 of the strides of dimensions 1..4
//   word 7      bits 36..39 of these strides, 4 each
//   word 8..12  extents - 1
//   word 13     element strides - 1, 3 each   24:32 box of dimension 0 - 1
//   word 14     box of dimensions 1..4 - 1, 8 each
//
// What Im2col adds lies behind, in this emulator's own order.
#pragma once

#include <array>
#include <cstdint>

namespace lanebank::machine {

struct TensorMap {
  std::uint8_t rank = 0;               ///< 1..5
  std::uint8_t element_bytes = 0;      ///< 1, 2, 4 or 8; 0: of a type that is not known
  std::uint8_t interleave = 0;         ///< 0 none; 16-byte and 32-byte forms are not executed
  std::uint8_t swizzle = 0;            ///< CUtensorMapSwizzle: 0 none, 1 32 B, 2 64 B, 3 128 B; larger: other units
  std::uint64_t address = 0;           ///< global
  std::uint32_t extent[5] = {};        ///< elements, fastest first; 2^32 is kept as 0
  std::uint64_t stride_bytes[4] = {};  ///< of dimensions 1..4; multiples of 16 below 2^40
  std::uint16_t box[5] = {};           ///< elements; 256 at most
  std::uint8_t element_stride[5] = {};
  std::uint8_t data_type = 0;  ///< CUtensorMapDataType
  std::uint8_t fill_nan = 0;   ///< out-of-bounds elements: 0 zero, 1 NaN (floating types)
  /// Of image columns (im2col): channels of a pixel, pixels of a copy, and the corners of the box in which pixels lie, by
  /// dimension 1 .. rank - 2; the upper ones count from the extent. 0 pixels: a map of tiles.
  std::uint16_t channels = 0, pixels = 0;
  std::int16_t lower[3] = {}, upper[3] = {};
};

/// The 128 bytes of a map.
using TensorMapWords = std::array<std::uint32_t, 32>;

TensorMapWords encoded(const TensorMap& map);

/// False: no map that `encoded` wrote.
bool decode(const TensorMapWords& words, TensorMap& map);

/// Shared-memory swizzle of the copy engine on absolute byte addresses: bits 4.. of the address XOR bits 7...
constexpr std::uint32_t tensor_swizzle(std::uint32_t address, unsigned swizzle) {
  return swizzle == 0 ? address : address ^ ((address >> 7 & ((1u << swizzle) - 1)) << 4);
}

}  // namespace lanebank::machine
