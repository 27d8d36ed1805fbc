#include "checks/fast_cost.hpp"

#include <algorithm>
#include <bit>

namespace lanebank::checks {
namespace {

bool paired_by(const std::uint32_t* addresses, std::uint32_t active, unsigned partner) {
  std::uint32_t difference = 0;
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane) {
    const bool both = (active >> lane & active >> (lane ^ partner) & 1) != 0;
    difference |= both ? addresses[lane] ^ addresses[lane ^ partner] : 0;
  }
  return difference == 0;
}

/// Aligned accesses of 4, 8 or 16 bytes touch 1, 2 or 4 neighbouring banks as one unit, so that the degree is
/// counted over units: `unit_shift` is the logarithm of their bytes.
unsigned degree_of(const std::uint32_t* addresses, std::uint32_t lanes, unsigned unit_shift) {
  std::uint8_t filled[bank_count] = {};
  std::uint32_t units[bank_count][lanes_per_warp];
  const unsigned sets = bank_row_bytes >> unit_shift;
  unsigned degree = 0;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const std::uint32_t unit = addresses[std::countr_zero(rest)] >> unit_shift;
    const unsigned set = unit % sets;
    std::uint32_t* known = units[set];
    unsigned at = 0;
    while (at < filled[set] && known[at] != unit) ++at;
    if (at < filled[set]) continue;
    known[at] = unit;
    filled[set] = static_cast<std::uint8_t>(at + 1);
    degree = std::max(degree, at + 1);
  }
  return degree;
}

unsigned lane_degree_of(const std::uint32_t* addresses, std::uint32_t lanes, unsigned unit_shift) {
  std::uint8_t filled[bank_count] = {};
  const unsigned sets = bank_row_bytes >> unit_shift;
  unsigned degree = 0;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const unsigned set = (addresses[std::countr_zero(rest)] >> unit_shift) % sets;
    degree = std::max<unsigned>(degree, ++filled[set]);
  }
  return degree;
}

FastCost of(const Cost& cost) { return {cost.modelled, cost.wavefronts, cost.ideal, cost.worst_degree}; }

bool aligned(const std::uint32_t* addresses, std::uint32_t active, unsigned bytes) {
  std::uint32_t low = 0;
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane) low |= (active >> lane & 1) != 0 ? addresses[lane] : 0;
  return std::has_single_bit(bytes) && (low & (bytes - 1)) == 0;
}

/// cp.async.ca: the largest number of lanes that one lane meets at its source or destination unit.
unsigned copied_degree_of(const Access& access, std::uint32_t lanes, unsigned unit_shift) {
  std::uint32_t from[bank_count + 1] = {}, to[bank_count] = {};  // from: the last place of those that read nothing
  std::uint8_t from_at[lanes_per_warp], to_at[lanes_per_warp];
  const unsigned units = bank_row_bytes >> unit_shift;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const unsigned lane = std::countr_zero(rest);
    from_at[lane] =
        static_cast<std::uint8_t>(reads(access, lane) ? (source_of(access, lane) >> unit_shift) % units : units);
    to_at[lane] = static_cast<std::uint8_t>((access.addresses[lane] >> unit_shift) % units);
    if (reads(access, lane)) from[from_at[lane]] |= 1u << lane;
    to[to_at[lane]] |= 1u << lane;
  }
  int degree = 0;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const unsigned lane = std::countr_zero(rest);
    degree = std::max(degree, std::popcount(from[from_at[lane]] | to[to_at[lane]]));
  }
  return static_cast<unsigned>(degree);
}

unsigned group_degree_of(const AccessRule& rule, const Access& access, std::uint32_t lanes, unsigned unit_shift) {
  if (rule.counting == Counting::copied_lanes) return copied_degree_of(access, lanes, unit_shift);
  if (rule.counting == Counting::lanes) return lane_degree_of(access.addresses, lanes, unit_shift);
  return degree_of(access.addresses, lanes, unit_shift);
}

void add_groups(const AccessRule& rule, const Access& access, std::uint32_t active, unsigned size, FastCost& result) {
  const unsigned unit_shift = std::countr_zero(std::max(access.lane_bytes, bank_bytes));
  result.wavefronts = result.worst_degree = 0;
  for (unsigned first = 0; first < lanes_per_warp; first += size) {
    const std::uint32_t lanes = active & (0xffffffffu >> (lanes_per_warp - size)) << first;
    if (lanes == 0) continue;
    const unsigned degree = group_degree_of(rule, access, lanes, unit_shift);
    result.wavefronts += rule.passes * degree;
    result.worst_degree = std::max(result.worst_degree, degree);
    if (rule.ideal == Ideal::groups) result.ideal += rule.passes;
  }
}

/// Loads of 16 bytes; `detail::quarters_join` of the bank model says when a half-warp is one group.
void add_quads(const Access& access, std::uint32_t active, FastCost& result) {
  const std::uint32_t first = access.addresses[std::countr_zero(active)];
  std::uint32_t difference = 0;
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane)
    difference |= (active >> lane & 1) != 0 ? access.addresses[lane] ^ first : 0;
  if (difference == 0) {
    result.wavefronts = std::popcount(active) <= 16 ? 1 : 2;
    result.worst_degree = 1;
    return;
  }
  for (const std::uint32_t half : {active & 0xffffu, active & 0xffff0000u}) {
    if (half == 0) continue;
    if (detail::quarters_join(access, active, half) && degree_of(access.addresses, half, 4) == 1) {
      result.wavefronts += 1;
      result.worst_degree = std::max(result.worst_degree, 1u);
      continue;
    }
    for (const std::uint32_t quarter : {half & 0x00ff00ffu, half & 0xff00ff00u}) {
      const unsigned degree = degree_of(access.addresses, quarter, 4);
      result.wavefronts += degree;
      result.worst_degree = std::max(result.worst_degree, degree);
    }
  }
}

/// Is the rule one that `fast_cost` counts itself for such an access?
bool counted_here(const AccessRule& rule, const Access& access) {
  switch (rule.counting) {
    case Counting::distinct_words:
    case Counting::quad_words:
    case Counting::lanes:
      return true;
    case Counting::copied_lanes:
      return access.source != SourceOrder::unknown;
    default:
      return false;
  }
}

}  // namespace

FastCost fast_cost(const AccessRule& rule, const Access& access) {
  const std::uint32_t active = access.active_lanes & addressing_lanes(access.kind, access.matrices);
  if (!counted_here(rule, access) || !aligned(access.addresses, active, access.lane_bytes))
    return of(cost_by(rule, access));
  FastCost result{true};
  if (active == 0) return result;
  if (rule.counting == Counting::quad_words) {
    add_quads(access, active, result);
  } else {
    const bool paired = rule.paired_group_lanes != 0 &&
                        (paired_by(access.addresses, active, 1) || paired_by(access.addresses, active, 2));
    if (paired) add_groups(rule, access, active, rule.paired_group_lanes, result);
    if (!paired || result.worst_degree > 1) add_groups(rule, access, active, rule.group_lanes, result);
  }
  if (rule.ideal == Ideal::bytes)
    result.ideal = rule.passes * ((std::popcount(active) * access.lane_bytes + bank_row_bytes - 1) / bank_row_bytes);
  result.ideal = std::min(result.ideal, result.wavefronts);
  return result;
}

}  // namespace lanebank::checks
