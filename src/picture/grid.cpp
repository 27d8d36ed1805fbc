#include <algorithm>
#include <bit>
#include <unordered_map>

#include "picture/picture.hpp"

namespace lanebank::picture {
namespace {

bool counts_lanes(const Access& access) {
  return access_rule(90, access.kind, access.lane_bytes).counting == Counting::lanes;
}

/// Copies cost by other rules than banks alone: there only the group's own evidence says who meets.
bool is_copy(const Access& access) {
  return access.kind == AccessKind::async_copy_ca || access.kind == AccessKind::async_copy_cg;
}

/// Does the lane meet another in the bank of the word?
bool meets(const Access& access, const Group& group, const BankLoads& loads, unsigned lane, std::uint32_t address) {
  if (is_copy(access)) return (group.colliding_lanes >> lane & 1) != 0;
  return loads.load[bank_of(address)] > 1;
}

Grid empty_grid(const Tile& tile, std::uint32_t base_bytes, unsigned unit_elements) {
  Grid grid;
  grid.row_axis = "row";
  grid.column_axis = "column";
  grid.rows = tile.rows;
  grid.columns = tile.columns / unit_elements;
  for (unsigned row = 0; row < grid.rows; ++row) grid.row_labels.push_back(std::to_string(row));
  for (unsigned column = 0; column < grid.columns; ++column)
    grid.column_labels.push_back(std::to_string(column * unit_elements));
  grid.cells.resize(std::size_t{grid.rows} * grid.columns);
  for (unsigned row = 0; row < grid.rows; ++row)
    for (unsigned column = 0; column < grid.columns; ++column) {
      Cell& cell = grid.at(row, column);
      cell.holds = true;
      cell.byte = base_bytes + tile.offset(row, column * unit_elements);
      cell.bank = bank_of(cell.byte);
    }
  return grid;
}

}  // namespace

Tile row_major(unsigned rows, unsigned columns, unsigned element_bytes, unsigned pitch_elements) {
  Tile tile{rows, columns, element_bytes, {}};
  const unsigned pitch = pitch_elements == 0 ? columns : pitch_elements;
  tile.offsets.reserve(std::size_t{rows} * columns);
  for (unsigned row = 0; row < rows; ++row)
    for (unsigned column = 0; column < columns; ++column)
      tile.offsets.push_back((row * pitch + column) * element_bytes);
  return tile;
}

bool contiguous(const Tile& tile, unsigned unit_elements) {
  if (unit_elements == 0 || tile.columns % unit_elements != 0) return false;
  const std::uint32_t unit_bytes = unit_elements * tile.element_bytes;
  for (unsigned row = 0; row < tile.rows; ++row)
    for (unsigned column = 0; column < tile.columns; column += unit_elements) {
      const std::uint32_t first = tile.offset(row, column);
      if (first % unit_bytes != 0) return false;
      for (unsigned k = 1; k < unit_elements; ++k)
        if (tile.offset(row, column + k) != first + k * tile.element_bytes) return false;
    }
  return true;
}

BankLoads bank_loads(const Access& access, const Group& group) {
  BankLoads result;
  const bool lanes = counts_lanes(access);
  for (unsigned bank = 0; bank < bank_count; ++bank) {
    Group at = group;
    at.bank = bank;
    const Collision meeting = collision(access, at);
    result.load[bank] = meeting.word_count;
    if (!lanes) continue;
    result.load[bank] = 0;
    for (unsigned word = 0; word < meeting.word_count; ++word)
      result.load[bank] += static_cast<unsigned>(std::popcount(meeting.words[word].lanes));
  }
  return result;
}

Grid layout_grid(const Tile& tile, std::uint32_t base_bytes, unsigned unit_elements) {
  return empty_grid(tile, base_bytes, unit_elements);
}

Grid access_grid(const Tile& tile, std::uint32_t base_bytes, const Access& access, const Group& group,
                 unsigned unit_elements) {
  Grid grid = empty_grid(tile, base_bytes, unit_elements);
  grid.shows_access = true;
  std::unordered_map<std::uint32_t, std::size_t> cell_at;  // by the offset of an element
  for (unsigned row = 0; row < tile.rows; ++row)
    for (unsigned column = 0; column < grid.columns * unit_elements; ++column)
      cell_at[tile.offset(row, column)] = std::size_t{row} * grid.columns + column / unit_elements;
  const BankLoads loads = bank_loads(access, group);
  const unsigned step = std::max(1u, tile.element_bytes);
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane) {
    if ((group.lanes >> lane & 1) == 0) continue;
    for (std::uint32_t byte = 0; byte < access.lane_bytes; byte += step) {
      const std::uint32_t address = access.addresses[lane] + byte;
      const auto found = cell_at.find((address - base_bytes) / step * step);
      if (found == cell_at.end()) continue;
      Cell& cell = grid.cells[found->second];
      cell.lanes |= std::uint32_t{1} << lane;
      cell.meets = cell.meets || meets(access, group, loads, lane, address);
    }
  }
  return grid;
}

Grid bank_grid(const Access& access, const Group& group) {
  Grid grid;
  grid.shows_access = true;
  grid.row_axis = "byte";
  grid.column_axis = "bank";
  grid.columns = bank_count;
  for (unsigned bank = 0; bank < bank_count; ++bank) grid.column_labels.push_back(std::to_string(bank));
  std::vector<std::uint32_t> lines;
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane) {
    if ((group.lanes >> lane & 1) == 0) continue;
    const std::uint32_t first = access.addresses[lane], last = first + access.lane_bytes - 1;
    for (std::uint32_t line = first / bank_row_bytes; line <= last / bank_row_bytes; ++line) lines.push_back(line);
  }
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  grid.rows = static_cast<unsigned>(lines.size());
  grid.cells.resize(std::size_t{grid.rows} * grid.columns);
  for (unsigned row = 0; row < grid.rows; ++row) {
    grid.row_labels.push_back(std::to_string(lines[row] * bank_row_bytes));
    for (unsigned bank = 0; bank < bank_count; ++bank)
      grid.at(row, bank) = {true, bank, lines[row] * bank_row_bytes + bank * bank_bytes, 0, false};
  }
  const BankLoads loads = bank_loads(access, group);
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane) {
    if ((group.lanes >> lane & 1) == 0) continue;
    const detail::WordSpan span = detail::words_of(access.addresses[lane], access.lane_bytes);
    for (unsigned k = 0; k < span.count; ++k) {
      const std::uint32_t address = (span.first + k) * bank_bytes;
      const auto line = std::lower_bound(lines.begin(), lines.end(), address / bank_row_bytes);
      Cell& cell = grid.at(static_cast<unsigned>(line - lines.begin()), bank_of(address));
      cell.lanes |= std::uint32_t{1} << lane;
      cell.meets = cell.meets || meets(access, group, loads, lane, address);
    }
  }
  return grid;
}

std::string label_of(const Grid& grid, const Cell& cell) {
  if (!cell.holds) return "";
  if (!grid.shows_access) return std::to_string(cell.bank);
  if (cell.lanes == 0) return ".";
  std::string text = std::to_string(std::countr_zero(cell.lanes));
  if (std::popcount(cell.lanes) > 1) text += "+";
  return text;
}

std::vector<unsigned> folded(unsigned count, unsigned limit, const std::vector<bool>& wanted) {
  std::vector<unsigned> chosen;
  for (unsigned i = 0; i < count && chosen.size() < limit; ++i)
    if (count <= limit || (i < wanted.size() && wanted[i])) chosen.push_back(i);
  if (count > limit) {
    for (unsigned i = 0; i < count && chosen.size() < limit; ++i)
      if (i >= wanted.size() || !wanted[i]) chosen.push_back(i);
    std::sort(chosen.begin(), chosen.end());
  }
  return chosen;
}

std::vector<bool> touched_rows(const Grid& grid) {
  std::vector<bool> touched(grid.rows, false);
  for (unsigned row = 0; row < grid.rows; ++row)
    for (unsigned column = 0; column < grid.columns; ++column)
      touched[row] = touched[row] || grid.at(row, column).lanes != 0;
  return touched;
}

std::vector<bool> touched_columns(const Grid& grid) {
  std::vector<bool> touched(grid.columns, false);
  for (unsigned row = 0; row < grid.rows; ++row)
    for (unsigned column = 0; column < grid.columns; ++column)
      touched[column] = touched[column] || grid.at(row, column).lanes != 0;
  return touched;
}

}  // namespace lanebank::picture
