#include "solve/bounds.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <utility>

#include "solve/access_set.hpp"
#include "solve/conflict_graph.hpp"

namespace lanebank::solve {
namespace {

unsigned divided_up(std::uint64_t number, std::uint64_t by) { return static_cast<unsigned>((number + by - 1) / by); }

/// For vectors of one width: which residue each element has, and which vector it lies in.
class Residues {
 public:
  Residues(const Tile& tile, unsigned vector_bytes)
      : tile_(tile), vector_bytes_(vector_bytes), start_(std::size_t{tile.rows} * tile.columns, none) {}

  /// False if the vector from that element on contradicts one before it.
  bool add(const Element& first) {
    any_ = true;
    for (std::uint32_t byte = 0; byte < vector_bytes_; byte += tile_.element_bytes) {
      std::uint32_t& start = start_[index(first) + byte / tile_.element_bytes];
      if (start == none) start = first.column;
      if ((start - first.column) * tile_.element_bytes % vector_bytes_ != 0) return false;
    }
    return true;
  }
  bool any() const { return any_; }
  unsigned vector_bytes() const { return vector_bytes_; }
  bool known(const Element& element) const { return start_[index(element)] != none; }
  /// Bytes from the start of the element's vector.
  std::uint32_t of(const Element& element) const {
    return (element.column - start_[index(element)]) * tile_.element_bytes % vector_bytes_;
  }
  /// The element's unit of `unit_bytes`, which no layout can tear apart.
  std::uint64_t unit(const Element& element, std::uint32_t unit_bytes) const {
    const std::uint32_t inside = of(element);
    return (std::uint64_t{element.row} * tile_.columns + element.column) * tile_.element_bytes - inside % unit_bytes;
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  std::size_t index(const Element& element) const { return std::size_t{element.row} * tile_.columns + element.column; }
  const Tile& tile_;
  unsigned vector_bytes_;
  bool any_ = false;
  std::vector<std::uint32_t> start_;  ///< column where the element's vector begins
};

class BoundFinder {
 public:
  explicit BoundFinder(const Problem& problem) : problem_(problem), set_(problem, Symmetry::none, 0) {}

  Result<Bounds> run() {
    for (const unsigned bytes : {16u, 8u, 4u, 2u})
      if (bytes > problem_.tile.element_bytes) residues_.emplace_back(problem_.tile, bytes);
    if (Result<void> added = add_vectors(); !added) return tl::unexpected(added.error());
    bounds_.patterns.resize(problem_.patterns.size());
    for (const PreparedAccess& access : set_.accesses()) bound(access);
    const GraphBound extra = graph_bound(problem_, set_, clean_);
    bounds_.extra = extra.wavefronts;
    bounds_.extra_reason = extra.reason;
    return std::move(bounds_);
  }

 private:
  Result<void> add_vectors() {
    for (std::size_t p = 0; p < problem_.patterns.size(); ++p) {
      const Pattern& pattern = problem_.patterns[p];
      for (Residues& residues : residues_) {
        if (residues.vector_bytes() != pattern.access_bytes) continue;
        for (std::size_t i = 0; i < pattern.accesses.size(); ++i)
          for (std::uint32_t rest = pattern.accesses[i].active_lanes & addressing_lanes(pattern); rest != 0;
               rest &= rest - 1) {
            const auto lane = static_cast<unsigned>(std::countr_zero(rest));
            if (!residues.add(pattern.accesses[i].lanes[lane]))
              return fail(
                  "problem.alignment",
                  "/patterns/" + std::to_string(p) + "/accesses/" + std::to_string(i) + "/" + std::to_string(lane),
                  "a vector of " + std::to_string(pattern.access_bytes) +
                      " bytes overlaps another one in part: both cannot be aligned, whatever the layout",
                  "Narrow access_bytes, or begin vectors at multiples of their width.");
          }
      }
    }
    return {};
  }

  void bound(const PreparedAccess& access) {
    using Way = PreparedAccess::Way;
    PatternBound& pattern = bounds_.patterns[access.pattern];
    std::uint64_t bytes = 0, residue = 0;
    if (access.way == Way::constant) {
      bytes = residue = access.constant;
    } else if (access.way == Way::exact) {
      bytes = residue = bound_of_exact(access);
    } else {
      bytes = composed(access, [&](const PointGroup& group) { return byte_degree(access, group); });
      residue = composed(access, [&](const PointGroup& group) {
        return std::max(byte_degree(access, group), residue_degree(access, group, pattern));
      });
    }
    clean_.push_back(residue == std::uint64_t{access.small_groups} * access.passes);
    pattern.bytes += access.times * bytes;
    pattern.residue += access.times * residue;
  }

  template <class DegreeOf>
  std::uint64_t composed(const PreparedAccess& access, DegreeOf degree_of) const {
    if (access.way == PreparedAccess::Way::paired) {
      unsigned worst = 0;
      for (std::uint32_t i = 0; i < access.large_groups; ++i)
        worst = std::max(worst, degree_of(set_.group(access.first_group + access.small_groups + i)));
      if (worst <= 1) return std::uint64_t{access.passes} * access.large_groups;
    }
    std::uint64_t sum = 0;
    for (std::uint32_t i = 0; i < access.small_groups; ++i) sum += degree_of(set_.group(access.first_group + i));
    return sum * access.passes;
  }

  unsigned byte_degree(const PreparedAccess& access, const PointGroup& group) const {
    const unsigned width = problem_.patterns[access.pattern].access_bytes;
    const bool whole = !access.merges_words;
    unsigned degree =
        divided_up(std::uint64_t{group.count} * (whole ? 1u << access.unit_shift : width), bank_row_bytes);
    if (access.rule.counting == Counting::lanes)
      for (std::uint32_t i = 0; i < group.count; ++i) {
        unsigned same = 0;
        for (std::uint32_t k = 0; k < group.count; ++k)
          same += set_.element(group.first + i) == set_.element(group.first + k);
        degree = std::max(degree, same);
      }
    return std::max(degree, 1u);
  }

  /// The largest number of units of one residue.
  unsigned units(const Residues& residues, const PointGroup& group, std::uint32_t unit_bytes) const {
    std::array<unsigned, 16> counts{};
    for (std::uint32_t i = group.first; i < group.first + group.count; ++i)
      if (residues.known(set_.element(i))) ++counts[residues.of(set_.element(i)) / unit_bytes];
    return *std::max_element(counts.begin(), counts.end());
  }

  /// The same where several lanes may want one word.
  unsigned distinct_units(const Residues& residues, const PointGroup& group) const {
    std::array<std::vector<std::uint64_t>, 16> words;
    std::size_t most = 0;
    for (std::uint32_t i = group.first; i < group.first + group.count; ++i)
      if (residues.known(set_.element(i)))
        words[residues.of(set_.element(i)) / bank_bytes].push_back(residues.unit(set_.element(i), bank_bytes));
    for (std::vector<std::uint64_t>& same : words) {
      std::sort(same.begin(), same.end());
      most = std::max<std::size_t>(most, std::unique(same.begin(), same.end()) - same.begin());
    }
    return static_cast<unsigned>(most);
  }

  /// The largest number of units of one residue, over the places that they have.
  unsigned residue_degree(const PreparedAccess& access, const PointGroup& group, PatternBound& pattern) const {
    const std::uint32_t unit_bytes = 1u << access.unit_shift;
    unsigned best = 1;
    for (const Residues& residues : residues_) {
      if (!residues.any() || residues.vector_bytes() <= unit_bytes) continue;
      const unsigned most = access.merges_words ? distinct_units(residues, group) : units(residues, group, unit_bytes);
      const unsigned degree = divided_up(std::uint64_t{most} * residues.vector_bytes(), bank_row_bytes);
      if (degree <= best) continue;
      best = degree;
      if (degree > pattern.degree) {
        pattern.degree = degree;
        pattern.vector_bytes = residues.vector_bytes();
        pattern.places = bank_row_bytes / residues.vector_bytes();
      }
    }
    return best;
  }

  /// Asynchronous copies, and loads whose rule needs the addresses.
  std::uint64_t bound_of_exact(const PreparedAccess& access) const {
    const PointGroup& points = set_.group(access.first_group);
    const std::uint32_t active = access.access.active_lanes;
    std::vector<Element> distinct;
    std::map<std::uint32_t, std::vector<std::uint32_t>> chunks_of_line;  // of the distinct ones
    for (std::uint32_t rest = active; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      const Element& element = set_.element(points.first + lane);
      if (std::find(distinct.begin(), distinct.end(), element) != distinct.end()) continue;
      distinct.push_back(element);
      const std::uint32_t chunk = source_of(access.access, lane) / 16;
      chunks_of_line[chunk / 8].push_back(chunk);
    }
    if (access.rule.counting == Counting::copied_lanes) return bound_of_copied_lanes(access);
    if (access.rule.counting != Counting::copied_sectors) return std::max(1u, divided_up(distinct.size(), 8));
    std::uint64_t sum = 0;  // a wavefront serves chunks of one source line, 8 at most, 16 if some are read twice
    for (auto& [line, chunks] : chunks_of_line) {
      std::sort(chunks.begin(), chunks.end());
      const bool twice = std::adjacent_find(chunks.begin(), chunks.end()) != chunks.end();
      sum += divided_up(chunks.size(), twice ? 16 : 8);
    }
    return sum;
  }

  static std::uint64_t bound_of_copied_lanes(const PreparedAccess& access) {
    const unsigned width = access.access.lane_bytes, size = access.rule.group_lanes, units = bank_row_bytes / width;
    std::uint64_t sum = 0;
    for (unsigned first = 0; first < lanes_per_warp; first += size) {
      std::array<unsigned, bank_count> from{};
      unsigned lanes = 0, worst = 0;
      for (unsigned lane = first; lane < first + size; ++lane) {
        if ((access.access.active_lanes >> lane & 1) == 0) continue;
        ++lanes;
        worst = std::max(worst, ++from[source_of(access.access, lane) / width % units]);
      }
      if (lanes != 0) sum += std::max(worst, divided_up(lanes, units));
    }
    return sum;
  }

  const Problem& problem_;
  AccessSet set_;
  std::vector<Residues> residues_;
  Bounds bounds_;
  std::vector<bool> clean_;  ///< per access of set_: its bound is one wavefront per group
};

}  // namespace

std::uint64_t Bounds::bytes() const {
  std::uint64_t sum = 0;
  for (const PatternBound& pattern : patterns) sum += pattern.bytes;
  return sum;
}

std::uint64_t Bounds::total() const {
  std::uint64_t sum = extra;
  for (const PatternBound& pattern : patterns) sum += pattern.residue;
  return sum;
}

Result<Bounds> bounds_of(const Problem& problem) { return BoundFinder(problem).run(); }

}  // namespace lanebank::solve
