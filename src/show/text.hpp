// An answer as text. Without details it fits a terminal of 80 x 40 for one access.
#pragma once

#include <string>

#include "picture/terminal.hpp"
#include "show/show.hpp"

namespace lanebank::show {

enum class Pictures {
  fitting,
  none,
  tile,
  banks,
  both
};  ///< fitting: one, of the worst phase, where one access is shown

struct TextOptions {
  unsigned width = 80;
  picture::Colours colours = picture::Colours::none;
  bool dark = true;
  bool brief = false;    ///< one line per access
  bool lanes = false;    ///< every lane's byte and bank
  bool phases = false;   ///< every phase, with its picture and who meets
  bool compare = false;  ///< before and after
  bool code = false;     ///< the best cure as CUDA C++
  Pictures pictures = Pictures::fitting;
};

std::string write_text(const Answer& answer, const TextOptions& options);

}  // namespace lanebank::show
