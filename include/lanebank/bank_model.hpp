// The bank model: what one shared-memory instruction of one warp costs, and which lanes are to blame.
//
// Shared memory has 32 banks, each 4 bytes wide; successive words lie in successive banks:
//
//   byte address    0    4    8   ...  124 | 128  132  ...
//   bank            0    1    2   ...   31 |   0    1  ...        bank(a) = (a / 4) mod 32
//
// In one *wavefront* each bank delivers one word, to as many lanes as want that word. The lanes of a warp
// are served in *groups* of neighbours (32 lanes, or fewer when each lane moves 8 or 16 bytes); for a group G
//
//   degree(G)      = max over banks b of | { words w touched by lanes of G : w mod 32 = b } |
//   lane degree(G) = max over banks b of | { lanes of G that touch a word of bank b } |      (atomics, cp.async)
//   wavefronts     = passes x sum over groups G with an active lane of degree(G)  (or lane degree)
//   ideal          = passes x number of groups with an active lane
//                    (atomics, cp.async: passes x active lanes x bytes per lane / 128, rounded up)
//
// What is excess is `wavefronts - ideal`. A loading warp is *paired* when every active lane shares its address
// with lane i^1, or every one with lane i^2 (an inactive partner does no harm); then groups are twice as large.
// cp.async.cg follows a rule of its own: `detail::copied_sectors_cost`.
//
// Smallest example, a 32x32 float tile read by column and by row:
//
//   constexpr auto column = lanebank::strided_access(lanebank::AccessKind::load, 4, 128);
//   constexpr auto row    = lanebank::strided_access(lanebank::AccessKind::load, 4, 4);
//   static_assert(lanebank::cost(column).wavefronts == 32 && lanebank::cost(row).wavefronts == 1);
//
// Units: addresses are bytes from a 128-byte boundary of shared memory; lanes are bits of a 32-bit mask, lane 0
// lowest. Which group size, count and passes an instruction has is data (access_rules.def), per architecture:
// sm_90 is measured, the others are assumed to follow it and say so (`architecture(sm).source`).
//
// What it does not do: it counts what address analysis counts (ncu's source page, "L1 Wavefronts Shared"), not
// arbitration with other traffic, and not time. Addresses must be multiples of the access width, as the hardware
// demands. Where no rule is known the answer is `modelled == false` and the reason, never a guess.
//
// C++17, constexpr, host and device code, no dependencies.
#pragma once

#include <cstdint>

#ifndef LANEBANK_HOST_DEVICE
#ifdef __CUDACC__
#define LANEBANK_HOST_DEVICE __host__ __device__
#else
#define LANEBANK_HOST_DEVICE
#endif
#endif

namespace lanebank {

inline constexpr unsigned bank_count = 32;
inline constexpr unsigned bank_bytes = 4;
inline constexpr unsigned bank_row_bytes = bank_count * bank_bytes;
inline constexpr unsigned lanes_per_warp = 32;

/// The bank of a byte address of shared memory.
LANEBANK_HOST_DEVICE constexpr unsigned bank_of(std::uint32_t address_bytes) {
  return address_bytes / bank_bytes % bank_count;
}

/// What kind of instruction an access belongs to. The machine's SharedKind names the same list.
enum class AccessKind : std::uint8_t {
  load,            ///< LDS
  store,           ///< STS
  matrix_load,     ///< LDSM (ldmatrix): the lanes 8q..8q+7 give the addresses of the 16-byte rows of matrix q
  matrix_store,    ///< STSM (stmatrix)
  atomic,          ///< ATOMS of one pass: add, min, max, inc, dec, and, or, xor, exch
  atomic_cas,      ///< ATOMS.CAS
  atomic_merged,   ///< ATOMS.POPC.INC: lanes with equal addresses are merged
  atomic_spin,     ///< ATOMS.CAST.SPIN
  async_copy_ca,   ///< LDGSTS through L1 (cp.async.ca)
  async_copy_cg,   ///< LDGSTS.BYPASS (cp.async.cg)
  bulk_copy,       ///< UTMALDG and other bulk copies
  matrix_operand,  ///< HGMMA (wgmma) reading its operands from shared memory
};

/// Where the lanes of an asynchronous copy read global memory.
enum class SourceOrder : std::uint8_t {
  any,          ///< in an access: not known, or not consecutive; in a rule: whatever it is
  consecutive,  ///< lane i reads at base + i x lane_bytes, base a multiple of 128
};

/// How a group of lanes is counted.
enum class Counting : std::uint8_t {
  unknown,         ///< no rule: not modelled
  distinct_words,  ///< degree
  lanes,           ///< lane degree
  fixed,           ///< `passes` wavefronts, whatever the addresses
  whole_rows,      ///< the instruction's bytes / 128
  copied_sectors,  ///< the rule of cp.async.cg
};

/// What the same access would cost without conflicts.
enum class Ideal : std::uint8_t {
  none,    ///< no rule
  groups,  ///< one wavefront per group and pass
  bytes,   ///< the active lanes' bytes / 128, rounded up, per pass
};

/// One shared-memory instruction of one warp.
struct Access {
  AccessKind kind = AccessKind::load;
  unsigned lane_bytes = 4;                       ///< bytes per lane: 1, 2, 4, 8 or 16; matrix rows: 16
  std::uint32_t active_lanes = 0xffffffffu;      ///< bit i: lane i takes part
  unsigned matrices = 4;                         ///< matrix_load, matrix_store: 1, 2 or 4
  SourceOrder source = SourceOrder::any;         ///< async copies; see `source_order`
  std::uint32_t total_bytes = 0;                 ///< matrix_operand: bytes that the whole warpgroup reads
  std::uint32_t addresses[lanes_per_warp] = {};  ///< bytes; those of inactive lanes do not count
};

/// Lanes that are served together, and why they cost what they do.
struct Group {
  std::uint32_t lanes = 0;            ///< its active lanes
  unsigned degree = 0;                ///< wavefronts of one pass
  unsigned bank = 0;                  ///< a bank where the degree is reached, the lowest
  std::uint32_t colliding_lanes = 0;  ///< the group's lanes that touch that bank; 0 if fewer than two wavefronts
};

/// The cost of an access. Unless `modelled`, all counts are 0 and `reason` says why.
struct Cost {
  bool modelled = false;
  const char* reason = "";
  unsigned wavefronts = 0;
  unsigned ideal = 0;
  unsigned worst_degree = 0;  ///< largest degree of a group; for cp.async.cg wavefronts / ideal, rounded up
  unsigned passes = 0;
  bool paired = false;
  unsigned group_count = 0;  ///< groups with an active lane; a prefix of `groups`
  Group groups[lanes_per_warp] = {};

  LANEBANK_HOST_DEVICE constexpr unsigned excess() const { return wavefronts - ideal; }
};

/// A row of access_rules.def.
struct AccessRule {
  Counting counting = Counting::unknown;
  Ideal ideal = Ideal::none;
  unsigned group_lanes = 0;
  unsigned paired_group_lanes = 0;
  unsigned passes = 0;
  const char* reason = "";  ///< why the counting is unknown
};

struct ArchitectureRules {
  unsigned rules_of = 0;  ///< the architecture whose rows apply; 0: none known
  bool measured = false;
  const char* source = "no access rules are known for this architecture";
};

/// Which rules an architecture (compute capability x 10) follows, and how that is known.
LANEBANK_HOST_DEVICE constexpr ArchitectureRules architecture_rules(unsigned sm) {
#define LANEBANK_ARCHITECTURE(number, rules, is_measured, words) \
  if (sm == number) return ArchitectureRules{rules, is_measured, words};
#include "lanebank/access_rules.def"
  return ArchitectureRules{};
}

/// The rule of an instruction on an architecture. `counting` is unknown, with the reason, where there is none.
LANEBANK_HOST_DEVICE constexpr AccessRule access_rule(unsigned sm, AccessKind kind, unsigned lane_bytes,
                                                      SourceOrder order = SourceOrder::any) {
  const ArchitectureRules architecture = architecture_rules(sm);
  if (architecture.rules_of == 0) return AccessRule{Counting::unknown, Ideal::none, 0, 0, 0, architecture.source};
#define LANEBANK_ACCESS_RULE(number, since, row_kind, bytes, row_source, row_counting, row_ideal, group, paired, \
                             row_passes, note)                                                                   \
  if (architecture.rules_of == number && kind == AccessKind::row_kind && (bytes == 0 || bytes == lane_bytes) &&  \
      (SourceOrder::row_source == SourceOrder::any || SourceOrder::row_source == order)) {                       \
    if (sm < since)                                                                                              \
      return AccessRule{Counting::unknown, Ideal::none, 0, 0, 0, "this architecture has no such instruction"};   \
    return AccessRule{Counting::row_counting, Ideal::row_ideal, group, paired, row_passes, note};                \
  }
#include "lanebank/access_rules.def"
  return AccessRule{Counting::unknown, Ideal::none, 0, 0, 0, "no access rule for this instruction and width"};
}

/// How the active lanes of an asynchronous copy read global memory; `sources`: 32 byte addresses.
LANEBANK_HOST_DEVICE constexpr SourceOrder source_order(const std::uint64_t* sources, std::uint32_t active_lanes,
                                                        unsigned lane_bytes) {
  bool first = true;
  std::uint64_t base = 0;
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane) {
    if ((active_lanes >> lane & 1) == 0) continue;
    const std::uint64_t here = sources[lane] - std::uint64_t{lane} * lane_bytes;
    if (first) base = here;
    first = false;
    if (here != base || base % 128 != 0) return SourceOrder::any;
  }
  return SourceOrder::consecutive;
}

/// The lanes whose addresses an instruction uses: of ldmatrix and stmatrix only those that give a row.
LANEBANK_HOST_DEVICE constexpr std::uint32_t addressing_lanes(AccessKind kind, unsigned matrices) {
  const bool matrix = kind == AccessKind::matrix_load || kind == AccessKind::matrix_store;
  return matrix && matrices < 4 ? (std::uint32_t{1} << 8 * matrices) - 1 : 0xffffffffu;
}

namespace detail {

/// 4-byte words that an access of `bytes` at `address` touches: first and number.
struct WordSpan {
  std::uint32_t first = 0;
  unsigned count = 0;
  LANEBANK_HOST_DEVICE constexpr bool holds(std::uint32_t word) const { return word - first < count; }
};
LANEBANK_HOST_DEVICE constexpr WordSpan words_of(std::uint32_t address, unsigned bytes) {
  return WordSpan{address / bank_bytes, (address % bank_bytes + bytes + bank_bytes - 1) / bank_bytes};
}

/// Does a lane below `lane` of the same group touch the word too?
LANEBANK_HOST_DEVICE constexpr bool touched_before(const Access& access, std::uint32_t group, unsigned lane,
                                                   std::uint32_t word) {
  for (unsigned other = 0; other < lane; ++other)
    if ((group >> other & 1) != 0 && words_of(access.addresses[other], access.lane_bytes).holds(word)) return true;
  return false;
}

LANEBANK_HOST_DEVICE constexpr unsigned lane_count(std::uint32_t lanes) {
  unsigned count = 0;
  for (; lanes != 0; lanes &= lanes - 1) ++count;
  return count;
}

/// Full rows of the banks that so many lanes would fill.
LANEBANK_HOST_DEVICE constexpr unsigned rows_of(unsigned lanes, unsigned lane_bytes) {
  return (lanes * lane_bytes + bank_row_bytes - 1) / bank_row_bytes;
}

/// Degree or lane degree of the lanes in the mask `group`.
LANEBANK_HOST_DEVICE constexpr Group group_cost(const Access& access, std::uint32_t group, Counting counting) {
  unsigned load[bank_count] = {};
  std::uint32_t lanes_at[bank_count] = {};
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane) {
    if ((group >> lane & 1) == 0) continue;
    const WordSpan span = words_of(access.addresses[lane], access.lane_bytes);
    for (unsigned k = 0; k < span.count; ++k) {
      const std::uint32_t word = span.first + k;
      const unsigned bank = word % bank_count;
      lanes_at[bank] |= std::uint32_t{1} << lane;
      if (counting == Counting::lanes || !touched_before(access, group, lane, word)) ++load[bank];
    }
  }
  Group result{group, 0, 0, 0};
  for (unsigned bank = 0; bank < bank_count; ++bank)
    if (load[bank] > result.degree) result.degree = load[bank], result.bank = bank;
  if (result.degree > 1) result.colliding_lanes = lanes_at[result.bank];
  return result;
}

/// Does every active lane share its address with lane i ^ `partner`, where that one is active?
LANEBANK_HOST_DEVICE constexpr bool paired_by(const Access& access, std::uint32_t active, unsigned partner) {
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane)
    if ((active >> lane & 1) != 0 && (active >> (lane ^ partner) & 1) != 0 &&
        access.addresses[lane] != access.addresses[lane ^ partner])
      return false;
  return true;
}

/// cp.async.cg with consecutive sources. Lane i copies source chunk s = i mod 8 (16 bytes) of source line i / 8
/// to chunk d of a 128-byte line of shared memory. Of lanes with equal destination only the first counts; a
/// wavefront serves all lanes that agree in source line, destination line, (s xor d) mod 4, and in which halves
/// of the 32-byte destination sector their source sector (two neighbouring lanes) fills.
/// Source: 269 patterns measured on an H200.
LANEBANK_HOST_DEVICE constexpr void copied_sectors_cost(const Access& access, std::uint32_t active, Cost& result) {
  std::uint32_t kept = 0;
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane) {
    if ((active >> lane & 1) == 0) continue;
    bool again = false;
    for (unsigned other = 0; other < lane; ++other)
      again = again || ((kept >> other & 1) != 0 && access.addresses[other] / 16 == access.addresses[lane] / 16);
    if (!again) kept |= std::uint32_t{1} << lane;
  }
  std::uint64_t keys[lanes_per_warp] = {};
  unsigned chunks = 0;
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane) {
    if ((kept >> lane & 1) == 0) continue;
    ++chunks;
    const std::uint32_t chunk = access.addresses[lane] / 16;
    std::uint64_t halves = 1u << chunk % 2;
    const unsigned partner = lane ^ 1;
    if ((kept >> partner & 1) != 0 && access.addresses[partner] / 32 == chunk / 2)
      halves |= 1u << access.addresses[partner] / 16 % 2;
    const std::uint64_t key = std::uint64_t{chunk / 8} << 8 | lane / 8 << 4 | (lane ^ chunk) % 4 << 2 | halves;
    unsigned at = 0;
    while (at < result.group_count && keys[at] != key) ++at;
    if (at == result.group_count) {
      keys[result.group_count++] = key;
      result.groups[at].degree = 1;
      result.groups[at].bank = bank_of(access.addresses[lane]);
    }
    result.groups[at].lanes |= std::uint32_t{1} << lane;
  }
  result.wavefronts = result.group_count;
  result.ideal = (chunks + 7) / 8;
  result.worst_degree = result.ideal == 0 ? 0 : (result.wavefronts + result.ideal - 1) / result.ideal;
}

}  // namespace detail

/// The cost of an access under a rule.
LANEBANK_HOST_DEVICE constexpr Cost cost_by(const AccessRule& rule, const Access& access) {
  Cost result;
  result.reason = rule.reason;
  if (rule.counting == Counting::unknown) return result;
  result.modelled = true;
  result.passes = rule.passes;
  if (rule.counting == Counting::whole_rows) {
    result.wavefronts = result.ideal = (access.total_bytes + bank_row_bytes - 1) / bank_row_bytes;
    result.worst_degree = result.wavefronts != 0;
    return result;
  }
  const std::uint32_t active = access.active_lanes & addressing_lanes(access.kind, access.matrices);
  if (active == 0) return result;
  if (rule.counting == Counting::fixed) {
    result.wavefronts = result.ideal = rule.passes;
    result.worst_degree = rule.passes != 0;
    return result;
  }
  if (rule.counting == Counting::copied_sectors) {
    detail::copied_sectors_cost(access, active, result);
    return result;
  }
  result.paired =
      rule.paired_group_lanes != 0 && (detail::paired_by(access, active, 1) || detail::paired_by(access, active, 2));
  const unsigned size = result.paired ? rule.paired_group_lanes : rule.group_lanes;
  const std::uint32_t first_group = 0xffffffffu >> (lanes_per_warp - size);
  for (unsigned first = 0; first < lanes_per_warp; first += size) {
    const std::uint32_t lanes = active & first_group << first;
    if (lanes == 0) continue;
    const Group group = detail::group_cost(access, lanes, rule.counting);
    result.groups[result.group_count++] = group;
    result.wavefronts += rule.passes * group.degree;
    if (rule.ideal == Ideal::groups) result.ideal += rule.passes;
    if (group.degree > result.worst_degree) result.worst_degree = group.degree;
  }
  if (rule.ideal == Ideal::bytes)
    result.ideal = rule.passes * detail::rows_of(detail::lane_count(active), access.lane_bytes);
  return result;
}

/// The cost of an access on an architecture (compute capability x 10). Any thread; no state.
LANEBANK_HOST_DEVICE constexpr Cost cost(const Access& access, unsigned sm = 90) {
  return cost_by(access_rule(sm, access.kind, access.lane_bytes, access.source), access);
}

/// Who meets in one bank: the distinct words that a group touches there, in the order of their first lane.
struct Collision {
  unsigned bank = 0;
  unsigned word_count = 0;
  struct Word {
    std::uint32_t address_bytes = 0;  ///< of the 4-byte word
    std::uint32_t lanes = 0;          ///< the lanes that touch it
  } words[lanes_per_warp] = {};
};

/// The evidence for a group's degree: the words and lanes at its worst bank.
LANEBANK_HOST_DEVICE constexpr Collision collision(const Access& access, const Group& group) {
  Collision result;
  result.bank = group.bank;
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane) {
    if ((group.lanes >> lane & 1) == 0) continue;
    const detail::WordSpan span = detail::words_of(access.addresses[lane], access.lane_bytes);
    for (unsigned k = 0; k < span.count; ++k) {
      const std::uint32_t address = (span.first + k) * bank_bytes;
      if (bank_of(address) != group.bank) continue;
      unsigned at = 0;
      while (at < result.word_count && result.words[at].address_bytes != address) ++at;
      if (at == result.word_count) result.words[result.word_count++].address_bytes = address;
      result.words[at].lanes |= std::uint32_t{1} << lane;
    }
  }
  return result;
}

/// Lane i at `base_bytes` + i x `stride_bytes`.
LANEBANK_HOST_DEVICE constexpr Access strided_access(AccessKind kind, unsigned lane_bytes, std::uint32_t stride_bytes,
                                                     std::uint32_t base_bytes = 0) {
  Access access;
  access.kind = kind;
  access.lane_bytes = lane_bytes;
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane) access.addresses[lane] = base_bytes + lane * stride_bytes;
  return access;
}

// The facts to know by heart, checked wherever this header is compiled.
static_assert(cost(strided_access(AccessKind::load, 4, 4)).wavefronts == 1, "a row of floats is clean");
static_assert(cost(strided_access(AccessKind::load, 4, 0)).wavefronts == 1, "one word for all lanes is a broadcast");
static_assert(cost(strided_access(AccessKind::load, 4, 128)).wavefronts == 32, "a column of a 32-wide float tile");
static_assert(cost(strided_access(AccessKind::load, 4, 132)).wavefronts == 1, "the same with rows padded by a word");
static_assert(cost(strided_access(AccessKind::store, 16, 16)).ideal == 4, "16 bytes per lane take four quarter-warps");
static_assert(cost(strided_access(AccessKind::atomic, 4, 0)).wavefronts == 32, "atomics on one word queue up");

}  // namespace lanebank
