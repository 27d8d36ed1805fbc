// A picture of shared memory: grids of cells, each coloured by its bank, with the lanes of an access in the cells that
// they touch. Renderers (terminal.hpp, svg.hpp) draw it; this file knows nothing of how it looks.
//
//   tile grid    the tile as the program sees it, (row, column); a cell is an element, or neighbours that one lane moves
//   bank grid    memory as the banks see it: a column is a bank, a row 128 bytes; lanes that meet in a bank stand
//                one above the other
//
//   column      0    1    2               bank        0    1    2
//   row 0       0!   .    .               byte 0      0!   .    .
//       1       1!   .    .                  128      1!   .    .        "!": meets another word in its bank
//
// Smallest example:
//   const Tile tile = row_major(32, 32, 4);
//   const Access access = strided_access(AccessKind::load, 4, 128);
//   const Cost cost = lanebank::cost(access);
//   Grid grid = access_grid(tile, 0, access, cost.groups[0], 1);
//
// Units: offsets and addresses are bytes; offsets count from the tile's first byte, addresses from a 128-byte boundary of
// shared memory. What it does not do: count. Costs and groups are the bank model's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lanebank/bank_model.hpp"

namespace lanebank::picture {

/// Where the elements of a tile lie.
struct Tile {
  unsigned rows = 0;
  unsigned columns = 0;
  unsigned element_bytes = 0;
  std::vector<std::uint32_t> offsets;  ///< byte of element (row, column) at [row * columns + column]

  std::uint32_t offset(unsigned row, unsigned column) const { return offsets[std::size_t{row} * columns + column]; }
};

/// Rows one after the other, `pitch_elements` apart (0: as many as columns).
Tile row_major(unsigned rows, unsigned columns, unsigned element_bytes, unsigned pitch_elements = 0);

/// Neighbours in a row that lie next to each other in memory, everywhere in the tile, aligned to their size?
bool contiguous(const Tile& tile, unsigned unit_elements);

struct Cell {
  bool holds = false;       ///< something lies there
  unsigned bank = 0;        ///< of its first byte
  std::uint32_t byte = 0;   ///< address of its first byte
  std::uint32_t lanes = 0;  ///< that touch it
  bool meets = false;       ///< a lane of it meets, in a bank, a lane that wants another word (atomics: any lane)
};

struct Grid {
  std::string title;
  std::string caption;  ///< a sentence below; may be empty
  std::string row_axis, column_axis;
  std::vector<std::string> row_labels, column_labels;
  unsigned rows = 0, columns = 0;
  bool shows_access = false;  ///< cells name lanes; else banks
  bool beside = false;        ///< drawn beside the grid before it, where there is room
  std::vector<Cell> cells;    ///< row by row

  const Cell& at(unsigned row, unsigned column) const { return cells[std::size_t{row} * columns + column]; }
  Cell& at(unsigned row, unsigned column) { return cells[std::size_t{row} * columns + column]; }
};

struct Picture {
  std::string title;
  std::string description;  ///< for people who cannot see it
  std::vector<Grid> grids;
};

/// Every cell's bank. `base_bytes`: address of the tile. A cell is `unit_elements` neighbours of a row; the tile's columns
/// must be a multiple of it.
Grid layout_grid(const Tile& tile, std::uint32_t base_bytes, unsigned unit_elements);

/// The lanes of one group of an access in the tile's cells. Lanes that touch no cell (outside the tile) are left out.
Grid access_grid(const Tile& tile, std::uint32_t base_bytes, const Access& access, const Group& group,
                 unsigned unit_elements);

/// The same lanes in the banks: one row per 128 bytes that they touch.
Grid bank_grid(const Access& access, const Group& group);

/// Per bank, what its lanes cost in the group: different words, or for an atomic the lanes.
struct BankLoads {
  unsigned load[bank_count] = {};
};
BankLoads bank_loads(const Access& access, const Group& group);

/// What stands in a cell: "3", "0+" for several lanes, "." for none; or the bank.
std::string label_of(const Grid& grid, const Cell& cell);

/// Which rows or columns of a large grid to draw: at most `limit` of `count`, those that `wanted` marks first, the rest
/// from the beginning; ascending.
std::vector<unsigned> folded(unsigned count, unsigned limit, const std::vector<bool>& wanted);

/// The rows and the columns that the lanes touch.
std::vector<bool> touched_rows(const Grid& grid);
std::vector<bool> touched_columns(const Grid& grid);

}  // namespace lanebank::picture
