#include "tensor_levels.hpp"

#include <cstring>

#include "machine/numerics/tensor_narrow.hpp"

namespace lanebank::machine::LANEBANK_SIMD {
namespace {

using namespace numerics;

template <Element element, unsigned depth, bool half_sum>
void multiply(test::TensorCase& x) {
  TurnedA<element, depth> turned;
  for (unsigned m = 0; m < 16; ++m)
    for (unsigned i = 0; i < turned.words; ++i) std::memcpy(&turned.word[i][m], &x.a[m][4 * i], 4);
  NarrowA<depth> a;
  NarrowB<depth> b;
  TileC c;
  std::memcpy(c.value, x.c, sizeof c.value);
  fill_narrow_a(turned, x.negated, a);
  fill_narrow_b<element>(x.b, b);
  x.narrow = multiply_narrow<depth, half_sum>(a, b, c, sum_rule(x.architecture, element));
  std::memcpy(x.c, c.value, sizeof c.value);
}

}  // namespace

/// False where there is no such product.
bool multiply_ordinary(test::TensorCase& x) {
#define LANEBANK_CASE(format, k, half)                                                                 \
  if (x.element == static_cast<unsigned>(Element::format) && x.depth == (k) && x.half_sum == (half)) { \
    multiply<Element::format, k, half>(x);                                                             \
    return true;                                                                                       \
  }
  LANEBANK_CASE(half, 8, false)
  LANEBANK_CASE(half, 16, false)
  LANEBANK_CASE(half, 8, true)
  LANEBANK_CASE(half, 16, true)
  LANEBANK_CASE(brain, 8, false)
  LANEBANK_CASE(brain, 16, false)
  LANEBANK_CASE(tensor32, 4, false)
  LANEBANK_CASE(tensor32, 8, false)
  LANEBANK_CASE(e4m3, 32, false)
  LANEBANK_CASE(e5m2, 32, false)
  LANEBANK_CASE(e5m2, 32, true)
#undef LANEBANK_CASE
  return false;
}

}  // namespace lanebank::machine::LANEBANK_SIMD
