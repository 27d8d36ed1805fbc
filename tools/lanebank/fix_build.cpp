#include "fix_build.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/words.hpp"
#include "child.hpp"
#include "fix_copy.hpp"
#include "observed_run.hpp"
#include "redirection.hpp"

namespace lanebank::tools {
namespace {

std::string shell_word(const std::string& word) {
  std::string result = "'";
  for (const char c : word) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

/// The first line that speaks of an error, else the last one.
std::string error_line(const std::string& log) {
  std::string last;
  for (std::size_t begin = 0; begin < log.size();) {
    const std::size_t end = std::min(log.find('\n', begin), log.size());
    std::string line = log.substr(begin, end - begin);
    if (line.find("error") != std::string::npos) return line;
    if (!line.empty()) last = line;
    begin = end + 1;
  }
  return last;
}

/// Wavefronts of all arrays of that name in kernels of that function; nothing where they cannot be told apart.
std::optional<std::uint64_t> wavefronts_of(const findings::ProgramReport& report, const advise::ArrayRuns& array) {
  std::uint64_t sum = 0;
  for (const advise::ArrayRuns& runs : advise::array_runs(report)) {
    if (runs.function != array.function || runs.name != array.name) continue;
    const auto counted = advise::counted_under(runs, solve::Layout::row_major({1, runs.size_bytes, 1}));
    if (!counted) return std::nullopt;
    sum += counted->before.wavefronts;
  }
  return sum;
}

std::uint64_t all_wavefronts(const findings::ProgramReport& report) {
  std::uint64_t sum = 0;
  for (const findings::LaunchReport& launch : report.launches) sum += launch.shared.wavefronts;
  return sum;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

class Builder {
 public:
  Builder(advise::FixReport& report, const BuildPlan& plan) : report_(report), plan_(plan) {}

  Result<std::map<std::string, std::string>> run() {
    for (advise::ArrayFix& array : report_.arrays) {
      if (array.verdict != advise::Verdict::fixable) continue;
      if (auto tried = try_array(array); !tried) return tl::unexpected(tried.error());
    }
    report_.built = copy_.has_value();
    return std::move(texts_);
  }

 private:
  Result<void> try_array(advise::ArrayFix& array) {
    const bool has_edit = std::any_of(array.proposals.begin(), array.proposals.end(),
                                      [](const advise::FixProposal& proposal) { return proposal.edit.has_value(); });
    const auto file = plan_.files.find(array.array.file);
    if (!has_edit || file == plan_.files.end()) return {};
    if (auto ready = prepare(file->second); !ready) return ready;
    if (done_already(array)) return {};
    for (advise::FixProposal& proposal : array.proposals) {
      if (!proposal.edit) continue;
      if (auto tried = try_proposal(array, proposal, file->second); !tried) return tried;
      if (proposal.trial.state == advise::Trial::State::verified) break;
    }
    return {};
  }

  /// Did an edit for another array change this one too, and as much as its own would?
  bool done_already(advise::ArrayFix& array) {
    if (!verified_) return false;
    const std::optional<std::uint64_t> measured = wavefronts_of(*verified_, array.array);
    if (!measured) return false;
    const std::uint64_t now = *measured - std::min(*measured, of_same_name(array));
    for (advise::FixProposal& proposal : array.proposals) {
      if (!proposal.edit || proposal.proposal.after.wavefronts < now) continue;
      proposal.trial = {advise::Trial::State::verified, "", now};
      return true;
    }
    return false;
  }

  /// A copy that builds and does what the program did.
  Result<void> prepare(const std::string& source) {
    if (!copy_) {
      auto copy = copy_sources(source);
      if (!copy) return tl::unexpected(copy.error());
      copy_ = std::move(*copy);
      if (copy_->in_copy(source).empty()) return outside(source);
      auto plain = build_and_run(source);
      if (!plain) return tl::unexpected(plain.error());
      if (!plain->built)
        return fail("fix.build", "--build", "the sources do not build as they are: " + plain->why,
                    "Correct the command; it runs in a copy of " + copy_->root + ".");
      if (!plain->why.empty())
        return fail("fix.build", "--build", "the rebuilt program, unchanged, " + plain->why,
                    "Build with the flags of the program that was given.");
      if (const std::uint64_t now = all_wavefronts(plain->report); now != report_.wavefronts_before)
        return fail("fix.build", "--build",
                    "the rebuilt program, unchanged, takes " + counted(now, "wavefront", "wavefronts") +
                        " instead of " + grouped(report_.wavefronts_before),
                    "Build with the flags of the program that was given.");
      comparison_ = OutputComparison::of(plan_.expected.text, plain->text);
      if (!comparison_)
        return fail(
            "fix.build", "--build", "the rebuilt program, unchanged, writes something else to standard output",
            "Build with the flags of the program that was given; lines with times and the like may differ, if most do "
            "not.");
      if (comparison_->left_out_lines() != 0)
        report_.notes.push_back({"fix.output", "--build",
                                 counted(comparison_->left_out_lines(), "line", "lines") +
                                     " of the program's output change from run to run and are not compared",
                                 "", Severity::note});
    }
    return copy_->in_copy(source).empty() ? outside(source) : Result<void>{};
  }

  Result<void> outside(const std::string& source) const {
    return fail("fix.copy", source, "lies outside of the copied folder " + copy_->root,
                "Run lanebank in the folder that holds all sources.");
  }

  struct Outcome {
    bool built = false;
    std::string why;  ///< empty: built and did what the program did
    std::string text;
    findings::ProgramReport report;
  };

  Result<Outcome> build_and_run(const std::string& source) {
    const std::string log = copy_->folder.path() + "/build.log";
    std::string command = replaced(plan_.command, "{source}", shell_word(copy_->in_copy(source)));
    command = replaced(replaced(command, "{output}", shell_word(copy_->output)), "{dir}", shell_word(copy_->copy));
    Result<ChildEnd> end = [&] {
      const Redirection out(STDOUT_FILENO, log), error(STDERR_FILENO, log + ".2");
      return run_child("/bin/sh", {"sh", "-c", "cd " + shell_word(copy_->copy) + " && " + command},
                       changed_environment(environ, {}));
    }();
    if (!end) return tl::unexpected(end.error());
    Outcome outcome;
    if (end->exit_code != 0) {
      outcome.why = error_line(read_text(log + ".2").value_or("") + "\n" + read_text(log).value_or(""));
      if (outcome.why.empty()) outcome.why = "exit code " + std::to_string(end->exit_code);
      return outcome;
    }
    outcome.built = true;
    const bool own_output = plan_.command.find("{output}") != std::string::npos;
    const std::string program = own_output ? copy_->output : copy_->in_copy(plan_.program.front());
    auto run = run_captured(program, plan_.program, plan_.engine, true);
    if (!run) return tl::unexpected(run.error());
    if (run->output.exit_code != plan_.expected.exit_code)
      outcome.why = "ends with " + std::to_string(run->output.exit_code) + " instead of " +
                    std::to_string(plan_.expected.exit_code);
    else if (comparison_ && !comparison_->equals(run->output.text))
      outcome.why = "writes something else to standard output";
    outcome.text = std::move(run->output.text);
    outcome.report = std::move(run->report);
    return outcome;
  }

  Result<void> try_proposal(advise::ArrayFix& array, advise::FixProposal& proposal, const std::string& source) {
    const auto known = texts_.find(source);
    auto text = known != texts_.end() ? Result<std::string>(known->second) : read_text(source);
    if (!text) return tl::unexpected(text.error());
    const auto withdraw = [&](const std::string& why) {
      proposal.trial = {advise::Trial::State::withdrawn, why, proposal.trial.wavefronts};
      return write_text(copy_->in_copy(source), *text);
    };
    auto edit = advise::edit_for(*text, array, proposal.proposal);
    if (!edit) return withdraw(edit.error().what);
    if (auto written = write_text(copy_->in_copy(source), edit->source); !written) return written;
    auto outcome = build_and_run(source);
    if (!outcome) return tl::unexpected(outcome.error());
    if (!outcome->built) return withdraw("it does not build: " + outcome->why);
    if (!outcome->why.empty()) return withdraw("the rebuilt program " + outcome->why);
    const std::optional<std::uint64_t> measured = wavefronts_of(outcome->report, array.array);
    if (!measured) return withdraw("the accesses of the rebuilt program cannot be told apart by array");
    const std::uint64_t others = of_same_name(array);
    proposal.trial.wavefronts = *measured - std::min(*measured, others);
    if (*proposal.trial.wavefronts > proposal.proposal.after.wavefronts)
      return withdraw("the rebuilt program takes " + counted(*proposal.trial.wavefronts, "wavefront", "wavefronts") +
                      " instead of " + grouped(proposal.proposal.after.wavefronts) +
                      ": the compiler arranged the accesses otherwise");
    proposal.trial.state = advise::Trial::State::verified;
    report_.wavefronts_after = all_wavefronts(outcome->report);
    verified_ = std::move(outcome->report);
    texts_[source] = edit->source;
    return {};
  }

  /// What other instances of the function, with an array of that name and another size, take now.
  std::uint64_t of_same_name(const advise::ArrayFix& array) const {
    std::uint64_t sum = 0;
    for (const advise::ArrayFix& other : report_.arrays) {
      if (&other == &array || other.array.name != array.array.name || other.array.function != array.array.function)
        continue;
      const auto done = std::find_if(
          other.proposals.begin(), other.proposals.end(),
          [](const advise::FixProposal& proposal) { return proposal.trial.state == advise::Trial::State::verified; });
      sum += done != other.proposals.end() ? done->trial.wavefronts.value_or(0) : other.before.wavefronts;
    }
    return sum;
  }

  advise::FixReport& report_;
  const BuildPlan& plan_;
  std::optional<SourceCopy> copy_;
  std::optional<OutputComparison> comparison_;
  std::optional<findings::ProgramReport> verified_;  ///< of the last verified edit
  std::map<std::string, std::string> texts_;
};

}  // namespace

std::optional<OutputComparison> OutputComparison::of(const std::string& first, const std::string& second) {
  OutputComparison result{first, {}};
  if (first == second) return result;
  const std::vector<std::string> one = lines_of(first), other = lines_of(second);
  if (one.size() != other.size()) return std::nullopt;
  for (std::size_t i = 0; i < one.size(); ++i) result.left_out.push_back(one[i] != other[i]);
  if (2 * result.left_out_lines() > one.size()) return std::nullopt;
  return result;
}

std::size_t OutputComparison::left_out_lines() const {
  return static_cast<std::size_t>(std::count(left_out.begin(), left_out.end(), true));
}

bool OutputComparison::equals(const std::string& text) const {
  if (left_out.empty()) return text == expected;
  const std::vector<std::string> one = lines_of(expected), other = lines_of(text);
  if (one.size() != other.size()) return false;
  for (std::size_t i = 0; i < one.size(); ++i)
    if (!left_out[i] && one[i] != other[i]) return false;
  return true;
}

Result<CapturedRun> run_captured(const std::string& path, const std::vector<std::string>& command,
                                 const session::EngineOptions& engine, bool quiet) {
  auto observation = Observation::of(path);
  if (!observation) return tl::unexpected(observation.error());
  auto folder = TemporaryFolder::make(variable_or_empty("TMPDIR"));
  if (!folder) return tl::unexpected(folder.error());
  const std::string output = folder->path() + "/output";
  auto report = [&] {
    const Redirection out(STDOUT_FILENO, output);
    std::optional<Redirection> error;
    if (quiet) error.emplace(STDERR_FILENO, folder->path() + "/error");
    return observe(*observation, command, engine);
  }();
  if (!report) return tl::unexpected(report.error());
  auto text = read_text(output);
  if (!text) return tl::unexpected(text.error());
  const int exit_code = report->exit_code;
  return CapturedRun{std::move(*report), {exit_code, std::move(*text)}};
}

Result<std::map<std::string, std::string>> try_proposals(advise::FixReport& report, const BuildPlan& plan) {
  return Builder(report, plan).run();
}

}  // namespace lanebank::tools
