#include "cudart/observe.hpp"

#include <filesystem>
#include <mutex>
#include <utility>

#include "cudart/process.hpp"
#include "lanebank/observe.h"
#include "report/channel.hpp"
#include "report/failure_text.hpp"

namespace lanebank::cudart {
namespace {

/// What the engine said since it was last asked. Nothing is kept before the first question.
class Observations {
 public:
  static Observations& get() {
    static Observations* const all = new Observations;  // as the process, never destroyed
    return *all;
  }

  findings::ProgramReport take() {
    std::lock_guard lock(mutex_);
    if (!listening_) Process::get().engine().tell_records([this](const report::Record& record) { add(record); });
    listening_ = true;
    return std::exchange(report_, {});
  }

 private:
  void add(const report::Record& record) {
    std::lock_guard lock(mutex_);
    if (const auto* launch = std::get_if<findings::LaunchReport>(&record.content)) {
      report_.launches.push_back(*launch);
      report_.launches.back().id = report_.launches.size() - 1;
    } else if (const auto* problem = std::get_if<Diagnostic>(&record.content)) {
      (problem->severity == Severity::error ? report_.problems : report_.notes).push_back(*problem);
    }
  }

  std::mutex mutex_;
  bool listening_ = false;
  findings::ProgramReport report_;
};

void fill(lanebank_observed& observed) {
  static report::FailureText text;
  findings::ProgramReport seen = Observations::get().take();
  std::error_code ignored;
  findings::make_files_relative(seen.launches, std::filesystem::current_path(ignored).string());
  seen.findings = findings::findings_of(seen.launches);
  text = report::failure_text(seen);
  observed = {LANEBANK_OBSERVED_VERSION,
              static_cast<unsigned>(seen.problems.size()),
              seen.launches.size(),
              0,
              0,
              0,
              0,
              0,
              0,
              text.conflicts.c_str(),
              text.checks.c_str(),
              text.problems.c_str()};
  for (const findings::LaunchReport& launch : seen.launches) {
    observed.executed += launch.shared.executed;
    observed.wavefronts += launch.shared.wavefronts;
    observed.ideal += launch.shared.ideal;
    observed.excess += launch.shared.excess;
  }
  for (const findings::Finding& finding : seen.findings) {
    observed.races += finding.rule == findings::Rule::race;
    observed.errors += finding.severity == Severity::error;
  }
}

}  // namespace

int observe(lanebank_observed* observed) noexcept {
  if (observed == nullptr || observed->version != LANEBANK_OBSERVED_VERSION) return -1;
  try {
    static std::mutex mutex;
    std::lock_guard lock(mutex);
    fill(*observed);
  } catch (const std::exception& error) {
    fail_internally("lanebank_observe", std::string("internal error: ") + error.what());
  }
  return 0;
}

}  // namespace lanebank::cudart
