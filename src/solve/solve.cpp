#include "solve/solve.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "solve/bounds.hpp"
#include "solve/exact_count.hpp"
#include "solve/families.hpp"
#include "solve/linear_search.hpp"
#include "solve/ways_out.hpp"

namespace lanebank::solve {
namespace {

/// Of the work on linear layouts, for each family that is searched one by one.
constexpr std::uint64_t family_share = 100;

class Solver {
 public:
  Solver(const Problem& problem, const Limits& limits, Bounds bounds)
      : problem_(problem), limits_(limits), bounds_(std::move(bounds)), space_(problem) {}

  Result<Solution> run() {
    FamilySearch families(space_, bounds_.total(), limits_.work / family_share);
    families.run();
    best_ = families.best();
    search_linear_layouts();
    if (!best_) return unserved();
    Solution solution{*best_, {}, true, 0, 0, bounds_.total(), false, "", "", "", {}, {}, linear_.nodes};
    fill_figures(solution);
    certify(families, solution);
    if (limits_.alternatives) add_alternatives(families, solution);
    const bool fixed = problem_.engine != Engine::none;
    if (solution.best.total_wavefronts > solution.ideal_total) {
      explain_bound(solution);
      if (limits_.ways_out) solution.ways_out = ways_out(problem_, solution, limits_);
    } else if (fixed && limits_.ways_out) {
      solution.ways_out = ways_out(problem_, solution, limits_);
    }
    return solution;
  }

 private:
  void search_linear_layouts() {
    if (!space_.allows(Family::linear)) return;
    const std::uint64_t bound = bounds_.total();
    const bool nothing_left = best_ && best_->total_wavefronts <= bound && best_->bytes <= problem_.tile.size_bytes();
    if (nothing_left) return;
    // A linear layout takes no byte more where the tile is a power of two: with as many wavefronts it beats padding.
    const bool ties_win = best_ && best_->bytes > problem_.tile.size_bytes();
    const std::uint64_t cutoff = best_ ? best_->total_wavefronts + (ties_win ? 1 : 0) : AccessSet::not_modelled;
    linear_ = search_linear(space_, cutoff, bound, limits_.work);
    if (!linear_.layout) return;
    const Layout& layout = *linear_.layout;
    linear_best_ = Candidate{layout, linear_.total, layout.bytes(), layout.index_instructions(), {}};
    if (!best_ || better(*linear_best_, *best_)) best_ = linear_best_;
  }

  tl::unexpected<Diagnostic> unserved() const {
    if (problem_.engine != Engine::none)
      return fail("problem.no-layout", "/constraints/engine",
                  "rows of " + std::to_string(problem_.tile.row_bytes()) +
                      " bytes fit none of the hardware's swizzles of 32, 64 and 128 bytes",
                  "Give rows of a multiple of 32 bytes, with vectors that begin at multiples of their width.");
    return fail("problem.no-layout", "/constraints",
                "no layout of the families allowed serves all accesses" +
                    std::string(problem_.max_bytes ? " within max_bytes" : ""),
                "Allow more families or bytes, or begin vectors at multiples of their width.");
  }

  /// The winner is counted again, access by access.
  void fill_figures(Solution& solution) const {
    const ExactCount count = exact_count(problem_, solution.best.layout);
    LANEBANK_CHECK(count.served && count.total == solution.best.total_wavefronts,
                   describe(solution.best.layout) + ": " + std::to_string(count.total) + " counted, " +
                       std::to_string(solution.best.total_wavefronts) + " found");
    LANEBANK_CHECK(solution.lower_bound <= count.total, std::to_string(solution.lower_bound));
    solution.best.wavefronts = count.wavefronts;
    solution.ideal_total = count.ideal_total;
    ExactCount plain;
    plain.served = false;
    if (limits_.alternatives) plain = exact_count(problem_, Layout::row_major(problem_.tile));
    solution.plain_counts = plain.served;
    solution.plain_total = plain.served ? plain.total : 0;
    for (std::size_t i = 0; i < problem_.patterns.size(); ++i)
      solution.patterns.push_back({problem_.patterns[i].name, plain.served ? plain.wavefronts[i] : 0,
                                   count.wavefronts[i], count.ideal[i], bounds_.patterns[i].residue,
                                   count.worst_degree[i]});
  }

  void certify(const FamilySearch& families, Solution& solution) const {
    if (solution.best.total_wavefronts == bounds_.total()) {
      solution.optimal = true;
      solution.optimal_over = "all layouts";
      solution.certificate = bounds_.extra != 0                  ? bounds_.extra_reason + "; reached"
                             : bounds_.total() > bounds_.bytes() ? "residue bound reached"
                                                                 : "byte bound reached";
      return;
    }
    std::string exhausted, open;
    for (unsigned i = 0; i < family_count; ++i) {
      const auto family = static_cast<Family>(i);
      if (!space_.allows(family)) continue;
      const bool all = family == Family::linear ? linear_.exhausted : families.exhausted(family);
      std::string& list = all ? exhausted : open;
      list += (list.empty() ? "" : ", ") + std::string(name_of(family));
    }
    if (open.empty()) {
      solution.optimal = true;
      solution.optimal_over = "these families: " + exhausted;
      solution.certificate = "exhausted: " + exhausted + nodes_text();
    } else {
      solution.certificate = "best found, not proved: not all of " + open + " was searched" + nodes_text() +
                             (exhausted.empty() ? "" : "; exhausted: " + exhausted);
    }
  }

  std::string nodes_text() const {
    return linear_.nodes == 0 ? "" : " (" + std::to_string(linear_.nodes) + " nodes of linear layouts)";
  }

  void add_alternatives(const FamilySearch& families, Solution& solution) {
    for (unsigned i = 0; i < family_count; ++i) {
      const auto family = static_cast<Family>(i);
      if (family == solution.best.layout.family()) continue;
      std::optional<Candidate> candidate = family == Family::linear ? linear_best_ : families.best(family);
      if (!candidate) continue;
      const Layout& layout = candidate->layout;
      const AccessSet& set = space_.set_for(layout);
      const auto address = [&](std::size_t k) { return layout.offset(set.element(k).row, set.element(k).column); };
      candidate->wavefronts.assign(problem_.patterns.size(), 0);
      for (const PreparedAccess& access : set.accesses())
        candidate->wavefronts[access.pattern] += access.times * set.wavefronts_of(access, address);
      std::uint64_t total = 0;
      for (const std::uint64_t wavefronts : candidate->wavefronts) total += wavefronts;
      LANEBANK_CHECK(total == candidate->total_wavefronts, describe(layout) + ": " + std::to_string(total) +
                                                               " counted, " +
                                                               std::to_string(candidate->total_wavefronts) + " found");
      solution.alternatives.push_back(std::move(*candidate));
    }
    std::stable_sort(solution.alternatives.begin(), solution.alternatives.end(), better);
  }

  void explain_bound(Solution& solution) const {
    std::string& text = solution.bound;
    for (std::size_t i = 0; i < problem_.patterns.size(); ++i) {
      const PatternBound& bound = bounds_.patterns[i];
      if (bound.residue <= bound.bytes) continue;
      text += (text.empty() ? "" : "; ") + std::string("residue: vectors of ") + std::to_string(bound.vector_bytes) +
              " bytes fix each address modulo " + std::to_string(bound.vector_bytes) + ", so the words that \"" +
              problem_.patterns[i].name + "\" wants together lie in " + std::to_string(bound.places) +
              " banks: " + std::to_string(bound.degree) + " wavefronts each, " + std::to_string(bound.residue) +
              " in all";
    }
    if (bounds_.extra != 0) text += (text.empty() ? "" : "; ") + bounds_.extra_reason;
    if (text.empty()) text = "no bound: no layout of the families searched is ideal";
  }

  const Problem& problem_;
  const Limits& limits_;
  Bounds bounds_;
  SearchSpace space_;
  std::optional<Candidate> best_, linear_best_;
  LinearResult linear_;
};

}  // namespace

Result<Solution> solve(const Problem& problem, const Limits& limits) {
  if (Result<void> checked = check(problem); !checked) return tl::unexpected(checked.error());
  Result<Bounds> bounds = bounds_of(problem);
  if (!bounds) return tl::unexpected(bounds.error());
  return Solver(problem, limits, std::move(*bounds)).run();
}

}  // namespace lanebank::solve
