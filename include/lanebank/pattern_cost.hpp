// What a pattern costs on a layout: every access of it counted by the exact bank model, in the compiler.
//
//   pattern_cost<L, P>       PatternCost: wavefronts, ideal, worst degree, and the first access that a proof would show
//   access_of<L, P>(k)       access k as bank_model.hpp sees it: the lanes' addresses from the tile's base
//
//   for each access k:  lanes -> coordinates (the pattern) -> byte offsets (the layout) -> wavefronts (the bank model)
//
// Smallest example:
//
//   static_assert(lanebank::pattern_cost<RowMajor<float, 32, 32>, patterns::column<>>.wavefronts == 1024);
//
// Enumeration is split into constant expressions of a few accesses each, since compilers limit the steps of one; and an
// access whose groups of lanes are spread over different banks, which is what a proof hopes for, is recognised without
// the model (`spread_out`; the tests hold it against the model).
//
// What it does not do: stop the compiler. proofs.hpp does. C++17, constexpr, no dependencies; evaluated by the compiler.
#pragma once

#include <cstdint>
#include <utility>

#include "lanebank/bank_model.hpp"
#include "lanebank/layout_proofs.hpp"
#include "lanebank/pattern.hpp"

namespace lanebank {

/// What stops an access from being counted: a lane outside the tile, a lane whose bytes are not in one piece at a
/// multiple of their size, an access for which the bank model has no rule.
enum class PatternFault : std::uint8_t { none, outside, torn, not_modelled };

/// The cost of a pattern, or of a stretch of it, and the first access of each kind that a proof may have to show.
struct PatternCost {
  unsigned wavefronts = 0, ideal = 0, worst_degree = 0;
  bool conflict = false, excess = false;
  unsigned conflict_access = 0, excess_access = 0;
  PatternFault fault = PatternFault::none;
  unsigned fault_access = 0, fault_lane = 0;

  constexpr void add(const PatternCost& later) {
    wavefronts += later.wavefronts;
    ideal += later.ideal;
    if (later.worst_degree > worst_degree) worst_degree = later.worst_degree;
    if (!conflict && later.conflict) conflict = true, conflict_access = later.conflict_access;
    if (!excess && later.excess) excess = true, excess_access = later.excess_access;
    if (fault == PatternFault::none && later.fault != PatternFault::none)
      fault = later.fault, fault_access = later.fault_access, fault_lane = later.fault_lane;
  }
};

namespace detail {

/// Lanes served together when all 32 take part in different places. Only for loads, stores, ldmatrix and stmatrix; 0: the
/// shortcut below does not apply.
constexpr unsigned plain_group_lanes(AccessKind kind, unsigned lane_bytes) {
  const bool plain = kind == AccessKind::load || kind == AccessKind::store || kind == AccessKind::matrix_load ||
                     kind == AccessKind::matrix_store;
  return plain ? access_rule(90, kind, lane_bytes).group_lanes : 0;
}

/// Is every group of `group_lanes` lanes of `lanes` spread over different banks? Addresses are multiples of lane_bytes. A
/// cheap sufficient test: where it holds the access takes one wavefront per group, which is its ideal; where it does not,
/// `cost` decides.
constexpr bool spread_out(const std::uint32_t* addresses, unsigned lanes, unsigned group_lanes, unsigned lane_bytes) {
  const unsigned unit = lane_bytes < bank_bytes ? bank_bytes : lane_bytes;
  for (unsigned first = 0; first < lanes; first += group_lanes) {
    std::uint32_t seen = 0;
    for (unsigned lane = first; lane < first + group_lanes; ++lane) {
      const std::uint32_t bit = std::uint32_t{1} << addresses[lane] % bank_row_bytes / unit;
      if ((seen & bit) != 0) return false;
      seen |= bit;
    }
  }
  return true;
}

/// The addresses of one access of a pattern, and what is wrong with them.
struct Lanes {
  std::uint32_t addresses[lanes_per_warp] = {};
  std::uint32_t active = 0;
  PatternFault fault = PatternFault::none;
  unsigned fault_lane = 0;
};

/// Does the layout keep the pattern's vectors together? Then a lane need look at its first element only.
template <class L, class P>
constexpr bool whole_vectors() {
  constexpr unsigned bytes = P::template shape<L>().lane_bytes;
  static_assert(bytes >= L::element_bytes && bytes % L::element_bytes == 0, "a lane accesses whole elements");
  if constexpr (bytes == L::element_bytes)
    return true;
  else
    return holds::aligned_for<L, bytes>;
}

template <class L, class P>
constexpr Lanes lanes_of(unsigned number) {
  constexpr PatternShape shape = P::template shape<L>();
  constexpr std::uint32_t used = addressing_lanes(shape.kind, shape.matrices);
  constexpr std::uint32_t elements = shape.lane_bytes / L::element_bytes;
  constexpr bool whole = whole_vectors<L, P>();
  Lanes result;
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane) {
    if ((used >> lane & 1) == 0) continue;
    const Coordinate place = P::template at<L>(number, lane);
    if (!place.active) continue;
    if (place.row >= L::rows || place.column >= L::columns || place.column + elements > L::columns) {
      result.fault = PatternFault::outside;
      result.fault_lane = lane;
      return result;
    }
    const std::uint32_t offset = L::offset(place.row, place.column);
    bool torn = offset % shape.lane_bytes != 0;
    if (!whole || place.column % elements != 0)
      for (std::uint32_t k = 1; k < elements; ++k)
        torn = torn || L::offset(place.row, place.column + k) != offset + k * L::element_bytes;
    if (torn) {
      result.fault = PatternFault::torn;
      result.fault_lane = lane;
      return result;
    }
    result.addresses[lane] = offset;
    result.active |= std::uint32_t{1} << lane;
  }
  return result;
}

template <class L, class P>
constexpr Access access_from(const Lanes& lanes, unsigned number) {
  constexpr PatternShape shape = P::template shape<L>();
  Access result;
  result.kind = shape.kind;
  result.lane_bytes = shape.lane_bytes;
  result.matrices = shape.matrices;
  result.active_lanes = lanes.active;
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane) result.addresses[lane] = lanes.addresses[lane];
  if constexpr (shape.kind == AccessKind::async_copy_ca || shape.kind == AccessKind::async_copy_cg) {
    result.source = SourceOrder::given;
    for (unsigned lane = 0; lane < lanes_per_warp; ++lane)
      if ((lanes.active >> lane & 1) != 0) result.sources[lane] = P::template source<L>(number, lane);
  }
  return result;
}

/// Are `later`'s addresses those of `earlier`, all moved by the same number of words? Then it costs the same: the banks are
/// renamed and nothing else.
constexpr bool moved_by_words(const Lanes& earlier, const Lanes& later) {
  if (earlier.active != later.active) return false;
  bool first = true;
  std::uint32_t distance = 0;
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane) {
    if ((later.active >> lane & 1) == 0) continue;
    const std::uint32_t moved = later.addresses[lane] - earlier.addresses[lane];
    if (first) distance = moved;
    first = false;
    if (moved != distance) return false;
  }
  return distance % bank_bytes == 0;
}

/// The cost of one access, whose lanes are without fault.
constexpr PatternCost cost_of_one(const Access& access) {
  const Cost cost = lanebank::cost(access);
  PatternCost one;
  if (!cost.modelled) one.fault = PatternFault::not_modelled;
  one.wavefronts = cost.wavefronts;
  one.ideal = cost.ideal;
  one.worst_degree = cost.worst_degree;
  one.excess = cost.wavefronts > cost.ideal;
  one.conflict = access.kind == AccessKind::async_copy_cg ? one.excess : cost.worst_degree > 1;
  return one;
}

/// An access that went through the model, and its cost.
struct Modelled {
  bool any = false;
  Lanes lanes;
  PatternCost cost;
};

/// The cost of access `number`. `last` is the last one that went through the model.
template <class L, class P>
constexpr PatternCost count(unsigned number, Modelled& last) {
  constexpr PatternShape shape = P::template shape<L>();
  constexpr std::uint32_t used = addressing_lanes(shape.kind, shape.matrices);
  constexpr unsigned plain = plain_group_lanes(shape.kind, shape.lane_bytes), group_lanes = plain == 0 ? 1 : plain;
  constexpr unsigned used_lanes = used == 0xffffffffu ? lanes_per_warp : 8 * shape.matrices;
  constexpr bool copies = shape.kind == AccessKind::async_copy_ca || shape.kind == AccessKind::async_copy_cg;
  PatternCost one;
  const Lanes lanes = lanes_of<L, P>(number);
  if (lanes.fault != PatternFault::none) {
    one.fault = lanes.fault;
  } else if (plain != 0 && lanes.active == used &&
             spread_out(lanes.addresses, used_lanes, group_lanes, shape.lane_bytes)) {
    one.wavefronts = one.ideal = used_lanes / group_lanes;
    one.worst_degree = 1;
  } else if (!copies && last.any && moved_by_words(last.lanes, lanes)) {
    one = last.cost;
  } else {
    one = cost_of_one(access_from<L, P>(lanes, number));
    last.any = true;
    last.lanes = lanes;
    last.cost = one;
  }
  one.conflict_access = one.excess_access = one.fault_access = number;
  one.fault_lane = lanes.fault_lane;
  return one;
}

/// Accesses that one constant expression counts: compilers limit its steps.
inline constexpr unsigned accesses_per_step = 16;

template <class L, class P>
constexpr PatternCost count_step(unsigned first, unsigned last) {
  PatternCost sum;
  Modelled modelled;
  for (unsigned number = first; number < last; ++number) sum.add(count<L, P>(number, modelled));
  return sum;
}

constexpr unsigned fewer(unsigned a, unsigned b) { return a < b ? a : b; }

template <class L, class P, unsigned Step>
inline constexpr PatternCost step_cost =
    count_step<L, P>(Step* accesses_per_step, fewer((Step + 1) * accesses_per_step, P::template shape<L>().accesses));

template <class L, class P, unsigned... Step>
constexpr PatternCost sum_steps(std::integer_sequence<unsigned, Step...>) {
  constexpr PatternCost steps[] = {step_cost<L, P, Step>..., PatternCost{}};
  PatternCost sum;
  for (const PatternCost& step : steps) sum.add(step);
  return sum;
}

}  // namespace detail

/// The cost of a whole pattern on a layout; computed once for each pair.
template <class L, class P>
inline constexpr PatternCost pattern_cost = detail::sum_steps<L, P>(
    std::make_integer_sequence<unsigned, (P::template shape<L>().accesses + detail::accesses_per_step - 1) /
                                             detail::accesses_per_step>{});

/// Access `number` of a pattern as the bank model sees it.
template <class L, class P>
constexpr Access access_of(unsigned number) {
  return detail::access_from<L, P>(detail::lanes_of<L, P>(number), number);
}

}  // namespace lanebank
