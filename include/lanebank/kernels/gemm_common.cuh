// What the kernels of the matrix product share: the matrices, the order of the tiles, and guarded access at the edges.
//
//   C (M x N) = A (M x K) * B, all row-major; B is K x N, or N x K and used transposed (MatrixB)
//
// Order of tiles for the L2 cache (tile_place): the rows of tiles in groups; in a group down the columns first, so that
// tiles that run together form a block of about `group` rows and share their rows of A and columns of B:
//
//   group = 2:   0 2 4 6        group >= rows: column after column
//                1 3 5 7        group = 1:     row after row
//                8 10 ..
//
// Units: elements, but where a name says bytes. C++17, host and device code; nothing but CUDA headers.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <type_traits>

#include "lanebank/host_device.hpp"

namespace lanebank {

/// How B lies in memory: N rows of K elements (the product is A * B^T) or K rows of N elements (A * B).
enum class MatrixB : std::uint8_t { n_by_k, k_by_n };

/// The matrices of a product. Pitches: distance of two rows.
template <class In, class Out>
struct GemmMatrices {
  const In* a = nullptr;
  const In* b = nullptr;
  Out* c = nullptr;
  std::uint64_t m = 0, n = 0, k = 0;
  std::uint64_t a_pitch = 0, b_pitch = 0, c_pitch = 0;
};

namespace kernels {

template <class T>
inline constexpr bool is_gemm_input = std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>;

struct TilePlace {
  std::uint32_t row = 0, column = 0;  ///< in tiles
};

/// Where tile `index` of rows x columns tiles lies; the page above. group > 0.
LANEBANK_HOST_DEVICE constexpr TilePlace tile_place(std::uint32_t index, std::uint32_t rows, std::uint32_t columns,
                                                    std::uint32_t group) {
  const std::uint32_t in_group = group * columns, first = index / in_group * group;
  const std::uint32_t height = rows - first < group ? rows - first : group;
  return TilePlace{first + index % in_group % height, index % in_group / height};
}

/// Two floats as two elements of 16 bits, the first one low.
template <class Out>
__device__ __forceinline__ std::uint32_t pack(float low, float high) {
  if constexpr (std::is_same_v<Out, __half>) {
    const __half2 pair = __floats2half2_rn(low, high);
    return *reinterpret_cast<const std::uint32_t*>(&pair);
  } else {
    const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
    return *reinterpret_cast<const std::uint32_t*>(&pair);
  }
}

template <class Out>
__device__ __forceinline__ Out element_of(float value) {
  if constexpr (std::is_same_v<Out, float>)
    return value;
  else if constexpr (std::is_same_v<Out, __half>)
    return __float2half_rn(value);
  else
    return __float2bfloat16_rn(value);
}

/// May pairs of elements of C be stored at once?
template <class Out>
__device__ __forceinline__ bool pairs_aligned(const Out* c, std::uint64_t pitch) {
  return pitch % 2 == 0 && reinterpret_cast<std::uintptr_t>(c) % (2 * sizeof(Out)) == 0;
}

/// Stores two neighbours of a row of C, as far as they lie inside it.
template <class Out>
__device__ __forceinline__ void store_pair(Out* row, std::uint32_t column, std::uint32_t columns, bool pairs, float low,
                                           float high) {
  if (pairs && column + 1 < columns) {
    if constexpr (std::is_same_v<Out, float>)
      *reinterpret_cast<float2*>(row + column) = make_float2(low, high);
    else
      *reinterpret_cast<std::uint32_t*>(row + column) = pack<Out>(low, high);
  } else {
    if (column < columns) row[column] = element_of<Out>(low);
    if (column + 1 < columns) row[column + 1] = element_of<Out>(high);
  }
}

/// Eight elements of a row from `column` on; zeros outside of [0, columns). Whole: the eight may be loaded at once. Else three
/// aligned words and two elements are loaded, which are the first or the last but one, and the last.
template <class In>
__device__ __forceinline__ uint4 load_eight(const In* row, std::uint32_t column, std::uint32_t columns, bool inside,
                                            bool whole) {
  if (inside && whole && column + 8 <= columns) return *reinterpret_cast<const uint4*>(row + column);
  std::uint32_t words[4] = {};
  const auto* halves = reinterpret_cast<const unsigned short*>(row);
  if (inside && column + 8 <= columns) {
    const unsigned odd = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(row + column) / 2 % 2);
    const auto* aligned = reinterpret_cast<const std::uint32_t*>(halves + column + odd);
    const std::uint32_t w[3] = {aligned[0], aligned[1], aligned[2]};
    const std::uint32_t one = halves[column + (odd != 0 ? 0 : 6)], last = halves[column + 7];
    const std::uint32_t line[5] = {odd != 0 ? one << 16 : w[0], odd != 0 ? w[0] : w[1], odd != 0 ? w[1] : w[2],
                                   odd != 0 ? w[2] : one | last << 16, last};
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) words[i] = __funnelshift_r(line[i], line[i + 1], odd * 16);
    return {words[0], words[1], words[2], words[3]};
  }
#pragma unroll
  for (unsigned i = 0; i < 8; ++i)
    if (inside && column + i < columns) words[i / 2] |= std::uint32_t{halves[column + i]} << 16 * (i % 2);
  return {words[0], words[1], words[2], words[3]};
}

/// May eight elements of the rows of a matrix be loaded at once, from columns that are multiples of eight?
template <class In>
LANEBANK_HOST_DEVICE inline bool eights_aligned(const In* matrix, std::uint64_t pitch) {
  return pitch % 8 == 0 && reinterpret_cast<std::uintptr_t>(matrix) % 16 == 0;
}

}  // namespace kernels
}  // namespace lanebank
