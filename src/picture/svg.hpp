// A picture as one SVG file that needs nothing else: colours of light and dark ground by a media query, title and
// description for screen readers, a legend of the banks. Lanes that meet in a bank have a thick frame, a bold number
// and a filled corner, so that colour alone says nothing. The same picture gives the same bytes.
#pragma once

#include <string>

#include "picture/picture.hpp"

namespace lanebank::picture {

struct SvgOptions {
  unsigned width = 1960;   ///< at most, unless one grid alone needs more
  unsigned max_rows = 64;  ///< cells drawn of a grid; the caption says what is left out
  unsigned max_columns = 64;
  std::string part_of_page;  ///< not empty: an <svg> inside a page that has `svg_style()` and heading and legend of its
                             ///< own; the text begins the picture's ids
};

/// The content of the <style> that pictures inside a page share. Its classes are the pictures' own, and none else's.
std::string svg_style();

/// The banks' colours and the marks, for such a page.
std::string draw_legend(const std::string& id);

std::string draw_svg(const Picture& picture, const SvgOptions& options = {});

}  // namespace lanebank::picture
