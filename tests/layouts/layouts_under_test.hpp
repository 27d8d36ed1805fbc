// The layouts that the tests go through, of every family.
#pragma once

#include <cstdint>

#include "lanebank/layout.hpp"

namespace lanebank {

using Half = std::uint16_t;
struct Triple {
  float x, y, z;
};

template <class... Ls>
struct LayoutList {};

using LayoutsUnderTest = LayoutList<
    RowMajor<float, 32, 32>, RowMajor<Half, 16, 16>, RowMajor<std::uint8_t, 5, 7>, RowMajor<double, 16, 12, 13>,
    RowMajor<Triple, 9, 8>, Padded<float, 32, 32, 1>, Padded<Half, 64, 64, 8>, Diagonal<float, 32, 32>,
    Diagonal<float, 16, 24, 3>, Diagonal<Half, 64, 64, 1, 8>, Diagonal<float, 8, 20, 2, 4, 24>, Xor<float, 32, 32>,
    Xor<float, 64, 32>, Xor<float, 16, 16>, Xor<float, 24, 48>, Xor<Half, 64, 64, 8>, Xor<Half, 64, 64, 8, 2, 1>,
    Xor<Half, 64, 64, 8, 2, 0, 1>, Xor<Half, 32, 32, 8, 2, 1, 0, 40>, Xor<float, 32, 32, 1, 3, 4, 1>,
    Swizzled<RowMajor<Half, 64, 64>, Swizzle<3, 4, 3>>, Swizzled<RowMajor<Half, 16, 16>, SwizzleSbm<Half, 3, 1, 3>>,
    Swizzled<RowMajor<Half, 16, 16>, SwizzleSbm<Half, 2, 2, 2>>,
    Swizzled<RowMajor<Half, 16, 16>, SwizzleSbm<Half, 3, 1, 3>, SwizzleSbm<Half, 2, 2, 2>>,
    Swizzled<RowMajor<float, 64, 32>, SwizzleXor<Swizzle<1, 4, 5>, Swizzle<2, 5, 2>>>,
    Swizzled<Padded<float, 32, 32, 4>, Swizzle<2, 4, 3>>,
    Swizzled<Rounded<RowMajor<float, 5, 12>, 128>, Swizzle<3, 4, 3>>, AnyPitch<Half, 64, 96, 16>,
    AnyPitch<Half, 64, 80, 16>, AnyPitch<Half, 64, 128, 16>, AnyPitch<float, 32, 20>, AnyPitch<float, 32, 31>,
    AnyPitch<double, 16, 48>, AnyPitch<float, 8, 12, 16>,
    Linear<float, 8, 8, 1, 2, 4 | 32 | 128, 8 | 64, 16 | 128, 32, 64, 128>, HardwareTile<Half, 64, 64, 128>,
    HardwareTile<Half, 64, 32, 64>, HardwareTile<Half, 16, 128, 32>, HardwareTile<float, 24, 32, 128>,
    Shifted<Xor<float, 32, 32>, 128>, Swizzled<Shifted<RowMajor<Half, 15, 64>, 128>, HardwareSwizzle<128>>>;

/// Calls function(L{}) for every layout.
template <class... Ls, class Function>
void for_each_layout(LayoutList<Ls...>, Function function) {
  (function(Ls{}), ...);
}

}  // namespace lanebank
