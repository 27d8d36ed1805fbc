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
//   lane degree(G) = max over banks b of | { lanes of G that touch a word of bank b } |                (atomics)
//   wavefronts     = passes x sum over groups G with an active lane of degree(G)  (or lane degree)
//   ideal          = passes x active lanes x bytes per lane / 128, rounded up; never more than the wavefronts
//
// What is excess is `wavefronts - ideal`. Loads of 8 and 16 bytes: lanes are *paired* when each active one shares its
// address with lane i^1, or each with lane i^2 (an inactive partner does no harm). Two neighbouring groups whose
// lanes are paired are served together, provided that they then have degree 1. For 16 bytes the lower half-warp
// differs when lanes are inactive: see `detail::quarters_join`.
// Asynchronous copies also depend on where they read: see `detail::copied_lanes` (cp.async.ca: the source line's
// banks count too) and `detail::copied_sectors_cost` (cp.async.cg).
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

#include "lanebank/host_device.hpp"

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

/// How an access says where the lanes of an asynchronous copy read global memory.
enum class SourceOrder : std::uint8_t {
  unknown,       ///< not at all
  consecutive,   ///< lane i reads at base + i x lane_bytes, base a multiple of 128
  given,         ///< lane i reads at base + sources[i], base a multiple of 128
  zero_filling,  ///< as given, by an instruction that may read fewer bytes than it writes (LDGSTS .ZFILL)
};

/// Whether `Access::sources` says where the lanes read.
LANEBANK_HOST_DEVICE constexpr bool has_sources(SourceOrder source) {
  return source == SourceOrder::given || source == SourceOrder::zero_filling;
}

/// In `Access::sources`: the lane reads nothing and writes zeros.
inline constexpr std::uint32_t no_source = 0xffffffffu;

/// How a group of lanes is counted.
enum class Counting : std::uint8_t {
  unknown,         ///< no rule: not modelled
  distinct_words,  ///< degree
  quad_words,      ///< degree, for loads of 16 bytes: each half-warp joins its quarters by itself
  lanes,           ///< lane degree
  fixed,           ///< one wavefront, whatever the addresses
  whole_rows,      ///< the instruction's bytes / 128
  copied_lanes,    ///< the rule of cp.async.ca
  copied_sectors,  ///< the rule of cp.async.cg
};

/// What the same access would cost without conflicts.
enum class Ideal : std::uint8_t {
  none,    ///< no rule
  groups,  ///< one wavefront per group and pass
  bytes,   ///< the active lanes' bytes / 128, rounded up, per pass; never more than the wavefronts
};

/// One shared-memory instruction of one warp.
struct Access {
  AccessKind kind = AccessKind::load;
  unsigned lane_bytes = 4;                       ///< bytes per lane: 1, 2, 4, 8 or 16; matrix rows: 16
  std::uint32_t active_lanes = 0xffffffffu;      ///< bit i: lane i takes part
  unsigned matrices = 4;                         ///< matrix_load, matrix_store: 1, 2 or 4
  SourceOrder source = SourceOrder::unknown;     ///< async copies; see `set_sources`
  std::uint32_t total_bytes = 0;                 ///< matrix_operand: bytes that the whole warpgroup reads
  std::uint32_t addresses[lanes_per_warp] = {};  ///< bytes; those of inactive lanes do not count
  std::uint32_t sources[lanes_per_warp] =
      {};  ///< SourceOrder::given, zero_filling: bytes from a 128-byte line of global
           ///< memory, or no_source
};

/// Lanes that are served together, and why they cost what they do.
struct Group {
  std::uint32_t lanes = 0;            ///< its active lanes
  unsigned degree = 0;                ///< wavefronts of one pass
  unsigned bank = 0;                  ///< a bank where the degree is reached, the lowest
  std::uint32_t colliding_lanes = 0;  ///< the group's lanes that touch that bank; 0 if fewer than two wavefronts.
                                      ///< cp.async.ca: those that meet in it or in the bank they are copied from
};

/// The cost of an access. Unless `modelled`, all counts are 0 and `reason` says why.
struct Cost {
  bool modelled = false;
  const char* reason = "";
  unsigned wavefronts = 0;
  unsigned ideal = 0;
  unsigned worst_degree = 0;  ///< largest degree of a group; for cp.async.cg wavefronts / ideal, rounded up
  unsigned passes = 0;
  bool paired = false;       ///< groups were served together, as far as they are free of conflicts
  unsigned group_count = 0;  ///< groups with an active lane; a prefix of `groups`
  Group groups[lanes_per_warp + 4] = {};

  LANEBANK_HOST_DEVICE constexpr unsigned excess() const { return wavefronts - ideal; }
};

/// A row of access_rules.def.
struct AccessRule {
  Counting counting = Counting::unknown;
  Ideal ideal = Ideal::none;
  unsigned group_lanes = 0;
  unsigned paired_group_lanes = 0;
  unsigned passes = 0;
  const char* reason = "";  ///< why the counting is unknown, or is not known for every pattern
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
LANEBANK_HOST_DEVICE constexpr AccessRule access_rule(unsigned sm, AccessKind kind, unsigned lane_bytes) {
  const ArchitectureRules architecture = architecture_rules(sm);
  if (architecture.rules_of == 0) return AccessRule{Counting::unknown, Ideal::none, 0, 0, 0, architecture.source};
#define LANEBANK_ACCESS_RULE(number, since, row_kind, bytes, row_counting, row_ideal, group, paired, row_passes, note) \
  if (architecture.rules_of == number && kind == AccessKind::row_kind && (bytes == 0 || bytes == lane_bytes)) {        \
    if (sm < since)                                                                                                    \
      return AccessRule{Counting::unknown, Ideal::none, 0, 0, 0, "this architecture has no such instruction"};         \
    return AccessRule{Counting::row_counting, Ideal::row_ideal, group, paired, row_passes, note};                      \
  }
#include "lanebank/access_rules.def"
  return AccessRule{Counting::unknown, Ideal::none, 0, 0, 0, "no access rule for this instruction and width"};
}

/// Says where an asynchronous copy reads; `globals`: 32 byte addresses. `reading`: the lanes that read at all; the others
/// write zeros. `zero_fills`: the instruction may read fewer bytes than it writes. Leaves the source unknown if the addresses
/// of the active lanes that read lie 4 GiB or more apart.
LANEBANK_HOST_DEVICE constexpr void set_sources(Access& access, const std::uint64_t* globals,
                                                std::uint32_t reading = 0xffffffffu, bool zero_fills = false) {
  const std::uint32_t lanes = access.active_lanes & reading;
  std::uint64_t lowest = ~std::uint64_t{0};
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane)
    if ((lanes >> lane & 1) != 0 && globals[lane] < lowest) lowest = globals[lane];
  const std::uint64_t base = lowest / bank_row_bytes * bank_row_bytes;
  std::uint64_t shift = 0;  // of the lane order against its line, if all lanes agree
  bool consecutive = lanes == access.active_lanes && !zero_fills, first = true;
  access.source = zero_fills ? SourceOrder::zero_filling : SourceOrder::given;
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane) {
    access.sources[lane] = (access.active_lanes >> lane & 1) != 0 ? no_source : 0;
    if ((lanes >> lane & 1) == 0) continue;
    const std::uint64_t offset = globals[lane] - base;
    if (offset >> 32 != 0) access.source = SourceOrder::unknown;
    access.sources[lane] = static_cast<std::uint32_t>(offset);
    const std::uint64_t start = globals[lane] - std::uint64_t{lane} * access.lane_bytes;
    if (first) shift = start;
    first = false;
    consecutive = consecutive && start == shift && start % bank_row_bytes == 0;
  }
  if (consecutive) access.source = SourceOrder::consecutive;
}

/// Where a lane of an asynchronous copy reads, in bytes from a 128-byte line of global memory.
LANEBANK_HOST_DEVICE constexpr std::uint32_t source_of(const Access& access, unsigned lane) {
  return access.source == SourceOrder::consecutive ? lane * access.lane_bytes : access.sources[lane];
}

/// Whether a lane of an asynchronous copy reads global memory; else it writes zeros.
LANEBANK_HOST_DEVICE constexpr bool reads(const Access& access, unsigned lane) {
  return access.source == SourceOrder::consecutive || access.sources[lane] != no_source;
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

/// cp.async.ca. A lane copies from a unit of its source line (unit: lane_bytes, at the same place of each 128-byte line)
/// to a unit of a row of the banks. It meets every lane of its group with the same source unit or the same destination
/// unit, whatever the lines and rows; the group costs as many wavefronts as the lane that meets most, itself included.
/// A lane that reads nothing has no source unit. Source: 1,170 patterns measured on an H200 (`tests/data/truth/h200` and
/// `source_page.csv`).
LANEBANK_HOST_DEVICE constexpr Group copied_lanes(const Access& access, std::uint32_t group) {
  std::uint32_t from[bank_count] = {}, to[bank_count] = {};
  const unsigned units = bank_row_bytes / access.lane_bytes;
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane) {
    if ((group >> lane & 1) == 0) continue;
    if (reads(access, lane)) from[source_of(access, lane) / access.lane_bytes % units] |= std::uint32_t{1} << lane;
    to[access.addresses[lane] / access.lane_bytes % units] |= std::uint32_t{1} << lane;
  }
  Group result{group, 0, 0, 0};
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane) {
    if ((group >> lane & 1) == 0) continue;
    const std::uint32_t met = (reads(access, lane) ? from[source_of(access, lane) / access.lane_bytes % units] : 0) |
                              to[access.addresses[lane] / access.lane_bytes % units];
    const unsigned count = lane_count(met);
    if (count <= result.degree) continue;
    result.degree = count;
    result.bank = bank_of(access.addresses[lane]);
    result.colliding_lanes = count > 1 ? met : 0;
  }
  return result;
}

/// cp.async.cg. A lane copies source chunk s (16 bytes) of a 128-byte line of global memory to chunk d of a 128-byte
/// line of shared memory. Of lanes with equal destination only the first counts; a wavefront serves all lanes that
/// agree in source line, destination line, (s xor d) mod 4, and in which halves of the 32-byte destination sector
/// the lanes fill that read the same source sector.
/// Source: 351 patterns measured on an H200, 82 of them with any sources (`tests/data/truth/h200/cg16.csv`).
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
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane) {
    if ((kept >> lane & 1) == 0) continue;
    const std::uint32_t chunk = access.addresses[lane] / 16, source = source_of(access, lane) / 16;
    std::uint64_t halves = 0;
    for (unsigned other = 0; other < lanes_per_warp; ++other)
      if ((kept >> other & 1) != 0 && source_of(access, other) / 32 == source / 2 &&
          access.addresses[other] / 32 == chunk / 2)
        halves |= 1u << access.addresses[other] / 16 % 2;
    const std::uint64_t key =
        std::uint64_t{chunk / 8} << 36 | std::uint64_t{source / 8} << 8 | (source ^ chunk) % 4 << 2 | halves;
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
  result.ideal = (lane_count(kept) + 7) / 8;
}

/// cp.async.cg, of which lanes may write zeros. Where all active lanes read and the instruction reads all that it writes, the
/// sectors are all that counts. Else the writes count, too, of every active lane, by the rule of cp.async.ca for 16 bytes.
/// Source: 240 patterns measured on an H200 (`tests/data/truth/h200/zero_fill.csv`).
LANEBANK_HOST_DEVICE constexpr void copied_lines_cost(const Access& access, std::uint32_t active, Cost& result) {
  std::uint32_t reading = 0;
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane)
    if ((active >> lane & 1) != 0 && reads(access, lane)) reading |= std::uint32_t{1} << lane;
  copied_sectors_cost(access, reading, result);
  if (reading != active || access.source == SourceOrder::zero_filling) {
    for (unsigned first = 0; first < lanes_per_warp; first += 8) {
      const std::uint32_t lanes = active & 0xffu << first;
      if (lanes == 0) continue;
      const Group group = copied_lanes(access, lanes);
      result.groups[result.group_count++] = group;
      result.wavefronts += group.degree;
    }
    result.ideal += rows_of(lane_count(active), access.lane_bytes);
  }
  if (result.ideal > result.wavefronts) result.ideal = result.wavefronts;
  result.worst_degree = result.ideal == 0 ? 0 : (result.wavefronts + result.ideal - 1) / result.ideal;
}

/// Is the active lanes' address the same?
LANEBANK_HOST_DEVICE constexpr bool uniform(const Access& access, std::uint32_t active) {
  bool first = true;
  std::uint32_t address = 0;
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane) {
    if ((active >> lane & 1) == 0) continue;
    if (first) address = access.addresses[lane];
    first = false;
    if (access.addresses[lane] != address) return false;
  }
  return true;
}

/// Counts one group into the cost.
LANEBANK_HOST_DEVICE constexpr void add_group(const AccessRule& rule, const Access& access, std::uint32_t lanes,
                                              Cost& result) {
  if (lanes == 0) return;
  const Group group =
      rule.counting == Counting::copied_lanes ? copied_lanes(access, lanes) : group_cost(access, lanes, rule.counting);
  result.groups[result.group_count++] = group;
  result.wavefronts += rule.passes * group.degree;
  if (group.degree > result.worst_degree) result.worst_degree = group.degree;
}

/// Counts the groups of `size` lanes into the cost.
LANEBANK_HOST_DEVICE constexpr void add_groups(const AccessRule& rule, const Access& access, std::uint32_t active,
                                               unsigned size, Cost& result) {
  result.group_count = result.worst_degree = result.wavefronts = 0;
  const std::uint32_t first_group = 0xffffffffu >> (lanes_per_warp - size);
  for (unsigned first = 0; first < lanes_per_warp; first += size)
    add_group(rule, access, active & first_group << first, result);
}

/// Loads of 16 bytes: are both quarters of a half-warp served together? `half`: its active lanes, without conflicts
/// among them. The upper half: if it is paired. The lower half: if lane 31 of the warp is inactive; else if it is paired
/// and no partner is inactive. Source: every one of 2,688 patterns measured on an H200 (`tests/data/truth/h200`).
LANEBANK_HOST_DEVICE constexpr bool quarters_join(const Access& access, std::uint32_t active, std::uint32_t half) {
  if ((half >> 16) != 0) return paired_by(access, half, 1) || paired_by(access, half, 2);
  if ((active >> 31) == 0) return true;
  const std::uint32_t odd = half & 0xaaaau, upper = half & 0xccccu;
  return (odd >> 1 == (half & 0x5555u) && paired_by(access, half, 1)) ||
         (upper >> 2 == (half & 0x3333u) && paired_by(access, half, 2));
}

/// Counts a load of 16 bytes.
LANEBANK_HOST_DEVICE constexpr void add_quads(const AccessRule& rule, const Access& access, std::uint32_t active,
                                              Cost& result) {
  if (uniform(access, active)) {  // a wavefront per 16 lanes
    result.paired = true;
    add_groups(rule, access, active, lane_count(active) <= rule.paired_group_lanes ? 32 : rule.paired_group_lanes,
               result);
    return;
  }
  for (unsigned first = 0; first < lanes_per_warp; first += rule.paired_group_lanes) {
    const std::uint32_t half = active & 0xffffu << first;
    if (half == 0) continue;
    const std::uint32_t low = half & 0xffu << first, high = half ^ low;
    if (group_cost(access, half, rule.counting).degree == 1 && quarters_join(access, active, half)) {
      result.paired |= low != 0 && high != 0;
      add_group(rule, access, half, result);
    } else {
      add_group(rule, access, low, result);
      add_group(rule, access, high, result);
    }
  }
}

}  // namespace detail

/// The cost of an access under a rule.
LANEBANK_HOST_DEVICE constexpr Cost cost_by(const AccessRule& rule, const Access& access) {
  Cost result;
  result.reason = rule.reason;
  if (rule.counting == Counting::unknown) return result;
  const std::uint32_t active = access.active_lanes & addressing_lanes(access.kind, access.matrices);
  const bool copied = rule.counting == Counting::copied_lanes || rule.counting == Counting::copied_sectors;
  if (copied && active != 0 && access.source == SourceOrder::unknown) {
    result.reason = "where the lanes read global memory is not known";
    return result;
  }
  result.modelled = true;
  result.reason = "";
  result.passes = rule.passes;
  if (rule.counting == Counting::whole_rows) {
    result.wavefronts = result.ideal = (access.total_bytes + bank_row_bytes - 1) / bank_row_bytes;
    result.worst_degree = result.wavefronts != 0;
    return result;
  }
  if (active == 0) return result;
  if (rule.counting == Counting::copied_sectors) {
    detail::copied_lines_cost(access, active, result);
    return result;
  }
  if (rule.counting == Counting::quad_words) {
    detail::add_quads(rule, access, active, result);
  } else {
    result.paired =
        rule.paired_group_lanes != 0 && (detail::paired_by(access, active, 1) || detail::paired_by(access, active, 2));
    if (result.paired) detail::add_groups(rule, access, active, rule.paired_group_lanes, result);
    if (!result.paired || result.worst_degree > 1) detail::add_groups(rule, access, active, rule.group_lanes, result);
  }
  if (rule.counting == Counting::fixed) {
    result.wavefronts = rule.passes * result.group_count;
    result.worst_degree = rule.passes != 0;
    result.group_count = 0;
  }
  result.ideal = rule.ideal == Ideal::groups
                     ? rule.passes * result.group_count
                     : rule.passes * detail::rows_of(detail::lane_count(active), access.lane_bytes);
  if (result.ideal > result.wavefronts) result.ideal = result.wavefronts;
  return result;
}

/// The cost of an access on an architecture (compute capability x 10). Any thread; no state.
LANEBANK_HOST_DEVICE constexpr Cost cost(const Access& access, unsigned sm = 90) {
  return cost_by(access_rule(sm, access.kind, access.lane_bytes), access);
}

/// A load of 8 or 16 bytes as the hardware counters have it, for every pattern: a paired warp is served by the
/// larger groups whatever its conflicts, where the source page, and so `cost`, falls back to the smaller ones.
/// Measured on an H200 (388 and 264 patterns). Any thread; no state.
LANEBANK_HOST_DEVICE constexpr unsigned hardware_load_wavefronts(const Access& access) {
  AccessRule rule{Counting::distinct_words, Ideal::bytes, access.lane_bytes == 8 ? 16u : 8u, 0, 1, ""};
  const std::uint32_t active = access.active_lanes;
  if (detail::paired_by(access, active, 1) || detail::paired_by(access, active, 2)) rule.group_lanes *= 2;
  return cost_by(rule, access).wavefronts;
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
