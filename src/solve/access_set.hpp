// The accesses of a problem, prepared for counting them under thousands of layouts.
//
// Accesses that cost the same under every layout of a class are kept once, with how often they stand for:
//   xor_flat     layouts that are F2-linear in the flat offset: same flat offsets but for one XOR by a constant
//   translation  padded rows: same elements but for one shift
//   none         identical elements only
// What a layout cannot change is worked out beforehand: groups, lanes that share an element, pairing. What is left per
// layout is the degree of each group. The counts equal lanebank::cost's; tests hold one against the other.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "lanebank/bank_model.hpp"
#include "solve/problem.hpp"

namespace lanebank::solve {

enum class Symmetry : std::uint8_t { none, xor_flat, translation };

/// Points [first, first + count): the elements of a group.
struct PointGroup {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

struct PreparedAccess {
  enum class Way : std::uint8_t {
    constant,  ///< no layout changes it
    groups,    ///< passes x sum of degrees
    paired,    ///< the large groups if all have degree 1, else the small ones
    exact,     ///< asked of lanebank::cost; its one group holds all 32 lanes
  };
  Way way = Way::groups;
  std::uint32_t pattern = 0;
  std::uint64_t times = 1;  ///< executions that it stands for
  std::uint32_t constant = 0;
  std::uint32_t first_group = 0, small_groups = 0, large_groups = 0;  ///< the small ones come first
  std::uint32_t passes = 1;
  unsigned unit_shift = 2;    ///< logarithm of the bytes that lie in neighbouring banks: at least a word
  bool merges_words = false;  ///< narrower than a word: different elements may share one
  AccessRule rule;
  Access access;  ///< way exact: all but the addresses
};

class AccessSet {
 public:
  /// `pitch_bytes`: of the flat offsets.
  AccessSet(const Problem& problem, Symmetry symmetry, std::uint32_t pitch_bytes);

  const std::vector<PreparedAccess>& accesses() const { return accesses_; }
  const PointGroup& group(std::size_t index) const { return groups_[index]; }
  const Element& element(std::size_t point) const { return elements_[point]; }
  std::uint32_t flat(std::size_t point) const { return flats_[point]; }
  std::size_t point_count() const { return flats_.size(); }
  /// Points that `total` looks at under one layout, to plan with.
  std::uint64_t work() const { return flats_.size() + 1; }

  static constexpr std::uint64_t not_modelled = ~std::uint64_t{0};

  /// Weighted wavefronts; address_of(i) is the address of point i. Stops early at a total above `cutoff`; not_modelled
  /// where an access follows no known rule.
  template <class AddressOf>
  std::uint64_t total(AddressOf address_of, std::uint64_t cutoff = not_modelled - 1) const {
    std::uint64_t sum = 0;
    for (const PreparedAccess& access : accesses_) {
      const std::uint64_t wavefronts = wavefronts_of(access, address_of);
      if (wavefronts == not_modelled) return not_modelled;
      sum += access.times * wavefronts;
      if (sum > cutoff) return sum;
    }
    return sum;
  }

  /// Of one execution.
  template <class AddressOf>
  std::uint64_t wavefronts_of(const PreparedAccess& access, AddressOf address_of) const {
    if (access.way == PreparedAccess::Way::constant) return access.constant;
    if (access.way == PreparedAccess::Way::exact) return exact(access, address_of);
    if (access.way == PreparedAccess::Way::paired) {
      unsigned worst = 0;
      for (std::uint32_t i = 0; i < access.large_groups && worst <= 1; ++i)
        worst = std::max(worst, degree(access, groups_[access.first_group + access.small_groups + i], address_of));
      if (worst <= 1) return std::uint64_t{access.passes} * access.large_groups;
    }
    std::uint64_t sum = 0;
    for (std::uint32_t i = 0; i < access.small_groups; ++i)
      sum += degree(access, groups_[access.first_group + i], address_of);
    return sum * access.passes;
  }

 private:
  template <class AddressOf>
  std::uint64_t exact(const PreparedAccess& access, AddressOf address_of) const {
    Access placed = access.access;
    const PointGroup& lanes = groups_[access.first_group];
    for (std::uint32_t lane = 0; lane < lanes.count; ++lane) placed.addresses[lane] = address_of(lanes.first + lane);
    const Cost cost = cost_by(access.rule, placed);
    return cost.modelled ? cost.wavefronts : not_modelled;
  }

  template <class AddressOf>
  static unsigned degree(const PreparedAccess& access, const PointGroup& group, AddressOf address_of) {
    if (access.merges_words) return degree_of_words(group, address_of);
    std::uint8_t filled[bank_count] = {};
    const std::uint32_t banks = bank_row_bytes >> access.unit_shift;
    unsigned worst = 0;
    for (std::uint32_t i = group.first; i < group.first + group.count; ++i)
      worst = std::max<unsigned>(worst, ++filled[address_of(i) >> access.unit_shift & (banks - 1)]);
    return worst;
  }

  template <class AddressOf>
  static unsigned degree_of_words(const PointGroup& group, AddressOf address_of) {
    std::uint8_t filled[bank_count] = {};
    std::uint32_t words[bank_count][lanes_per_warp];
    unsigned worst = 0;
    for (std::uint32_t i = group.first; i < group.first + group.count; ++i) {
      const std::uint32_t word = address_of(i) / bank_bytes;
      std::uint32_t* known = words[word % bank_count];
      std::uint8_t& count = filled[word % bank_count];
      if (std::find(known, known + count, word) != known + count) continue;
      known[count++] = word;
      worst = std::max<unsigned>(worst, count);
    }
    return worst;
  }

  void add(const Pattern& pattern, std::uint32_t index, const WarpAccess& warp);
  void add_halves(const WarpAccess& warp, std::uint32_t active, const PreparedAccess& like);
  void add_groups(const Pattern& pattern, const WarpAccess& warp, PreparedAccess& prepared);
  std::uint32_t add_groups_of(const WarpAccess& warp, std::uint32_t active, unsigned size, bool every_lane);
  void add_point(const Element& element);

  std::uint32_t pitch_bytes_, element_bytes_;
  unsigned architecture_;
  std::vector<PreparedAccess> accesses_;
  std::vector<PointGroup> groups_;
  std::vector<Element> elements_;
  std::vector<std::uint32_t> flats_;
};

}  // namespace lanebank::solve
