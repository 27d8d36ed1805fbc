#include "advise/choose.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "base/words.hpp"
#include "solve/presets.hpp"
#include "solve/problem_json.hpp"

namespace lanebank::advise {

using solve::Family;

namespace {

constexpr unsigned vector_bytes = 16, banks = 32;

/// The words with 16 bytes a lane where they walk along rows.
std::string widened(const std::string& words, const solve::Tile& tile) {
  return words == "row" ? "vector " + std::to_string(vector_bytes / tile.element_bytes) : words;
}

struct Way {
  Remedy remedy;
  std::vector<Family> families;
  solve::Engine engine = solve::Engine::none;
  bool may_grow = false;
  bool vectors = false;
};

Result<solve::Problem> problem_of(const ChooseInput& input, const Way& way) {
  const bool wide = way.vectors || input.vectors;
  auto write = solve::preset_pattern(input.tile, wide ? widened(input.write, input.tile) : input.write, true);
  if (!write) return tl::unexpected(write.error());
  auto read = solve::preset_pattern(input.tile, wide ? widened(input.read, input.tile) : input.read, false);
  if (!read) return tl::unexpected(read.error());
  auto problem = solve::problem_from_json(solve::preset_problem(input.tile, {*write, *read}), "tile");
  if (!problem) return problem;
  problem->architecture = input.architecture;
  problem->families = way.families;
  problem->engine = way.engine;
  if (!way.may_grow) problem->max_bytes = input.tile.row_bytes() * input.tile.rows;
  return problem;
}

RemedyCost cost_of(const ChooseInput& input, const Way& way) {
  RemedyCost cost;
  cost.remedy = way.remedy;
  const auto problem = problem_of(input, way);
  if (!problem) {
    cost.missing = problem.error().what;
    return cost;
  }
  const auto solution = solve::solve(*problem, {.ways_out = false, .alternatives = false});
  if (!solution) {
    cost.missing = solution.error().what;
    return cost;
  }
  cost.layout = solution->best.layout;
  cost.wavefronts = solution->best.total_wavefronts;
  cost.ideal = solution->ideal_total;
  for (const solve::Pattern& pattern : problem->patterns) cost.requests += pattern.repeat * pattern.accesses.size();
  cost.more_bytes = std::int64_t{solution->best.bytes} - std::int64_t{input.tile.row_bytes()} * input.tile.rows;
  cost.index_instructions = solution->best.index_instructions;
  return cost;
}

bool wider_row_exists(const ChooseInput& input) {
  const unsigned element = input.tile.element_bytes;
  return element < vector_bytes && vector_bytes % element == 0 && (input.write == "row" || input.read == "row") &&
         input.tile.row_bytes() % vector_bytes == 0;
}

/// The tree's answer and its sentence.
Remedy by_tree(const ChooseInput& input, std::vector<std::string>& reasons) {
  if (input.tma) {
    reasons.emplace_back("TMA and wgmma know their own swizzles of 32, 64 and 128 bytes only");
    return Remedy::hardware;
  }
  if (input.memory_tight) {
    reasons.emplace_back("shared memory is tight: the elements change places within the same bytes");
    return Remedy::adjustment;
  }
  if (input.maximum_speed) {
    reasons.emplace_back("for the greatest speed: fewer and wider accesses, 16 bytes a lane along rows");
    return Remedy::vectors;
  }
  if (input.fixed_block && std::gcd(input.tile.columns * input.tile.element_bytes / 4, banks) == 1) {
    reasons.emplace_back("the sizes are fixed and a row's words are coprime to the 32 banks: another order may win");
    return Remedy::adjustment;
  }
  reasons.emplace_back("memory is not tight: padding is the least to write and adds no instruction to an index");
  return Remedy::padding;
}

const RemedyCost* find(const std::vector<RemedyCost>& costs, Remedy remedy) {
  const auto at =
      std::find_if(costs.begin(), costs.end(), [&](const RemedyCost& cost) { return cost.remedy == remedy; });
  return at != costs.end() && at->layout ? &*at : nullptr;
}

/// May it be had under the constraints that were named?
bool allowed(const ChooseInput& input, const RemedyCost& cost) {
  if (input.tma) return cost.remedy == Remedy::hardware || cost.remedy == Remedy::none;
  return cost.remedy != Remedy::hardware && cost.remedy != Remedy::vectors &&
         (!input.memory_tight || cost.more_bytes <= 0);
}

void follow_figures(Choice& choice) {
  const RemedyCost* plain = find(choice.costs, Remedy::none);
  const RemedyCost* chosen = find(choice.costs, choice.by_tree);
  choice.remedy = choice.by_tree;
  if (plain != nullptr && plain->wavefronts <= plain->ideal && choice.by_tree != Remedy::vectors) {
    choice.remedy = Remedy::none;
    choice.reasons.emplace_back("but row-major is clean for these accesses: nothing needs to be done");
    return;
  }
  if (chosen != nullptr && plain != nullptr && choice.by_tree == Remedy::vectors)
    choice.reasons.push_back(
        grouped(chosen->requests) + " requests instead of " + grouped(plain->requests) + ", " +
        counted(chosen->wavefronts, "wavefront", "wavefronts") + " instead of " + grouped(plain->wavefronts) +
        (chosen->wavefronts > chosen->ideal ? "; the ideal is not reached, since 16 bytes stay together" : ""));
  const RemedyCost* best = nullptr;
  for (const RemedyCost& cost : choice.costs) {
    if (!cost.layout || !allowed(choice.input, cost)) continue;
    const auto merit = [](const RemedyCost& c) { return std::tuple(c.wavefronts, c.more_bytes, c.index_instructions); };
    if (best == nullptr || merit(cost) < merit(*best)) best = &cost;
  }
  if (chosen == nullptr) {
    const auto missing = std::find_if(choice.costs.begin(), choice.costs.end(),
                                      [&](const RemedyCost& cost) { return cost.remedy == choice.by_tree; });
    choice.reasons.push_back("but that cannot be had here: " +
                             (missing == choice.costs.end() ? std::string("no such layout") : missing->missing));
    choice.remedy = best != nullptr ? best->remedy : Remedy::none;
  } else if (best != nullptr && choice.by_tree != Remedy::vectors && best->wavefronts < chosen->wavefronts) {
    choice.reasons.push_back("but it leaves " + counted(chosen->wavefronts, "wavefront", "wavefronts") + ", and " +
                             std::string(name_of(best->remedy)) + " takes " + grouped(best->wavefronts));
    choice.remedy = best->remedy;
  }
}

}  // namespace

std::string_view name_of(Remedy remedy) {
  switch (remedy) {
    case Remedy::none:
      return "none";
    case Remedy::padding:
      return "padding";
    case Remedy::adjustment:
      return "layout-adjustment";
    case Remedy::vectors:
      return "vectors";
    case Remedy::hardware:
      return "hardware-swizzle";
  }
  return "none";
}

const RemedyCost& Choice::chosen() const {
  return *std::find_if(costs.begin(), costs.end(), [&](const RemedyCost& cost) { return cost.remedy == remedy; });
}

Result<Choice> choose(const ChooseInput& input) {
  const Way plain{Remedy::none, {Family::identity}};
  if (auto problem = problem_of(input, plain); !problem) return tl::unexpected(problem.error());
  Choice choice;
  choice.input = input;
  const std::vector<Family> in_place = {Family::diagonal, Family::xor_row, Family::swizzle, Family::any_pitch};
  std::vector<Way> ways = {plain,
                           {.remedy = Remedy::padding, .families = {Family::padding}, .may_grow = true},
                           {.remedy = Remedy::adjustment, .families = in_place}};
  if (wider_row_exists(input)) ways.push_back({.remedy = Remedy::vectors, .families = in_place, .vectors = true});
  if (input.tma) ways.push_back({.remedy = Remedy::hardware, .families = {}, .engine = solve::Engine::tma});
  for (const Way& way : ways) choice.costs.push_back(cost_of(input, way));
  choice.by_tree = by_tree(input, choice.reasons);
  if (choice.by_tree == Remedy::vectors && !wider_row_exists(input))
    choice.costs.push_back({Remedy::vectors, std::nullopt, 0, 0, 0, 0, 0,
                            "no side walks along rows of whole 16-byte vectors, or it moves 16 bytes already"});
  follow_figures(choice);
  return choice;
}

}  // namespace lanebank::advise
