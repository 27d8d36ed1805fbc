// `lanebank solve`: any bytes give a solution or a Diagnostic with place and remedy, never a crash. Small problems are
// solved too, and the winner's own count (an always-on check) must hold.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "solve/problem_json.hpp"
#include "solve/solution_json.hpp"
#include "solve/solve.hpp"

namespace {

bool says_all(const lanebank::Diagnostic& error) {
  return !error.id.empty() && !error.where.empty() && !error.what.empty() && !error.remedy.empty();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lanebank::solve;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const lanebank::Result<Problem> problem = problem_from_json(text, "f.json");
  if (!problem) {
    if (!says_all(problem.error()) || problem.error().where.rfind("f.json", 0) != 0) std::abort();
    return 0;
  }
  std::size_t accesses = 0;
  for (const Pattern& pattern : problem->patterns) accesses += pattern.accesses.size();
  if (accesses > 64 || problem->tile.size_bytes() > 4096) return 0;
  Limits limits;
  limits.work = 20'000;
  const lanebank::Result<Solution> solution = solve(*problem, limits);
  if (!solution) {
    if (!says_all(solution.error())) std::abort();
  } else if (to_json(*problem, *solution).empty() || to_text(*problem, *solution, "f.json").empty()) {
    std::abort();
  }
  return 0;
}
