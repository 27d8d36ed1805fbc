// The type that moves a number of bytes at once: 1, 2, 4, 8 or 16, at multiples of as many.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace lanebank::kernels::detail {

template <unsigned Bytes>
struct WordOf;
template <>
struct WordOf<1> {
  using Type = std::uint8_t;
};
template <>
struct WordOf<2> {
  using Type = std::uint16_t;
};
template <>
struct WordOf<4> {
  using Type = std::uint32_t;
};
template <>
struct WordOf<8> {
  using Type = uint2;
};
template <>
struct WordOf<16> {
  using Type = uint4;
};

}  // namespace lanebank::kernels::detail
