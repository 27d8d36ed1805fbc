#include <algorithm>
#include <bit>

#include "solve/families.hpp"

namespace lanebank::solve {

bool better(const Candidate& one, const Candidate& other) {
  if (one.total_wavefronts != other.total_wavefronts) return one.total_wavefronts < other.total_wavefronts;
  if (one.bytes != other.bytes) return one.bytes < other.bytes;
  return one.index_instructions < other.index_instructions;
}

Symmetry symmetry_of(const Layout& layout) {
  if (layout.panel_count() > 1) return Symmetry::none;
  switch (layout.family()) {
    case Family::identity:
    case Family::padding:
      return Symmetry::translation;
    case Family::diagonal:
    case Family::xor_row:
      return Symmetry::none;
    default:
      return Symmetry::xor_flat;
  }
}

SearchSpace::SearchSpace(const Problem& problem) : problem_(problem) {
  for (const Pattern& pattern : problem.patterns) {
    widest_access_bytes_ = std::max(widest_access_bytes_, pattern.access_bytes);
    copies_by_sectors_ = copies_by_sectors_ || pattern.instruction->kind == AccessKind::async_copy_cg;
    auto& places = places_[static_cast<std::size_t>(std::countr_zero(pattern.access_bytes))];
    for (const WarpAccess& warp : pattern.accesses)
      for (std::uint32_t rest = warp.active_lanes & addressing_lanes(pattern); rest != 0; rest &= rest - 1) {
        const Element& element = warp.lanes[static_cast<unsigned>(std::countr_zero(rest))];
        places[element.row % 16][element.column * problem.tile.element_bytes % 16] = true;
      }
  }
  if (std::has_single_bit(problem.tile.element_bytes))
    unit_bytes_ = std::max(problem.tile.element_bytes, widest_access_bytes_);
}

bool SearchSpace::allows(Family family) const {
  if (problem_.engine != Engine::none) return family == Family::hardware;
  const std::vector<Family>& families = problem_.families;
  if (families.empty()) return family != Family::hardware;
  return std::find(families.begin(), families.end(), family) != families.end();
}

const AccessSet& SearchSpace::set(Symmetry symmetry, std::uint32_t pitch_bytes) {
  std::unique_ptr<AccessSet>& set = sets_[{symmetry, pitch_bytes}];
  if (!set) set = std::make_unique<AccessSet>(problem_, symmetry, pitch_bytes);
  return *set;
}

const AccessSet& SearchSpace::set_for(const Layout& layout) {
  return set(symmetry_of(layout), layout.panel_count() == 1 ? layout.pitch_bytes() : problem_.tile.row_bytes());
}

bool SearchSpace::aligned(std::uint32_t pitch_bytes) const {
  for (std::size_t k = 0; k < places_.size(); ++k)
    for (std::uint32_t row = 0; row < 16; ++row)
      for (std::uint32_t byte = 0; byte < 16; ++byte)
        if (places_[k][row][byte] && (row * pitch_bytes + byte) % (1u << k) != 0) return false;
  return true;
}

bool SearchSpace::aligned_in_row() const { return aligned(16); }

std::vector<Swizzle> SearchSpace::swizzles(std::uint32_t bytes) const {
  std::vector<Swizzle> result;
  if (unit_bytes_ == 0) return result;
  const auto lowest = std::max(2u, static_cast<unsigned>(std::countr_zero(unit_bytes_)));
  const auto width = static_cast<unsigned>(std::bit_width(bytes - 1));
  for (unsigned bits = 1; bits <= 5; ++bits)
    for (unsigned base = lowest; base + bits <= 7; ++base)
      for (unsigned shift = bits; base + shift + bits <= width; ++shift)
        result.push_back({bits, base, static_cast<int>(shift)});
  return result;
}

}  // namespace lanebank::solve
