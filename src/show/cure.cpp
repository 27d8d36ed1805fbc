#include "show/cure.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/words.hpp"
#include "picture/words.hpp"
#include "solve/solve.hpp"

namespace lanebank::show {
namespace {

/// Enough for what people type; harder problems are for `lanebank solve`.
constexpr std::uint64_t work_limit = 50'000'000;

using solve::Family;

enum class Kind : std::uint8_t { padding, swizzle, other };

Kind kind_of(Family family) {
  switch (family) {
    case Family::padding:
      return Kind::padding;
    case Family::diagonal:
    case Family::xor_row:
    case Family::swizzle:
    case Family::any_pitch:
    case Family::xor2:
      return Kind::swizzle;
    default:
      return Kind::other;
  }
}

/// The layout in both spellings of a swizzle, where it is one.
std::string text_of(const solve::Layout& layout, const Array& array) {
  const std::uint32_t element = layout.tile().element_bytes, columns = layout.tile().columns;
  switch (layout.family()) {
    case Family::swizzle:
    case Family::any_pitch:
      return both_orders(layout.terms().front(), element);
    case Family::padding:
      if (layout.panel_count() == 1 && layout.pad_bytes() % element == 0 && array.sizes.size() <= 1) {
        const std::uint32_t pad = layout.pad_bytes() / element;
        return fmt::format("{} after every {}: {}[i + i / {}{}]", picture::counted(pad, "element"), columns,
                           array.name.empty() ? "s" : array.name, columns, pad == 1 ? "" : fmt::format(" * {}", pad));
      }
      if (layout.panel_count() == 1 && layout.pad_bytes() % element == 0)
        return fmt::format("rows of {} + {} elements", columns, layout.pad_bytes() / element);
      return solve::describe(layout);
    default:
      return solve::describe(layout);
  }
}

Cure cure_of(const solve::Layout& layout, const ArrayAnswer& array, const Answer& answer) {
  Cure cure;
  cure.family = solve::name_of(layout.family());
  cure.text = text_of(layout, array.array);
  cure.arrangement = arrangement_of(layout);
  cure.arrangement.text = cure.text;
  cure.more_bytes = std::int64_t{layout.bytes()} - std::int64_t{array.tile.size_bytes()};
  cure.code = solve::notation(layout, array.array.name.empty() ? "tile" : array.array.name).cuda;
  for (const std::size_t index : array.accesses) {
    cure.figures.push_back(
        figures_of(answer.accesses[index].accesses, cure.arrangement, array.array.base_bytes, answer.architecture));
    cure.wavefronts += cure.figures.back().wavefronts;
  }
  return cure;
}

bool counts(const Cure& cure) {
  return std::all_of(cure.figures.begin(), cure.figures.end(),
                     [](const Figures& figures) { return figures.served && figures.modelled; });
}

/// What keeps the best layout from the ideal, and the way out.
std::string note_of(const solve::Solution& solution, std::uint64_t ideal, bool no_cure) {
  std::vector<std::string> parts;
  if (no_cure) parts.emplace_back("no layout of this array takes fewer wavefronts");
  if (solution.best.total_wavefronts > ideal) {
    if (!solution.bound.empty()) parts.push_back("not ideal: " + solution.bound);
    if (!solution.ways_out.empty()) {
      const solve::WayOut& way = solution.ways_out.front();
      parts.push_back(fmt::format("{}: {} in all", way.what, grouped(way.total_wavefronts)));
    }
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace

Result<solve::Problem> problem_of(const ArrayAnswer& array, const Answer& answer) {
  solve::Problem problem;
  problem.tile = array.tile;
  problem.architecture = answer.architecture;
  const std::uint32_t element = array.tile.element_bytes;
  for (const std::size_t index : array.accesses) {
    const Accesses& accesses = answer.accesses[index].accesses;
    solve::Pattern pattern;
    pattern.name = accesses.name;
    pattern.instruction = accesses.instruction;
    pattern.access_bytes = accesses.lane_bytes;
    pattern.repeat = accesses.repeat;
    if (accesses.lane_bytes < element)
      return fail("show.cure", "", "lanes move parts of elements", "Declare the array with the type that is accessed.");
    for (const WarpPlaces& places : accesses.instances) {
      solve::WarpAccess warp;
      warp.active_lanes = places.active;
      warp.sources = places.sources;
      for (unsigned lane = 0; lane < lanes_per_warp; ++lane) {
        const std::uint32_t flat = places.offsets[lane];
        if (flat % element != 0)
          return fail("show.cure", "", "lanes begin inside of elements",
                      "Declare the array with the type that is accessed.");
        warp.lanes[lane] = {flat / element / array.tile.columns, flat / element % array.tile.columns};
      }
      pattern.accesses.push_back(warp);
    }
    problem.patterns.push_back(std::move(pattern));
  }
  return problem;
}

void find_cures(ArrayAnswer& array, const Answer& answer) {
  std::uint64_t written = 0, ideal = 0;
  for (const std::size_t index : array.accesses) {
    const Figures& figures = answer.accesses[index].written;
    if (!figures.modelled) {
      array.cure_note = "none sought: " + figures.why;
      return;
    }
    written += figures.wavefronts;
    ideal += figures.ideal;
  }
  if (written == ideal) return;
  const Result<solve::Problem> problem = problem_of(array, answer);
  if (!problem) {
    array.cure_note = "none sought: " + problem.error().what;
    return;
  }
  solve::Limits limits;
  limits.work = work_limit;
  const Result<solve::Solution> solution = solve::solve(*problem, limits);
  if (!solution) {
    array.cure_note = "none found: " + solution.error().what;
    return;
  }
  std::vector<const solve::Candidate*> candidates = {&solution->best};
  for (const solve::Candidate& candidate : solution->alternatives) candidates.push_back(&candidate);
  std::stable_sort(candidates.begin() + 1, candidates.end(), [](const solve::Candidate* a, const solve::Candidate* b) {
    return a->total_wavefronts < b->total_wavefronts;
  });
  std::vector<Kind> taken;
  for (const solve::Candidate* candidate : candidates) {
    const Kind kind = kind_of(candidate->layout.family());
    const bool again = std::find(taken.begin(), taken.end(), kind) != taken.end();
    if (again || candidate->layout.family() == Family::identity) continue;
    if (candidate != candidates.front() && kind == Kind::other) continue;
    Cure cure = cure_of(candidate->layout, array, answer);
    if (!counts(cure) || cure.wavefronts >= written) continue;
    taken.push_back(kind);
    array.cures.push_back(std::move(cure));
  }
  array.cure_note = note_of(*solution, ideal, array.cures.empty());
}

}  // namespace lanebank::show
