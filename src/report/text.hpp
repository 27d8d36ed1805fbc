// The report for people.
#pragma once

#include <string>

#include "findings/report.hpp"

namespace lanebank::report {

struct TextOptions {
  unsigned width = 120;  ///< columns of the terminal
  bool color = false;
  int exit_code = 0;   ///< what `lanebank run` will return; the last line says why
  unsigned rows = 12;  ///< lines with excess shown per kernel; 0: all
};

/// Launches with excess first, each with its lines, reasons and cures; clean ones in one line; then notes, what
/// could not be analysed, and the verdict. Figures carry the names of Nsight Compute's source page.
std::string write_text(const findings::ProgramReport& report, const TextOptions& options = {});

}  // namespace lanebank::report
