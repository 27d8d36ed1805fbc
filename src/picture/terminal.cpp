#include "picture/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "picture/palette.hpp"

namespace lanebank::picture {
namespace {

/// The escape codes of text on a colour.
std::string codes_on(std::uint32_t rgb, const TerminalOptions& options) {
  const std::string ground = options.colours == Colours::full
                                 ? fmt::format("48;2;{};{};{}", rgb >> 16, rgb >> 8 & 255, rgb & 255)
                                 : fmt::format("48;5;{}", cube_colour(rgb));
  return ground + (options.dark ? ";97" : ";30");
}

std::uint32_t colour_for(unsigned bank, const TerminalOptions& options) {
  return options.dark ? colour_of(bank).dark : colour_of(bank).light;
}

/// Between the colour and black or white.
std::uint32_t halfway_to_ground(std::uint32_t rgb, bool dark) { return (rgb >> 1 & 0x7f7f7f) + (dark ? 0 : 0x808080); }

std::string painted_cell(const std::string& text, const Grid& grid, const Cell& cell, const TerminalOptions& options) {
  if (options.colours == Colours::none || !cell.holds) return text;
  const bool faint = grid.shows_access && cell.lanes == 0;
  const std::uint32_t full = colour_for(cell.bank, options);
  std::string codes = codes_on(faint ? halfway_to_ground(full, options.dark) : full, options);
  if (faint) codes += ";2";
  if (!faint && grid.shows_access) codes += ";1";
  if (cell.meets) codes += ";7";
  return "\033[" + codes + "m" + text + "\033[0m";
}

/// The columns of the drawing: widths of the row header and of a cell, and what is drawn. Blocks of columns stand one below
/// the other.
struct Plan {
  std::size_t header = 0, cell = 0;
  std::vector<unsigned> rows;
  std::vector<std::vector<unsigned>> blocks;
};

constexpr unsigned rows_of_blocks = 8;  ///< taller grids are not cut into blocks: their columns are folded

std::size_t longest(const std::vector<std::string>& texts) {
  std::size_t size = 0;
  for (const std::string& text : texts) size = std::max(size, text.size());
  return size;
}

Plan plan_of(const Grid& grid, const TerminalOptions& options) {
  Plan plan;
  plan.header = std::max(grid.row_axis.size() + 1 + longest(grid.row_labels), grid.column_axis.size()) + 1;
  bool marks = false;
  std::size_t label = longest(grid.column_labels);
  for (const Cell& cell : grid.cells) {
    label = std::max(label, label_of(grid, cell).size());
    marks = marks || cell.meets;
  }
  const std::size_t room =
      options.width > options.indent + plan.header ? options.width - options.indent - plan.header : 1;
  plan.cell = label + 1;
  if (marks && plan.cell + 1 <= 5 && (plan.cell + 1) * grid.columns <= room) ++plan.cell;
  const unsigned limit = static_cast<unsigned>(std::max<std::size_t>(1, room / plan.cell));
  plan.rows = folded(grid.rows, options.max_rows == 0 ? grid.rows : options.max_rows, touched_rows(grid));
  const bool banks = grid.column_axis == "bank";
  if (banks && grid.columns > limit && limit >= grid.columns / 2 && plan.rows.size() <= rows_of_blocks) {
    for (unsigned first = 0; first < grid.columns; first += grid.columns / 2) {
      plan.blocks.emplace_back(grid.columns / 2);
      std::iota(plan.blocks.back().begin(), plan.blocks.back().end(), first);
    }
  } else {
    plan.blocks = {folded(grid.columns, limit, touched_columns(grid))};
  }
  return plan;
}

std::string header_line(const Grid& grid, const Plan& plan, const std::vector<unsigned>& columns, unsigned indent) {
  std::string line = std::string(indent, ' ') + grid.column_axis;
  line.resize(indent + plan.header, ' ');
  for (const unsigned column : columns) line += fmt::format("{:>{}} ", grid.column_labels[column], plan.cell - 1);
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string block_text(const Grid& grid, const Plan& plan, const std::vector<unsigned>& columns,
                       const TerminalOptions& options) {
  const std::string indent(options.indent, ' ');
  std::string text = header_line(grid, plan, columns, options.indent);
  for (const unsigned row : plan.rows) {
    const std::string axis = row == plan.rows.front() ? grid.row_axis : "";
    const std::string& label = grid.row_labels[row];
    std::string line = indent + axis;
    line += std::string(plan.header - 1 - axis.size() - label.size(), ' ') + label + " ";
    for (const unsigned column : columns) {
      const Cell& cell = grid.at(row, column);
      const std::string text_of_cell =
          fmt::format("{:>{}}{}", label_of(grid, cell), plan.cell - 1, cell.meets ? '!' : ' ');
      line += painted_cell(text_of_cell, grid, cell, options);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string note_of(const Grid& grid, const Plan& plan) {
  std::string note;
  std::size_t columns = 0;
  for (const std::vector<unsigned>& block : plan.blocks) columns += block.size();
  if (columns < grid.columns)
    note = fmt::format("{} of {} {}s", grid.columns - columns, grid.columns, grid.column_axis);
  if (plan.rows.size() < grid.rows) {
    const std::string rows = grid.row_axis == "row" ? "rows" : "lines of 128 bytes";
    note += fmt::format("{}{} of {} {}", note.empty() ? "" : " and ", grid.rows - plan.rows.size(), grid.rows, rows);
  }
  return note.empty() ? "" : note + " not drawn";
}

}  // namespace

std::string draw_text(const Grid& grid, const TerminalOptions& options) {
  const std::string indent(options.indent, ' ');
  std::string text;
  if (!grid.title.empty()) text += indent + grid.title + "\n";
  const Plan plan = plan_of(grid, options);
  for (const std::vector<unsigned>& block : plan.blocks) text += block_text(grid, plan, block, options);
  const std::string note = note_of(grid, plan);
  if (!note.empty()) text += indent + "(" + note + ")\n";
  if (!grid.caption.empty()) text += indent + grid.caption + "\n";
  return text;
}

std::string on_bank_colour(const std::string& text, unsigned bank, const TerminalOptions& options) {
  if (options.colours == Colours::none) return text;
  return "\033[" + codes_on(colour_for(bank, options), options) + "m" + text + "\033[0m";
}

std::string legend_text(const Grid& grid) {
  if (!grid.shows_access) return "a number is the bank of a cell's first byte";
  bool meets = false, many = false;
  for (const Cell& cell : grid.cells) {
    meets = meets || cell.meets;
    many = many || (cell.lanes & (cell.lanes - 1)) != 0;
  }
  std::string text = "a number is a lane";
  if (many) text += ", 0+ several lanes, the lowest named";
  if (meets) text += ", ! meets others in its bank";
  return text;
}

}  // namespace lanebank::picture
