// The groups of a problem as sets of differences over F2, for the search over linear layouts.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "solve/access_set.hpp"

namespace lanebank::solve {

/// The quotient of F2^dimension by a subspace: the elements that share a word.
class Quotient {
 public:
  /// `basis`: in reduced echelon form, each vector with its leading bit.
  Quotient(unsigned dimension, std::vector<std::uint32_t> basis);

  unsigned dimension() const { return dimension_ - static_cast<unsigned>(basis_.size()); }
  std::uint32_t project(std::uint32_t vector) const;
  /// The functional of the whole space that agrees with one of the quotient.
  std::uint32_t lift(std::uint32_t functional) const;
  /// Leading bits of the basis.
  const std::vector<unsigned>& leads() const { return leads_; }

 private:
  unsigned dimension_;
  std::vector<std::uint32_t> basis_;
  std::vector<unsigned> leads_;
};

/// Differences of points that must be told apart, in coordinates of the span of all of them.
struct PointSet {
  bool is_space = false;
  bool must_part = false;              ///< a line of banks: every row has to cut it in halves
  unsigned multiplicity = 1;           ///< is_space: how often each difference stands for a lane
  std::vector<std::uint32_t> vectors;  ///< is_space: a basis; else all points
};

/// Sets whose largest degree is a group's.
using SetList = std::vector<std::uint32_t>;

struct PairedTerm {
  std::uint64_t times = 0;
  std::uint32_t large_groups = 0;
  std::vector<std::uint32_t> large, small;  ///< groups
};

/// A problem's total as a function of the degrees of its groups.
struct LaneGroups {
  std::vector<PointSet> sets;
  std::vector<SetList> groups;
  std::vector<std::uint64_t> factors;  ///< total = constant + sum of factors x degrees + paired terms + exact ones
  std::vector<PairedTerm> paired;
  std::uint64_t constant = 0;
  bool has_exact = false;            ///< some accesses need whole addresses; `constant` has one wavefront for each
  std::vector<unsigned> span_leads;  ///< of the span of all differences: its coordinates are these bits
};

/// `unit_shift`: logarithm of the bytes that stay together; flat offsets above it go through `quotient`.
/// `keep_lines`: adds the line of banks as a set that must part, `bank_rows` dimensions from the lowest bit on.
LaneGroups lane_groups(const AccessSet& set, unsigned unit_shift, const Quotient& quotient, bool keep_lines,
                       unsigned bank_rows);

}  // namespace lanebank::solve
