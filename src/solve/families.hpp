// The families that are searched by trying every member: all but the linear one.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "solve/access_set.hpp"
#include "solve/problem.hpp"
#include "solve/solution.hpp"

namespace lanebank::solve {

/// Fewer wavefronts, then fewer bytes, then fewer index instructions.
bool better(const Candidate& one, const Candidate& other);

/// Under which symmetry of accesses a layout's cost stays the same.
Symmetry symmetry_of(const Layout& layout);

/// What is common to all searches over a problem.
class SearchSpace {
 public:
  explicit SearchSpace(const Problem& problem);

  const Problem& problem() const { return problem_; }
  bool allows(Family family) const;
  /// Accesses under one symmetry, prepared at the first call.
  const AccessSet& set(Symmetry symmetry, std::uint32_t pitch_bytes);
  /// The smallest set that counts a layout rightly.
  const AccessSet& set_for(const Layout& layout);
  /// Are all vectors aligned where rows begin `pitch_bytes` apart?
  bool aligned(std::uint32_t pitch_bytes) const;
  /// Do all vectors begin at a multiple of their width inside the row?
  bool aligned_in_row() const;
  bool fits(std::uint32_t bytes) const { return !problem_.max_bytes || bytes <= *problem_.max_bytes; }
  /// The widest vector or element, in bytes: what XORs must keep together. 0 where an element is no power of two.
  std::uint32_t unit_bytes() const { return unit_bytes_; }
  std::uint32_t widest_access_bytes() const { return widest_access_bytes_; }
  bool copies_by_sectors() const { return copies_by_sectors_; }
  /// The terms of all single swizzles on flat offsets below `bytes` that can change a bank.
  std::vector<Swizzle> swizzles(std::uint32_t bytes) const;

 private:
  const Problem& problem_;
  std::uint32_t unit_bytes_ = 0, widest_access_bytes_ = 1;
  bool copies_by_sectors_ = false;
  std::map<std::pair<Symmetry, std::uint32_t>, std::unique_ptr<AccessSet>> sets_;
  /// places_[k][r][c]: a vector of 2^k bytes begins in a row = r mod 16, c bytes into it mod 16
  std::array<std::array<std::array<bool, 16>, 16>, 5> places_{};
};

/// The best member of each family, and whether all were tried.
class FamilySearch {
 public:
  /// `bound`: a total that nothing beats. `work`: points to look at in each of the larger families.
  FamilySearch(SearchSpace& space, std::uint64_t bound, std::uint64_t work);

  /// Runs what the problem allows.
  void run();
  const std::optional<Candidate>& best(Family family) const { return best_[static_cast<std::size_t>(family)]; }
  /// Was every member of the family tried, or none needed because a simpler one reached the bound?
  bool exhausted(Family family) const { return exhausted_[static_cast<std::size_t>(family)]; }
  const std::optional<Candidate>& best() const { return overall_; }

 private:
  void identity();
  void padding();
  void panels();
  void diagonal();
  void xor_row();
  void swizzle();
  void any_pitch();
  void xor2();
  void padding_xor();
  void hardware();

  bool at_bound() const { return overall_ && overall_->total_wavefronts <= bound_; }
  /// Nothing can beat the overall best, but by index cost.
  bool done() const { return at_bound() && overall_->bytes <= space_.problem().tile.size_bytes(); }
  std::uint64_t cutoff(Family family) const;
  /// Takes the layout with that total if it is the best of its family.
  void consider(const Layout& layout, std::uint64_t total);
  /// Spends work; false when there is none left for the family.
  bool spend(Family family, std::uint64_t points);

  SearchSpace& space_;
  std::uint64_t bound_, work_;
  std::array<std::optional<Candidate>, family_count> best_;
  std::array<bool, family_count> exhausted_{};
  std::array<std::uint64_t, family_count> spent_{};
  std::optional<Candidate> overall_;
};

}  // namespace lanebank::solve
