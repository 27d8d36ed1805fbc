// A picture as text for a terminal. Without colours it is plain ASCII: every mark is a character too.
#pragma once

#include <string>

#include "picture/picture.hpp"

namespace lanebank::picture {

enum class Colours { none, cube, full };  ///< plain text; 256 colours; 24-bit

struct TerminalOptions {
  Colours colours = Colours::none;
  bool dark = true;       ///< the ground of the terminal, where colours are on
  unsigned width = 80;    ///< columns of the terminal
  unsigned max_rows = 0;  ///< rows of cells per grid; 0: all
  unsigned indent = 2;
};

/// The grid with its title, axes and, where parts are left out, a note that says so. Lines end in '\n'.
std::string draw_text(const Grid& grid, const TerminalOptions& options);

/// `text` on the colour of a bank; as it is without colours.
std::string on_bank_colour(const std::string& text, unsigned bank, const TerminalOptions& options);

/// What the marks mean, in one line; empty for a grid that needs none.
std::string legend_text(const Grid& grid);

}  // namespace lanebank::picture
