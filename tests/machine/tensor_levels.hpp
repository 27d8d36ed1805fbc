// Matrix products of ordinary operands as each SIMD level of the build multiplies them: one call for every element format, so
// that no code of a level is shared with others.
#pragma once

#include <cstdint>

#include "lanebank_simd_levels.hpp"

namespace lanebank::machine::test {

struct TensorCase {
  unsigned element = 0;  ///< numerics::Element
  unsigned depth = 0;    ///< elements of a row of A
  bool half_sum = false, negated = false;
  unsigned architecture = 90;
  std::uint8_t a[16][32] = {}, b[8][32] = {};  ///< rows of A and columns of B, their bytes along k
  float c[8][16] = {};                         ///< sums by column: before, and afterwards if `narrow`
  bool narrow = false;                         ///< whether the operands were ordinary
};

}  // namespace lanebank::machine::test

namespace lanebank::machine {
#define LANEBANK_LEVEL(name, level)            \
  namespace name {                             \
  bool multiply_ordinary(test::TensorCase& x); \
  }
LANEBANK_SIMD_LEVELS(LANEBANK_LEVEL)
#undef LANEBANK_LEVEL
}  // namespace lanebank::machine
