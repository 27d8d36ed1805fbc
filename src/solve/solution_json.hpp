// Solutions as files, schema lanebank.solution/1 (docs/solver.md), and in words.
#pragma once

#include <optional>
#include <string>

#include "solve/problem.hpp"
#include "solve/solution.hpp"

namespace lanebank::solve {

/// How a solution is written.
struct Writing {
  SwizzleOrder order = SwizzleOrder::bits_base_shift;  ///< of swizzles in words
  std::uint32_t unit_bytes = 1;                        ///< their unit
  bool map = false;                                    ///< with the byte address of every element
  std::optional<Candidate> given;                      ///< a layout that was asked for besides
};

/// Parameters are in bytes, whatever the order and unit.
std::string to_json(const Problem& problem, const Solution& solution, const Writing& writing = {});

/// For a terminal or a log: before and after, what proves it, the code, the alternatives.
std::string to_text(const Problem& problem, const Solution& solution, const std::string& title,
                    const Writing& writing = {});

}  // namespace lanebank::solve
