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
// With LANEBANK_TRUST_PROOFS defined, conflict_free and ideal are true without being counted: for builds of many sources with
// the same layouts, of which one build proves them. nvcc compiled tests/kernels/permute.cu in two thirds of the time.
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

#include "lanebank/bank_model.hpp"
#include "lanebank/evidence.hpp"
#include "lanebank/layout_proofs.hpp"
#include "lanebank/pattern.hpp"
#include "lanebank/pattern_cost.hpp"

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

constexpr unsigned lowest_lane(std::uint32_t mask) {
  unsigned lane = 0;
  while (lane < lanes_per_warp - 1 && (mask >> lane & 1) == 0) ++lane;
  return lane;
}

/// The first group of an access with a conflict, and two of its lanes.
constexpr Meeting meeting_of(const Access& access) {
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
  static constexpr bool value = true;
};
template <class Instruction, class Wavefronts, class Ideal, class Access, class Layout, class Pattern>
struct excess_wavefronts {
  static_assert(
      detail::never<Layout>,
      "excess wavefronts: an access takes more wavefronts than its ideal; the arguments of excess_wavefronts name "
      "the instruction, both numbers and the access of the pattern");
  static constexpr bool value = true;
};
template <class Instruction, class Lane, class Element, class Access, class Layout, class Pattern>
struct access_outside_the_tile {
  static_assert(detail::never<Layout>,
                "access outside the tile: a lane's elements are not all in the tile; the arguments of "
                "access_outside_the_tile name the instruction, the lane, its element and the access of the pattern");
  static constexpr bool value = true;
};
template <class Instruction, class Lane, class Element, class Offset, class Access, class Layout, class Pattern>
struct torn_access {
  static_assert(
      detail::never<Layout>,
      "torn access: a lane's bytes do not lie in one piece at a multiple of their size; the arguments of "
      "torn_access name the instruction, the lane, its element, its byte offset and the access of the pattern");
  static constexpr bool value = true;
};
template <class Instruction, class Access, class Layout, class Pattern>
struct access_not_modelled {
  static_assert(detail::never<Layout>, "access not modelled: no rule is known for what this access costs");
  static constexpr bool value = true;
};
/// A pattern takes another number of wavefronts than was claimed. FirstConflict: the evidence, or no_conflict.
template <class Claimed, class Counted, class FirstConflict, class Layout, class Pattern>
struct other_wavefronts {
  static_assert(detail::never<Layout>,
                "other wavefronts: the pattern takes another number of wavefronts than was claimed; the arguments of "
                "other_wavefronts are the claimed and the counted number and the first conflict");
  static constexpr bool value = true;
};

namespace detail {

/// Can the pattern be counted on the layout? Else one of the errors above.
template <class L, class P, PatternFault What = pattern_cost<L, P>.fault>
struct Counted {
  static constexpr bool value = true;
};
template <class L, class P>
struct FaultPlace {
  static constexpr unsigned number = pattern_cost<L, P>.fault_access, at_lane = pattern_cost<L, P>.fault_lane;
  static constexpr Coordinate place = P::template at<L>(number, at_lane);
  using Lane = lane<at_lane>;
  using Element = element<place.row, place.column>;
  using Number = access<number>;
};
template <class L, class P>
struct FaultOffset : FaultPlace<L, P> {
  using Offset = byte_offset_is<L::offset(FaultPlace<L, P>::place.row, FaultPlace<L, P>::place.column)>;
};
template <class L, class P>
struct Counted<L, P, PatternFault::outside>
    : access_outside_the_tile<Instruction<L, P>, typename FaultPlace<L, P>::Lane, typename FaultPlace<L, P>::Element,
                              typename FaultPlace<L, P>::Number, L, P> {};
template <class L, class P>
struct Counted<L, P, PatternFault::torn>
    : torn_access<Instruction<L, P>, typename FaultPlace<L, P>::Lane, typename FaultPlace<L, P>::Element,
                  typename FaultOffset<L, P>::Offset, typename FaultPlace<L, P>::Number, L, P> {};
template <class L, class P>
struct Counted<L, P, PatternFault::not_modelled>
    : access_not_modelled<Instruction<L, P>, typename FaultPlace<L, P>::Number, L, P> {};

/// The evidence that access Number shows: the lanes that meet, or, where no two meet in a bank, its excess.
template <class L, class P, unsigned Number, bool Meets = (meeting<L, P, Number>.degree > 1)>
struct EvidenceOf {
  static constexpr Meeting m = meeting<L, P, Number>;
  using Type = bank_conflict<Instruction<L, P>, lanes<m.first_lane, m.second_lane>, bank<m.bank>,
                             words<m.first_word, m.second_word>, degree<m.degree>, access<Number>, L, P>;
};
template <class L, class P, unsigned Number>
struct EvidenceOf<L, P, Number, false> {
  static constexpr Cost c = cost_of<L, P, Number>;
  using Type =
      excess_wavefronts<Instruction<L, P>, wavefronts_are<c.wavefronts>, ideal_is<c.ideal>, access<Number>, L, P>;
};

template <class L, class P, bool Good = !pattern_cost<L, P>.conflict>
struct ProveConflictFree {
  static constexpr bool value = true;
};
template <class L, class P>
struct ProveConflictFree<L, P, false> : EvidenceOf<L, P, pattern_cost<L, P>.conflict_access>::Type {};

template <class L, class P, bool Good = !pattern_cost<L, P>.excess>
struct ProveIdeal {
  static constexpr bool value = true;
};
template <class L, class P>
struct ProveIdeal<L, P, false> : EvidenceOf<L, P, pattern_cost<L, P>.excess_access>::Type {};

template <class L, class P, unsigned Claimed, bool Equal = pattern_cost<L, P>.wavefronts == Claimed>
struct ProveWavefronts {
  static constexpr bool value = true;
};
template <class L, class P, bool Conflict = pattern_cost<L, P>.conflict>
struct FirstConflict {
  using Type = no_conflict;
};
template <class L, class P>
struct FirstConflict<L, P, true> : EvidenceOf<L, P, pattern_cost<L, P>.conflict_access> {};
template <class L, class P, unsigned Claimed>
struct ProveWavefronts<L, P, Claimed, false>
    : other_wavefronts<claimed<Claimed>, counted<pattern_cost<L, P>.wavefronts>, typename FirstConflict<L, P>::Type, L,
                       P> {};

template <class L, class... Patterns>
struct ProvePatternsInBounds {
  static constexpr bool value = (Counted<L, Patterns>::value && ...);
};

}  // namespace detail

namespace holds {

/// Can every access be counted: inside the tile, not torn, with a known rule?
template <class L, class... Patterns>
inline constexpr bool countable = ((pattern_cost<L, Patterns>.fault == lanebank::PatternFault::none) && ...);
template <class L, class... Patterns>
inline constexpr bool conflict_free = countable<L, Patterns...> && (!pattern_cost<L, Patterns>.conflict && ...);
template <class L, class... Patterns>
inline constexpr bool ideal = countable<L, Patterns...> && (!pattern_cost<L, Patterns>.excess && ...);

}  // namespace holds

#if defined(LANEBANK_TRUST_PROOFS)
template <class L, class... Patterns>
inline constexpr bool conflict_free = true;
template <class L, class... Patterns>
inline constexpr bool ideal = true;
#else
/// No two lanes that are served together meet in a bank, in any access of any of the patterns.
template <class L, class... Patterns>
inline constexpr bool conflict_free =
    ((detail::Counted<L, Patterns>::value && detail::ProveConflictFree<L, Patterns>::value) && ...);

/// Every access of every pattern takes its ideal number of wavefronts.
template <class L, class... Patterns>
inline constexpr bool ideal = ((detail::Counted<L, Patterns>::value && detail::ProveIdeal<L, Patterns>::value) && ...);
#endif

/// Wavefronts of all accesses of a pattern together.
template <class L, class Pattern>
inline constexpr unsigned wavefronts = detail::Counted<L, Pattern>::value ? pattern_cost<L, Pattern>.wavefronts : 0;

/// Their ideal.
template <class L, class Pattern>
inline constexpr unsigned ideal_wavefronts = detail::Counted<L, Pattern>::value ? pattern_cost<L, Pattern>.ideal : 0;

/// The number of accesses (instructions of one warp) of a pattern on a layout.
template <class L, class Pattern>
inline constexpr unsigned accesses = Pattern::template shape<L>().accesses;

/// wavefronts<L, Pattern> == Claimed; the message has both numbers and, where there is a conflict, its first.
template <class L, class Pattern, unsigned Claimed>
inline constexpr bool has_wavefronts =
    detail::Counted<L, Pattern>::value&& detail::ProveWavefronts<L, Pattern, Claimed>::value;

}  // namespace lanebank
