#include "checks/swizzle_mismatch.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <optional>
#include <utility>

namespace lanebank::checks {
namespace {

constexpr unsigned most_bits = 5, lowest_base = 2, highest_base = 6, address_bits = 18;
constexpr std::size_t record_limit = 1024;  // of an array; enough to know its map

struct Swizzle {
  unsigned bits = 0, base = 0, shift = 0;
  /// Its own inverse.
  std::uint32_t operator()(std::uint32_t f) const {
    const std::uint32_t mask = ((1u << bits) - 1) << (base + shift);
    return f ^ ((f & mask) >> shift);
  }
};

/// An access of one instruction: where its lanes point, from the array's start.
struct Sample {
  std::uint32_t instruction = 0;
  bool writes = false;
  unsigned lanes = 32;  ///< the first so many, a power of two
  unsigned lane_bytes = 4;
  std::array<std::uint32_t, lanes_per_warp> at{};
};

using Steps = std::array<std::int64_t, 5>;

/// The step that each bit of the lane makes, if addresses are sums of those.
std::optional<Steps> regular_steps(const Sample& sample, const Swizzle& swizzle) {
  std::array<std::int64_t, lanes_per_warp> at{};
  for (unsigned i = 0; i < sample.lanes; ++i) at[i] = swizzle(sample.at[i]);
  Steps steps{};
  for (unsigned k = 0; 1u << k < sample.lanes; ++k) steps[k] = at[1u << k] - at[0];
  for (unsigned i = 0; i < sample.lanes; ++i) {
    std::int64_t sum = at[0];
    for (unsigned k = 0; k < steps.size(); ++k) sum += (i >> k & 1) != 0 ? steps[k] : 0;
    if (sum != at[i]) return std::nullopt;
  }
  return steps;
}

/// The recorded accesses of an array, each with all of its lanes inside.
std::vector<Sample> samples_of(const ConflictReport& report, const SharedArray& array, std::int32_t number) {
  std::vector<Sample> samples;
  for (const InstructionConflicts& row : report.instructions) {
    const bool reads = row.kind == AccessKind::load || row.kind == AccessKind::matrix_load;
    const bool writes = row.kind == AccessKind::store || row.kind == AccessKind::matrix_store ||
                        row.kind == AccessKind::async_copy_ca || row.kind == AccessKind::async_copy_cg;
    if (!reads && !writes) continue;
    for (const AccessRecord& record : row.records) {
      const unsigned lanes = static_cast<unsigned>(std::popcount(record.lanes));
      const bool whole = std::has_single_bit(lanes) && lanes > 1 && (lanes == 32 || record.lanes == (1u << lanes) - 1);
      if (record.array != number || !whole) continue;
      // A record joins all places of a pattern; its first and its last show what moves with the place.
      for (const std::uint32_t base : {record.base_low, record.base_high}) {
        Sample sample{row.instruction, writes, lanes, row.lane_bytes, {}};
        bool inside = true;
        for (unsigned i = 0; i < lanes; ++i) {
          sample.at[i] = base + static_cast<std::uint32_t>(record.relative_bytes[i]) - array.offset_bytes;
          inside = inside && sample.at[i] < array.size_bytes;
        }
        if (inside) samples.push_back(sample);
        if (record.base_high == record.base_low) break;
      }
      if (samples.size() >= record_limit) return samples;
    }
  }
  return samples;
}

constexpr Swizzle none{};

/// How many instructions make the same steps as most do: with a swizzle that all addresses went through undone, all do. Those
/// that do so at times only (cut tiles) count as neither, for writes as others.
class Likeness {
 public:
  Likeness(const std::vector<Sample>& samples, bool writes, const Swizzle& swizzle) {
    using Members = std::vector<std::pair<std::uint32_t, std::optional<Steps>>>;  // by instruction
    std::map<std::pair<unsigned, unsigned>, Members> kinds;                       // by bytes and number of lanes
    for (const Sample& sample : samples)
      if (sample.writes == writes)
        kinds[{sample.lane_bytes, sample.lanes}].push_back({sample.instruction, regular_steps(sample, swizzle)});
    struct Instruction {
      unsigned alike = 0, others = 0;
    };
    std::map<std::uint32_t, Instruction> instructions;
    for (const auto& [kind, members] : kinds) {
      std::map<Steps, unsigned> counts;
      for (const auto& [instruction, steps] : members)
        if (steps) ++counts[*steps];
      const auto most = std::max_element(counts.begin(), counts.end(),
                                         [](const auto& a, const auto& b) { return a.second < b.second; });
      // What few do is nobody's rule.
      const bool any = most != counts.end() && (most->second > 1 || members.size() == 1);
      for (const auto& [instruction, steps] : members)
        ++(any && steps == most->first ? instructions[instruction].alike : instructions[instruction].others);
    }
    for (const auto& [number, instruction] : instructions) {
      if (instruction.others == 0) {
        ++alike;
      } else if (writes || instruction.alike == 0) {
        if (others++ == 0) first_other = number;
      }
    }
  }
  unsigned alike = 0, others = 0;
  std::uint32_t first_other = 0;
};

/// Whether all stores make the same steps, as Likeness counts them; ends at the first that does not.
bool explains_stores(const std::vector<Sample>& samples, const Swizzle& swizzle) {
  std::map<std::pair<unsigned, unsigned>, Steps> kinds;
  for (const Sample& sample : samples) {
    if (!sample.writes) continue;
    const auto steps = regular_steps(sample, swizzle);
    if (!steps) return false;
    const auto [kind, is_new] = kinds.try_emplace({sample.lane_bytes, sample.lanes}, *steps);
    if (!is_new && kind->second != *steps) return false;
  }
  return true;
}

std::optional<SwizzleMismatch> mismatch_of(const std::vector<Sample>& samples) {
  const Likeness plain_stores(samples, true, none), plain_reads(samples, false, none);
  if (plain_stores.others == 0) return std::nullopt;
  std::optional<SwizzleMismatch> best;
  for (unsigned bits = 1; bits <= most_bits; ++bits)
    for (unsigned base = lowest_base; base <= highest_base; ++base)
      for (unsigned shift = bits; base + shift + bits <= address_bits; ++shift) {
        const Swizzle swizzle{bits, base, shift};
        if (!explains_stores(samples, swizzle)) continue;
        const Likeness reads(samples, false, swizzle);
        if (reads.others == 0) return std::nullopt;  // this one explains everything
        if (reads.alike == 0 && plain_reads.others != 0) continue;
        const SwizzleMismatch found{no_array,          bits,        base,        shift, plain_stores.first_other,
                                    reads.first_other, reads.alike, reads.others};
        if (!best || found.others < best->others) best = found;
      }
  return best;
}

}  // namespace

std::vector<SwizzleMismatch> swizzle_mismatches(const ConflictReport& report, const std::vector<SharedArray>& arrays) {
  std::vector<SwizzleMismatch> found;
  for (std::size_t n = 0; n < arrays.size(); ++n) {
    const auto number = static_cast<std::int32_t>(n);
    auto mismatch = mismatch_of(samples_of(report, arrays[n], number));
    if (!mismatch) continue;
    mismatch->array = number;
    found.push_back(*mismatch);
  }
  return found;
}

}  // namespace lanebank::checks
