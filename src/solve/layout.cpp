#include "solve/layout.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <utility>

#include "base/check.hpp"
#include "lanebank/bank_model.hpp"

namespace lanebank::solve {
namespace {

constexpr std::array<std::string_view, family_count> family_names = {
    "identity", "padding", "diagonal", "xor", "swizzle", "any-pitch", "xor2", "padding+xor", "linear", "hardware"};

}  // namespace

std::string_view name_of(Family family) { return family_names[static_cast<std::size_t>(family)]; }

std::optional<Family> family_named(std::string_view name) {
  const auto at = std::find(family_names.begin(), family_names.end(), name);
  if (at == family_names.end()) return std::nullopt;
  return static_cast<Family>(at - family_names.begin());
}

std::uint32_t transformed(const std::vector<std::uint32_t>& matrix, std::uint32_t offset) {
  std::uint32_t result = offset >> matrix.size() << matrix.size();
  for (std::size_t bit = 0; bit < matrix.size(); ++bit)
    result |= static_cast<std::uint32_t>(__builtin_parity(offset & matrix[bit])) << bit;
  return result;
}

Layout::Layout(Family family, const Tile& tile)
    : family_(family), tile_(tile), pitch_bytes_(tile.row_bytes()), panel_columns_(tile.columns) {}

Layout Layout::row_major(const Tile& tile) { return {Family::identity, tile}; }

Layout Layout::padded(const Tile& tile, std::uint32_t pad_bytes) { return panels(tile, tile.columns, pad_bytes, 0); }

Layout Layout::panels(const Tile& tile, std::uint32_t panel_columns, std::uint32_t row_pad_bytes,
                      std::uint32_t panel_pad_bytes) {
  Layout layout(Family::padding, tile);
  layout.panel_columns_ = panel_columns;
  layout.pitch_bytes_ = panel_columns * tile.element_bytes + row_pad_bytes;
  layout.panel_stride_bytes_ = panel_columns == tile.columns ? 0 : tile.rows * layout.pitch_bytes_ + panel_pad_bytes;
  return layout;
}

Layout Layout::diagonal(const Tile& tile, std::uint32_t step_elements) {
  Layout layout(Family::diagonal, tile);
  layout.step_elements_ = step_elements;
  return layout;
}

Layout Layout::row_xor(const Tile& tile, const RowXor& how) {
  Layout layout(Family::xor_row, tile);
  layout.row_xor_ = how;
  return layout;
}

Layout Layout::swizzled(const Tile& tile, const Swizzle& swizzle) {
  Layout layout(Family::swizzle, tile);
  layout.terms_ = {swizzle};
  return layout;
}

Layout Layout::any_pitch(const Tile& tile, std::uint32_t unit_bytes) {
  Layout layout(Family::any_pitch, tile);
  LANEBANK_CHECK(std::has_single_bit(unit_bytes) && unit_bytes <= bank_row_bytes, std::to_string(unit_bytes));
  const int unit_bits = std::countr_zero(unit_bytes);
  const int row_bits = std::countr_zero(bank_row_bytes) - unit_bits;                     // b
  const int pitch_bits = std::countr_zero(layout.pitch_bytes_ >> unit_bits | 1u << 30);  // a
  layout.terms_ = {Swizzle{static_cast<unsigned>(std::min(pitch_bits, row_bits)), static_cast<unsigned>(unit_bits),
                           std::max(pitch_bits, row_bits)}};
  return layout;
}

Layout Layout::two_term(const Tile& tile, const Swizzle& first, const Swizzle& second) {
  Layout layout(Family::xor2, tile);
  layout.terms_ = {first, second};
  return layout;
}

Layout Layout::padded_swizzled(const Tile& tile, std::uint32_t pad_bytes, const Swizzle& swizzle) {
  Layout layout(Family::padding_xor, tile);
  layout.pitch_bytes_ += pad_bytes;
  layout.terms_ = {swizzle};
  return layout;
}

Layout Layout::linear(const Tile& tile, std::vector<std::uint32_t> matrix) {
  Layout layout(Family::linear, tile);
  layout.matrix_ = std::move(matrix);
  return layout;
}

Layout Layout::hardware(const Tile& tile, std::uint32_t mode_bytes) {
  Layout layout(Family::hardware, tile);
  const std::uint32_t panel_bytes = std::min(mode_bytes, layout.pitch_bytes_);
  layout.panel_columns_ = panel_bytes / tile.element_bytes;
  layout.pitch_bytes_ = panel_bytes;
  layout.panel_stride_bytes_ = layout.panel_columns_ == tile.columns ? 0 : tile.rows * panel_bytes;
  layout.mode_bytes_ = mode_bytes;
  layout.terms_ = {Swizzle{static_cast<unsigned>(std::countr_zero(mode_bytes / 16)), 4, 3}};
  return layout;
}

std::uint32_t Layout::offset(std::uint32_t row, std::uint32_t column) const {
  if (family_ == Family::diagonal) column = (column + step_elements_ * row) % tile_.columns;
  if (family_ == Family::xor_row)
    column ^= (row >> row_xor_.row_shift & ((1u << row_xor_.bits) - 1)) * row_xor_.unit_elements;
  std::uint32_t flat = row * pitch_bytes_ + column * tile_.element_bytes;
  if (panel_columns_ != tile_.columns)
    flat = column / panel_columns_ * panel_stride_bytes_ + row * pitch_bytes_ +
           column % panel_columns_ * tile_.element_bytes;
  if (family_ == Family::linear) return transformed(matrix_, flat);
  std::uint32_t result = flat;
  for (const Swizzle& term : terms_) result ^= term.term(flat);
  return result;
}

std::uint32_t Layout::bytes() const {
  const std::uint32_t declared = panel_count() == 1
                                     ? tile_.rows * pitch_bytes_
                                     : panel_count() * std::max(panel_stride_bytes_, tile_.rows * pitch_bytes_);
  if (terms_.empty() && matrix_.empty()) return declared;
  unsigned moved_bits = static_cast<unsigned>(matrix_.size());  // what is below stays inside blocks of so many bits
  for (const Swizzle& term : terms_)
    moved_bits = std::max(moved_bits, term.base + term.bits + static_cast<unsigned>(std::max(0, -term.shift)));
  if (moved_bits < 32 && declared % (1u << moved_bits) == 0) return declared;
  std::uint32_t last = 0;
  for (std::uint32_t row = 0; row < tile_.rows; ++row)
    for (std::uint32_t column = 0; column < tile_.columns; ++column) last = std::max(last, offset(row, column));
  return std::max(declared, last + tile_.element_bytes);
}

std::uint32_t Layout::alignment_bytes() const { return family_ == Family::hardware ? mode_bytes_ * 8 : bank_row_bytes; }

unsigned Layout::index_instructions() const {
  switch (family_) {
    case Family::identity:
      return 0;
    case Family::padding:
      return panel_count() > 1 ? 2 : 0;
    case Family::diagonal:
      return std::has_single_bit(tile_.columns) ? 2 : 4;
    case Family::xor_row:
    case Family::swizzle:
    case Family::any_pitch:
      return 2;
    case Family::hardware:
      return panel_count() > 1 ? 4 : 2;
    case Family::xor2:
      return 4;
    case Family::padding_xor:
      return 2;
    case Family::linear:
      break;
  }
  std::uint64_t diagonals = 0;  // one shift, mask and XOR for each but the main one
  for (std::size_t bit = 0; bit < matrix_.size(); ++bit)
    for (std::uint32_t rest = matrix_[bit]; rest != 0; rest &= rest - 1)
      diagonals |= std::uint64_t{1} << (32 + std::countr_zero(rest) - static_cast<int>(bit));
  return 2 * static_cast<unsigned>(std::popcount(diagonals & ~(std::uint64_t{1} << 32)));
}

}  // namespace lanebank::solve
