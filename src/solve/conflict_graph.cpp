#include "solve/conflict_graph.hpp"

#include <algorithm>
#include <bit>
#include <bitset>
#include <vector>

namespace lanebank::solve {
namespace {

constexpr std::uint32_t unit_limit = 1024;
constexpr std::uint64_t node_limit = 200'000;
using Row = std::bitset<unit_limit>;

class ConflictGraph {
 public:
  ConflictGraph(const Problem& problem, const AccessSet& set) : problem_(problem), set_(set) {}

  GraphBound bound(const std::vector<bool>& clean) {
    if (!has_units()) return {};
    adjacent_.resize(unit_count_);
    for (std::size_t i = 0; i < set_.accesses().size(); ++i)
      if (clean[i] && set_.accesses()[i].way == PreparedAccess::Way::groups) add(set_.accesses()[i]);
    if (cheapest_ == none || touched_.count() <= places_) return {};
    const unsigned clique = greedy_clique();
    if (clique > places_)
      return {cheapest_, "clique bound: " + std::to_string(clique) + " units of " + std::to_string(unit_bytes_) +
                             " bytes must lie pairwise in different banks, which have room for " +
                             std::to_string(places_)};
    if (unit_count_ > 64) return {};
    const unsigned largest = largest_independent_set();
    if (largest == 0 || std::uint64_t{largest} * places_ >= touched_.count()) return {};
    return {cheapest_, "code bound: no more than " + std::to_string(largest) +
                           " units can share a bank without meeting in an access, and " + std::to_string(places_) +
                           " such places do not hold " + std::to_string(touched_.count()) + " units"};
  }

 private:
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  /// Is the tile cut into units that every access takes whole or in part, at the same place?
  bool has_units() {
    unit_bytes_ = bank_bytes;
    for (const Pattern& pattern : problem_.patterns) unit_bytes_ = std::max(unit_bytes_, pattern.access_bytes);
    const Tile& tile = problem_.tile;
    if (tile.row_bytes() % unit_bytes_ != 0 || tile.size_bytes() / unit_bytes_ > unit_limit) return false;
    // What lies in one unit stays together only where one vector holds it.
    const bool kept_together = tile.element_bytes % unit_bytes_ == 0 || covers_all();
    unit_count_ = tile.size_bytes() / unit_bytes_;
    places_ = bank_row_bytes / unit_bytes_;
    return kept_together;
  }

  /// Does a vector of the unit's width take every unit of the tile, and none across two?
  bool covers_all() const {
    Row covered;
    for (const Pattern& pattern : problem_.patterns) {
      if (pattern.access_bytes != unit_bytes_) continue;
      for (const WarpAccess& warp : pattern.accesses)
        for (std::uint32_t rest = warp.active_lanes & addressing_lanes(pattern); rest != 0; rest &= rest - 1) {
          const Element& element = warp.lanes[static_cast<unsigned>(std::countr_zero(rest))];
          if (element.column * problem_.tile.element_bytes % unit_bytes_ != 0) return false;
          covered.set(unit_of(element));
        }
    }
    return covered.count() == problem_.tile.size_bytes() / unit_bytes_;
  }

  std::uint32_t unit_of(const Element& element) const {
    return (element.row * problem_.tile.row_bytes() + element.column * problem_.tile.element_bytes) / unit_bytes_;
  }

  void add(const PreparedAccess& access) {
    const std::uint32_t width = 1u << access.unit_shift;
    if (access.merges_words || access.rule.counting != Counting::distinct_words) return;
    bool used = false;
    for (std::uint32_t i = 0; i < access.small_groups; ++i) {
      const PointGroup& group = set_.group(access.first_group + i);
      for (std::uint32_t a = group.first; a < group.first + group.count; ++a)
        for (std::uint32_t b = a + 1; b < group.first + group.count; ++b) used = join(a, b, width) || used;
    }
    if (used) cheapest_ = std::min(cheapest_, problem_.patterns[access.pattern].repeat * access.passes);
  }

  bool join(std::uint32_t a, std::uint32_t b, std::uint32_t width) {
    const std::uint32_t first = unit_of(set_.element(a)), second = unit_of(set_.element(b));
    const std::uint32_t bytes = problem_.tile.element_bytes;
    const bool same_residue = (set_.element(a).column * bytes % unit_bytes_) / width ==
                              (set_.element(b).column * bytes % unit_bytes_) / width;
    if (first == second || !same_residue) return false;
    adjacent_[first].set(second);
    adjacent_[second].set(first);
    touched_.set(first);
    touched_.set(second);
    return true;
  }

  unsigned greedy_clique() const {
    std::size_t best = 0;
    for (std::uint32_t start = 0; start < unit_count_; ++start) {
      if (!touched_[start]) continue;
      Row candidates = adjacent_[start];
      std::size_t size = 1;
      while (candidates.any()) {
        std::uint32_t chosen = 0;
        std::size_t most = 0;
        for (std::uint32_t unit = 0; unit < unit_count_; ++unit) {
          if (!candidates[unit]) continue;
          const std::size_t common = 1 + (candidates & adjacent_[unit]).count();
          if (common > most) most = common, chosen = unit;
        }
        candidates &= adjacent_[chosen];
        ++size;
      }
      best = std::max(best, size);
      if (best > places_ || start >= 4) break;  // tiles are alike everywhere: a few starts are enough
    }
    return static_cast<unsigned>(best);
  }

  /// Of up to 64 units; 0 if the search is too long.
  unsigned largest_independent_set() {
    std::vector<std::uint64_t> rows;
    for (std::uint32_t unit = 0; unit < unit_count_; ++unit)
      rows.push_back((adjacent_[unit] & Row(~std::uint64_t{0})).to_ullong());
    nodes_ = 0;
    unsigned best = 0;
    grow(rows, (touched_ & Row(~std::uint64_t{0})).to_ullong(), 0, best);
    return nodes_ > node_limit ? 0 : best;
  }

  void grow(const std::vector<std::uint64_t>& rows, std::uint64_t candidates, unsigned size, unsigned& best) {
    best = std::max(best, size);
    while (candidates != 0 && size + static_cast<unsigned>(std::popcount(candidates)) > best) {
      if (++nodes_ > node_limit) return;
      const auto unit = static_cast<unsigned>(std::countr_zero(candidates));
      candidates &= candidates - 1;
      grow(rows, candidates & ~rows[unit], size + 1, best);
    }
  }

  const Problem& problem_;
  const AccessSet& set_;
  std::uint32_t unit_bytes_ = bank_bytes, unit_count_ = 0, places_ = 0;
  std::uint64_t cheapest_ = none, nodes_ = 0;
  std::vector<Row> adjacent_;
  Row touched_;
};

}  // namespace

GraphBound graph_bound(const Problem& problem, const AccessSet& set, const std::vector<bool>& clean) {
  return ConflictGraph(problem, set).bound(clean);
}

}  // namespace lanebank::solve
