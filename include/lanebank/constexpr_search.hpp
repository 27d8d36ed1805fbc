// A search that the compiler makes in steps, since compilers limit what one constant expression may do.
//
//   struct Finder { static constexpr Result find(std::uint32_t first, std::uint32_t last); };   // Result has `found`
//   constexpr Result result = lanebank::detail::first_found<Finder, count>();
//
// `find` looks at [first, last) and gives the first thing found there; first_found asks for [0, count) piece by piece and
// gives the first answer that is found, else the last one. Each piece is a constant expression of its own.
// C++17, no dependencies; evaluated by the compiler.
#pragma once

#include <cstdint>

namespace lanebank {
namespace detail {

/// Elements that one constant expression looks at.
inline constexpr std::uint32_t elements_per_step = 2048;

template <std::uint32_t Count, std::uint32_t First>
inline constexpr std::uint32_t step_end = Count - First > elements_per_step ? First + elements_per_step : Count;

/// What one step finds. A variable, so that nobody evaluates the step again.
template <class Finder, std::uint32_t Count, std::uint32_t First>
inline constexpr auto found_in_step = Finder::find(First, step_end<Count, First>);

template <class Finder, std::uint32_t Count, std::uint32_t First = 0>
constexpr auto first_found() {
  if constexpr (found_in_step<Finder, Count, First>.found || step_end<Count, First> == Count)
    return found_in_step<Finder, Count, First>;
  else
    return first_found<Finder, Count, step_end<Count, First>>();
}

}  // namespace detail
}  // namespace lanebank
