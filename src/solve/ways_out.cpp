#include "solve/ways_out.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <utility>

#include "solve/access_set.hpp"
#include "solve/families.hpp"

namespace lanebank::solve {
namespace {

constexpr std::size_t ways_limit = 4;

bool is_plain(const Pattern& pattern) {
  const AccessKind kind = pattern.instruction->kind;
  return kind == AccessKind::load || kind == AccessKind::store;
}

/// Lane by lane, access after access, those of inactive lanes left out.
std::vector<Element> elements_of(const Pattern& pattern) {
  std::vector<Element> result;
  for (const WarpAccess& warp : pattern.accesses)
    for (std::uint32_t rest = warp.active_lanes; rest != 0; rest &= rest - 1)
      result.push_back(warp.lanes[static_cast<unsigned>(std::countr_zero(rest))]);
  return result;
}

/// The same pattern taking these elements, 32 a time.
Pattern dealt(const Pattern& pattern, const std::vector<Element>& elements) {
  Pattern result = pattern;
  result.accesses.clear();
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const auto lane = static_cast<unsigned>(i % lanes_per_warp);
    if (lane == 0) result.accesses.emplace_back();
    result.accesses.back().lanes[lane] = elements[i];
    result.accesses.back().active_lanes |= 1u << lane;
  }
  return result;
}

bool whole_warps(const Pattern& pattern) {
  return std::all_of(pattern.accesses.begin(), pattern.accesses.end(),
                     [](const WarpAccess& warp) { return warp.active_lanes == 0xffffffffu; });
}

std::optional<Pattern> narrowed(const Pattern& pattern, const Tile& tile, unsigned bytes) {
  if (!is_plain(pattern) || !whole_warps(pattern) || bytes >= pattern.access_bytes || bytes < tile.element_bytes ||
      bytes % tile.element_bytes != 0)
    return std::nullopt;
  std::vector<Element> parts;
  for (const Element& element : elements_of(pattern))
    for (unsigned byte = 0; byte < pattern.access_bytes; byte += bytes)
      parts.push_back({element.row, element.column + byte / tile.element_bytes});
  if (parts.size() / lanes_per_warp > access_limit / 4) return std::nullopt;
  Pattern result = dealt(pattern, parts);
  result.access_bytes = bytes;
  return result;
}

/// Access k of lane l becomes access (k ^ turn) or (k + turn), turn = l >> shift.
std::optional<Pattern> staggered(const Pattern& pattern, unsigned shift, bool by_xor) {
  const std::size_t count = pattern.accesses.size();
  if (!is_plain(pattern) || count < 2 || !whole_warps(pattern) || (by_xor && !std::has_single_bit(count)))
    return std::nullopt;
  Pattern result = pattern;
  for (std::size_t k = 0; k < count; ++k)
    for (unsigned lane = 0; lane < lanes_per_warp; ++lane) {
      const std::size_t turn = lane >> shift;
      const std::size_t from = by_xor ? (k ^ turn % count) : (k + turn) % count;
      result.accesses[k].lanes[lane] = pattern.accesses[from].lanes[lane];
    }
  return result;
}

struct Change {
  std::string what;
  std::size_t pattern = 0;
  Pattern changed;
  std::uint64_t estimate = 0;  ///< total under the best layout as it is
};

class WayFinder {
 public:
  WayFinder(const Problem& problem, const Solution& solution, const Limits& limits)
      : problem_(problem), solution_(solution), limits_(limits) {}

  std::vector<WayOut> run() {
    for (std::size_t i = 0; i < problem_.patterns.size(); ++i) add_widths(i);
    for (std::size_t i = 0; i < problem_.patterns.size(); ++i)
      if (solution_.patterns[i].wavefronts > solution_.patterns[i].ideal) add_orders(i);
    std::vector<WayOut> result;
    for (const Change& change : changes_)
      if (std::optional<WayOut> way = solved(change)) result.push_back(std::move(*way));
    std::stable_sort(result.begin(), result.end(),
                     [](const WayOut& a, const WayOut& b) { return a.total_wavefronts < b.total_wavefronts; });
    if (result.size() > ways_limit) result.erase(result.begin() + ways_limit, result.end());
    return result;
  }

 private:
  static std::string quoted(const Pattern& pattern) { return "\"" + pattern.name + "\""; }

  void add_widths(std::size_t index) {
    const Pattern& pattern = problem_.patterns[index];
    const char* verb = pattern.instruction->kind == AccessKind::store ? "store " : "load ";
    for (unsigned bytes = pattern.access_bytes / 2; bytes >= problem_.tile.element_bytes && bytes != 0; bytes /= 2)
      if (std::optional<Pattern> changed = narrowed(pattern, problem_.tile, bytes))
        changes_.push_back({verb + std::to_string(bytes) + " bytes instead of " + std::to_string(pattern.access_bytes) +
                                " in " + quoted(pattern),
                            index, std::move(*changed)});
  }

  /// Of all other orders the best under the layout as it is.
  void add_orders(std::size_t index) {
    const Pattern& pattern = problem_.patterns[index];
    if (!is_plain(pattern)) return;
    std::optional<Change> best;
    const std::uint64_t ideal =
        solution_.best.total_wavefronts - solution_.patterns[index].wavefronts + solution_.patterns[index].ideal;
    const auto consider = [&](const std::string& what, std::optional<Pattern> changed) {
      if (!changed || (best && best->estimate <= ideal)) return;
      Change change{"in " + quoted(pattern) + ", " + what, index, std::move(*changed), 0};
      change.estimate = estimate(change);
      if (!best || change.estimate < best->estimate) best = std::move(change);
    };
    for (const bool by_xor : {true, false})
      for (unsigned shift = 0; shift < 5; ++shift)
        consider("access k of a lane becomes access k " + std::string(by_xor ? "^" : "+") +
                     (shift == 0 ? " lane" : " (lane >> " + std::to_string(shift) + ")") + " modulo " +
                     std::to_string(pattern.accesses.size()),
                 staggered(pattern, shift, by_xor));
    if (whole_warps(pattern) && (!best || best->estimate > ideal)) {
      std::vector<Element> elements = elements_of(pattern);
      std::sort(elements.begin(), elements.end(), [](const Element& a, const Element& b) {
        return a.row != b.row ? a.row < b.row : a.column < b.column;
      });
      consider("lanes take the same elements row by row", dealt(pattern, elements));
      std::sort(elements.begin(), elements.end(), [](const Element& a, const Element& b) {
        return a.column != b.column ? a.column < b.column : a.row < b.row;
      });
      consider("lanes take the same elements column by column", dealt(pattern, elements));
    }
    if (best && best->estimate < solution_.best.total_wavefronts) changes_.push_back(std::move(*best));
  }

  Problem changed(const Change& change) const {
    Problem problem = problem_;
    problem.patterns[change.pattern] = change.changed;
    return problem;
  }

  std::uint64_t estimate(const Change& change) const {
    Problem one = problem_;
    one.patterns = {change.changed};
    const Layout& layout = solution_.best.layout;
    const std::uint32_t pitch = layout.panel_count() == 1 ? layout.pitch_bytes() : one.tile.row_bytes();
    const AccessSet set(one, symmetry_of(layout), pitch);
    const std::uint64_t others = solution_.best.total_wavefronts - solution_.patterns[change.pattern].wavefronts;
    const std::uint64_t total =
        set.total([&](std::size_t i) { return layout.offset(set.element(i).row, set.element(i).column); });
    return total == AccessSet::not_modelled ? total : others + total;
  }

  std::optional<WayOut> solved(const Change& change) const {
    Limits limits = limits_;
    limits.ways_out = limits.alternatives = false;
    limits.work /= 20;
    const Result<Solution> solution = solve(changed(change), limits);
    if (!solution || solution->best.total_wavefronts >= solution_.best.total_wavefronts) return std::nullopt;
    return WayOut{change.what, solution->best.total_wavefronts, solution->best.layout};
  }

  const Problem& problem_;
  const Solution& solution_;
  const Limits& limits_;
  std::vector<Change> changes_;
};

}  // namespace

std::vector<WayOut> ways_out(const Problem& problem, const Solution& solution, const Limits& limits) {
  return WayFinder(problem, solution, limits).run();
}

}  // namespace lanebank::solve
