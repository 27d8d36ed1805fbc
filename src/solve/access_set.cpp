#include "solve/access_set.hpp"

#include <string>
#include <unordered_map>

namespace lanebank::solve {
namespace {

void append(std::string& key, std::uint32_t number) {
  key.append(reinterpret_cast<const char*>(&number), sizeof number);
}

/// Equal keys: equal cost under every layout of the class.
std::string key_of(const Tile& tile, const Pattern& pattern, std::uint32_t index, const WarpAccess& warp,
                   Symmetry symmetry, std::uint32_t pitch_bytes) {
  std::string key;
  key.reserve(4 * (2 + 3 * lanes_per_warp));
  append(key, index);
  const std::uint32_t active = warp.active_lanes & addressing_lanes(pattern);
  append(key, active);
  if (active == 0) return key;
  const Element& first = warp.lanes[static_cast<unsigned>(std::countr_zero(active))];
  const std::uint32_t first_flat = first.row * pitch_bytes + first.column * tile.element_bytes;
  if (symmetry == Symmetry::translation) {
    // Shifts by whole words permute the banks; where elements are no whole words, the place inside the word counts too.
    const bool whole_words = tile.element_bytes % bank_bytes == 0;
    const bool anywhere = pattern.instruction->kind == AccessKind::async_copy_cg;
    append(key, anywhere ? first.row : whole_words ? 0 : first.row % bank_bytes);
    append(key, anywhere ? first.column : whole_words ? 0 : first.column % bank_bytes);
  }
  for (std::uint32_t rest = active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const Element& element = warp.lanes[lane];
    if (symmetry == Symmetry::xor_flat) {
      append(key, first_flat ^ (element.row * pitch_bytes + element.column * tile.element_bytes));
    } else {
      append(key, symmetry == Symmetry::none ? element.row : element.row - first.row);
      append(key, symmetry == Symmetry::none ? element.column : element.column - first.column);
    }
    if (pattern.instruction->source_stride != 0) append(key, warp.sources[lane]);
  }
  return key;
}

/// An access whose addresses are equal where the elements are, for what the bank model asks of equal addresses alone.
Access by_element(const WarpAccess& warp) {
  Access access;
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane)
    access.addresses[lane] = static_cast<std::uint32_t>(
        std::find(warp.lanes.begin(), warp.lanes.end(), warp.lanes[lane]) - warp.lanes.begin());
  return access;
}

}  // namespace

AccessSet::AccessSet(const Problem& problem, Symmetry symmetry, std::uint32_t pitch_bytes)
    : pitch_bytes_(pitch_bytes), element_bytes_(problem.tile.element_bytes), architecture_(problem.architecture) {
  std::unordered_map<std::string, std::pair<std::size_t, std::size_t>> known;  // the first of its accesses, their end
  for (std::uint32_t index = 0; index < problem.patterns.size(); ++index) {
    const Pattern& pattern = problem.patterns[index];
    for (const WarpAccess& warp : pattern.accesses) {
      const auto [at, is_new] = known.emplace(key_of(problem.tile, pattern, index, warp, symmetry, pitch_bytes),
                                              std::pair{accesses_.size(), accesses_.size()});
      if (is_new) {
        add(pattern, index, warp);
        at->second.second = accesses_.size();
      }
      for (std::size_t i = at->second.first; i < at->second.second; ++i)
        accesses_[i].times = (is_new ? 0 : accesses_[i].times) + pattern.repeat;
    }
  }
}

void AccessSet::add_point(const Element& element) {
  elements_.push_back(element);
  flats_.push_back(element.row * pitch_bytes_ + element.column * element_bytes_);
}

std::uint32_t AccessSet::add_groups_of(const WarpAccess& warp, std::uint32_t active, unsigned size, bool every_lane) {
  std::uint32_t added = 0;
  for (unsigned first = 0; first < lanes_per_warp; first += size) {
    const std::uint32_t lanes = active & (0xffffffffu >> (lanes_per_warp - size)) << first;
    if (lanes == 0) continue;
    PointGroup group{static_cast<std::uint32_t>(elements_.size()), 0};
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
      const Element& element = warp.lanes[static_cast<unsigned>(std::countr_zero(rest))];
      const auto begin = elements_.begin() + group.first;
      if (every_lane || std::find(begin, elements_.end(), element) == elements_.end()) add_point(element);
    }
    group.count = static_cast<std::uint32_t>(elements_.size()) - group.first;
    groups_.push_back(group);
    ++added;
  }
  return added;
}

void AccessSet::add_groups(const Pattern& pattern, const WarpAccess& warp, PreparedAccess& prepared) {
  const AccessRule& rule = prepared.rule;
  const std::uint32_t active = warp.active_lanes & addressing_lanes(pattern);
  const bool every_lane = rule.counting == Counting::lanes;
  prepared.small_groups = add_groups_of(warp, active, rule.group_lanes, every_lane);
  if (rule.paired_group_lanes == 0) return;
  const Access elements = by_element(warp);
  if (!detail::paired_by(elements, active, 1) && !detail::paired_by(elements, active, 2)) return;
  prepared.way = PreparedAccess::Way::paired;
  prepared.large_groups = add_groups_of(warp, active, rule.paired_group_lanes, every_lane);
}

/// A load of 16 bytes: each half-warp is an access by itself.
void AccessSet::add_halves(const WarpAccess& warp, std::uint32_t active, const PreparedAccess& like) {
  const Access elements = by_element(warp);
  for (const std::uint32_t half : {active & 0xffffu, active & 0xffff0000u}) {
    if (half == 0) continue;
    PreparedAccess prepared = like;
    prepared.first_group = static_cast<std::uint32_t>(groups_.size());
    prepared.small_groups = add_groups_of(warp, half, like.rule.group_lanes, false);
    if (prepared.small_groups > 1 && detail::quarters_join(elements, active, half)) {
      prepared.way = PreparedAccess::Way::paired;
      prepared.large_groups = add_groups_of(warp, half, like.rule.paired_group_lanes, false);
    }
    accesses_.push_back(prepared);
  }
}

void AccessSet::add(const Pattern& pattern, std::uint32_t index, const WarpAccess& warp) {
  using Way = PreparedAccess::Way;
  PreparedAccess prepared;
  prepared.pattern = index;
  prepared.rule = access_rule(architecture_, pattern.instruction->kind, pattern.access_bytes);
  prepared.passes = prepared.rule.passes;
  prepared.unit_shift = static_cast<unsigned>(std::countr_zero(std::max(pattern.access_bytes, bank_bytes)));
  prepared.merges_words = pattern.access_bytes < bank_bytes && prepared.rule.counting != Counting::lanes;
  prepared.first_group = static_cast<std::uint32_t>(groups_.size());
  const std::uint32_t active = warp.active_lanes & addressing_lanes(pattern);
  Access at_zero = access_of(pattern, warp, Layout::row_major({1, 1, 1}));
  std::fill(std::begin(at_zero.addresses), std::end(at_zero.addresses), 0u);
  const Counting counting = prepared.rule.counting;
  const bool quad = counting == Counting::quad_words;
  const bool uniform = quad && detail::uniform(by_element(warp), active);
  if (active == 0 || uniform || counting == Counting::fixed || counting == Counting::whole_rows) {
    prepared.way = Way::constant;
    prepared.constant = cost_by(prepared.rule, at_zero).wavefronts;
  } else if (quad) {
    return add_halves(warp, active, prepared);
  } else if (counting == Counting::copied_lanes || counting == Counting::copied_sectors) {
    prepared.way = Way::exact;
    prepared.access = at_zero;
    groups_.push_back({static_cast<std::uint32_t>(elements_.size()), lanes_per_warp});
    const auto lowest = static_cast<unsigned>(std::countr_zero(active));
    for (unsigned lane = 0; lane < lanes_per_warp; ++lane)
      add_point((active >> lane & 1) != 0 ? warp.lanes[lane] : warp.lanes[lowest]);
  } else {
    add_groups(pattern, warp, prepared);
  }
  accesses_.push_back(prepared);
}

}  // namespace lanebank::solve
