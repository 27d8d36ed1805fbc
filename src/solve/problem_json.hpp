// Problem files, schema lanebank.problem/1 (docs/solver.md).
#pragma once

#include <string>
#include <string_view>

#include "base/diagnostic.hpp"
#include "solve/problem.hpp"

namespace lanebank::solve {

/// Reads a problem; `name` of the file stands in messages. Any bytes give a problem or a Diagnostic "problem.*" whose
/// `where` is name:line:column for malformed JSON, else name and a JSON pointer: "p.json /patterns/0/index/row".
Result<Problem> problem_from_json(std::string_view text, const std::string& name);

/// The problem as a file; reading it gives the same problem. Accesses are listed.
std::string to_json(const Problem& problem);

}  // namespace lanebank::solve
