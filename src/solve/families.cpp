#include "solve/families.hpp"

#include <bit>

namespace lanebank::solve {
namespace {

std::size_t index(Family family) { return static_cast<std::size_t>(family); }

}  // namespace

FamilySearch::FamilySearch(SearchSpace& space, std::uint64_t bound, std::uint64_t work)
    : space_(space), bound_(bound), work_(work) {}

std::uint64_t FamilySearch::cutoff(Family family) const {
  const std::optional<Candidate>& best = best_[index(family)];
  return best ? best->total_wavefronts : AccessSet::not_modelled - 1;
}

void FamilySearch::consider(const Layout& layout, std::uint64_t total) {
  std::optional<Candidate>& best = best_[index(layout.family())];
  if (total == AccessSet::not_modelled || (best && total > best->total_wavefronts)) return;
  Candidate candidate{layout, total, 0, layout.index_instructions(), {}};
  candidate.bytes = space_.problem().tile.size_bytes();  // at least; the span takes a while
  if (best && !better(candidate, *best)) return;
  candidate.bytes = layout.bytes();
  if (!space_.fits(candidate.bytes) || (best && !better(candidate, *best))) return;
  best = candidate;
  if (!overall_ || better(candidate, *overall_)) overall_ = candidate;
}

bool FamilySearch::spend(Family family, std::uint64_t points) {
  spent_[index(family)] += points;
  if (spent_[index(family)] <= work_) return true;
  exhausted_[index(family)] = false;
  return false;
}

void FamilySearch::run() {
  exhausted_.fill(true);
  struct Row {
    Family family;
    void (FamilySearch::*search)();
    bool always;  ///< small: also run when nothing can be better, to say what the family could do
  };
  constexpr Row rows[] = {
      {Family::identity, &FamilySearch::identity, true},   {Family::swizzle, &FamilySearch::swizzle, true},
      {Family::any_pitch, &FamilySearch::any_pitch, true}, {Family::padding, &FamilySearch::padding, true},
      {Family::xor_row, &FamilySearch::xor_row, true},     {Family::diagonal, &FamilySearch::diagonal, true},
      {Family::hardware, &FamilySearch::hardware, true},   {Family::xor2, &FamilySearch::xor2, false}};
  for (const Row& row : rows)
    if (space_.allows(row.family) && (row.always || !done())) (this->*row.search)();
  if (space_.allows(Family::padding) && !at_bound()) panels();
  if (space_.allows(Family::padding_xor) && !at_bound()) padding_xor();
}

void FamilySearch::identity() {
  const Tile& tile = space_.problem().tile;
  if (!space_.aligned(tile.row_bytes())) return;
  const AccessSet& set = space_.set(Symmetry::translation, tile.row_bytes());
  consider(Layout::row_major(tile), set.total([&](std::size_t i) { return set.flat(i); }));
}

void FamilySearch::padding() {
  const Tile& tile = space_.problem().tile;
  const std::uint32_t element = tile.element_bytes;
  const std::uint32_t step = std::min(16u, element & (~element + 1));
  // A pitch counts modulo 128 only; copies by sectors also ask which rows share a line of 128 bytes.
  const std::uint32_t end = space_.copies_by_sectors() ? 2 * bank_row_bytes : bank_row_bytes;
  for (std::uint32_t pad = step; pad < end; pad += step) {
    const std::uint32_t pitch = tile.row_bytes() + pad;
    if (!space_.aligned(pitch)) continue;
    const AccessSet& set = space_.set(Symmetry::translation, tile.row_bytes());
    const auto address = [&](std::size_t i) { return set.flat(i) + set.element(i).row * pad; };
    consider(Layout::padded(tile, pad), set.total(address, cutoff(Family::padding)));
  }
}

void FamilySearch::panels() {
  const Tile& tile = space_.problem().tile;
  if (space_.unit_bytes() == 0 || !space_.aligned_in_row()) return;
  const AccessSet& set = space_.set(Symmetry::none, tile.row_bytes());
  const std::uint32_t unit = space_.unit_bytes();
  const std::uint32_t step = std::max(unit, bank_bytes);
  for (std::uint32_t panel_bytes = std::max(16u, unit); panel_bytes < tile.row_bytes(); panel_bytes *= 2) {
    if (tile.row_bytes() % panel_bytes != 0) continue;
    const std::uint32_t columns = panel_bytes / tile.element_bytes;
    const int shift = std::countr_zero(columns);
    for (std::uint32_t row_pad = 0; row_pad < bank_row_bytes; row_pad += step)
      for (std::uint32_t panel_pad = 0; panel_pad < bank_row_bytes; panel_pad += step) {
        const Layout layout = Layout::panels(tile, columns, row_pad, panel_pad);
        if (!spend(Family::padding, set.work() / 4)) return;
        const auto address = [&](std::size_t i) {
          const Element& element = set.element(i);
          return (element.column >> shift) * layout.panel_stride_bytes() + element.row * layout.pitch_bytes() +
                 (element.column & (columns - 1)) * tile.element_bytes;
        };
        consider(layout, set.total(address, cutoff(Family::padding)));
      }
  }
}

void FamilySearch::diagonal() {
  const Tile& tile = space_.problem().tile;
  const std::uint32_t width = space_.widest_access_bytes();
  if (!space_.aligned(tile.row_bytes()) || !space_.aligned_in_row()) return;
  if (width > tile.element_bytes && tile.row_bytes() % width != 0) return;
  // A rotated row is a shifted one where the row fills whole lines.
  const bool shifts = tile.row_bytes() % bank_row_bytes == 0;
  const AccessSet& set = space_.set(shifts ? Symmetry::translation : Symmetry::none, tile.row_bytes());
  for (std::uint32_t step = 1; step < tile.columns; ++step) {
    if (width > tile.element_bytes && step * tile.element_bytes % width != 0) continue;
    if (!spend(Family::diagonal, set.work() / 4)) return;
    const auto address = [&](std::size_t i) {
      const Element& element = set.element(i);
      return element.row * tile.row_bytes() + (element.column + step * element.row) % tile.columns * tile.element_bytes;
    };
    consider(Layout::diagonal(tile, step), set.total(address, cutoff(Family::diagonal)));
  }
}

void FamilySearch::xor_row() {
  const Tile& tile = space_.problem().tile;
  if (space_.unit_bytes() == 0 || !space_.aligned(tile.row_bytes()) || !space_.aligned_in_row()) return;
  // In rows of a power of two the column's XOR is one of the flat offset.
  const bool flat = std::has_single_bit(tile.row_bytes());
  const AccessSet& set = space_.set(flat ? Symmetry::xor_flat : Symmetry::none, tile.row_bytes());
  for (std::uint32_t unit = space_.unit_bytes() / tile.element_bytes; unit * 2 <= tile.columns; unit *= 2)
    for (unsigned bits = 1; tile.columns % (unit << bits) == 0; ++bits)
      for (unsigned shift = 0; (tile.rows - 1) >> shift != 0; ++shift) {
        if (!spend(Family::xor_row, set.work() / 4)) return;
        const std::uint32_t mask = (1u << bits) - 1;
        const auto address = [&](std::size_t i) {
          const Element& element = set.element(i);
          return element.row * tile.row_bytes() +
                 (element.column ^ (element.row >> shift & mask) * unit) * tile.element_bytes;
        };
        consider(Layout::row_xor(tile, {unit, shift, bits}), set.total(address, cutoff(Family::xor_row)));
      }
}

void FamilySearch::swizzle() {
  const Tile& tile = space_.problem().tile;
  if (!space_.aligned(tile.row_bytes())) return;
  const AccessSet& set = space_.set(Symmetry::xor_flat, tile.row_bytes());
  for (const Swizzle& swizzle : space_.swizzles(tile.size_bytes()))
    consider(Layout::swizzled(tile, swizzle),
             set.total([&](std::size_t i) { return swizzle(set.flat(i)); }, cutoff(Family::swizzle)));
}

void FamilySearch::any_pitch() {
  const Tile& tile = space_.problem().tile;
  if (space_.unit_bytes() == 0 || !space_.aligned(tile.row_bytes())) return;
  const AccessSet& set = space_.set(Symmetry::xor_flat, tile.row_bytes());
  for (std::uint32_t unit = std::max(bank_bytes, space_.unit_bytes()); unit <= 16; unit *= 2) {
    if (tile.row_bytes() % unit != 0) continue;
    const Layout layout = Layout::any_pitch(tile, unit);
    const Swizzle& swizzle = layout.terms().front();
    consider(layout, set.total([&](std::size_t i) { return swizzle(set.flat(i)); }, cutoff(Family::any_pitch)));
  }
}

void FamilySearch::xor2() {
  const Tile& tile = space_.problem().tile;
  if (!space_.aligned(tile.row_bytes())) return;
  const AccessSet& set = space_.set(Symmetry::xor_flat, tile.row_bytes());
  const std::vector<Swizzle> terms = space_.swizzles(tile.size_bytes());
  for (std::size_t a = 0; a < terms.size(); ++a)
    for (std::size_t b = a + 1; b < terms.size(); ++b) {
      if (!spend(Family::xor2, 1 + set.work() / 4)) return;
      const Swizzle &first = terms[a], &second = terms[b];
      const auto address = [&](std::size_t i) { return first(set.flat(i)) ^ second.term(set.flat(i)); };
      const std::uint64_t total = set.total(address, cutoff(Family::xor2));
      if (total > cutoff(Family::xor2)) continue;
      consider(Layout::two_term(tile, first, second), total);
      if (done()) return;
    }
}

void FamilySearch::padding_xor() {
  const Tile& tile = space_.problem().tile;
  if (space_.unit_bytes() == 0) return;
  for (std::uint32_t pad = tile.element_bytes; pad < bank_row_bytes; pad += tile.element_bytes) {
    const std::uint32_t pitch = tile.row_bytes() + pad;
    if (!space_.aligned(pitch) || !space_.fits(tile.rows * pitch - pad)) continue;
    const AccessSet& set = space_.set(Symmetry::xor_flat, pitch);
    if (!spend(Family::padding_xor, set.work() * 4)) return;
    for (const Swizzle& swizzle : space_.swizzles(tile.rows * pitch)) {
      if (!spend(Family::padding_xor, 1 + set.work() / 4)) return;
      const auto address = [&](std::size_t i) { return swizzle(set.flat(i)); };
      const std::uint64_t total = set.total(address, cutoff(Family::padding_xor));
      if (total <= cutoff(Family::padding_xor)) consider(Layout::padded_swizzled(tile, pad, swizzle), total);
    }
  }
}

void FamilySearch::hardware() {
  const Tile& tile = space_.problem().tile;
  if (space_.unit_bytes() == 0 || tile.element_bytes > 16 || !space_.aligned_in_row()) return;
  const AccessSet& set = space_.set(Symmetry::none, tile.row_bytes());
  for (const std::uint32_t mode : {32u, 64u, 128u}) {
    if (tile.row_bytes() % mode != 0) continue;
    const Layout layout = Layout::hardware(tile, mode);
    const auto address = [&](std::size_t i) { return layout.offset(set.element(i).row, set.element(i).column); };
    consider(layout, set.total(address, cutoff(Family::hardware)));
  }
}

}  // namespace lanebank::solve
