// Rounding modes, and what the numeric headers share. All of it is pure functions on bit patterns.
//
// These headers are included by files that are compiled once per SIMD level, so everything stands in an
// unnamed namespace: no level's code is ever shared with another's. Loops over lanes call these functions;
// they have no branches that depend on data unless they say so, so that the compiler can vectorise them.
#pragma once

#include <cstdint>

#define LANEBANK_NUMERIC [[gnu::always_inline]] inline constexpr

namespace lanebank::machine::numerics {

/// As instructions encode them (.RM, .RP, .RZ).
enum class Rounding : std::uint8_t { nearest = 0, down = 1, up = 2, zero = 3 };

namespace {

template <class To, class From>
LANEBANK_NUMERIC To bits_as(From value) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, value);
}

/// All ones where the condition holds: selections made of it never become branches, which would keep loops
/// over lanes from being vectorised.
template <class Word>
LANEBANK_NUMERIC Word ones_if(bool condition) {
  return Word{0} - Word{condition};
}
template <class Word>
LANEBANK_NUMERIC Word select(bool condition, Word yes, Word no) {
  return no ^ ((yes ^ no) & ones_if<Word>(condition));
}

}  // namespace
}  // namespace lanebank::machine::numerics
