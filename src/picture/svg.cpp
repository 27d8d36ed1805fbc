#include "picture/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "picture/palette.hpp"
#include "picture/words.hpp"

namespace lanebank::picture {
namespace {

constexpr unsigned margin = 28, gap = 36, cell_height = 24, header_height = 22, title_height = 26, line_height = 18;

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return result;
}

/// A grid's place and size.
struct Box {
  const Grid* grid = nullptr;
  std::vector<unsigned> rows, columns;
  unsigned cell_width = 0, header_width = 0;
  unsigned width = 0, height = 0, x = 0, y = 0;
  std::vector<std::string> notes;  ///< below the grid
};

/// About how wide a text of the sans-serif font is.
unsigned text_width(std::size_t characters, double per_character) {
  return static_cast<unsigned>(static_cast<double>(characters) * per_character) + 4;
}

std::vector<std::string> wrapped(const std::string& text, std::size_t characters) {
  std::vector<std::string> lines;
  std::string line;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (!line.empty() && line.size() + 1 + word.size() > characters) {
      lines.push_back(line);
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
    at = end + 1;
  }
  if (!line.empty()) lines.push_back(line);
  return lines;
}

Box box_of(const Grid& grid, const SvgOptions& options) {
  Box box;
  box.grid = &grid;
  box.rows = folded(grid.rows, options.max_rows, touched_rows(grid));
  box.columns = folded(grid.columns, options.max_columns, touched_columns(grid));
  std::size_t label = 2, header = grid.row_axis.size() + 3 + grid.column_axis.size();
  for (const Cell& cell : grid.cells) label = std::max(label, label_of(grid, cell).size());
  for (const std::string& text : grid.column_labels) label = std::max(label, text.size());
  for (const std::string& text : grid.row_labels) header = std::max(header, text.size());
  box.cell_width = std::max(26u, text_width(label, 8) + 4);
  box.header_width = text_width(header, 7) + 10;
  const unsigned cells = static_cast<unsigned>(box.columns.size()) * box.cell_width;
  box.width =
      std::max(box.header_width + cells, std::min(text_width(grid.title.size(), 7.6), options.width - 2 * margin));
  const std::size_t characters = std::max(box.width, 380u) / 7;
  if (box.rows.size() < grid.rows || box.columns.size() < grid.columns)
    box.notes = wrapped(fmt::format("{} of {} {}s and {} of {} lines are drawn.", box.columns.size(), grid.columns,
                                    grid.column_axis, box.rows.size(), grid.rows),
                        characters);
  for (std::string& line : wrapped(grid.caption, characters)) box.notes.push_back(std::move(line));
  for (const std::string& line : box.notes) box.width = std::max(box.width, text_width(line.size(), 6.8));
  box.height = title_height + header_height + static_cast<unsigned>(box.rows.size()) * cell_height +
               static_cast<unsigned>(box.notes.size()) * line_height + (box.notes.empty() ? 0 : 6);
  return box;
}

/// The cells without lanes: one path for each bank.
std::string quiet_svg(const Box& box, unsigned left, unsigned top) {
  const Grid& grid = *box.grid;
  std::array<std::string, bank_count> paths;
  for (std::size_t i = 0; i < box.rows.size(); ++i)
    for (std::size_t k = 0; k < box.columns.size(); ++k) {
      const Cell& cell = grid.at(box.rows[i], box.columns[k]);
      if (cell.holds && cell.lanes == 0)
        paths[cell.bank] += fmt::format("M{} {}h{}v{}h-{}z", left + k * box.cell_width, top + i * cell_height,
                                        box.cell_width, cell_height, box.cell_width);
    }
  std::string svg;
  for (unsigned bank = 0; bank < bank_count; ++bank)
    if (!paths[bank].empty()) svg += fmt::format("<path class=\"b{} line quiet\" d=\"{}\"/>\n", bank, paths[bank]);
  return svg;
}

std::string cell_svg(const Box& box, const Cell& cell, const std::string& place, unsigned x, unsigned y) {
  const Grid& grid = *box.grid;
  if (!cell.holds || (grid.shows_access && cell.lanes == 0)) return "";
  std::string svg = "<g>";
  if (grid.shows_access)
    svg += fmt::format("<title>{}: byte {}, bank {}, {}{}</title>", escaped(place), cell.byte, cell.bank,
                       lanes_text(cell.lanes), cell.meets ? ", meets others in this bank" : "");
  svg += fmt::format("<rect class=\"b{} line\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"3\"/>", cell.bank, x,
                     y, box.cell_width, cell_height);
  if (cell.meets) {
    svg += fmt::format("<rect class=\"meets\" x=\"{}.5\" y=\"{}.5\" width=\"{}\" height=\"{}\" rx=\"3\"/>", x + 1,
                       y + 1, box.cell_width - 3, cell_height - 3);
    svg += fmt::format("<path class=\"corner\" d=\"M{} {}h-8l8 8z\"/>", x + box.cell_width - 2, y + 2);
  }
  svg += fmt::format("<text class=\"cell ink{}\" x=\"{}\" y=\"{}\">{}</text></g>\n", cell.meets ? " strong" : "",
                     x + box.cell_width / 2, y + cell_height / 2 + 4, label_of(grid, cell));
  return svg;
}

std::string grid_svg(const Box& box) {
  const Grid& grid = *box.grid;
  std::string svg = "<g>\n";
  svg += fmt::format("<text class=\"name ink\" x=\"{}\" y=\"{}\">{}</text>\n", box.x, box.y + 13, escaped(grid.title));
  const unsigned left = box.x + box.header_width, top = box.y + title_height + header_height;
  svg += fmt::format("<text class=\"axis soft right\" x=\"{}\" y=\"{}\">{} / {}</text>\n", left - 6, top - 7,
                     escaped(grid.row_axis), escaped(grid.column_axis));
  for (std::size_t i = 0; i < box.columns.size(); ++i)
    svg += fmt::format("<text class=\"axis soft middle\" x=\"{}\" y=\"{}\">{}</text>\n",
                       left + static_cast<unsigned>(i) * box.cell_width + box.cell_width / 2, top - 7,
                       escaped(grid.column_labels[box.columns[i]]));
  unsigned y = top;
  if (grid.shows_access) svg += quiet_svg(box, left, top);
  for (const unsigned row : box.rows) {
    svg += fmt::format("<text class=\"axis soft right\" x=\"{}\" y=\"{}\">{}</text>\n", left - 6,
                       y + cell_height / 2 + 4, escaped(grid.row_labels[row]));
    unsigned x = left;
    for (const unsigned column : box.columns) {
      const std::string place =
          grid.row_axis + " " + grid.row_labels[row] + ", " + grid.column_axis + " " + grid.column_labels[column];
      svg += cell_svg(box, grid.at(row, column), place, x, y);
      x += box.cell_width;
    }
    y += cell_height;
  }
  y += 6;
  for (const std::string& line : box.notes) {
    y += line_height;
    svg += fmt::format("<text class=\"soft\" x=\"{}\" y=\"{}\">{}</text>\n", box.x, y - 4, escaped(line));
  }
  return svg + "</g>\n";
}

constexpr unsigned swatch = 26;

/// The banks' colours and, where the picture shows an access, the marks.
std::string legend_svg(bool shows_access, unsigned x, unsigned y) {
  std::string svg =
      fmt::format("<g>\n<text class=\"soft\" x=\"{}\" y=\"{}\">Bank of a cell's first byte</text>\n", x, y + 12);
  for (unsigned bank = 0; bank < bank_count; ++bank)
    svg += fmt::format(
        "<rect class=\"b{} line\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"20\" rx=\"3\"/>"
        "<text class=\"cell ink\" x=\"{}\" y=\"{}\">{}</text>\n",
        bank, x + bank * swatch, y + 22, swatch, x + bank * swatch + swatch / 2, y + 36, bank);
  if (shows_access) {
    const unsigned line = y + 56;
    svg += fmt::format(
        "<rect class=\"b0 line\" x=\"{0}\" y=\"{1}\" width=\"26\" height=\"22\" rx=\"3\"/>"
        "<text class=\"cell ink\" x=\"{2}\" y=\"{3}\">7</text>"
        "<text class=\"soft\" x=\"{4}\" y=\"{3}\">lane 7 is here; 7+: lane 7 and others</text>\n",
        x, line, x + 13, line + 15, x + 36);
    const unsigned second = x + 330;
    svg += fmt::format(
        "<rect class=\"b0 line\" x=\"{0}\" y=\"{1}\" width=\"26\" height=\"22\" rx=\"3\"/>"
        "<rect class=\"meets\" x=\"{2}.5\" y=\"{3}.5\" width=\"23\" height=\"19\" rx=\"3\"/>"
        "<path class=\"corner\" d=\"M{4} {5}h-8l8 8z\"/>"
        "<text class=\"cell ink strong\" x=\"{6}\" y=\"{7}\">7</text>"
        "<text class=\"soft\" x=\"{8}\" y=\"{7}\">meets others that want another word of the same bank</text>\n",
        second, line, second + 1, line + 1, second + 24, line + 2, second + 13, line + 15, second + 36);
  }
  return svg + "</g>\n";
}

struct Extent {
  unsigned width = 0, height = 0;
};

/// Places the boxes in rows of at most `room`, from y = 0 on. The second boxes of rows stand below one another.
Extent arrange(std::vector<Box>& boxes, unsigned room) {
  Extent extent;
  unsigned second = 0;
  for (std::size_t i = 1; i < boxes.size(); ++i)
    if (boxes[i].grid->beside && !boxes[i - 1].grid->beside) second = std::max(second, boxes[i - 1].width + gap);
  unsigned x = 0, y = 0, tallest = 0;
  for (Box& box : boxes) {
    if (x != 0 && (!box.grid->beside || x + box.width > room)) {
      x = 0;
      y += tallest + gap;
      tallest = 0;
    }
    if (x != 0 && x < second && second + box.width <= room) x = second;
    box.x = margin + x;
    box.y = y;
    extent.width = std::max(extent.width, x + box.width);
    x += box.width + gap;
    tallest = std::max(tallest, box.height);
  }
  extent.height = y + tallest;
  return extent;
}

/// The opening tag, with what a screen reader says.
std::string opening(const std::string& id, unsigned width, unsigned height, const std::string& title,
                    const std::string& description) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\" "
      "aria-labelledby=\"{4}title {4}description\">\n<title id=\"{4}title\">{2}</title>\n"
      "<desc id=\"{4}description\">{3}</desc>\n",
      width, height, escaped(title), escaped(description), escaped(id));
}

}  // namespace

std::string svg_style() {
  std::string light, dark;
  for (unsigned bank = 0; bank < bank_count; ++bank) {
    light += fmt::format(".b{}{{fill:#{:06x}}}", bank, colour_of(bank).light);
    dark += fmt::format(".b{}{{fill:#{:06x}}}", bank, colour_of(bank).dark);
  }
  return ".ground{fill:#ffffff}.ink{fill:#1b1f24}.soft{fill:#57606a}.line{stroke:#ffffff;stroke-width:1}\n"
         ".quiet{opacity:.38}.meets{fill:none;stroke:#1b1f24;stroke-width:2.5}.corner{fill:#1b1f24}\n" +
         light +
         "\n"
         "text{font-family:system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif;font-size:13px}\n"
         ".cell{font-family:ui-monospace,'DejaVu Sans "
         "Mono',Menlo,Consolas,monospace;font-size:12px;text-anchor:middle}\n"
         ".axis{font-family:ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;font-size:11px}\n"
         ".strong{font-weight:700}.head{font-size:17px;font-weight:600}.name{font-size:14px;font-weight:600}\n"
         ".right{text-anchor:end}.middle{text-anchor:middle}\n"
         "@media (prefers-color-scheme: dark){\n"
         ".ground{fill:#0f1318}.ink{fill:#e9edf2}.soft{fill:#9aa5b1}.line{stroke:#0f1318}\n"
         ".meets{stroke:#ffffff}.corner{fill:#ffffff}.quiet{opacity:.45}\n" +
         dark + "\n}\n";
}

std::string draw_legend(const std::string& id) {
  constexpr unsigned width = bank_count * swatch, height = 84;
  return opening(id, width, height, "Legend", "The colour of each of the 32 banks, and the mark of lanes that meet.") +
         legend_svg(true, 0, 0) + "</svg>\n";
}

std::string draw_svg(const Picture& picture, const SvgOptions& options) {
  std::vector<Box> boxes;
  bool shows_access = false;
  for (const Grid& grid : picture.grids) {
    boxes.push_back(box_of(grid, options));
    shows_access = shows_access || grid.shows_access;
  }
  const Extent extent = arrange(boxes, std::max(bank_count * swatch, options.width - 2 * margin));
  const unsigned inner = std::max(bank_count * swatch, extent.width);
  if (!options.part_of_page.empty()) {
    std::string svg =
        opening(options.part_of_page, extent.width + 2, extent.height + 2, picture.title, picture.description);
    for (Box& box : boxes) {
      box.x -= margin;
      svg += grid_svg(box);
    }
    return svg + "</svg>\n";
  }
  const std::vector<std::string> words = wrapped(picture.description, inner / 7);
  const unsigned top = margin + 30 + static_cast<unsigned>(words.size()) * line_height + 14;
  for (Box& box : boxes) box.y += top;
  const unsigned legend = top + extent.height + (boxes.empty() ? 0 : gap);
  const unsigned width = inner + 2 * margin, height = legend + (shows_access ? 84 : 46) + margin;
  std::string svg = opening("", width, height, picture.title, picture.description);
  svg += "<style>\n" + svg_style() + "</style>\n";
  svg += fmt::format("<rect class=\"ground\" width=\"{}\" height=\"{}\"/>\n", width, height);
  svg += fmt::format("<text class=\"head ink\" x=\"{}\" y=\"{}\">{}</text>\n", margin, margin + 14,
                     escaped(picture.title));
  for (std::size_t i = 0; i < words.size(); ++i)
    svg += fmt::format("<text class=\"soft\" x=\"{}\" y=\"{}\">{}</text>\n", margin,
                       margin + 38 + static_cast<unsigned>(i) * line_height, escaped(words[i]));
  for (const Box& box : boxes) svg += grid_svg(box);
  svg += legend_svg(shows_access, margin, legend);
  return svg + "</svg>\n";
}

}  // namespace lanebank::picture
