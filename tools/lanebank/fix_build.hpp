// `lanebank fix --build`: proposals tried on a copy of the sources, built, run again and compared.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "advise/fix.hpp"
#include "base/diagnostic.hpp"
#include "session/engine.hpp"

namespace lanebank::tools {

/// What the program did that an edit must not change.
struct ProgramOutput {
  int exit_code = 0;
  std::string text;  ///< of its standard output
};

/// A run with its standard output kept.
struct CapturedRun {
  findings::ProgramReport report;
  ProgramOutput output;
};

/// `path` is executed as `command` (argv[0] first). Its standard error goes on where `quiet` is not set.
Result<CapturedRun> run_captured(const std::string& path, const std::vector<std::string>& command,
                                 const session::EngineOptions& engine, bool quiet);

struct BuildPlan {
  std::string command;               ///< with {source}, {output}, {dir}
  std::vector<std::string> program;  ///< argv
  session::EngineOptions engine;
  ProgramOutput expected;
  std::map<std::string, std::string> files;  ///< as reports name a source: where it is
};

/// Lines that change from run to run (times, addresses) are left out of comparisons: those in which the unchanged copy's
/// output differs from the program's, where it has as many lines and most are equal.
struct OutputComparison {
  std::string expected;
  std::vector<bool> left_out;  ///< by line; empty: none

  static std::optional<OutputComparison> of(const std::string& first, const std::string& second);
  bool equals(const std::string& text) const;
  std::size_t left_out_lines() const;
};

/// Tries the proposals of each fixable array in order, on top of the edits that were verified before, and notes what became
/// of them in `report`. Returns the edited texts by source path. Errors: the sources cannot be copied, or the unchanged copy
/// does not build, or does not do what the program did.
Result<std::map<std::string, std::string>> try_proposals(advise::FixReport& report, const BuildPlan& plan);

}  // namespace lanebank::tools
