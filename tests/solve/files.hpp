// Problem files of tests/solve/data.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "solve/problem_json.hpp"
#include "solve/solve.hpp"

namespace lanebank::solve {

inline std::string problem_text(const std::string& name) {
  std::ifstream file(std::string(LANEBANK_TEST_DATA) + "/" + name + ".json", std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

inline Problem problem_of(const std::string& name) {
  Result<Problem> problem = problem_from_json(problem_text(name), name);
  if (!problem) {
    ADD_FAILURE() << to_string(problem.error());
    return {};
  }
  return std::move(*problem);
}

inline Solution solved(const Problem& problem, const Limits& limits = {}) {
  Result<Solution> solution = solve(problem, limits);
  if (!solution) throw std::runtime_error(to_string(solution.error()));
  return std::move(*solution);
}

inline const Candidate* alternative(const Solution& solution, Family family) {
  if (solution.best.layout.family() == family) return &solution.best;
  for (const Candidate& candidate : solution.alternatives)
    if (candidate.layout.family() == family) return &candidate;
  return nullptr;
}

}  // namespace lanebank::solve
