// What the commands that analyse launches have in common beyond the launches themselves: checks, other layouts to recount, findings
// that are known already, the report's files, the verdict.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "advise/remap.hpp"
#include "findings/accepted.hpp"
#include "report_files.hpp"
#include "session/engine.hpp"
#include "session/gate.hpp"

namespace CLI {
class App;
}
namespace lanebank::advise {
struct Gpu;
}

namespace lanebank::tools {

struct AnalysisOptions {
  std::string fail_on, suppressions, write_suppressions, baseline, write_baseline, source_root;
  std::vector<std::string> remaps, shapes;
  ReportPaths paths;
  std::uint64_t max_excess = 0;
  bool timing = false, all_findings = false, allow_no_launch = false;
  const advise::Gpu* gpu = nullptr;  ///< of the estimate; none: the standard one of each launch's architecture
};

/// Those of AnalysisOptions, and of the engine's: --all-instructions, --checks, --bottleneck.
void add_analysis_options(CLI::App& command, session::EngineOptions& engine, AnalysisOptions& options);

/// What can be wrong in the options is wrong in `prepare`, before anything runs.
class Analysis {
 public:
  /// Reads what is known, opens what is written; sets what `engine` must count.
  static Result<Analysis> prepare(const AnalysisOptions& options, session::EngineOptions& engine);

  /// The folder that reports name files from, absolute.
  const std::string& source_root() const { return source_root_; }

  /// Finds, recounts, takes out what is known, and writes every file. Returns the exit code; a file that could not be written is
  /// told on standard error in the name of `command`.
  int finish(findings::ProgramReport report, const std::string& command);

 private:
  Analysis() = default;
  Result<void> read_what_if();
  Result<void> read_known();
  Result<void> open_outputs();

  AnalysisOptions options_;
  bool all_instructions_ = false;
  std::string source_root_;
  std::shared_ptr<report::Sources> sources_;
  session::Gate gate_;
  std::vector<advise::RemapRequest> remaps_;
  std::vector<advise::GivenShape> shapes_;
  std::vector<findings::Suppression> suppressions_;
  findings::Baseline baseline_;
  std::optional<ReportFiles> reports_;
  std::optional<Output> suppressions_output_, baseline_output_;
};

}  // namespace lanebank::tools
