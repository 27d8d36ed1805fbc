// Proofs about a layout and the patterns that access it: bank conflicts counted by the compiler, exactly.
//
//   static_assert(lanebank::conflict_free<L, P...>);       no two lanes served together want different words of one bank
//   static_assert(lanebank::ideal<L, P...>);               each access takes its ideal number of wavefronts
//   static_assert(lanebank::wavefronts<L, P> == 32);       the sum over all accesses of the pattern
//   static_assert(lanebank::ideal_wavefronts<L, P> == 32);
//   static_assert(lanebank::has_wavefronts<L, P, 32>);     the same as a proof, with the worst conflict in the message
//   static_assert(lanebank::in_bounds<L, P...>);           every lane's element lies in the tile, its bytes in the layout's
//
// The count is bank_model.hpp's, of sm_90: phases, pairing, lane degree of atomics, sources of asynchronous copies. All
// accesses of the pattern are enumerated, so all positions in the tile; see pattern.hpp.
//
// A proof is true or does not compile; the message names instruction, lanes, bank and words as template arguments (how
// to read it: evidence.hpp). Namespace `holds` gives plain answers. Proofs of the layout alone (is_bijective,
// aligned_for): layout_proofs.hpp, included here.
//
// Smallest example:
//
//   using Tile = lanebank::Xor<float, 32, 32>;
//   static_assert(lanebank::conflict_free<Tile, lanebank::patterns::row<>, lanebank::patterns::column<>>);
//
// Units: wavefronts; words of 4 bytes. The base of the tile is taken to be a multiple of 4 bytes, and of the vector where
// lanes move more: other bases rename the banks and change no count.
// What it does not do: count other architectures than sm_90's rules; time. C++17, constexpr, no dependencies.
#pragma once

#include <cstdint>
#include <utility>

#include "lanebank/bank_model.hpp"
#include "lanebank/evidence.hpp"
#include "lanebank/layout_proofs.hpp"
#include "lanebank/pattern.hpp"

namespace lanebank {

/// Two lanes of one access meet in a bank. See evidence.hpp.
template <class Instruction, class Lanes, class Bank, class Words, class Degree, class Access, class Layout,
          class Pattern>
struct bank_conflict;
/// An access takes more wavefronts than its ideal.
template <class Instruction, class Wavefronts, class Ideal, class Access, class Layout, class Pattern>
struct excess_wavefronts;
/// A lane's element is not one of the tile's.
template <class Instruction, class Lane, class Element, class Access, class Layout, class Pattern>
struct access_outside_the_tile;
/// A lane's bytes do not lie in one piece at a multiple of their size.
template <class Instruction, class Lane, class Element, class Offset, class Access, class Layout, class Pattern>
struct torn_access;
/// No rule is known for an access (bank_model.hpp says which).
template <class Instruction, class Access, class Layout, class Pattern>
struct access_not_modelled;

namespace detail {

/// What stops an access from being counted.
enum class Fault : std::uint8_t { none, outside, torn, not_modelled };

/// The cost of a stretch of a pattern, and the first access of each kind that a proof may have to show.
struct Summary {
  unsigned wavefronts = 0, ideal = 0, worst_degree = 0;
  bool conflict = false, excess = false;
  unsigned conflict_access = 0, excess_access = 0;
  Fault fault = Fault::none;
  unsigned fault_access = 0, fault_lane = 0;

  LANEBANK_HOST_DEVICE constexpr void add(const Summary& later) {
    wavefronts += later.wavefronts;
    ideal += later.ideal;
    if (later.worst_degree > worst_degree) worst_degree = later.worst_degree;
    if (!conflict && later.conflict) conflict = true, conflict_access = later.conflict_access;
    if (!excess && later.excess) excess = true, excess_access = later.excess_access;
    if (fault == Fault::none && later.fault != Fault::none)
      fault = later.fault, fault_access = later.fault_access, fault_lane = later.fault_lane;
  }
};

/// Lanes served together when all 32 take part in different places. Only for loads, stores, ldmatrix and stmatrix; 0: the
/// shortcut below does not apply.
LANEBANK_HOST_DEVICE constexpr unsigned plain_group_lanes(AccessKind kind, unsigned lane_bytes) {
  const bool plain = kind == AccessKind::load || kind == AccessKind::store || kind == AccessKind::matrix_load ||
                     kind == AccessKind::matrix_store;
  return plain ? access_rule(90, kind, lane_bytes).group_lanes : 0;
}

/// Is every group of `group_lanes` lanes of `lanes` spread over different banks? Addresses are multiples of lane_bytes. A
/// cheap sufficient test: where it holds the access takes one wavefront per group, which is its ideal; where it does not,
/// `cost` decides.
LANEBANK_HOST_DEVICE constexpr bool spread_out(const std::uint32_t* addresses, unsigned lanes, unsigned group_lanes,
                                               unsigned lane_bytes) {
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
  Fault fault = Fault::none;
  unsigned fault_lane = 0;
};

/// Does the layout keep the pattern's vectors together? Then a lane need look at its first element only.
template <class L, class P>
LANEBANK_HOST_DEVICE constexpr bool whole_vectors() {
  constexpr unsigned bytes = P::template shape<L>().lane_bytes;
  static_assert(bytes >= L::element_bytes && bytes % L::element_bytes == 0, "a lane accesses whole elements");
  if constexpr (bytes == L::element_bytes)
    return true;
  else
    return holds::aligned_for<L, bytes>;
}

template <class L, class P>
LANEBANK_HOST_DEVICE constexpr Lanes lanes_of(unsigned number) {
  constexpr PatternShape shape = P::template shape<L>();
  constexpr std::uint32_t used = addressing_lanes(shape.kind, shape.matrices);
  constexpr std::uint32_t elements = shape.lane_bytes / L::element_bytes;
  constexpr bool whole = whole_vectors<L, P>();
  Lanes result;
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane) {
    if ((used >> lane & 1) == 0) continue;
    const Coordinate place = P::template at<L>(number, lane);
    if (!place.active) continue;
    if (place.row >= L::rows || place.column + elements > L::columns) {
      result.fault = Fault::outside;
      result.fault_lane = lane;
      return result;
    }
    const std::uint32_t offset = L::offset(place.row, place.column);
    bool torn = offset % shape.lane_bytes != 0;
    if (!whole || place.column % elements != 0)
      for (std::uint32_t k = 1; k < elements; ++k)
        torn = torn || L::offset(place.row, place.column + k) != offset + k * L::element_bytes;
    if (torn) {
      result.fault = Fault::torn;
      result.fault_lane = lane;
      return result;
    }
    result.addresses[lane] = offset;
    result.active |= std::uint32_t{1} << lane;
  }
  return result;
}

template <class L, class P>
LANEBANK_HOST_DEVICE constexpr Access access_from(const Lanes& lanes, unsigned number) {
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

/// Access `number` of a pattern as the bank model sees it.
template <class L, class P>
LANEBANK_HOST_DEVICE constexpr Access access_of(unsigned number) {
  return access_from<L, P>(lanes_of<L, P>(number), number);
}

/// Adds one access to the summary.
template <class L, class P>
LANEBANK_HOST_DEVICE constexpr void count(unsigned number, Summary& sum) {
  constexpr PatternShape shape = P::template shape<L>();
  constexpr std::uint32_t used = addressing_lanes(shape.kind, shape.matrices);
  constexpr unsigned group_lanes = plain_group_lanes(shape.kind, shape.lane_bytes);
  constexpr unsigned used_lanes = used == 0xffffffffu ? lanes_per_warp : 8 * shape.matrices;
  Summary one;
  const Lanes lanes = lanes_of<L, P>(number);
  if (lanes.fault != Fault::none) {
    one.fault = lanes.fault;
  } else if (group_lanes != 0 && lanes.active == used &&
             spread_out(lanes.addresses, used_lanes, group_lanes == 0 ? 1 : group_lanes, shape.lane_bytes)) {
    one.wavefronts = one.ideal = used_lanes / (group_lanes == 0 ? 1 : group_lanes);
    one.worst_degree = 1;
  } else {
    const Cost cost = lanebank::cost(access_from<L, P>(lanes, number));
    if (!cost.modelled) one.fault = Fault::not_modelled;
    one.wavefronts = cost.wavefronts;
    one.ideal = cost.ideal;
    one.worst_degree = cost.worst_degree;
    one.excess = cost.wavefronts > cost.ideal;
    one.conflict = shape.kind == AccessKind::async_copy_cg ? one.excess : cost.worst_degree > 1;
  }
  one.conflict_access = one.excess_access = one.fault_access = number;
  one.fault_lane = lanes.fault_lane;
  sum.add(one);
}

/// Accesses that one constant expression counts: compilers limit its steps.
inline constexpr unsigned accesses_per_step = 16;

template <class L, class P>
LANEBANK_HOST_DEVICE constexpr Summary count_step(unsigned first, unsigned last) {
  Summary sum;
  for (unsigned number = first; number < last; ++number) count<L, P>(number, sum);
  return sum;
}

template <class L, class P, unsigned Step>
inline constexpr Summary step_summary = count_step<L, P>(Step* accesses_per_step,
                                                         (Step + 1) * accesses_per_step <
                                                                 P::template shape<L>().accesses
                                                             ? (Step + 1) * accesses_per_step
                                                             : P::template shape<L>().accesses);

template <class L, class P, unsigned... Step>
LANEBANK_HOST_DEVICE constexpr Summary sum_steps(std::integer_sequence<unsigned, Step...>) {
  Summary sum;
  (sum.add(step_summary<L, P, Step>), ...);
  return sum;
}

/// The cost of a whole pattern on a layout: computed once for each pair.
template <class L, class P>
inline constexpr Summary summary =
    sum_steps<L, P>(std::make_integer_sequence<unsigned, (P::template shape<L>().accesses + accesses_per_step - 1) /
                                                             accesses_per_step>{});

template <AccessKind Kind, unsigned Bytes, unsigned Matrices>
struct InstructionOf {
  using Type = instruction::other<static_cast<unsigned>(Kind), Bytes>;
};
template <unsigned Bytes, unsigned Matrices>
struct InstructionOf<AccessKind::load, Bytes, Matrices> {
  using Type = instruction::ld<Bytes>;
};
template <unsigned Bytes, unsigned Matrices>
struct InstructionOf<AccessKind::store, Bytes, Matrices> {
  using Type = instruction::st<Bytes>;
};
template <unsigned Bytes, unsigned Matrices>
struct InstructionOf<AccessKind::matrix_load, Bytes, Matrices> {
  using Type = instruction::ldmatrix<Matrices>;
};
template <unsigned Bytes, unsigned Matrices>
struct InstructionOf<AccessKind::matrix_store, Bytes, Matrices> {
  using Type = instruction::stmatrix<Matrices>;
};
template <unsigned Bytes, unsigned Matrices>
struct InstructionOf<AccessKind::atomic, Bytes, Matrices> {
  using Type = instruction::atom<Bytes>;
};
template <unsigned Bytes, unsigned Matrices>
struct InstructionOf<AccessKind::atomic_cas, Bytes, Matrices> {
  using Type = instruction::atom_cas<Bytes>;
};
template <unsigned Bytes, unsigned Matrices>
struct InstructionOf<AccessKind::async_copy_ca, Bytes, Matrices> {
  using Type = instruction::cp_async_ca<Bytes>;
};
template <unsigned Bytes, unsigned Matrices>
struct InstructionOf<AccessKind::async_copy_cg, Bytes, Matrices> {
  using Type = instruction::cp_async_cg<Bytes>;
};

template <class L, class P>
using Instruction = typename InstructionOf<P::template shape<L>().kind, P::template shape<L>().lane_bytes,
                                           P::template shape<L>().matrices>::Type;

/// Two lanes that meet, where, and how many words (lanes, for atomics and copies) meet there.
struct Meeting {
  unsigned first_lane = 0, second_lane = 0, bank = 0, first_word = 0, second_word = 0, degree = 0;
};

LANEBANK_HOST_DEVICE constexpr unsigned lowest_lane(std::uint32_t mask) {
  unsigned lane = 0;
  while (lane < lanes_per_warp - 1 && (mask >> lane & 1) == 0) ++lane;
  return lane;
}

/// The first group of an access with a conflict, and two of its lanes.
LANEBANK_HOST_DEVICE constexpr Meeting meeting_of(const Access& access) {
  const Cost cost = lanebank::cost(access);
  Meeting result;
  for (unsigned i = 0; i < cost.group_count; ++i) {
    const Group& group = cost.groups[i];
    if (group.degree < 2) continue;
    const Collision met = collision(access, group);
    result.bank = group.bank;
    result.degree = group.degree;
    if (met.word_count > 1) {
      result.first_lane = lowest_lane(met.words[0].lanes);
      result.second_lane = lowest_lane(met.words[1].lanes);
      result.first_word = met.words[0].address_bytes / bank_bytes;
      result.second_word = met.words[1].address_bytes / bank_bytes;
    } else {
      result.first_lane = lowest_lane(group.colliding_lanes);
      result.second_lane = lowest_lane(group.colliding_lanes & (group.colliding_lanes - 1));
      result.first_word = access.addresses[result.first_lane] / bank_bytes;
      result.second_word = access.addresses[result.second_lane] / bank_bytes;
    }
    return result;
  }
  return result;
}

template <class L, class P, unsigned Number>
inline constexpr Meeting meeting = meeting_of(access_of<L, P>(Number));
template <class L, class P, unsigned Number>
inline constexpr Cost cost_of = lanebank::cost(access_of<L, P>(Number));

}  // namespace detail

template <class Instruction, class Lanes, class Bank, class Words, class Degree, class Access, class Layout,
          class Pattern>
struct bank_conflict {
  static_assert(
      detail::never<Layout>,
      "bank conflict: two lanes that are served together meet in one bank; the arguments of bank_conflict name the "
      "instruction, the lanes, the bank, their words, how many meet there, and the access of the pattern");
};
template <class Instruction, class Wavefronts, class Ideal, class Access, class Layout, class Pattern>
struct excess_wavefronts {
  static_assert(
      detail::never<Layout>,
      "excess wavefronts: an access takes more wavefronts than its ideal; the arguments of excess_wavefronts name "
      "the instruction, both numbers and the access of the pattern");
};
template <class Instruction, class Lane, class Element, class Access, class Layout, class Pattern>
struct access_outside_the_tile {
  static_assert(detail::never<Layout>,
                "access outside the tile: a lane's elements are not all in the tile; the arguments of "
                "access_outside_the_tile name the instruction, the lane, its element and the access of the pattern");
};
template <class Instruction, class Lane, class Element, class Offset, class Access, class Layout, class Pattern>
struct torn_access {
  static_assert(
      detail::never<Layout>,
      "torn access: a lane's bytes do not lie in one piece at a multiple of their size; the arguments of "
      "torn_access name the instruction, the lane, its element, its byte offset and the access of the pattern");
};
template <class Instruction, class Access, class Layout, class Pattern>
struct access_not_modelled {
  static_assert(detail::never<Layout>, "access not modelled: no rule is known for what this access costs");
};
/// A pattern takes another number of wavefronts than was claimed, without a conflict that explains it.
template <unsigned Claimed, unsigned Counted, class Layout, class Pattern>
struct other_wavefronts {
  static_assert(detail::never<Layout>,
                "other wavefronts: the pattern takes another number of wavefronts than was claimed; the arguments of "
                "other_wavefronts are the claimed and the counted number");
};

namespace detail {

/// Can the pattern be counted on the layout? Else one of the errors above.
template <class L, class P, Fault What = summary<L, P>.fault>
struct Counted {
  static constexpr bool value = true;
};
template <class L, class P>
struct FaultPlace {
  static constexpr unsigned number = summary<L, P>.fault_access, at_lane = summary<L, P>.fault_lane;
  static constexpr Coordinate place = P::template at<L>(number, at_lane);
};
template <class L, class P>
struct Counted<L, P, Fault::outside> : FaultPlace<L, P> {
  using F = FaultPlace<L, P>;
  static constexpr bool value =
      sizeof(access_outside_the_tile<Instruction<L, P>, lane<F::at_lane>, element<F::place.row, F::place.column>,
                                     access<F::number>, L, P>) != 0;
};
template <class L, class P>
struct Counted<L, P, Fault::torn> {
  using F = FaultPlace<L, P>;
  static constexpr bool value =
      sizeof(torn_access<Instruction<L, P>, lane<F::at_lane>, element<F::place.row, F::place.column>,
                         byte_offset_is<L::offset(F::place.row, F::place.column)>, access<F::number>, L, P>) != 0;
};
template <class L, class P>
struct Counted<L, P, Fault::not_modelled> {
  static constexpr bool value =
      sizeof(access_not_modelled<Instruction<L, P>, access<summary<L, P>.fault_access>, L, P>) != 0;
};

/// Shows access Number: the lanes that meet, or, where no two meet in a bank, its excess.
template <class L, class P, unsigned Number, bool Meets = (meeting<L, P, Number>.degree > 1)>
struct Show {
  static constexpr Meeting m = meeting<L, P, Number>;
  static constexpr bool value =
      sizeof(bank_conflict<Instruction<L, P>, lanes<m.first_lane, m.second_lane>, bank<m.bank>,
                           words<m.first_word, m.second_word>, degree<m.degree>, access<Number>, L, P>) != 0;
};
template <class L, class P, unsigned Number>
struct Show<L, P, Number, false> {
  static constexpr Cost c = cost_of<L, P, Number>;
  static constexpr bool value = sizeof(excess_wavefronts<Instruction<L, P>, wavefronts_are<c.wavefronts>,
                                                         ideal_is<c.ideal>, access<Number>, L, P>) != 0;
};

template <class L, class P, bool Good = !summary<L, P>.conflict>
struct ProveConflictFree {
  static constexpr bool value = true;
};
template <class L, class P>
struct ProveConflictFree<L, P, false> : Show<L, P, summary<L, P>.conflict_access> {};

template <class L, class P, bool Good = !summary<L, P>.excess>
struct ProveIdeal {
  static constexpr bool value = true;
};
template <class L, class P>
struct ProveIdeal<L, P, false> : Show<L, P, summary<L, P>.excess_access> {};

template <class L, class P, unsigned Claimed, bool Equal = summary<L, P>.wavefronts == Claimed>
struct ProveWavefronts {
  static constexpr bool value = true;
};
template <class L, class P, unsigned Claimed>
struct ProveWavefronts<L, P, Claimed, false> {
  static constexpr bool value =
      sizeof(other_wavefronts<Claimed, summary<L, P>.wavefronts, L, P>) != 0 && ProveConflictFree<L, P>::value;
};

template <class L, class... Patterns>
struct ProvePatternsInBounds {
  static constexpr bool value = (Counted<L, Patterns>::value && ...);
};

}  // namespace detail

namespace holds {

/// Can every access be counted: inside the tile, not torn, with a known rule?
template <class L, class... Patterns>
inline constexpr bool countable = ((lanebank::detail::summary<L, Patterns>.fault == lanebank::detail::Fault::none) &&
                                   ...);
template <class L, class... Patterns>
inline constexpr bool conflict_free = countable<L, Patterns...> &&
                                      (!lanebank::detail::summary<L, Patterns>.conflict && ...);
template <class L, class... Patterns>
inline constexpr bool ideal = countable<L, Patterns...> && (!lanebank::detail::summary<L, Patterns>.excess && ...);

}  // namespace holds

/// No two lanes that are served together meet in a bank, in any access of any of the patterns.
template <class L, class... Patterns>
inline constexpr bool conflict_free =
    ((detail::Counted<L, Patterns>::value && detail::ProveConflictFree<L, Patterns>::value) && ...);

/// Every access of every pattern takes its ideal number of wavefronts.
template <class L, class... Patterns>
inline constexpr bool ideal = ((detail::Counted<L, Patterns>::value && detail::ProveIdeal<L, Patterns>::value) && ...);

/// Wavefronts of all accesses of a pattern together.
template <class L, class Pattern>
inline constexpr unsigned wavefronts = detail::Counted<L, Pattern>::value ? detail::summary<L, Pattern>.wavefronts : 0;

/// Their ideal.
template <class L, class Pattern>
inline constexpr unsigned ideal_wavefronts = detail::Counted<L, Pattern>::value ? detail::summary<L, Pattern>.ideal : 0;

/// The number of accesses (instructions of one warp) of a pattern on a layout.
template <class L, class Pattern>
inline constexpr unsigned accesses = Pattern::template shape<L>().accesses;

/// wavefronts<L, Pattern> == Claimed; the message has both numbers and, where there is a conflict, its first.
template <class L, class Pattern, unsigned Claimed>
inline constexpr bool has_wavefronts =
    detail::Counted<L, Pattern>::value&& detail::ProveWavefronts<L, Pattern, Claimed>::value;

}  // namespace lanebank
